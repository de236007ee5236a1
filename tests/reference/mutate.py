"""Does a wrong switch show? Changes every switch of every record, one at a time.

    python tests/reference/mutate.py [GOLDEN ...]

For each golden it makes the Spec of its config.json, changes one field, and asks whether the
comparison with the golden fails or the model refuses to run. What does not show is a survivor,
listed at the end with exit status 1.
"""

import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import numpy as np

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from comparison import first_difference, limits_differ, run_checkpoint  # noqa: E402

from attncli.families import spec_from_config  # noqa: E402
from attncli.families.spec import Spec  # noqa: E402
from attncli.language import Phrase  # noqa: E402
from attncli.layers import ACTIVATIONS  # noqa: E402
from attncli.position_bias import Alibi, Disentangled  # noqa: E402
from attncli.rotary import ROTARY_KINDS, Rotary  # noqa: E402
from attncli.weights import read_config  # noqa: E402

GOLDEN = TESTS / "golden"
TOKENS = 11  # of a golden's sentence
# Not arithmetic: what the model is called, words, names of tensors (test_params.py has those).
NOT_SWITCHES = {"family", "names", "aliases", "scale_reason", "decoder"}
# Fields that count only where another one is set.
NEEDS = {
    "conv_activation": lambda s: s.conv_width,
    "conv_width": lambda s: s.conv_width,
    "n_experts": lambda s: s.n_experts,
    "n_experts_used": lambda s: s.n_experts,
    "qkv": lambda s: "W_QKV" in s.names and not (s.qkv == "grouped" and s.n_kv_heads == 1),
    "layer_names": lambda s: s.layer_names,
    "absent": lambda s: s.absent,
    "position_offset": lambda s: s.position != "none",
    "pad_id": lambda s: s.position != "none",
    "n_segments": lambda s: "T" in s.names,
    "embed_before_positions": lambda s: (
        s.position != "none" and {"embed_norm.weight", "W_E"} & s.names.keys()
    ),
    "residual_from_norm": lambda s: not s.parallel and "pre_attention_norm.weight" in s.names,
    "d_embed": lambda s: s.d_embed != s.d_model,
    "d_v": lambda s: "W_QKV" not in s.names,
    "qk_norm": lambda s: "q_norm.weight" in s.names,
}
# The parameters of rotary that its kind reads.
STRETCH = {
    "linear": {"factor"},
    "dynamic": {"factor", "max_positions"},
    "llama3": {"factor", "original_positions", "low_freq_factor", "high_freq_factor"},
    "yarn": {"factor", "truncate", "attention_factor"},
    "longrope": {"max_positions", "original_positions"},
}
YARN_UNROUNDED = {"original_positions", "beta_fast", "beta_slow"}
PLAIN = {"dim", "theta", "interleaved", "kind"}


def mutants(spec: Any) -> Iterator[tuple[str, Any]]:
    """(what was changed, the changed dataclass) for every field that counts here."""
    hints = get_type_hints(type(spec))
    for field in fields(spec):
        if field.name in NOT_SWITCHES or not counts(spec, field.name):
            continue
        value = getattr(spec, field.name)
        for label, other in others(field.name, value, hints[field.name]):
            reason = {"scale_reason": Phrase("scale.initial")} if field.name == "scale" else {}
            yield f"{field.name}{label}", replace(spec, **{field.name: other}, **reason)


def counts(spec: Any, name: str) -> bool:
    """Whether this field has a say where the others are what they are."""
    if isinstance(spec, Rotary):
        return name in PLAIN | STRETCH.get(spec.kind, set()) | _of_this(spec)
    if isinstance(spec, Disentangled) and name == "max_distance":
        return spec.buckets > 0
    return not isinstance(spec, Spec) or name not in NEEDS or bool(NEEDS[name](spec))


def _of_this(rotary: Rotary) -> set[str]:
    """Parameters that count in some variants of a kind only."""
    if rotary.kind == "longrope":
        return {"long_factor" if rotary.original_positions < TOKENS else "short_factor"}
    own = set() if rotary.truncate or rotary.kind != "yarn" else YARN_UNROUNDED
    by_scale = rotary.mscale and rotary.attention_factor is None
    return own | ({"mscale", "mscale_all_dim"} if by_scale else set())


