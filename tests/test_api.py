"""`import attncli`: the Python front door."""

import copy
import doctest
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import rich.console
from command import run

import attncli

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden"
SENTENCE = "The animal didn't cross the street because it was too tired"


@pytest.fixture(scope="module")
def result():
    return attncli.inspect(SENTENCE)


def test_the_examples_of_the_page_on_python():
    pytest.importorskip("pandas")
    failed, tried = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert tried > 15
    assert failed == 0


def test_importing_attncli_loads_no_numpy():
    code = "import attncli, sys; attncli.__version__; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_name_that_is_offered_is_there_and_no_other():
    assert all(getattr(attncli, name) for name in dir(attncli))
    with pytest.raises(AttributeError, match="no attribute 'inspekt'"):
        attncli.inspekt  # noqa: B018


def test_the_numbers_are_those_of_the_command(result):
    document = json.loads(run("export", SENTENCE, "--head", "0").out)
    np.testing.assert_array_equal(result.A[0], np.float32(document["heads"][0]["A"]))
    assert result.tokens == tuple(token["text"] for token in document["tokens"])
    ours = result.to_dict()
    assert ours.keys() == document.keys()
    np.testing.assert_array_equal(ours["heads"][0]["Z"], np.float32(document["heads"][0]["Z"]))


def test_weights_by_name_by_path_and_opened(result):
    with attncli.load_weights(ROOT / "sample_weights") as weights:
        opened = attncli.inspect(SENTENCE, weights)
    np.testing.assert_array_equal(opened.A, result.A)
    np.testing.assert_array_equal(attncli.inspect(SENTENCE, ROOT / "sample_weights").A, result.A)


def test_cross_attention_has_the_source_tokens_as_keys():
    cross = attncli.inspect([5, 6, 1], GOLDEN / "t5", target=[0, 9], attention="cross")
    assert cross.A.shape[1:] == (2, 3)
    assert (len(cross.tokens), len(cross.keys)) == (2, 3)
    pytest.importorskip("pandas")
    assert len(cross.frame()) == cross.A.size


def test_a_frame_has_a_row_for_each_weight():
    pytest.importorskip("pandas")
    some = attncli.inspect("The cat sat", heads=[5, 2])
    frame = some.frame().set_index(["layer", "head", "query", "key"])
    assert frame.loc[(1, 2, 0, 1), "A"] == some.A[1, 0, 1]
    assert frame.loc[(1, 5, 2, 0), "S"] == some.S[0, 2, 0]
    assert frame.loc[(1, 5, 2, 0), ["query_token", "key_token"]].tolist() == ["sat", "The"]


def test_a_row_is_the_row_of_the_matrices(result):
    row = attncli.derive(result, head=3, token="it")
    assert row.agrees
    np.testing.assert_allclose(row.a, result.A[3, 7], atol=1e-6)
    assert attncli.derive(result, token=7).head == 0


def test_rich_and_a_notebook_draw_what_the_command_draws(result):
    console = rich.console.Console(width=80, color_system=None)
    with console.capture() as drawn:
        console.print(result)
    command = run("explain", SENTENCE, "--show", "A", "--width", "80", "--color", "never").out
    assert drawn.get().split() == command.split()
    with console.capture() as drawn:
        console.print(attncli.derive(result, head=0, token="it"))
    assert "agrees with the matrix path" in drawn.get()
    html = result._repr_html_()
    assert html.startswith("<pre")
    assert "background-color" in html  # the map is in colour
    assert "animal" in html


@pytest.mark.parametrize("text", ["<b>bold</b> & [bold]rich[/]", "the <script>"])
def test_a_text_is_no_markup_in_a_notebook(text):
    html = attncli.inspect(text)._repr_html_()
    assert "<b>" not in html
    assert "<script" not in html


def test_reprs_are_short(result):
    for value in (result, result.inspection.attention, attncli.derive(result, token=1)):
        assert len(repr(value)) < 400
        assert "(11" in repr(value)


def test_a_result_can_be_copied(result):
    assert copy.copy(result).A is result.A


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"layer": 9}, "layer 9 does not exist: the model has 2 layers"),
        ({"layer": "1"}, "`layer` is '1': a whole number is needed"),
        ({"heads": [8]}, "head 8 does not exist: the model has 8 heads"),
        ({"heads": []}, "`heads` is empty"),
        ({"weights": 3}, "`weights` is a int"),
        ({"weights": b"sample"}, "`weights` is a bytes"),
        ({"weights": "no/such/model/here"}, "no weights at no/such/model/here"),
        ({"attention": "both"}, "`attention` is 'both': give encoder, decoder or cross"),
        ({"attention": "cross"}, "`attention` cross: .* leave `attention` out"),
        ({"attention_mask": [1]}, "`attention_mask` has 1 value, the text has 3 tokens"),
        ({"target": "a"}, "`target` is for encoder-decoders"),
    ],
)
def test_errors_speak_of_parameters(arguments, message):
    with pytest.raises(attncli.AttncliError, match=message) as caught:
        attncli.inspect("The cat sat", **arguments)
    assert "--" not in str(caught.value)


def test_the_command_line_turns_parameters_into_options():
    answer = run("explain", "The cat sat", "--attention-mask", "1")
    assert answer.err.startswith("Error: --attention-mask has 1 value, the text has 3 tokens")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"token": "dog"}, 'there is no token "dog"'),
        ({"token": "the"}, None),  # the text in this very case comes first
        ({"token": "THE"}, '"THE" stands at 0 and 4'),
        ({"token": 11}, "token 11 does not exist"),
        ({"head": 8}, "head 8 does not exist"),
        ({"head": 1}, "head 1 were not kept: name it in `heads`"),
    ],
)
def test_a_row_that_cannot_be_derived(arguments, message):
    some = attncli.inspect(SENTENCE, heads=[0])
    if message is None:
        assert attncli.derive(some, **arguments).token == 4
        return
    with pytest.raises(attncli.AttncliError, match=message):
        attncli.derive(some, **arguments)


def test_closed_weights_say_so():
    with attncli.load_weights("sample") as weights:
        pass
    with pytest.raises(attncli.AttncliError, match="these weights were closed"):
        attncli.inspect("The cat sat", weights)


def test_threads_compute_the_same(result):
    with ThreadPoolExecutor(3) as pool:
        for other in pool.map(attncli.inspect, [SENTENCE] * 3):
            np.testing.assert_array_equal(other.A, result.A)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_computes_the_same():
    """After a sentence that is long enough for threads."""
    code = """if True:
        import os, attncli
        before = attncli.inspect("the cat " * 100)
        child = os.fork()
        if child == 0:
            after = attncli.inspect("the cat " * 100)
            os._exit(0 if (after.A == before.A).all() else 3)
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=60).returncode == 0
