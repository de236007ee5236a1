"""attncli against the installed reference implementation, on checkpoints that are made afresh.

Nothing can be tuned to these: they lie in no file. Skipped where torch is not installed.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from comparison import first_difference, run_checkpoint

pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.insert(0, str(Path(__file__).parent))

import transformers
from old_configs import old_style
from reference import save
from variants import VARIANTS

from attncli.families import records, spec_from_config

HEADS = [name for name, variant in VARIANTS.items() if variant.head]
OURS = {"attncli_encoder", "stablelm_epoch", "RefinedWeb", "RefinedWebModel"}


@pytest.mark.parametrize("n", [12, 38])
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", VARIANTS)
def test_a_bare_model(name, seed, n, tmp_path):
    reference = save(name, tmp_path, n, seed)
    assert first_difference(run_checkpoint(tmp_path, reference), reference) is None
    path = tmp_path / "config.json"
    path.write_text(json.dumps(old_style(json.loads(path.read_text()))))
    assert first_difference(run_checkpoint(tmp_path, reference), reference) is None


@pytest.mark.parametrize("seed", [3, 4])
@pytest.mark.parametrize("name", HEADS)
def test_a_model_with_a_head(name, seed, tmp_path):
    reference = save(name, tmp_path, 12, seed, head=True)
    assert first_difference(run_checkpoint(tmp_path, reference), reference) is None


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "t5"])
def test_more_tokens_than_a_block_of_rows(name, tmp_path, monkeypatch):
    for key in ("max_position_embeddings", "n_positions"):
        if key in VARIANTS[name].kw:
            monkeypatch.setitem(VARIANTS[name].kw, key, 400)
    reference = save(name, tmp_path, 300, 5)
    assert first_difference(run_checkpoint(tmp_path, reference), reference) is None


@pytest.mark.parametrize("model_type", sorted(records().keys() - OURS))
def test_a_missing_key_means_the_classs_default(model_type):
    full = transformers.AutoConfig.for_model(model_type).to_dict()
    assert spec_from_config({"model_type": model_type}) == spec_from_config(full)
    assert spec_from_config(old_style(full)) == spec_from_config(full)


def test_float32_numbers_of_a_half_precision_checkpoint(tmp_path):
    """The file is bfloat16; the reference reads it as float32, as attncli does."""
    import torch
    from reference import inputs, run

    save("llama", tmp_path, 12, 6, dtype=torch.bfloat16)
    model = transformers.LlamaModel.from_pretrained(
        tmp_path, dtype=torch.float32, attn_implementation="eager"
    )
    given = inputs(VARIANTS["llama"], 12, 6)
    reference = {**given, **run(VARIANTS["llama"], model.eval(), given)}
    assert first_difference(run_checkpoint(tmp_path, reference), reference) is None
    assert all(np.isfinite(value).all() for value in reference.values())
