"""What tests of Chinese screens have in common: which words in Latin letters may stand there."""

import re

from rich.cells import cell_len

# Names of the field, of functions, of keys; one with an underscore is a symbol or of config.json.
NAMES = {
    *("token", "softmax", "KV", "mask", "RMSNorm", "LayerNorm", "RoPE", "ALiBi"),
    *("exp", "tanh", "cos", "sin", "sqrt", "inf", "config.json", "--full", "PgDn", "Esc"),
}

# Names of models, of their parts and of what tokenizers do.
NAMES_OF_MODELS = {
    *("BERT", "RoBERTa", "BART", "mBART", "CLIP", "Gemma", "Llama", "Mistral", "GELU", "quick"),
    *("ReLU", "MLP", "LayerNorm", "bfloat", "longrope", "fairseq", "dropout", "epsilon", "eps"),
    *("float", "gamma", "beta", "rw", "NFKC", "SentencePiece", "architectures"),
}

HAN = "\u4e00-\u9fff"
HALF_WIDTH = re.compile(rf"[{HAN}）”][,:;!?]|[,:;] ?[{HAN}（“]")


def english_of(lines, *names):
    """The words in Latin letters that are neither a name nor a symbol."""
    text = "\n".join(lines)
    for name in sorted({*names, *NAMES}, key=len, reverse=True):
        text = text.replace(name, "")
    words = re.findall(r"[A-Za-z_]{2,}…?", text)
    cut = tuple(word for word in words if word[-1] == "…" and "token".startswith(word[:-1]))
    return [word for word in words if "_" not in word and word not in cut]


def check(lines, width, *names):
    if width >= 60:  # else words may be cut
        assert english_of(lines, *names) == []
    assert not [line for line in lines if HALF_WIDTH.search(line)]
    assert not [line for line in lines if cell_len(line) > width]
    assert not [line for line in lines if line.startswith(tuple("，。、；：）”"))]
