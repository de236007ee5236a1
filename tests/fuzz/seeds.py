"""Valid files to begin with: checkpoints, tokenizers, arrays. Made once, when asked for."""

import io
import json
import tempfile
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import text_fixtures
from check_cases.cases import right, singles, unknown
from command import run as run_here
from safetensors.numpy import load, save

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "golden"
FAMILIES = tuple(sorted(path.parent.name for path in GOLDEN.glob("*/config.json")))
USUAL = ("bert", "gpt2", "llama", "t5", "mixtral", "gemma2", "deberta-v2", "albert", "bart")
TOKENIZERS = (
    "bert",
    "gpt2",
    "llama",
    "unigram",
    "bpe_without_unknown",
    "word_level_without_unknown",
)
Files = dict[str, bytes]
INDEX = "model.safetensors.index.json"


@cache
def _read(path: Path) -> bytes:
    return path.read_bytes()


def checkpoint(family: str) -> Files:
    """config.json and model.safetensors of a family's golden."""
    names = ("config.json", "model.safetensors")
    return {name: _read(GOLDEN / family / name) for name in names}


@cache
def real_configs() -> tuple[bytes, ...]:
    """Configuration files of public models, where the tests have them."""
    path = TESTS / "configs" / "configs.json"
    listed = json.loads(path.read_bytes()) if path.is_file() else []
    return tuple(json.dumps(each["config"]).encode() for each in listed)


@cache
def _tokenizer(kind: str) -> bytes:
    return bytes(getattr(text_fixtures, kind)().to_str(pretty=True), "utf-8")


def tokenizer(kind: str) -> Files:
    """tokenizer.json and tokenizer_config.json."""
    settings = {
        "add_bos_token": True,
        "bos_token": "<s>",
        "eos_token": "</s>",
        "do_lower_case": True,
    }
    return {
        "tokenizer.json": _tokenizer(kind),
        "tokenizer_config.json": json.dumps(settings).encode(),
    }


@cache
def old_tokenizer(kind: str) -> Files:
    """The older forms: vocab.txt of WordPiece, vocab.json with merges.txt of byte-level BPE."""
    model = json.loads(_tokenizer(kind))["model"]
    settings = {"tokenizer_config.json": b'{"do_lower_case": true, "model_max_length": 40}'}
    if kind == "bert":
        return {"vocab.txt": "\n".join(model["vocab"]).encode() + b"\n", **settings}
    merges = [" ".join(pair) if isinstance(pair, list) else pair for pair in model["merges"]]
    return {
        "vocab.json": json.dumps(model["vocab"]).encode(),
        "merges.txt": ("#version: 0.2\n" + "\n".join(merges) + "\n").encode(),
        **settings,
    }


@cache
def sharded() -> Files:
    """The golden of bert in two parts, with their index."""
    files = checkpoint("bert")
    tensors = load(files["model.safetensors"])
    parts = {name: f"model-0000{1 + i % 2}-of-00002.safetensors" for i, name in enumerate(tensors)}
    return {
        "config.json": files["config.json"],
        INDEX: json.dumps({"metadata": {"total_size": 4}, "weight_map": parts}).encode(),
        **{
            part: save({n: tensors[n] for n, p in parts.items() if p == part})
            for part in sorted(set(parts.values()))
        },
    }


@cache
def matrices() -> dict[str, np.ndarray]:
    """The matrices of one attention, as somebody saves them to look at."""
    rng = np.random.default_rng(1)
    return {f"W_{letter}": rng.normal(size=(6, 6)).astype("f4") for letter in "QKVO"}


@cache
def arrays() -> dict[str, np.ndarray]:
    """Every array of an attention with two heads of three: what `check` finds right."""
    rng = np.random.default_rng(2)
    made = {"X": rng.normal(size=(4, 6)), **{k: v.astype("f8") for k, v in matrices().items()}}
    for letter in "QKV":
        made[letter] = (made["X"] @ made[f"W_{letter}"]).reshape(4, 2, 3).swapaxes(0, 1)
    made["S"] = made["Q"] @ made["K"].swapaxes(1, 2) / 3**0.5
    powers = np.exp(made["S"] - made["S"].max(-1, keepdims=True))
    made["A"] = powers / powers.sum(-1, keepdims=True)
    made["Z"] = made["A"] @ made["V"]
    made["Y"] = made["Z"].swapaxes(0, 1).reshape(4, 6) @ made["W_O"]
    return {name: array.astype("f4") for name, array in made.items()}


@cache
def saved() -> tuple[dict[str, np.ndarray], ...]:
    """What `arrays` has, and what people save of right and wrong attentions, in their layouts."""
    drawn = [*islice(right(0, 20), 20), *islice(singles(0, 40), 40), *islice(unknown(0, 10), 10)]
    return (*[arrays()] * 10, *(case.file.arrays for case in drawn))


def npy(array: np.ndarray) -> bytes:
    """An .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


@cache
def export() -> bytes:
    """What `attncli export` writes of a small model."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in checkpoint("bert").items():
            (Path(folder) / name).write_bytes(data)
        written = run_here("export", "--ids", "1,2,3", "-w", folder).out
        return written.replace(folder, "model").replace(Path(folder).name, "model").encode()
