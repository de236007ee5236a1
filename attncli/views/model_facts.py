"""What a Spec says of a model, in words."""

from collections.abc import Callable
from dataclasses import replace

from attncli.families.spec import Spec
from attncli.language import Phrase, Text, joined
from attncli.position_bias import Alibi, Buckets, Disentangled
from attncli.rotary import Rotary
from attncli.views.facts import SaidFact

_PLACES = ("pre_attention", "attention_out", "attention")  # of norms


def model_facts(spec: Spec) -> list[SaidFact]:
    """The arithmetic of one stack, a fact for everything that applies to it."""
    said = [(name, say(spec)) for name, say in _FACTS]
    return [(name, value) for name, value in said if value is not None]


def decoder_facts(spec: Spec) -> list[SaidFact]:
    """What of the decoder is not as in the encoder, `spec`; empty without a decoder."""
    if spec.decoder is None:
        return []
    attends: SaidFact = (Phrase("fact.attends"), Phrase("model.attends"))
    return [attends, *(each for each in model_facts(spec.decoder) if each not in model_facts(spec))]


def _heads(spec: Spec) -> Text:
    return Phrase("model.heads", {"count": spec.n_heads, "d_k": spec.d_k, "d_v": spec.d_v})


def _kv_heads(spec: Spec) -> Text | None:
    if spec.n_kv_heads == spec.n_heads:
        return None
    sizes = {"count": spec.n_kv_heads, "heads": spec.n_heads // spec.n_kv_heads}
    return Phrase("model.kv_heads", sizes)


def _vocabulary(spec: Spec) -> Text:
    return Phrase("model.vectors", {"count": spec.n_vocab})


def _positions(spec: Spec) -> Text:
    kinds: list[Text] = [] if spec.position == "none" else [Phrase(f"position.{spec.position}")]
    kinds += [_rotary(spec)] if any(spec.rotary) else []
    match spec.position_bias:
        case Alibi():
            kinds.append("ALiBi")
        case Buckets(count=count):
            kinds.append(Phrase("positions.buckets", {"count": count}))
        case Disentangled(span=span):
            kinds.append(Phrase("positions.disentangled", {"count": 2 * span}))
    limit = Phrase("positions.unlimited")
    if spec.n_positions:
        limit = Phrase("positions.limit", {"count": spec.n_positions})
    return joined(
        "list.semicolon", [joined("list.and", kinds or [Phrase("positions.none")]), limit]
    )


def _rotary(spec: Spec) -> Text:
    """Which numbers are rotated how fast; what differs between layers, side by side."""
    rotations = [each for each in dict.fromkeys(spec.rotary) if each is not None]
    turns = joined("rotary.or", [_turn(each, spec.d_k) for each in rotations])
    return _in_some(Phrase("rotary", {"turns": turns}), [each is not None for each in spec.rotary])


def _turn(rotary: Rotary, d_k: int) -> Text:
    turn = Phrase("rotary.base", {"base": rotary.theta})
    if rotary.kind != "default":
        turn = Phrase("rotary.kind", {"turn": turn, "kind": rotary.kind})
    if rotary.dim != d_k:
        turn = Phrase("rotary.part", {"turn": turn, "dim": rotary.dim, "d_k": d_k})
    return Phrase("rotary.pairs", {"turn": turn}) if rotary.interleaved else turn


def _in_some(what: Phrase, layers: list[bool]) -> Text:
    """Which layers do it, if not all of them."""
    if all(layers):
        return what
    count = Phrase("layers", {"count": len(layers)})
    return Phrase("model.some_layers", {"what": what, "some": sum(layers), "layers": count})


def _segments(spec: Spec) -> Text | None:
    return str(spec.n_segments) if spec.n_segments else None


def _scale(spec: Spec) -> Text:
    value, reason = replace(spec, scale_by_layer=False).layer_scale(0)
    factor = Phrase("scale.none") if value == 1 else f"{value:.6g}"
    scale = joined("list.semicolon", [factor, reason])
    return Phrase("scale.with_layer", {"scale": scale}) if spec.scale_by_layer else scale


def _softcap(spec: Spec) -> Text | None:
    return Phrase("softcap.scores", {"limit": spec.softcap}) if spec.softcap else None


def _mask(spec: Spec) -> Text:
    return Phrase("mask.causal" if spec.causal else "mask.none")


def _window(spec: Spec) -> Text | None:
    windows = [window for window in dict.fromkeys(spec.window) if window is not None]
    if not windows:
        return None
    widths = [str(window if spec.causal else window - 1) for window in windows]
    text = Phrase(
        "window.causal" if spec.causal else "window.sides", {"widths": joined("list.or", widths)}
    )
    return _in_some(text, [window is not None for window in spec.window])


def _norm(spec: Spec) -> Text | None:
    places = [Phrase(f"norm.{role}") for role in _PLACES if f"{role}_norm.weight" in spec.names]
    if not places:
        return None
    kind: Text = "RMSNorm" if spec.norm == "rms" else "LayerNorm"
    if spec.norm_plus_one:
        kind = Phrase("norm.one_plus", {"kind": kind})
    facts = {"kind": kind, "places": joined("list.and", places), "epsilon": spec.norm_eps}
    return Phrase("norm.where", facts)


def _qk_norm(spec: Spec) -> Text | None:
    return None if spec.qk_norm == "none" else Phrase(f"qk_norm.{spec.qk_norm}")


def _clipped(spec: Spec) -> Text | None:
    return Phrase("clip.qkv", {"limit": spec.clip_qkv}) if spec.clip_qkv else None


def _mlp(spec: Spec) -> Text | None:
    if not spec.d_mlp:
        return None
    mlp = Phrase("mlp", {"width": spec.d_mlp, "activation": spec.activation})
    if {"W_up", "W_1_up"} & spec.names.keys():
        mlp = Phrase("mlp.gated", {"mlp": mlp})
    if spec.n_experts:
        experts = {"used": spec.n_experts_used, "count": spec.n_experts}
        mlp = Phrase("mlp.experts", {"mlp": mlp, **experts})
    return Phrase("mlp.parallel", {"mlp": mlp}) if spec.parallel else mlp


# One line each; None: it does not apply.
_FACTS: tuple[tuple[Text, Callable[[Spec], Text | None]], ...] = (
    (Phrase("fact.layers"), lambda spec: str(spec.n_layers)),
    (Phrase("fact.heads"), _heads),
    (Phrase("fact.kv_heads"), _kv_heads),
    ("d_model", lambda spec: str(spec.d_model)),
    (Phrase("fact.vocabulary"), _vocabulary),
    (Phrase("fact.positions"), _positions),
    (Phrase("fact.segments"), _segments),
    (Phrase("fact.scale"), _scale),
    (Phrase("fact.softcap"), _softcap),
    (Phrase("fact.mask"), _mask),
    (Phrase("fact.window"), _window),
    (Phrase("fact.norm"), _norm),
    (Phrase("fact.qk_norm"), _qk_norm),
    (Phrase("fact.clipped"), _clipped),
    ("MLP", _mlp),
)
