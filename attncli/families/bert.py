"""BERT and its line: post-norm encoders with learned positions (Devlin et al. 2018)."""

from dataclasses import replace

from attncli.errors import AttncliError
from attncli.families import family
from attncli.families.config import MAX_LAYERS, Config
from attncli.families.names import Names, linears, norms, tables
from attncli.families.sizes import even_sizes
from attncli.families.spec import Spec
from attncli.position_bias import Buckets

_LAYER = "encoder.layer.{i}."
_DEFAULTS = {
    "vocab_size": 30522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "hidden_act": "gelu",
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "pad_token_id": 0,
}


def bert_names(attention: str = "attention.self.", segments: bool = True) -> Names:
    """The names of BERT's tensors, with another stem for the projections where one is given."""
    return {
        **tables({"E": "word_embeddings", "P": "position_embeddings"}, "embeddings."),
        **(tables({"T": "embeddings.token_type_embeddings"}) if segments else {}),
        **norms({"embed": "embeddings.LayerNorm"}),
        **linears({"W_Q": "query", "W_K": "key", "W_V": "value"}, _LAYER + attention),
        **linears({"W_O": "attention.output.dense"}, _LAYER),
        **norms({"attention": "attention.output.LayerNorm", "mlp": "output.LayerNorm"}, _LAYER),
        **linears({"W_1": "intermediate.dense", "W_2": "output.dense"}, _LAYER),
    }


@family("bert", special="post-norm encoder; causal where is_decoder is set", defaults=_DEFAULTS)
def bert(config: Config) -> Spec:
    config.must_be("position_embedding_type", "absolute")
    segments = config.count("type_vocab_size", least=0)
    return Spec(
        family=config.model_type,
        **even_sizes(config),
        d_mlp=config.count("intermediate_size"),
        names=bert_names(segments=segments > 0),
        prefixes=("bert.", ""),
        position="learned",
        n_positions=config.count("max_position_embeddings"),
        n_segments=segments,
        activation=config.activation("hidden_act"),
        norm_eps=config.number("layer_norm_eps"),
        causal=config.flag("is_decoder") and config.flag("is_causal", True),
    )


@family(
    "roberta",
    special="positions count from pad_token_id + 1 and leave out pad tokens",
    defaults={**_DEFAULTS, "vocab_size": 50265, "pad_token_id": 1},
)
@family(
    "xlm-roberta",
    "camembert",
    special="RoBERTa's network",
    defaults={**_DEFAULTS, "pad_token_id": 1},
)
def roberta(config: Config) -> Spec:
    return replace(
        _counting_pads(bert(config), config.token_id("pad_token_id")), prefixes=("roberta.", "")
    )


def _counting_pads(spec: Spec, pad_id: int) -> Spec:
    """Positions from pad_id + 1 on; the table's first rows are for what is not counted."""
    first = pad_id + 1
    return replace(
        spec,
        pad_id=pad_id,
        position_offset=first,
        n_positions=max(0, (spec.n_positions or 0) - first),
    )


@family(
    "electra",
    special="embeddings narrower than the layers, then a projection",
    defaults={
        **_DEFAULTS,
        "embedding_size": 128,
        "hidden_size": 256,
        "num_attention_heads": 4,
        "intermediate_size": 1024,
    },
)
def electra(config: Config) -> Spec:
    spec, d_embed = bert(config), config.count("embedding_size")
    projection = linears({"W_E": "embeddings_project"}) if d_embed != spec.d_model else {}
    return replace(
        spec, names={**spec.names, **projection}, d_embed=d_embed, prefixes=("electra.", "")
    )


