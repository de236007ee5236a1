r"""Formulas are written in TeX, once, and read off as plain text for a terminal.

`S_{7j} = q_{7} \cdot k_j` is `S₇ⱼ = q₇·kⱼ` there.
"""

import re

_SUBSCRIPTS = str.maketrans("0123456789ij", "₀₁₂₃₄₅₆₇₈₉ᵢⱼ")
_COMMANDS = {
    r"\ ": " ",
    r"\quad ": "  ",
    r"\times": "×",
    r"\div": "÷",
    r"\to": "→",
    r"\exp": "exp",
    r"\tanh": "tanh",
    r"\ldots": "…",
    r"\max": "max",
    r"\min": "min",
    r"\cos": "cos",
    r"\sin": "sin",
    r"\theta": "θ",
    r"\varepsilon": "ε",
    r"\lvert ": "|",
    r" \rvert": "|",
    "^2": "²",
    "{-}": "−",
}


def subscript(text: object) -> str:
    """10 -> ₁₀, 7j -> ₇ⱼ."""
    return str(text).translate(_SUBSCRIPTS)


def plain(tex: str) -> str:
    """A formula as text."""
    text = re.sub(r"\\(?:mathrm|text)\{([^{}]*)\}", r"\1", tex)
    text = re.sub(r" *\\cdot *", "·", text)
    text = re.sub(r"\\sqrt\{(\w+)\}", r"√\1", text)
    text = re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", text)
    text = re.sub(r"\\sum_\{?\w+\}?", "Σ", text)
    for command, sign in _COMMANDS.items():
        text = text.replace(command, sign)
    text = re.sub(r"_\{([\dij]+)\}|_([ijt])\b", lambda m: subscript(m[1] or m[2]), text)
    return text.replace(" - ", " − ").replace("{", "").replace("}", "")
