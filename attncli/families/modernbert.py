"""ModernBERT (Warner et al. 2024, https://arxiv.org/abs/2412.13663)."""

from attncli.families import family
from attncli.families.config import Config
from attncli.families.layer_types import layer_types
from attncli.families.names import linears, norms, tables
from attncli.families.rope import rotary
from attncli.families.sizes import even_sizes
from attncli.families.spec import Spec

_LAYER = "layers.{i}."


@family(
    "modernbert",
    special="pre-norm encoder; every third layer sees all, the others a window; two rotary bases",
    defaults={
        "vocab_size": 50368,
        "hidden_size": 768,
        "intermediate_size": 1152,
        "num_hidden_layers": 22,
        "num_attention_heads": 12,
        "hidden_activation": "gelu",
        "max_position_embeddings": 8192,
        "norm_eps": 1e-5,
        "local_attention": 128,
        "global_attn_every_n_layers": 3,
        "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0,
    },
)
def modernbert(config: Config) -> Spec:
    sizes = even_sizes(config)
    n_layers, d_k = sizes["n_layers"], sizes["d_k"]
    every = config.count("global_attn_every_n_layers")
    sliding = layer_types(config, n_layers, lambda i: i % every > 0)
    by_type = {
        slides: rotary(
            config,
            d_k,
            theta_key="local_rope_theta" if slides else "global_rope_theta",
            layer_type="sliding_attention" if slides else "full_attention",
        )
        for slides in (True, False)
    }
    norm_bias, mlp_bias = config.flag("norm_bias"), config.flag("mlp_bias")
    side = config.count("local_attention") // 2  # keys to each side, without its own
    config.must_be("sliding_window", side)
    return Spec(
        family="modernbert",
        **sizes,
        d_mlp=config.count("intermediate_size"),
        names={
            **tables({"E": "embeddings.tok_embeddings"}),
            **norms({"embed": "embeddings.norm", "final": "final_norm"}, bias=norm_bias),
            **norms({"pre_attention": "attn_norm", "pre_mlp": "mlp_norm"}, _LAYER, bias=norm_bias),
            **linears(
                {"W_QKV": "attn.Wqkv", "W_O": "attn.Wo"},
                _LAYER,
                bias=config.flag("attention_bias"),
            ),
            **linears({"W_1_up": "mlp.Wi", "W_2": "mlp.Wo"}, _LAYER, bias=mlp_bias),
        },
        prefixes=("model.", ""),
        absent=frozenset({("pre_attention_norm.weight", 0), ("pre_attention_norm.bias", 0)}),
        window=tuple(side + 1 if slides else None for slides in sliding),
        rotary=tuple(by_type[slides] for slides in sliding),
        norm_eps=config.number("norm_eps"),
        activation=config.activation("hidden_activation"),
    )
