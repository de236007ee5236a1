"""Writes attncli/families/reference_keys.json: which keys of config.json transformers reads.

    python tests/reference/collect_config_keys.py

For every family it parses the installed source: the classes and functions that the bare model is
made of, the configuration class, and the code that all models share. `reads` has the keys that
these read with the value a missing key has (null: none), `declared` the further ones that the
configuration class or a head on the model names. What attncli does with a key is decided in
attncli/families/keys.py; this file holds no opinion.
"""

import ast
import dataclasses
import functools
import inspect
import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import transformers
from config_key_names import (
    FORWARD,
    LOADING,
    OTHER_NAMES,
    OWN,
    OWN_KEYS,
    PUBLISHED,
    WRITTEN_BEFORE,
)
from transformers import GenerationConfig, PreTrainedConfig
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from attncli.families import records

FILE = Path(__file__).parents[2] / "attncli" / "families" / "reference_keys.json"
_CONFIGS = ("config", "layer_config", "decoder_config", "encoder_config")

Reads = dict[str, Any]  # key -> default


def _chain(node: ast.expr) -> list[str]:
    """`self.config.hidden_size` as its parts; empty for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else []


def _after_config(parts: list[str], own: bool) -> list[str]:
    """What is read of a configuration: the parts after its name; of `self` too where `own`."""
    at = [i for i, part in enumerate(parts) if part in _CONFIGS or (own and part == "self")]
    return parts[at[0] + 1 :] if at else []


def _read(node: ast.AST, own: bool) -> Iterator[tuple[list[str], Any]]:
    """(the parts of a key, its default) for one node of the source that reads a key."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield _after_config(_chain(node), own), None
    if not isinstance(node, ast.Call) or not node.args:
        return
    called, *rest = node.func, *node.args
    if isinstance(called, ast.Name) and called.id in ("getattr", "hasattr") and len(rest) > 1:
        name = [*_chain(rest[0]), rest[1].value if isinstance(rest[1], ast.Constant) else "?"]
        default = rest[2].value if len(rest) > 2 and isinstance(rest[2], ast.Constant) else None
        yield _after_config(name, own), default
    elif own and _chain(called) in (["kwargs", "get"], ["kwargs", "pop"]):
        default = rest[1].value if len(rest) > 1 and isinstance(rest[1], ast.Constant) else None
        yield [rest[0].value] if isinstance(rest[0], ast.Constant) else [], default


def reads_of(nodes: list[ast.AST], own: bool = False) -> dict[tuple[str, ...], Any]:
    """Every key that these parts of a source read, as a tuple where it is inside another."""
    found: dict[tuple[str, ...], Any] = {}
    for node in (inner for outer in nodes for inner in ast.walk(outer)):
        for parts, default in _read(node, own):
            if parts and "?" not in parts:
                key = tuple(parts[:2])
                found[key] = default if found.get(key) is None else found[key]
    return found


