"""What tokens are called."""

from attncli.medium.screen import Screen
from attncli.medium.signs import foreign
from attncli.text.printable import token_label
from attncli.text.token import Token


def name_of(token: Token, screen: Screen) -> str:
    """What a token is called; a special one stands in brackets, as [CLS] and <s> do already."""
    name = foreign(token_label(token), screen)
    if token.special and name[0] + name[-1] not in ("[]", "<>"):
        return f"[{name}]"
    return name
