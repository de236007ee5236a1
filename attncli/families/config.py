"""config.json read key by key, so that no key which may change the arithmetic is dropped."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from attncli.errors import AttncliError
from attncli.families.keys import Keys
from attncli.layers import ACTIVATIONS
from attncli.text.printable import quoted

MAX_LAYERS = 10_000
_LARGEST = 1e9  # of a number: no model has a larger one, and float32 can still multiply it


class Config:
    """A config.json, or an object inside one, that remembers which keys were read.

    Only what the reference implementation reads is seen (`keys`). `defaults` is what a missing key
    means in this family's class; `aliases` maps the family's names of keys to those that the
    record asks for. `where` is what stands before the keys of an object inside.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        keys: Keys,
        defaults: Mapping[str, Any] | None = None,
        aliases: Mapping[str, str] | None = None,
        where: str = "",
    ) -> None:
        self._raw, self._keys, self._where = values, keys, where
        self._aliases, self._defaults = aliases or {}, defaults or {}
        self._said: dict[str, str] = {}
        self._values = self._seen()
        self._read: set[str] = set()
        self._settled: set[str] = set()
        self._parts: dict[str, Config] = {}
        self._others: dict[str, tuple[Any, ...]] = {}

    def _seen(self) -> dict[str, Any]:
        """What the reference reads, under the names that the record asks for."""
        seen: dict[str, Any] = {}
        for key, value in self._raw.items():
            name = self._aliases.get(key, key)
            renamed = key == name and key in self._aliases.values()
            if not (key in self._keys.reads or (self._keys.is_read(key) and not renamed)):
                continue
            if name in seen and seen[name] != value and None not in (seen[name], value):
                raise AttncliError(
                    "config.json says {key} = {value} and {other} = {other_value}, two names of "
                    "one thing; keep the right one",
                    key=self._said[name],
                    value=literal(seen[name]),
                    other=key,
                    other_value=literal(value),
                )
            if seen.get(name) is None:
                seen[name], self._said[name] = value, key
        return seen

    def _facts(self, key: str, value: Any) -> dict[str, str]:
        """What every error about a value repeats."""
        return {"key": self.name(key), "value": literal(value)}

    def name(self, key: str) -> str:
        """What config.json calls a key that the record asks for."""
        return f"{self._where}{self._said.get(key, key)}"

    @property
    def model_type(self) -> str:
        """The name under which the family was found."""
        return str(self._raw["model_type"])

    def count(
        self, key: str, default: int | None = None, *, least: int = 1, limit: int = 10**7
    ) -> int:
        """A whole number from `least` to `limit`. Raises AttncliError if it is anything else."""
        value = self.value(key, default)
        if value is None:
            raise AttncliError(
                "config.json has no {key}, which this family needs", key=self.name(key)
            )
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= limit:
            raise AttncliError(
                "config.json says {key} = {value}: a whole number from {least} to {limit} is "
                "needed",
                **self._facts(key, value),
                least=least,
                limit=limit,
            )
        if value == 0:
            self.otherwise(key, 2)
        return value

    def layers(self, key: str, default: int | None = None) -> int:
        """A number of layers."""
        return self.count(key, default, limit=MAX_LAYERS)

    def optional_count(self, key: str) -> int | None:
        """A whole number of at least 1, or None where the key is null or missing."""
        return None if self.value(key) is None else self.count(key)

    def token_id(self, key: str) -> int:
        """The id of a special token. Raises AttncliError if it is anything else."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10**7:
            raise AttncliError(
                "config.json says {key} = {value}: the id of a token is needed",
                **self._facts(key, value),
            )
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A number from 0 to 10^9. Raises AttncliError if it is anything else."""
        value = self.value(key, default)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value <= _LARGEST
        ):
            raise AttncliError(
                "config.json says {key} = {value}: a number from 0 up is needed",
                **self._facts(key, value),
            )
        return float(value)

    def positive(self, key: str, default: float | None = None) -> float:
        """A number above 0. Raises AttncliError if it is anything else."""
        number = self.number(key, default)
        if number == 0:
            raise AttncliError(
                "config.json says {key} = {value}: a number above 0 is needed",
                **self._facts(key, 0),
            )
        return number

    def optional_positive(self, key: str) -> float | None:
        """A number above 0, or None where the key is null or missing."""
        return None if self.value(key) is None else self.positive(key)

    def count_if_on(self, key: str) -> int | None:
        """A whole number of at least 1, or None where the key says -1, 0 or nothing."""
        if self.value(key) in (None, False, 0, -1):
            self.otherwise(key, 2)
            return None
        return self.count(key)

    def choice(
        self, key: str, known: Mapping[str, Any] | tuple[str, ...], default: str | None = None
    ) -> str:
        """One of the known words. Raises AttncliError that lists them for any other."""
        value = self.value(key, default)
        if not isinstance(value, str) or value not in known:
            raise AttncliError(
                "config.json says {key} = {value}, which attncli does not compute; it knows "
                "{known}",
                **self._facts(key, value),
                known=", ".join(known),
            )
        self.otherwise(key, *(each for each in known if each != value))
        return value

    def activation(self, key: str, default: str | None = None) -> str:
        """The name of an activation that layers.py has."""
        name = self.choice(key, ACTIVATIONS, default)
        self.otherwise(key)  # no activation has tensors
        return name

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false. Raises AttncliError if it is anything else."""
        value = self.value(key, default)
        if not isinstance(value, bool):
            raise AttncliError(
                "config.json says {key} = {value}: true or false is needed",
                **self._facts(key, value),
            )
        self.otherwise(key, not value)
        return value

    def must_be(self, key: str, neutral: Any) -> None:
        """Raises AttncliError if the key is there with a value that attncli does not compute.

        Also for a key that the reference drops and whose author means arithmetic.
        """
        self._settled.add(key)
        value = self._raw.get(key)
        if value is not None and value != neutral:
            raise AttncliError(
                "config.json says {key} = {value}, which changes the arithmetic and is not "
                "supported; attncli computes {name} = {neutral}",
                key=f"{self._where}{key}",
                value=literal(value),
                name=key,
                neutral=literal(neutral),
            )

    def section(self, key: str) -> dict[str, Any]:
        """An object inside config.json; empty where it is null or missing."""
        value = self.value(key)
        if value is not None and not isinstance(value, dict):
            raise AttncliError(
                "config.json says {key} = {value}: an object is needed", **self._facts(key, value)
            )
        return dict(value or {})

    def per_layer(self, key: str, n_layers: int) -> list[Any] | None:
        """A list with one entry per layer, or None where the key is null or missing."""
        value = self.value(key)
        if value is not None and (not isinstance(value, list) or len(value) != n_layers):
            raise AttncliError(
                "config.json says {key} = {value}: a list of {n_layers} entries, one per layer, "
                "is needed",
                **self._facts(key, value),
                n_layers=n_layers,
            )
        return value

    def value(self, key: str, default: Any = None) -> Any:
        """What config.json says, else the class's default, else `default`."""
        self._read.add(key)
        value = self._values.get(key)
        if value is None and key not in self._values:
            value = self._defaults.get(key)
        return default if value is None else value

    def part(
        self,
        key: str,
        values: Mapping[str, Any],
        keys: Keys,
        defaults: Mapping[str, Any] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> "Config":
        """The configuration of a part of the model, which stands inside under `key`."""
        self._parts[key] = Config(values, keys, defaults, aliases, f"{self._where}{key}.")
        return self._parts[key]

    def otherwise(self, key: str, *others: Any) -> None:
        """Notes what a key that switches something could have said instead."""
        self._others[key] = others

    def variants(self) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """(key, its value, the config.json that says something else there) for every switch."""
        for name, others in self._others.items():
            names = [key for key, of in self._aliases.items() if of == name]
            keys = [key for key in (*names, name) if self._keys.is_read(key)]
            if not keys:
                continue
            key = next((key for key in keys if key in self._raw), keys[0])
            for other in others:
                yield f"{self._where}{key}", self.value(name), {**self._raw, key: other}
        for key, part in self._parts.items():
            for inside, value, other in part.variants():
                yield inside, value, {**self._raw, key: other}

    def unread(self, ignores: Collection[str] = ()) -> list[str]:
        """The keys that nothing reads, neither the record nor the reference; `ignores` apart.

        Raises AttncliError for a key that was not read and changes the reference's numbers, or may
        change those of a checkpoint that brings its own code.
        """
        ignored = []
        for key, value in sorted(self._raw.items()):
            if key in self._settled or self._was_read(key) or key in ignores:
                continue
            if self._keys.changes_numbers(key, value):
                raise AttncliError(
                    "config.json says {key} = {value}, which changes the arithmetic and is not "
                    "supported",
                    key=f"{self._where}{key}",
                    value=literal(value),
                )
            if value and not self._keys.is_known(key):
                ignored.append(f"{self._where}{key}")
        ignored += [key for part in self._parts.values() for key in part.unread(ignores)]
        if ignored and (self._has_own_code or not self._keys.whole):
            raise AttncliError(
                "config.json has a key that only the checkpoint's own code reads: {key}; it may "
                "change the arithmetic; if it does not, remove it from a copy of the file",
                key=quoted(ignored[0]),
            )
        return ignored

    def _was_read(self, key: str) -> bool:
        name = self._aliases.get(key, key)
        return name in self._read and name in self._values and self._keys.is_read(key)

    @property
    def _has_own_code(self) -> bool:
        """Whether the checkpoint brings the code of its model, not of its tokenizer alone."""
        code = self._raw.get("auto_map")
        return isinstance(code, Mapping) and any(
            str(name).startswith(("AutoConfig", "AutoModel")) for name in code
        )


def literal(value: Any) -> str:
    """A value of config.json as an error repeats it."""
    return quoted(repr(value))
