"""T5, mT5 and umT5: encoder-decoders with a table of relative positions (Raffel et al. 2020)."""

from dataclasses import replace

from attncli.errors import AttncliError
from attncli.families import family
from attncli.families.config import Config
from attncli.families.names import Names, linears, norms, tables
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.layers import ACTIVATIONS
from attncli.position_bias import Buckets

_T5 = {
    "vocab_size": 32128,
    "d_model": 512,
    "d_kv": 64,
    "d_ff": 2048,
    "num_layers": 6,
    "num_heads": 8,
    "relative_attention_num_buckets": 32,
    "relative_attention_max_distance": 128,
    "layer_norm_epsilon": 1e-6,
    "feed_forward_proj": "relu",
}
_MT5 = {
    **_T5,
    "vocab_size": 250112,
    "d_ff": 1024,
    "num_layers": 8,
    "num_heads": 6,
    "feed_forward_proj": "gated-gelu",
}
_ALIASES = {
    "hidden_size": "d_model",
    "num_attention_heads": "num_heads",
    "num_hidden_layers": "num_layers",
    "head_dim": "d_kv",
}
_EMBEDDINGS = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight")
_ACTIVATIONS = ("relu", "gated-gelu", *ACTIVATIONS, *(f"gated-{name}" for name in ACTIVATIONS))


def _names(stack: str, gated: bool, bias_layer: str) -> Names:
    block, attention = stack + ".block.{i}.layer.", {"W_Q": "q", "W_K": "k", "W_V": "v", "W_O": "o"}
    mlp = {"W_1": "wi_0", "W_up": "wi_1"} if gated else {"W_1": "wi"}
    cross = {f"cross.{role}": stem for role, stem in attention.items()}
    last = 2 if stack == "decoder" else 1
    names = {
        **tables({"E": "shared"}),
        **tables(
            {
                "B": f"{stack}.block.{bias_layer}.layer.0.SelfAttention.relative_attention_bias",
            }
        ),
        **linears(attention, block + "0.SelfAttention.", bias=False),
        **linears({**mlp, "W_2": "wo"}, f"{block}{last}.DenseReluDense.", bias=False),
        **norms(
            {"pre_attention": "0.layer_norm", "pre_mlp": f"{last}.layer_norm"}, block, bias=False
        ),
        **norms({"final": f"{stack}.final_layer_norm"}, bias=False),
    }
    if stack == "decoder":
        names |= linears(cross, block + "1.EncDecAttention.", bias=False)
        names |= norms({"pre_cross": "1.layer_norm"}, block, bias=False)
    return names


def _t5(config: Config, bias_layer: str) -> Spec:
    """Both stacks; `bias_layer` is the number of the layer that holds the table, or {i}."""
    d_k, h = config.count("d_kv"), config.count("num_heads")
    mlp = config.choice("feed_forward_proj", _ACTIVATIONS)
    gated, activation = mlp.startswith("gated-"), mlp.removeprefix("gated-")
    activation = "gelu_new" if mlp == "gated-gelu" else activation
    config.must_be("dense_act_fn", activation)
    config.must_be("is_gated_act", gated)
    config.must_be("is_decoder", False)
    n_layers = config.layers("num_layers")
    buckets = Buckets(
        count=config.count("relative_attention_num_buckets", limit=10**5),
        max_distance=config.count("relative_attention_max_distance"),
        two_sided=True,
    )
    if not 1 <= buckets.count // 4 < buckets.max_distance // 2:
        raise AttncliError(
            "config.json: {buckets} buckets do not fit a distance of {longest}",
            buckets=buckets.count,
            longest=buckets.max_distance,
        )
    encoder = Spec(
        family=config.model_type,
        n_layers=n_layers,
        n_heads=h,
        n_kv_heads=h,
        d_model=config.count("d_model"),
        d_k=d_k,
        d_v=d_k,
        d_mlp=config.count("d_ff"),
        n_vocab=config.count("vocab_size"),
        names=_names("encoder", gated, bias_layer),
        aliases={"E": _EMBEDDINGS},
        scale=1.0,
        scale_reason=Phrase("scale.initial"),
        position_bias=buckets,
        norm="rms",
        norm_eps=config.number("layer_norm_epsilon"),
        activation=activation,
    )
    n_decoder_layers = config.layers("num_decoder_layers", n_layers)
    if not config.flag("is_encoder_decoder", True):
        return encoder
    decoder = replace(
        encoder,
        n_layers=n_decoder_layers,
        names=_names("decoder", gated, bias_layer),
        position_bias=replace(buckets, two_sided=False),
        causal=True,
    )
    return replace(encoder, decoder=decoder)


@family(
    "t5",
    special="no scale; a table of relative positions, of layer 0 for all layers",
    defaults=_T5,
    aliases=_ALIASES,
)
@family("mt5", special="T5 with a gated MLP", defaults=_MT5, aliases=_ALIASES)
def t5(config: Config) -> Spec:
    return _t5(config, bias_layer="0")


@family(
    "umt5", special="T5 with a table of its own in every layer", defaults=_MT5, aliases=_ALIASES
)
def umt5(config: Config) -> Spec:
    return _t5(config, bias_layer="{i}")
