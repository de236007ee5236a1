"""One entry of the catalogue."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """One sentence or phrase; the same placeholders in every language."""

    en: str
    zh: str
