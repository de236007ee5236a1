"""Small damage to bytes, JSON and text. Everything is drawn from the Random that is given."""

import copy
import json
import re
from random import Random
from typing import Any

_RAW = "\ue000raw\ue000"  # begins a string that stands for JSON text as it is
_INTEGERS = (
    0,
    1,
    2,
    3,
    -1,
    7,
    255,
    2**16,
    2**31 - 1,
    2**31,
    2**32,
    2**53,
    2**63 - 1,
    2**63,
    -(2**63),
)
_NUMBERS = (
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "-Infinity",
    "1e-400",
    "-0",
    "0.5",
    "1" * 310,
    "9" * 5000,
)
_TEXTS = (
    *("", " ", "x", "true", "None", "null", "../x", "/dev/zero", "a\x1b[31mb", "\x00", "\u202eabc"),
    *(
        "\ud800",
        "\U0001f937\u200d",
        "weight",
        "float32",
        "gelu",
        "default",
        "%s%n",
        "{}",
        "[bold]x[/]",
    ),
)
_CODE_POINTS = (
    *((0x20, 0x7F), (0xA0, 0x24F), (0x300, 0x36F), (0x590, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F)),
    *((0x1100, 0x11FF), (0x2000, 0x206F), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3)),
    *((0xE000, 0xE0FF), (0xFE00, 0xFE0F), (0xFFF0, 0xFFFD), (0x1F300, 0x1F9FF), (0xE0000, 0xE01EF)),
    *((0, 0x1F), (0x80, 0x9F), (0x10FFF0, 0x10FFFF), (0xDC80, 0xDCFF)),
)
_WORDS = (
    "The",
    "cat",
    "sat",
    "because",
    "it",
    "was",
    "tired",
    "[CLS]",
    "<s>",
    "dog's",
    "e\u0301",
    "שלום",
)


def raw(text: str) -> str:
    """A JSON value that is written as this text."""
    return _RAW + text


def loads(text: str | bytes) -> Any:
    """The document; its numbers keep the form they are written in. Raises ValueError."""
    return json.loads(text, parse_float=raw, parse_int=raw, parse_constant=raw)


def dumps(document: Any) -> bytes:
    """The text of a document; what `raw` made goes in as it is."""
    text = json.dumps(document)
    marked = json.dumps(_RAW)[1:-1]
    text = re.sub(f'"{re.escape(marked)}((?:[^"\\\\]|\\\\.)*)"', _unquoted, text)
    return text.encode("utf-8", "surrogateescape")


def _unquoted(match: re.Match[str]) -> str:
    return str(json.loads(f'"{match[1]}"'))


def odd_value(rng: Random) -> Any:
    """A value that nobody expects."""
    kind = rng.randrange(8)
    if kind < 2:
        return raw(str(rng.choice(_INTEGERS)))
    if kind == 2:
        return raw(rng.choice(_NUMBERS))
    if kind == 3:
        return rng.choice(_TEXTS)
    if kind == 4:
        return rng.choice([None, True, False, [], {}, [[]], {"": None}])
    if kind == 5:
        return rng.choice(["x" * 5000, "\n" * 300, ["x"] * 3000, [raw("1")] * 3000])
    if kind == 6:
        return raw(rng.choice(["[" * 3000 + "]" * 3000, "{}", '{"a":1,"a":2}']))
    return odd_text(rng, 20)


def mutate_json(rng: Random, document: Any, times: int | None = None) -> Any:
    """A copy with one to three places changed."""
    document = {"": copy.deepcopy(document)}
    for _ in range(times or rng.choice([1, 1, 1, 2, 3])):
        _change_place(rng, document)
    return document.get("")


def _change_place(rng: Random, document: Any) -> None:
    places = _places(rng, document)
    if not places:
        return
    container, key = rng.choice(places)
    kind = rng.randrange(10)
    if kind < 4:
        container[key] = odd_value(rng)
    elif kind == 4:
        container.pop(key)
    elif kind == 5:
        other, name = rng.choice(places)
        container[key] = copy.deepcopy(other[name]) if other is not document else None
    elif kind == 6:
        container[key] = [container[key]]
    elif kind == 7:
        container[key] = _near(rng, container[key])
    elif kind == 8 and isinstance(container, dict):
        container[odd_text(rng, 8)] = container.pop(key)
    elif isinstance(container, dict):
        container[rng.choice(["x", "model_type", "quantization_config", "adapters", ""])] = (
            odd_value(rng)
        )
    else:
        container.insert(rng.randrange(len(container) + 1), odd_value(rng))


