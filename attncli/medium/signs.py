"""Signs and letters in an encoding that lacks them: the only place where ASCII stands in."""

from attncli.medium.screen import Screen

# In running text our own signs may grow longer ...
_SPELLED = {"→": "->", "…": "...", "√": "sqrt ", "Σ": "sum", "≥": ">=", "≤": "<=", "∞": "inf"}
# ... elsewhere columns stay straight.
_CELL_BY_CELL = str.maketrans(
    "…·×÷—–−→←↑↓≈√Σ▸█░▒▓₀₁₂₃₄₅₆₇₈₉ᵢⱼ“”«»",
    '..x/---><^v~VS>#.:+0123456789ij""<>',
)
# What the filter of foreign text (text/printable.py) adds to it.
_MARKS = str.maketrans({"␠": "_", "⏎": r"\n", "⇥": r"\t", "∅": "<>", "×": "x", "…": "."})


def spell(text: str, screen: Screen) -> str:
    """Running text of ours, signs spelled out where the screen lacks them."""
    if not screen.unicode:
        for sign, spelled in _SPELLED.items():
            text = text.replace(sign, spelled)
    return text


def same_width(text: str, screen: Screen) -> str:
    """Finished text, each sign of ours replaced by one character where the screen lacks them."""
    return text if screen.unicode else text.translate(_CELL_BY_CELL)


def foreign(text: str, screen: Screen) -> str:
    r"""Printable text that others wrote: `é` is `\xe9` where the screen may lack it."""
    if screen.unicode:
        return text
    return text.translate(_MARKS).encode("ascii", "backslashreplace").decode()
