"""Models of the Hub and their download."""

HUB = {
    "the cache of the Hub would be in {cache}, and this system knows no such home: set HF_HOME to "
    "a folder": "Hub 的缓存应在 {cache}，但系统不知道该主目录：请把 HF_HOME 设为一个文件夹",
    "`revision` {revision} cannot be: give a branch, a tag or a commit": (
        "`revision` {revision} 无效：请给出分支、标签或提交"
    ),
    "no weights at {name}: there is no such file or folder, and {cache} has no revision "
    "{revision} of model {name}; give a path, or leave out `offline` (and HF_HUB_OFFLINE) to "
    "download it": (
        "{name} 处没有模型参数：没有这样的文件或文件夹，{cache} 中也没有模型 "
        "{name} 的版本 {revision}；请给出路径，或去掉 `offline`（和 HF_HUB_OFFLINE）以便下载"
    ),
    "no weights at {name}: there is no such file or folder, and {cache} has no model {name}; give "
    "a path, or leave out `offline` (and HF_HUB_OFFLINE) to download it": (
        "{name} 处没有模型参数：没有这样的文件或文件夹，{cache} 中也没有模型 {name}；"
        "请给出路径，或去掉 `offline`（和 HF_HUB_OFFLINE）以便下载"
    ),
    "{name} has no tokenizer.json on the Hub: save the tokenizer once with a recent library, and "
    "give that folder": (
        "Hub 上的 {name} 没有 tokenizer.json：请用较新的库保存一次分词器，再给出所得的文件夹"
    ),
    "{name} has no config.json on the Hub: it is no model of transformers": (
        "Hub 上的 {name} 没有 config.json：它不是 transformers 的模型"
    ),
    "{name} has no {file} on the Hub, and attncli reads no other form: convert the checkpoint "
    "once (docs/weights.md), and give that folder": (
        "Hub 上的 {name} 没有 {file}，而 attncli 不读取其他格式："
        "请把检查点转换一次（见 docs/weights.md），再给出所得的文件夹"
    ),
    "{name} has no {part} on the Hub, which its {index} lists: the model there is not whole, take "
    "another revision": (
        "Hub 上的 {name} 没有 {part}，而其 {index} 列有该文件：该模型不完整，请换用其他版本"
    ),
    "{folder} cannot be written ({reason}): set HF_HOME to a folder that can": (
        "无法写入 {folder}（{reason}）：请把 HF_HOME 设为可写的文件夹"
    ),
    "the disk of {folder} is full: free space on it, or set HF_HOME to another disk": (
        "{folder} 所在的磁盘已满：请腾出空间，或把 HF_HOME 设到其他磁盘"
    ),
    "the disk of {folder} is full ({file} has {size}, {free} are free): free space on it, or set "
    "HF_HOME to another disk": (
        "{folder} 所在的磁盘已满（{file} 为 {size}，剩余 {free}）："
        "请腾出空间，或把 HF_HOME 设到其他磁盘"
    ),
    "the connection was closed": "连接已关闭",
    "the server sends files from the beginning only": "服务器只能从头发送文件",
    "nothing within {seconds:g} seconds": "{seconds:g} 秒内没有应答",
    "the download of {name} broke off after {done} of {size} ({reason}): check the network and "
    "try again": "{name} 的下载在 {done}（共 {size}）处中断（{reason}）：请检查网络后重试",
    "the download of {name} broke off after {done} ({reason}): check the network and try again": (
        "{name} 的下载在 {done} 处中断（{reason}）：请检查网络后重试"
    ),
    "{name} is not downloaded: the Hub sends more than the {size} that were expected of a file; "
    "check HF_ENDPOINT": (
        "没有下载 {name}：Hub 发送的数据超过该文件应有的 {size}；请检查 HF_ENDPOINT"
    ),
    "{name} cannot be downloaded: {endpoint} has not answered within {seconds:g} seconds: try "
    "again later, or check HF_ENDPOINT": (
        "无法下载 {name}：{endpoint} 在 {seconds:g} 秒内没有应答：请稍后重试，或检查 HF_ENDPOINT"
    ),
    "{name} cannot be downloaded: asked for commit {commit}, {endpoint} answers with {other}; "
    "check HF_ENDPOINT": (
        "无法下载 {name}：请求的提交是 {commit}，{endpoint} 返回的是 {other}；请检查 HF_ENDPOINT"
    ),
    "{name} is not downloaded: {endpoint} does not say how large {file} is; check HF_ENDPOINT": (
        "没有下载 {name}：{endpoint} 没有说明 {file} 的大小；请检查 HF_ENDPOINT"
    ),
    "{name} is not downloaded: its {file} has {size}, and attncli reads up to {limit} of such a "
    "file; check the name": (
        "没有下载 {name}：其 {file} 为 {size}，而 attncli 对此类文件最多读取 {limit}；请检查名称"
    ),
    "{name} is not kept: the sha256 of the downloaded {file} is {digest}..., the Hub says "
    "{expected}...: try again, or check HF_ENDPOINT": (
        "没有保留 {name}：所下载 {file} 的 sha256 为 {digest}…，Hub 给出的是 {expected}…："
        "请重试，或检查 HF_ENDPOINT"
    ),
    "the download of {name} is too slow: {done} of {file} in {seconds:.0f} seconds; check the "
    "network and try again": (
        "{name} 的下载过慢：{seconds:.0f} 秒内只收到 {file} 的 {done}；请检查网络后重试"
    ),
    "HF_ENDPOINT is {address}, which is no address of a server: unset it, or give one such as "
    "https://huggingface.co": (
        "HF_ENDPOINT 为 {address}，不是服务器地址：请取消设置，或设为例如 https://huggingface.co"
    ),
    "{source} holds no token of the Hub: set it anew, or log in with hf": (
        "{source} 中没有有效的 Hub 令牌：请重新设置，或用 hf 登录"
    ),
    "{name} cannot be downloaded: {endpoint} redirects in circles; check HF_ENDPOINT": (
        "无法下载 {name}：{endpoint} 循环重定向；请检查 HF_ENDPOINT"
    ),
    "{name} cannot be downloaded: {endpoint} redirects to {location}; check HF_ENDPOINT": (
        "无法下载 {name}：{endpoint} 重定向到 {location}；请检查 HF_ENDPOINT"
    ),
    "check the clock, or name your network's certificates in SSL_CERT_FILE": (
        "请检查系统时钟，或用 SSL_CERT_FILE 指定所在网络的证书"
    ),
    "check the network and HF_ENDPOINT, or give a path": "请检查网络和 HF_ENDPOINT，或给出路径",
    "check HF_ENDPOINT, or give a path": "请检查 HF_ENDPOINT，或给出路径",
    "{name} is not in the local cache and cannot be downloaded: no answer from {endpoint} "
    "({reason}): {remedy}": (
        "{name} 不在本地缓存中，也无法下载：{endpoint} 没有应答（{reason}）：{remedy}"
    ),
    "{name} is not downloaded: {endpoint} answers with the {header} {value}, which the Hub never "
    "does; check HF_ENDPOINT": (
        "没有下载 {name}：{endpoint} 返回的 {header} 为 {value}，Hub 从不如此；请检查 HF_ENDPOINT"
    ),
    "{name} is gated: accept its license on {page} with the account that HF_TOKEN (or the login "
    "of hf) belongs to": (
        "{name} 需要授权：请用 HF_TOKEN（或 hf 登录）所属的账号在 {page} 接受其许可"
    ),
    "{name} is gated: accept its license on {page}, and set HF_TOKEN or log in with hf": (
        "{name} 需要授权：请在 {page} 接受其许可，并设置 HF_TOKEN 或用 hf 登录"
    ),
    "{name} has no revision {revision} on the Hub: give a branch, a tag or a commit": (
        "Hub 上的 {name} 没有版本 {revision}：请给出分支、标签或提交"
    ),
    "{name} cannot be downloaded, the Hub does not accept the token: check the name and HF_TOKEN, "
    "or log in again with hf": (
        "无法下载 {name}，Hub 不接受该令牌：请检查名称和 HF_TOKEN，或用 hf 重新登录"
    ),
    "{name} is no file or folder here, not in the local cache, and no public model on the Hub: "
    "check the name; for a private one set HF_TOKEN or log in with hf": (
        "{name} 不是本机的文件或文件夹，不在本地缓存中，也不是 Hub 上的公开模型："
        "请检查名称；若是私有模型，请设置 HF_TOKEN 或用 hf 登录"
    ),
    "{name} cannot be downloaded, the Hub forbids it: set HF_TOKEN or log in with hf with an "
    "account that may": (
        "无法下载 {name}，Hub 拒绝访问：请以有权限的账号设置 HF_TOKEN 或用 hf 登录"
    ),
    "{name} cannot be downloaded, the Hub got too many requests: try again in {wait} seconds": (
        "无法下载 {name}，Hub 收到的请求过多：请在 {wait} 秒后重试"
    ),
    "{name} cannot be downloaded, the Hub got too many requests: try again later": (
        "无法下载 {name}，Hub 收到的请求过多：请稍后重试"
    ),
    "{name} cannot be downloaded, {endpoint} answers with status {status}: try again later": (
        "无法下载 {name}，{endpoint} 返回状态 {status}：请稍后重试"
    ),
    "{name} cannot be downloaded, {endpoint} answers with status {status}: check HF_ENDPOINT": (
        "无法下载 {name}，{endpoint} 返回状态 {status}：请检查 HF_ENDPOINT"
    ),
}
