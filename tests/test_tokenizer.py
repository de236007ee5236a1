"""From tokenizer.json to tokens that say which characters of the sentence they are."""

import json
import os
import unicodedata
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import text_fixtures as make
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import normalizers

from attncli.errors import AttncliError
from attncli.text.printable import token_label
from attncli.text.token import Token
from attncli.text.tokenizer import Encoding, Tokenizer, encode, from_ids, load, vocabulary_size

SAMPLE = Path(__file__).parent.parent / "sample_weights"


@pytest.fixture
def bert(tmp_path: Path) -> Tokenizer:
    return make.saved(make.bert(), tmp_path)


@pytest.fixture(params=[True, False], ids=["trimmed", "untrimmed"])
def gpt2(tmp_path: Path, request: pytest.FixtureRequest) -> Tokenizer:
    return make.saved(make.gpt2(trim_offsets=request.param), tmp_path)


@pytest.fixture
def llama(tmp_path: Path) -> Tokenizer:
    return make.saved(make.llama(), tmp_path)


def labels(encoding: Encoding) -> list[str]:
    return [token_label(token) for token in encoding.tokens]


def pieces(encoding: Encoding) -> list[str]:
    return [token.piece for token in encoding.tokens]


def notes_of(encoding: Encoding) -> tuple[str, ...]:
    return tuple(map(str, encoding.notes))


def texts(encoding: Encoding) -> list[str]:
    return [token.text for token in encoding.tokens]


def test_t01_byte_level_pieces_are_shown_as_text(gpt2: Tokenizer) -> None:
    encoding = encode(gpt2, " cat\né")
    assert labels(encoding) == ["␠cat", "⏎", "é"]
    assert texts(encoding) == [" cat", "\n", "é"]
    assert pieces(encoding) == ["Ġcat", "Ċ", "Ã©"]
    assert notes_of(encoding) == ()


def test_t02_parts_of_a_character_name_it_and_carry_their_bytes(gpt2: Tokenizer) -> None:
    encoding = encode(gpt2, "🤗 é 猫 🤗")
    assert labels(encoding) == [
        *("🤗⟨1/3⟩", "🤗⟨2/3⟩", "🤗⟨3/3⟩", "␠", "é", "␠", "猫⟨1/3⟩", "猫⟨2/3⟩", "猫⟨3/3⟩"),
        *("␠🤗⟨1/3⟩", "🤗⟨2/3⟩", "🤗⟨3/3⟩"),
    ]
    assert [t.raw for t in encoding.tokens][:4] == [b"\xf0", b"\x9f\xa4", b"\x97", None]
    first, last = encoding.tokens[0], encoding.tokens[-3]
    assert (first.text, first.start, first.end, first.part) == ("🤗", 0, 1, (1, 3))
    assert (last.text, last.start, last.end, last.raw) == (" 🤗", 5, 7, b" \xf0")


def test_t02_two_characters_in_a_row_are_counted_apart(gpt2: Tokenizer, llama: Tokenizer) -> None:
    assert labels(encode(gpt2, "🤗猫"))[-4:] == ["🤗⟨3/3⟩", "猫⟨1/3⟩", "猫⟨2/3⟩", "猫⟨3/3⟩"]
    encoding = encode(llama, "cat猫é\n")
    assert labels(encoding) == [
        *("<s>", "cat", "猫⟨1/3⟩", "猫⟨2/3⟩", "猫⟨3/3⟩", "é⟨1/2⟩", "é⟨2/2⟩", "⏎"),
    ]
    assert encoding.tokens[2].piece == "<0xE7>"
    assert encoding.tokens[2].raw == b"\xe7"


def test_blanks_of_byte_level_models_belong_to_the_token_after_them(gpt2: Tokenizer) -> None:
    encoding = encode(gpt2, "a   cat ")
    assert labels(encoding) == ["a", "␠", "␠", "␠cat", "␠"]
    assert [(t.start, t.end) for t in encoding.tokens] == [(0, 1), (1, 2), (2, 3), (3, 7), (7, 8)]


@pytest.mark.parametrize("trim_offsets", [True, False])
def test_a_blank_put_in_front_covers_nothing(tmp_path: Path, trim_offsets: bool) -> None:
    made = make.gpt2(trim_offsets=trim_offsets, add_prefix_space=True)
    encoding = encode(make.saved(made, tmp_path), "xcat cat")
    assert labels(encoding) == ["␠", "x", "cat", "␠cat"]
    assert [(t.start, t.end) for t in encoding.tokens] == [(0, 0), (0, 1), (1, 4), (4, 8)]
    assert not encoding.tokens[0].special  # T-06: an empty span is not a special token


