"""Files that cannot be read or written."""

FILES = {
    "{path} is a folder: name a file": "{path} 是文件夹：请指定文件",
    "cannot write {path}: there is no folder {folder}": "无法写入 {path}：没有文件夹 {folder}",
    "cannot write {path}: no permission": "无法写入 {path}：没有权限",
    "cannot write {path}: {reason}": "无法写入 {path}：{reason}",
    "an HTML page, not the file itself: download it again": (
        "一个 HTML 页面，而不是文件本身：请重新下载"
    ),
    "a Git LFS pointer, not the file itself: run git lfs pull": (
        "一个 Git LFS 指针，而不是文件本身：请运行 git lfs pull"
    ),
    "a folder": "文件夹",
    "a pipe": "管道",
    "a socket": "套接字",
    "a device": "设备",
    "{path} is {kind}: a regular file is needed": "{path} 是{kind}：需要普通文件",
    "{name} is {kind}": "{name} 是{kind}",
    "{name} is empty: download or save it again": "{name} 是空的：请重新下载或保存",
    "{name} is UTF-16: save it as UTF-8": "{name} 是 UTF-16：请存为 UTF-8",
    "{name} is not UTF-8 (byte 0x{byte:02X} at position {place}): download or save it again": (
        "{name} 不是 UTF-8（位置 {place} 的字节为 0x{byte:02X}）：请重新下载或保存"
    ),
    "{name} is nested too deeply: download or save it again": ("{name} 嵌套过深：请重新下载或保存"),
    "{name} cannot be read as JSON ({reason}): download or save it again": (
        "{name} 无法按 JSON 读取（{reason}）：请重新下载或保存"
    ),
    "duplicate key {name}": "键 {name} 重复",
    "a whole number has {count} digits": "有一个 {count} 位的整数",
    "{path} holds {kind}, not a JSON object": "{path} 的内容是 {kind}，不是 JSON 对象",
    "{path} is a link that leaves the folder, to {target}: put a copy of the file in its place if "
    "you trust it": "{path} 是指向文件夹之外 {target} 的链接：若信任该文件，请用其副本替换链接",
    "{path} is a link to a file that is not there: give the path of a file or folder": (
        "{path} 是链接，所指的文件不存在：请给出文件或文件夹的路径"
    ),
    "{path} does not exist: give the path of a file or folder": (
        "{path} 不存在：请给出文件或文件夹的路径"
    ),
    "{path} cannot be read: {reason}": "无法读取 {path}：{reason}",
    "{path} is larger than {size:g} MB, the limit for such a file": (
        "{path} 超过 {size:g} MB，即此类文件的上限"
    ),
}
