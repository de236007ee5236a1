"""How the axes of one array may be read, and the array in our layout.

A template such as "n h k" names the axes. Letters as in the article: n queries, m keys, h heads,
g heads of K and V, k and v the widths d_k and d_v, d and e the widths of what Q and K are made
of, o that of Y, b a batch, p and q the slice of X that one head sees if it is split too early.
"h*k" is one axis that holds the heads side by side.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attncli.check.reading import StoredArray, Values

Sizes = Mapping[str, int]


def _token_rows(width: str, token: str = "n") -> tuple[str, ...]:
    return (f"{token} {width}", f"b {token} {width}", f"{token} b {width}")


def _heads(h: str, token: str, width: str) -> tuple[str, ...]:
    split = (f"{h} {token} {width}", f"{token} {h} {width}")
    batched = (f"b {h} {token} {width}", f"b {token} {h} {width}", f"{token} b {h} {width}")
    return (*split, *batched, *_token_rows(f"{h}*{width}", token))


_SQUARE = ("h n m", "n m", "b h n m", "b n m")
_MASKS = ("h n m", "n m", "m", "b m", "b n m", "b 1 n m", "b h n m", "b 1 1 m", "1 n m", "1 m")

TEMPLATES: Mapping[str, tuple[str, ...]] = {  # each time our own layout is the first
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
# K and V as they are multiplied where they have fewer heads than Q: each repeated.
REPEATED: Mapping[str, tuple[str, ...]] = {
    name: tuple(template for template in _heads("h", "m", width) if "*" not in template)
    for name, width in (("K", "k"), ("V", "v"))
}
_CANONICAL = {name: templates[0].replace("*", " ") for name, templates in TEMPLATES.items()}
# Shapes that only a mistake gives: attention between the heads of one token, heads that were
# added up, the output projection left out, one small matrix for all heads.
OF_MISTAKES: Mapping[str, tuple[str, ...]] = {
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


@dataclass(frozen=True)
class Reading:
    """One array and how its axes are read."""

    name: str  # the article's
    array: StoredArray
    template: str
    turned: bool = False  # a parameter whose two axes are swapped before the template applies

    @property
    def flat(self) -> bool:
        """Whether the heads lie side by side in one axis."""
        return "*" in self.template and self.name in "QKVZ"


def atoms_of(template: str) -> list[str]:
    return template.replace("*", " ").split()


def canonical(reading: Reading, sizes: Sizes, element: int = 0) -> Values:
    """The values in our layout: (h, n, d_k), (in, out); flat ones stay (n, h d_k).

    A batch is reduced to one element. What lies in memory otherwise is not copied.
    """
    values = reading.array.values
    if reading.name[0] == "W" and values.ndim == 2 and reading.turned:
        values = values.T
    if reading.name.startswith("b_"):
        values = values.reshape(-1)
    atoms = atoms_of(reading.template)
    repeated = reading.template in REPEATED.get(reading.name, ())
    if not repeated and reading.template not in TEMPLATES[reading.name]:
        return values[element] if atoms[0] == "b" else values
    if "*" in reading.template or reading.name.startswith("b_"):
        values = values.reshape([sizes[atom] if atom != "1" else 1 for atom in atoms])
    if "b" in atoms:
        values = values.take(element, atoms.index("b"))
        atoms.remove("b")
    keep = [i for i, atom in enumerate(atoms) if atom != "1"]
    values = values.reshape([values.shape[i] for i in keep])
    atoms = [atoms[i] for i in keep]
    if repeated:
        atoms[atoms.index("h")] = "g"
    goal = (_token_first(reading.name) if reading.flat else _CANONICAL[reading.name]).split()
    values = values.transpose([atoms.index(atom) for atom in goal if atom in atoms])
    missing = [i for i, atom in enumerate(goal) if atom not in atoms]
    values = np.expand_dims(values, tuple(missing))
    return _each_once(values, sizes["g"]) if repeated else _joined(reading, values)


def _each_once(values: Values, g: int) -> Values:
    """The g heads that were repeated: a a b b, as is right, or a b a b."""
    in_turn = np.array_equal(values, np.tile(values[:g], (len(values) // g, 1, 1)), equal_nan=True)
    return values[:g] if in_turn else values[:: len(values) // g]


def _token_first(name: str) -> str:
    heads, token, width = _CANONICAL[name].split()
    return f"{token} {heads} {width}"


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
