"""Text for encodings without some of its characters: only these are replaced, by ASCII."""

from collections.abc import Mapping

from attncli.medium.screen import Screen
from attncli.text.printable import FSI, PDI, has_right_to_left, isolated

# In running text our own signs may grow longer ...
_SPELLED = {"→": "->", "…": "...", "√": "sqrt ", "Σ": "sum", "≥": ">=", "≤": "<=", "∞": "inf"}
# ... elsewhere columns stay straight.
_CELL_BY_CELL = dict(
    zip(
        "…·×÷—–−→←↑↓≈√Σ▸█░▒▓₀₁₂₃₄₅₆₇₈₉ᵢⱼ“”«»",
        '..x/---><^v~VS>#.:+0123456789ij""<>',
        strict=True,
    )
)
# What the filter of foreign text (text/printable.py) adds to it.
_MARKS = {"␠": "_", "⏎": r"\n", "⇥": r"\t", "∅": "<>", "×": "x", "…": ".", "⟨": "<", "⟩": ">"}


def _with(signs: Mapping[str, str], text: str, screen: Screen) -> str:
    """The text, each of the signs that the screen lacks replaced by what stands for it."""
    if screen.unicode or text.isascii():
        return text
    return "".join(c if c not in signs or screen.has(c) else signs[c] for c in text)


def spell(text: str, screen: Screen) -> str:
    """Running text of ours, signs that the screen lacks spelled out."""
    return _with(_SPELLED, text, screen)


def same_width(text: str, screen: Screen) -> str:
    """Finished text, each sign that the screen lacks replaced by one character."""
    return _with(_CELL_BY_CELL, text, screen)


def foreign(text: str, screen: Screen) -> str:
    r"""Printable text that others wrote: `é` is `\xe9` where the screen lacks it.

    Right-to-left text is isolated (text/printable.py), or escaped where the encoding has no
    isolates.
    """
    if screen.unicode:
        return isolated(text)
    if text.isascii():
        return text
    marked = _with({**_MARKS, FSI: "", PDI: ""}, text, screen)
    return "".join([c if _stays(c, screen) else _escaped(c) for c in marked])


def _stays(char: str, screen: Screen) -> bool:
    return screen.has(char) and not has_right_to_left(char)


def _escaped(char: str) -> str:
    return char.encode("ascii", "backslashreplace").decode()