def test_sentencepiece_blanks(llama: Tokenizer) -> None:
    encoding = encode(llama, " cat hi")
    assert pieces(encoding) == ["<s>", "▁", "▁cat", "▁", "h", "i"]
    assert labels(encoding) == ["<s>", "␠", "␠cat", "␠", "h", "i"]
    assert [(t.start, t.end) for t in encoding.tokens[1:4]] == [(0, 0), (0, 4), (4, 5)]
    assert texts(encode(llama, "hi"))[1:] == [" ", "h", "i"]


def test_unigram_pieces_and_unknown_words(tmp_path: Path) -> None:  # T-10
    made = make.unigram()
    made.add_special_tokens(["<unk>"])
    encoding = encode(make.saved(made, tmp_path), "the cat ﬁxx")
    assert texts(encoding) == ["the", " c", "at", " ", "ﬁxx"]
    assert [t.unknown for t in encoding.tokens] == [False, False, False, False, True]
    assert labels(encoding)[-1] == "<unk> «ﬁxx»"


def test_t04_offsets_count_code_points(gpt2: Tokenizer) -> None:
    sentence = "café 日本 x\r\n👍🏽 e\u0301"
    for token in encode(gpt2, sentence).tokens:
        assert sentence[token.start : token.end] == token.text
        if token.part is None:
            assert token.text.encode() == bytes(ord_of(c) for c in token.piece)


def ord_of(char: str) -> int:
    """The byte behind a character of GPT-2's alphabet, found in another way than in attncli."""
    shifted = [*range(0x21), *range(0x7F, 0xA1), 0xAD]
    return shifted[ord(char) - 256] if ord(char) >= 256 else ord(char)


def test_t06_tokens_of_the_template_have_no_offsets(bert: Tokenizer) -> None:
    first, word, last = encode(bert, "the").tokens
    assert first == Token(0, 1, "[CLS]", "[CLS]", None, None, special=True)
    assert word == Token(1, 3, "the", "the", 0, 3, special=False, word=0)
    assert last == Token(2, 2, "[SEP]", "[SEP]", None, None, special=True)


def test_t07_special_tokens_that_the_user_typed(bert: Tokenizer) -> None:
    encoding = encode(bert, "[CLS] the [SEP]")
    assert [t.special for t in encoding.tokens] == [True, True, False, True, True]
    assert [t.start for t in encoding.tokens] == [None, 0, 6, 10, None]
    assert [t.word for t in encoding.tokens] == [None, None, 1, None, None]
    (note,) = notes_of(encoding)
    assert note.startswith("the text contains special tokens: [CLS] (0), [SEP] (2)")
    assert notes_of(encode(bert, "the [cat]")) == ()
    (note,) = notes_of(encode(bert, "[CLS] " * 500))
    assert "[CLS] (7), …, counted without added ones" in note


def test_t08_saved_truncation_and_padding_are_off(tmp_path: Path) -> None:
    made = make.bert()
    made.enable_truncation(4)
    made.enable_padding(length=8)
    encoding = encode(make.saved(made, tmp_path), "one two three four five")
    assert texts(encoding) == ["[CLS]", "one", "two", "three", "four", "five", "[SEP]"]


def test_t10_unknown_words_keep_their_text(bert: Tokenizer) -> None:
    _, the, unknown, _ = encode(bert, "the 💩💩cat").tokens
    assert (unknown.piece, unknown.text, unknown.start, unknown.end) == ("[UNK]", "💩💩cat", 4, 9)
    assert (the.unknown, unknown.unknown) == (False, True)
    assert token_label(unknown) == "[UNK] «💩💩cat»"
    typed = encode(bert, "[UNK]").tokens[1]
    assert (typed.special, typed.unknown) == (True, False)


def test_t11_dropped_characters_are_named(tmp_path: Path) -> None:
    dropping = make.saved(make.bpe_without_unknown(), tmp_path)
    encoding = encode(dropping, "hi Zhi☃")
    assert notes_of(encoding) == ("2 characters are not covered by any token: «Z» at 3, «☃» at 6",)
    assert [(t.text, t.start, t.end) for t in encoding.tokens] == [("hi", 0, 2), ("hi", 4, 6)]
    assert notes_of(encode(dropping, "aZa\x1b☃a hi")) == (
        r"3 characters are not covered by any token: «Z» at 1, «\x1b» at 3, «☃» at 4",
    )
    again = encode(dropping, "aZaa").tokens
    assert [(t.text, t.start) for t in again] == [("a", 0), ("a", 2), ("a", 3)]
    assert notes_of(encode(dropping, "hi\u0301")) == (
        "1 character is not covered by any token: «◌\u0301» at 2",
    )
    assert notes_of(encode(dropping, "hi" + "Z" * 50))[0].endswith("«Z» at 9, …")


