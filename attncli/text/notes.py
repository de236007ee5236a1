"""What a reader should know about the tokens of a text and would not see."""

from collections.abc import Sequence

from attncli.language import Phrase, Text, joined
from attncli.text.alignment import uncovered
from attncli.text.printable import isolated, printable, quoted
from attncli.text.token import Token

_LISTED = 8


def notes_on(sentence: str, tokens: Sequence[Token]) -> list[Phrase]:
    """The notes on one text: no tokens, special ones that were typed, characters left out."""
    notes = [] if tokens else [Phrase("the text gives no tokens of its own")]
    typed: list[Text] = [f"{quoted(t.piece)} ({i})" for i, t in enumerate(tokens) if t.special]
    if typed:
        notes.append(
            Phrase(
                "the text contains special tokens: {names}, counted without added ones",
                {"names": _listed(typed)},
            )
        )
    lost = uncovered(sentence, [(t.start or 0, t.end or 0) for t in tokens])
    if lost:
        notes.append(_note_of_lost(sentence, lost))
    return notes


def _listed(parts: Sequence[Text]) -> Text:
    """The first parts with commas between, and … for the rest."""
    return joined("list.comma", [*parts[:_LISTED], "…"] if len(parts) > _LISTED else parts)


def _note_of_lost(sentence: str, lost: Sequence[int]) -> Phrase:
    """Names the characters that no token covers, by their places; not all if they are many."""
    places: list[Text] = [
        Phrase(
            "«{character}» at {place}",
            {"character": isolated(printable(sentence[i])), "place": i},
        )
        for i in lost[: _LISTED + 1]
    ]
    return Phrase(
        "1 character is not covered by any token: {places}"
        if len(lost) == 1
        else "{count} characters are not covered by any token: {places}",
        {"count": len(lost), "places": _listed(places)},
    )


def of_pair(note: Phrase, *, second: bool) -> Phrase:
    """The note of one text of a pair."""
    return Phrase("second text: {text}" if second else "first text: {text}", {"text": note})
