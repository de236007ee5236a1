"""Checkpoints: their configuration, their tensors, the index of their parts."""

from random import Random

import numpy as np
from safetensors.numpy import load, save

from fuzz import seeds
from fuzz.case import Case, Odd
from fuzz.mutate import mutate_bytes, mutate_json_file
from fuzz.seeds import Files
from fuzz.targets.record import target

Changed = dict[str, bytes | Odd]


def ask_model(rng: Random, weights: str) -> list[str]:
    """A command that reads this checkpoint."""
    ids = ["--ids", "1,2,3", "-w", weights]
    return rng.choice(
        [
            ["info", weights],
            ["info", weights, "--unused"],
            ["info", weights, "--json"],
            ["explain", *ids],
            ["explain", *ids, "--token", "1", "-l", "0"],
            ["explain", *ids, "--full", "--show", "X,Q,S,A,Y"],
            ["export", *ids],
            ["explain", *ids, "--target-ids", "1,2"],
            ["explain", "the cat", "-w", weights],
        ]
    )


def odd_place(rng: Random) -> Odd:
    """What is no regular file."""
    links = ("/dev/zero", "/dev/full", "nowhere", "model", "config.json", "/proc/self/mem", "/")
    return rng.choice([Odd("fifo"), Odd("folder"), Odd("link", rng.choice(links))])


def case(args: list[str], valid: Files, changed: Changed) -> Case:
    """A case on a folder `model` in which some files are changed."""
    files: Changed = {**valid, **changed}
    folder = {f"model/{name}": content for name, content in valid.items()}
    return Case(args, {f"model/{name}": content for name, content in files.items()}, folder)


@target("config")
def config(rng: Random) -> Case:
    """config.json of every family, and of public models, beside weights of some family."""
    valid = seeds.checkpoint(rng.choice(seeds.FAMILIES))
    if seeds.real_configs() and rng.random() < 0.3:
        valid = {**valid, "config.json": rng.choice(seeds.real_configs())}
    changed = mutate_json_file(rng, valid["config.json"])
    return case(ask_model(rng, "model"), valid, {"config.json": changed})


@target("safetensors")
def safetensors(rng: Random) -> Case:
    """model.safetensors: its header as JSON, its bytes, its numbers."""
    valid = seeds.checkpoint(rng.choice(seeds.USUAL))
    name = "model.safetensors"
    changed = mutate_safetensors(rng, valid[name])
    made = case(ask_model(rng, "model"), valid, {name: changed})
    if rng.random() < 0.1:
        made.files["model/model.safetensors"] = odd_place(rng)
    return made


def mutate_safetensors(rng: Random, data: bytes) -> bytes:
    """Mostly damage that leaves a file that can be opened."""
    length = 8 + int.from_bytes(data[:8], "little")
    kind = rng.randrange(6)
    if kind == 0:
        return mutate_bytes(rng, data)
    if kind == 1:
        return data[:length] + _odd_numbers(rng, data[length:])
    if kind == 2:
        return _changed_tensors(rng, data)
    header = mutate_json_file(rng, data[8:length].rstrip())
    size = len(header) if rng.random() < 0.95 else rng.choice([0, 7, 2**31, 2**63, len(header) + 1])
    return size.to_bytes(8, "little") + header + data[length:]


def _odd_numbers(rng: Random, data: bytes) -> bytes:
    """Some float32 replaced by what arithmetic stumbles on, or all of them."""
    numbers = np.frombuffer(data[: len(data) // 4 * 4], "<f4").copy()
    value = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1e38, -3e38, 1e-45])
    at = rng.randrange(len(numbers) or 1)
    numbers[at : at + rng.choice([1, 40, 10**9])] = value
    return numbers.tobytes()


def _changed_tensors(rng: Random, data: bytes) -> bytes:
    """A valid file whose tensors have other shapes, types or names."""
    tensors = load(data)
    for name in rng.sample(sorted(tensors), min(len(tensors), rng.choice([1, 2, 40]))):
        array = tensors.pop(name)
        kind = rng.randrange(6)
        if kind == 0:
            array = np.zeros((0, *array.shape[1:]), array.dtype)
        elif kind == 1:
            array = np.ascontiguousarray(array.T)
        elif kind == 2:
            array = array.astype(rng.choice(["f8", "f2", "i8", "u1", "?"]))
        elif kind == 3:
            array = array.reshape(-1)
        elif kind == 4:
            name = rng.choice(["module.", "model.", "transformer.", "x" * 3000]) + name
        else:
            continue
        tensors[name] = array
    return save(tensors)


@target("index")
def index(rng: Random) -> Case:
    """model.safetensors.index.json and the parts that it names."""
    valid = seeds.sharded()
    name = rng.choice([seeds.INDEX, seeds.INDEX, *valid])
    changed: bytes | Odd
    if rng.random() < 0.1:
        changed = odd_place(rng)
    elif name.endswith(".json"):
        changed = mutate_json_file(rng, valid[name])
    else:
        changed = mutate_safetensors(rng, valid[name])
    return case(ask_model(rng, "model"), valid, {name: changed})
