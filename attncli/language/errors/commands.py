"""The command line and its options."""

COMMANDS = {
    "a fault in attncli {version}: {what}; report what it prints": (
        "attncli {version} 自身出错：{what}；请报告以上输出"
    ),
    "a fault in attncli {version}: {what}; run the command again with --debug, and report what it "
    "prints": "attncli {version} 自身出错：{what}；请加上 --debug 重新运行，并报告其输出",
    "not enough memory: {reason}": "内存不足：{reason}",
    "the system says: {reason}": "系统报告：{reason}",
    "standard output is closed: there is nowhere to write the answer": (
        "标准输出已关闭：无处写出结果"
    ),
    "--lang {lang}: standard output's encoding, {encoding}, lacks simplified Chinese characters; "
    "set PYTHONIOENCODING=utf-8, or take --lang en": (
        "--lang {lang}：标准输出的编码 {encoding} 不含简体中文字符；"
        "请设置 PYTHONIOENCODING=utf-8，或使用 --lang en"
    ),
    "cannot write to standard output: {reason}": "无法写入标准输出：{reason}",
    "--ids replaces the sentence and --pair: give one or the other": (
        "--ids 用于代替句子和 --pair：二者只能给出其一"
    ),
    "--target-ids replaces --target: give one or the other": (
        "--target-ids 用于代替 --target：二者只能给出其一"
    ),
    "no files: name those that your arrays are in": "没有指定文件：请给出存放数组的文件",
    "-w needs what your arrays were computed for: give --sentence or --ids": (
        "-w 需要知道数组是为什么文本计算的：请给出 --sentence 或 --ids"
    ),
    "`{name}` has no effect on {what}": "`{name}` 对以下情形不起作用：{what}",
    "`{name}` {value} has no effect on {what}": "`{name}` {value} 对以下情形不起作用：{what}",
    "a check without a model, which -w names": "没有用 -w 指定模型的核对",
    "-w: the model says it": "-w（模型自身已说明）",
    "--as, --full, --digits and --format have no effect on --json": (
        "--as、--full、--digits 和 --format 对 --json 不起作用"
    ),
    "--format {format} writes the derivation of one token, nothing else: give --token, and "
    "neither --show nor --as nor --width": (
        "--format {format} 只写出一个 token 的推导：请给出 --token，不要用 --show、--as 或 --width"
    ),
    "--as and --full are for matrices: with --token, name some with --show": (
        "--as 和 --full 用于矩阵：与 --token 同用时，请用 --show 指定矩阵"
    ),
    "--quiz-seed has no effect without --quiz": "没有 --quiz 时 --quiz-seed 不起作用",
    "step needs --token where there is no terminal: give its number or text": (
        "不在终端中运行时，step 需要 --token：请给出其编号或文本"
    ),
    "`{name}`: '{word}' is not a token id; give whole numbers from 0, separated by commas": (
        "`{name}`：“{word}”不是 token 的 id；请给出不小于 0 的整数，以逗号分隔"
    ),
    "`attention_mask`: '{word}' is neither 0 nor 1": "`attention_mask`：“{word}”既不是 0 也不是 1",
    "`mapping` {pair}: give the article's name, =, yours, such as S=scores": (
        "`mapping` {pair}：请写作“文章中的名称=您的名称”，例如 S=scores"
    ),
    "`mapping` {pair}: {name} is {own} already": "`mapping` {pair}：{name} 已指定为 {own}",
    "'{text}' is not a whole number {lowest} or more.": "“{text}”不是不小于 {lowest} 的整数。",
    "'{text}' is not a whole number from {lowest} to {highest}.": (
        "“{text}”不是 {lowest} 到 {highest} 之间的整数。"
    ),
    "'{text}' is not a number {wanted}.": "“{text}”不符合要求：需要{wanted}。",
    "of 0 or more, such as 1e-4": "不小于 0 的数，例如 1e-4",
    "above 0, such as 0.125": "大于 0 的数，例如 0.125",
    'put quotes around the sentence: {command} "{sentence}"': (
        '请用引号括起句子：{command} "{sentence}"'
    ),
    "unexpected argument: {words}": "多余的参数：{words}",
    "there is no option {name}": "没有选项 {name}",
    "there is no option {name}: {hint}": "没有选项 {name}：{hint}",
    "there is no option {name}: did you mean {other}?": "没有选项 {name}：是否指 {other}？",
    "there is no option {name}: put -- before a sentence that begins with a dash: -- "
    '"{word}"': '没有选项 {name}：句子以连字符开头时请在前面加上 --，即 -- "{word}"',
    "{first}, {second}": "{first}，{second}",
    "{names} is given more than once: it takes one value": "{names} 给出了多次：它只接受一个值",
    "--head 3 chooses a head": "--head 3 选择一个注意力头",
    "--n-heads 8 says how many there are": "--n-heads 8 说明共有几个",
    "--layer 3 chooses a layer": "--layer 3 选择一层",
    "--n-layers 2 says how many there are": "--n-layers 2 说明共有几层",
    "--attention encoder, decoder or cross says which": (
        "请用 --attention encoder、decoder 或 cross 指定"
    ),
    "attncli selftest checks this installation": "attncli selftest 用于检查本次安装",
}
