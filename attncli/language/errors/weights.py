"""Weights, and the files that they are read from."""

WEIGHTS = {
    "`weights` is a {kind}: give sample, random, a path or the name of a model, or what "
    "load_weights returned": (
        "`weights` 是 {kind}：请给出 sample、random、路径、模型名，或 load_weights 的返回值"
    ),
    "`d_model` {d_model} is not a multiple of `n_heads` {n_heads}": (
        "`d_model` {d_model} 不是 `n_heads` {n_heads} 的整数倍"
    ),
    "attention alone ({file})": "仅含注意力的文件（{file}）",
    "{folder} has no config.json: a checkpoint's folder holds config.json, model.safetensors and "
    "tokenizer.json": (
        "{folder} 中没有 config.json：检查点文件夹应含有 config.json、"
        "model.safetensors 和 tokenizer.json"
    ),
    "{folder} is a LoRA adapter for {base}: merge it into its base first (merge_and_unload of the "
    "library peft), and give that folder": (
        "{folder} 是 {base} 的 LoRA 适配器：请先把它并入基础模型（peft 库的 merge_and_unload），"
        "再给出所得的文件夹"
    ),
    "a base that it does not name": "某个未注明的基础模型",
    "a pickle file, which can run code when it is loaded; attncli reads safetensors only: convert "
    'it once, where torch is installed, with python -c "import torch, safetensors.torch as s; '
    "s.save_file({{k: v.contiguous().clone() for k, v in torch.load('FILE', 'cpu', "
    "weights_only=True).items()}}, 'model.safetensors')\"": (
        "一个 pickle 文件，加载时可能执行代码；attncli 只读取 safetensors："
        '请在装有 torch 的环境中转换一次：python -c "import torch, safetensors.torch as s; '
        "s.save_file({{k: v.contiguous().clone() for k, v in torch.load('FILE', 'cpu', "
        "weights_only=True).items()}}, 'model.safetensors')\""
    ),
    "a single array without a name; attncli reads .npz: save it by name with numpy.savez": (
        "单个没有名称的数组；attncli 读取 .npz：请用 numpy.savez 按名称保存"
    ),
    "in {form} format; attncli reads safetensors: take the checkpoint as safetensors": (
        "一个 {form} 格式的文件；attncli 读取 safetensors：请使用 safetensors 格式的检查点"
    ),
    "JSON, a server's answer perhaps: download the file itself": (
        "一段 JSON，可能是服务器的应答：请下载文件本身"
    ),
    "empty (0 bytes): download it again": "空文件（0 字节）：请重新下载",
    "{file} has no {missing}: a file of matrices needs {required} (found: {there})": (
        "{file} 中没有 {missing}：矩阵文件需要 {required}（现有：{there}）"
    ),
    "nothing": "无",
    "{file} has {unknown}, which attncli does not know; the names are {known}": (
        "attncli 不认识 {file} 中的 {unknown}；可用的名称有 {known}"
    ),
    "{name} in {file} has the shape {shape}, which does not give {count} head{s}; it must be "
    "(d_model, d_k), (d_model, h d_k) with `n_heads` h, or (h, d_model, d_k)": (
        "{file} 中 {name} 的形状为 {shape}，无法分成 {count} 个注意力头；应为 (d_model, d_k)、"
        "(d_model, h d_k)（`n_heads` 为 h）或 (h, d_model, d_k)"
    ),
    "{file} is not usable (save it anew with numpy.savez): {reason}": (
        "{file} 无法使用（请用 numpy.savez 重新保存）：{reason}"
    ),
    "{name}: {reason}": "{name}：{reason}",
    "it holds no arrays": "其中没有数组",
    "it holds {count} arrays named {name}": "其中有 {count} 个名为 {name} 的数组",
    "its {packed} bytes unpack to {total}: weights do not shrink like that": (
        "{packed} 字节解压后为 {total} 字节：模型参数不可能压缩到这种程度"
    ),
    "it unpacks to {total} bytes, the limit is {most}: use .safetensors": (
        "解压后为 {total} 字节，上限为 {most}：请改用 .safetensors"
    ),
    "its format has the version {version}": "其格式版本为 {version}",
    "it holds Python objects, which are never unpickled": (
        "其中有 Python 对象，attncli 从不反序列化它们"
    ),
    "{found} bytes are not of the shape {shape} of {dtype}": (
        "{found} 字节与 {dtype} 类型、形状 {shape} 不符"
    ),
    "{where} not found: no tensor {name}; nearest: {nearest}": (
        "找不到参数：{where}（没有张量 {name}）；相近的有：{nearest}"
    ),
    "{where} not found: no tensor {name}": "找不到参数：{where}（没有张量 {name}）",
    "layer {layer}: {role}": "第 {layer} 层的 {role}",
    "the weights hold {name}: quantised checkpoints are not supported; use the original in F32, "
    "F16 or BF16": (
        "模型参数含有 {name}：不支持量化的检查点；请使用 F32、F16 或 BF16 的原始检查点"
    ),
    "{family} has no decoder: it is one stack of layers": "{family} 没有解码器：它只有一组层",
    "{name} has the shape {shape}; {role} of this model needs {expected}": (
        "{name} 的形状为 {shape}；该模型的 {role} 需要 {expected}"
    ),
    "no weights at {weights}: give sample, random, a folder with config.json, model.safetensors "
    "and tokenizer.json, a .safetensors or .npz file of matrices, or the name of a model on the "
    "Hub": (
        "{weights} 处没有模型参数：请给出 sample、random、含有 config.json、model.safetensors 和 "
        "tokenizer.json 的文件夹、.safetensors 或 .npz 矩阵文件，或 Hub 上的模型名"
    ),
    "no weights given: sample, random, a path, or the name of a model": (
        "没有指定模型参数：请给出 sample、random、路径或模型名"
    ),
    "{path} has no snapshot of {revision}; its snapshots are {found}: give one of these folders": (
        "{path} 中没有 {revision} 的快照；现有快照为 {found}：请给出其中一个文件夹"
    ),
    "{path} has no snapshot of {revision}, and no other": (
        "{path} 中没有 {revision} 的快照，也没有其他快照"
    ),
    "`revision` is for models of the Hub: {weights} is none": (
        "`revision` 只用于 Hub 上的模型：{weights} 不是"
    ),
    "the weights hold two models: {first} and {second}; keep one of them in the file": (
        "模型参数含有两个模型：{first} 和 {second}；请在文件中只保留一个"
    ),
    "the header describes {expected} bytes, the file has {found}: incomplete download?": (
        "文件头描述了 {expected} 字节，文件有 {found} 字节：是否没有下载完整？"
    ),
    "the header describes {expected} bytes, the file has {found}: something was appended?": (
        "文件头描述了 {expected} 字节，文件有 {found} 字节：末尾是否添加了内容？"
    ),
    "the header of {file}": "{file} 的文件头",
    "{path} is damaged (download or save it again): {reason}": (
        "{path} 已损坏（请重新下载或保存）：{reason}"
    ),
    "{folder} has no weights: {single}, or {index} with its parts, is needed": (
        "{folder} 中没有模型参数：需要 {single}，或 {index} 及其各部分"
    ),
    "{file} has no weight_map of tensors to files: download it again": (
        "{file} 中没有从张量到文件的 weight_map：请重新下载"
    ),
    "{folder} has an adapter and not the model that it was made for: merge it into its base first "
    "(merge_and_unload of the library peft), and give that folder": (
        "{folder} 中只有适配器，没有对应的模型："
        "请先把它并入基础模型（peft 库的 merge_and_unload），"
        "再给出所得的文件夹"
    ),
    "{folder} has parts of a model, but no {index}, which lists them: download it into the same "
    "folder": "{folder} 中有模型的各部分，但没有列出它们的 {index}：请把它下载到同一文件夹",
    "{folder} has no {single}: give the file, {file}": (
        "{folder} 中没有 {single}：请直接给出文件 {file}"
    ),
    "the index names a file outside the model directory: '{part}' (only plain names ending in "
    ".safetensors are accepted)": (
        "索引指向模型文件夹之外的文件“{part}”（只接受以 .safetensors 结尾的普通文件名）"
    ),
    "{name} is listed for {part}, but that file does not contain it: {index} and the parts are of "
    "different checkpoints; download both again": (
        "索引称 {name} 在 {part} 中，但该文件没有它：{index} 与各部分来自不同的检查点；请都重新下载"
    ),
    "part {part} is missing: {index} lists it for {name}; put it into {folder}": (
        "缺少 {part}：{index} 称 {name} 在其中；请把它放入 {folder}"
    ),
    "{name} has {count} non-finite value{s} (first at {first}): the checkpoint is damaged or its "
    "training diverged; use another one": (
        "{name} 有 {count} 个非有限值（第一个在 {first}）：检查点已损坏或训练发散；请换用其他检查点"
    ),
    "{name} is {storage}; quantised checkpoints are not supported: it has to be one of {known}": (
        "{name} 为 {storage}；不支持量化的检查点：必须是 {known} 之一"
    ),
    "{name} is {storage}, not floating-point numbers; quantised checkpoints are not supported: it "
    "has to be one of {known}": (
        "{name} 为 {storage}，不是浮点数；不支持量化的检查点：必须是 {known} 之一"
    ),
    "{name} has {length} rows, counted from 0: no row {row}": (
        "{name} 有 {length} 行，从 0 起编号：没有第 {row} 行"
    ),
    "these weights were closed at the end of their with block: open them again": (
        "这些模型参数已在 with 语句块结束时关闭：请重新打开"
    ),
    "{name} {shape} as float32 does not fit into memory": "{name} {shape} 转为 float32 后内存不足",
    "not a file of weights: a .safetensors or .npz is needed": (
        "其他类型的文件，不含模型参数：需要 .safetensors 或 .npz"
    ),
    "{name} in {file} has the shape {shape}: a matrix with at least one row and one column is "
    "needed": "{file} 中 {name} 的形状为 {shape}：需要至少一行一列的矩阵",
    "{file} does not say how many heads it has: give `n_heads`": (
        "{file} 没有说明注意力头的个数：请给出 `n_heads`"
    ),
    "`n_heads` {n_heads} does not divide d_model {d_model} of {file}": (
        "`n_heads` {n_heads} 不能整除 {file} 的 d_model {d_model}"
    ),
    "`activation` {activation} is not known; there are {known}": (
        "不支持 `activation` {activation}；可选的有 {known}"
    ),
    "{file} has {name}: attncli does not add a key to a sentence": (
        "{file} 含有 {name}：attncli 不为句子添加额外的键"
    ),
    "{file} holds several attention modules, such as {first} and {second}; keep one of them in "
    "the file": "{file} 含有多个注意力模块，例如 {first} 和 {second}；请在文件中只保留一个",
}
