"""BERT: a post-norm encoder with learned positions and segments (Devlin et al. 2018)."""

from attncli.errors import AttncliError
from attncli.families import family
from attncli.families.config import Config
from attncli.families.spec import Spec
from attncli.layers import ACTIVATIONS

_LAYER = "encoder.layer.{i}."


@family("bert")
def bert(config: Config) -> Spec:
    d_model, h = config.count("hidden_size", 768), config.count("num_attention_heads", 12)
    if d_model % h:
        raise AttncliError(
            f"config.json: hidden_size {d_model} is not a multiple of num_attention_heads {h}"
        )
    config.must_be("position_embedding_type", "absolute")
    config.must_be("add_cross_attention", False)
    config.must_be("pruned_heads", {})
    return Spec(
        family="bert",
        n_layers=config.count("num_hidden_layers", 12),
        n_heads=h,
        d_model=d_model,
        d_k=d_model // h,
        d_v=d_model // h,
        d_mlp=config.count("intermediate_size", 3072),
        n_vocab=config.count("vocab_size", 30522),
        position="learned",
        n_positions=config.count("max_position_embeddings", 512),
        n_segments=config.count("type_vocab_size", 2),
        activation=config.choice("hidden_act", "gelu", ACTIVATIONS),
        norm_eps=config.number("layer_norm_eps", 1e-12),
        causal=config.flag("is_decoder", False),
        prefixes=("bert.", ""),
        names={
            "E": "embeddings.word_embeddings.weight",
            "P": "embeddings.position_embeddings.weight",
            "T": "embeddings.token_type_embeddings.weight",
            "embed_norm": "embeddings.LayerNorm",
            "W_Q": _LAYER + "attention.self.query.weight",
            "b_Q": _LAYER + "attention.self.query.bias",
            "W_K": _LAYER + "attention.self.key.weight",
            "b_K": _LAYER + "attention.self.key.bias",
            "W_V": _LAYER + "attention.self.value.weight",
            "b_V": _LAYER + "attention.self.value.bias",
            "W_O": _LAYER + "attention.output.dense.weight",
            "b_O": _LAYER + "attention.output.dense.bias",
            "attention_norm": _LAYER + "attention.output.LayerNorm",
            "W_1": _LAYER + "intermediate.dense.weight",
            "b_1": _LAYER + "intermediate.dense.bias",
            "W_2": _LAYER + "output.dense.weight",
            "b_2": _LAYER + "output.dense.bias",
            "mlp_norm": _LAYER + "output.LayerNorm",
        },
    )
