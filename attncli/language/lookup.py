"""The catalogue's sentences for a token, head or layer that is not there, or not only once."""

from attncli.language.message import Message

LOOKUP = {
    "absent.layer": Message(
        "layer {wanted} does not exist: the model has {count} layers (0 to {last})",
        "没有第 {wanted} 层：模型有 {count} 层（0 到 {last}）",
    ),
    "absent.head": Message(
        "head {wanted} does not exist: the model has {count} heads (0 to {last})",
        "没有注意力头 {wanted}：模型有 {count} 个头（0 到 {last}）",
    ),
    "selector.layer": Message(
        '"{given}" names no layer: give one as 5, L5 or -1 (the last), several as 0,1, 0-3 or all',
        "“{given}”不是层：请输入例如 5、L5 或 -1（最后一层）；多层写作 0,1、0-3 或 all",
    ),
    "selector.head": Message(
        '"{given}" names no head: give one as 3, H3 or L5H3, several as 0,1, 0-3 or all',
        "“{given}”不是注意力头：请输入例如 3、H3 或 L5H3；多个头写作 0,1、0-3 或 all",
    ),
    "selector.backwards": Message(
        "{given} runs backwards: give {first}-{last}", "{given} 顺序颠倒：请输入 {first}-{last}"
    ),
    "selector.one_layer": Message(
        "layers {listing} are several: give one layer, such as {first}",
        "指定了多层（{listing}）：请只给一层，例如 {first}",
    ),
    "selector.one_head": Message(
        "heads {listing} are several: give one head, such as {first}",
        "指定了多个注意力头（{listing}）：请只给一个，例如 {first}",
    ),
    "selector.two_layers": Message(
        "layer {first} and layer {second} contradict each other: name the layer once",
        "第 {first} 层与第 {second} 层相互矛盾：层只需指定一次",
    ),
    "selector.two_heads": Message(
        "head {first} and head {second} contradict each other: name the heads once",
        "注意力头 {first} 与 {second} 相互矛盾：注意力头只需指定一次",
    ),
    "absent.token": Message(
        "token {wanted} does not exist: the text has {count} tokens (0 to {last}): {listing}",
        "没有 token {wanted}：文本有 {count} 个 token（0 到 {last}）：{listing}",
    ),
    "absent.text": Message(
        'there is no token "{name}": give one of {listing}',
        "没有名为“{name}”的 token：请从中选择：{listing}",
    ),
    "ambiguous": Message(
        '"{name}" stands at {places}: give the number, or {choices}',
        "“{name}”出现在 {places}：请输入编号，或输入 {choices}",
    ),
    "all_of": Message("{others} and {last}", "{others} 和 {last}"),
    "one_of": Message("{others} or {last}", "{others} 或 {last}"),
    "in_all": Message("{listing}, … ({count} in all)", "{listing}, …（共 {count} 个）"),
}
