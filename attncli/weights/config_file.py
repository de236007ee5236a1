"""config.json of a checkpoint's folder, and what a folder without one is."""

from pathlib import Path
from typing import Any

from attncli.errors import AttncliError
from attncli.files import inside, read_object
from attncli.language import Phrase
from attncli.text.printable import quoted


def read_config(folder: Path) -> dict[str, Any]:
    """A checkpoint's config.json. Raises AttncliError if it is missing or is no JSON object."""
    path = folder / "config.json"
    if not path.exists():
        raise AttncliError(
            "{folder} has no config.json: a checkpoint's folder holds config.json, "
            "model.safetensors and tokenizer.json",
            folder=quoted(folder),
        )
    return read_object(inside(folder, path.name))


def refuse_adapter(folder: Path) -> None:
    """Raises AttncliError for a folder with a LoRA adapter alone, which names its base."""
    path = folder / "adapter_config.json"
    if path.exists() and not any(folder.glob("model*.safetensors*")):
        base = read_object(inside(folder, path.name)).get("base_model_name_or_path")
        raise AttncliError(
            "{folder} is a LoRA adapter for {base}: merge it into its base first "
            "(merge_and_unload of the library peft), and give that folder",
            folder=quoted(folder),
            base=quoted(base) if base else Phrase("a base that it does not name"),
        )
