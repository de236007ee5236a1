"""What a tokenizer puts around a text: [CLS] … [SEP]."""

import json
from pathlib import Path

import tokenizers

from attncli.errors import AttncliError
from attncli.files import read_object
from attncli.language import Phrase

Frame = tuple[str | None, ...]  # the names of the added tokens; None where a text stands

_PROBE = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, unk_token="a"))


def find_frame(library: tokenizers.Tokenizer, texts: int) -> Frame:
    """The frame of one text or of a pair, found by framing a text that needs no vocabulary.

    ValueError if a text has no place in it, or several.
    """
    probe = _PROBE.encode("a")
    framed = library.post_process(probe, probe if texts == 2 else None)
    names = zip(framed.tokens, framed.sequence_ids, strict=True)
    frame = tuple(name if text is None else None for name, text in names)
    if frame.count(None) != texts:
        raise ValueError(
            f"its template has {frame.count(None)} places for text, with {texts} to put there"
        )
    return frame


def describe_frame(frame: Frame) -> str:
    """`[CLS] … [SEP]`."""
    return " ".join("…" if name is None else name for name in frame)


def keeps_apart(frame: Frame) -> bool:
    """Whether something stands between the two texts of a pair."""
    first, second = [place for place, name in enumerate(frame) if name is None]
    return second > first + 1


def contradictions(config_file: Path, frame: Frame) -> tuple[Phrase, ...]:
    """Where tokenizer_config.json says otherwise of a start or end token than tokenizer.json does.

    What tokenizer.json says counts, as in transformers from 5.0 on. A file that is missing or
    cannot be read says nothing.
    """
    try:
        config = read_object(config_file)
    except AttncliError:
        return ()
    text = frame.index(None)
    sides = (("add_bos_token", frame[:text]), ("add_eos_token", frame[text + 1 :]))
    return tuple(
        _contradiction(key, config[key], added)
        for key, added in sides
        if isinstance(config.get(key), bool) and config[key] != bool(added)
    )


def _contradiction(key: str, value: bool, added: Frame) -> Phrase:
    return Phrase(
        "tokenizer_config.json says {key}: {value}, but tokenizer.json adds {added} before the "
        "text, and that is what counts"
        if key == "add_bos_token"
        else "tokenizer_config.json says {key}: {value}, but tokenizer.json adds {added} after the "
        "text, and that is what counts",
        {
            "key": key,
            "value": json.dumps(value),
            "added": describe_frame(added) or Phrase("nothing"),
        },
    )
