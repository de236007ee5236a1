"""The collected keys of config.json against the installed reference implementation.

Skipped where torch is not installed.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.insert(0, str(Path(__file__).parent))

import torch
import transformers
from collect_config_keys import FILE, collect, written
from config_facts import facts
from config_facts_reference import accepted, reference_facts
from reference import build, inputs, run
from variants import VARIANTS

from attncli.errors import AttncliError
from attncli.families import records, spec_from_config
from attncli.families.keys import is_neutral, reference_keys

# Neutral keys that no test can set: set by the library itself, asked for when the model is run, of
# another tower, or (is_encoder_decoder) what decides how many stacks are there at all.
NOT_TRIED = {
    "_attn_implementation",
    "_experts_implementation",
    "_is_quantized",
    "dtype",
    "is_encoder_decoder",
    "output_attentions",
    "output_hidden_states",
    "return_dict",
    "vision_config",
    "vision_config_dict",
}
TELLING = {"id2label": {"0": "A", "1": "B", "2": "C"}}
SINGLE = {
    "attn_logit_softcapping": 4.0,
    "chunk_size_feed_forward": 2,
    "router_jitter_noise": 0.5,
    "_sliding_window_pattern": 2,
}


def values_of(key: str) -> tuple[Any, ...]:
    """Values that would show if the reference used a neutral key for its numbers."""
    if key in TELLING:
        return (TELLING[key],)
    if key.endswith("token_id"):
        return (7,)
    if key.endswith(("_size", "_dim", "_labels", "tp")):
        return (4,)
    return (SINGLE[key],) if key in SINGLE else (0.5,) if "drop" in key else (True, False)


def first_variants() -> dict[str, str]:
    """model_type -> the first variant of every family that is one model."""
    found: dict[str, str] = {}
    for name, variant in VARIANTS.items():
        model_type = getattr(transformers, variant.prefix + variant.config).model_type
        if model_type not in ("clip", "gemma3"):  # their text parts are families too
            found.setdefault(model_type, name)
    return found


def is_handled(config: dict[str, Any], key: str, value: Any) -> bool:
    """Whether this family's record handles a key that is neutral elsewhere."""
    try:
        return spec_from_config({**config, key: value}) != spec_from_config(config)
    except AttncliError:
        return True


@pytest.mark.parametrize(("model_type", "name"), first_variants().items())
def test_a_neutral_key_changes_no_number_of_the_reference(model_type, name):
    variant = VARIANTS[name]
    given, plain = inputs(variant, 12, 0), build(variant, variant.base, 0, torch.float32)
    expected = run(variant, plain, given)
    keys = {key for key in reference_keys(model_type).reads if is_neutral(key)}
    for key in sorted((keys | {*records()[model_type].ignores}) - NOT_TRIED):
        for value in values_of(key):
            if is_handled(json.loads(plain.config.to_json_string()), key, value):
                continue
            changed = replace(variant, kw={**variant.kw, key: value})
            model = build(changed, variant.base, 1, torch.float32)
            model.load_state_dict(plain.state_dict())
            found = run(variant, model, given)
            assert "encoder.output" in found
            for tensor, numbers in found.items():
                np.testing.assert_allclose(
                    numbers, expected[tensor], rtol=0, atol=1e-6, err_msg=f"{key} {value} {tensor}"
                )


def test_the_data_file_is_what_the_script_collects():
    assert FILE.read_text("utf-8") == written(collect())


def test_the_stored_shapes_are_the_references():
    for each in accepted():
        expected = json.loads(json.dumps(reference_facts(each["config"])))
        assert facts(spec_from_config(each["config"])) == expected, each["file"]
