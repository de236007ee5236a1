"""The catalogue: every sentence of the commands, in English and in Chinese side by side.

The Chinese terms are the article's: 查询向量 query, 键向量 key, 值向量 value, 点积 dot product,
分数 score, 权重 weight, 注意力头 head. {s} is an English plural ending (`say`).
"""

from attncli.language.facts import FACTS
from attncli.language.lookup import LOOKUP
from attncli.language.matrices import MATRICES
from attncli.language.message import Message
from attncli.language.narration import NARRATION
from attncli.language.quiz import QUIZ
from attncli.language.walking import WALKING

_PUNCTUATION = {
    "comma": Message(", ", "，"),
    "semicolon": Message("; ", "；"),
    "colon": Message(": ", "："),
    "between_names": Message(", ", "、"),
    "error": Message("Error: {text}", "错误：{text}"),
    "note": Message("Note: {text}", "注意：{text}"),
    "usage": Message("Usage: {text}", "用法：{text}"),
    "usage.help": Message("Try '{command} {option}' for help.", "查看帮助：{command} {option}"),
    "usage.value": Message("Invalid value for {option}: {text}", "{option} 的值无效：{text}"),
    "sentences": Message("{first} {second}", "{first}{second}"),
}

_COUNTS = {
    "layers": Message("{count} layer{s}", "{count} 层"),
    "heads": Message("{count} head{s}", "{count} 个头"),
    "kv_heads": Message("{count} key/value head{s}", "{count} 个键/值头"),
    "numbers": Message("{count} number{s}", "{count} 个数"),
    "components": Message("{count} component{s}", "{count} 个分量"),
    "digits": Message("{count} digit{s}", "{count} 位小数"),
    "rows": Message("{count} row{s}", "{count} 行"),
    "tokens": Message("{count} token{s}", "{count} 个 token"),
    "keys": Message("{count} key{s}", "{count} 个键"),
    "others": Message("{count} other{s}", "其余 {count} 个"),
    "other_tokens": Message("{count} other token{s}", "其余 {count} 个 token"),
    "other_products": Message("{count} other product{s}", "其余 {count} 个乘积"),
}

_HEADER = {
    "layer_heads": Message("layer {layer}, {heads}", "第 {layer} 层，{heads}"),
    "layer_heads_cross": Message(
        "layer {layer}, cross-attention, {heads}", "第 {layer} 层，交叉注意力，{heads}"
    ),
    "all_heads": Message("all {count} heads", "全部 {count} 个注意力头"),
    "some_heads": Message("head{s} {names}", "注意力头 {names}"),
    "target": Message("target:", "目标序列："),
    "source": Message("source:", "源序列："),
    "kind.encoder": Message(
        "the encoder: the tokens of the source look at each other",
        "编码器：源序列的 token 互相关注",
    ),
    "kind.decoder": Message(
        "the decoder: the tokens of the target look at each other",
        "解码器：目标序列的 token 互相关注",
    ),
    "weights.sample": Message(
        "the trained sample that comes with attncli",
        "attncli 自带的已训练示例模型",
    ),
    "weights.hub": Message(
        "snapshot {snapshot} in the local cache of the Hub", "Hub 本地缓存中的快照 {snapshot}"
    ),
    "weights.folder": Message("the checkpoint in {place}", "{place} 中的检查点"),
    "weights.file": Message("the file {place}", "文件 {place}"),
    "weights.matrices": Message("the matrices in {place}", "{place} 中的矩阵"),
    "weights.random": Message("random numbers, seed {seed}", "随机数，种子 {seed}"),
}

_RIBBON = {
    "ribbon.shade": Message("shade grows with √a; ", "颜色随 √a 加深；"),
    "ribbon.number": Message(
        "the number is a, where it is at least {least}",
        "数字是权重 a，小于 {least} 的不写出",
    ),
}

MESSAGES = {
    **_PUNCTUATION,
    **_COUNTS,
    **_HEADER,
    **MATRICES,
    **_RIBBON,
    **NARRATION,
    **LOOKUP,
    **WALKING,
    **QUIZ,
    **FACTS,
}
