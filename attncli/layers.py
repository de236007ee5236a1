"""The parts of a block that are not attention: norm, activation, MLP."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from attncli.attention import Array, project


def layer_norm(x: Array, weight: Array, bias: Array, eps: float) -> Array:
    """(x - mean) / sqrt(var + eps) * weight + bias over each row; x (n, d) -> (n, d).

    The variance is the biased one (Ba et al. 2016, https://arxiv.org/abs/1607.06450).
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    var = np.square(centred).mean(axis=-1, keepdims=True)
    normed: Array = centred / np.sqrt(var + x.dtype.type(eps))
    return normed * weight + bias


_ROWS = 8  # what is worked on at once stays in the cache
_ERF_LIMIT = 3.832506856900711  # beyond it float32 holds 1
_ERF_ABOVE = (
    0.00022905065861350646,
    0.0034082910107109506,
    0.050955695062380861,
    0.18520832239976145,
    1.128379143519084,
)
_ERF_BELOW = (
    -1.1791602954361697e-7,
    0.000023547966471313185,
    0.0010179625278914885,
    0.014070470171167667,
    0.11098505178285362,
    0.49746925110067538,
    1.0,
)


def erf(x: Array) -> Array:
    """The error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x.

    numpy has none. A rational function of x^2: in float64 within 4e-8 of the true value, which
    is nothing in float32. Coefficients: XLA, EmitErfF32 (https://github.com/openxla/xla).
    """
    x = np.clip(x, -_ERF_LIMIT, _ERF_LIMIT)
    square = x * x
    return x * _polynomial(_ERF_ABOVE, square) / _polynomial(_ERF_BELOW, square)


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Horner's rule, the highest power first."""
    total = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        total *= x
        total += c
    return total


def relu(x: Array) -> Array:
    """max(x, 0)."""
    return np.maximum(x, 0)


def _half_gated(x: Array, gate: Array) -> Array:
    """x/2 (1 + gate), the form of every activation below: sigmoid(2 t) = (1 + tanh t) / 2."""
    return x * 0.5 * (1 + gate)


def gelu(x: Array) -> Array:
    """x/2 (1 + erf(x / sqrt 2)) (Hendrycks and Gimpel 2016, https://arxiv.org/abs/1606.08415).

    In float64, a few rows at a time: 1 + erf of a negative number would lose digits.
    """
    out = np.empty_like(x)
    for start in range(0, len(x), _ROWS):
        rows = x[start : start + _ROWS].astype(np.float64)
        out[start : start + _ROWS] = _half_gated(rows, erf(rows * 0.5**0.5))
    return out


def gelu_tanh(x: Array) -> Array:
    """x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the approximation of the same paper."""
    inner: Array = (2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)
    return _half_gated(x, np.tanh(inner))


def quick_gelu(x: Array) -> Array:
    """x sigmoid(1.702 x)."""
    return _half_gated(x, np.tanh(0.851 * x))


def silu(x: Array) -> Array:
    """x sigmoid(x)."""
    return _half_gated(x, np.tanh(0.5 * x))


ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "relu": relu,
    "gelu": gelu,
    "gelu_new": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
    "quick_gelu": quick_gelu,
    "silu": silu,
    "swish": silu,
    "tanh": np.tanh,
}


def mlp(x: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array, activation: str) -> Array:
    """act(x W_1 + b_1) W_2 + b_2: (n, d_model) -> (n, d_model)."""
    return project(ACTIVATIONS[activation](project(x, W_1, b_1)), W_2, b_2)