def _places(rng: Random, document: Any) -> list[tuple[Any, Any]]:
    """Where a document can be changed: not more than a few inside each long list."""
    found, waiting = [], [document]
    while waiting:
        container = waiting.pop()
        keys: list[Any] = (
            list(container) if isinstance(container, dict) else list(range(len(container)))
        )
        if len(keys) > 60:
            keys = rng.sample(keys, 60)
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], dict | list):
                waiting.append(container[key])
    return found


def _near(rng: Random, value: Any) -> Any:
    """A value of the same kind, a little different."""
    if isinstance(value, str) and value.startswith(_RAW):
        try:
            number = int(value.removeprefix(_RAW))
        except ValueError:
            return raw(rng.choice(["0", "1", "-1.5", "1e30"]))
        return raw(
            str(
                rng.choice(
                    [number + 1, number - 1, 2 * number, number // 2, -number, 1000 * number]
                )
            )
        )
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return mutate_text(rng, value)
    if isinstance(value, list):
        return value * 2 if rng.random() < 0.5 else value[:-1]
    return odd_value(rng)


def mutate_json_file(rng: Random, data: bytes) -> bytes:
    """A JSON file with places changed, and sometimes its text damaged too."""
    kind = rng.randrange(12)
    if kind == 0:
        return mutate_bytes(rng, data)
    if kind == 1:
        return _repeat_key(rng, data)
    if kind == 2:
        return rng.choice(
            [b"", b"{}", b"[]", b"null", b"\xef\xbb\xbf" + data, data.decode().encode("utf-16")]
        )
    changed = dumps(mutate_json(rng, loads(data)))
    return mutate_bytes(rng, changed) if kind == 3 else changed


def _repeat_key(rng: Random, data: bytes) -> bytes:
    """The file with one of its keys written twice."""
    document = loads(data)
    if not isinstance(document, dict) or not document:
        return data * 2
    key = rng.choice(list(document))
    again = dumps({key: odd_value(rng) if rng.random() < 0.5 else document[key]})
    return dumps(document)[:-1] + b", " + again[1:]


def mutate_bytes(rng: Random, data: bytes) -> bytes:
    """One to three changes: bits, bytes, pieces, whole numbers, the end."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        _change_bytes(rng, changed)
    return bytes(changed)


def _change_bytes(rng: Random, data: bytearray) -> None:
    at = rng.randrange(min(len(data), rng.choice([16, 200, 2**40])) or 1)
    end = at + rng.choice([1, 2, 4, 16, 300])
    kind = rng.randrange(8)
    if kind == 0 and data:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1 and data:
        data[at] = rng.choice([0, 10, 0x1B, 0x22, 0x7F, 0x80, 0xFF])
    elif kind == 2:
        del data[at:end]
    elif kind == 3:
        data[at:at] = rng.randbytes(end - at)
    elif kind == 4:
        data[at:at] = data[at:end] * rng.choice([1, 2, 50])
    elif kind == 5:
        del data[at:]
    elif kind == 6:
        data += rng.randbytes(rng.choice([1, 8, 300]))
    else:
        width = rng.choice([1, 2, 4, 8])
        number = rng.choice(_INTEGERS) % 2 ** (8 * width)
        data[at : at + width] = number.to_bytes(width, rng.choice(["little", "big"]))


def odd_text(rng: Random, length: int) -> str:
    """Characters of all sorts, up to this many. A lone surrogate is a byte that is no UTF-8."""
    made = []
    for _ in range(rng.randrange(length + 1)):
        first, last = rng.choice(_CODE_POINTS)
        made.append(chr(rng.randint(first, last)))
    return "".join(made)


def sentence(rng: Random) -> str:
    """A sentence: usual words, or odd characters between them, or far too much of something."""
    words = [rng.choice(_WORDS) for _ in range(rng.randrange(8))]
    kind = rng.randrange(12)
    if kind < 4:
        words.insert(rng.randrange(len(words) + 1), odd_text(rng, rng.choice([3, 30])))
    elif kind == 4:
        return odd_text(rng, 200)
    elif kind == 5:
        piece = rng.choice([odd_text(rng, 3), *_WORDS, "a", " ", "e\u0301", "\u0301"])
        return piece * rng.choice([50, 500, 3000, 20_000])
    return rng.choice([" ", " ", "", "\t", "\n"]).join(words)


def mutate_text(rng: Random, text: str) -> str:
    """The text with one piece removed, doubled, or odd characters put in."""
    at = rng.randrange(len(text) + 1)
    end = at + rng.choice([1, 3, 20])
    return rng.choice(
        [
            text[:at] + text[end:],
            text[:end] + text[at:],
            text[:at] + odd_text(rng, 5) + text[at:],
            text[:at],
            text.upper(),
        ]
    )
