"""Which attention of an encoder-decoder is meant."""

from enum import StrEnum


class AttentionKind(StrEnum):
    """The encoder's or the decoder's to itself, or the decoder's to the encoder's output."""

    encoder = "encoder"
    decoder = "decoder"
    cross = "cross"
