"""BART and its line: encoder-decoders with absolute positions (Lewis et al. 2019)."""

import math
from dataclasses import replace
from typing import Any

from attncli.errors import AttncliError
from attncli.families import family
from attncli.families.config import Config
from attncli.families.names import Names, linears, norms, tables
from attncli.families.spec import Spec

_DEFAULTS = {
    "vocab_size": 50265,
    "max_position_embeddings": 1024,
    "encoder_layers": 12,
    "encoder_ffn_dim": 4096,
    "encoder_attention_heads": 16,
    "decoder_layers": 12,
    "decoder_ffn_dim": 4096,
    "decoder_attention_heads": 16,
    "activation_function": "gelu",
    "d_model": 1024,
    "pad_token_id": 1,
}
_ALIASES = {
    "hidden_size": "d_model",
    "num_attention_heads": "encoder_attention_heads",
    "num_hidden_layers": "encoder_layers",
}


def _names(stack: str, *, pre: bool, embed_norm: bool, learned: bool) -> Names:
    layer, at = stack + ".layers.{i}.", "pre_" if pre else ""
    attention = {"W_Q": "q_proj", "W_K": "k_proj", "W_V": "v_proj", "W_O": "out_proj"}
    names = {
        **tables({"E": "shared"}),
        **(tables({"P": f"{stack}.embed_positions"}) if learned else {}),
        **(norms({"embed": f"{stack}.layernorm_embedding"}) if embed_norm else {}),
        **linears(attention, layer + "self_attn."),
        **linears({"W_1": "fc1", "W_2": "fc2"}, layer),
        **norms({f"{at}attention": "self_attn_layer_norm", f"{at}mlp": "final_layer_norm"}, layer),
        **(norms({"final": f"{stack}.layer_norm"}) if pre else {}),
    }
    if stack == "decoder":
        cross = {f"cross.{role}": stem for role, stem in attention.items()}
        names |= linears(cross, layer + "encoder_attn.")
        names |= norms({f"{at}cross": "encoder_attn_layer_norm"}, layer)
    return names


def _stack(config: Config, stack: str, *, pre: bool, embed_norm: bool, **switches: Any) -> Spec:
    """One of the two stacks."""
    d_model, h = config.count("d_model"), config.count(f"{stack}_attention_heads")
    if d_model % h:
        raise AttncliError(
            f"config.json: {config.name('d_model')} {d_model} is not a multiple of "
            f"{config.name(f'{stack}_attention_heads')} {h}"
        )
    learned = switches["position"] == "learned"
    tokens = (f"{stack}.embed_tokens.weight", "encoder.embed_tokens.weight",
              "decoder.embed_tokens.weight", "lm_head.weight")  # fmt: skip
    return replace(
        Spec(
            family=config.model_type,
            n_layers=config.layers(f"{stack}_layers"),
            n_heads=h,
            n_kv_heads=h,
            d_model=d_model,
            d_k=d_model // h,
            d_v=d_model // h,
            d_mlp=config.count(f"{stack}_ffn_dim"),
            n_vocab=config.count("vocab_size"),
            names=_names(stack, pre=pre, embed_norm=embed_norm, learned=learned),
            prefixes=("model.", ""),
            aliases={"E": tokens},
            embed_scale=math.sqrt(d_model) if config.flag("scale_embedding") else 1.0,
            n_positions=config.count("max_position_embeddings"),
            norm_eps=1e-5,
            activation=config.activation("activation_function"),
            causal=stack == "decoder",
        ),
        **switches,
    )


def _both(config: Config, *, pre: bool, embed_norm: bool, **switches: Any) -> Spec:
    encoder, decoder = (
        _stack(config, stack, pre=pre, embed_norm=embed_norm, **switches)
        for stack in ("encoder", "decoder")
    )
    return replace(encoder, decoder=decoder)


@family(
    "bart",
    special="post-norm; two rows before the first position; a norm on the embeddings",
    defaults=_DEFAULTS,
    aliases=_ALIASES,
)
def bart(config: Config) -> Spec:
    return _both(config, pre=False, embed_norm=True, position="learned", position_offset=2)


@family(
    "mbart",
    special="BART in pre-norm, with a final norm",
    defaults=_DEFAULTS,
    aliases=_ALIASES,
)
def mbart(config: Config) -> Spec:
    return _both(config, pre=True, embed_norm=True, position="learned", position_offset=2)


@family(
    "marian",
    special="post-norm; sines first, then cosines, which the file need not hold",
    defaults={**_DEFAULTS, "vocab_size": 58101, "share_encoder_decoder_embeddings": True},
    aliases=_ALIASES,
)
def marian(config: Config) -> Spec:
    spec = _both(config, pre=False, embed_norm=False, position="sinusoid_halves")
    n_decoder_vocab = config.count("decoder_vocab_size", spec.n_vocab)
    if config.flag("share_encoder_decoder_embeddings") or spec.decoder is None:
        return spec
    own = tables({"E": "decoder.embed_tokens"})
    decoder = replace(
        spec.decoder,
        names={**spec.decoder.names, **own},
        aliases={"E": ("lm_head.weight",)},
        n_vocab=n_decoder_vocab,
    )
    names = {**spec.names, **tables({"E": "encoder.embed_tokens"})}
    return replace(spec, names=names, aliases=None, decoder=decoder)


@family(
    "pegasus",
    special="pre-norm; sines first, then cosines",
    defaults={**_DEFAULTS, "pad_token_id": 0},
    aliases=_ALIASES,
)
def pegasus(config: Config) -> Spec:
    return _both(config, pre=True, embed_norm=False, position="sinusoid_halves")


@family(
    "m2m_100",
    special="pre-norm; fairseq's sinusoids from pad_token_id + 1 on, pad tokens left out",
    defaults={
        **_DEFAULTS,
        "vocab_size": 128112,
        "activation_function": "relu",
        "scale_embedding": True,
    },
    aliases=_ALIASES,
)
def m2m_100(config: Config) -> Spec:
    pad_id = config.token_id("pad_token_id")
    return _both(
        config,
        pre=True,
        embed_norm=False,
        position="fairseq_sinusoids",
        position_offset=pad_id + 1,
        pad_id=pad_id,
    )


@family(
    "blenderbot",
    special="mBART without a norm on the embeddings; positions from row 0",
    defaults={
        **_DEFAULTS,
        "vocab_size": 8008,
        "max_position_embeddings": 128,
        "encoder_layers": 2,
        "encoder_ffn_dim": 10240,
        "encoder_attention_heads": 32,
        "decoder_layers": 24,
        "decoder_ffn_dim": 10240,
        "decoder_attention_heads": 32,
        "d_model": 2560,
        "pad_token_id": 0,
    },
    aliases=_ALIASES,
)
def blenderbot(config: Config) -> Spec:
    return _both(config, pre=True, embed_norm=False, position="learned")


@family(
    "blenderbot-small",
    special="post-norm; the decoder's embeddings are normalized before the positions are added",
    defaults={
        **_DEFAULTS,
        "max_position_embeddings": 512,
        "encoder_layers": 8,
        "encoder_ffn_dim": 2048,
        "decoder_layers": 8,
        "decoder_ffn_dim": 2048,
        "d_model": 512,
        "pad_token_id": 0,
    },
    aliases=_ALIASES,
)
def blenderbot_small(config: Config) -> Spec:
    spec = _both(config, pre=False, embed_norm=True, position="learned")
    if spec.decoder is None:
        return spec
    early = replace(spec.decoder, embed_before_positions=True, embed_scale=1.0)
    return replace(spec, decoder=early)
