"""The one filter between text that others wrote and a terminal or a page.

Sentences, token strings, file names, tensor names and the messages of libraries all pass
through `printable` (or `label`, which calls it). Nothing here knows rich's markup: what
comes out is plain text and has to be handed over as such (`rich.text.Text`, `print`).
"""

import re
import unicodedata
from typing import Literal

from rich.cells import cell_len

from attncli.language import Phrase
from attncli.text.token import Token

FSI, PDI = "\u2068", "\u2069"  # first strong isolate, pop directional isolate

_PICTOGRAPH = (
    "[\u2194-\u21aa\u2600-\u27bf\u2b05-\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"
    "[\ufe0f\U0001f3fb-\U0001f3ff]?"
)
_UNIT = re.compile(
    f"{_PICTOGRAPH}(?:\u200d{_PICTOGRAPH})*|[\U0001f1e6-\U0001f1ff]{{2}}|.", re.DOTALL
)
_SELECTORS = frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
# Drawn as nothing, although their category says letter, mark or symbol.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
_BLANKS = {" ": "␠", "\n": "⏎", "\t": "⇥"}
_ISOLATE = re.compile(f"({FSI}[^{FSI}{PDI}]+{PDI})")
# The blocks whose characters default to right-to-left (DerivedBidiClass.txt of Unicode).
_LETTER = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff\U0001e800-\U0001efff]"
_RIGHT_TO_LEFT = re.compile(rf"{_LETTER}+(?:\W+{_LETTER}+)*")
_QUOTED = 200  # characters


def _code_point(char: str) -> str:
    return f"U+{ord(char):04X}"


def _joins(char: str) -> bool:
    """Whether a character is drawn on the one before it and has no cell of its own."""
    return unicodedata.category(char).startswith("M") or cell_len(char) == 0


def _carries(base: str) -> bool:
    """Whether a mark can stand on this unit ("" where the unit before was spelled out)."""
    return base != "" and not unicodedata.category(base[-1]).startswith("Z")


def _selectable(base: str) -> bool:
    """Whether a variation selector is usual after it: an emoji, a keycap, an ideograph."""
    return _carries(base) and not _joins(base[-1]) and (base in "0123456789#*" or base > "\x7f")


def _shown(unit: str, base: str) -> str:
    if len(unit) > 1:
        return unit
    category = unicodedata.category(unit)
    if category in ("Cc", "Cs"):
        return ascii(unit)[1:-1]
    reserved_emoji = category == "Cn" and re.fullmatch(_PICTOGRAPH, unit)
    if (category in ("Cf", "Cn", "Co", "Zl", "Zp") and not reserved_emoji) or unit in _INVISIBLE:
        return _code_point(unit)
    if unit in _SELECTORS:
        return unit if _selectable(base) else _code_point(unit)
    if _joins(unit) and not _carries(base):
        return "◌" + unit
    return unit


def printable(text: str) -> str:
    r"""The text with everything that is invisible or that steers a terminal spelled out.

    Control characters and lone surrogates come as `\n`, `\x1b`, `\udc80`; bidi controls,
    zero-width and other format characters, line separators, private-use and unassigned code
    points as `U+202E`; a combining mark with nothing to stand on gets a dotted circle.
    What holds a visible character together stays: the joiner inside an emoji, a variation
    selector after one, a combining mark after its base. Pictographs newer than Python's
    tables stay too. `printable(printable(x)) == printable(x)`.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = []
    base = ""
    for unit in _UNIT.findall(text):
        shown.append(_shown(unit, base))
        base = unit if shown[-1].endswith(unit) else ""
    return "".join(shown)


def has_right_to_left(text: str) -> bool:
    """Whether any character belongs to a script written from right to left."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def isolated(text: str) -> str:
    """Printable text that leaves the order of what surrounds it alone.

    Right-to-left text reorders the digits and columns after it, unless it stands in an isolate
    (https://www.unicode.org/reports/tr9/, FSI ... PDI). Any other text, and one that contains
    isolates already, is returned as it is.
    """
    return f"{FSI}{text}{PDI}" if has_right_to_left(text) and FSI not in text else text


