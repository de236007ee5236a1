"""What tokens are called."""

from attncli.medium.screen import Screen
from attncli.medium.signs import foreign
from attncli.text.printable import token_label
from attncli.text.token import Token


def name_of(token: Token, screen: Screen) -> str:
    """What a token is called; a special one in brackets, unless it has some, as [CLS] and <s>."""
    name = token_label(token)
    if token.special and name[0] + name[-1] not in ("[]", "<>"):
        name = f"[{name}]"
    return foreign(name, screen)
