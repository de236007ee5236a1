"""The derivation of one row: the article's steps, and an honest last line."""

from dataclasses import replace

import numpy as np
import pytest
from views_fixtures import golden_layers, make_trace

from attncli.analysis.derive import derive, sum_over
from attncli.analysis.written_out import largest
from attncli.inspector import inspect
from attncli.weights import load_weights

close = np.testing.assert_allclose


@pytest.fixture(scope="module")
def trace():
    """Three tokens, two heads of width 2, with biases, so that every term shows."""
    return make_trace(3, h=2, d_model=5, d_k=2, causal=True, seed=7)


def test_each_step_follows_from_the_one_before(trace):
    d = derive(trace, head=1, token=2)
    W, b = trace.params.W_Q[:, 2:4], trace.params.b_Q[2:4]
    close(d.q, d.x @ W + b, rtol=1e-6)
    close(d.dots, [d.q @ k for k in trace.K[1]], rtol=1e-6)
    close(d.scores, d.dots / np.sqrt(2), rtol=1e-6)
    close(d.row_max, max(d.scores))
    close(d.exponentials, np.exp(d.scores - d.row_max), rtol=1e-6)
    close(d.a, d.exponentials / d.exp_sum, rtol=1e-6)
    close(d.a_v, d.a[:, None] * trace.V[1], rtol=1e-6)
    close(d.z, d.a_v.sum(axis=0), rtol=1e-6)
    close(d.z_cat, np.hstack([trace.Z[0, 2], d.z]), atol=1e-6)
    for r, block in enumerate([slice(0, 2), slice(2, 4)]):
        close(d.shares[r], d.z_cat[block] @ trace.params.W_O[block], atol=1e-6)
    close(d.y, d.z_cat @ trace.params.W_O + trace.params.b_O, atol=1e-6)


def test_the_length_of_what_each_head_adds(trace):
    d = derive(trace, head=1, token=2)
    close(d.share_norms, np.sqrt((d.shares.astype(float) ** 2).sum(axis=1)), rtol=1e-6)


def test_the_component_written_out_is_a_number_of_q(trace):
    d = derive(trace, head=0, token=1)
    c = d.component
    close(c.value, d.q[c.index])
    close(c.products.sum() + c.bias, c.value, atol=1e-6)
    close(c.products, c.left * c.right, rtol=1e-6)
    close(c.left, d.x)
    close(c.right, trace.params.W_Q[:, c.index])


def test_a_query_to_which_nothing_happens_ends_as_it_was_projected(trace):
    path = derive(trace, head=1, token=2).query
    assert path.end is path.unrotated is path.projected
    assert path.clipping is path.norming is path.turning is None


def test_masked_keys_have_no_part_in_the_row(trace):
    d = derive(trace, head=0, token=0)
    close(d.a, [1, 0, 0])
    assert np.isneginf(d.scores[1:]).all()
    assert d.hidden.tolist() == [False, True, True]
    close(d.z, trace.V[0, 0])


def test_a_row_in_which_every_key_is_masked_has_no_weights(trace):
    mask = np.full((3, 3), -np.inf, np.float32)
    nothing = replace(
        trace,
        mask=mask,
        S=np.full_like(trace.S, -np.inf),
        A=np.zeros_like(trace.A),
        Z=np.zeros_like(trace.Z),
        Z_cat=np.zeros_like(trace.Z_cat),
        Y=np.tile(trace.params.b_O, (3, 1)),
    )
    d = derive(nothing, head=0, token=1)
    assert d.row_max is None
    close(d.a, [0, 0, 0])
    close(d.y, trace.params.b_O)
    assert d.largest_difference < 1e-6


@pytest.mark.parametrize("name", ["Q_projected", "Q", "S", "A", "Z"])
def test_the_largest_difference_sees_an_error_of_the_matrix_path(trace, name):
    right = derive(trace, head=1, token=2)
    assert right.largest_difference < 1e-5
    assert right.agrees
    wrong = getattr(trace, name).copy()
    wrong[1, 2, 0] += 0.25
    d = derive(replace(trace, **{name: wrong}), 1, 2)
    assert d.largest_difference > 0.24
    assert not d.agrees


@pytest.mark.parametrize("error", [0.5, np.nan])
def test_the_largest_difference_covers_y_and_loses_no_nan(trace, error):
    Y = trace.Y.copy()
    Y[2, 3] -= error
    d = derive(replace(trace, Y=Y), 1, 2)
    close(d.largest_difference, error, rtol=0.01)
    assert not d.agrees