@family(
    "albert",
    special="all layers of a group share one set of tensors; narrow embeddings, then a projection",
    defaults={
        **_DEFAULTS,
        "vocab_size": 30000,
        "embedding_size": 128,
        "hidden_size": 4096,
        "num_attention_heads": 64,
        "intermediate_size": 16384,
        "hidden_act": "gelu_new",
        "num_hidden_groups": 1,
        "inner_group_num": 1,
    },
)
def albert(config: Config) -> Spec:
    spec = bert(config)
    groups, inner = config.layers("num_hidden_groups"), config.layers("inner_group_num")
    if spec.n_layers * inner > MAX_LAYERS:
        raise AttncliError(
            "config.json says num_hidden_layers = {n_layers} and inner_group_num = {inner}: "
            "at most {most} layers in all are possible",
            n_layers=spec.n_layers,
            inner=inner,
            most=MAX_LAYERS,
        )
    for key, unused in (("net_structure_type", 0), ("num_memory_blocks", 0), ("gap_size", 0)):
        config.must_be(key, unused)
    layer = "encoder.albert_layer_groups.{i}."
    tables_and_norm = {k: v for k, v in spec.names.items() if v.startswith("embeddings.")}
    return replace(
        spec,
        n_layers=spec.n_layers * inner,
        layer_names=tuple(
            f"{int(step / (spec.n_layers / groups))}.albert_layers.{j}"
            for step in range(spec.n_layers)
            for j in range(inner)
        ),
        names={
            **tables_and_norm,
            **linears({"W_E": "encoder.embedding_hidden_mapping_in"}),
            **linears(
                {"W_Q": "query", "W_K": "key", "W_V": "value", "W_O": "dense"},
                layer + "attention.",
            ),
            **norms({"attention": "attention.LayerNorm", "mlp": "full_layer_layer_norm"}, layer),
            **linears({"W_1": "ffn", "W_2": "ffn_output"}, layer),
        },
        d_embed=config.count("embedding_size"),
        prefixes=("albert.", ""),
    )


@family(
    "mpnet",
    special="one table of relative positions for all layers beside the learned ones",
    defaults={
        **_DEFAULTS,
        "vocab_size": 30527,
        "pad_token_id": 1,
        "type_vocab_size": 0,
        "relative_attention_num_buckets": 32,
    },
)
def mpnet(config: Config) -> Spec:
    spec = _counting_pads(bert(config), 1)  # the class ignores config.json's pad_token_id here
    config.must_be("relative_attention_num_buckets", 32)
    names = {
        **bert_names(segments=False),
        **linears({"W_Q": "q", "W_K": "k", "W_V": "v", "W_O": "o"}, _LAYER + "attention.attn."),
        **norms({"attention": "attention.LayerNorm"}, _LAYER),
        **tables({"B": "encoder.relative_attention_bias"}),
    }
    return replace(spec, names=names, prefixes=("mpnet.", ""), position_bias=Buckets(32, 128, True))


@family(
    "distilbert",
    special="BERT without segments; the norms' eps is fixed at 1e-12",
    defaults={
        **_DEFAULTS,
        "num_hidden_layers": 6,
        "type_vocab_size": 0,
    },
    aliases={
        "dim": "hidden_size",
        "n_heads": "num_attention_heads",
        "n_layers": "num_hidden_layers",
        "hidden_dim": "intermediate_size",
        "activation": "hidden_act",
    },
)
def distilbert(config: Config) -> Spec:
    layer = "transformer.layer.{i}."
    names = {
        **tables({"E": "word_embeddings", "P": "position_embeddings"}, "embeddings."),
        **norms({"embed": "embeddings.LayerNorm"}),
        **linears(
            {"W_Q": "q_lin", "W_K": "k_lin", "W_V": "v_lin", "W_O": "out_lin"},
            layer + "attention.",
        ),
        **norms({"attention": "sa_layer_norm", "mlp": "output_layer_norm"}, layer),
        **linears({"W_1": "ffn.lin1", "W_2": "ffn.lin2"}, layer),
    }
    return replace(bert(config), names=names, prefixes=("distilbert.", ""), norm_eps=1e-12)