def test_pieces_without_accents_are_not_looked_for_in_another_word(tmp_path: Path) -> None:
    made = make.bpe_without_unknown()
    made.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    assert texts(encode(make.saved(made, tmp_path), "há ha")) == ["h", "á", "h", "a"]


def test_t13_normalised_pieces_beside_what_was_typed(bert: Tokenizer) -> None:
    encoding = encode(bert, "The Café が")
    assert pieces(encoding)[1:-1] == ["the", "cafe", "か"]
    assert texts(encoding)[1:-1] == ["The", "Café", "が"]
    decomposed = unicodedata.normalize("NFD", "The Café が")
    encoding = encode(bert, decomposed)
    assert texts(encoding)[1:-1] == decomposed.split()
    assert notes_of(encoding) == ()


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("normaliser", ["NFC", "NFKC", "Bert", "stripped"])
@pytest.mark.parametrize(
    "words",
    [
        ["한글", "각", "가", "닭이"],
        ["Việt", "Huế", "ở", "ǘ"],
        ["क़लम", "हिन्दी", "बड़ा"],
        ["ｶﾞｷﾞ", "が", "パン"],
        ["مُحَمَّد", "كتـــاب", "آب"],
        ["שָׁלוֹם", "ﬁne", "Ἀθήνας", "ё", "Å", "ก็"],
    ],
)
def test_a_label_is_the_text_whatever_was_composed(
    words: list[str], normaliser: str, form: str, tmp_path: Path
) -> None:
    typed = [unicodedata.normalize(form, word) for word in words]
    made = make.spelling(
        {
            "NFC": normalizers.NFC(),
            "NFKC": normalizers.NFKC(),
            "Bert": normalizers.BertNormalizer(lowercase=True),
            "stripped": normalizers.Sequence(
                [normalizers.NFD(), normalizers.StripAccents(), normalizers.NFC()]
            ),
        }[normaliser],
        " ".join(typed),
    )
    encoding = encode(make.saved(made, tmp_path), " ".join(typed))
    assert notes_of(encoding) == ()
    covered = {token.start: token.text for token in encoding.tokens}  # several of one letter: once
    assert "".join(covered.values()) == "".join(typed)


def test_a_syllable_of_three_letters_is_one_token(tmp_path: Path) -> None:
    typed = unicodedata.normalize("NFD", "한글 가")
    made = make.spelling(normalizers.NFC(), typed)
    encoding = encode(make.saved(made, tmp_path), typed)
    assert [(t.piece, t.start, t.end) for t in encoding.tokens] == [
        ("한", 0, 3),
        ("글", 3, 6),
        ("가", 7, 9),
    ]


def test_a_letter_that_is_lost_is_still_said_to_be(tmp_path: Path) -> None:
    typed = unicodedata.normalize("NFD", "한") + "글"
    made = make.bpe_without_unknown()
    made.normalizer = normalizers.NFC()
    encoding = encode(make.saved(made, tmp_path), f"hi {typed} hi")
    assert notes_of(encoding)[0].startswith("4 characters are not covered by any token: ")


def test_the_lists_of_the_library_are_copied_once(bert: Tokenizer) -> None:
    class Counting:
        """An encoding that counts what is asked of it: each answer is a copy of all tokens."""

        def __init__(self, encoding: tokenizers.Encoding) -> None:
            self.encoding, self.count = encoding, 0

        def __getattr__(self, name: str) -> object:
            self.count += 1
            return getattr(self.encoding, name)

    def copies(text: str) -> int:
        counting = Counting(bert.library.encode(text))
        library = SimpleNamespace(
            encode=lambda *_: counting,
            normalizer=bert.library.normalizer,
            id_to_token=bert.library.id_to_token,
        )
        encode(replace(bert, library=library), text)  # type: ignore[arg-type]
        return counting.count

    assert copies("the cat") == copies("the cat " * 100)


def test_marks_with_tokens_of_their_own_stay_apart(llama: Tokenizer) -> None:
    assert texts(encode(llama, "cat\u0301"))[1:] == ["cat", "\u0301", "\u0301"]


@pytest.mark.parametrize("text", ["", "   ", "\u200b"])
def test_t15_only_special_tokens(bert: Tokenizer, text: str) -> None:
    encoding = encode(bert, text)
    assert texts(encoding) == ["[CLS]", "[SEP]"]
    assert notes_of(encoding)[0] == "the text gives no tokens of its own"
    assert len(notes_of(encoding)) == (2 if text == "\u200b" else 1)


