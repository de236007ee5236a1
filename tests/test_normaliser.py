"""What a tokenizer does to a text before it looks for pieces, in words."""

import pytest
import text_fixtures as make
from tokenizers import Regex, Tokenizer, normalizers

from attncli.text.normaliser import describe_normaliser


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            make.bert(),
            "lower-cases, strips accents, drops control characters, sets Chinese characters apart",
        ),
        (make.gpt2(), "nothing"),
        (make.llama(), "puts «▁» in front, replaces «␠» by «▁»"),
        (make.unigram(), "NFKC"),
    ],
)
def test_t13_normalisers_of_tokenizers(made: Tokenizer, words: str) -> None:
    assert str(describe_normaliser(made)) == words


@pytest.mark.parametrize(
    ("normalizer", "words"),
    [
        (
            normalizers.BertNormalizer(lowercase=False, clean_text=False),
            "sets Chinese characters apart",
        ),
        (
            normalizers.BertNormalizer(
                lowercase=True, strip_accents=False, handle_chinese_chars=False, clean_text=False
            ),
            "lower-cases",
        ),
        (
            normalizers.BertNormalizer(
                lowercase=False, strip_accents=True, handle_chinese_chars=False, clean_text=False
            ),
            "strips accents",
        ),
        (
            normalizers.Sequence(
                [normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]
            ),
            "NFD, lower-cases, strips accents",
        ),
        (normalizers.Replace(Regex(" {2,}"), "\x1b"), r"replaces «␠{2,}» by «\x1b»"),
        (normalizers.Sequence([]), "nothing"),
    ],
)
def test_normalisers_in_words(normalizer: normalizers.Normalizer, words: str) -> None:
    made = make.gpt2()
    made.normalizer = normalizer
    assert str(describe_normaliser(made)) == words
