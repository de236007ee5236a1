"""Where a token stands, as a vector added to its embedding.

A rotation of q and k is in rotary.py, a number added to a score in position_bias.py.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from attncli.attention import Array


def sinusoids(positions: Sequence[int], d_model: int) -> Array:
    """P[p, 2i] = sin(p / 10000^(2i / d_model)), P[p, 2i + 1] = cos(same). -> (n, d_model)

    Vaswani et al. 2017, section 3.5.
    """
    rates = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.array(positions)[:, None] * rates
    P = np.zeros((len(positions), d_model), np.float32)
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)[:, : d_model // 2]
    return P


def sinusoid_halves(positions: Sequence[int], d_model: int) -> Array:
    """The same numbers, all sines first, then all cosines, as Marian has them. -> (n, d_model)"""
    P = sinusoids(positions, d_model)
    return np.concatenate([P[:, 0::2], P[:, 1::2]], axis=1)


def fairseq_sinusoids(positions: Sequence[int], d_model: int) -> Array:
    """[sin(p f) | cos(p f)] with f_k = 10000^(-k / (d_model/2 - 1)). -> (n, d_model)

    tensor2tensor's form, which fairseq and M2M100 use.
    """
    half = d_model // 2
    rates = np.exp(np.arange(half, dtype=np.float32) * np.float32(-math.log(10000) / (half - 1)))
    angles = np.array(positions, np.float32)[:, None] * rates
    P = np.zeros((len(positions), d_model), np.float32)
    P[:, :half], P[:, half : 2 * half] = np.sin(angles), np.cos(angles)
    return P


SINUSOIDS: Mapping[str, Callable[[Sequence[int], int], Array]] = {
    "sinusoids": sinusoids,
    "sinusoid_halves": sinusoid_halves,
    "fairseq_sinusoids": fairseq_sinusoids,
}
