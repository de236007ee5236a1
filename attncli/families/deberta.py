"""DeBERTa v2 and v3: content and position apart in every score (He et al. 2020)."""

import math
from dataclasses import replace

from attncli.errors import AttncliError
from attncli.families import family
from attncli.families.bert import bert, bert_names
from attncli.families.config import Config, literal
from attncli.families.names import Names, linears, norms, tables
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.position_bias import Disentangled

_ATTENTION = "encoder.layer.{i}.attention.self."


@family(
    "deberta-v2",
    special="scores add query-to-position and key-to-position products; the scale counts the terms",
    defaults={
        "vocab_size": 128100,
        "hidden_size": 1536,
        "num_hidden_layers": 24,
        "num_attention_heads": 24,
        "intermediate_size": 6144,
        "hidden_act": "gelu",
        "max_position_embeddings": 512,
        "type_vocab_size": 0,
        "layer_norm_eps": 1e-7,
        "relative_attention": False,
        "max_relative_positions": -1,
        "position_buckets": -1,
        "position_biased_input": True,
        "norm_rel_ebd": "none",
        "conv_kernel_size": 0,
        "conv_act": "tanh",
    },
)
def deberta_v2(config: Config) -> Spec:
    spec = bert(config)
    config.must_be("embedding_size", spec.d_model)
    config.must_be("attention_head_size", spec.d_k)
    config.must_be("conv_groups", 1)
    projections = {"W_Q": "query_proj", "W_K": "key_proj", "W_V": "value_proj"}
    names = {**bert_names(segments=spec.n_segments > 0), **linears(projections, _ATTENTION)}
    positions = config.flag("position_biased_input")
    if not positions:
        del names["P"]
    width = config.count_if_on("conv_kernel_size") or 0
    if width:
        names |= linears({"W_conv": "encoder.conv.conv"}) | norms(
            {"conv": "encoder.conv.LayerNorm"}
        )
    return replace(
        _with_relative_positions(config, spec, names),
        prefixes=("deberta.", ""),
        position="learned" if positions else "none",
        n_positions=spec.n_positions if positions else None,
        conv_width=width,
        conv_activation=config.activation("conv_act"),
    )


def _with_relative_positions(config: Config, spec: Spec, names: Names) -> Spec:
    """The disentangled bias, and a scale that counts its terms."""
    terms = config.value("pos_att_type") or []
    terms = terms.lower().split("|") if isinstance(terms, str) else terms
    if not isinstance(terms, list) or any(term not in ("c2p", "p2c") for term in terms):
        raise AttncliError(
            "config.json says {key} = {value}, which attncli does not compute; it knows {known}",
            key="pos_att_type",
            value=literal(terms),
            known="c2p, p2c",
        )
    if not terms:
        config.otherwise("pos_att_type", ["c2p", "p2c"])
    longest = config.count_if_on("max_relative_positions")
    longest = longest or config.count("max_position_embeddings")
    buckets, own = config.count_if_on("position_buckets"), not config.flag("share_att_key")
    normalized = config.choice("norm_rel_ebd", ("none", "layer_norm")) == "layer_norm"
    parts = 1 + len(terms)
    spec = replace(
        spec,
        names=names,
        scale=1 / math.sqrt(spec.d_k * parts),
        scale_reason=Phrase("scale.parts", {"parts": parts}),
    )
    if not config.flag("relative_attention"):
        return spec
    if buckets and (buckets < 2 or longest - 1 <= buckets // 2):
        raise AttncliError(
            "config.json: position_buckets {buckets} does not fit {longest} relative positions",
            buckets=buckets,
            longest=longest,
        )
    names |= tables({"R": "encoder.rel_embeddings"})
    if normalized:
        names |= norms({"R": "encoder.LayerNorm"})
    if own:
        stems = {"W_K_position": "pos_key_proj"} if "c2p" in terms else {}
        stems |= {"W_Q_position": "pos_query_proj"} if "p2c" in terms else {}
        names |= linears(stems, _ATTENTION)
    disentangled = Disentangled(
        span=buckets or longest,
        buckets=buckets or 0,
        max_distance=longest,
        c2p="c2p" in terms,
        p2c="p2c" in terms,
    )
    return replace(spec, position_bias=disentangled)
