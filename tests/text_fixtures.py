"""Tiny tokenizers of every kind that attncli meets, made with the library itself."""

from pathlib import Path

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from attncli.text.tokenizer import Tokenizer as Loaded
from attncli.text.tokenizer import load

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def numbered(names: list[str]) -> dict[str, int]:
    return {name: i for i, name in enumerate(names)}


def bert() -> Tokenizer:
    """WordPiece, lower-casing and accent stripping, [CLS] and [SEP] by the template."""
    names = ["[UNK]", "[CLS]", "[SEP]", "the", "cat", "saw", "dog", "cafe", "a", "か"]
    names += ["un", "##believ", "##ably", "one", "two", "three", "four", "five", "."]
    made = Tokenizer(models.WordPiece(numbered(names), unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    made.add_special_tokens(["[UNK]", "[CLS]", "[SEP]"])
    return made


def gpt2(*, trim_offsets: bool = True, add_prefix_space: bool = False) -> Tokenizer:
    """Byte-level BPE without specials; `Ġð` is a blank and the first byte of an emoji."""
    merges = [("Ġ", "c"), ("c", "a"), ("Ġc", "a"), ("Ġca", "t"), ("ca", "t")]
    merges += [("Ã", "©"), ("Ġ", "ð"), ("Ł", "¤")]
    names = sorted(pre_tokenizers.ByteLevel.alphabet()) + [a + b for a, b in merges]
    made = Tokenizer(models.BPE(numbered(names), merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    made.post_processor = processors.ByteLevel(trim_offsets=trim_offsets)
    made.decoder = decoders.ByteLevel()
    return made


def llama() -> Tokenizer:
    """SentencePiece-like BPE: `▁` for a blank put in front of the sentence, bytes, `<s>`."""
    names = ["<unk>", "<s>", "</s>", *BYTES, *"▁cathi", "▁c", "▁ca", "▁cat"]
    merges = [("▁", "c"), ("▁c", "a"), ("▁ca", "t")]
    made = Tokenizer(models.BPE(numbered(names), merges, unk_token="<unk>", byte_fallback=True))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    made.add_special_tokens(["<unk>", "<s>", "</s>"])
    return made


def unigram() -> Tokenizer:
    """Unigram with Metaspace, NFKC and an unknown token."""
    scores = [("<unk>", -9.0), ("▁", -3.0), ("▁the", -2.0), ("c", -3.0), ("at", -3.0)]
    made = Tokenizer(models.Unigram([*scores, ("▁c", -2.5)], unk_id=0))
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    return made


def bpe_without_unknown() -> Tokenizer:
    """BPE over a few letters that leaves out all others."""
    made = Tokenizer(models.BPE(numbered(["h", "i", "a", "hi"]), [("h", "i")]))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


def spelling(normalizer: normalizers.Normalizer, text: str) -> Tokenizer:
    """A token for each character that the normaliser makes of a text."""
    characters = sorted({*normalizer.normalize_str(text), *normalizer.normalize_str("x")})
    made = Tokenizer(models.BPE(numbered(characters), []))
    made.normalizer = normalizer
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return made


def word_level_without_unknown() -> Tokenizer:
    made = Tokenizer(models.WordLevel(numbered(["hi", "a", "b"]), unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_tokens([AddedToken("<mask>", lstrip=True)])
    return made


def saved(made: Tokenizer, folder: Path) -> Loaded:
    """The tokenizer as attncli loads it from `folder`."""
    made.save(str(folder / "tokenizer.json"))
    return load(folder)
