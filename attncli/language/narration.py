"""The sentences of a derivation: titles, reasons, and the words around its numbers."""

from attncli.language.message import Message

_TITLE = {
    "row_title": Message(
        "Row {token}, “{name}”, of head {head}, step by step",
        "逐步推导：注意力头 {head} 的第 {token} 行“{name}”",
    ),
    "row_title_cross": Message(
        "Row {token}, “{name}”, of head {head} of the cross-attention, step by step",
        "逐步推导：交叉注意力头 {head} 的第 {token} 行“{name}”",
    ),
    "piece_of_word": Message(
        "token {token} «{piece}» of the word «{word}»",
        "token {token}“{piece}”是单词“{word}”的一部分",
    ),
    "cross_note": Message(
        "it is a target token; the keys and values are the source tokens'",
        "它是目标 token；键向量和值向量来自源 token",
    ),
    "shared_kv": Message(
        "head {head} reads the keys and values of key/value head {kv}, which heads {first} to "
        "{last} share",
        "头 {head} 使用键/值头 {kv} 的键向量和值向量，它们由头 {first} 到 {last} 共用",
    ),
    "section.query": Message("1  Query", "1  查询向量"),
    "section.scores": Message("2–4  Scores, scale, softmax", "2–4  分数、缩放、softmax"),
    "section.sum": Message("5–6  Weighted sum of the values", "5–6  值向量的加权和"),
    "section.heads": Message("Heads side by side", "拼接所有注意力头"),
}

_STEPS = {
    "step.x": Message("The token as a vector", "token 的输入向量"),
    "step.query": Message("The query", "查询向量"),
    "step.clip": Message("The query, clipped", "截断查询向量"),
    "step.norm": Message("The query, normalized", "归一化查询向量"),
    "step.rotary": Message(
        "The query, rotated by its position (RoPE)", "按位置旋转查询向量（RoPE）"
    ),
    "step.dots": Message("Dot products with the keys", "与各键向量的点积"),
    "step.scale": Message("The scale", "缩放"),
    "step.softcap": Message("The soft-cap", "软上限"),
    "step.bias": Message("The position bias", "位置偏置"),
    "step.mask": Message("The mask", "掩码"),
    "step.softmax": Message("The exponentials", "取指数"),
    "step.weights": Message("The attention weights", "注意力权重"),
    "step.weigh": Message("The weighted values", "加权后的值向量"),
    "step.sum": Message("The sum of the weighted values", "求和"),
    "step.heads": Message("The heads side by side", "拼接所有注意力头"),
    "step.output": Message("The output", "输出"),
    "step.check": Message("The check", "核对"),
    "why.x": Message(
        "This is all that the layer knows about the token: {origin}.",
        "这是该层所知的关于该 token 的全部信息：{origin}。",
    ),
    "why.query": Message(
        "The query says what the token looks for in the others: its vector times a learnt matrix.",
        "查询向量表示该 token 想在其他 token 中寻找什么：由它的输入向量乘以训练得到的矩阵而来。",
    ),
    "why.clip": Message(
        "Every number of queries, keys and values is kept between -{clip} and {clip}, so that "
        "no single one decides the score.",
        "查询向量、键向量和值向量的每个数都限制在 -{clip} 到 {clip} 之间，以免单个数左右整个分数。",
    ),
    "why.norm": Message(
        "With queries and keys of one size, the scores cannot grow without limit in training.",
        "查询向量和键向量大小统一，分数在训练中就不会无限增大。",
    ),
    "why.rotary": Message(
        "Query and key are each rotated by their own position; in the dot product, only the "
        "distance between the two positions remains.",
        "查询向量和键向量各按自己的位置旋转；在点积中，位置的影响只剩下两者的距离。",
    ),
    "why.dots": Message(
        "The dot product is large where query and key point the same way: it says how well key "
        "j matches the query.",
        "查询向量与键向量的方向越一致，点积越大：它表示键 j 与查询的匹配程度。",
    ),
    "why.scale": Message(
        "The dot product adds up d_k products and so grows with √d_k; divided by it, the "
        "scores stay where the softmax still has a gradient.",
        "点积是 d_k 个乘积之和，会随 √d_k 增大；除以 √d_k 可以防止 softmax 过早进入饱和区域，使"
        "梯度更稳定。",
    ),
    "why.scale_other": Message(
        "This model's factor is {scale}, not 1/√d_k: {reason}.",
        "该模型的缩放因子是 {scale}，而不是 1/√d_k：{reason}。",
    ),
    "why.softcap": Message(
        "Every score is kept between -{cap} and {cap}; small ones hardly change.",
        "每个分数都限制在 -{cap} 到 {cap} 之间，小的分数几乎不变。",
    ),
    "why.bias": Message(
        "The bias makes the score depend on the position of key j: {reason}.",
        "偏置使分数与键 j 的位置有关：{reason}。",
    ),
    "why.mask": Message(
        "A key that the token may not look at gets -inf, and exp(-inf) is 0.",
        "该 token 不能关注的键，分数加上 -inf，而 exp(-inf) 等于 0。",
    ),
    "why.window": Message(
        "This layer looks no farther than {tokens}.", "这一层的关注范围不超过 {tokens}。"
    ),
    "why.slope": Message("This head's number is {slope}.", "该头的系数是 {slope}。"),
    "why.softmax": Message(
        "exp makes every score positive. The row's maximum is subtracted first, so that "
        "nothing overflows; the weights stay the same.",
        "取指数使每个分数都变为正数。先减去该行的最大值以免溢出，最后的权重不变。",
    ),
    "why.weights": Message(
        "Divided by their sum, the exponentials become weights, which sum to 1.",
        "各个指数除以它们的总和，就成为注意力权重，总和为 1。",
    ),
    "why.all_masked": Message(
        "Every key of this row is masked: there is no score to take exp of, and so no weight.",
        "这一行的键全部被屏蔽：没有可以取指数的分数，也就没有权重。",
    ),
    "why.weigh": Message(
        "Each value counts as much as its weight says.",
        "每个值向量乘以它的注意力权重：权重越大，贡献越大。",
    ),
    "why.sum": Message(
        "The sum is what the token takes from the tokens it looks at: the head's output for it.",
        "求和得到该 token 从它关注的 token 中汇总的信息，也就是这个头对它的输出。",
    ),
    "why.heads": Message(
        "Each head looks for something of its own; their results are put side by side.",
        "每个头关注的内容各不相同，它们的输出拼接在一起。",
    ),
    "why.output": Message(
        "W_O combines what the heads have found: each head adds to y through its own rows of "
        "W_O, and the length says how much.",
        "W_O 融合各个头的信息：每个头通过 W_O 中属于它的那几行对 y 作出贡献，长度表示贡献的大小。",
    ),
    "why.no_output": Message(
        "These weights have no W_O: the steps end with z.",
        "这里没有 W_O：推导到 z 为止。",
    ),
    "why.check": Message(
        "Here the row was computed vector by vector, the matrices all at once; both must agree.",
        "这一行在这里是逐个向量算出的，矩阵则是一次算出的；两者必须一致。",
    ),
}

