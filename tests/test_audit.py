"""What config.json asks for compared with what the file holds: counts, wrappers, leftovers."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attncli.weights import load_weights
from attncli.weights.inventory import take_inventory
from attncli.weights.params import Params
from attncli.weights.prefixes import find_prefix

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def checkpoint(tmp_path):
    """A golden one, its tensors or its config.json changed."""

    def make(name, change=lambda tensors: tensors, **config):
        source, folder = GOLDEN / name, tmp_path / name
        shutil.copytree(source, folder, dirs_exist_ok=True)
        text = json.loads((source / "config.json").read_text("utf-8")) | config
        (folder / "config.json").write_text(json.dumps(text), encoding="utf-8")
        tensors = change(load_file(source / "model.safetensors"))
        save_file({k: np.ascontiguousarray(v) for k, v in tensors.items()},
                  folder / "model.safetensors")  # fmt: skip
        return str(folder)

    return make


def notes(folder):
    with load_weights(folder) as weights:
        return tuple(map(str, weights.notes))


def prefixed(prefix):
    return lambda tensors: {prefix + name: values for name, values in tensors.items()}


def extra(*names):
    """More tensors. What they hold is not read."""
    return lambda tensors: tensors | {name: np.zeros((2, 2), np.float32) for name in names}


# Wrappers


@pytest.mark.parametrize(
    ("name", "wrapper", "own"),
    [
        ("bert", "module._orig_mod.", ""),
        ("bert", "_orig_mod.module.", "bert."),
        ("bert", "module.module.", "bert."),
        ("bert", "model._orig_mod.", "bert."),
        ("bert", "model.", ""),
        ("bert", "0.auto_model.", ""),
        ("gpt2", "model.module._orig_mod.", "transformer."),
        ("llama", "_forward_module.model._orig_mod.", "model."),
        ("t5", "net.", ""),
        ("bart", "model.network.", "model."),
        ("llama", "transformer.", ""),
    ],
)
def test_any_nesting_of_wrappers_is_taken_off_and_said_in_one_note(checkpoint, name, wrapper, own):
    folder = checkpoint(name, prefixed(wrapper + own))
    assert notes(folder) == (f'the tensor names begin with "{wrapper}", which is taken off',)
    inventory = take_inventory(folder)
    assert (inventory.problem, inventory.missing) == (None, ())
    assert inventory.prefix == wrapper + own


def test_the_familys_own_prefix_is_no_wrapper(checkpoint):
    assert notes(checkpoint("llama", prefixed("model."))) == ()
    assert notes(checkpoint("bert", prefixed("bert."))) == ()


@pytest.mark.parametrize("prefix", ["student.", "modules.", "_orig_mod", "module.student."])
def test_what_no_wrapper_adds_is_not_taken_off(checkpoint, prefix):
    inventory = take_inventory(checkpoint("bert", prefixed(prefix)))
    assert str(inventory.problem).startswith(
        "E not found: no tensor embeddings.word_embeddings.weight"
    )
    assert f"nearest: {prefix}embeddings.word_embeddings.weight" in str(inventory.problem)


def test_a_tied_head_is_found_under_the_wrapper(checkpoint):
    def wrapped(tensors):
        tensors["lm_head.weight"] = tensors.pop("wte.weight")
        head = {"lm_head.weight": tensors.pop("lm_head.weight")}
        return prefixed("module.")(prefixed("transformer.")(tensors) | head)

    folder = checkpoint("gpt2", wrapped, tie_word_embeddings=True)
    assert take_inventory(folder).problem is None


def test_two_wrapped_models_are_two(checkpoint):
    def both(tensors):
        return prefixed("module.")(tensors) | prefixed("_orig_mod.module.")(tensors)

    inventory = take_inventory(checkpoint("bert", both))
    assert "the weights hold two models: _orig_mod.module.encoder" in str(inventory.problem)


def test_a_long_prefix_takes_no_time():
    """A pattern that goes back over its own steps would."""
    with load_weights("sample") as weights:
        name = "model." * 30_000 + "!" + weights.spec.names["W_Q"].format(i=0)
        assert find_prefix(weights.spec, {name}).full == ""


# Counts


@pytest.mark.parametrize("name", ["bert", "llama", "gpt2"])
def test_more_layers_declared_than_stored(checkpoint, name):
    key = "n_layer" if name == "gpt2" else "num_hidden_layers"
    folder = checkpoint(name, **{key: 9_999})
    (note,) = notes(folder)
    assert note == "config.json says 9999 layers, the weights hold 2: the others are missing"
    inventory = take_inventory(folder)
    assert (inventory.spec.n_layers, inventory.layers) == (9_999, 2)
    assert tuple(map(str, inventory.notes)) == (note,)
    assert {str(line).split(":")[0] for line in inventory.missing} == {"layer 2"}
    assert len(inventory.missing) < 20


def test_layers_that_share_tensors_are_gone_through_once(checkpoint, monkeypatch):
    asked = []
    find = Params.find
    monkeypatch.setattr(Params, "find", lambda *a, **k: asked.append(a) or find(*a, **k))
    inventory = take_inventory(checkpoint("albert", num_hidden_layers=10_000))
    assert inventory.problem is None
    assert len(asked) < 100
    asked.clear()
    inventory = take_inventory(
        checkpoint("albert", num_hidden_layers=10_000, num_hidden_groups=10_000)
    )
    assert str(inventory.problem).startswith(
        "layer 1: W_Q not found: no tensor encoder.albert_layer_g"
    )
    assert len(asked) < 200


def test_fewer_layers_declared_than_stored(checkpoint):
    folder = checkpoint("bert", num_hidden_layers=1)
    expected = "config.json says 1 layers, the weights hold 2: the others are not used"
    assert notes(folder) == (expected,)


def test_the_layers_of_each_stack_are_counted(checkpoint):
    folder = checkpoint("t5", num_decoder_layers=7)
    (note,) = notes(folder)
    assert note.startswith("decoder: config.json says 7 layers, the weights hold ")


def test_a_hole_in_the_layers_is_named(checkpoint):
    def without_a_layer(tensors):
        return {name: v for name, v in tensors.items() if ".layer.1." not in name} | {
            name.replace(".layer.1.", ".layer.3."): v for name, v in tensors.items()
        }

    inventory = take_inventory(checkpoint("bert", without_a_layer, num_hidden_layers=5))
    assert {str(line).split(":")[0] for line in inventory.missing} == {"layer 1"}
    assert inventory.layers == 2


def test_experts_that_are_only_declared_are_not_gone_through(checkpoint):
    inventory = take_inventory(checkpoint("mixtral", num_local_experts=10_000))
    assert len(inventory.missing) < 20
    assert any("experts.4.w1.weight" in str(line) for line in inventory.missing)


def test_neighbours_are_looked_for_a_few_times(checkpoint, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "attncli.weights.params.get_close_matches", lambda *a, **_: asked.append(a) or []
    )
    inventory = take_inventory(checkpoint("bert", lambda _: {"w": np.zeros(2, np.float32)}))
    assert len(inventory.missing) > 10
    assert len(asked) == 3


# Tensors that nothing uses


@pytest.mark.parametrize(
    ("name", "stray"),
    [
        ("llama", "layers.0.self_attn.q_norm.weight"),
        ("llama", "layers.1.mlp.up_proj.bias"),
        ("llama", "layers.0.self_attn.q_proj.lora_A.weight"),
        ("gpt2", "h.0.crossattention.c_attn.weight"),
        ("bert", "encoder.layer.1.adapter.down.weight"),
        ("bert", "embeddings.visual.weight"),
        ("t5", "decoder.block.0.layer.0.SelfAttention.q.bias"),
        ("albert", "encoder.albert_layer_groups.0.albert_layers.0.extra.weight"),
    ],
)
def test_a_tensor_of_a_layer_or_table_that_nothing_uses_is_a_note(checkpoint, name, stray):
    (note,) = notes(checkpoint(name, extra(stray)))
    assert note.startswith(f"1 tensor of the layers and tables that config.json does not ask for: "
                           f"{stray}; ")  # fmt: skip
    (note,) = notes(checkpoint(name, lambda t: prefixed("module.")(extra(stray)(t))))[1:]
    assert f"module.{stray}" in note


def test_many_are_counted_and_the_first_are_named(checkpoint):
    names = [f"layers.0.mlp.extra.{i}" for i in range(9)]
    (note,) = notes(checkpoint("llama", extra(*names)))
    assert note.startswith("9 tensors of ")
    assert f"{names[0]}, {names[1]}, {names[2]}, …; " in note


@pytest.mark.parametrize(
    ("name", "usual"),
    [
        ("gpt2", ["h.0.attn.bias", "h.1.attn.masked_bias", "lm_head.weight", "score.weight"]),
        ("gpt_neo", ["h.0.attn.attention.bias", "h.0.attn.attention.masked_bias"]),
        ("gptj", ["h.0.attn.causal_mask", "lm_head.bias"]),
        ("gpt_neox", ["layers.0.attention.bias", "layers.0.attention.rotary_emb.inv_freq"]),
        ("llama", ["layers.0.self_attn.rotary_emb.inv_freq", "rotary_emb.inv_freq"]),
        ("bert", ["embeddings.position_ids", "cls.predictions.bias", "pooler.dense.weight"]),
        ("t5", ["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"]),
        ("t5", ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"]),
        ("bart", ["encoder.embed_tokens.weight", "final_logits_bias", "encoder.version"]),
        ("clip", ["vision_model.encoder.layers.0.self_attn.q_proj.weight"]),
        ("gemma3-images", ["vision_tower.vision_model.encoder.layers.0.mlp.fc1.bias"]),
    ],
)
def test_heads_poolers_buffers_and_image_parts_are_no_note(checkpoint, name, usual):
    assert notes(checkpoint(name, extra(*usual))) == ()


def test_checkpoints_as_they_are_have_no_notes():
    """Every family's; `info` lists the unused tensors of each in test_cli_info."""
    found = {}
    for folder in sorted(path.parent for path in GOLDEN.glob("*/config.json")):
        found[folder.name] = notes(str(folder))
    assert {name: said for name, said in found.items() if said} == {}


def test_neighbours_come_from_the_same_part_of_the_model(checkpoint):
    """Of 50,000 names a few hundred are compared letter by letter."""
    many = extra(*(f"layers.{i}.experts.{e}.down.weight" for i in range(10) for e in range(200)))
    folder = checkpoint("llama", lambda t: many(prefixed("student.")(t)))
    (first, second, *_) = map(str, take_inventory(folder).missing)
    assert first.startswith("E not found: no tensor embed_tokens.weight; nearest: student.embed_")
    assert second.startswith("layer 0: W_Q not found: no tensor layers.0.self_attn.q_proj.weight; "
                             "nearest: student.layers.0.self_attn.q_proj.weight")  # fmt: skip


def test_names_that_a_message_repeats_are_cut(checkpoint):
    """A header may have names of a megabyte."""
    long = "layers.0." + "n" * 100_000
    (note,) = notes(checkpoint("llama", extra(long)))
    assert "layers.0.nnn" in note
    assert len(note) < 400
    problem = str(take_inventory(checkpoint("llama", extra(long + ".qweight"))).problem)
    assert problem.startswith("the weights hold layers.0.nnn")
    assert len(problem) < 400
