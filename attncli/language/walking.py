"""The catalogue's sentences for the walk through the steps and its keys (`attncli step`)."""

from attncli.language.message import Message

WALKING = {
    "walk.where": Message("step {step} of {count}", "第 {step} 步，共 {count} 步"),
    "walk.score": Message("quiz {right}/{asked}", "答题 {right}/{asked}"),
    "walk.too_small": Message(
        "this window is {width} × {height}; {needed_width} × {needed_height} are needed",
        "窗口为 {width} × {height}，至少需要 {needed_width} × {needed_height}",
    ),
    "walk.below": Message(
        "{count} more line{s} below: ↓ or PgDn", "下面还有 {count} 行：按 ↓ 或 PgDn"
    ),
    "walk.first_step": Message("this is the first step", "这是第一步"),
    "walk.last_step": Message("this is the last step; q quits", "这是最后一步；按 q 退出"),
    "walk.no_meaning": Message(
        "the key {key} means nothing here; ? shows the keys", "按键 {key} 在此无作用；按 ? 查看按键"
    ),
    "walk.no_step": Message(
        "there is no step {given}: give a number from 1 to {count}",
        "没有第 {given} 步：请输入 1 到 {count} 之间的数",
    ),
    "walk.no_component": Message(
        "{given} is no component: give one such as q[0] or z[3]",
        "{given} 不是分量：请输入例如 q[0] 或 z[3]",
    ),
    "walk.component_range": Message(
        "{vector}[{index}] does not exist: {vector} has {count} numbers (0 to {last})",
        "{vector}[{index}] 不存在：{vector} 有 {count} 个数（0 到 {last}）",
    ),
    "walk.component": Message("{vector}[{index}] written out", "逐项写出 {vector}[{index}]"),
    "walk.help": Message("Keys", "按键"),
    "walk.prompt.step": Message("step:", "第几步："),
    "walk.prompt.token": Message("token, by number or text:", "token（编号或文本）："),
    "walk.prompt.head": Message("head, such as 3 or L5H3:", "注意力头（例如 3 或 L5H3）："),
    "walk.prompt.layer": Message("layer, such as 5 or -1:", "层（例如 5 或 -1）："),
    "walk.prompt.component": Message(
        "component, such as q[0] or z[3]:", "分量，例如 q[0] 或 z[3]："
    ),
    "walk.prompt.answer": Message("answer:", "回答："),
    "walk.hint.keys": Message(
        "n next  b back  q quit  ? help", "n 下一步  b 上一步  q 退出  ? 帮助"
    ),
    "walk.hint.prompt": Message("Enter: go  Esc: cancel", "回车：确定  Esc：取消"),
    "walk.hint.answer": Message("Enter: answer, or skip", "回车：作答，留空则跳过"),
    "walk.hint.page": Message("any key: go on", "按任意键继续"),
    "walk.key.next": Message("the next step", "下一步"),
    "walk.key.on": Message("a page down, then the next step", "向下翻页，到底后进入下一步"),
    "walk.key.back": Message("the step before", "上一步"),
    "walk.key.first": Message("the first step", "第一步"),
    "walk.key.last": Message("the last step", "最后一步"),
    "walk.key.down": Message("a line down", "向下一行"),
    "walk.key.up": Message("a line up", "向上一行"),
    "walk.key.page_down": Message("a page down", "向下一页"),
    "walk.key.page_up": Message("a page up", "向上一页"),
    "walk.key.step": Message("go to a step by its number", "按编号跳到某一步"),
    "walk.key.token": Message("another token", "换一个 token"),
    "walk.key.head": Message("another head", "换一个注意力头"),
    "walk.key.layer": Message("another layer", "换一层"),
    "walk.key.component": Message(
        "write out one number of q or z as a sum", "把 q 或 z 的一个分量逐项写成和"
    ),
    "walk.key.help": Message("this list", "显示本列表"),
    "walk.key.quit": Message("quit", "退出"),
}