def test_float32_may_err_in_proportion_to_the_largest_number(trace):
    d = derive(trace, 1, 2)
    close(
        d.tolerance,
        100 * np.finfo(np.float32).eps * max(np.abs(np.hstack([d.q, d.dots, d.z, d.y]))),
    )
    d = derive(replace(trace, params=replace(trace.params, W_O=trace.params.W_O * 1000)), 1, 2)
    close(d.tolerance, 100 * np.finfo(np.float32).eps * max(np.abs(d.y)))


def test_some_entries_are_largest_and_the_others_add_up():
    values = np.array([0.5, -3, 2, 0.25, -2])
    first, others = largest(values, 2)
    assert (first.tolist(), others.tolist()) == ([1, 2], [4, 0, 3])
    close(sum_over(values, others), -1.25)
    close(sum_over(np.outer(values, [1, 2]), others), [-1.25, -2.5])


def test_without_W_O_there_is_no_y(trace):
    params = replace(trace.params, W_O=None)
    d = derive(replace(trace, params=params, Y=None), 0, 2)
    assert d.y is None
    assert d.shares is d.share_norms is None
    assert d.agrees


def test_every_row_of_the_sample_agrees_with_its_matrices():
    with load_weights("sample") as weights:
        attention = inspect("The cat sat because it was tired", weights).attention
    worst = max(
        derive(attention, head, token).largest_difference for head in range(8) for token in range(7)
    )
    assert worst < 2e-5


FAMILIES_WITH_STAGES = [
    "qwen3",  # RMSNorm of each head, rotary, shared keys
    "olmo2",  # RMSNorm over all heads
    "stablelm-2-12b",  # LayerNorm with weights of each head
    "phi-qk-norm",  # LayerNorm with a bias, part of a head rotated
    "cohere-qk-norm",  # neighbours are the pairs
    "mpt-6-heads",  # clipped
    "llama-yarn-factor",  # cos and sin multiplied
    "phi3-longrope-long",
]


@pytest.mark.parametrize("name", FAMILIES_WITH_STAGES)
def test_norms_and_rotations_are_derived_not_copied(name):
    _, layers = golden_layers(name)
    trace = layers[1]
    for head, token in [(0, 5), (1, 0), (3, 10)]:
        d = derive(trace, head, token)
        kv = trace.kv_head(head)
        assert d.key == int(trace.A[head, token].argmax())
        for path, stages in [
            (d.query, [M[head, token] for M in (trace.Q_projected, trace.Q_unrotated, trace.Q)]),
            (
                d.strongest,
                [M[kv, d.key] for M in (trace.K_projected, trace.K_unrotated, trace.K)],
            ),
        ]:
            for ours, theirs in zip(
                (path.projected, path.unrotated, path.end), stages, strict=True
            ):
                close(ours, theirs, rtol=1e-5, atol=1e-6)
        assert d.query.end is not d.query.projected
        assert d.agrees


@pytest.mark.parametrize("name", ["K_projected", "K_unrotated", "K", "Q_unrotated"])
def test_an_error_of_a_stage_is_seen(name):
    _, layers = golden_layers("qwen3")
    trace = layers[1]
    wrong = getattr(trace, name) + 0.25
    assert not derive(replace(trace, **{name: wrong}), 3, 5).agrees


@pytest.mark.parametrize("name", ["t5", "bloom-6-heads", "mpt-6-heads", "falcon-rw", "deberta-v3"])
def test_the_position_bias_is_derived_not_copied(name):
    _, layers = golden_layers(name)
    trace = layers[1]
    for head, token in [(0, 5), (1, 0), (3, 10)]:
        d = derive(trace, head, token)
        close(d.bias, trace.bias[head, token], rtol=1e-5, atol=1e-6)
        assert d.agrees
        terms = d.bias_terms
        if terms.slope is not None:
            close(terms.slope * terms.place, d.bias, rtol=1e-5)
        if terms.q_r is not None and terms.k_r is not None:
            close(terms.q_r + terms.k_r, d.bias, atol=1e-6)


def test_an_error_of_the_position_bias_is_seen():
    _, layers = golden_layers("t5")
    trace = layers[1]
    position = replace(
        trace.position, B=trace.position.B + np.float32(0.5) * np.eye(8, 4, dtype="f4")
    )
    assert not derive(replace(trace, position=position), 1, 5).agrees