_QUERY = {
    "length_of": Message("{numbers}, length {length}", "{numbers}，长度 {length}"),
    "x_origin": Message("{x} is row {token} of X: {origin}", "{x} 是 X 的第 {token} 行：{origin}"),
    "origin.norm": Message(
        "the output of the {norm} before the attention",
        "注意力之前的 {norm} 的输出",
    ),
    "origin.cross": Message(
        "what the self-attention of layer {layer} passes on", "第 {layer} 层自注意力传来的向量"
    ),
    "origin.layer": Message("the output of layer {layer}", "第 {layer} 层的输出"),
    "origin.embeddings": Message("the vectors that enter layer 0", "进入第 0 层的向量"),
    "largest_component": Message("the largest in absolute value is", "绝对值最大的分量是"),
    "clipped": Message("clipped at -{clip} and {clip}:", "截断到 -{clip} 和 {clip} 之间："),
    "normalized_own": Message(
        "normalized ({norm} over its own numbers)",
        "归一化（{norm}，对它自己的各个分量）",
    ),
    "normalized_all": Message(
        "normalized ({norm} over the numbers of all heads)",
        "归一化（{norm}，对所有头的全部分量）",
    ),
    "mean": Message("mean", "均值"),
    "variance": Message("var", "方差"),
    "rotated": Message(
        "rotated by position {position} (RoPE):", "按位置 {position} 旋转（RoPE）："
    ),
    "pair": Message(
        "numbers {a} and {b} are a pair, rotated by {angle} radians:",
        "分量 {a} 和 {b} 是一对，旋转 {angle} 弧度：",
    ),
    "pair_stretched": Message(
        "numbers {a} and {b} are a pair, rotated by {angle} radians: cos and sin are multiplied by "
        "{factor} (stretched positions)",
        "分量 {a} 和 {b} 是一对，旋转 {angle} 弧度，cos 和 sin 再乘以 {factor}（位置被拉伸）：",
    ),
    "rotated_length": Message(
        "a rotation keeps the length: {before} before, {after} after",
        "旋转不改变长度：旋转前 {before}，旋转后 {after}",
    ),
    "stretched_length": Message(
        "it is stretched as well: {before} before, {after} after",
        "长度也被拉伸：旋转前 {before}，旋转后 {after}",
    ),
    "keys_likewise": Message(
        "every key goes the same way; {key}, “{name}”, which gets the largest weight:",
        "每个键向量都经过同样的步骤；以权重最大的 {key}“{name}”为例：",
    ),
    "dot_written_out": Message(
        "the dot product with “{name}”, which gets the largest weight:",
        "与权重最大的“{name}”的点积：",
    ),
}