def test_t15_no_tokens_at_all(gpt2: Tokenizer) -> None:
    with pytest.raises(AttncliError, match=r"^the text gives no tokens: it is empty; "):
        encode(gpt2, "")
    assert labels(encode(gpt2, "  ")) == ["␠", "␠"]
    with pytest.raises(AttncliError, match=r"^the text gives no tokens: nothing but blanks"):
        encode(load(SAMPLE), " \n ")


def test_t16_the_same_word_twice(bert: Tokenizer) -> None:
    encoding = encode(bert, "the cat saw the dog")
    assert [t.index for t in encoding.tokens] == list(range(7))
    assert texts(encoding).count("the") == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"version": "9.0"}', "with tokenizers {version}: Unknown tokenizer version '9.0'"),
        (
            b"{}",
            "with tokenizers {version}: Model missing. at line 1 column 2; copy it again, or",
        ),
        (b"", "is empty: "),
        (b"\xef\xbb\xbf{}", "begins with a byte order mark: "),
        (b'{"version":', "cannot be read as JSON ("),
        (b"\xff\x00\x1b[2J", "is not UTF-8 (byte 0xFF at position 0)"),
        (b"[" * 100_000, "is nested too deeply: "),
        (
            b'{"version": "\\u001b[2J' + b"x" * 9999 + b'"}',
            "tokenizer version '\\x1b[2Jxxx",
        ),  # S-05
    ],
)
def test_t18_files_that_cannot_be_read(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(AttncliError) as caught:
        load(tmp_path)
    said = str(caught.value)
    assert message.format(version=tokenizers.__version__) in said
    assert "tokenizer.json" in said
    assert said.isprintable()
    assert len(said) < 400 + len(str(tmp_path))


def test_t18_merges_in_a_wrong_form(tmp_path: Path) -> None:
    made = json.loads(make.gpt2().to_str())
    made["model"]["merges"] = [["a"], 7]
    (tmp_path / "tokenizer.json").write_text(json.dumps(made))
    with pytest.raises(AttncliError, match=r"did not match any variant .*; copy it again"):
        load(tmp_path)


def test_t19_no_tokenizer_json(tmp_path: Path) -> None:
    with pytest.raises(
        AttncliError, match=r"^no tokenizer.json in [^ ]*: save tokenizer.json once"
    ):
        load(tmp_path)
    for name in ("vocab.json", "spiece.model"):
        (tmp_path / name).touch()
    with pytest.raises(AttncliError, match=r"\(found vocab.json, spiece.model\): save tokenizer"):
        load(tmp_path)
    with pytest.raises(AttncliError, match=r"no nope.json in"):
        load(tmp_path / "nope.json")


def test_s05_names_of_folders_are_filtered(tmp_path: Path) -> None:
    folder = tmp_path / "m\x1b[31m[b]"
    folder.mkdir()
    with pytest.raises(AttncliError, match=r"m\\x1b\[31m\[b\]"):
        load(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders there")
@pytest.mark.parametrize(
    "name", ["tokenizer.json", "vocab.txt", "tokenizer_config.json", "added_tokens.json"]
)
def test_a_pipe_is_not_waited_for(name: str, tmp_path: Path) -> None:
    if name != "tokenizer.json":
        (tmp_path / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\n")
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(AttncliError, match=rf"{name} is a pipe: a regular file is needed$"):
        load(tmp_path)


def test_files_that_the_system_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AttncliError, match=r" cannot be read: File name too long$"):
        load(tmp_path / ("n" * 5000))
    make.bert().save(str(tmp_path / "tokenizer.json"))

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(AttncliError, match=r"tokenizer.json cannot be read: Permission denied$"):
        load(tmp_path)


def test_s05_pieces_of_the_vocabulary_are_filtered(tmp_path: Path) -> None:
    evil = "\x1b]0;x\x07"
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({evil: 0}, unk_token=evil))
    made.add_special_tokens([evil])
    encoding = encode(make.saved(made, tmp_path), f"x{evil}")
    assert labels(encoding) == [r"\x1b]0;x\x07 «x»", r"\x1b]0;x\x07"]
    assert all(note.isprintable() for note in notes_of(encoding))


def test_t21_a_special_token_that_takes_the_blank_before_it(tmp_path: Path) -> None:
    loaded = make.saved(make.word_level_without_unknown(), tmp_path)
    encoding = encode(loaded, "a <mask> b")
    assert texts(encoding) == ["a", " <mask>", "b"]
    assert (pieces(encoding)[1], notes_of(encoding)) == ("<mask>", ())


def test_t21_a_special_token_that_takes_the_blank_after_it(tmp_path: Path) -> None:
    made = make.llama()
    made.add_special_tokens([tokenizers.AddedToken("<x>", rstrip=True)])
    assert texts(encode(make.saved(made, tmp_path), "<x> cat")) == ["<s>", "<x> ", "cat"]


def test_added_tokens_are_not_in_the_byte_alphabet(tmp_path: Path) -> None:
    made = make.gpt2()
    made.add_tokens(["né"])
    assert labels(encode(make.saved(made, tmp_path), "né é")) == ["né", "␠", "é"]


def test_t23_pairs(bert: Tokenizer) -> None:
    encoding = encode(bert, "the cat", "a dog☃")
    assert encoding.type_ids == (0, 0, 0, 0, 1, 1, 1)
    assert texts(encoding) == ["[CLS]", "the", "cat", "[SEP]", "a", "dog☃", "[SEP]"]
    assert [t.start for t in encoding.tokens] == [None, 0, 4, None, 0, 2, None]
    notes = notes_of(encode(bert, "the [SEP]", ""))
    assert notes[0].startswith("first text: the text contains special tokens: [SEP] (1)")
    assert notes[1] == "second text: the text gives no tokens of its own"


def test_texts_that_cannot_be_encoded(bert: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(AttncliError, match=r"lone surrogate \\udc80 at 4"):  # E-09
        encode(bert, "the \udc80")
    loaded = make.saved(make.word_level_without_unknown(), tmp_path)
    with pytest.raises(AttncliError, match=r"cannot encode the text: WordLevel error: Missing"):
        encode(loaded, "hi zebra")


def test_l10_words_hold_their_pieces_together(bert: Tokenizer, llama: Tokenizer) -> None:
    encoding = encode(bert, "the unbelievably cat.")
    assert texts(encoding)[2:5] == ["un", "believ", "ably"]
    assert pieces(encoding)[3] == "##believ"
    assert [t.word for t in encoding.tokens] == [None, 0, 1, 1, 1, 2, 3, None]
    assert [t.word for t in encode(llama, "cat hi\tcat").tokens] == [None, 0, 1, 1, 1, 2, 2, 2, 2]


def test_tokens_for_given_ids(bert: Tokenizer, gpt2: Tokenizer) -> None:
    assert from_ids(bert, [1, 12]) == (
        Token(0, 1, "[CLS]", "[CLS]", None, None, special=True),
        Token(1, 12, "##ably", "##ably", None, None, special=False),
    )
    again = from_ids(gpt2, [t.id for t in encode(gpt2, " cat🤗").tokens])
    assert [t.text for t in again] == [" cat", r"\xF0", r"\x9F\xA4", r"\x97"]
    assert vocabulary_size(bert) == 19
    beyond = from_ids(bert, [19, -1, 2**40])  # as in a table that was padded to a round size
    assert [(t.id, t.text, t.piece) for t in beyond][:2] == [(19, "#19", "#19"), (-1, "#-1", "#-1")]
    assert [t.text for t in from_ids(None, [1, 12])] == ["#1", "#12"]


def test_the_sample_reads_every_text() -> None:
    sample = load(SAMPLE)
    assert texts(encode(sample, "The animal didn’t"))[:2] == ["The", "animal"]
    sentence = "🤗 \u1e9e\U0001f9ff\x1b[2J 鱻"
    encoding = encode(sample, sentence)
    assert labels(encoding)[:4] == ["🤗⟨1/4⟩", "🤗⟨2/4⟩", "🤗⟨3/4⟩", "🤗⟨4/4⟩"]
    assert notes_of(encoding) == ()
    assert not any(token.unknown for token in encoding.tokens)


@pytest.fixture(scope="module")
def all_kinds(tmp_path_factory: pytest.TempPathFactory) -> list[Tokenizer]:
    made = [make.bert(), make.gpt2(), make.llama(), make.unigram(), make.bpe_without_unknown()]
    return [load(SAMPLE)] + [make.saved(m, tmp_path_factory.mktemp("made")) for m in made]


@given(text=st.text("hiatc Zé猫🤗\u0301\n\u200d.[CLS]</s>", min_size=1, max_size=20) | st.text())
def test_offsets_of_every_kind_of_tokenizer_give_the_text(
    all_kinds: list[Tokenizer], text: str
) -> None:
    for loaded in all_kinds:
        try:
            tokens = encode(loaded, text).tokens
        except AttncliError:  # no tokens at all
            continue
        for token in tokens:
            if token.start is None:
                assert token.special
            elif token.start < token.end:
                assert text[token.start : token.end] == token.text
            else:
                assert not token.text.strip()
