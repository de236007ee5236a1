"""Arrays that are to be checked."""

CHECK = {
    "attncli itself failed here, please report it: {what}": "attncli 自身在此出错，请报告：{what}",
    "{name!r} is no name of an array: names are texts, such as 'S'": (
        "{name!r} 不是数组名：名称应为文本，例如 'S'"
    ),
    "{name} is a masked array: fill it first, as S by S.filled(-np.inf)": (
        "{name} 是掩码数组：请先填充，例如 S.filled(-np.inf)"
    ),
    "{name} is no array: {reason}": "{name} 不是数组：{reason}",
    "`head`: {left} are of all heads; leave `head` out": (
        "`head`：{left} 属于所有注意力头；请省略 `head`"
    ),
    "{source} is of {found} tokens, the sentence has {n} ({pieces}): compare arrays of the same "
    "tokens, special ones included": (
        "{source} 对应 {found} 个 token，句子有 {n} 个（{pieces}）："
        "请比较相同 token 的数组，包括特殊 token"
    ),
    "{name} is no array: lists of numbers, all of one length, are needed": (
        "{name} 不是数组：需要长度一致的数字列表"
    ),
    "{name} holds {kind}: real numbers are needed, such as float32": (
        "{name} 的内容是{kind}：需要实数，例如 float32"
    ),
    "Python objects": "若干 Python 对象",
    "complex numbers": "复数",
    "text": "文本",
    "bytes": "字节串",
    "records or raw bytes (numpy saves bfloat16 and float8 as such)": (
        "记录或原始字节（numpy 这样保存 bfloat16 和 float8）"
    ),
    "{name} is empty: its shape is {shape}": "{name} 是空的：其形状为 {shape}",
    "{name} has the shape {shape}: Q, K and V side by side need an axis {axis} that 3 divides": (
        "{name} 的形状为 {shape}：并排存放 Q、K 和 V 时，第 {axis} 轴的长度必须能被 3 整除"
    ),
    "{name} is there twice, as {first} and {second}: say which with `mapping` {name}={own}": (
        "{name} 出现了两次，即 {first} 和 {second}：请用 `mapping` {name}={own} 指定"
    ),
    "{name} is there twice, as {first} and {second}: keep one of them": (
        "{name} 出现了两次，即 {first} 和 {second}：请只保留一个"
    ),
    "none of the names {there} is understood: the article's are {article}; `mapping` S=NAME says "
    "what yours are": (
        "无法识别名称 {there}：文章中的名称有 {article}；请用 `mapping` S=NAME 说明您的名称"
    ),
    "`mapping` {name}={own}: {name} is none of {article}": (
        "`mapping` {name}={own}：{name} 不在 {article} 之中"
    ),
    "`mapping` {name}={own}: there is no {own}, but {there}": (
        "`mapping` {name}={own}：没有 {own}，只有 {there}"
    ),
    "`each`: name the files, or a folder of them": "`each`：请给出文件或其所在的文件夹",
    "{path} has nothing to check: files {suffixes} or folders of .npy are needed": (
        "{path} 中没有可核对的内容：需要 {suffixes} 文件或 .npy 文件夹"
    ),
    "the shapes of the arrays do not fit together": "各数组的形状互不匹配",
    "{stored} has the shape {shape}, which fits no reading of {name} with {others} and `n_heads` "
    "{heads}: tried {tried}": (
        "{stored} 的形状为 {shape}，在有 {others} 且 `n_heads` 为 {heads} 时"
        "不符合 {name} 的任何一种读法：已尝试 {tried}"
    ),
    "{stored} has the shape {shape}, which fits no reading of {name} with `n_heads` {heads}: "
    "tried {tried}": (
        "{stored} 的形状为 {shape}，在 `n_heads` 为 {heads} 时不符合 {name} 的任何一种读法："
        "已尝试 {tried}"
    ),
    "{stored} has the shape {shape}, which fits no reading of {name} with {others}: tried "
    "{tried}": (
        "{stored} 的形状为 {shape}，在有 {others} 时不符合 {name} 的任何一种读法：已尝试 {tried}"
    ),
    "{stored} has the shape {shape}, which fits no reading of {name}: tried {tried}": (
        "{stored} 的形状为 {shape}，不符合 {name} 的任何一种读法：已尝试 {tried}"
    ),
    "{path} is damaged ({reason}): save an array of numbers with numpy.save": (
        "{path} 已损坏（{reason}）：请用 numpy.save 保存数值数组"
    ),
    "an archive of arrays: name it .npz": "数组的压缩包：请以 .npz 命名",
    "{name} in {file} is {storage}: save it as float32 or float16": (
        "{file} 中的 {name} 为 {storage}：请存为 float32 或 float16"
    ),
    '{file} holds no arrays by name: an object is needed, {{"S": [[...]], "A": [[...]]}}': (
        '{file} 中没有带名称的数组：需要 JSON 对象 {{"S": [[...]], "A": [[...]]}}'
    ),
    "{file} is an export of attncli that was cut or edited: {what}; export it again": (
        "{file} 是被截断或改动过的 attncli 导出文件：{what}；请重新导出"
    ),
    "{name} is {value}, not a number above 0": "{name} 为 {value}，不是大于 0 的数",
    "{name} is {value}, not true or false": "{name} 为 {value}，不是 true 或 false",
    "heads is no list of objects": "heads 不是对象列表",
    "some heads have {name}, others have not": "有的注意力头有 {name}，有的没有",
    "model has no n_heads": "model 中没有 n_heads",
    "{file} is {kind}: give .npz, .safetensors, .json, or a folder of .npy": (
        "{file} 是{kind}：请给出 .npz、.safetensors、.json 或 .npy 文件夹"
    ),
    "no file of arrays": "其他类型的文件",
    "{path} has no .npy files: a folder of arrays saved by numpy.save is needed": (
        "{path} 中没有 .npy 文件：需要由 numpy.save 保存的数组文件夹"
    ),
    "{name} is in two of the files: give each array once": (
        "{name} 出现在两个文件中：每个数组只需给出一次"
    ),
    "the files hold no arrays: save X, W_Q, ..., S, A, Z, Y by their names": (
        "文件中没有数组：请按名称保存 X、W_Q、…、S、A、Z、Y"
    ),
}
