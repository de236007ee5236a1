"""What click says of a command line, as patterns: it gives its sentences as text alone."""

CLICK = {
    r"(.+) is not one of (.+)\.": "{0} 不是可选值，可选值有 {1}",
    r"Option '(.+)' requires an argument\.": "选项 {0} 需要一个值",
    r"Option '(.+)' requires (\d+) arguments\.": "选项 {0} 需要 {1} 个值",
    r"Option '(.+)' does not take a value\.": "选项 {0} 不接受值",
    r"No such command '(.+?)'\.": "没有命令 {0}",
    r"No such command '(.+?)'\. Did you mean '(.+)'\?": "没有命令 {0}：是否指 {1}？",
    r"Missing argument '(.+?)'\.": "缺少参数 {0}",
    r"Missing option '(.+?)'\.": "缺少选项 {0}",
    r"Missing command\.": "缺少命令",
}
