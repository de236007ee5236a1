"""A derivation as LaTeX: a document that pdflatex, xelatex or lualatex compiles.

With Chinese characters in it, it is an article of the class ctexart, for xelatex or lualatex.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from attncli.exports.pages import Formula, Grid, Part, Title
from attncli.narration.blocks import MARK, Math, Name, Paragraph, Written
from attncli.text.printable import FSI, PDI

_CHINESE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_NUMBER = re.compile(r"-?(\d+(\.\d+)?(e[+-]\d+)?|inf)")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "“": "``",
    "”": "''",
    "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}",
    "…": r"\ldots{}",
    "–": "--",
    "—": "---",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "√": r"$\surd$",
    "≈": r"$\approx$",
    "ε": r"$\varepsilon$",
    "²": r"$^2$",
    "Σ": r"$\Sigma$",
    "␠": r"\textvisiblespace{}",
    "⟨": r"$\langle$",
    "⟩": r"$\rangle$",
    "⏎": r"$\hookleftarrow$",
    "∅": r"$\emptyset$",
    FSI: "",
    PDI: "",
    "→": r"$\to$",
    **{sign: f"$_{digit}$" for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}

_PREAMBLE = r"""%% Two runs: in the first, the columns of the tables are not yet in line.
\documentclass[a4paper]{%s}
\usepackage{amsmath}
\usepackage[margin=2cm]{geometry}
\usepackage{iftex}
\ifpdftex
  \usepackage[T1]{fontenc}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\fi
\usepackage{longtable}
\setlength{\LTleft}{0pt}
\setlength{\LTpre}{0pt}
\setlength{\LTpost}{0pt}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\begin{document}
"""


def _character(char: str) -> str:
    """A character as every engine can set it; by its code point where no usual font has it."""
    if char in _SPECIAL:
        return _SPECIAL[char]
    latin = char < "\u0180" and unicodedata.category(char)[0] in "LNPSZ"
    return char if latin or _CHINESE.match(char) else rf"\texttt{{U+{ord(char):04X}}}"


def _escaped(text: str) -> str:
    return "".join(map(_character, text))


def _cell(cell: Written) -> str:
    if isinstance(cell, Math):
        return f"${cell.tex}$"
    if isinstance(cell, Name):
        return f"${cell.tex}$ " * bool(cell.tex) + _escaped(cell.text)
    text = cell.strip()
    number = text.removesuffix(MARK)
    if _NUMBER.fullmatch(number):
        return _formula(number.replace("inf", r"\infty"), text[len(number) :])
    return _escaped(text)


def _formula(tex: str, mark: str) -> str:
    return f"${tex}$" + r"\,$\approx$" * bool(mark)


def _row(cells: Sequence[Written]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _part(part: Part) -> str:
    match part:
        case Title(level, text):
            return rf"\{'sub' * (level - 1)}section*{{{_escaped(text)}}}"
        case Paragraph(text):
            return _escaped(text)
        case Formula(tex, mark):
            return _formula(tex, mark)
        case Grid(heads, rows, labels):
            columns = "l" * labels + "r" * (len(heads) - labels)
            start = [rf"\begin{{longtable}}{{{columns}}}", _row(heads), r"\hline \endhead"]
            return "\n".join([*start, *map(_row, rows), r"\end{longtable}"])


def to_latex(pages: Iterable[Iterable[Part]]) -> str:
    """The whole text, with one line feed at its end."""
    body = "\n\n".join(_part(part) for page in pages for part in page)
    preamble = _PREAMBLE % ("ctexart" if _CHINESE.search(body) else "article")
    return f"{preamble}{body}\n\\end{{document}}\n"
