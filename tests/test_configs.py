"""201 config.json files of public repositories (tests/configs): read right, or refused clearly."""

import pytest
from config_facts import expected_facts, facts, real_configs

from attncli.errors import AttncliError
from attncli.families import read_spec, records

REAL = {each["file"]: each["config"] for each in real_configs()}
EXPECTED = expected_facts()
KNOWN = [name for name, config in REAL.items() if config.get("model_type") in records()]
REFUSED = {
    "211-llama.json": "attention_chunk_size = 2048",  # Llama 4's attention under Llama's name
    "219-llama.json": "method 'fbgemm_fp8'",
    "319-qwen3.json": "NVIDIA ModelOpt; quant_algo = 'FP8'",
}
OWN_CODE = {"003-none.json": "checkpoint's own code reads: use_flash_attn;"}
# What the note names; no note for any other file.
NOTED = {
    "009-albert.json": ["down_scale_factor"],
    "029-bert.json": ["emb_size"],
    "057-bert.json": [],
    "147-gpt2.json": [],
    "261-mixtral.json": ["moe_frequency", "pretraining_tp", "use_flash_attention"],
    "265-modernbert.json": ["layer_norm_eps", "position_embedding_type"],
    "271-mpt.json": ["init_config", "tokenizer_name"],
    "367-t5.json": [],
}


def test_all_files_of_known_families_are_read_but_three():
    assert len(KNOWN) == 134
    assert EXPECTED.keys() | REFUSED.keys() == set(KNOWN)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_shape_is_what_the_references_class_makes_of_it(name):
    assert facts(read_spec(REAL[name]).spec) == EXPECTED[name]


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_be_computed_is_refused_with_its_reason(name):
    with pytest.raises(AttncliError, match=REFUSED[name]):
        read_spec(REAL[name])


@pytest.mark.parametrize("name", NOTED)
def test_keys_that_nothing_reads_are_named_in_one_note(name):
    reading = read_spec(REAL[name])
    assert list(reading.ignored) == NOTED[name]
    assert len(reading.notes) == bool(NOTED[name])
    assert all(key in str(reading.notes[0]) for key in NOTED[name])


@pytest.mark.parametrize("name", sorted(REAL.keys() - set(KNOWN)))
def test_a_file_of_an_unknown_family_is_refused_by_its_model_type(name):
    model_type = REAL[name].get("model_type")
    says = f"model_type {model_type!r}" if model_type else "model_type"
    says = OWN_CODE.get(name, says)
    with pytest.raises(AttncliError, match=says) as error:
        read_spec(REAL[name])
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300
