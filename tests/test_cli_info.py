"""`attncli info` and `attncli families`: what is stored, what is used, what is known."""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import text_fixtures
from broken_files import EVIL, ODD, entry, safetensors, save, write_index
from command import run
from rich.cells import cell_len
from safetensors.numpy import load_file, save_file

BERT = Path(__file__).parent / "golden" / "bert"
GOLDEN = sorted(path.parent.name for path in BERT.parent.glob("*/config.json"))
CONFIG = json.loads((BERT / "config.json").read_text("utf-8"))
TENSORS = load_file(BERT / "model.safetensors")
POOLER = ["pooler.dense.bias", "pooler.dense.weight"]
USED = [name for name in TENSORS if name not in POOLER]
PARAMETERS = sum(TENSORS[name].size for name in USED)


@pytest.fixture
def bert(tmp_path):
    for name in ("config.json", "model.safetensors"):
        shutil.copy(BERT / name, tmp_path)
    text_fixtures.bert().save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def facts(*arguments):
    """The facts on the screen by name."""
    answer = run("info", *arguments, "--width", "200")
    assert (answer.status, answer.err) == (0, "")
    return dict(line.split("  ", 1) for line in answer.out.splitlines() if "  " in line[:14])


def info(*arguments):
    answer = run("info", *arguments, "--json")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def rewrite(folder, change):
    """The tensors of a folder, changed."""
    tensors = load_file(folder / "model.safetensors")
    save_file(change(tensors), folder / "model.safetensors")


def test_a_checkpoint(bert):
    found = {name: value.strip() for name, value in facts(bert).items()}
    d, h = CONFIG["hidden_size"], CONFIG["num_attention_heads"]
    expected = {
        "family": "bert",
        "layers": str(CONFIG["num_hidden_layers"]),
        "heads": f"{h}, with d_k {d // h} and d_v {d // h}",
        "d_model": str(d),
        "vocabulary": f"{CONFIG['vocab_size']} vectors",
        "positions": f"a learned table; at most {CONFIG['max_position_embeddings']} tokens",
        "segments": str(CONFIG["type_vocab_size"]),
        "mask": "none: every token sees every token",
        "special": "post-norm encoder; causal where is_decoder is set",
        "scale": f"{(d // h) ** -0.5:.6g}; 1/sqrt(d_k) = 1/sqrt({d // h})",
        "norm": f"LayerNorm after the residual, epsilon {CONFIG['layer_norm_eps']:g}",
        "MLP": f"{CONFIG['intermediate_size']} wide, {CONFIG['hidden_act']}",
        "parameters": f"{PARAMETERS:,} in {len(USED)} tensors",
        "stored as": "F32",
        "computed in": "float32; dropout is off",
        "unused": "2 tensors not used by attention",
        "names": "no prefix",
        "tokenizer": "WordPiece, 19 tokens",
        "normaliser": "lower-cases, strips accents, drops control characters, "
        "sets Chinese characters apart",
        "adds": "[CLS] … [SEP]; to a pair [CLS] … [SEP] … [SEP]",
    }
    assert {name: found[name] for name in expected} == expected


def test_r32_unused_tensors_are_counted_and_listed_on_request(bert):
    assert "pooler" not in run("info", bert).out
    lines = run("info", bert, "--unused").out.splitlines()
    assert [line.split()[-1] for line in lines[-2:]] == POOLER
    document = info(bert)
    assert [each["name"] for each in document["unused"]] == POOLER
    assert document["unused"][1]["shape"] == list(TENSORS[POOLER[1]].shape)
    assert sorted(each["name"] for each in document["used"]) == sorted(USED)
    assert document["parameters"] == PARAMETERS


# What a checkpoint holds beside the text model: heads, an image model, tables that are computed.
NOT_READ = re.compile(
    r"pooler\.|vision_|multi_modal_projector\.|visual_projection|text_projection|logit_scale"
    r"|(en|de)coder\.embed_positions\.weight$"
)


