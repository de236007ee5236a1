"""Where a token stands, as vectors."""

import numpy as np

from attncli.attention import Array


def sinusoids(n: int, d_model: int) -> Array:
    """P[p, 2i] = sin(p / 10000^(2i / d_model)), P[p, 2i + 1] = cos(same). -> (n, d_model)

    Vaswani et al. 2017, section 3.5.
    """
    rates = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.arange(n)[:, None] * rates
    P = np.empty((n, d_model), np.float32)
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)[:, : d_model // 2]
    return P
