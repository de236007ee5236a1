"""The catalogue: every sentence of the narration, in English and in Chinese side by side.

The Chinese terms are the article's: 查询向量 query, 键向量 key, 值向量 value, 点积 dot product,
分数 score, 权重 weight, 注意力头 head. {s} is an English plural ending (`say`).
"""

from attncli.language.message import Message
from attncli.language.quiz import QUIZ
from attncli.language.walking import WALKING

_COUNTS = {
    "layers": Message("{count} layer{s}", "{count} 层"),
    "heads": Message("{count} head{s}", "{count} 个头"),
    "kv_heads": Message("{count} key/value head{s}", "{count} 个键/值头"),
    "numbers": Message("{count} number{s}", "{count} 个数"),
    "components": Message("{count} component{s}", "{count} 个分量"),
    "digits": Message("{count} digit{s}", "{count} 位小数"),
    "rows": Message("{count} row{s}", "{count} 行"),
    "tokens": Message("{count} token{s}", "{count} 个 token"),
    "others": Message("{count} other{s}", "其余 {count} 个"),
    "other_tokens": Message("{count} other token{s}", "其余 {count} 个 token"),
    "other_products": Message("{count} other product{s}", "其余 {count} 个乘积"),
}

_HEADER = {
    "layer_heads": Message("layer {layer}, {heads}", "第 {layer} 层，{heads}"),
    "layer_heads_cross": Message(
        "layer {layer}, cross-attention, {heads}", "第 {layer} 层，交叉注意力，{heads}"
    ),
    "all_heads": Message("all {count} heads", "全部 {count} 个头"),
    "some_heads": Message("head{s} {names}", "头 {names}"),
    "target": Message("target:", "目标："),
    "source": Message("source:", "来源："),
    "stack.encoder": Message(
        "the encoder: the tokens of the source look at each other",
        "编码器：来源的 token 互相关注",
    ),
    "stack.decoder": Message(
        "the decoder: the tokens of the target look at each other",
        "解码器：目标的 token 互相关注",
    ),
    "weights.sample": Message(
        "the trained sample that comes with attncli", "attncli 自带的训练好的示例"
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
    "ribbon.shade": Message("shade grows with √a; ", "颜色深浅随 √a 增长；"),
    "ribbon.number": Message(
        "the number is a, where it is at least {least}", "数字是权重 a，只写出不小于 {least} 的"
    ),
    "ribbon.masked": Message("; {mark} masked", "；{mark} 被掩盖"),
}

_TITLE = {
    "row_title": Message(
        "Row {token}, “{name}”, of head {head}, step by step",
        "头 {head} 的第 {token} 行“{name}”，逐步推导",
    ),
    "row_title_cross": Message(
        "Row {token}, “{name}”, of head {head} of the cross-attention, step by step",
        "交叉注意力头 {head} 的第 {token} 行“{name}”，逐步推导",
    ),
    "piece_of_word": Message(
        "token {token} «{piece}» of the word «{word}»", "token {token} «{piece}» 属于单词 «{word}»"
    ),
    "cross_note": Message(
        "it is a target token; the keys and values are the source tokens'",
        "它是目标 token；键向量和值向量来自来源的 token",
    ),
    "shared_kv": Message(
        "head {head} reads the keys and values of key/value head {kv}, which heads {first} to "
        "{last} share",
        "头 {head} 使用键/值头 {kv} 的键向量和值向量，头 {first} 到 {last} 共用它们",
    ),
    "section.query": Message("1  Query", "1  查询向量"),
    "section.scores": Message("2–4  Scores, scale, softmax", "2–4  分数、缩放、softmax"),
    "section.sum": Message("5–6  Weighted sum of the values", "5–6  值向量的加权和"),
    "section.heads": Message("Heads side by side", "各个头并排"),
}

_STEPS = {
    "step.x": Message("The token as a vector", "token 的向量"),
    "step.query": Message("The query", "查询向量"),
    "step.clip": Message("The query, clipped", "截断查询向量"),
    "step.norm": Message("The query, normed", "归一化查询向量"),
    "step.rotary": Message("The query, turned by its position", "按位置旋转查询向量"),
    "step.dots": Message("Dot products with the keys", "与各键向量的点积"),
    "step.scale": Message("The scale", "缩放"),
    "step.softcap": Message("The soft-cap", "软上限"),
    "step.bias": Message("The position bias", "位置偏置"),
    "step.mask": Message("The mask", "掩码"),
    "step.softmax": Message("Exponentials", "取指数"),
    "step.weights": Message("The attention weights", "注意力权重"),
    "step.weigh": Message("The weighted values", "加权的值向量"),
    "step.sum": Message("Their sum", "求和"),
    "step.heads": Message("The heads side by side", "各个头并排"),
    "step.output": Message("The output", "输出"),
    "step.check": Message("The check", "核对"),
    "why.x": Message(
        "It is all that the layer knows of the token: {origin}.",
        "这一层对该 token 所知道的全部：{origin}。",
    ),
    "why.query": Message(
        "The query is what the token asks of the others: its vector times a learnt matrix.",
        "查询向量是该 token 向其它 token 提出的“问题”：它的向量乘以训练得到的矩阵。",
    ),
    "why.clip": Message(
        "No number may be beyond -{clip} or {clip}, so that no single one decides the score.",
        "任何一个数都不能超出 -{clip} 到 {clip}，免得单个数决定分数。",
    ),
    "why.norm": Message(
        "Brought to one size, so that the scores cannot grow without limit while training.",
        "统一大小，使分数在训练中不会无限增大。",
    ),
    "why.rotary": Message(
        "Query and key are both turned by their positions; what is left of that in their dot "
        "product is the distance.",
        "查询向量和键向量都按各自的位置旋转；在它们的点积里只留下两者的距离。",
    ),
    "why.dots": Message(
        "The dot product is large where query and key point the same way: so well does key j "
        "answer the query.",
        "查询向量和键向量方向越一致，点积越大：它表示键 j 与查询匹配的程度。",
    ),
    "why.scale": Message(
        "A sum of d_k products grows with √d_k; divided by it, the scores stay where the softmax "
        "still has a gradient.",
        "d_k 个乘积之和随 √d_k 增大；除以它可以防止 softmax 过早进入饱和区域，使梯度更稳定。",
    ),
    "why.scale_other": Message(
        "This model's factor is {scale}, not 1/√d_k: {reason}.",
        "该模型的缩放因子是 {scale}，而不是 1/√d_k：{reason}。",
    ),
    "why.softcap": Message(
        "No score gets beyond -{cap} or {cap}, and small ones stay nearly as they are.",
        "分数不会超出 -{cap} 到 {cap}，小的分数几乎不变。",
    ),
    "why.bias": Message(
        "So the score knows where key j stands: {reason}.",
        "这样分数就知道键 j 的位置：{reason}。",
    ),
    "why.mask": Message(
        "What the token may not see gets -inf, and exp(-inf) is 0.",
        "该 token 不能看的键加上 -inf，而 exp(-inf) 等于 0。",
    ),
    "why.slope": Message("This head's number is {slope}.", "这个头的数是 {slope}。"),
    "why.reach": Message("This layer looks no farther than {tokens}.", "这一层最远只看 {tokens}。"),
    "why.softmax": Message(
        "exp makes every score positive. The row's maximum is subtracted before, so that nothing "
        "overflows; the quotients stay the same.",
        "取指数使每个分数都变为正数。先减去该行的最大值，避免溢出，而比值不变。",
    ),
    "why.weights": Message(
        "Divided by their sum the exponentials become weights: all positive, and 1 together.",
        "除以它们的和，指数就成为权重：都为正，总和为 1。",
    ),
    "why.weigh": Message(
        "Every value counts as much as its key was relevant.",
        "每个值向量按其键的相关程度计入：值向量乘以 softmax 的结果。",
    ),
    "why.sum": Message(
        "The sum is what the token takes from all the others: the head's output for it.",
        "求和得到该 token 从所有 token 取得的信息：这个头对它的输出。",
    ),
    "why.heads": Message(
        "Each head has looked for something of its own; their results are put side by side.",
        "每个头各自关注不同的内容，它们的结果拼接在一起。",
    ),
    "why.output": Message(
        "W_O mixes what the heads have found: each adds to y through rows of its own, and the "
        "length says how much.",
        "W_O 把各个头的结果混合起来：每个头通过自己的那几行加到 y 上，长度表示加了多少。",
    ),
    "why.no_output": Message(
        "These weights have no W_O: the steps end with z.", "这些权重没有 W_O：推导到 z 为止。"
    ),
    "why.check": Message(
        "The row was computed here vector by vector; the matrices were computed all at once.",
        "这里逐个向量地计算了这一行；矩阵则是一次算出的。",
    ),
}

_QUERY = {
    "length_of": Message("{numbers}, length {length}", "{numbers}，长度 {length}"),
    "x_origin": Message("{x} is row {token} of X: {origin}", "{x} 是 X 的第 {token} 行：{origin}"),
    "origin.norm": Message(
        "{norm}'s output, as this model norms before the attention",
        "{norm} 的输出，因为该模型在注意力之前归一化",
    ),
    "origin.cross": Message(
        "what the self-attention of layer {layer} passes on", "第 {layer} 层自注意力传来的向量"
    ),
    "origin.layer": Message("the output of layer {layer}", "第 {layer} 层的输出"),
    "origin.embeddings": Message("the vectors that enter layer 0", "进入第 0 层的向量"),
    "largest_component": Message("the largest in absolute value is", "绝对值最大的分量是"),
    "clipped": Message("clipped at -{clip} and {clip}:", "截断到 -{clip} 和 {clip} 之间："),
    "normed_own": Message(
        "normed ({norm} over its own numbers)", "归一化（{norm}，对它自己的各个数）"
    ),
    "normed_all": Message(
        "normed ({norm} over the numbers of all heads)", "归一化（{norm}，对所有头的各个数）"
    ),
    "norm.mean": Message("mean {mean}, ", "均值 {mean}，"),
    "turned": Message(
        "turned by position {position} (rotary):", "按位置 {position} 旋转（rotary）："
    ),
    "pair": Message(
        "numbers {a} and {b} are a pair, turned by {angle} radians:",
        "第 {a} 和第 {b} 个数是一对，旋转 {angle} 弧度：",
    ),
    "stretched_by": Message(
        "cos and sin are multiplied by {factor} (stretched positions)",
        "cos 和 sin 再乘以 {factor}（位置被拉伸）",
    ),
    "turned_length": Message(
        "a rotation keeps the length: {before} before, {after} after",
        "旋转不改变长度：之前 {before}，之后 {after}",
    ),
    "stretched_length": Message(
        "it is stretched as well: {before} before, {after} after",
        "它同时被拉长：之前 {before}，之后 {after}",
    ),
    "keys_likewise": Message(
        "every key goes the same way; {key}, “{name}”, which gets the largest weight:",
        "每个键向量也经过同样的步骤；权重最大的 {key}“{name}”：",
    ),
    "dot_written_out": Message(
        "the dot product with “{name}”, which gets the largest weight:",
        "与权重最大的“{name}”的点积：",
    ),
}

_SCORES = {
    "token": Message("token", "token"),
    "source_token": Message("source", "来源"),
    "no_scale": Message("no scale", "不缩放"),
    "capped": Message("capped", "有上限"),
    "bias": Message("bias", "偏置"),
    "mask": Message("mask", "掩码"),
    "bucket": Message("bucket", "区间"),
    "position": Message("position", "位置"),
    "max": Message("max", "最大"),
    "sum": Message("sum", "总和"),
    "scale.article": Message("1/sqrt(d_k) = 1/sqrt({d_k})", "1/sqrt(d_k) = 1/sqrt({d_k})"),
    "scale.unchanged": Message("the dot products stay as they are", "点积保持原样"),
    "scale.initial": Message(
        "it is part of the initial values of W_Q", "它已包含在 W_Q 的初始值中"
    ),
    "scale.config": Message("{key} of config.json", "config.json 的 {key}"),
    "scale.parts": Message(
        "1/sqrt({parts} d_k), as {parts} dot products are added",
        "1/sqrt({parts} d_k)，因为有 {parts} 个点积相加",
    ),
    "scale.scalar": Message(
        "1/sqrt(query_pre_attn_scalar) = 1/sqrt({scalar})",
        "1/sqrt(query_pre_attn_scalar) = 1/sqrt({scalar})",
    ),
    "scale.by_layer": Message(
        "{reason}, divided by layer + 1 = {number}", "{reason}，再除以层号 + 1 = {number}"
    ),
    "note.scale": Message("scale {scale}: {reason}", "缩放因子 {scale}：{reason}"),
    "note.no_scale": Message("no scale (1): {reason}", "不缩放（1）：{reason}"),
    "note.softcap": Message(
        "soft-cap {cap}: no score gets beyond -{cap} or {cap}",
        "软上限 {cap}：分数不会超出 -{cap} 到 {cap}",
    ),
    "note.bias": Message("bias: {reason}", "偏置：{reason}"),
    "note.reach": Message(
        "mask: this layer looks no farther than {tokens}", "掩码：这一层最远只看 {tokens}"
    ),
    "bias.buckets": Message(
        "a learnt number of this head for the distance from i to j, in ranges",
        "这个头为 i 到 j 的距离（分段）学到的一个数",
    ),
    "bias.alibi": Message(
        "a number of this head times the position of key j (ALiBi)",
        "这个头的一个数乘以键 j 的位置（ALiBi）",
    ),
    "bias.disentangled": Message(
        "query and key times learnt vectors of their distance, scaled like q·k",
        "查询向量和键向量乘以其距离的学得向量，缩放与 q·k 相同",
    ),
    "bias.other": Message("what the positions add", "位置所加的数"),
    "one_permitted": Message(
        "only one permitted key, weight 1.00", "只有一个允许的键，权重为 1.00"
    ),
    "none_permitted": Message("row {token}: every key is masked", "第 {token} 行：所有键都被掩盖"),
}

_SUMS = {
    "of_components": Message("{shown} of {components}", "{components}中的 {shown} 个"),
    "nothing_to_add": Message(
        "no weights, nothing to add: {z} = 0", "没有权重，没有可加的：{z} = 0"
    ),
    "sum_of_heads": Message(
        "z_cat: {z} of {heads}, {numbers} each; y: what each adds to {y} through its {rows} of "
        "W_O, |y| how long that is; then the sum",
        "z_cat：{heads}的 {z}，每个{numbers}；y：每个头通过 W_O 中自己的 {rows}加到 {y} 上的部分，"
        "|y| 是它的长度；最后是总和",
    ),
    "no_W_O": Message(
        "The steps end with {z}: these weights have no W_O, so there is no {y}.",
        "推导到 {z} 为止：这些权重没有 W_O，所以没有 {y}。",
    ),
}

_END = {
    "fewer_digits": Message(
        "{digits}, not {asked}: the width holds no more", "{digits}，而不是 {asked} 位：宽度不够"
    ),
    "unexplained": Message(
        "{mark} recomputing from the printed numbers differs by up to {worst} in the last digit: "
        "MORE than rounding can explain",
        "{mark} 用印出的数重新计算，末位最多相差 {worst}：超出了四舍五入所能解释的",
    ),
    "rounded": Message(
        "{mark} shown to {digits}, computed in full: recomputing from the printed numbers can "
        "differ by up to {worst} in the last digit",
        "{mark} 显示 {digits}，按全部精度计算：用印出的数重新计算，末位最多相差 {worst}",
    ),
    "dtype_digits": Message(
        "{dtype} holds about {count} digits", "{dtype} 大约只有 {count} 位有效数字"
    ),
    "agrees": Message(
        "row {token} agrees with the matrix path: largest difference {difference}",
        "第 {token} 行与矩阵计算一致：最大差值 {difference}",
    ),
    "differs": Message(
        "row {token} DIFFERS from the matrix path: largest difference {difference}",
        "第 {token} 行与矩阵计算不一致：最大差值 {difference}",
    ),
}

MESSAGES = {
    **_COUNTS,
    **_HEADER,
    **_RIBBON,
    **_TITLE,
    **_STEPS,
    **_QUERY,
    **_SCORES,
    **_SUMS,
    **_END,
    **WALKING,
    **QUIZ,
}
