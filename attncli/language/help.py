"""The help of the commands in Chinese, by its English text: a docstring paragraph by paragraph."""

_COMMANDS = {
    "What attention computes, with its real numbers.": "用真实的数值展示注意力的计算过程。",
    "Show every matrix of a sentence's attention.": "显示一个句子的注意力计算中的每个矩阵。",
    "With --token, derive that token's row instead, step by step.": (
        "给出 --token 时，改为逐步推导该 token 的那一行。"
    ),
    'attncli explain "The animal didn\'t cross the street because it was too tired"': (
        'attncli explain "动物没有过街，因为它太累了"'
    ),
    'attncli explain "The animal didn\'t cross the street because it was too tired" --token it': (
        'attncli explain "动物没有过街，因为它太累了" --token 它'
    ),
    "Walk through one token's computation, step by step.": "一步一步走完一个 token 的计算。",
    "The keys: n for the next step, b for the one before, ? for all keys, q to quit. Without a "
    "terminal all steps are printed, and the answers to a quiz are read from standard input.": (
        "按键：n 下一步，b 上一步，? 显示全部按键，q 退出。不在终端中运行时会打印所有步骤，"
        "测验的回答从标准输入读取。"
    ),
    'attncli step "The animal didn\'t cross the street because it was too tired" --token it': (
        'attncli step "动物没有过街，因为它太累了" --token 它'
    ),
    "Write a sentence's attention as JSON.": "把一个句子的注意力写成 JSON。",
    "By default, all heads and all matrices of one layer.": (
        "默认写出一层的全部注意力头和全部矩阵。"
    ),
    'attncli export "The animal didn\'t cross the street" -o attention.json': (
        'attncli export "动物没有过街" -o attention.json'
    ),
    "Find out what is wrong with your own attention.": "找出自己写的注意力错在哪里。",
    "Each array in your files is compared with what the arrays before it should give; the first "
    "that differs is explained. docs/check.md says how to save arrays. The exit status is 0 if "
    "nothing differs, 1 if something does or nothing could be checked.": (
        "文件中的每个数组都会与由前面的数组应得的结果比较，并解释第一个不一致的数组。"
        "如何保存数组见 docs/check.md。全部一致时退出状态为 0；有不一致，或没有可核对的内容时为 1。"
    ),
    "Show the tokens of a sentence: ids, pieces, places.": (
        "显示句子的 token：id、子词、所在位置。"
    ),
    'attncli tokens "The Café is closed" -w path/to/checkpoint': (
        'attncli tokens "动物没有过街" -w path/to/checkpoint'
    ),
    'attncli check mine.npz -w path/to/checkpoint --sentence "The cat sat" -l 3': (
        'attncli check mine.npz -w path/to/checkpoint --sentence "猫坐下了" -l 3'
    ),
    "Of a checkpoint, the files of its tokenizer are enough.": ("检查点只需要有分词器的文件。"),
    "Show what a checkpoint holds: its shape, tensors, tokenizer.": (
        "显示检查点的内容：结构、张量、分词器。"
    ),
    "Values are not read. A checkpoint that attncli cannot compute with is listed too, with the "
    "reason.": "不读取数值。attncli 无法用于计算的检查点也会列出，并说明原因。",
    "List the model families that attncli understands.": "列出 attncli 支持的模型系列。",
    "A checkpoint belongs to the family that its config.json names as model_type.": (
        "检查点属于其 config.json 中 model_type 所指的系列。"
    ),
    "Check this installation of attncli itself.": "检查 attncli 自身的安装。",
    "What can be computed in two ways is computed in both: by hand, by loops over plain numbers, "
    "by the reference implementation. The exit status is 0 if all agree, else 1.": (
        "凡能用两种方法计算的都计算两遍：手算、对普通数字的循环、参考实现。"
        "全部一致时退出状态为 0，否则为 1。"
    ),
}

