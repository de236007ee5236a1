"""The classes of tokenizers that vocabulary files leave to the program, as data.

Source: https://github.com/huggingface/transformers, models/*/tokenization_*.py of version 5.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tokenizers
from tokenizers import AddedToken, normalizers, pre_tokenizers, processors

WORD_PIECE, BYTE_PAIRS = ("vocab.txt",), ("vocab.json", "merges.txt")

Named = Mapping[str, AddedToken]  # unk_token, ... -> the token


@dataclass(frozen=True)
class TokenizerClass:
    """A class of tokenizers: its special tokens by name, and what it does around its vocabulary."""

    files: tuple[str, ...]
    tokens: Mapping[str, str | AddedToken]
    normalizer: Callable[[Mapping[str, Any]], normalizers.Normalizer | None] = lambda _: None
    split: str = ""  # a pattern of words, where it is not GPT-2's
    removes: bool = False  # what the pattern leaves out, instead of splitting there
    suffix: str = ""  # of the last piece of a word
    frame: str = ""  # "template" or "roberta": [CLS] and [SEP]; "clip": bos and eos


def _bert_normalizer(config: Mapping[str, Any]) -> normalizers.Normalizer:
    return normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=config.get("tokenize_chinese_chars", True),
        strip_accents=config.get("strip_accents"),
        lowercase=config.get("do_lower_case", True),
    )


_END = "<|endoftext|>"
_BERT = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")}
_GPT2 = dict.fromkeys(("bos_token", "eos_token", "unk_token"), _END)
_ROBERTA = {
    **dict.fromkeys(("bos_token", "cls_token"), "<s>"),
    **dict.fromkeys(("eos_token", "sep_token"), "</s>"),
    **{f"{name}_token": f"<{name}>" for name in ("unk", "pad", "mask")},
}
_MPNET: dict[str, str | AddedToken] = {
    **_ROBERTA,
    "unk_token": "[UNK]",
    "mask_token": AddedToken("<mask>", lstrip=True, special=True),
}
_CLIP_SPLIT = (
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
)
_QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CLASSES = {
    "Bert": TokenizerClass(WORD_PIECE, _BERT, _bert_normalizer, frame="template"),
    "MPNet": TokenizerClass(WORD_PIECE, _MPNET, _bert_normalizer, frame="roberta"),
    "GPT2": TokenizerClass(BYTE_PAIRS, _GPT2),
    "Roberta": TokenizerClass(BYTE_PAIRS, _ROBERTA, frame="roberta"),
    "GPTNeoX": TokenizerClass(
        BYTE_PAIRS, _GPT2 | {"pad_token": "<|padding|>"}, lambda _: normalizers.NFC()
    ),
    "Qwen2": TokenizerClass(
        BYTE_PAIRS,
        {"eos_token": _END, "unk_token": _END, "pad_token": _END},
        lambda _: normalizers.NFC(),
        split=_QWEN2_SPLIT,
    ),
    "CLIP": TokenizerClass(
        BYTE_PAIRS,
        _GPT2 | {"bos_token": "<|startoftext|>", "pad_token": _END},
        lambda _: normalizers.Sequence(
            [
                normalizers.NFC(),
                normalizers.Replace(tokenizers.Regex(r"\s+"), " "),
                normalizers.Lowercase(),
            ]
        ),
        split=_CLIP_SPLIT,
        removes=True,
        suffix="</w>",
        frame="clip",
    ),
}
_SAME = {"DistilBert": "Bert", "Electra": "Bert", "Bart": "Roberta", "CodeGen": "GPT2"}
_BY_MODEL = {
    **dict.fromkeys(("bert", "distilbert", "electra"), "Bert"),
    **dict.fromkeys(("gpt2", "gpt_neo", "gptj", "opt", "phi", "starcoder2"), "GPT2"),
    **dict.fromkeys(("roberta", "bart"), "Roberta"),
    **dict.fromkeys(("clip", "clip_text_model"), "CLIP"),
    **dict.fromkeys(("gpt_neox", "mpt"), "GPTNeoX"),
    **dict.fromkeys(("qwen2", "qwen3"), "Qwen2"),
    "mpnet": "MPNet",
}


def class_of(named: str) -> TokenizerClass | None:
    """`BertTokenizerFast` and the like."""
    name = named.removesuffix("Fast").removesuffix("Tokenizer")
    return _CLASSES.get(_SAME.get(name, name))


def class_of_model(model_type: str) -> TokenizerClass | None:
    """What models of a model_type use if nothing else is said."""
    return _CLASSES.get(_BY_MODEL.get(model_type, ""))


def pre_tokenizer(kind: TokenizerClass, config: Mapping[str, Any]) -> pre_tokenizers.PreTokenizer:
    """What splits a text into words."""
    if kind.files == WORD_PIECE:
        return pre_tokenizers.BertPreTokenizer()
    prefix = bool(config.get("add_prefix_space", False))
    if not kind.split:
        return pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    split = pre_tokenizers.Split(
        tokenizers.Regex(kind.split),
        behavior="removed" if kind.removes else "isolated",
        invert=kind.removes,
    )
    bytes_ = pre_tokenizers.ByteLevel(
        add_prefix_space=prefix and not kind.removes, use_regex=kind.removes
    )
    return pre_tokenizers.Sequence([split, bytes_])


def post_processor(
    kind: TokenizerClass, library: tokenizers.Tokenizer, named: Named, config: Mapping[str, Any]
) -> processors.PostProcessor:
    """What puts the special tokens around a text. ValueError if it does not have them."""

    def pair(name: str) -> tuple[str, int]:
        content = named[name].content if name in named else ""
        id = library.token_to_id(content)
        if id is None:
            raise ValueError(f"it has no {name}, which it puts around a text")
        return content, id

    if kind.frame == "template":
        cls, sep = pair("cls_token"), pair("sep_token")
        return processors.TemplateProcessing(
            single=f"{cls[0]}:0 $A:0 {sep[0]}:0",
            pair=f"{cls[0]}:0 $A:0 {sep[0]}:0 $B:1 {sep[0]}:1",
            special_tokens=[cls, sep],
        )
    if kind.frame == "roberta":
        prefix, trim = config.get("add_prefix_space", False), config.get("trim_offsets", True)
        return processors.RobertaProcessing(
            pair("sep_token"), pair("cls_token"), bool(trim), bool(prefix)
        )
    if kind.frame == "clip":
        return processors.RobertaProcessing(pair("eos_token"), pair("bos_token"), False, False)
    bos = [pair("bos_token")] if config.get("add_bos_token") and "bos_token" in named else []
    eos = [pair("eos_token")] if config.get("add_eos_token") and "eos_token" in named else []
    first, second = (
        " ".join([*(f"{n}:{k}" for n, _ in bos), text, *(f"{n}:{k}" for n, _ in eos)])
        for k, text in enumerate(("$A:0", "$B:1"))
    )
    return processors.TemplateProcessing(
        single=first, pair=f"{first} {second}", special_tokens=[*bos, *eos]
    )
