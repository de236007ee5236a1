"""What was asked for contradicts itself or the model."""

REQUESTS = {
    "`attention` is {name!r}: give encoder, decoder or cross": (
        "`attention` 为 {name!r}：请给出 encoder、decoder 或 cross"
    ),
    "S and A of head {head} were not kept: name it in `heads` of inspect": (
        "没有保留注意力头 {head} 的 S 和 A：请在 inspect 的 `heads` 中指定它"
    ),
    "frame() needs pandas: pip install pandas": "frame() 需要 pandas：请运行 pip install pandas",
    "{width} columns cannot be split into {h} heads of equal width": (
        "{width} 列无法平均分给 {h} 个注意力头"
    ),
    "`attention` {kind} needs the text that the decoder reads: give `target`": (
        "`attention` {kind} 需要解码器读取的文本：请给出 `target`"
    ),
    "`target` has no effect on an encoder: give `attention` decoder or cross": (
        "`target` 对编码器不起作用：请给出 `attention` decoder 或 cross"
    ),
    "`target` is for encoder-decoders: this model is one stack of layers": (
        "`target` 只用于编码器-解码器模型：该模型只有一组层"
    ),
    "`causal` has no effect on `attention` cross: no source token is in the future": (
        "`causal` 对 `attention` cross 不起作用：源序列中没有未来的 token"
    ),
    "`attention_mask` has {count} value{s}, the text has {n} tokens: give 1 or 0 for each": (
        "`attention_mask` 有 {count} 个值，文本有 {n} 个 token：请为每个 token 给出 1 或 0"
    ),
    "config.json of {model} does not say decoder_start_token_id, with which the decoder's text "
    "begins: give the ids of all its tokens (`target_ids`)": (
        "{model} 的 config.json 没有 decoder_start_token_id，即解码器文本的起始 token："
        "请给出其全部 token 的 id（`target_ids`）"
    ),
    "`pair`: {family} reads no pairs: it has no segments, and its tokenizer puts nothing between "
    "two texts; give one text": (
        "`pair`：{family} 不支持文本对：它没有分段，其分词器也不在两段文本之间加入任何 token；"
        "请只给一段文本"
    ),
    "`heads` is empty: give at least one head, or leave it out for all": (
        "`heads` 为空：请至少给出一个注意力头，省略则为全部"
    ),
    "`attention` {name}: {model} is one stack of layers; leave `attention` out": (
        "`attention` {name}：{model} 只有一组层；请省略 `attention`"
    ),
    "{place}: {name} overflows {dtype}; the weights, or what multiplies them, are too large by "
    "orders of magnitude: scale them down": (
        "{place}：{name} 超出 {dtype} 的范围；模型参数或与其相乘的数大了若干个数量级：请缩小它们"
    ),
    "{part}, row {row}": "{part} 第 {row} 行",
    "{part}, row {row}, column {column}": "{part} 第 {row} 行第 {column} 列",
    "`{what}` is {wanted!r}: a whole number is needed": "`{what}` 为 {wanted!r}：需要整数",
    "{problem}, or give token ids (`{ids}`)": "{problem}；或给出 token 的 id（`{ids}`）",
    "X in {name} has the shape {shape}; this sentence has {n} tokens of {d_model} numbers: X must "
    "be {expected}": (
        "{name} 中 X 的形状为 {shape}；该句子有 {n} 个 token，每个 {d_model} 个数："
        "X 应为 {expected}"
    ),
    "`show` {names}: the matrices are {known}; give some of these with commas between, or all": (
        "`show` {names}：可选的矩阵有 {known}；请给出其中若干个，以逗号分隔，或 all"
    ),
    "this decoder attends to the encoder's output, which is not there": (
        "该解码器需要关注编码器的输出，但没有给出"
    ),
    "{family} with a convolution computes no attention mask": "带卷积的 {family} 不支持注意力掩码",
    "layer {layer} has no W_O: nothing can follow its attention": (
        "第 {layer} 层没有 W_O：无法计算注意力之后的部分"
    ),
    "S and A of {count} head{s} for {n} x {m} tokens take {size:,.1f} GB, and {most} GB is the "
    "most: give a shorter text, or fewer heads (`heads`)": (
        "{count} 个头、{n} x {m} 个 token 的 S 和 A 需要 {size:,.1f} GB，而上限是 {most} GB："
        "请缩短文本，或减少头（`heads`）"
    ),
    "the sentence has {n} tokens, the model has {n_positions} positions; shorten the sentence": (
        "句子有 {n} 个 token，模型只有 {n_positions} 个位置；请缩短句子"
    ),
    "token {i} has id {id}, the embedding table has {n_vocab} rows (0 to {last}); this tokenizer "
    "does not belong to these weights": (
        "token {i} 的 id 为 {id}，而嵌入表有 {n_vocab} 行（0 到 {last}）；"
        "该分词器与这些模型参数不匹配"
    ),
}
