"""Whose row it is: the token, the head, and what to know about both."""

from collections.abc import Sequence

from attncli.narration.page import Page
from attncli.text.printable import label
from attncli.text.token import Token


def _word_of(token: Token, tokens: Sequence[Token]) -> str | None:
    """The whole word that the token is a piece of; None if it is a word by itself."""
    pieces = [other for other in tokens if other.word == token.word]
    if token.word is None or len(pieces) == 1:
        return None
    return "".join(piece.text for piece in pieces if not piece.part or piece.part[0] == 1)


def title_text(page: Page) -> str:
    """`Row 7, “it”, of head L1H0, step by step`."""
    d = page.d
    key = "row_title_cross" if page.cross else "row_title"
    name = page.voice.name_of(page.row.tokens[d.token])
    return page.say(key, token=d.token, name=name, head=f"L{d.layer}H{d.head}")


def _sharing(page: Page) -> list[str]:
    """Which key/value head the head reads, where several heads share one."""
    d, spec = page.d, page.row.spec
    h = len(d.z_cat) // len(d.z)
    if spec is None or spec.n_kv_heads == h:
        return []
    each = h // spec.n_kv_heads
    heads = [d.head, d.kv_head * each, (d.kv_head + 1) * each - 1]
    head, first, last = (f"L{d.layer}H{r}" for r in heads)
    return [page.say("shared_kv", head=head, kv=d.kv_head, first=first, last=last)]


def title_notes(page: Page) -> list[str]:
    """What to know about the token and the head before the first step, if anything."""
    d, foreign = page.d, page.voice.foreign
    token = page.row.tokens[d.token]
    notes = []
    if word := _word_of(token, page.row.tokens):
        piece, whole = foreign(label(token.piece)), foreign(label(word))
        notes.append(page.say("piece_of_word", token=d.token, piece=piece, word=whole))
    if page.cross:
        notes.append(page.say("cross_note"))
    return notes + _sharing(page)
