"""config.json of a checkpoint's folder, and what a folder without one is."""

import json
from pathlib import Path
from typing import Any

from attncli.errors import AttncliError
from attncli.weights.file_kinds import check_regular

_LIMIT = 10_000_000  # bytes; the largest published, with label names, have a few hundred kB


def read_config(folder: Path) -> dict[str, Any]:
    """A checkpoint's config.json. Raises AttncliError if it is missing or is not a JSON object."""
    path = folder / "config.json"
    if not path.exists():
        raise AttncliError(
            f"{folder} has no config.json: a checkpoint's folder holds config.json, "
            f"model.safetensors and tokenizer.json"
        )
    return _read_object(path)


def refuse_adapter(folder: Path) -> None:
    """Raises AttncliError for a folder with a LoRA adapter alone, which names its base."""
    path = folder / "adapter_config.json"
    if path.exists() and not any(folder.glob("model*.safetensors*")):
        base = _read_object(path).get("base_model_name_or_path") or "a base that it does not name"
        raise AttncliError(
            f"{folder} is a LoRA adapter for {base}: merge it into its base first "
            f"(merge_and_unload of the library peft), and give that folder"
        )


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. Raises ValueError for a key that is there twice."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key[:200]!r} is there twice; keep the right one")
        found[key] = value
    return found


def _read_object(path: Path) -> dict[str, Any]:
    """A JSON object. Raises AttncliError for anything else, such as a pipe or a huge file."""
    check_regular(path)
    try:
        if path.stat().st_size > _LIMIT:
            raise ValueError(f"it is larger than {_LIMIT / 1e6:g} MB")
        text = path.read_text("utf-8-sig")
        found = json.loads(text, object_pairs_hook=_without_duplicates)
    except (OSError, ValueError, RecursionError) as error:
        raise AttncliError(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise AttncliError(f"{path} holds {type(found).__name__}, not a JSON object")
    return found
