"""The article's encoder: sinusoidal positions, no biases in the attention, post-norm, ReLU.

Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, section 3. The trained sample and the
random weights are of this family; its tensors are named as in the article.
"""

import math

from attncli.families import family
from attncli.families.config import Config
from attncli.families.names import norms
from attncli.families.spec import Spec

_LAYER = "layers.{i}."
_LAYER_ROLES = ("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2")
ENCODER_NAMES = {
    "E": "E",
    **{role: _LAYER + role for role in _LAYER_ROLES},
    **norms({"attention": "attention_norm", "mlp": "mlp_norm"}, _LAYER),
}


@family("attncli_encoder", special="the article's encoder: the trained sample and random weights")
def encoder(config: Config) -> Spec:
    d_model, h = config.count("hidden_size", 512), config.count("num_attention_heads", 8)
    return encoder_spec(
        n_layers=config.count("num_hidden_layers", 6),
        n_heads=h,
        d_model=d_model,
        d_mlp=config.count("intermediate_size", 2048),
        n_vocab=config.count("vocab_size"),
        activation=config.choice("hidden_act", ("relu",), "relu"),
        norm_eps=config.number("layer_norm_eps", 1e-5),
    )


def encoder_spec(
    *,
    n_layers: int,
    n_heads: int,
    d_model: int,
    d_mlp: int,
    n_vocab: int,
    activation: str = "relu",
    norm_eps: float = 1e-5,
) -> Spec:
    """The article's encoder of any size: d_k = d_v = d_model / h, E times sqrt(d_model)."""
    return Spec(
        family="encoder",
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=d_model,
        d_k=d_model // n_heads,
        d_v=d_model // n_heads,
        d_mlp=d_mlp,
        n_vocab=n_vocab,
        names=ENCODER_NAMES,
        layout="heads",
        position="sinusoids",
        embed_scale=math.sqrt(d_model),
        activation=activation,
        norm_eps=norm_eps,
    )
