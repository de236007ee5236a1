"""Arrays that somebody saved: for `check`, or as matrices for `-w`."""

import io
import json
import zipfile
from random import Random

import numpy as np

from fuzz import seeds
from fuzz.case import Case
from fuzz.mutate import dumps, loads, mutate_bytes, mutate_json_file, odd_text, odd_value
from fuzz.targets.checkpoints import Changed
from fuzz.targets.record import target


def npz(members: dict[str, bytes], *, packed: bool = True) -> bytes:
    """An .npz of files that may be anything."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(
        buffer, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    ) as made:
        for name, data in members.items():
            made.writestr(zipfile.ZipInfo(f"{name}.npy", (2020, 1, 1, 0, 0, 0)), data)
    return buffer.getvalue()


def _changed_array(rng: Random, array: np.ndarray) -> bytes:
    """The .npy file of an array that has become odd, or whose bytes have."""
    kind = rng.randrange(9)
    if kind == 0:
        return mutate_bytes(rng, seeds.npy(array))
    if kind == 1:
        with np.errstate(all="ignore"):
            return seeds.npy(
                array.astype(
                    rng.choice(["f8", "f2", "g", "c16", "?", "i8", "u1", "S3", "U2", ">f4"])
                )
            )
    if kind == 2:
        return seeds.npy(np.zeros((0,) * array.ndim, "f4"))
    if kind == 3:
        return _odd_header(rng, array)
    if kind == 4:
        return seeds.npy(np.asfortranarray(array.T))
    if kind == 5:
        return seeds.npy(array.reshape(-1) if rng.random() < 0.5 else array[..., :-1])
    if kind == 6:
        return seeds.npy(array[None] if rng.random() < 0.7 else np.float32(rng.random()))
    changed = array.astype(array.dtype if array.dtype.kind == "f" else "f4").reshape(-1)
    value = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1e38, -1e9, 0.125])
    at = rng.randrange(changed.size or 1)
    with np.errstate(over="ignore"):
        changed[at : at + rng.choice([1, 4, 10**9])] = value
    return seeds.npy(changed.reshape(array.shape))


def _odd_header(rng: Random, array: np.ndarray) -> bytes:
    """An .npy file whose header says something odd."""
    shape = rng.choice(
        [
            "(9223372036854775808,)",
            "(True, 2)",
            "(4, 6",
            "(-1,)",
            "4",
            "(1e3,)",
            "(2**40,)",
            "((4,),)",
            "(0, 9223372036854775807)",
            "()",
        ]
    )
    kind = rng.choice(
        ["'<f4'", "'|O'", "'<f4", "[('a', '<f4')]", "'<M8[s]'", "'<f16'", "'V4'", "None"]
    )
    header = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}}}".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + array.tobytes()


def ask_check(rng: Random, path: str) -> list[str]:
    """`check` on these arrays, by themselves or against a model."""
    options = (
        *("", "", "", "--json", "--n-heads 2", "--causal", "--no-causal", "--each", "--scale 0.5"),
        *("--map S=A", "--map Q=K --n-heads 2", "--tol 1e-3", "-w bert --ids 1,2,3 -l 0"),
        "-w bert --ids 1,2,3,4 --head 1 --json",
    )
    return ["check", path, *rng.choice(options).split()]


def _case(args: list[str], files: Changed, valid: seeds.Files | None = None) -> Case:
    """With the model, if it is asked for."""
    if "-w" in args and "bert" in args:
        files = files | {f"bert/{name}": data for name, data in seeds.checkpoint("bert").items()}
    return Case(args, files, valid or {})


@target("npz")
def check_npz(rng: Random) -> Case:
    """Arrays for `check` and matrices for `-w`, in an .npz, a single .npy or a folder of them."""
    if rng.random() < 0.3:
        arrays, args = seeds.matrices(), ["explain", "The cat", "-w", "mine.npz"]
    else:
        arrays, args = rng.choice(seeds.saved()), ask_check(rng, "mine.npz")
    members = {name: seeds.npy(array) for name, array in arrays.items()}
    valid = npz(members)
    for name in rng.sample(sorted(members), rng.choice([1, 1, 2, len(members)])):
        if rng.random() < 0.15:
            del members[name]
        else:
            members[name] = _changed_array(rng, arrays[name])
    if rng.random() < 0.15 and args[0] == "check":
        files: Changed = {f"mine/{name}.npy": data for name, data in members.items()}
        return _case(ask_check(rng, "mine"), files)
    data = npz(members, packed=rng.random() < 0.5)
    if rng.random() < 0.2:
        data = mutate_bytes(rng, data)
    if rng.random() < 0.05 and args[0] == "check":
        return _case(ask_check(rng, "mine.npy"), {"mine.npy": data})
    return _case(args, {"mine.npz": data}, {"mine.npz": valid})


@target("json")
def check_json(rng: Random) -> Case:
    """Arrays as JSON, and what `export` wrote, for `check`."""
    if rng.random() < 0.5:
        valid = seeds.export()
    else:
        valid = json.dumps(
            {name: array.tolist() for name, array in rng.choice(seeds.saved()).items()}
        ).encode()
    changed = mutate_json_file(rng, valid)
    if rng.random() < 0.1:
        document = loads(valid)
        document[rng.choice(sorted(document))] = odd_value(rng)
        document[odd_text(rng, 5)] = odd_value(rng)
        changed = dumps(document)
    return _case(ask_check(rng, "mine.json"), {"mine.json": changed}, {"mine.json": valid})
