"""The transformer against the reference implementation, and what it refuses."""

from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from comparison import first_difference, run_checkpoint

from attncli.analysis.derive import derive
from attncli.errors import AttncliError
from attncli.families import records, spec_from_config
from attncli.families.encoder import encoder_spec
from attncli.model import embed, forward
from attncli.weights import read_config
from attncli.weights.params import Params
from attncli.weights.random_tensors import RandomTensors
from attncli.weights.tensors import open_tensors

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(folder.parent.name for folder in GOLDEN.glob("*/config.json"))


def read_golden(name):
    """What the reference implementation computed, and from what."""
    with np.load(GOLDEN / name / "golden.npz") as golden:
        return dict(golden)


@contextmanager
def open_golden(name):
    """A tiny checkpoint's parameters and what the reference implementation computes with them."""
    folder = GOLDEN / name
    with closing(open_tensors(folder)) as tensors:
        yield Params(spec_from_config(read_config(folder)), tensors), read_golden(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_tensor_of_every_layer_is_the_references(name):
    golden = read_golden(name)
    assert first_difference(run_checkpoint(GOLDEN / name, golden), golden) is None


def test_every_family_has_a_golden():
    types = {read_config(GOLDEN / name)["model_type"] for name in NAMES}
    without = {"attncli_encoder", "stablelm_epoch", "RefinedWeb", "RefinedWebModel"}
    assert records().keys() - types == without


def test_a_difference_is_found_and_named():
    golden = read_golden("bert")
    golden["encoder.K.1"] = golden["encoder.K.1"] + 1e-4
    found = first_difference(run_checkpoint(GOLDEN / "bert", golden), golden)
    assert found.startswith("encoder.K.1 differs by 1.0")


@pytest.mark.parametrize("name", ["t5", "m2m_100", "gemma2", "deberta-v2", "mixtral"])
def test_float64_is_float64_throughout_and_agrees_with_the_reference(name):
    golden = read_golden(name)
    for dtype in (np.float32, np.float64):
        ours = list(run_checkpoint(GOLDEN / name, golden, dtype=dtype))
        assert {tensor: values.dtype for tensor, values in ours if values.dtype != dtype} == {}
        assert first_difference(iter(ours), golden) is None


def test_causal_can_be_asked_of_a_model_that_is_not():
    with open_golden("bert") as (params, golden):
        x = embed(params, golden["ids"].tolist())
        attention = forward(params, x, keep=[1], causal=True).layers[1]
        assert (attention.A[:, *np.triu_indices(len(x), 1)] == 0).all()
        # What a causal model knows of a token does not depend on what follows it.
        shorter = forward(params, x[:4], keep=[1], causal=True).layers[1]
        np.testing.assert_allclose(attention.Y[:4], shorter.Y, atol=1e-6)


class Watched:
    """Tensors that remember what was read."""

    def __init__(self, tensors):
        self._tensors = tensors
        self.read_names = []

    def __getattr__(self, name):
        return getattr(self._tensors, name)

    def read(self, name, rows=None):
        self.read_names.append(name)
        return self._tensors.read(name, rows)


def test_nothing_behind_the_last_layer_wanted_is_read():
    spec = encoder_spec(n_layers=3, n_heads=2, d_model=8, d_mlp=16, n_vocab=9)
    watched = Watched(RandomTensors(spec, seed=0))
    params = Params(spec, watched)
    forward(params, embed(params, [1, 2]), keep=[1])
    layers = {name for name in watched.read_names if name.startswith("layers.")}
    assert not [name for name in layers if name.startswith("layers.2.")]
    assert {name for name in layers if name.startswith("layers.1.")} == {
        f"layers.1.W_{x}" for x in "QKVO"
    }


def test_the_encoder_is_the_papers():
    """Sinusoids, sqrt(d_model), post-norm and ReLU, written out with plain numpy."""
    spec = encoder_spec(n_layers=2, n_heads=2, d_model=8, d_mlp=16, n_vocab=9)
    tensors = RandomTensors(spec, seed=3)
    params = Params(spec, tensors)
    ids = [4, 0, 8]
    x = tensors.read("E", ids) * np.sqrt(8)
    for p in range(3):
        for i in range(4):
            x[p, 2 * i] += np.sin(p / 10000 ** (2 * i / 8))
            x[p, 2 * i + 1] += np.cos(p / 10000 ** (2 * i / 8))
    np.testing.assert_allclose(embed(params, ids), x, atol=1e-6)

    def norm(m):
        return (m - m.mean(1, keepdims=True)) / np.sqrt(m.var(1, keepdims=True) + 1e-5)

    heads = []
    for r in range(2):
        Q, K, V = (x @ tensors.read(f"layers.0.W_{name}")[r] for name in "QKV")
        S = Q @ K.T / np.sqrt(4)
        A = np.exp(S) / np.exp(S).sum(1, keepdims=True)
        heads.append(A @ V)
    Y = np.hstack(heads) @ tensors.read("layers.0.W_O")
    h = norm(x + Y)
    mlp = np.maximum(h @ tensors.read("layers.0.W_1"), 0) @ tensors.read("layers.0.W_2")
    after = norm(h + mlp)
    trace = forward(params, embed(params, ids), keep=[0], keep_hidden=True)
    np.testing.assert_allclose(trace.layers[0].Y, Y, atol=1e-5)
    np.testing.assert_allclose(trace.hidden[1], after, atol=1e-5)


def test_a_sentence_longer_than_the_position_table_is_refused():
    with (
        open_golden("bert") as (params, _),
        pytest.raises(AttncliError, match="41 tokens, the model has 40 positions"),
    ):
        embed(params, [1] * 41)


def test_an_id_without_a_vector_is_refused():
    with (
        open_golden("bert") as (params, _),
        pytest.raises(AttncliError, match=r"token 1 has id 50, .* 50 rows \(0 to 49\)"),
    ):
        embed(params, [1, 50])


def test_cross_attention_is_targets_by_sources():
    with open_golden("t5") as (params, _):
        memory = forward(params, embed(params, [5, 6, 7, 8, 9]), keep_hidden=True).output
        decoder = params.decoder()
        y = embed(decoder, [0, 11, 12])
        trace = forward(decoder, y, keep=[0], memory=memory, keep_cross=[1])
        assert (list(trace.layers), list(trace.cross)) == ([0], [1])
        cross = trace.cross[1]
        assert cross.A.shape == (4, 3, 5)
        assert (cross.X.shape, cross.source.shape) == ((3, 24), (5, 24))
        assert (cross.mask, cross.bias, cross.scale) == (None, None, 1.0)
        np.testing.assert_allclose(cross.A.sum(axis=-1), np.ones((4, 3)), atol=1e-6)
        assert (trace.layers[0].A[:, *np.triu_indices(3, 1)] == 0).all()


def test_a_decoder_needs_the_encoders_output():
    with open_golden("bart") as (params, _), pytest.raises(AttncliError, match="encoder's output"):
        forward(params.decoder(), embed(params.decoder(), [1, 2]), keep=[0])


def test_one_stack_has_no_decoder():
    with (
        open_golden("bert") as (params, _),
        pytest.raises(AttncliError, match="bert has no decoder"),
    ):
        params.decoder()


def test_the_parts_of_a_score_add_up():
    """dots, scale, soft-cap, bias and mask of a trace are what S is made of."""
    for name in ("gemma2", "deberta-v3", "bloom", "t5", "modernbert"):
        trace = forward_golden(name)
        for attention in trace.layers.values():
            S = attention.dots * np.float32(attention.scale)
            if attention.softcap is not None:
                S = np.tanh(S / np.float32(attention.softcap)) * np.float32(attention.softcap)
            if attention.bias is not None:
                S = S + attention.bias
            if attention.mask is not None:
                S = S + attention.mask
            np.testing.assert_allclose(attention.S, S, atol=1e-5)


def test_the_stages_of_a_query_are_kept_apart():
    gemma = forward_golden("gemma3").layers[0]
    np.testing.assert_allclose(
        np.hstack(list(gemma.Q_projected)), gemma.X @ gemma.params.W_Q, atol=1e-5
    )
    assert abs(gemma.Q_unrotated - gemma.Q_projected).max() > 0.1  # normed
    assert abs(gemma.Q - gemma.Q_unrotated)[:, 1:].max() > 0.1  # turned, but for position 0
    np.testing.assert_allclose(gemma.Q[:, 0], gemma.Q_unrotated[:, 0], atol=1e-6)
    assert [gemma.kv_head(r) for r in range(4)] == [0, 0, 1, 1]
    assert len(gemma.K) == len(gemma.V) == 2
    np.testing.assert_array_equal(gemma.of_head("V", 3), gemma.V[1])
    np.testing.assert_array_equal(gemma.of_head("Q", 3), gemma.Q[3])
    bert = forward_golden("bert").layers[0]
    assert bert.Q is bert.Q_unrotated is bert.Q_projected


def forward_golden(name):
    with open_golden(name) as (params, golden):
        x = embed(params, golden["ids"].tolist())
        return forward(params, x, keep=range(params.spec.n_layers))


@pytest.mark.parametrize("name", ["llama", "gemma2", "t5", "deberta-v3", "bloom", "gpt2"])
def test_a_derivation_follows_every_family(name):
    for attention in forward_golden(name).layers.values():
        for head in range(4):
            assert derive(attention, head, token=6).largest_difference < 1e-5


def test_only_the_heads_that_are_wanted_keep_their_scores_and_weights():
    with open_golden("t5") as (params, golden):  # with a bias of each head
        x = embed(params, golden["ids"].tolist())
        every = forward(params, x, keep=[1]).layers[1]
        some = forward(params, x, keep=[1], keep_heads=[3, 1]).layers[1]
    assert len(some.S) == len(some.A) == len(some.bias) == 2
    for head in (1, 3):
        for name in ("Q", "K", "V", "bias", "S", "A", "Z"):
            np.testing.assert_array_equal(some.of_head(name, head), every.of_head(name, head))
        np.testing.assert_array_equal(derive(some, head, 2).scores, derive(every, head, 2).scores)
    np.testing.assert_array_equal(some.Y, every.Y)