@pytest.mark.parametrize("name", GOLDEN)
def test_everything_that_a_family_needs_is_found_and_everything_else_is_known(name):
    document = info(BERT.parent / name)
    assert (document["problem"], document["missing"]) == (None, [])
    unused = [each["name"] for each in document["unused"]]
    assert [each for each in unused if not NOT_READ.match(each)] == []
    assert document["special"] is not None
    learned = document["spec"]["position"] == "learned"
    assert not (learned and any("embed_positions" in each for each in unused))
    text = run("info", BERT.parent / name)
    assert (text.status, text.err) == (0, "")


@pytest.mark.parametrize(
    ("name", "fact", "words"),
    [
        ("llama", "K, V heads", "2, each read by 2 query heads"),
        ("llama", "positions", "rotary, base 10,000; any number of tokens"),
        ("llama-yarn", "positions", "rotary, base 20 (yarn); any number of tokens"),
        ("gptj", "positions", "rotary, base 10,000 on 4 of 6 numbers, neighbouring pairs; "),
        ("smollm3", "positions", "in 1 of 2 layers; "),
        ("bloom", "positions", "ALiBi; any number"),
        ("mpnet", "positions", "a learned table and a table of 32 relative distances; "),
        ("deberta-v2", "positions", "vectors of 16 relative distances; "),
        ("deberta-v2", "scale", "3 dot products are added"),
        ("gpt2-by-layer", "scale", ", divided by the layer's number from 1"),
        ("t5", "scale", "none; it is part of the initial values of W_Q"),
        ("gemma2", "soft-cap", "scores stay between -"),
        ("gemma3", "window", "the last 4 tokens (with its own) in 2 of 3 layers"),
        ("modernbert", "window", "4 tokens to each side in 2 of 4 layers"),
        ("gemma2", "norm", "RMSNorm times 1 + weight before the attention and after the atte"),
        ("olmo2", "q, k norm", "over all heads"),
        ("qwen3", "q, k norm", "every head's alike"),
        ("mixtral", "MLP", "silu, gated; 2 of 4 experts for each token"),
        ("phi", "MLP", "; beside the attention, not behind it"),
        ("phi3", "MLP", "silu, gated"),
    ],
)
def test_facts_of_families(name, fact, words):
    assert words in facts(BERT.parent / name)[fact]


def test_the_decoder_of_a_pair_is_described_and_its_missing_tensors_are_named(tmp_path):
    shutil.copytree(BERT.parent / "bart", tmp_path, dirs_exist_ok=True)
    out = run("info", tmp_path, "--width", "120").out
    _, decoder = out.split("the decoder, where it differs\n")
    assert [line.split("  ")[0] for line in decoder.splitlines()] == [
        "attends", "heads", "scale", "mask", "MLP",
    ]  # fmt: skip
    assert info(tmp_path)["spec"]["decoder"]["causal"]
    rewrite(tmp_path, lambda tensors: {k: v for k, v in tensors.items() if "encoder_attn" not in k})
    document = info(tmp_path)
    assert document["missing"][0].startswith("decoder: layer 0: cross.W_Q not found: no tensor dec")
    assert document["problem"] == document["missing"][0]


def test_a_missing_expert_is_named(tmp_path):
    shutil.copytree(BERT.parent / "mixtral", tmp_path, dirs_exist_ok=True)
    gone = "layers.1.block_sparse_moe.experts.2.w3.weight"
    rewrite(tmp_path, lambda tensors: {k: v for k, v in tensors.items() if k != gone})
    (line,) = info(tmp_path)["missing"]
    assert line.startswith(f"layer 1: W_up not found: no tensor {gone}")


def test_a_decoder_says_what_its_mask_is():
    assert facts(BERT.parent / "bert-decoder")["mask"].strip().startswith("causal")


def test_prefix_old_names_and_storage(bert):
    def old(tensors):
        renamed = {
            f"bert.{name}".replace("LayerNorm.weight", "LayerNorm.gamma"): values
            for name, values in tensors.items()
        }
        name = "bert.embeddings.word_embeddings.weight"
        return renamed | {name: renamed[name].astype(np.float16)}

    rewrite(bert, old)
    found = facts(bert)
    assert found["names"].strip() == "prefix bert., LayerNorm stored as gamma/beta"
    assert found["stored as"].strip() == f"F32 ({len(USED) - 1} tensors), F16 (1 tensor)"
    document = info(bert)
    assert (document["prefix"], document["old_norm_names"]) == ("bert.", True)
    assert document["storage"] == {"F32": len(USED) - 1, "F16": 1}
    assert document["problem"] is None


