"""One reading for every array, such that all sizes agree (the templates are in axes.py)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod

from attncli.check.axes import OF_MISTAKES, REPEATED, TEMPLATES, Reading, Sizes, atoms_of
from attncli.check.reading import StoredArray
from attncli.errors import AttncliError
from attncli.text.printable import quoted

_UNUSUAL = 3  # the penalty of a shape that only a mistake gives
_OTHER_SOURCE = 10  # that of keys made of something else than X, which is not in the file
_MOST = 20


@dataclass(frozen=True)
class Layout:
    """A reading for every array, and the sizes that follow."""

    sizes: Sizes  # of n, m, h, g, k, v, d, e, o, b, as far as they are known
    readings: tuple[Reading, ...]
    penalty: int

    @property
    def signature(self) -> tuple[object, ...]:
        """What two layouts share that lead to the same numbers."""
        atoms = tuple(
            (r.name, r.turned, tuple(a for a in atoms_of(r.template) if self.sizes.get(a, 1) > 1))
            for r in self.readings
        )
        return (self.sizes.get("h"), self.sizes.get("g"), atoms)


def _bind(bound: Mapping[str, int], template: str, shape: tuple[int, ...]) -> dict[str, int] | None:
    """The sizes with those of one more array, or None if they disagree."""
    axes = template.split()
    if len(axes) != len(shape):
        return None
    new = dict(bound)
    for axis, size in zip(axes, shape, strict=True):
        if (axis == "1" and size != 1) or new.setdefault(axis, size) != size:
            return None
    return new


def _options(array: StoredArray) -> Iterator[tuple[Reading, tuple[int, ...], int]]:
    """(reading, shape as the template sees it, penalty) of one array."""
    shape = array.values.shape
    for place, name in enumerate(array.names):
        if name.startswith("b_"):
            shape = shape[next((i for i, size in enumerate(shape) if size > 1), len(shape) - 1) :]
        penalties = dict.fromkeys(OF_MISTAKES.get(name, ()), _UNUSUAL)
        penalties |= dict.fromkeys(REPEATED.get(name, ()), 1) | dict.fromkeys(TEMPLATES[name], 0)
        for template, penalty in penalties.items():
            unusual = place + penalty
            if name[0] == "W" and len(shape) == 2:
                for turned in (array.out_in, not array.out_in):
                    seen = shape[::-1] if turned else shape
                    other = int(turned != array.out_in and shape[0] != shape[1])
                    yield Reading(name, array, template, turned), seen, unusual + other
            else:
                yield Reading(name, array, template), shape, unusual


def _combine(
    arrays: Sequence[StoredArray], bound: dict[str, int], penalty: int, most: int
) -> Iterator[tuple[dict[str, int], tuple[Reading, ...], int]]:
    if not arrays:
        yield bound, (), penalty
        return
    for reading, shape, extra in _options(arrays[0]):
        if penalty + extra > most:
            continue
        new = _bind(bound, reading.template, shape)
        if new is None or not _products_fit(new):
            continue
        for sizes, rest, total in _combine(arrays[1:], new, penalty + extra, most):
            if all(reading.name != other.name for other in rest):
                yield sizes, (reading, *rest), total


def _products_fit(sizes: Sizes) -> bool:
    """Whether h*k is h times k, as far as both are known; and g divides h."""
    for axis, size in sizes.items():
        if "*" in axis:
            a, b = axis.split("*")
            known = [sizes[x] for x in (a, b) if x in sizes]
            if (len(known) == 2 and prod(known) != size) or any(not x or size % x for x in known):
                return False
    slices = (("p", "h", "d"), ("q", "g", "e"))  # of X, for heads that are split before W
    for part, heads, width in slices:
        if {part, heads, width} <= sizes.keys() and sizes[part] * sizes[heads] != sizes[width]:
            return False
    return not ("h" in sizes and "g" in sizes and sizes["h"] % sizes["g"])


def _solved(sizes: Sizes) -> dict[str, int]:
    """The sizes with those that follow from a product and one factor."""
    found = dict(sizes)
    for _ in range(3):
        for axis in [axis for axis in found if "*" in axis]:
            a, b = axis.split("*")
            for one, other in ((a, b), (b, a)):
                if found.get(one) and other not in found:
                    found[other] = found[axis] // found[one]
        if "h" in found:
            found.setdefault("g", found["h"])
    return found


def _with_heads(sizes: dict[str, int], collapsed: bool) -> Iterator[tuple[dict[str, int], int]]:
    """The sizes for every number of heads that may be, with a penalty."""
    found = _solved(sizes)
    if "h" in found:
        if _products_fit(found):
            yield found, 0
        return
    widths = [size for axis, size in sizes.items() if axis in ("h*k", "h*v")]
    common = gcd(*widths) if widths else 1
    for h in (h for h in range(1, common + 1) if common % h == 0):
        solved = _solved({"h": h, **found})
        if _products_fit(solved):
            yield solved, int(collapsed and h > 1)


def _batched_alike(sizes: Sizes, readings: Sequence[Reading]) -> bool:
    """Whether all arrays of tokens have the batch axis, if there is a batch of several."""
    tokens = [r for r in readings if r.name in (*"XQKVSAZY", "Z_cat", "source")]
    return sizes.get("b", 1) == 1 or all("b" in atoms_of(r.template) for r in tokens)


def _needs_source(sizes: Sizes, readings: Sequence[Reading]) -> bool:
    """Whether K and V were made of vectors of another width than X has, which are not there."""
    known = any(r.name == "source" for r in readings)
    return not known and {"d", "e"} <= sizes.keys() and sizes["d"] != sizes["e"]


def _turned_alike(readings: Sequence[Reading]) -> bool:
    """Whether the square matrices are read as those whose shape tells (in, out) from (out, in)."""
    flat = [r for r in readings if r.name[0] == "W" and r.array.values.ndim == 2]
    square = [r for r in flat if r.array.values.shape[0] == r.array.values.shape[1]]
    told = {r.turned != r.array.out_in for r in flat if r not in square}
    expected = told == {True}
    return all((r.turned != r.array.out_in) == expected for r in square)


_ORDER = {name: place for place, name in enumerate(TEMPLATES)}


def layouts(arrays: Sequence[StoredArray], heads: int | None) -> list[Layout]:
    """All layouts of the least penalty, the usual ones first.

    AttncliError if no combination of readings fits all shapes: it says which were tried.
    """
    ordered = sorted(arrays, key=lambda array: _ORDER[array.names[0]])
    said = {} if heads is None else {"h": heads}
    for most in (0, 1, 2, 3, 4, 6, 9, 13, _MOST):
        found = []
        for bound, readings, penalty in _combine(ordered, said, 0, most):
            collapsed = any(r.template in ("n m", "b n m") and r.name in "SA" for r in readings)
            for sizes, extra in _with_heads(bound, collapsed):
                if not (_batched_alike(sizes, readings) and _turned_alike(readings)):
                    continue
                extra += int(sizes.get("b", 1) > 1)
                extra += _OTHER_SOURCE * _needs_source(sizes, readings)
                found.append(Layout(sizes, readings, penalty + extra))
        found = [layout for layout in found if layout.penalty <= most]
        if found:
            least = min(layout.penalty for layout in found)
            best = {lay.signature: lay for lay in reversed(found) if lay.penalty == least}
            return list(best.values())[::-1]
    raise _no_layout(ordered, heads)


def _no_layout(arrays: Sequence[StoredArray], heads: int | None) -> AttncliError:
    """Which array does not fit to those before it, and the readings that were tried."""
    said = {} if heads is None else {"h": heads}
    for count in range(1, len(arrays) + 1):
        fits = any(
            _batched_alike(sizes, readings) and _turned_alike(readings)
            for bound, readings, _ in _combine(arrays[:count], said, 0, _MOST)
            for sizes, _ in _with_heads(bound, False)
        )
        if not fits:
            array = arrays[count - 1]
            before = [f"{a.stored_name} {a.values.shape}" for a in arrays[: count - 1]]
            return _no_reading(array, before, heads)
    return AttncliError("the shapes of the arrays do not fit together")


def _no_reading(array: StoredArray, before: Sequence[str], heads: int | None) -> AttncliError:
    others = quoted(", ".join(before))
    facts = {
        "stored": quoted(array.stored_name),
        "shape": array.values.shape,
        "name": array.names[0],
        "tried": ", ".join(f"({t.replace(' ', ', ')})" for t in TEMPLATES[array.names[0]]),
    }
    if heads is not None:
        return AttncliError(
            "{stored} has the shape {shape}, which fits no reading of {name} with {others} and "
            "`n_heads` {heads}: tried {tried}"
            if before
            else "{stored} has the shape {shape}, which fits no reading of {name} with `n_heads` "
            "{heads}: tried {tried}",
            **facts,
            others=others,
            heads=heads,
        )
    return AttncliError(
        "{stored} has the shape {shape}, which fits no reading of {name} with {others}: tried "
        "{tried}"
        if before
        else "{stored} has the shape {shape}, which fits no reading of {name}: tried {tried}",
        **facts,
        others=others,
    )
