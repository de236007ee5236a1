"""Whatever the tokenizers library makes of a broken file is one line, and a panic no more."""

import base64
import json
import os
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
import text_fixtures as make
from command import run
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, normalizers

from attncli.errors import AttncliError
from attncli.text.library import guarded
from attncli.text.source import MOST_CHARACTERS
from attncli.text.tokenizer import encode, load


def split(pattern):
    return {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }


def text_of(name):
    return {"Sequence": {"id": name, "type_id": 0}}


def changed(made, **stages):
    """tokenizer.json with keys replaced, `model__vocab` for a key within the model."""
    document = json.loads(made.to_str())
    for path, value in stages.items():
        *way, last = path.split("__")
        place = document
        for key in way:
            place = place[key]
        place[last] = value
    return json.dumps(document)


TEMPLATE = json.loads(make.bert().to_str())["post_processor"]
CLS = TEMPLATE["special_tokens"]["[CLS]"]
MANY = {"id": "[CLS]", "ids": [1] * 5000, "tokens": ["[CLS]"] * 5000}

BROKEN = {
    "text B in the place of the only one": changed(
        make.bert(), post_processor__single=[text_of("B")]
    ),
    "a template without its tokens": changed(make.bert(), post_processor__special_tokens={}),
    "two templates": changed(
        make.bert(), post_processor={"type": "Sequence", "processors": [TEMPLATE, TEMPLATE]}
    ),
    "a template without a text": changed(make.bert(), post_processor__single=[]),
    "an id and two names": changed(
        make.bert(),
        post_processor__special_tokens={
            "[CLS]": {**CLS, "tokens": ["a", "b"]},
            "[SEP]": TEMPLATE["special_tokens"]["[SEP]"],
        },
    ),
    "a template of ten thousand tokens": changed(
        make.bert(),
        post_processor__special_tokens={
            "[CLS]": MANY,
            "[SEP]": TEMPLATE["special_tokens"]["[SEP]"],
        },
        post_processor__single=[*TEMPLATE["single"], *TEMPLATE["single"], *TEMPLATE["single"]],
    ),
    "a prefix that does not fit": changed(make.gpt2(), model__continuing_subword_prefix="##"),
    "a prefix that would cut a letter in two, which ends the process": changed(
        make.gpt2(), model__continuing_subword_prefix=" "
    ),
    "merges that do not fit": changed(make.gpt2(), model__merges=[["a", "zz"]]),
    "no map": changed(
        make.bert(), normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}
    ),
}
BROKEN_MAP = base64.b64encode((4).to_bytes(4, "little") + b"\xff" * 4 + b"a").decode()
BREAKS_AT_TEXT = {
    "a pattern that goes back and forth": changed(make.bert(), pre_tokenizer=split("(a+)+$")),
    "a damaged map": changed(
        make.bert(), normalizer={"type": "Precompiled", "precompiled_charsmap": BROKEN_MAP}
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_file_that_cannot_be_used(case, tmp_path, capfd):
    (tmp_path / "tokenizer.json").write_text(BROKEN[case])
    (tmp_path / "tokenizer_config.json").write_text('{"add_bos_token": true}')
    with pytest.raises(AttncliError, match=r"^cannot read .*tokenizer.json with tokenizers \d"):
        load(tmp_path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("case", BREAKS_AT_TEXT)
def test_a_text_that_breaks_it(case, tmp_path, capfd):
    (tmp_path / "tokenizer.json").write_text(BREAKS_AT_TEXT[case])
    loaded = load(tmp_path)
    with pytest.raises(AttncliError, match=r"^the tokenizer cannot encode the text: "):
        encode(loaded, "a" * 40 + "b")
    assert capfd.readouterr() == ("", "")


def test_a_command_says_one_line(tmp_path, capfd):
    (tmp_path / "tokenizer.json").write_text(BROKEN["two templates"])
    answer = run("tokens", "the", "-w", tmp_path)
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith("Error: cannot read ")
    assert answer.err.count("\n") == 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("case", ["two templates", "a prefix that does not fit"])
def test_info_and_ids_need_no_tokenizer(case, tmp_path):
    rng = np.random.default_rng(0)
    arrays = {f"W_{x}": rng.normal(size=(6, 3)).astype(np.float32) for x in "QKV"}
    save_file({**arrays, "E": np.ones((9, 6), np.float32)}, tmp_path / "m.safetensors")
    (tmp_path / "tokenizer.json").write_text(BROKEN[case])
    info = run("info", tmp_path / "m.safetensors")
    assert (info.status, info.err) == (0, "")
    assert "cannot read" in info.out
    answer = run("explain", "--ids", "1,2", "-w", tmp_path / "m.safetensors")
    assert answer.status == 0
    assert "Note: m.safetensors has no tokenizer that can be read" in answer.err


def test_keyboard_interrupts_pass(capfd):
    with pytest.raises(KeyboardInterrupt), guarded("{reason}"):
        raise KeyboardInterrupt
    with pytest.raises(AttncliError, match=r"^a: no; b$"), guarded("a: {reason}; b"):
        raise ValueError("no")
    with guarded("{reason}"):
        os.write(2, b"from another thread\n")
    assert capfd.readouterr() == ("", "from another thread\n")


def test_standard_error_comes_back_whatever_the_threads_do(capfd):
    def work():
        for _ in range(20):
            with guarded("{reason}"), guarded("{reason}"):
                pass

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(2, b"still here\n")
    assert capfd.readouterr().err == "still here\n"


def growing(*stages):
    made = make.llama()
    made.normalizer = normalizers.Sequence(list(stages))
    return Tokenizer.from_str(made.to_str())


def test_replacements_cannot_fill_the_memory(tmp_path):
    tenfold = [normalizers.Replace("a", "a" * 10)] * 8
    loaded = make.saved(growing(*tenfold), tmp_path)
    with pytest.raises(AttncliError, match="may make over 500,000 characters of this text"):
        encode(loaded, "aa")
    between = [normalizers.Replace(Regex("x*"), "yy")] * 16
    with pytest.raises(AttncliError, match="may make over 500,000 characters"):
        encode(make.saved(growing(*between), tmp_path), "cat")
    inserted = [normalizers.Prepend("a" * 1000)] * 600
    with pytest.raises(AttncliError, match="may make over 500,000 characters"):
        encode(make.saved(growing(*inserted), tmp_path), "aa")


def test_replacements_that_do_not_grow_are_no_reason_to_refuse(tmp_path):
    harmless = [normalizers.Replace(Regex(f"{digit}+"), " ") for digit in range(10)] * 3
    loaded = make.saved(growing(normalizers.Replace("  ", " "), *harmless), tmp_path)
    tokens = encode(loaded, "cat  12 cat" * 20).tokens
    assert [token.text for token in tokens][1:4] == ["c", "a", "t"]


def test_a_text_has_a_limit(tmp_path):
    loaded = make.saved(make.bert(), tmp_path)
    with pytest.raises(AttncliError, match=r"has 200,001 characters, more than 200,000: give"):
        encode(loaded, "a" * (MOST_CHARACTERS + 1))


def test_info_says_what_is_wrong_with_a_tokenizer_once(tmp_path):
    """A message that is isolated already was filtered again, and showed U+2068 in letters."""
    folder = tmp_path / "שלום"
    folder.mkdir()
    golden = Path(__file__).parent / "golden" / "gpt2"
    for name in ("config.json", "model.safetensors"):
        shutil.copy(golden / name, folder / name)
    (folder / "tokenizer.json").write_text("{}")
    out = run("info", folder).out
    assert "with tokenizers" in out
    assert "U+2068" not in out
    assert all(line.count("\u2068") == line.count("\u2069") for line in out.splitlines())
