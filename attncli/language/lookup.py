"""The catalogue's sentences for a token, head or layer that is not there, or not only once.

On standard error they are English, like every error; the walk says them in the reader's language.
"""

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
