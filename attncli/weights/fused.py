"""Matrices that lie side by side in one tensor, taken apart."""

import numpy as np

from attncli.attention import Array
from attncli.families.spec import Spec


def split_qkv(M: Array, spec: Spec) -> tuple[Array, Array, Array]:
    """W_QKV (d_model, width) or b_QKV (width,) -> the columns of Q, of K and of V, heads in order.

    `concat`: all of Q, then all of K, then all of V. `grouped`: for every key/value head its
    query heads, its key and its value (GPT-NeoX, BLOOM, Falcon).
    """
    h, kv, d_k = spec.n_heads, spec.n_kv_heads, spec.d_k
    if spec.qkv == "concat":
        Q, K, V = np.split(M, [h * d_k, (h + kv) * d_k], axis=-1)
        return Q, K, V
    groups = M.reshape(*M.shape[:-1], kv, h // kv + 2, d_k)
    parts = groups[..., :-2, :], groups[..., -2, :], groups[..., -1, :]
    Q, K, V = (part.reshape(*M.shape[:-1], -1) for part in parts)
    return Q, K, V


def split_halves(M: Array) -> tuple[Array, Array]:
    """W_1_up or b_1_up -> the columns that the activation gets, and those that gate them."""
    first, second = np.split(M, 2, axis=-1)
    return first, second