_OF_THE_PROGRAM = {
    "Print the version.": "显示版本号。",
    "Show a traceback if attncli itself fails.": "attncli 自身出错时显示调用栈。",
    "Install completion for the current shell.": "为当前 shell 安装命令补全。",
    "Show completion for the current shell, to copy it or customize the installation.": (
        "显示当前 shell 的补全脚本，以便复制或自行安装。"
    ),
    "Show this message and exit.": "显示本帮助并退出。",
}

_TEXT = {
    "The sentence, in quotes; - reads it from standard input.": (
        "句子，用引号括起；- 表示从标准输入读取。"
    ),
    "Token ids instead of a sentence; no tokenizer is needed.": (
        "用 token 的 id 代替句子，不需要分词器。"
    ),
    "The second text of a pair.": "句对中的第二段文本。",
    "In an encoder-decoder: the encoder's (the default), the decoder's self-attention, or cross, "
    "the decoder's attention to the encoder.": (
        "编码器-解码器模型：encoder 是编码器的自注意力（默认），decoder 是解码器的自注意力，"
        "cross 是解码器对编码器的交叉注意力。"
    ),
    "The text that the decoder reads; its start token is added.": (
        "解码器读取的文本；起始 token 会自动加上。"
    ),
    "Token ids instead of --target, including the start token.": (
        "用 token 的 id 代替 --target，包括起始 token。"
    ),
    "Hide from each token the tokens to its right.": "对每个 token 屏蔽它右边的 token。",
    "1 for each token of the text, 0 where it is padding.": (
        "文本的每个 token 对应一个 1，填充处为 0。"
    ),
    "The sentence for the model; - reads it from standard input.": (
        "输入模型的句子；- 表示从标准输入读取。"
    ),
}

_PLACE = {
    "The layer, from 0: 5 or L5; -1 is the last (default).": (
        "层，从 0 开始：5 或 L5；-1 是最后一层（默认）。"
    ),
    "Heads, from 0: 3, H3, L5H3 with the layer, 0,1, 0-3 or all; may be repeated.": (
        "注意力头，从 0 开始：3、H3、连层一起的 L5H3、0,1、0-3 或 all；可重复给出。"
    ),
    "The head, from 0 (the default): 3, H3, or L5H3 with its layer; -1 is the last.": (
        "注意力头，从 0 开始（默认为 0）：3、H3，或连层一起的 L5H3；-1 是最后一个。"
    ),
    "The head that your arrays are from: 3, H3, or L5H3 with its layer; -1 is the last (default: "
    "all heads).": (
        "数组所属的注意力头：3、H3，或连层一起的 L5H3；-1 是最后一个（默认：全部头）。"
    ),
    "Derive this token's row step by step: its number, its text, or it#2.": (
        "逐步推导该 token 的那一行：给出编号、文本，或 it#2（第二个 it）。"
    ),
    "Precision of the computation; digits that change with float64 were rounding.": (
        "计算精度；改用 float64 后变化的数位就是舍入误差。"
    ),
}

_WEIGHTS = {
    "sample, random, the folder of a checkpoint, a .safetensors or .npz file of matrices, or the "
    "name of a model on the Hub.": (
        "sample、random、检查点的文件夹、存放矩阵的 .safetensors 或 .npz 文件，或 Hub 上的模型名。"
    ),
    "The same as --weights of the other commands.": "与其他命令的 --weights 相同。",
    "Compare with this model; see --weights of explain.": (
        "与该模型比较；取值见 explain 的 --weights。"
    ),
    "Branch, tag or commit of a model on the Hub.": "Hub 上模型的分支、标签或提交。",
    "Download nothing (as HF_HUB_OFFLINE=1 does).": "不下载任何内容（同 HF_HUB_OFFLINE=1）。",
    "Seed of random weights, and of the vectors that replace a missing E (default: 0).": (
        "随机权重的种子，也用于代替缺失的 E 的向量（默认：0）。"
    ),
    "Width of random weights, 1 to 8192 (default: 512).": (
        "随机权重的 d_model，1 到 8192（默认：512）。"
    ),
    "Number of heads of random weights (default: 8) or of a file of matrices (1).": (
        "注意力头数：随机权重默认为 8，矩阵文件默认为 1。"
    ),
    "Number of layers of random weights, 1 to 128 (default: 1).": (
        "随机权重的层数，1 到 128（默认：1）。"
    ),
    "For a file of torch's encoder layers that were made with norm_first=True.": (
        "用于以 norm_first=True 创建的 torch 编码器层的文件。"
    ),
    "For a file of torch's encoder layers: their activation (default: relu).": (
        "用于 torch 编码器层的文件：激活函数（默认：relu）。"
    ),
    "List the tensors that are not used.": "列出未使用的张量。",
}

