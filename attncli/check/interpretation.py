"""The user's arrays in our layout, and what had to be assumed to read them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from attncli.attention import Array
from attncli.check.arrays import Found
from attncli.check.axes import REPEATED, Reading, canonical, words
from attncli.check.chain import Problem
from attncli.check.compare import precision
from attncli.check.facts import not_finite
from attncli.check.layout import Layout, layouts
from attncli.check.masks import Hiding, bias_of, causal_masks, combine, from_numbers, read_mask
from attncli.check.reading import StoredArray, Values
from attncli.check.report import Stored


@dataclass(frozen=True)
class Kept:
    """One array in our layout."""

    name: str  # the article's
    node: str  # in the chain: Q_flat if its heads lie side by side
    values: Array
    dtype: str  # as it is stored
    precision: str  # the type whose numbers these are


@dataclass(frozen=True)
class Interpretation:
    """All arrays by the article's names, and everything else that was read off or assumed."""

    kept: Mapping[str, Kept]
    stored: tuple[Stored, ...]
    problem: Problem
    sizes: Mapping[str, int]
    said: tuple[str, ...]

    @property
    def nodes(self) -> dict[str, Array]:
        return {kept.node: kept.values for kept in self.kept.values()}


def _node(reading: Reading) -> str:
    if reading.flat:
        return "Z_cat" if reading.name == "Z" else f"{reading.name}_flat"
    return reading.name


def _kept(reading: Reading, values: Array) -> Kept:
    array = reading.array
    return Kept(
        reading.name, _node(reading), values, array.dtype, precision(array.values, array.dtype)
    )


def _hidings(
    values: Mapping[str, Values],
    names: Mapping[str, StoredArray],
    sizes: Mapping[str, int],
    causal: bool | None,
) -> list[Hiding]:
    """What is masked, in every way that the masks of the file may be read."""
    n, m = sizes.get("n", 0), sizes.get("m", sizes.get("n", 0))
    S, A = (values.get(name) for name in "SA")
    masks = [
        read_mask(names[name].stored_name, values[name], A, S)
        for name in ("mask", "padding")
        if name in values
    ]
    if causal:
        masks.append(causal_masks(n, m))
    if masks:
        bias = bias_of(values["mask"]) if "mask" in values else None
        return [replace(combine(n, m, chosen), bias=bias) for chosen in product(*masks)]
    if causal is False:
        return [Hiding(None, said=("not causal, and no mask is in the file",))]
    return [from_numbers(n, m, S, A)]


def interpretations(
    found: Found,
    *,
    heads: int | None = None,
    causal: bool | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    hiding: Hiding | None = None,
    element: int = 0,
) -> list[Interpretation]:
    """Every way to read the arrays that fits their shapes. AttncliError if there is none.

    `hiding` says who may look at whom, whatever the file's own masks say; `element` is that of
    the batch, if there is one.
    """
    return [
        user
        for layout in layouts(found.arrays, heads)
        for user in _interpretations(found, layout, causal, scale, softcap, hiding, element)
    ]


def _interpretations(
    found: Found,
    layout: Layout,
    causal: bool | None,
    scale: float | None,
    softcap: float | None,
    given: Hiding | None,
    element: int,
) -> Iterator[Interpretation]:
    """The arrays in one layout, once for each way to read the masks."""
    sizes = layout.sizes
    values = {r.name: canonical(r, sizes, element) for r in layout.readings}
    names = {r.name: r.array for r in layout.readings}
    kept = {
        r.name: _kept(r, values[r.name])
        for r in layout.readings
        if r.name not in ("mask", "padding")
    }
    h = sizes.get("h", 1)
    n = sizes.get("n", sizes.get("m", 0))
    d_k = sizes.get("k", sizes.get("v", 0))
    stored = tuple(
        Stored(
            r.name,
            r.array.stored_name,
            r.array.values.shape,
            r.array.dtype,
            words(r.template, r.turned),
        )
        for r in layout.readings
    )
    others = (*found.notes, *_sayings(layout, kept, element))
    hidings = [given] if given else _hidings(values, names, sizes, causal)
    for hiding in hidings:
        problem = Problem(
            n=n,
            m=sizes.get("m", n),
            h=h,
            g=sizes.get("g", h),
            d_model=sizes.get("d", sizes.get("o", h * d_k)),
            d_k=d_k,
            d_v=sizes.get("v", d_k),
            scale=scale if scale is not None else float(1 / np.sqrt(d_k or 1)),
            hidden=hiding.hidden,
            causal=hiding.causal,
            padding=hiding.padding,
            may_be_causal=hiding.may_be_causal,
            bias=hiding.bias,
            softcap=softcap,
        )
        yield Interpretation(kept, stored, problem, sizes, (*hiding.said, *others))


def _sayings(layout: Layout, kept: Mapping[str, Kept], element: int) -> list[str]:
    said = []
    if layout.sizes.get("h") == 1 and not any(
        {"h", "g"} & set(r.template.split()) for r in layout.readings
    ):
        said.append("one head: no array has an axis of heads; --n-heads says if there are more")
    for r in layout.readings:
        if r.template in REPEATED.get(r.name, ()):
            said.append(
                f"{r.array.stored_name} is read as {layout.sizes['g']} heads, each repeated"
            )
    if (batch := layout.sizes.get("b", 1)) > 1:
        said.append(f"a batch of {batch}: number {element} is shown (the first is 0)")
    turned = [r for r in layout.readings if r.turned != r.array.out_in]
    for r in turned:
        way = "(out, in)" if r.turned else "(in, out)"
        said.append(f"{r.array.stored_name} is read as {way}: the shapes fit no other way")
    widened = {each.precision for each in kept.values() if each.precision != "float32"}
    for coarse in sorted(widened):
        pairs = ((k, each) for k, each in kept.items() if each.dtype == "float32")
        names = [name for name, each in pairs if each.precision == coarse]
        if names:
            said.append(f"stored as float32, but with the numbers of {coarse}: {', '.join(names)}")
    for name in ("X", "source", *(name for name in kept if name[1:2] == "_" and name != "Z_cat")):
        if name in kept:
            said += [f"{name}: {line}" for line in not_finite(kept[name].values, masked=False)]
    return said
