"""The catalogue's words for a checkpoint and its tokenizer (`attncli info` and `tokens`)."""

from attncli.language.message import Message

_NAMES = {
    "fact.family": Message("family", "模型系列"),
    "fact.special": Message("special", "特点"),
    "fact.layers": Message("layers", "层"),
    "fact.heads": Message("heads", "注意力头"),
    "fact.kv_heads": Message("K, V heads", "键/值头"),
    "fact.vocabulary": Message("vocabulary", "词表"),
    "fact.positions": Message("positions", "位置"),
    "fact.segments": Message("segments", "段"),
    "fact.scale": Message("scale", "缩放因子"),
    "fact.softcap": Message("soft-cap", "软上限"),
    "fact.mask": Message("mask", "掩码"),
    "fact.window": Message("window", "窗口"),
    "fact.norm": Message("norm", "归一化"),
    "fact.qk_norm": Message("q, k norm", "q、k 归一化"),
    "fact.clipped": Message("clipped", "截断"),
    "fact.attends": Message("attends", "关注"),
    "fact.file": Message("file", "文件"),
    "fact.parameters": Message("parameters", "参数"),
    "fact.stored": Message("stored as", "存储格式"),
    "fact.computed": Message("computed in", "计算精度"),
    "fact.unused": Message("unused", "未使用"),
    "fact.names": Message("names", "名称"),
    "fact.ignored": Message("ignored", "已忽略"),
    "fact.not_usable": Message("not usable", "无法使用"),
    "fact.tokenizer": Message("tokenizer", "分词器"),
    "fact.normaliser": Message("normaliser", "规范化"),
    "fact.adds": Message("adds", "添加"),
    "fact.with_colon": Message("{name}: ", "{name}："),
}

_LISTS = {
    "list.comma": Message("{first}, {second}", "{first}，{second}"),
    "list.names": Message("{first}, {second}", "{first}、{second}"),
    "list.semicolon": Message("{first}; {second}", "{first}；{second}"),
    "list.and": Message("{first} and {second}", "{first}和{second}"),
    "list.or": Message("{first} or {second}", "{first} 或 {second}"),
    "nothing": Message("nothing", "无"),
}

_MODEL = {
    "model.heads": Message(
        "{count}, with d_k {d_k} and d_v {d_v}", "{count} 个，d_k 为 {d_k}，d_v 为 {d_v}"
    ),
    "model.kv_heads": Message(
        "{count}, each read by {heads} query heads", "{count} 个，每个由 {heads} 个查询头共用"
    ),
    "model.vectors": Message("{count:,} vectors", "{count:,} 个向量"),
    "model.layers_differ": Message(
        "{stated:,} in config.json, {stored:,} in the file",
        "config.json 中为 {stated:,}，文件中为 {stored:,}",
    ),
    "model.some_layers": Message(
        "{what} in {some} of {layers}", "{what}（{layers}中的 {some} 层）"
    ),
    "model.attends": Message(
        "to itself, and in every layer to the encoder's output (cross-attention)",
        "自身，以及每一层中编码器的输出（交叉注意力）",
    ),
    "position.learned": Message("a learned table", "训练得到的位置表"),
    "position.sinusoids": Message("sinusoids", "正弦位置编码"),
    "position.sinusoid_halves": Message("sinusoids, sines first", "正弦位置编码，先正弦后余弦"),
    "position.fairseq_sinusoids": Message(
        "sinusoids, sines first, as in fairseq", "正弦位置编码，先正弦后余弦，与 fairseq 相同"
    ),
    "positions.buckets": Message(
        "a table of {count} relative distances", "相对距离表（{count} 项）"
    ),
    "positions.disentangled": Message(
        "vectors of {count} relative distances", "相对距离向量（{count} 个）"
    ),
    "positions.none": Message("none are added", "不添加"),
    "positions.limit": Message("at most {count:,} tokens", "最多 {count:,} 个 token"),
    "positions.unlimited": Message("any number of tokens", "token 数不限"),
    "rotary": Message("rotary, {turns}", "旋转位置编码（RoPE），{turns}"),
    "rotary.base": Message("base {base:,.10g}", "底数 {base:,.10g}"),
    "rotary.or": Message("{first} or {second}", "{first}，或{second}"),
    "rotary.kind": Message("{turn} ({kind})", "{turn}（{kind}）"),
    "rotary.part": Message(
        "{turn} on {dim} of {d_k} numbers", "{turn}，只旋转 {d_k} 个分量中的 {dim} 个"
    ),
    "rotary.pairs": Message("{turn}, neighbouring pairs", "{turn}，相邻分量成对"),
    "scale.none": Message("none", "无"),
    "scale.with_layer": Message(
        "{scale}, divided by the layer's number from 1", "{scale}，再除以层号（从 1 开始）"
    ),
    "softcap.scores": Message(
        "scores stay between -{limit:g} and {limit:g}", "分数限制在 -{limit:g} 到 {limit:g} 之间"
    ),
    "clip.qkv": Message(
        "q, k and v stay between -{limit:g} and {limit:g}",
        "q、k、v 限制在 -{limit:g} 到 {limit:g} 之间",
    ),
    "mask.causal": Message(
        "causal: a token sees itself and what is before it",
        "因果掩码：token 只能看到自己和它之前的 token",
    ),
    "mask.none": Message("none: every token sees every token", "无：每个 token 都能看到所有 token"),
    "window.causal": Message(
        "the last {widths} tokens (with its own)", "最近的 {widths} 个 token（包括自己）"
    ),
    "window.sides": Message("{widths} tokens to each side", "两侧各 {widths} 个 token"),
    "norm.one_plus": Message("{kind} times 1 + weight", "{kind}（乘以 1 + 权重）"),
    "norm.where": Message(
        "{kind} {places}, epsilon {epsilon:g}", "{kind}，位于{places}，epsilon 为 {epsilon:g}"
    ),
    "norm.pre_attention": Message("before the attention", "注意力之前"),
    "norm.attention_out": Message("after the attention", "注意力之后"),
    "norm.attention": Message("after the residual", "残差相加之后"),
    "qk_norm.head": Message("every head's alike", "所有头使用相同的权重"),
    "qk_norm.each_head": Message("every head's by its own weights", "每个头使用各自的权重"),
    "qk_norm.full": Message("over all heads", "在全部头上一起进行"),
    "mlp": Message("{width} wide, {activation}", "宽度 {width}，{activation}"),
    "mlp.gated": Message("{mlp}, gated", "{mlp}，带门控"),
    "mlp.experts": Message(
        "{mlp}; {used} of {count} experts for each token",
        "{mlp}；每个 token 使用 {count} 个专家中的 {used} 个",
    ),
    "mlp.parallel": Message(
        "{mlp}; beside the attention, not behind it", "{mlp}；与注意力并行，而不是在其后"
    ),
}