def quoted(text: object) -> str:
    """What a message repeats of a file or of the user: `printable`, short, and `isolated`.

    At most 200 characters, the last of them `…` where there are more.
    """
    full = str(text)
    shown = printable(full[:_QUOTED]) + "…" * (len(full) > _QUOTED)
    return isolated(shown if len(shown) <= _QUOTED else shown[: _QUOTED - 1] + "…")


def reason_of(error: Exception) -> Phrase | str:
    """Why something failed: the phrase of an error of ours, else what a library says, quoted."""
    given = error.args[0] if error.args else error
    return given if isinstance(given, Phrase) else quoted(" ".join(str(error).split()))


def without_isolates(message: str) -> str:
    """A message that is isolated as a whole: without the isolates of `quoted` and `isolated`."""
    return message.replace(FSI, "").replace(PDI, "")


def printable_message(message: str) -> str:
    """`printable`, except that the isolates of `quoted` and `isolated` stay.

    Right-to-left words outside of them are isolated, too.
    """
    parts = _ISOLATE.split(message)
    return "".join(
        isolated(printable(part[1:-1]))
        if nth % 2
        else _RIGHT_TO_LEFT.sub(lambda words: isolated(words.group()), printable(part))
        for nth, part in enumerate(parts)
    )


def _label_of_blank(char: str) -> str:
    if char in _BLANKS:
        return _BLANKS[char]
    return _code_point(char) if unicodedata.category(char) == "Zs" else printable(char)


def label(text: str) -> str:
    """What a text is called in a table: `printable`, with blanks visible; at least one cell wide.

    A blank is `␠`, three of them alone `␠×3`, a line break `⏎`, a tab `⇥`, any other blank its
    code point; the empty text is `∅`.
    """
    if not text:
        return "∅"
    if len(text) > 1 and text[0] in _BLANKS and not text.strip(text[0]):
        return f"{_BLANKS[text[0]]}×{len(text)}"
    parts = re.split(r"(\s)", text)
    return "".join(_label_of_blank(p) if p.isspace() else printable(p) for p in parts)


def token_label(token: Token) -> str:
    """What a token is called in a table, unambiguous where several tokens share a character.

    `cat`, `␠cat`, `[CLS]`; `🤗⟨1/3⟩` for the first of the three tokens that make one
    character; `[UNK] «zebra»` for a word that the vocabulary does not have.
    """
    name = label(token.text)
    if token.unknown:
        return f"{label(token.piece)} «{name}»"
    if token.part:
        return f"{name}⟨{token.part[0]}/{token.part[1]}⟩"
    return name


def _graphemes(text: str) -> list[str]:
    graphemes: list[str] = []
    for unit in _UNIT.findall(text):
        if graphemes and _joins(unit[0]):
            graphemes[-1] += unit
        else:
            graphemes.append(unit)
    return graphemes


def cut(text: str, cells: int) -> str:
    """The text, or as many whole characters of it as fit `cells` cells together with `…`.

    An emoji sequence, a letter with its marks and a wide character are never split; an isolate
    is closed.
    """
    if cell_len(text) <= cells:
        return text
    kept = ""
    for grapheme in _graphemes(text):
        if cell_len(kept + grapheme) > cells - 1:
            break
        kept += grapheme
    return kept + "…" + PDI * (kept.count(FSI) - kept.count(PDI)) if cells > 0 else ""


def pad(text: str, cells: int, align: Literal["left", "right", "center"] = "left") -> str:
    """The text in exactly `cells` cells: cut where it is too long, filled with blanks if short."""
    text = cut(text, cells)
    blanks = max(cells, 0) - cell_len(text)
    before = {"left": 0, "right": blanks, "center": blanks // 2}[align]
    return " " * before + text + " " * (blanks - before)
