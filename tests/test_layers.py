"""Norm and activations against their definitions."""

import math

import numpy as np
import pytest

from attncli import layers

X = np.linspace(-8, 8, 4002).astype(np.float32)


def test_layer_norm_uses_the_biased_variance_with_eps_inside_the_root():
    x = np.array([[0.001, 0.003]], np.float32)  # small, so that eps shows
    out = layers.layer_norm(x, np.float32([2, 2]), np.float32([1, 0]), eps=1e-6)
    expected = np.array([-0.001, 0.001]) / math.sqrt(1e-6 + 1e-6) * 2 + [1, 0]
    np.testing.assert_allclose(out[0], expected, rtol=1e-5)


def test_erf_agrees_with_the_c_library():
    x = X.astype(np.float64)
    np.testing.assert_allclose(layers.erf(x), [math.erf(value) for value in x.tolist()], atol=4e-8)


@pytest.mark.parametrize(
    ("name", "definition"),
    [
        ("gelu", lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2)))),
        (
            "gelu_new",
            lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        ),
        ("quick_gelu", lambda x: x / (1 + math.exp(-1.702 * x))),
        ("silu", lambda x: x / (1 + math.exp(-x))),
        ("relu", lambda x: max(x, 0)),
        ("tanh", math.tanh),
    ],
)
def test_activation_is_its_definition(name, definition):
    out = layers.ACTIVATIONS[name](X.reshape(-1, 3))
    assert out.dtype == np.float32
    np.testing.assert_allclose(out.ravel(), [definition(x) for x in X.tolist()], atol=1e-6)


@pytest.mark.parametrize("name", layers.ACTIVATIONS)
def test_activation_of_a_huge_number_is_finite(name):
    assert np.isfinite(layers.ACTIVATIONS[name](np.float32([[-1e4, 1e4]]))).all()


def test_rms_norm_by_hand():
    out = layers.rms_norm(np.float32([[3, 4]]), np.float32([1, 2]), eps=0.5)
    np.testing.assert_allclose(out, [[3 / math.sqrt(13), 8 / math.sqrt(13)]], rtol=1e-6)


def test_an_activation_in_pieces_is_the_same(monkeypatch):
    x = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    expected = layers.gelu(x)
    monkeypatch.setattr(layers, "_PIECE", 10)
    np.testing.assert_array_equal(layers.activate(x, "gelu"), expected)


def test_a_mixture_is_the_weighted_sum_of_the_chosen_experts():
    x = np.float32([[1, 0], [0, 1], [2, 2]])
    router = np.float32([[0, 1, 5], [0, 3, 1]])
    asked = []

    def expert(e, rows):
        asked.append(e)
        return rows * (e + 1)

    out = layers.mixture(x, router, 2, expert)
    for i, logits in enumerate(x @ router):
        p = np.exp(logits) / np.exp(logits).sum()
        best = np.argsort(p)[-2:]
        np.testing.assert_allclose(out[i], sum(p[e] / p[best].sum() * x[i] * (e + 1) for e in best))
    assert asked == [1, 2]  # nobody chose expert 0: its tensors are not read


def test_a_convolution_against_loops():
    rng = np.random.default_rng(0)
    x, W, b = rng.normal(size=(5, 2)), rng.normal(size=(3, 2, 2)), rng.normal(size=2)
    for i, row in enumerate(layers.convolution(x, W, b)):
        near = [(t, i + t - 1) for t in range(3) if 0 <= i + t - 1 < 5]
        np.testing.assert_allclose(row, sum(x[j] @ W[t] for t, j in near) + b)
