"""What sets each family of models apart, in Chinese, by the English of its record."""

FAMILIES = {
    "few key/value heads stored with their query heads; ALiBi in bfloat16 in the rw models": (
        "键/值头较少，与各自的查询头存放在一起；rw 模型使用 bfloat16 的 ALiBi"
    ),
    "all layers of a group share one set of tensors; narrow embeddings, then a projection": (
        "同组的层共用一套张量；嵌入较窄，再经投影"
    ),
    "the article's encoder: the trained sample and random weights": (
        "文章中的编码器：训练好的示例模型和随机权重"
    ),
    "post-norm; two rows before the first position; a norm on the embeddings": (
        "后归一化；位置表的前两行不用；嵌入经过归一化"
    ),
    "post-norm encoder; causal where is_decoder is set": (
        "后归一化的编码器；设置 is_decoder 时使用因果掩码"
    ),
    "mBART without a norm on the embeddings; positions from row 0": (
        "同 mBART，但嵌入不经过归一化；位置从第 0 行开始"
    ),
    "post-norm; the decoder's embeddings are normalized before the positions are added": (
        "后归一化；解码器的嵌入先归一化，再加上位置"
    ),
    "ALiBi counted from the first token; a norm on the embeddings": (
        "ALiBi 从第一个 token 算起；嵌入经过归一化"
    ),
    "RoBERTa's network": "与 RoBERTa 的网络相同",
    "the text tower of a whole CLIP": "完整 CLIP 中的文本部分",
    "causal text tower, quick GELU, pre-norm": "使用因果掩码的文本部分，quick GELU，前归一化",
    "parallel after one LayerNorm without bias; rotary on neighbouring pairs": (
        "注意力与 MLP 在同一个无偏置的 LayerNorm 之后并行；RoPE 旋转相邻分量"
    ),
    "scores add query-to-position and key-to-position products; the scale counts the terms": (
        "分数还加上查询对位置、键对位置的点积；缩放因子随项数而定"
    ),
    "BERT without segments; the norms' eps is fixed at 1e-12": (
        "没有段的 BERT；归一化的 eps 固定为 1e-12"
    ),
    "embeddings narrower than the layers, then a projection": "嵌入比各层窄，再经投影",
    "embeddings times sqrt(d_model); norms times 1 + weight; wide heads": (
        "嵌入乘以 sqrt(d_model)；归一化乘以 1 + 权重；注意力头较宽"
    ),
    "capped scores; a scale of its own; every other layer a window; four norms per layer": (
        "分数有软上限；缩放因子另行规定；每隔一层使用窗口；每层四次归一化"
    ),
    "the text part of a Gemma 3 that also sees images": "能看图像的 Gemma 3 的文本部分",
    "five window layers to each full one, with their own rotary base; normalized q and k": (
        "每五个窗口层配一个完整层，窗口层的 RoPE 底数不同；q 和 k 经过归一化"
    ),
    "matrices stored as (in, out), Q K V side by side; pre-norm": (
        "矩阵按（输入，输出）存放，Q K V 并排；前归一化"
    ),
    "no scale; every other layer sees a window": "没有缩放；每隔一层使用窗口",
    "query, key and value of a head stored together; partial rotary; parallel MLP": (
        "每个头的查询、键、值存放在一起；RoPE 只旋转部分分量；MLP 与注意力并行"
    ),
    "rotary on neighbouring pairs; MLP in parallel after the same norm": (
        "RoPE 旋转相邻分量；MLP 在同一次归一化之后与注意力并行"
    ),
    "factors on embeddings, scores and residuals": "嵌入、分数和残差各乘以一个系数",
    "grouped queries, rotary, RMSNorm, gated MLP": "分组查询，RoPE，RMSNorm，带门控的 MLP",
    "pre-norm; fairseq's sinusoids from pad_token_id + 1 on, pad tokens left out": (
        "前归一化；fairseq 的正弦位置编码，从 pad_token_id + 1 开始，不计填充 token"
    ),
    "post-norm; sines first, then cosines, which the file need not hold": (
        "后归一化；位置编码先正弦后余弦，文件中可以没有"
    ),
    "BART in pre-norm, with a final norm": "前归一化的 BART，最后再归一化一次",
    "Llama with a window in every layer": "同 Llama，但每层都使用窗口",
    "Mistral with a mixture of experts for the MLP": "同 Mistral，但 MLP 换成混合专家",
    "pre-norm encoder; every third layer sees all, the others a window; two rotary bases": (
        "前归一化的编码器；每三层有一层看到全部，其余使用窗口；RoPE 有两个底数"
    ),
    "one table of relative positions for all layers beside the learned ones": (
        "除训练得到的位置表外，各层还共用一个相对位置表"
    ),
    "ALiBi counted back from the last token; no biases; maybe clipped q, k and v": (
        "ALiBi 从最后一个 token 往前算；没有偏置；q、k、v 可能被截断"
    ),
    "T5 with a gated MLP": "同 T5，但 MLP 带门控",
    "LayerNorm times 1 + weight; squared ReLU; half of each head rotated": (
        "LayerNorm 乘以 1 + 权重；ReLU 的平方；每个头旋转一半分量"
    ),
    "norms after attention and MLP instead of before; q and k normalized over all heads": (
        "归一化在注意力和 MLP 之后，而不是之前；q 和 k 在全部头上一起归一化"
    ),
    "two rows before the first position; a 350m file is post-norm with narrow embeddings": (
        "位置表的前两行不用；350m 的文件使用后归一化，嵌入较窄"
    ),
    "pre-norm; sines first, then cosines": "前归一化；位置编码先正弦后余弦",
    "attention and MLP in parallel after one LayerNorm; partial rotary": (
        "注意力与 MLP 在同一个 LayerNorm 之后并行；RoPE 只旋转部分分量"
    ),
    "q k v side by side, gate and up side by side; longrope": (
        "q k v 并排存放，门控和上投影并排存放；longrope"
    ),
    "Llama with biases on q, k and v alone": "同 Llama，但只有 q、k、v 带偏置",
    "RMSNorm of every head's q and k before rotary": "RoPE 之前对每个头的 q 和 k 做 RMSNorm",
    "positions count from pad_token_id + 1 and leave out pad tokens": (
        "位置从 pad_token_id + 1 算起，不计填充 token"
    ),
    "no rotary in every fourth layer": "每四层有一层不使用 RoPE",
    "partial rotary, LayerNorm with bias; the 12b parallel, each head's q and k normalized": (
        "RoPE 只旋转部分分量，LayerNorm 带偏置；12b 的 MLP 并行，每个头的 q 和 k 经过归一化"
    ),
    "LayerNorm and a plain MLP, biases everywhere; a window in every layer": (
        "LayerNorm 和普通的 MLP，处处带偏置；每层都使用窗口"
    ),
    "no scale; a table of relative positions, of layer 0 for all layers": (
        "没有缩放；第 0 层的相对位置表供各层共用"
    ),
    "T5 with a table of its own in every layer": "同 T5，但每层有自己的相对位置表",
}
