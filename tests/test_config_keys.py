"""What the reference reads of config.json is handled or refused; the rest changes no number."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from comparison import run_checkpoint

from attncli.errors import AttncliError
from attncli.families import read_spec, records
from attncli.families.keys import Keys, is_neutral, reference_keys
from attncli.weights import load_weights, read_config

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(path.parent.name for path in GOLDEN.glob("*/config.json"))
CONFIGS = [read_config(GOLDEN / name) for name in NAMES]
TELLING = (True, False, 1, 2, 3, 5, 6, 8, 48, 0.5, "relu", "gelu", "gated-relu", "layer_norm", "x",
           ["c2p"], [0], [1, 1], ["full_attention", "sliding_attention"], {"a": 1})  # fmt: skip
PARTS = {"clip": ("text_config", "clip_text_model"), "gemma3": ("text_config", "gemma3_text")}
# The lengths of a model count for these kinds of rotary positions.
SCALED = [{"rope_scaling": {"type": kind, "factor": 2.0}} for kind in ("dynamic", "llama3")]

UNKNOWN = {
    "down_scale_factor": 1,
    "emb_size": 312,
    "export_model_type": "transformer",
    "is_gpu": True,
    "kv_channels": 128,
    "layernorm_variant": "xlm",
    "moe_frequency": 1,
    "tie_weights_": True,
    "tokenizer_name": "model",
    "wandb": {"run": "7", "tags": ["a"]},
}
GENERATION = {
    "bad_words_ids": [[7]],
    "begin_suppress_tokens": [1],
    "diversity_penalty": 0.0,
    "do_sample": False,
    "early_stopping": True,
    "encoder_no_repeat_ngram_size": 0,
    "exponential_decay_length_penalty": [1, 1.1],
    "forced_bos_token_id": 3,
    "forced_eos_token_id": 2,
    "length_penalty": 1.0,
    "max_length": 20,
    "min_length": 0,
    "no_repeat_ngram_size": 3,
    "num_beam_groups": 1,
    "num_beams": 4,
    "num_return_sequences": 1,
    "output_scores": False,
    "remove_invalid_values": False,
    "repetition_penalty": 1.2,
    "return_dict_in_generate": False,
    "suppress_tokens": [1],
    "temperature": 0.7,
    "top_k": 50,
    "top_p": 0.9,
    "typical_p": 1.0,
}
MARKS = {
    "_attn_implementation_autoset": True,
    "_commit_hash": "0" * 40,
    "_name_or_path": "somewhere/else",
    "architectures": ["Whatever"],
    "cross_attention_hidden_size": None,
    "finetuning_task": "sst-2",
    "id2label": {"0": "NO", "1": "YES"},
    "label2id": {"NO": 0, "YES": 1},
    "prefix": None,
    "problem_type": "single_label_classification",
    "task_specific_params": {"summary": {"max_length": 9}},
    "tf_legacy_loss": False,
    "tokenizer_class": "Whatever",
    "torch_dtype": "float16",
    "torchscript": False,
    "transformers.js_config": {"dtype": "q4"},
    "transformers_version": "4.40.0",
    "use_bfloat16": False,
}


def with_marks(config: dict) -> dict:
    """The same model, after ten tools have written into its config.json."""
    return {**UNKNOWN, **GENERATION, **MARKS, **config}


@pytest.mark.parametrize("model_type", sorted(records()))
def test_every_family_has_the_keys_of_its_reference(model_type):
    keys = reference_keys(model_type)
    assert {"vocab_size", "text_config"} & keys.reads.keys()
    assert {"sliding_window", "is_causal", "rope_scaling"} <= keys.shared.keys()


@pytest.mark.parametrize("name", NAMES)
def test_what_tools_write_changes_no_bit(name, tmp_path):
    for file in ("model.safetensors", "golden.npz"):
        shutil.copy(GOLDEN / name / file, tmp_path)
    noisy = with_marks(read_config(GOLDEN / name))
    (tmp_path / "config.json").write_text(json.dumps(noisy))
    with np.load(tmp_path / "golden.npz") as file:
        given = {key: file[key] for key in ("ids", "segments", "target_ids") if key in file}
    with load_weights(str(tmp_path)) as weights:
        assert list(weights.ignored_keys) == sorted(UNKNOWN)
        assert len(weights.notes) == 1
    plain = run_checkpoint(GOLDEN / name, given)
    for (label, ours), (_, expected) in zip(run_checkpoint(tmp_path, given), plain, strict=True):
        np.testing.assert_array_equal(ours, expected, err_msg=label)


def configs_of(model_type: str, part: str) -> list[dict]:
    """The goldens' configurations of one family, or the class's defaults."""
    golden = {"stablelm_epoch": "stablelm"}.get(model_type, model_type)
    golden = "falcon" if golden.startswith("Refined") else golden
    found = [config for config in CONFIGS if config["model_type"] == golden]
    found = [{**config, "model_type": model_type} for config in found]
    found = found or [{"model_type": model_type, "vocab_size": 50}]
    return found + [
        {**config, part: {**config[part], **scaled}} if part else {**config, **scaled}
        for config in found[:1]
        for scaled in SCALED
        if not part or part in config
    ]


def cases() -> list[tuple[str, str, Keys]]:
    """(model_type, the object that the keys are in or nothing, its keys)."""
    whole = [(name, "", reference_keys(name)) for name in sorted(records())]
    inside = [(name, part, reference_keys(of)) for name, (part, of) in PARTS.items()]
    return [*whole, *inside, ("mpt", "attn_config", reference_keys("mpt.attn_config"))]


def is_noticed(config: dict, part: str, key: str, value: object) -> bool:
    """Whether a key makes another Spec or is refused by name."""
    changed = {**(config.get(part) or {} if part else config), key: value}
    with suppress(AttncliError):
        before = read_spec(config).spec
        try:
            after = read_spec({**config, part: changed} if part else changed).spec
        except AttncliError as error:
            return key in str(error)
        return after != before
    return False  # these rotary positions are none of this family


@pytest.mark.parametrize(("model_type", "part", "keys"), cases(), ids=lambda each: str(each)[:20])
def test_every_key_that_the_reference_reads_is_handled_or_refused(model_type, part, keys):
    refused = {"adapters", "add_cross_attention", "pruned_heads", "transformers_weights"}
    own = {key for key in keys.reads if not is_neutral(key)}
    shared = {key for key in keys.shared if not is_neutral(key)}
    ignores = {*records()[model_type].ignores, "text_config", "text_config_dict", "attn_config"}
    for key in sorted((own | shared | (set() if part else refused)) - ignores):
        assert any(
            is_noticed(config, part, key, value)
            for config in configs_of(model_type, part)
            for value in TELLING
        ), key
