"""Seeded random tensors: the same numbers on every machine, with no meaning."""

from collections.abc import Collection, Mapping, Sequence
from math import sqrt
from zlib import crc32

import numpy as np

from attncli.attention import Array
from attncli.families.spec import Spec


def _uniform(seed: int, name: str, shape: tuple[int, ...], bound: float) -> Array:
    """U(-bound, bound) from a generator seeded by both `seed` and the tensor's name."""
    rng = np.random.Generator(np.random.PCG64([seed, crc32(name.encode())]))
    return (rng.random(shape, np.float32) * 2 - 1) * np.float32(bound)


def seeded_rows(seed: int, index: Sequence[int], d_model: int) -> Array:
    """Rows of E by token id, of the variance 1/d_model: (len(index), d_model)."""
    bound = sqrt(3 / d_model)  # the variance of U(-b, b) is b^2 / 3
    return np.stack([_uniform(seed, f"E[{i}]", (d_model,), bound) for i in index])


class RandomTensors:
    """The tensors of an encoder (families/encoder.py), each made when it is read.

    Every tensor, and every row of E, is seeded by `seed` and its own name alone: the numbers do
    not depend on what else is read, nor on the size of the vocabulary.

    Matrices are Xavier-uniform (Glorot and Bengio 2010): U(-b, b), b = sqrt(6 / (in + out)) with
    the heads side by side. Rows of E have the variance 1/d_model; norms are 1 and biases 0.
    """

    def __init__(self, spec: Spec, seed: int) -> None:
        self._seed = seed
        self._shapes = dict(_shapes(spec))

    def names(self) -> Collection[str]:
        return self._shapes.keys()

    def shape(self, name: str) -> tuple[int, ...]:
        return self._shapes[name]

    def storage(self, name: str) -> str:  # noqa: ARG002
        return "seeded random"

    def read(self, name: str, rows: Sequence[int] | None = None) -> Array:
        shape = self._shapes[name]
        if name == "E":
            return seeded_rows(self._seed, range(shape[0]) if rows is None else rows, shape[1])
        if len(shape) == 1:
            return np.full(shape, name.endswith(".weight"), np.float32)
        heads = shape[0] if len(shape) == 3 else 1
        return _uniform(self._seed, name, shape, sqrt(6 / (shape[-2] + heads * shape[-1])))

    def close(self) -> None:
        """Nothing is open."""


def _shapes(spec: Spec) -> Mapping[str, tuple[int, ...]]:
    """Tensor name -> shape as stored, for every layer."""
    return {
        template.format(i=layer): spec.stored_shape(role)
        for role, template in spec.names.items()
        for layer in range(spec.n_layers)
    }
