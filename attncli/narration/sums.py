"""The weighted values and their sum z_i, the heads side by side, and y_i, in printed numbers.

A vector has more numbers than most media have room for: each function takes the columns wanted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attncli.analysis.derive import Derivation, sum_over
from attncli.analysis.path import Indices
from attncli.analysis.rounding import read
from attncli.analysis.written_out import largest
from attncli.attention import Array
from attncli.medium.numbers import Notation, notation
from attncli.narration.page import Page, given, texts


@dataclass(frozen=True)
class WeightedRows:
    """For each key that is written out: v_j, and a_ij v_j; the others as one; the sum z_i."""

    keys: list[int]
    a: list[str]
    others: int  # so many keys are one row
    values: list[list[str]]  # of each key
    products: list[list[str]]
    rest: list[str]  # of the others together; empty without them
    z: list[str]  # empty where it is not wanted


def weighted_keys(d: Derivation, count: int) -> tuple[Indices, Indices]:
    """The `count` keys of the largest weights that are not 0, and the others."""
    shown, others = (keys[d.a[keys] > 0] for keys in largest(d.a, count))
    return shown, others


def weighted_style(page: Page, keys: Indices) -> Notation:
    """How the values of the keys and their sum are written."""
    d = page.d
    return notation(np.vstack([d.v[keys], d.a_v[keys], d.z]), page.digits)


def weighted_rows(
    page: Page,
    keys: Indices,
    others: Indices,
    columns: range,
    *,
    values: bool = True,
    total: bool = True,
) -> WeightedRows:
    """The numbers of `columns`, checked from what stands above them.

    Without `values` the products are operands; without `total` there is no z_i.
    """
    d, style = page.d, weighted_style(page, keys)
    part = slice(columns.start, columns.stop)
    a = texts(Notation(page.digits, "f"), d.a[keys])
    vectors, products, addends = [], [], []
    for j, a_j in zip(keys.tolist(), a, strict=True):
        v, a_v = texts(style, d.v[j, part]), texts(style, d.a_v[j, part])
        recomputed = [read(a_j) * read(value) for value in v]
        vectors.append(given(v))
        products.append(list(map(page.checked, a_v, recomputed)) if values else given(a_v))
        addends.append(a_v)
    rest: list[str] = []
    if len(others):
        addends.append(texts(style, sum_over(d.a_v[:, part], others)))
        rest = given(addends[-1])
    z = page.column_sums(texts(style, d.z[part]), addends) if total else []
    return WeightedRows(keys.tolist(), a, len(others), vectors, products, rest, z)


@dataclass(frozen=True)
class Addend:
    """What one head, or b_O, adds to y_i; the last is y_i itself."""

    name: str  # H0, b_O, y
    vector: Array  # (d_model,)
    norm: float


def addends_of(d: Derivation) -> list[Addend]:
    """Each head's share, b_O, and their sum y_i; nothing without W_O."""
    if d.shares is None or d.share_norms is None or d.y is None or d.y_norm is None:
        return []
    norms = d.share_norms.tolist()
    rows = [Addend(f"H{r}", share, norms[r]) for r, share in enumerate(d.shares)]
    if d.b_O is not None and d.b_O_norm is not None:
        rows.append(Addend("b_O", d.b_O, d.b_O_norm))
    return [*rows, Addend("y", d.y, d.y_norm)]


def output_style(page: Page, added: Sequence[Addend]) -> tuple[Notation, Notation]:
    """How the numbers of y_i and what it is made of are written, and the lengths."""
    vectors = np.array([addend.vector for addend in added])
    norms = np.array([addend.norm for addend in added])
    return notation(vectors, page.digits), notation(norms, page.digits)


def output_rows(page: Page, added: Sequence[Addend], columns: range) -> list[list[str]]:
    """The numbers of `columns` of each addend, and of y_i, each checked."""
    style, _ = output_style(page, added)
    part = slice(columns.start, columns.stop)
    *rows, y = [texts(style, addend.vector[part]) for addend in added]
    return [*map(given, rows), page.column_sums(y, rows)]
