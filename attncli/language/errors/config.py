"""What config.json says."""

CONFIG = {
    "config.json has neither model_type nor architectures; add the first to it, such as "
    '"model_type": "bert"': (
        'config.json 既没有 model_type 也没有 architectures；请加上前者，例如 "model_type": "bert"'
    ),
    "config.json has no model_type, and architectures = {value} names several families; add one "
    'to it, such as "model_type": "bert"': (
        "config.json 没有 model_type，而 architectures = {value} 对应多个模型系列；"
        '请加上 model_type，例如 "model_type": "bert"'
    ),
    "config.json has no model_type, and architectures = {value} names no family that attncli "
    'knows; add one to it, such as "model_type": "bert"': (
        "config.json 没有 model_type，而 architectures = {value} 不是 attncli 支持的模型系列；"
        '请加上 model_type，例如 "model_type": "bert"'
    ),
    "config.json says model_type {value}, which attncli does not know; docs/families.md lists "
    "what it knows": (
        "attncli 不支持 config.json 中的 model_type {value}；支持的列在 docs/families.md 中"
    ),
    "config.json says model_type {value}, which attncli does not know; nearest: {nearest}; "
    "docs/families.md lists what it knows": (
        "attncli 不支持 config.json 中的 model_type {value}；相近的有：{nearest}；"
        "支持的列在 docs/families.md 中"
    ),
    "config.json has {key} ({method}): quantised checkpoints are not supported; use the original "
    "in F32, F16 or BF16": (
        "config.json 含有 {key}（{method}）：不支持量化的检查点；请使用 F32、"
        "F16 或 BF16 的原始检查点"
    ),
    "method {value}": "方法 {value}",
    "a file of {kind}; {mark} = {value}, no quant_method": (
        "{kind} 的文件；{mark} = {value}，没有 quant_method"
    ),
    "of an unknown kind, with {keys}": "未知类型，含有 {keys}",
    "config.json: {size} {d_model} is not a multiple of {heads} {h}": (
        "config.json：{size} {d_model} 不是 {heads} {h} 的整数倍"
    ),
    "config.json says num_hidden_layers = {n_layers} and inner_group_num = {inner}: at most "
    "{most} layers in all are possible": (
        "config.json 中 num_hidden_layers = {n_layers}，inner_group_num = {inner}："
        "总共最多 {most} 层"
    ),
    "config.json: {h} query heads cannot share {n_kv} key/value heads ({key}) evenly": (
        "config.json：{h} 个查询头无法平均共用 {n_kv} 个键/值头（{key}）"
    ),
    "config.json has no {key}, which this family needs": (
        "config.json 没有 {key}，而该模型系列需要它"
    ),
    "config.json says {key} = {value}: a whole number from {least} to {limit} is needed": (
        "config.json 中 {key} = {value}：需要 {least} 到 {limit} 之间的整数"
    ),
    "config.json says {key} = {value}: the id of a token is needed": (
        "config.json 中 {key} = {value}：需要 token 的 id"
    ),
    "config.json says {key} = {value}: a number from 0 up is needed": (
        "config.json 中 {key} = {value}：需要不小于 0 的数"
    ),
    "config.json says {key} = {value}: a number above 0 is needed": (
        "config.json 中 {key} = {value}：需要大于 0 的数"
    ),
    "config.json says {key} = {value}: a number above 1 is needed": (
        "config.json 中 {key} = {value}：需要大于 1 的数"
    ),
    "config.json says {key} = {value}, which attncli does not compute; it knows {known}": (
        "config.json 中 {key} = {value}，attncli 不支持；支持的有 {known}"
    ),
    "config.json says {key} = {value}: true or false is needed": (
        "config.json 中 {key} = {value}：需要 true 或 false"
    ),
    "config.json says {key} = {value}, which changes the arithmetic and is not supported; attncli "
    "computes {name} = {neutral}": (
        "config.json 中 {key} = {value} 会改变运算，不受支持；attncli 按 {name} = {neutral} 计算"
    ),
    "config.json says {key} = {value}, which changes the arithmetic and is not supported": (
        "config.json 中 {key} = {value} 会改变运算，不受支持"
    ),
    "config.json says {key} = {value}: an object is needed": (
        "config.json 中 {key} = {value}：需要 JSON 对象"
    ),
    "config.json says {key} = {value}: a list of {n_layers} entries, one per layer, is needed": (
        "config.json 中 {key} = {value}：需要含 {n_layers} 项的列表，每层一项"
    ),
    "config.json has a key that only the checkpoint's own code reads: {key}; it may change the "
    "arithmetic; if it does not, remove it from a copy of the file": (
        "config.json 的键 {key} 只有检查点自带的代码才会读取，可能改变运算；"
        "若不会，请从该文件的副本中删去它"
    ),
    "config.json says {key} = {value} and {other} = {other_value}, two names of one thing; keep "
    "the right one": (
        "config.json 中 {key} = {value}，{other} = {other_value}，二者含义相同却不一致；"
        "请保留正确的一个"
    ),
    "config.json: position_buckets {buckets} does not fit {longest} relative positions": (
        "config.json：position_buckets {buckets} 与 {longest} 个相对位置不匹配"
    ),
    "config.json says attention_types = {value}: global or local for each of the {n_layers} "
    "layers is needed": (
        "config.json 中 attention_types = {value}：{n_layers} 层中的每层需要 global 或 local"
    ),
    "config.json: layer_types has {value}, which attncli does not compute; it knows {known}": (
        "config.json：layer_types 含有 {value}，attncli 不支持；支持的有 {known}"
    ),
    "config.json: the rotary parameters have {key} = {value}, which attncli does not compute": (
        "config.json：旋转位置编码的参数 {key} = {value}，attncli 不支持"
    ),
    "config.json: {dim} rotated numbers per head; an even number from 2 to d_k = {d_k} is needed": (
        "config.json：每个注意力头旋转 {dim} 个分量；需要 2 到 d_k = {d_k} 之间的偶数"
    ),
    "config.json: rope_type {kind} needs {key}, which is not there": (
        "config.json：rope_type {kind} 需要 {key}，但没有给出"
    ),
    "config.json: high_freq_factor {high:g} must be above low_freq_factor {low:g}": (
        "config.json：high_freq_factor {high:g} 必须大于 low_freq_factor {low:g}"
    ),
    "config.json: rope_type dynamic needs more than one pair per head": (
        "config.json：rope_type dynamic 需要每个注意力头不止一对分量"
    ),
    "config.json says {key} = {value}: a list of {count} factors is needed, one per pair of the "
    "{dim} rotated numbers": (
        "config.json 中 {key} = {value}：需要含 {count} 个系数的列表，{dim} 个旋转分量每对一个"
    ),
    "config.json says rope_parameters = {value}: one set for all layers is needed": (
        "config.json 中 rope_parameters = {value}：需要所有层共用的一组参数"
    ),
    "config.json: {buckets} buckets do not fit a distance of {longest}": (
        "config.json：{buckets} 个桶与距离 {longest} 不匹配"
    ),
    "config.json says {key} = {value}, which is a model without {role}, but the weights hold "
    "{name}: correct {key} in config.json": (
        "config.json 中 {key} = {value} 表示模型没有 {role}，但模型参数含有 {name}："
        "请更正 config.json 中的 {key}"
    ),
}