_SCREEN = {
    "Matrices to show: X, W_Q, b_Q, W_K, b_K, W_V, b_V, Q, K, V, mask, position_bias, S, A, Z, "
    "Z_cat, W_O, b_O, Y, or all.": (
        "要显示的矩阵：X、W_Q、b_Q、W_K、b_K、W_V、b_V、Q、K、V、mask、position_bias、S、A、Z、"
        "Z_cat、W_O、b_O、Y，或 all（全部）。"
    ),
    "Draw matrices as numbers (table) or as colored cells.": (
        "把矩阵画成数字表格（table）或彩色方格（heatmap）。"
    ),
    "Show every column, in blocks.": "分块显示所有列。",
    "Decimal places, 1 to 9 (default: S and A 2, other matrices 3, derivations 4).": (
        "小数位数，1 到 9（默认：S 和 A 为 2，其他矩阵为 3，推导为 4）。"
    ),
    "Write the derivation of --token as Markdown or LaTeX; with --full, all its numbers.": (
        "把 --token 的推导写成 Markdown 或 LaTeX；加上 --full 则写出全部数值。"
    ),
    "Output language (default: from the locale; JSON: en).": (
        "输出语言（默认：由系统区域设置决定；JSON 为 en）。"
    ),
    "Characters per line, 40 or more (default: the terminal's width).": (
        "每行的字符数，至少 40（默认：终端宽度）。"
    ),
    "When to use color.": "何时使用颜色。",
    "Write JSON instead (see docs/json.md).": "改为输出 JSON（见 docs/json.md）。",
    "The file to write; - is standard output.": "要写入的文件；- 表示标准输出。",
    "Ask a question before a step is shown.": "显示每一步之前先提问。",
    "Seed for the choice of questions (default: 0).": "选择问题所用的种子（默认：0）。",
}

_CHECK = {
    "Your arrays: .npz, .safetensors, .json, .npy or a folder of .npy; several are read as one.": (
        "自己的数组：.npz、.safetensors、.json、.npy，或存放 .npy 的文件夹；多个文件合在一起读取。"
    ),
    "The name of an array in your files: the article's name, =, yours; may be repeated.": (
        "文件中数组的名称，写作“文章中的名称=自己的名称”；可重复给出。"
    ),
    "Check each file, or each file of a folder, on its own.": (
        "逐个核对每个文件，或文件夹中的每个文件。"
    ),
    "Number of heads.": "注意力头数。",
    "Scale of q · k, if not 1/sqrt(d_k).": "q · k 的缩放因子，若不是 1/sqrt(d_k)。",
    "Whether the tokens to the right are hidden (default: as in your mask).": (
        "是否屏蔽右边的 token（默认：按自己的掩码）。"
    ),
    "Differences up to this count as rounding (default: by dtype).": (
        "不超过此值的差视为舍入误差（默认：由 dtype 决定）。"
    ),
}

HEADINGS = {"Options": "选项", "Arguments": "参数", "Commands": "命令"}

HELP = {**_COMMANDS, **_OF_THE_PROGRAM, **_TEXT, **_PLACE, **_WEIGHTS, **_SCREEN, **_CHECK}