def others(name: str, value: Any, hint: Any) -> Iterator[tuple[str, Any]]:
    """Other values that a field could have by mistake."""
    if is_dataclass(value):
        for label, other in mutants(value):
            yield f".{label}", other
        yield " = None", None
    elif name in ("window", "rotary"):
        yield from of_layers(name, value)
    elif name == "activation" or name == "conv_activation":
        for other in ("relu", "relu2", "gelu", "gelu_new", "quick_gelu", "silu", "tanh"):
            if ACTIVATIONS[other] is not ACTIVATIONS[value]:
                yield f" = {other}", other
    elif value in ROTARY_KINDS:
        for other in ROTARY_KINDS:
            if other != value and other != "longrope":
                yield f" = {other}", other
    elif words := literal(hint):
        for other in words:
            if other not in (value, "heads"):  # which differs from in_out for W_Q alone
                yield f" = {other}", other
    elif isinstance(value, bool):
        yield f" = {not value}", not value
    elif isinstance(value, int):
        other = 2 * value or 8 if name in ("buckets", "max_distance") else value + 1
        yield f" = {other}", other
    elif isinstance(value, float):
        for other in _numbers(name, value):
            yield f" = {other:g}", other
    elif isinstance(value, tuple) and value:
        changed = tuple(v * 1.1 if isinstance(v, float) else f"{v}x" for v in value)
        yield f" = {changed}", changed
    elif isinstance(value, frozenset) and value:
        yield " = empty", frozenset()
    elif value is None:
        wrong = {"softcap": 1.0, "clip_qkv": 0.1, "scale": 1.0, "pad_id": 17}
        wrong |= {"position_bias": Alibi("absolute"), "n_positions": 7}
        if name in wrong:
            yield f" = {wrong[name]}", wrong[name]
    if value is not None and type(None) in get_args(hint) and not is_dataclass(value):
        yield " = None", None


def _numbers(name: str, value: float) -> tuple[float, ...]:
    """Numbers nearby. An eps of 1e-12 is below float32: the mistake to see is 1e-5."""
    if name != "norm_eps":
        return value * 1.1, value / 1.1
    return (value * 3, value / 10) if value > 1e-9 else (1e-5,)


def literal(hint: Any) -> list[Any]:
    """The words of a Literal, also of one that may be None."""
    parts = [hint, *get_args(hint)]
    return [
        w for part in parts if getattr(part, "__origin__", None) is Literal for w in get_args(part)
    ]


def of_layers(name: str, value: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """One layer at a time."""
    for i, one in enumerate(value):
        for label, other in of_one_layer(name, one):
            yield f"[{i}]{label}", (*value[:i], other, *value[i + 1 :])
    if not value and name == "window":
        yield " = 3 everywhere", (3,) * 99
    if not value and name == "rotary":
        yield " = 4 numbers everywhere", (Rotary(dim=4),) * 99


def of_one_layer(name: str, one: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(one, Rotary):
        for label, other in mutants(one):
            yield f".{label}", other
    if one is None:
        yield " set", Rotary(dim=4) if name == "rotary" else 3
    else:
        yield " = None", None
    if isinstance(one, int):
        yield f" = {one + 1}", one + 1
        yield f" = {one - 1}", one - 1


def noticed(folder: Path, golden: dict[str, np.ndarray], spec: Spec) -> bool:
    try:
        with np.errstate(all="ignore"):
            found = first_difference(run_checkpoint(folder, golden, spec), golden)
        return bool(found) or limits_differ(folder, spec)
    except Exception:
        return True


def of_both_stacks(spec: Spec) -> Iterator[tuple[str, Spec]]:
    yield from mutants(spec)
    if spec.decoder:
        for label, other in mutants(spec.decoder):
            yield f"decoder.{label}", replace(spec, decoder=other)


def main(names: list[str]) -> int:
    tried, survivors = 0, []
    for folder in sorted(path.parent for path in GOLDEN.glob("*/config.json")):
        if names and folder.name not in names:
            continue
        with np.load(folder / "golden.npz") as file:
            golden = dict(file)
        spec = spec_from_config(read_config(folder))
        if noticed(folder, golden, spec):
            raise SystemExit(f"{folder.name} fails as it is")
        if "target_ids" not in golden:
            spec = replace(spec, decoder=None)
        for label, other in of_both_stacks(spec):
            tried += 1
            if not noticed(folder, golden, other):
                survivors.append(f"{folder.name}: {label}")
                print(survivors[-1], flush=True)
    print(f"{tried} changes, {len(survivors)} did not show")
    return bool(survivors)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
