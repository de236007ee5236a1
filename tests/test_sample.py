"""The trained sample does what its README says, on sentences that it has not been trained on."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli.inspector import inspect
from attncli.text.select import find_token
from attncli.text.tokenizer import encode
from attncli.weights import load_weights, sample_folder

sys.path.insert(0, str(Path(__file__).parents[1] / "sample_weights"))

from sentences import held_out_pairs


@pytest.fixture(scope="module")
def weights():
    with load_weights("sample") as opened:
        yield opened


def attention_at(weights, text, span):
    """A of the last layer, (h, n, n), and the tokens; `span` of a token's characters to its row."""
    inspection = inspect(text, weights)
    return inspection.attention.A, next(
        token.index for token in inspection.tokens if (token.start, token.end) == span
    )


@pytest.mark.parametrize(
    ("sentence", "pronoun", "referent", "rival"),
    [
        ("The animal didn't cross the street because it was too tired", "it", "animal", "street"),
        ("The animal didn't cross the street because it was too wide", "it", "street", "animal"),
        ("那只动物没有过街，因为它太累了", "它", "动物", "街"),
        ("那只动物没有过街，因为它太宽了", "它", "街", "动物"),
    ],
)
def test_the_article_s_sentence(weights, sentence, pronoun, referent, rival):
    inspection = inspect(sentence, weights)
    row = inspection.attention.A[0, find_token(inspection.tokens, pronoun)]
    a = {name: row[find_token(inspection.tokens, name)] for name in (referent, rival)}
    assert a[referent] >= 0.5
    assert a[referent] - a[rival] >= 0.3


def test_head_0_finds_the_referent_in_sentences_it_was_not_trained_on(weights, everything):
    """In 100 pairs of sentences, in CI in 500; the heads of both layers have structure as well."""
    count = 500 if everything else 100
    right, on_referent, entropies = 0, [], {0: [], 1: []}
    for pair in held_out_pairs(count):
        both = True
        for example in pair:
            inspection = inspect(example.text, weights)
            index = {(token.start, token.end): token.index for token in inspection.tokens}
            row = inspection.attention.A[0, index[example.pronoun]]
            a, rival = row[index[example.referent]], row[index[example.rival]]
            both &= bool(a > rival)
            on_referent.append(a)
            entropies[1].append(entropy(inspection.attention.A))
            entropies[0].append(entropy(inspect(example.text, weights, layer=0).attention.A))
        right += both
    assert right >= 0.95 * count
    assert 0.5 < np.mean(on_referent) < 0.9
    for layer in (0, 1):
        by_head = np.mean(entropies[layer], axis=0)
        assert (by_head > 0.3).sum() >= 6, by_head


def entropy(A):
    """The mean entropy of the rows of each head, in nats: (h,)."""
    return -(A * np.log(np.maximum(A, 1e-30))).sum(-1).mean(-1)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
def test_its_tokenizer_knows_every_text(text):
    with_word = f"cat {text}"
    tokens = encode(TOKENIZER, with_word)
    assert not [token for token in tokens.tokens if token.unknown]
    assert not tokens.notes or "special" in str(tokens.notes[0])


with load_weights("sample") as _sample:
    TOKENIZER = _sample.tokenizer


def test_it_is_small():
    assert sum(file.stat().st_size for file in sample_folder().rglob("*") if file.is_file()) < 12e6


def test_a_chinese_token_is_a_word_and_the_bytes_of_a_character_are_one():
    tokens = encode(TOKENIZER, "因为它太累了 𓃠𓃠 unbelievable").tokens
    by_word = {}
    for token in tokens:
        by_word.setdefault(token.word, set()).add(token.text)
    assert [by_word[word] for word in range(5)] == [{"因为"}, {"它"}, {"太"}, {"累"}, {"了"}]
    assert by_word[5] == {"𓃠"}
    assert len(by_word[max(by_word)]) > 1
