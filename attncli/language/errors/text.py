"""The text and its tokenizer."""

TEXT = {
    "the tokenizer's normaliser may make over {most:,} characters of this text: give a shorter "
    "one": "分词器的规范化步骤可能把该文本变成超过 {most:,} 个字符：请给出更短的文本",
    "no token given: give its number or its text": "没有指定 token：请给出其编号或文本",
    "the text has {length:,} characters, more than {most:,}: give a part": (
        "文本有 {length:,} 个字符，超过上限 {most:,}：请只给出一部分"
    ),
    "the text holds a lone surrogate {character} at {place}: it is no valid Unicode; give it as "
    "UTF-8, or through standard input with -": (
        "文本在位置 {place} 含有孤立的代理项 {character}，不是有效的 Unicode："
        "请以 UTF-8 给出，或用 - 从标准输入读取"
    ),
    "no text given (use - to read standard input)": "没有给出文本（用 - 读取标准输入）",
    "{name} is not UTF-8: byte 0x{byte:02X} at position {place}; save it as UTF-8": (
        "{name}不是 UTF-8：位置 {place} 的字节为 0x{byte:02X}；请存为 UTF-8"
    ),
    "standard input has more than {most:,} bytes: give a sentence, or a part": (
        "标准输入超过 {most:,} 字节：请给出一个句子或其中一部分"
    ),
    "standard input": "标准输入",
    "no {file} in {folder}: {remedy}": "{folder} 中没有 {file}：{remedy}",
    "no {file} in {folder} (found {others}): {remedy}": (
        "{folder} 中没有 {file}（只有 {others}）：{remedy}"
    ),
    "cannot read {files} with tokenizers {version}: {reason}; copy it again, or update the "
    "tokenizers package": (
        "tokenizers {version} 无法读取 {files}：{reason}；请重新复制，或更新 tokenizers 包"
    ),
    "{file} begins with a byte order mark: save it as UTF-8 without BOM": (
        "{file} 以字节顺序标记开头：请存为不带 BOM 的 UTF-8"
    ),
    "cannot count the tokenizer's vocabulary: {reason}; copy its files again": (
        "无法统计分词器的词表大小：{reason}；请重新复制其文件"
    ),
    "the tokenizer cannot name the ids: {reason}; copy its files again": (
        "分词器无法给出这些 id 的名称：{reason}；请重新复制其文件"
    ),
    "the tokenizer cannot encode the text: {reason}; use words that it knows": (
        "分词器无法编码该文本：{reason}；请使用词表中有的词"
    ),
    "the text gives no tokens: nothing but blanks or dropped characters; give at least one word": (
        "文本没有产生 token：只有空白或会被丢弃的字符；请至少给出一个词"
    ),
    "the text gives no tokens: it is empty; give at least one word": (
        "文本没有产生 token：文本为空；请至少给出一个词"
    ),
    "save tokenizer.json once with a recent transformers (AutoTokenizer, save_pretrained)": (
        "请用较新的 transformers 保存一次 tokenizer.json（AutoTokenizer、save_pretrained）"
    ),
    "tokenizer_class {name} in {file}": "{file} 中的 tokenizer_class {name}",
    "the tokenizer of model_type {name} in {file}": "{file} 中 model_type {name} 的分词器",
    "{what} cannot be made from {files}: {remedy}": "{what} 无法由 {files} 构建：{remedy}",
    "{value} is no token: give its text, or an object with its content": (
        "{value} 不是 token：请给出其文本，或带 content 的对象"
    ),
    "{value} is no id of an added token: give a whole number": (
        "{value} 不是附加 token 的 id：请给出整数"
    ),
    "{path} has no {token}, for unknown words: copy it again": (
        "{path} 中没有用于未知词的 {token}：请重新复制"
    ),
    "{path} is not UTF-8 (byte {place}): copy it again": (
        "{path} 不是 UTF-8（字节位置 {place}）：请重新复制"
    ),
    "{path}: {piece} has the id {number}, which is none: copy it again": (
        "{path}：{piece} 的 id {number} 无效：请重新复制"
    ),
    "{path}, line {number}: {line} is no pair of pieces: copy it again": (
        "{path} 第 {number} 行：{line} 不是一对子词：请重新复制"
    ),
}
