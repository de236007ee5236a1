"""A derivation as LaTeX: a document that pdflatex, xelatex or lualatex compiles.

With Chinese characters in it, it is an article of the class ctexart, for xelatex or lualatex.
"""

import re
import unicodedata
from collections.abc import Sequence

from attncli.narration.blocks import Block, Cell, Document, Equation, Math, Paragraph, Table
from attncli.narration.page import MARK
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


def _formula(tex: str) -> str:
    """A formula and its mark; the same signs as in the text."""
    formula = tex.removesuffix(MARK)
    return f"${formula}$" + (r"\,$\approx$" if formula != tex else "")


def _cell(cell: Cell) -> str:
    if isinstance(cell, Math):
        return _formula(cell.tex) if cell.tex else ""
    text = cell.strip()
    if _NUMBER.fullmatch(text.removesuffix(MARK)):
        return _formula(text.replace("inf", r"\infty"))
    return _escaped(text)


def _row(cells: Sequence[Cell]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _table(table: Table) -> str:
    columns = "l" * table.labels + "r" * (len(table.heads) - table.labels)
    return "\n".join(
        [
            rf"\begin{{longtable}}{{{columns}}}",
            _row(table.heads),
            r"\hline \endhead",
            *map(_row, table.rows),
            r"\end{longtable}",
        ]
    )


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return _escaped(text)
        case Equation(tex):
            return _formula(tex)
        case Table():
            return _table(block)


def _document(document: Document) -> list[str]:
    parts = [rf"\section*{{{_escaped(document.title)}}}", *map(_escaped, document.notes)]
    for section in document.sections:
        parts += [rf"\subsection*{{{_escaped(section.title)}}}", *map(_block, section.blocks)]
    return parts


def to_latex(documents: Sequence[Document]) -> str:
    """The whole text, with one line feed at its end."""
    body = "\n\n".join(part for document in documents for part in _document(document))
    preamble = _PREAMBLE % ("ctexart" if _CHINESE.search(body) else "article")
    return f"{preamble}{body}\n\\end{{document}}\n"
