"""How the axes of the user's arrays are to be read: batch, heads, tokens, (in, out).

Every array has a few readings, templates such as "n h k"; a layout is one reading for each array
such that all sizes agree. Letters as in the article: n queries, m keys, h heads, g heads of K
and V, k and v the widths d_k and d_v, d and e the widths of what Q and K are made of, o that of
Y, b a batch. "h*k" is one axis that holds the heads side by side.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod

import numpy as np

from attncli.check.arrays import Named, Values
from attncli.errors import AttncliError


def _token_rows(width: str, token: str = "n") -> tuple[str, ...]:
    return (f"{token} {width}", f"b {token} {width}", f"{token} b {width}")


def _heads(h: str, token: str, width: str) -> tuple[str, ...]:
    split = (f"{h} {token} {width}", f"{token} {h} {width}")
    batched = (f"b {h} {token} {width}", f"b {token} {h} {width}")
    return (*split, *batched, *_token_rows(f"{h}*{width}", token))


_SQUARE = ("h n m", "n m", "b h n m", "b n m")
_MASKS = ("n m", "m", "b m", "h n m", "b n m", "b 1 n m", "b h n m", "b 1 1 m", "1 n m", "1 m")

TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "S": _SQUARE,
    "A": _SQUARE,
    "Q": _heads("h", "n", "k"),
    "K": _heads("g", "m", "k"),
    "V": _heads("g", "m", "v"),
    "Z": _heads("h", "n", "v"),
    "X": _token_rows("d"),
    "source": _token_rows("e", "m"),
    "W_Q": ("d h*k", "h d k", "d h k"),
    "W_K": ("e g*k", "g e k", "e g k"),
    "W_V": ("e g*v", "g e v", "e g v"),
    "W_O": ("h*v o", "h v o"),
    "Z_cat": _token_rows("h*v"),
    "Y": _token_rows("o"),
    "b_Q": ("h*k", "h k"),
    "b_K": ("g*k", "g k"),
    "b_V": ("g*v", "g v"),
    "b_O": ("o",),
    "mask": _MASKS,
    "padding": ("m", "b m", "b 1 1 m", "1 m"),
}
_CANONICAL = {
    "Q": "h n k",
    "K": "g m k",
    "V": "g m v",
    "Z": "h n v",
    "S": "h n m",
    "A": "h n m",
    "X": "n d",
    "source": "m e",
    "Y": "n o",
    "Z_cat": "n h v",
    "b_O": "o",
    "mask": "h n m",
    "W_Q": "d h k",
    "W_K": "e g k",
    "W_V": "e g v",
    "W_O": "h v o",
    "padding": "m",
    "b_Q": "h k",
    "b_K": "g k",
    "b_V": "g v",
}
# Shapes that only a mistake gives: attention between the heads of one token, heads that were
# added up, the output projection left out, one small matrix for all heads.
_OF_MISTAKES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys("SA", ("n h h", "b n h h")),
    "Z_cat": ("n v", "b n v"),
    "Y": ("n v", "b n v", "n h*v", "b n h*v"),
    "W_Q": ("d k", "p k"),
    "W_K": ("e k", "q k"),
    "W_V": ("e v", "q v"),
    "b_Q": ("k",),
    "b_K": ("k",),
    "b_V": ("v",),
}
_UNUSUAL = 3  # the penalty of such a shape
_OTHER_SOURCE = 10  # that of keys made of something else than X, which is not in the file
_MOST = 20

Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Reading:
    """One array and how its axes are read."""

    name: str  # the article's
    array: Named
    template: str
    turned: bool = False  # a parameter whose two axes are swapped before the template applies

    @property
    def flat(self) -> bool:
        """Whether the heads lie side by side in one axis."""
        return "*" in self.template and self.name in "QKVZ"


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
            (r.name, r.turned, tuple(a for a in _atoms(r.template) if self.sizes.get(a, 1) > 1))
            for r in self.readings
        )
        return (self.sizes.get("h"), self.sizes.get("g"), atoms)


def _atoms(template: str) -> list[str]:
    return template.replace("*", " ").split()


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


def _options(array: Named) -> Iterator[tuple[Reading, tuple[int, ...], int]]:
    """(reading, shape as the template sees it, penalty) of one array."""
    shape = array.values.shape
    for place, name in enumerate(array.names):
        if name.startswith("b_"):
            shape = shape[next((i for i, size in enumerate(shape) if size > 1), len(shape) - 1) :]
        for template in (*TEMPLATES[name], *_OF_MISTAKES.get(name, ())):
            usual = template in TEMPLATES[name]
            unusual = place if usual else place + _UNUSUAL
            if name[0] == "W" and len(shape) == 2:
                for turned in (array.out_in, not array.out_in):
                    seen = shape[::-1] if turned else shape
                    other = int(turned != array.out_in and shape[0] != shape[1])
                    yield Reading(name, array, template, turned), seen, unusual + other
            else:
                yield Reading(name, array, template), shape, unusual


def _combine(
    arrays: Sequence[Named], bound: dict[str, int], penalty: int, most: int
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
    return sizes.get("b", 1) == 1 or all("b" in _atoms(r.template) for r in tokens)


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


def layouts(arrays: Sequence[Named], heads: int | None) -> list[Layout]:
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
    raise AttncliError(_no_layout(ordered, heads))


def _no_layout(arrays: Sequence[Named], heads: int | None) -> str:
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
            before = ", ".join(f"{a.stored_name} {a.values.shape}" for a in arrays[: count - 1])
            tried = ", ".join(f"({t.replace(' ', ', ')})" for t in TEMPLATES[array.names[0]])
            given = f" and --heads {heads}" if heads else ""
            also = f" beside {before}{given}" if before or given else ""
            return (
                f"{array.stored_name} has the shape {array.values.shape}, which fits no reading "
                f"of {array.names[0]}{also}: tried {tried}"
            )
    return "the shapes of the arrays do not fit together"


def canonical(reading: Reading, sizes: Sizes) -> Values:
    """The values in our layout: (h, n, d_k), (in, out); flat ones stay (n, h d_k).

    A batch is reduced to its first element. What lies in memory otherwise is not copied.
    """
    values = reading.array.values
    if reading.name[0] == "W" and values.ndim == 2 and reading.turned:
        values = values.T
    if reading.name.startswith("b_"):
        values = values.reshape(-1)
    atoms = _atoms(reading.template)
    if reading.template not in TEMPLATES[reading.name]:
        return values[0] if atoms[0] == "b" else values
    if "*" in reading.template or reading.name.startswith("b_"):
        values = values.reshape([sizes[atom] if atom != "1" else 1 for atom in atoms])
    if "b" in atoms:
        values = values.take(0, atoms.index("b"))
        atoms.remove("b")
    keep = [i for i, atom in enumerate(atoms) if atom != "1"]
    values = values.reshape([values.shape[i] for i in keep])
    atoms = [atoms[i] for i in keep]
    goal = (_token_first(reading.name) if reading.flat else _CANONICAL[reading.name]).split()
    values = values.transpose([atoms.index(atom) for atom in goal if atom in atoms])
    missing = [i for i, atom in enumerate(goal) if atom not in atoms]
    values = np.expand_dims(values, tuple(missing))
    return _joined(reading, values)


def _token_first(name: str) -> str:
    return {"Q": "n h k", "K": "m g k", "V": "m g v", "Z": "n h v"}[name]


def _joined(reading: Reading, values: Values) -> Values:
    """Heads that lie side by side as one axis again."""
    if reading.flat or reading.name in ("Z_cat", "W_Q", "W_K", "W_V"):
        return values.reshape(values.shape[0], -1)
    if reading.name == "W_O":
        return values.reshape(-1, values.shape[-1])
    if reading.name in ("b_Q", "b_K", "b_V"):
        return values.reshape(-1)
    return values


def words(template: str, turned: bool) -> str:
    """A template for people: (h, n, d_k)."""
    letters = {"k": "d_k", "v": "d_v", "d": "d_model", "e": "d_model", "o": "d_model", "b": "batch"}
    letters |= {"g": "h"}
    axes = [" ".join(letters.get(a, a) for a in axis.split("*")) for axis in template.split()]
    return f"({', '.join(axes[::-1] if turned else axes)})"
