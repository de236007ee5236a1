"""From what the user calls a token to its number."""

import re
from collections.abc import Sequence

from attncli.errors import AttncliError, UsageError
from attncli.language import Phrase
from attncli.text.printable import cut, isolated, label, printable, token_label
from attncli.text.token import Token

_LISTED = 12
_LABEL_CELLS = 12
_QUOTED_CELLS = 40


def _listing(tokens: Sequence[Token]) -> str | Phrase:
    names = [f"{t.index} {isolated(cut(token_label(t), _LABEL_CELLS))}" for t in tokens[:_LISTED]]
    listing = ", ".join(names)
    if len(tokens) <= _LISTED:
        return listing
    return Phrase("in_all", {"listing": listing, "count": len(tokens)})


def _joined(message: str, words: list[str]) -> str | Phrase:
    """`a`, `a or b`, `a, b or c`; long lists lose their middle."""
    *others, last = words
    if not others:
        return last
    if len(words) > _LISTED:
        others = [*words[: _LISTED - 2], "…"]
    return Phrase(message, {"others": ", ".join(others), "last": last})


def _ambiguous(wanted: str, found: list[int]) -> AttncliError:
    name = isolated(cut(printable(wanted), _QUOTED_CELLS))
    places = _joined("all_of", [str(number) for number in found])
    choices = _joined("one_of", [f"{name}#{nth}" for nth in range(1, len(found) + 1)])
    facts = {"name": name, "places": places, "choices": choices}
    return AttncliError(Phrase("ambiguous", facts))


def _names(token: Token) -> tuple[set[str], set[str], set[str]]:
    """What a token may be called: by its text, by its piece, and by its text in any case."""
    by_text = {token.text, token.text.strip(), label(token.text), token_label(token)}
    return by_text, {token.piece}, {name.casefold() for name in by_text}


def _matches(tokens: Sequence[Token], wanted: str) -> list[int]:
    """The tokens of that name, of the first kind of name that any token has."""
    for kind, name in enumerate((wanted, wanted, wanted.casefold())):
        if found := [token.index for token in tokens if name in _names(token)[kind]]:
            return found
    return []


def _numbered(tokens: Sequence[Token], number: int) -> int:
    if not -len(tokens) <= number < len(tokens):
        count = len(tokens)
        facts = {"wanted": number, "count": count, "last": count - 1, "listing": _listing(tokens)}
        raise AttncliError(Phrase("absent.token", facts))
    return number % len(tokens)


def find_token(tokens: Sequence[Token], wanted: str) -> int:
    """The number of the token that `wanted` names.

    `7` is a number, always, and -1 the last token. Anything else is a token's text: `it`, with
    or without the blank it begins with (`␠it`), its piece, or the same in another case; `it#2`
    is the second `it`. Raises UsageError where nothing is asked for, AttncliError where the
    number is out of range or the text is absent or stands more than once.
    """
    if not wanted:
        raise UsageError("no token given: give its number or its text")
    if re.fullmatch(r"-?[0-9]{1,18}", wanted):
        return _numbered(tokens, int(wanted))
    found = _matches(tokens, wanted)
    if len(found) == 1:
        return found[0]
    if not found and (counted := re.fullmatch(r"(.+)#([0-9]{1,9})", wanted, re.DOTALL)):
        wanted, nth = counted[1], int(counted[2])
        found = _matches(tokens, wanted)
        if 1 <= nth <= len(found):
            return found[nth - 1]
    if not found:
        name = isolated(cut(printable(wanted), _QUOTED_CELLS))
        raise AttncliError(Phrase("absent.text", {"name": name, "listing": _listing(tokens)}))
    raise _ambiguous(wanted, found)
