"""One number of a derivation as a sum of products, for a reader who wants to see it made."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attncli.attention import Array


@dataclass(frozen=True)
class WrittenOut:
    """value = sum_t left[t] right[t] + bias."""

    index: int  # which number of its vector it is
    left: Array  # (terms,)
    right: Array  # (terms,)
    products: Array  # (terms,)
    bias: float | None
    value: float


def _sum(
    index: int, left: Array, right: Array, vector: Array, bias: Array | None = None
) -> WrittenOut:
    added = None if bias is None else float(bias[index])
    return WrittenOut(index, left, right, left * right, added, float(vector[index]))


def q_component(x: Array, W_Q: Array, b_Q: Array | None, q: Array, index: int) -> WrittenOut:
    """q_i[index] = sum_t x_i[t] W_Q[t, index] + b_Q[index]: before norm and rotation."""
    return _sum(index, x, W_Q[:, index], q, b_Q)


def z_component(a: Array, v: Array, z: Array, index: int) -> WrittenOut:
    """z_i[index] = sum_j a_ij v_j[index]."""
    return _sum(index, a, v[:, index], z)


def y_component(z_cat: Array, W_O: Array, b_O: Array | None, y: Array, index: int) -> WrittenOut:
    """y_i[index] = sum_t z_cat[t] W_O[t, index] + b_O[index]."""
    return _sum(index, z_cat, W_O[:, index], y, b_O)


def dot_product(q: Array, k: Array, dots: Array, key: int) -> WrittenOut:
    """q_i . k_key = sum_t q_i[t] k_key[t]."""
    return _sum(key, q, k[key], dots)


def largest(values: Array, count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where the `count` numbers of largest absolute value stand, largest first, and the others."""
    order = np.argsort(-np.abs(values), kind="stable")
    return order[:count], order[count:]
