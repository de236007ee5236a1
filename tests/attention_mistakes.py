"""Attention written out plainly in numpy, right or with one mistake made on purpose.

Independent of attncli: the arrays that a person would save, under the article's names.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Array = np.ndarray


def softmax(S: Array, axis: int = -1) -> Array:
    with np.errstate(invalid="ignore"):
        E = np.exp(S - S.max(axis, keepdims=True))
        return E / E.sum(axis, keepdims=True)


@dataclass(frozen=True)
class Toy:
    """The sizes and parameters of one layer; n, h, d_k and d_model all differ."""

    n: int = 7
    h: int = 3
    d_k: int = 4
    d_model: int = 12
    seed: int = 0
    bias: bool = True
    params: dict[str, Array] = field(init=False)

    def __post_init__(self):
        rng, wide = np.random.default_rng(self.seed), self.h * self.d_k
        params = {"X": rng.normal(size=(self.n, self.d_model))}
        for letter in "QKV":
            params[f"W_{letter}"] = rng.normal(size=(self.d_model, wide)) * 0.5
        params["W_O"] = rng.normal(size=(wide, self.d_model)) * 0.5
        for letter in "QKV":
            params[f"b_{letter}"] = rng.normal(size=wide) * 0.3
        params["b_O"] = rng.normal(size=self.d_model) * 0.3
        if not self.bias:
            params = {name: value for name, value in params.items() if name[0] != "b"}
        object.__setattr__(self, "params", params)

    def split(self, M: Array) -> Array:
        return M.reshape(self.n, self.h, -1).transpose(1, 0, 2)

    def merge(self, Z: Array) -> Array:
        return Z.transpose(1, 0, 2).reshape(self.n, -1)

    @property
    def causal(self) -> Array:
        """True above the diagonal: hidden."""
        return np.triu(np.ones((self.n, self.n), np.bool_), 1)

    @property
    def padding(self) -> Array:
        """True for the first two tokens: hidden as keys."""
        return np.arange(self.n) < 2


def identity(value: Array) -> Array:
    return value


def attention(
    toy: Toy,
    *,
    params: dict[str, Array] | None = None,
    project: Callable[[str], Array] | None = None,
    split: Callable[[Array], Array] | None = None,
    heads: Callable[..., tuple[Array, Array, Array]] = lambda Q, K, V: (Q, K, V),
    scale: float | None = None,
    dots: Callable[[Array], Array] = identity,
    hidden: Array | None = None,
    mask: Callable[[Array], Array] | None = None,
    weights: Callable[[Array], Array] = softmax,
    after: Callable[[Array], Array] = identity,
    values: Callable[[dict[str, Array]], Array] = lambda M: M["A"] @ M["V"],
    merge: Callable[[Array], Array] | None = None,
    output: Callable[[dict[str, Array]], Array] | None = None,
) -> dict[str, Array]:
    """Every array of one layer; each argument replaces one step."""
    p = {**toy.params, **(params or {})}

    def right_projection(letter: str) -> Array:
        return p["X"] @ p[f"W_{letter}"] + p.get(f"b_{letter}", 0)

    flat = {letter: (project or right_projection)(letter) for letter in "QKV"}
    Q, K, V = heads(*((split or toy.split)(flat[letter]) for letter in "QKV"))
    S = dots(Q @ K.transpose(0, 2, 1)) * (1 / np.sqrt(toy.d_k) if scale is None else scale)
    if mask is not None:
        S = mask(S)
    elif hidden is not None:
        S = np.where(hidden, -np.inf, S)
    A = after(weights(S))
    made = {"Q": Q, "K": K, "V": V, "S": S, "A": A}
    made["Z"] = values(made)
    made["Z_cat"] = (merge or toy.merge)(made["Z"])
    made["Y"] = output(made) if output else made["Z_cat"] @ p["W_O"] + p.get("b_O", 0)
    return {**toy.params, **made}


def twice(M: Array) -> Array:
    return np.repeat(M, 2, axis=0)


def grouped(
    K_for_Q: Callable[[Array], Array], V_for_Q: Callable[[Array], Array] = twice
) -> dict[str, Array]:
    """Four heads of Q, two of K and V."""
    n, d_k, rng = 7, 4, np.random.default_rng(2)
    Q, K, V = (rng.normal(size=(heads, n, d_k)) for heads in (4, 2, 2))
    S = Q @ K_for_Q(K).transpose(0, 2, 1) / np.sqrt(d_k)
    A = softmax(S)
    return {"Q": Q, "K": K, "V": V, "S": S, "A": A, "Z": A @ V_for_Q(V)}


def turned(M: Array, interleaved: bool = False, width: int = 4) -> Array:
    """Rotary positions as a model's authors write them, on the first numbers of each vector."""
    angles = np.arange(M.shape[1])[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    first = slice(0, width, 2) if interleaved else slice(0, width // 2)
    second = slice(1, width, 2) if interleaved else slice(width // 2, width)
    a, b, out = M[..., first], M[..., second], M.copy()
    out[..., first] = a * np.cos(angles) - b * np.sin(angles)
    out[..., second] = a * np.sin(angles) + b * np.cos(angles)
    return out
