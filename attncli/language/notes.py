"""The notes on standard error in Chinese, by their English templates, as the errors are."""

NOTES = {
    "decoder: {text}": "解码器：{text}",
    "target: {text}": "目标序列：{text}",
    "first text: {text}": "第一段文本：{text}",
    "second text: {text}": "第二段文本：{text}",
    "the weights are random: the numbers show how attention is computed, not a meaning": (
        "权重是随机的，这些数只展示注意力如何计算，没有含义"
    ),
    "{file} has no E: seeded vectors (seed {seed}) stand in for the tokens' own": (
        "{file} 中没有 E：token 的向量由随机向量代替（种子 {seed}）"
    ),
    "{model} has no W_O: no Y": "{model} 没有 W_O，因此没有 Y",
    "{model} has no {names} in this layer": "{model} 的这一层没有 {names}",
    "{model} has no tokenizer that can be read: ids stand for the tokens": (
        "{model} 没有可读取的分词器：用 id 表示 token"
    ),
    "config.json has no model_type: architectures says {value}, which is {family}": (
        "config.json 中没有 model_type：architectures 为 {value}，对应 {family}"
    ),
    "keys of config.json that {family} does not have are ignored: {keys}": (
        "已忽略 config.json 中 {family} 没有的键：{keys}"
    ),
    "keys of config.json that {family} does not have are ignored: {keys} and {count} more": (
        "已忽略 config.json 中 {family} 没有的键：{keys} 以及其余 {count} 个"
    ),
    'the tensor names begin with "{prefix}", which is taken off': (
        "张量名以“{prefix}”开头，已去掉这一前缀"
    ),
    "{count} tensor{s} of the layers and tables that config.json does not ask for: {names}; "
    "without them the numbers may not be those of the model": (
        "各层和各表中有 {count} 个 config.json 没有要求的张量：{names}；"
        "不使用它们时，结果可能与该模型不符"
    ),
    "config.json says {stated} layers, the weights hold {stored}: the others are not used": (
        "config.json 中为 {stated} 层，权重中有 {stored} 层：多出的层不使用"
    ),
    "config.json says {stated} layers, the weights hold {stored}: the others are missing": (
        "config.json 中为 {stated} 层，权重中有 {stored} 层：缺少其余的层"
    ),
    "tokenizer_config.json says {key}: {value}, but tokenizer.json adds {added} before the text, "
    "and that is what counts": (
        "tokenizer_config.json 中 {key} 为 {value}，但 tokenizer.json 在文本前添加的是：{added}；"
        "以后者为准"
    ),
    "tokenizer_config.json says {key}: {value}, but tokenizer.json adds {added} after the text, "
    "and that is what counts": (
        "tokenizer_config.json 中 {key} 为 {value}，但 tokenizer.json 在文本后添加的是：{added}；"
        "以后者为准"
    ),
    "the text gives no tokens of its own": "文本自身没有产生 token",
    "the text contains special tokens: {names}, counted without added ones": (
        "文本中含有特殊 token：{names}（编号不计添加的 token）"
    ),
    "1 character is not covered by any token: {places}": "有 1 个字符不属于任何 token：{places}",
    "{count} characters are not covered by any token: {places}": (
        "有 {count} 个字符不属于任何 token：{places}"
    ),
    "«{character}» at {place}": "“{character}”（位置 {place}）",
    "{name} is {storage}: quantised checkpoints are not supported": (
        "{name} 的格式是 {storage}：不支持量化的检查点"
    ),
}
