"""The catalogue's sentences for the overview of a layer and under its matrices, tables or pictures.

The target is what looks and the source what is looked at where these differ (cross-attention).
"""

from attncli.language.message import Message

_MADE = {  # what the parameters W and b make
    "Q": Message("the query q", "查询向量 q"),
    "K": Message("the key k", "键向量 k"),
    "V": Message("the value v", "值向量 v"),
    "O": Message("y", "输出 y"),
}

_CAPTIONS = {
    "look": Message(
        "row = the token that looks (query), column = the token looked at (key)",
        "行 = 发出关注的 token（查询），列 = 被关注的 token（键）",
    ),
    "look_cross": Message(
        "row = the target token that looks (query), column = the source token looked at (key)",
        "行 = 发出关注的目标 token（查询），列 = 被关注的源 token（键）",
    ),
    "tokens.S": Message("the scores as they enter the softmax", "进入 softmax 的分数"),
    "tokens.A": Message("each row sums to 1, columns need not", "每行之和为 1，每列不一定"),
    "tokens.mask": Message(
        "0, or masked where the query may not look at the key", "0；查询不可关注的键被屏蔽"
    ),
    "tokens.position_bias": Message(
        "what the positions add to each score", "位置给每个分数加上的值"
    ),
    "row": Message(
        "row = token, column = component of {vector}", "行 = token，列 = {vector} 的分量"
    ),
    "row_target": Message(
        "row = target token, column = component of {vector}",
        "行 = 目标 token，列 = {vector} 的分量",
    ),
    "row_source": Message(
        "row = source token, column = component of {vector}", "行 = 源 token，列 = {vector} 的分量"
    ),
    "row_inputs": Message(
        "row = component of {input}, column = component of {vector}",
        "行 = {input} 的分量，列 = {vector} 的分量",
    ),
    "row_all": Message(
        "added to every token's vector, column = component of {vector}",
        "加到每个 token 的向量上，列 = {vector} 的分量",
    ),
    "vector.X": Message("x, what the Q, K, V projections receive", "Q、K、V 投影的输入 x"),
    "vector.X_cross": Message("x, what the Q projection receives", "Q 投影的输入 x"),
    "vector.Q": Message("its query q", "其查询向量 q"),
    "vector.K": Message("its key k", "其键向量 k"),
    "vector.V": Message("its value v", "其值向量 v"),
    "vector.Z": Message("z, the values weighted by A and summed", "值向量按 A 加权求和得到的 z"),
    "vector.Z_cat": Message("the heads' z side by side", "各个头的 z 拼接成的 z_cat"),
    "vector.Y": Message("y, what the layer's attention returns", "该层注意力的输出 y"),
    **{f"vector.{kind}_{letter}": made for kind in "Wb" for letter, made in _MADE.items()},
    **{f"input.W_{letter}": Message("x", "输入 x") for letter in "QKV"},
    "input.W_O": Message("z_cat, the heads' z side by side", "各个头的 z 拼接成的 z_cat"),
    "with_origin": Message("{caption}: {origin}", "{caption}（{origin}）"),
    "corner": Message("query ↓ / key →", "查询 ↓ / 键 →"),
    "corner_cross": Message("target ↓ / source →", "目标 ↓ / 源 →"),
    "masked": Message("{mark} masked", "{mark} 被屏蔽"),
}

_TABLES = {
    "columns_left_out": Message("… {count} more …", "… 另有 {count} 列 …"),
    "rows_left_out": Message("… {count} more rows …", "… 另有 {count} 行 …"),
    "keys_left_out": Message("+{count} more", "其余 {count} 个"),
    "left_out.A": Message("({value})", "共 {value}"),
    "left_out.S": Message("(each ≤ {value})", "均 ≤ {value}"),
    "sums_unrounded": Message(
        "rounded to {count} place{s}, sums before rounding",
        "保留 {count} 位小数，总和在舍入前计算",
    ),
    "largest_keys": Message(
        "per row the {largest} largest of {keys} keys (--full shows all), each with its number",
        "每行列出 {keys} 个键中最大的 {largest} 个及其编号（--full 显示全部）",
    ),
    "resting_place": Message(
        "token {token} receives {received} on average: common in trained models (a resting "
        "place), not an error",
        "token {token} 平均得到 {received} 的权重：这在训练好的模型中很常见（注意力汇聚点），"
        "不是错误",
    ),
    "resting_place_cross": Message(
        "source token {token} receives {received} on average: common in trained models (a "
        "resting place), not an error",
        "源 token {token} 平均得到 {received} 的权重：这在训练好的模型中很常见（注意力汇聚点），"
        "不是错误",
    ),
}

_PICTURES = {
    "grows": Message("grows with √a", "随 √a 加深"),
    "blank_below": Message("a: blank < {bound}", "a：空白 < {bound}"),
    "blank_is_0": Message("blank = 0", "空白 = 0"),
    "in_proportion": Message("in proportion to the value", "与数值成正比"),
    "two_rows": Message(
        "two rows per line, the label is the upper row's", "屏幕上一行画两行，标签属于上面一行"
    ),
    "columns_shown": Message(
        "columns 0 to {last} of {columns}, {left_out} left out (--full shows all)",
        "显示 {columns} 列中的第 0 到 {last} 列，省略 {left_out} 列（--full 显示全部）",
    ),
}

_OVERVIEW = {
    "map_title": Message(
        "title: the strongest link between two different ordinary tokens",
        "标题：两个不同的普通 token 之间最强的联系",
    ),
    "map_title_cross": Message(
        "title: the strongest link between two ordinary tokens",
        "标题：两个普通 token 之间最强的联系",
    ),
    "map": Message(
        "row = the token that looks, column = the token looked at",
        "行 = 发出关注的 token，列 = 被关注的 token",
    ),
    "map_cross": Message(
        "row = the target token that looks, column = the source token looked at",
        "行 = 发出关注的目标 token，列 = 被关注的源 token",
    ),
    "too_many_for_maps": Message(
        "{count} tokens are too many for maps; the strongest links of two ordinary tokens",
        "{count} 个 token 太多，无法画图；这里列出普通 token 之间最强的联系",
    ),
}

MATRICES = {**_CAPTIONS, **_TABLES, **_PICTURES, **_OVERVIEW}
