"""The parts of a block that are not attention: norms, activations, experts, convolution."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from attncli.attention import Array, softmax


def layer_norm(x: Array, weight: Array, bias: Array | None, eps: float) -> Array:
    """(x - mean) / sqrt(var + eps) * weight + bias over each row; x (..., d) -> (..., d).

    The variance is the biased one (Ba et al. 2016, https://arxiv.org/abs/1607.06450).
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    var = np.square(centred).mean(axis=-1, keepdims=True)
    normalized: Array = centred / np.sqrt(var + x.dtype.type(eps)) * weight
    return normalized if bias is None else normalized + bias


def rms_norm(x: Array, weight: Array, eps: float) -> Array:
    """x / sqrt(mean(x^2) + eps) * weight over each row; x (..., d) -> (..., d).

    Zhang and Sennrich 2019, https://arxiv.org/abs/1910.07467.
    """
    mean_square = np.square(x).mean(axis=-1, keepdims=True)
    normalized: Array = x / np.sqrt(mean_square + x.dtype.type(eps)) * weight
    return normalized


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

    In float64: 1 + erf of a negative number would lose digits.
    """
    wide = x.astype(np.float64)
    return _half_gated(wide, erf(wide * 0.5**0.5)).astype(x.dtype)


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


def relu2(x: Array) -> Array:
    """max(x, 0)^2."""
    return np.square(relu(x))


ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "relu": relu,
    "relu2": relu2,
    "gelu": gelu,
    "gelu_python": gelu,
    "gelu_new": gelu_tanh,
    "gelu_fast": gelu_tanh,
    "gelu_accurate": gelu_tanh,
    "gelu_pytorch_tanh": gelu_tanh,
    "quick_gelu": quick_gelu,
    "silu": silu,
    "swish": silu,
    "tanh": np.tanh,
}

_PIECE = 2**16  # numbers that an activation works on at a time: its steps stay in the cache


def activate(x: Array, activation: str) -> Array:
    """The activation of every number of x (n, d), in place."""
    rows = max(1, _PIECE // x.shape[1])
    for start in range(0, len(x), rows):
        piece = x[start : start + rows]
        piece[...] = ACTIVATIONS[activation](piece)
    return x


def mixture(x: Array, router: Array, n_used: int, expert: Callable[[int, Array], Array]) -> Array:
    """A mixture of experts: each row goes to the `n_used` MLPs that `router` likes best.

    p = softmax(x router), router (d_model, n_experts); the largest n_used of p are divided by
    their sum and weigh what their experts make of the row. An expert that no row chose is not
    asked for (Jiang et al. 2024, https://arxiv.org/abs/2401.04088, section 2.1). -> (n, d_model)
    """
    p = softmax(x @ router)  # (n, n_experts)
    chosen = np.argsort(-p, axis=1, kind="stable")[:, :n_used]
    weights = np.take_along_axis(p, chosen, axis=1)
    weights = weights / weights.sum(axis=1, keepdims=True)
    out = np.zeros_like(x)
    for e in np.unique(chosen).tolist():
        rows, place = np.nonzero(chosen == e)
        out[rows] += weights[rows, place, None] * expert(e, x[rows])
    return out


def convolution(x: Array, W: Array, b: Array | None) -> Array:
    """A convolution along the sentence that keeps its length: (n, d), (k, d, d), (d,) -> (n, d).

    W[t] is the (in, out) matrix of the token t - (k - 1)/2 to the right; outside lie zeros.
    """
    width, n = len(W), len(x)
    padded = np.pad(x, ((width // 2, width // 2), (0, 0)))
    total = sum((padded[t : t + n] @ W[t] for t in range(width)), np.zeros_like(x))
    return total if b is None else total + b
