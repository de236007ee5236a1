"""What a Spec says of a model, in words."""

from collections.abc import Callable
from dataclasses import replace

from attncli.families.spec import Spec
from attncli.medium.numbers import counted
from attncli.position_bias import Alibi, Buckets, Disentangled
from attncli.rotary import Rotary
from attncli.views.facts import Fact

_ADDED = {
    "learned": "a learned table",
    "sinusoids": "sinusoids",
    "sinusoid_halves": "sinusoids, sines first",
    "fairseq_sinusoids": "sinusoids, sines first, as in fairseq",
}
_QK_NORMS = {
    "head": "every head's alike",
    "each_head": "every head's by its own weights",
    "full": "over all heads",
}


def model_facts(spec: Spec) -> list[Fact]:
    """The arithmetic of one stack, a fact for everything that applies to it."""
    said = [(name, say(spec)) for name, say in _FACTS]
    return [(name, value) for name, value in said if value is not None]


def decoder_facts(spec: Spec) -> list[Fact]:
    """What of the decoder is not as in the encoder, `spec`; empty without a decoder."""
    if spec.decoder is None:
        return []
    same = {"attends": "to itself, and in every layer to the encoder's output (cross-attention)"}
    other = [fact for fact in model_facts(spec.decoder) if fact not in model_facts(spec)]
    return [*same.items(), *other]


def _kv_heads(spec: Spec) -> str | None:
    if spec.n_kv_heads == spec.n_heads:
        return None
    return f"{spec.n_kv_heads}, each read by {spec.n_heads // spec.n_kv_heads} query heads"


def _positions(spec: Spec) -> str:
    kinds = [_ADDED[spec.position]] if spec.position in _ADDED else []
    kinds += [_rotary(spec)] if any(spec.rotary) else []
    match spec.position_bias:
        case Alibi():
            kinds.append("ALiBi")
        case Buckets(count=count):
            kinds.append(f"a table of {count} relative distances")
        case Disentangled(span=span):
            kinds.append(f"vectors of {2 * span} relative distances")
    limit = f"at most {spec.n_positions:,} tokens" if spec.n_positions else "any number of tokens"
    return f"{' and '.join(kinds) or 'none are added'}; {limit}"


def _rotary(spec: Spec) -> str:
    """Which numbers are turned how fast; what differs between layers, side by side."""
    turns = [turn for turn in dict.fromkeys(spec.rotary) if turn is not None]
    text = "rotary, " + " or ".join(_turn(turn, spec.d_k) for turn in turns)
    return text + _in_some([turn is not None for turn in spec.rotary])


def _turn(turn: Rotary, d_k: int) -> str:
    kind = "" if turn.kind == "default" else f" ({turn.kind})"
    part = "" if turn.dim == d_k else f" on {turn.dim} of {d_k} numbers"
    return f"base {turn.theta:,.10g}{kind}{part}{', neighbouring pairs' * turn.interleaved}"


def _in_some(layers: list[bool]) -> str:
    """Which layers do it, if not all of them."""
    return "" if all(layers) else f" in {sum(layers)} of {counted(len(layers), 'layer')}"


def _scale(spec: Spec) -> str:
    value, reason = replace(spec, scale_by_layer=False).layer_scale(0)
    by_layer = ", divided by the layer's number from 1" if spec.scale_by_layer else ""
    factor = "none" if value == 1 else f"{value:.6g}"
    return f"{factor}; {reason}{by_layer}"


def _window(spec: Spec) -> str | None:
    widths = [window for window in dict.fromkeys(spec.window) if window is not None]
    if not widths:
        return None
    said = " or ".join(str(width if spec.causal else width - 1) for width in widths)
    text = (
        f"the last {said} tokens (with its own)" if spec.causal else f"{said} tokens to each side"
    )
    return text + _in_some([window is not None for window in spec.window])


def _within(limit: float) -> str:
    return f"stay between -{limit:g} and {limit:g}"


def _mask(spec: Spec) -> str:
    if spec.causal:
        return "causal: a token sees itself and what is before it"
    return "none: every token sees every token"


def _norm(spec: Spec) -> str | None:
    places = {
        "pre_attention": "before the attention",
        "attention_out": "behind the attention",
        "attention": "behind the residual",
    }
    found = [words for role, words in places.items() if f"{role}_norm.weight" in spec.names]
    if not found:
        return None
    kind = "RMSNorm" if spec.norm == "rms" else "LayerNorm"
    plus = " times 1 + weight" if spec.norm_plus_one else ""
    return f"{kind}{plus} {' and '.join(found)}, epsilon {spec.norm_eps:g}"


def _mlp(spec: Spec) -> str | None:
    if not spec.d_mlp:
        return None
    gated = ", gated" if {"W_up", "W_1_up"} & spec.names.keys() else ""
    experts = f"; {spec.n_experts_used} of {spec.n_experts} experts for each token"
    beside = "; beside the attention, not behind it" if spec.parallel else ""
    return f"{spec.d_mlp} wide, {spec.activation}{gated}{experts * bool(spec.n_experts)}{beside}"


# One line each; None: it does not apply.
_FACTS: tuple[tuple[str, Callable[[Spec], str | None]], ...] = (
    ("layers", lambda s: str(s.n_layers)),
    ("heads", lambda s: f"{s.n_heads}, with d_k {s.d_k} and d_v {s.d_v}"),
    ("K, V heads", _kv_heads),
    ("d_model", lambda s: str(s.d_model)),
    ("vocabulary", lambda s: f"{s.n_vocab:,} vectors"),
    ("positions", _positions),
    ("segments", lambda s: str(s.n_segments) if s.n_segments else None),
    ("scale", _scale),
    (
        "soft-cap",
        lambda s: f"scores {_within(s.softcap)}" if s.softcap else None,
    ),
    ("mask", _mask),
    ("window", _window),
    ("norm", _norm),
    ("q, k norm", lambda s: _QK_NORMS.get(s.qk_norm)),
    (
        "clipped",
        lambda s: f"q, k and v {_within(s.clip_qkv)}" if s.clip_qkv else None,
    ),
    ("MLP", _mlp),
)
