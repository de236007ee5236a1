"""config.json of a checkpoint's folder, and what a folder without one is."""

from pathlib import Path
from typing import Any

from attncli.errors import AttncliError
from attncli.files import inside, quoted, read_object


def read_config(folder: Path) -> dict[str, Any]:
    """A checkpoint's config.json. Raises AttncliError if it is missing or is no JSON object."""
    path = folder / "config.json"
    if not path.exists():
        raise AttncliError(
            f"{folder} has no config.json: a checkpoint's folder holds config.json, "
            f"model.safetensors and tokenizer.json"
        )
    return read_object(inside(folder, path.name))


def refuse_adapter(folder: Path) -> None:
    """Raises AttncliError for a folder with a LoRA adapter alone, which names its base."""
    path = folder / "adapter_config.json"
    if path.exists() and not any(folder.glob("model*.safetensors*")):
        base = read_object(inside(folder, path.name)).get("base_model_name_or_path")
        named = quoted(base) if base else "a base that it does not name"
        raise AttncliError(
            f"{folder} is a LoRA adapter for {named}: merge it into its base first "
            f"(merge_and_unload of the library peft), and give that folder"
        )