_SCORES = {
    "token": Message("token", "token"),
    "source_token": Message("source", "源 token"),
    "no_scale": Message("no scale", "不缩放"),
    "capped": Message("capped", "软上限"),
    "bias": Message("bias", "偏置"),
    "biased": Message("biased", "加偏置后"),
    "mask": Message("mask", "掩码"),
    "bucket": Message("bucket", "区间"),
    "position": Message("position", "位置"),
    "from_last": Message("from last", "倒数位置"),
    "max": Message("max", "最大值"),
    "sum": Message("sum", "总和"),
    "scale.article": Message("1/sqrt(d_k) = 1/sqrt({d_k})", "1/sqrt(d_k) = 1/sqrt({d_k})"),
    "scale.unchanged": Message("the dot products stay as they are", "点积保持不变"),
    "scale.initial": Message(
        "it is part of the initial values of W_Q", "它已包含在 W_Q 的初始值中"
    ),
    "scale.config": Message("{key} of config.json", "config.json 中的 {key}"),
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
    "bias.bucket": Message(
        "a learnt number of this head for the distance from i to j, in ranges",
        "该头按 i 到 j 的距离所在的区间学到的一个数",
    ),
    "bias.position": Message(
        "a number of this head times the position of key j (ALiBi)",
        "该头的一个系数乘以键 j 的位置（ALiBi）",
    ),
    "bias.vector": Message(
        "query and key times learnt vectors of their distance, scaled like q·k",
        "查询向量、键向量与学到的距离向量的点积，缩放与 q·k 相同",
    ),
    "bias.from_last": Message(
        "a number of this head times the position of key j, counted back from the last token "
        "(ALiBi)",
        "该头的一个系数乘以键 j 的位置，从最后一个 token 往回数（ALiBi）",
    ),
    "one_permitted": Message(
        "only one permitted key, weight {weight}",
        "只有一个键可以关注，权重为 {weight}",
    ),
    "none_permitted": Message("row{s} {rows}: every key is masked", "第 {rows} 行：所有键都被屏蔽"),
}

_SUMS = {
    "of_keys": Message(
        "{shown} of {keys}: those of the largest weights", "{keys}中权重最大的 {shown} 个"
    ),
    "of_components": Message("{shown} of {components}", "{components}中的 {shown} 个"),
    "nothing_to_add": Message(
        "no weights, nothing to add: {z} = 0",
        "没有权重，也就没有可加的项：{z} = 0",
    ),
    "sum_of_heads": Message(
        "z_cat: {z} of {heads}, {numbers} each; y: what each adds to {y} through its {rows} of "
        "W_O, |y| how long that is; then the sum",
        "z_cat：{heads}的 {z}，每个头 {numbers}；y：每个头通过 W_O 中属于它的 {rows}对 {y} 的贡"
        "献，|y| 是其长度；最后一行是总和",
    ),
}

_END = {
    "fewer_digits": Message(
        "{digits}, not {asked}: the width holds no more",
        "只显示 {digits}，而不是 {asked} 位：屏幕宽度不够",
    ),
    "unexplained": Message(
        "{mark} recomputing from the printed numbers differs by up to {worst} in the last "
        "digit: MORE than rounding can explain",
        "{mark} 用显示的数重算，末位最多相差 {worst}：超出了舍入所能解释的范围",
    ),
    "rounded": Message(
        "{mark} rounded to {digits}; redone from these, off by up to {worst} in the last digit",
        "{mark} 舍入到 {digits}；用这些数重算，末位最多相差 {worst}",
    ),
    "dtype_digits": Message(
        "{dtype} holds about {count} digits", "{dtype} 大约只有 {count} 位有效数字"
    ),
    "agrees": Message(
        "row {token} agrees with the matrix path, to rounding",
        "第 {token} 行与矩阵计算的结果一致（舍入误差以内）",
    ),
    "differs": Message(
        "row {token} DIFFERS from the matrix path: largest difference {difference}",
        "第 {token} 行与矩阵计算的结果不一致：最大差值 {difference}",
    ),
}

NARRATION = {**_TITLE, **_STEPS, **_QUERY, **_SCORES, **_SUMS, **_END}
