"""Three tokens with numbers so small that everything can be done on paper.

d_model = 2, one head, d_k = 1:

    X = 1 0    W_Q = 1    W_K = 0    W_V = 2        Q = 1    K = 0    V = 2
        0 1          0          1          4            0        1        4
        1 1                                             1        1        6

The first and the third query are 1, so S = q k is 0 1 1 in these rows and 0 0 0 in the second.
With e = 2.718281828..., the sum of exp(S) is 1 + 2e in these rows: A = 1/(1 + 2e), e/(1 + 2e),
e/(1 + 2e), and Z = (2 + 4e + 6e)/(1 + 2e). The second row looks at all three alike: Z = 12/3.
"""

from collections.abc import Iterator

import numpy as np

from attncli.attention import Array, dot_products, project, scores, softmax, weighted_values

E = 2.718281828459045

X = [[1, 0], [0, 1], [1, 1]]
W_Q, W_K, W_V = [[1], [0]], [[0], [1]], [[2], [4]]
S = [[0, 1, 1], [0, 0, 0], [0, 1, 1]]
_LOOKING = [1 / (1 + 2 * E), E / (1 + 2 * E), E / (1 + 2 * E)]
A = [_LOOKING, [1 / 3, 1 / 3, 1 / 3], _LOOKING]
_SEEN = (2 + 10 * E) / (1 + 2 * E)
Z = [[_SEEN], [4], [_SEEN]]


def compared() -> Iterator[tuple[Array, Array]]:
    """S, A and Z as attncli computes them, each beside what stands on paper."""
    x = np.array(X, np.float32)
    q, k, v = (project(x, np.array(W, np.float32)) for W in (W_Q, W_K, W_V))
    s = scores(dot_products(q, k), 1.0)
    a = softmax(s)
    for ours, paper in ((s, S), (a, A), (weighted_values(a, v), Z)):
        yield ours, np.array(paper, np.float64)
