"""From a sentence to tokens, and from any text to something safe to print."""

from attncli.text.token import Token

__all__ = ["Token"]