@functools.cache
def _parsed(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _definitions(module: ModuleType) -> dict[str, ast.stmt]:
    """Classes, functions and tables of classes by their name."""
    found: dict[str, ast.stmt] = {}
    for node in _parsed(module).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node
    return found


def _in_forward(node: ast.AST) -> list[ast.AST]:
    """A class without the methods that only make initial values."""
    if not isinstance(node, ast.ClassDef):
        return [node]
    methods = [each for each in node.body if getattr(each, "name", "") != "_init_weights"]
    return [*node.bases, *methods]


def _model_nodes(model: type, alone: bool) -> list[ast.AST]:
    """The parts of a modeling file that the bare model is made of; its own class if `alone`."""
    definitions = _definitions(sys.modules[model.__module__])
    wanted, seen = [model.__name__], set()
    while wanted:
        name = wanted.pop()
        if name in seen or name not in definitions:
            continue
        seen.add(name)
        if not alone:
            parts = [each for part in _in_forward(definitions[name]) for each in ast.walk(part)]
            wanted += [each.id for each in parts if isinstance(each, ast.Name)]
    return [part for name in sorted(seen) for part in _in_forward(definitions[name])]


def _class_nodes(config: type[PreTrainedConfig]) -> list[ast.AST]:
    """The methods of a configuration class and of those it is derived from."""
    own = [each for each in config.__mro__ if each.__module__.startswith("transformers.models.")]
    return [
        method
        for each in own
        for method in _definitions(sys.modules[each.__module__])[each.__name__].body
        if isinstance(method, ast.FunctionDef)
    ]


def _is_key(config: type, key: str) -> bool:
    """Whether a name can be a key: methods and constants of the class cannot."""
    value = inspect.getattr_static(config, key, None)
    field = key in {each.name for each in dataclasses.fields(config)}
    return field or value is None or isinstance(value, property)


def _defaults(config: type[PreTrainedConfig]) -> dict[str, Any]:
    values = json.loads(json.dumps(config().to_dict(), default=lambda _: None))
    return {field.name: values.get(field.name) for field in dataclasses.fields(config)}


def _entry(
    config: type[PreTrainedConfig], reads: dict[tuple[str, ...], Any], further: set[str]
) -> Reads:
    """The two lists of one configuration class; a key and its other name are one."""
    defaults, common = _defaults(config), {f.name for f in dataclasses.fields(PreTrainedConfig)}
    found = {key[0]: defaults.get(key[0], default) for key, default in reads.items()}
    for name, key in config.attribute_map.items():
        if name in found or key in found:
            found[name] = found[key] = defaults.get(key)
    found = {
        key: None if isinstance(value, dict) else value or None
        for key, value in found.items()
        if _is_key(config, key)
    }
    declared = (defaults.keys() | further) - found.keys() - common
    return {
        "reads": dict(sorted(found.items())),
        "declared": sorted(key for key in declared if _is_key(config, key)),
    }


def _family(model_type: str) -> dict[str, Reads]:
    """The entries of one family: its own, and one for each part of it that is no model."""
    config = CONFIG_MAPPING[model_type]
    name = modeling_auto.MODEL_MAPPING_NAMES[model_type]
    model = getattr(transformers, name if isinstance(name, str) else name[0])
    models = {
        key for key, part in config.sub_configs.items() if getattr(part, "model_type", "auto")
    }
    everything = reads_of([_parsed(sys.modules[model.__module__])])
    further = {key[0] for key in everything} | set(PUBLISHED.get(model_type, ()))
    reads = reads_of(_model_nodes(model, alone=bool(models)))
    own = reads | reads_of(_class_nodes(config), own=True)
    entries = {model_type: _entry(config, own, further)}
    for key, part in config.sub_configs.items():
        if key not in models:
            inside = {found[1:]: value for found, value in reads.items() if found[:1] == (key,)}
            inside.pop((), None)
            entries[f"{model_type}.{key}"] = _entry(part, inside, set())
    return entries


def _of_modules(names: tuple[str, ...]) -> Reads:
    """What the methods of PreTrainedConfig and the functions of these modules read."""
    found: dict[tuple[str, ...], Any] = {}
    for name in names:
        parsed = _parsed(import_module(f"transformers.{name}"))
        of_config = [
            node
            for node in parsed.body
            if isinstance(node, ast.ClassDef) and issubclass_of_config(node.name)
        ]
        found |= reads_of([parsed]) | reads_of(list(of_config), own=True)
    keys = {key[0]: default or None for key, default in found.items()}
    return {key: default for key, default in keys.items() if _is_key(PreTrainedConfig, key)}


def issubclass_of_config(name: str) -> bool:
    """Whether a class is the base of every configuration, or one of its mixins."""
    return name in {each.__name__ for each in PreTrainedConfig.__mro__}


def _shared() -> dict[str, Any]:
    """What the code of all models reads, and what every configuration class declares."""
    generation = GenerationConfig().to_dict() | GenerationConfig._get_default_generation_params()
    fields = {field.name for field in dataclasses.fields(PreTrainedConfig)}
    reads = _of_modules(FORWARD) | {"tie_word_embeddings": None}  # which tensors a file holds
    declared = {*generation, *fields, *_of_modules(LOADING), *WRITTEN_BEFORE} - reads.keys()
    return {"reads": dict(sorted(reads.items())), "declared": sorted(declared)}


def _architectures(model_types: set[str]) -> dict[str, str]:
    """Class of a model -> the model_type of its configuration class."""
    mappings = [v for k, v in vars(modeling_auto).items() if k.endswith("_MAPPING_NAMES")]
    mappings.remove(modeling_auto.CONFIG_MAPPING_NAMES)
    listed = [mapping[key] for mapping in mappings for key in mapping.keys() & model_types]
    names = {name for each in listed for name in ([each] if isinstance(each, str) else each)}
    classes = {name: getattr(transformers, name).config_class for name in sorted(names)}
    found = {name: config.model_type for name, config in classes.items()}
    return {name: owner for name, owner in found.items() if owner in model_types}


def collect() -> dict[str, Any]:
    """The whole data file."""
    model_types = records().keys() - OTHER_NAMES.keys() - {OWN}
    families: dict[str, Any] = {OWN: {"reads": dict.fromkeys(OWN_KEYS), "declared": []}}
    for model_type in sorted(model_types):
        families |= _family(model_type)
    for name, (same_as, further) in OTHER_NAMES.items():
        reads = families[same_as]["reads"] | dict.fromkeys(further)
        families[name] = {**families[same_as], "reads": reads, "whole": False}
    return {
        "transformers": transformers.__version__,
        "architectures": _architectures(set(model_types)),
        "shared": _shared(),
        "families": families,
    }


def written(found: dict[str, Any]) -> str:
    """The text of the data file: one line for each family."""
    lines = {key: json.dumps(value, separators=(",", ":")) for key, value in found.items()}
    rows = [
        f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}"
        for k, v in found["families"].items()
    ]
    lines["families"] = "{\n" + ",\n".join(rows) + "\n}"
    return "{\n" + ",\n".join(f"{json.dumps(key)}:{text}" for key, text in lines.items()) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(written(collect()), encoding="utf-8")
