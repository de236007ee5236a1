"""Which key does what. The page of keys is made from this table (`walk.key.ACTION` says what)."""

BINDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("next", ("n", "right", "enter")),
    ("on", (" ",)),
    ("back", ("b", "p", "left", "backspace")),
    ("first", ("g", "home")),
    ("last", ("G", "end")),
    ("down", ("down", "j")),
    ("up", ("up", "k")),
    ("page_down", ("page down",)),
    ("page_up", ("page up",)),
    ("step", ("s", *"0123456789")),
    ("token", ("t",)),
    ("head", ("h",)),
    ("layer", ("l",)),
    ("component", ("c",)),
    ("help", ("?",)),
    ("quit", ("q", "ctrl-d")),
)
ACTIONS = {key: action for action, keys in BINDINGS for key in keys}

_SHOWN = {
    " ": "Space",
    "right": "→",
    "left": "←",
    "up": "↑",
    "down": "↓",
    "page up": "PgUp",
    "page down": "PgDn",
    "ctrl-d": "Ctrl-D",
}


def name_of_key(key: str) -> str:
    """What is printed on the key."""
    return _SHOWN.get(key, key.capitalize() if len(key) > 1 and key.isalpha() else key)


def names_of_keys(keys: tuple[str, ...]) -> str:
    """All keys of one action; the ten digits as `0–9`."""
    digits = [key for key in keys if key.isdecimal()]
    names = [name_of_key(key) for key in keys if key not in digits]
    if digits:
        names.append(f"{digits[0]}–{digits[-1]}")
    return " ".join(names)