def test_missing_and_misshapen_tensors_are_all_named(bert):
    def damaged(tensors):
        del tensors["encoder.layer.1.attention.self.key.weight"]
        del tensors["encoder.layer.1.output.LayerNorm.bias"]
        tensors["encoder.layer.0.output.dense.bias"] = np.zeros(5, np.float32)
        return tensors

    rewrite(bert, damaged)
    document = info(bert)
    assert {line.split(";")[0] for line in document["missing"]} == {
        "layer 1: W_K not found: no tensor encoder.layer.1.attention.self.key.weight",
        "encoder.layer.0.output.dense.bias has the shape (5,)",
        "layer 1: mlp_norm.bias not found: no tensor encoder.layer.1.output.LayerNorm.bias",
    }
    assert document["problem"] == document["missing"][0]
    answer = run("info", bert)
    assert answer.status == 0
    assert "missing or of the wrong shape" in answer.out
    assert "not usable" in answer.out


def test_an_unknown_family_is_listed(bert):
    (bert / "config.json").write_text('{"model_type": "bret\\u001b[2J"}')
    document = info(bert)
    assert "model_type 'bret" in document["problem"]
    assert (document["spec"], document["used"], document["tokenizer"]) == (None, [], None)
    assert len(document["unused"]) == len(TENSORS)
    assert document["parameters"] == sum(values.size for values in TENSORS.values())
    answer = run("info", bert)
    assert (answer.status, answer.err) == (0, "")
    assert "not usable" in answer.out
    name = "encoder.layer.0.attention.self.key.weight"
    assert f"F32 {list(TENSORS[name].shape)}  {name}\n" in answer.out
    assert "\x1b" not in answer.out


def test_r15_a_quantised_checkpoint_is_listed(bert):
    header = {
        "q_proj.qweight": entry([2], 0, 8, "I32"),
        "q_proj.scales": entry([4], 8, 12, "F8_E4M3"),
    }
    (bert / "model.safetensors").write_bytes(safetensors(header, bytes(12)))
    lines = run("info", bert / "model.safetensors").out.splitlines()
    assert {"I32 [2]      q_proj.qweight", "F8_E4M3 [4]  q_proj.scales"} <= set(lines)


def test_numbers_that_cannot_be_computed_with_are_a_problem(bert):
    tensors = load_file(bert / "model.safetensors")
    header, data = {}, b""
    for name, values in tensors.items():
        raw = values.astype("i1") if "word_embeddings" in name else values
        storage = "F8_E4M3" if "word_embeddings" in name else "F32"
        header[name] = entry(list(raw.shape), len(data), len(data) + raw.nbytes, storage)
        data += raw.tobytes()
    (bert / "model.safetensors").write_bytes(safetensors(header, data))
    problem = (
        "embeddings.word_embeddings.weight is F8_E4M3: quantised checkpoints are not supported"
    )
    assert info(bert)["problem"] == problem


def test_s05_names_from_a_file_pass_the_filter(tmp_path):
    (tmp_path / "evil.safetensors").write_bytes(ODD["evil_names"])
    answer = run("info", tmp_path / "evil.safetensors")
    assert r"a\x1b]52;c;aGk=\x07b" in answer.out
    assert "\x1b" not in answer.out + answer.err
    assert EVIL in [each["name"] for each in info(tmp_path / "evil.safetensors")["unused"]]


@pytest.mark.parametrize(
    ("weights", "family", "stored", "parameters"),
    [
        (["sample"], "encoder", "F16", "4,760,576 in 25 tensors"),
        (
            ["random", "--d-model", "24", "--n-heads", "3"],
            "encoder",
            "seeded random",
            "82,536 in 13",
        ),
    ],
)
def test_weights_that_are_no_folder(weights, family, stored, parameters):
    answer = run("info", *weights, "--json")
    assert json.loads(answer.out)["spec"]["family"] == family
    text = run("info", *weights).out
    assert f"stored as    {stored}\n" in text
    assert parameters in text