_STORED = {
    "stored.file": Message("{file}; not read: {others}", "{file}；未读取：{others}"),
    "stored.tensors": Message("{count} tensor{s}", "{count} 个张量"),
    "stored.parameters": Message("{numbers:,} in {tensors}", "{numbers:,} 个数，在 {tensors}中"),
    "stored.format": Message("{storage} ({tensors})", "{storage}（{tensors}）"),
    "stored.shape": Message("{storage} {shape}", "{storage} {shape}"),
    "stored.seeded": Message("seeded random", "由种子生成的随机数"),
    "stored.computed": Message("float32; dropout is off", "float32；dropout 关闭"),
    "stored.unused": Message("{tensors} not used by attention", "{tensors}未被注意力计算使用"),
    "stored.prefix": Message("prefix {prefix}", "前缀 {prefix}"),
    "stored.no_prefix": Message("no prefix", "无前缀"),
    "stored.gamma": Message("LayerNorm stored as gamma/beta", "LayerNorm 的参数名为 gamma/beta"),
    "stored.ignored": Message("of config.json: {keys}", "config.json 中的 {keys}"),
    "stored.more": Message(
        "and {count:,} more (all of them in JSON)", "以及其余 {count:,} 个（JSON 中列出全部）"
    ),
    "section.decoder": Message("the decoder, where it differs", "解码器（不同之处）"),
    "section.missing": Message("missing or of the wrong shape", "缺失或形状不符"),
    "section.tensors": Message("tensors", "张量"),
    "section.unused": Message("not used by attention", "未被注意力计算使用"),
}

_TOKENIZER = {
    "tokenizer.size": Message("{count:,} tokens", "{count:,} 个 token"),
    "tokenizer.byte_level": Message("byte-level {model}", "字节级 {model}"),
    "tokenizer.byte_fallback": Message("{model} with byte fallback", "{model}（带字节回退）"),
    "tokenizer.pair": Message("{one}; to a pair {pair}", "{one}；对句对添加 {pair}"),
    "normaliser.lowercase": Message("lower-cases", "转为小写"),
    "normaliser.accents": Message("strips accents", "去掉重音符号"),
    "normaliser.strip": Message("strips blanks at the ends", "去掉首尾空白"),
    "normaliser.control": Message("drops control characters", "去掉控制字符"),
    "normaliser.table": Message(
        "maps characters by a table of SentencePiece (much as NFKC)",
        "按 SentencePiece 的表映射字符（与 NFKC 相近）",
    ),
    "normaliser.bytes": Message("writes bytes as characters", "把字节写成字符"),
    "normaliser.chinese": Message("sets Chinese characters apart", "在汉字两侧加空格"),
    "normaliser.replace": Message(
        "replaces «{pattern}» by «{content}»", "把“{pattern}”替换为“{content}”"
    ),
    "normaliser.prepend": Message("puts «{text}» in front", "在开头加上“{text}”"),
    "column.piece": Message("piece", "子词"),
    "column.text": Message("text", "文本"),
    "column.characters": Message("characters", "字符位置"),
    "column.word": Message("word", "单词"),
    "column.segment": Message("segment", "段"),
    "token.bytes": Message("bytes {bytes}", "字节 {bytes}"),
    "token.special": Message("special", "特殊"),
    "token.unknown": Message("unknown", "未知"),
}

FACTS = {**_NAMES, **_LISTS, **_MODEL, **_STORED, **_TOKENIZER}