def test_a_file_of_matrices(tmp_path):
    rng = np.random.default_rng(0)
    W = {f"W_{x}": rng.normal(size=(2, 6, 3)) for x in "QKV"}
    save(tmp_path / "m.safetensors", **W, X=rng.normal(size=(4, 6)))
    document = info(tmp_path / "m.safetensors")
    assert (document["spec"]["n_heads"], document["spec"]["d_k"]) == (2, 3)
    assert document["unused"] == []
    assert {each["name"] for each in document["used"]} == {"W_Q", "W_K", "W_V", "E", "X"}
    assert "norm" not in facts(tmp_path / "m.safetensors")


def test_no_values_are_read(bert):
    """The values are a hole in a file of a size that no memory holds."""
    shape = [60, 2**33]
    size = 4 * 60 * 2**33
    config = json.loads((bert / "config.json").read_text())
    (bert / "config.json").write_text(json.dumps(config | {"model_type": "none"}))
    with (bert / "model.safetensors").open("wb") as file:
        header = safetensors({"w": entry(shape, 0, size)})
        file.write(header)
        file.truncate(len(header) + size)
    assert info(bert)["parameters"] == 60 * 2**33


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["nope"], 1, "no weights at nope"),
        (["sample", "--n-heads", "2"], 2, "--n-heads 2 has no effect on sample"),
        (["sample", "--unused", "--json"], 2, "--unused has no effect on --json"),
        ([""], 2, "no weights given"),
        (["EMPTY"], 1, "has no config.json"),
        (["PART"], 1, "part model-00001-of-00001.safetensors is missing"),
        (["sample", "--revision", "x"], 2, "--revision is for models of the Hub"),
    ],
)
def test_nothing_to_list_is_one_line(arguments, status, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("EMPTY").mkdir()
    write_index(Path("PART"), {"w": "model-00001-of-00001.safetensors"})
    shutil.copy(BERT / "config.json", "PART")
    answer = run("info", *arguments)
    assert (answer.status, answer.out, answer.err.count("\n")) == (status, "", 1)
    assert message in answer.err


@pytest.mark.parametrize("width", [40, 80])
def test_nothing_is_wider_than_the_screen_and_no_name_is_cut(width, bert):
    long = "a" * 90 + "z"
    rewrite(bert, lambda tensors: tensors | {long: np.zeros((1, 2, 3, 4), np.float32)})
    out = run("info", bert, "--unused", "--width", width).out
    assert max(map(cell_len, out.splitlines())) <= width
    assert "".join(out.split()).count("a" * 90 + "z") == 1


def test_families_are_listed_from_their_records():
    out = run("families", "--width", "200").out.splitlines()
    assert {line.split("  ")[0] for line in out} >= {"bert", "attncli_encoder"}
    (bert,) = [line for line in out if line.startswith("bert ")]
    assert "post-norm encoder" in bert


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders there")
def test_a_config_that_is_a_pipe_is_not_waited_for(bert):
    (bert / "config.json").unlink()
    os.mkfifo(bert / "config.json")
    answer = run("explain", "the", "-w", bert)
    assert (answer.status, answer.out) == (1, "")
    assert "config.json is a pipe: a regular file is needed" in answer.err


def test_keys_of_config_that_nothing_reads_are_listed(bert):
    keys = {f"tool_{i}": i + 1 for i in range(9)}
    (bert / "config.json").write_text(json.dumps({**CONFIG, **keys, "num_beams": 4}))
    answer = run("info", bert, "--width", "200")
    assert re.search(r"^ignored +of config.json: tool_0, tool_1, .*, tool_8$", answer.out, re.M)
    assert answer.err.startswith("Note: keys of config.json that bert does not have are ignored: ")
    assert answer.err.endswith(", tool_7 and 1 more\n")
    assert info(bert)["ignored_keys"] == sorted(keys)


def test_without_such_keys_there_is_no_line_about_them(bert):
    assert "ignored" not in run("info", bert).out
    assert info(bert)["ignored_keys"] == []


def test_a_key_that_switches_off_a_tensor_of_the_file_is_the_problem(bert):
    (bert / "config.json").write_text(json.dumps({**CONFIG, "type_vocab_size": 0}))
    assert "says type_vocab_size = 0" in info(bert)["problem"]
