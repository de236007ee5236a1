"""What one model computes, as data: the switches of the one generic transformer (model.py)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from attncli.language import Phrase
from attncli.position_bias import Alibi, Buckets, Disentangled
from attncli.rotary import Rotary


@dataclass(frozen=True)
class Spec:
    """A stack of layers: its arithmetic and where its tensors are, made from config.json.

    `names` maps a role of the article or of the block to a tensor name, with `{i}` for the layer
    (`layer_names[i]` where layers share tensors) and `{item}` for the expert or head. A role that
    a model lacks has no name.

    - E (n_vocab, d_embed) the vocabulary's vectors, P the positions' and T the segments';
      W_E b_E from d_embed to d_model; W_final from d_model to d_embed.
    - W_Q W_K W_V W_O b_Q b_K b_V b_O of the attention, or W_QKV b_QKV side by side; the same
      after `cross.` of a decoder's attention to the encoder.
    - W_1 W_2 b_1 b_2 of the MLP; W_up b_up where it is gated, or W_1_up with both side by side;
      W_router of a mixture of experts.
    - Norms, each with .weight and maybe .bias: embed, pre_attention (before the attention),
      attention_out (of what it returns), attention (of the residual sum); the same for mlp and
      cross; q and k; final. Called `pre_attention_norm` and so on.
    - B, the table of Buckets; R and R_norm of Disentangled, with W_K_position and W_Q_position
      where the positions have projections of their own; W_conv b_conv conv_norm.

    `layout` says how matrices are stored: `out_in` as nn.Linear does (y = x W^T), `in_out` as
    the article writes them (y = x W), `heads` likewise but W_Q, W_K and W_V one matrix per head.
    """

    family: str
    n_layers: int
    n_heads: int
    n_kv_heads: int  # fewer than n_heads where query heads share keys and values
    d_model: int
    d_k: int
    d_v: int
    d_mlp: int
    n_vocab: int
    names: Mapping[str, str]

    # Where the tensors are
    prefixes: tuple[str, ...] = ("",)
    aliases: Mapping[str, tuple[str, ...]] | None = None  # further names of tied tensors
    layout: Literal["out_in", "in_out", "heads"] = "out_in"
    qkv: Literal["concat", "grouped"] = "concat"  # W_QKV: Q K V, or for every kv head q.. k v
    layer_names: tuple[str, ...] = ()  # empty: 0, 1, 2, ...
    absent: frozenset[tuple[str, int]] = frozenset()  # (role, layer) that has no tensor

    # Vectors of the tokens
    d_embed: int = 0  # 0: d_model
    embed_scale: float = 1.0
    embed_before_positions: bool = False  # norm and W_E come before the positions are added
    position: Literal["none", "learned", "sinusoids", "sinusoid_halves", "fairseq_sinusoids"] = (
        "none"
    )
    position_offset: int = 0  # the position of the first token
    pad_id: int | None = None  # a token that is not counted and stands just before the first
    n_positions: int | None = None  # None: sentences of any length
    n_segments: int = 0

    # Attention
    scale: float | None = None  # None: 1/sqrt(d_k)
    scale_reason: Phrase | None = None
    scale_by_layer: bool = False  # divided by the number of the layer, counted from 1
    softcap: float | None = None
    causal: bool = False
    window: tuple[int | None, ...] = ()  # per layer: |i - j| < window; empty: any distance
    rotary: tuple[Rotary | None, ...] = ()  # per layer; empty: none
    position_bias: Buckets | Alibi | Disentangled | None = None
    clip_qkv: float | None = None
    qk_norm: Literal["none", "head", "each_head", "full"] = "none"

    # Norms, MLP, residuals
    norm: Literal["layer", "rms"] = "layer"
    norm_plus_one: bool = False  # multiplies by 1 + weight
    norm_eps: float = 1e-12
    activation: str = "gelu"
    n_experts: int = 0
    n_experts_used: int = 0
    parallel: bool = False  # attention and MLP both start from the layer's input
    residual_from_norm: bool = False  # the residual starts after the norm
    residual_scale: float = 1.0
    conv_width: int = 0
    conv_activation: str = "tanh"

    decoder: Spec | None = None  # the second stack of an encoder-decoder

    def layer_scale(self, layer: int) -> tuple[float, Phrase]:
        """The factor of the dot products, and why it is this one."""
        scale, reason = self.scale, self.scale_reason
        if scale is None or reason is None:
            scale = 1 / math.sqrt(self.d_k)
            reason = Phrase("scale.article", {"d_k": self.d_k})
        if self.scale_by_layer:
            scale /= layer + 1
            reason = Phrase("scale.by_layer", {"reason": reason, "number": layer + 1})
        return scale, reason

    def shape(self, role: str) -> tuple[int, ...]:
        """The shape of a role's tensor, matrices as (in, out)."""
        base = role.removeprefix("cross.").removesuffix(".weight").removesuffix(".bias")
        d, e, k, v = self.d_model, self.d_embed or self.d_model, self.d_k, self.d_v
        h, kv = self.n_heads, self.n_kv_heads
        qk_norm = {"head": (k,), "each_head": (h, k), "full": (h * k,), "none": ()}[self.qk_norm]
        table = d if self.embed_before_positions else e  # of what is added to the tokens
        positions = (self.n_positions or 0) + self.position_offset
        bias = self.position_bias
        buckets = bias.count if isinstance(bias, Buckets) else 0
        span = bias.span if isinstance(bias, Disentangled) else 0
        shapes = {
            "E": (self.n_vocab, e),
            "P": (positions, table),
            "T": (self.n_segments, table),
            "W_E": (e, d),
            "b_E": (d,),
            "W_final": (d, e),
            "embed_norm": (e,),
            "W_Q": (d, h * k),
            "W_K": (d, kv * k),
            "W_V": (d, kv * v),
            "W_QKV": (d, (h + kv) * k + kv * v),
            "W_O": (h * v, d),
            "b_Q": (h * k,),
            "b_K": (kv * k,),
            "b_V": (kv * v,),
            "b_QKV": ((h + kv) * k + kv * v,),
            "b_O": (d,),
            "q_norm": qk_norm,
            "k_norm": {"each_head": (kv, k), "full": (kv * k,)}.get(self.qk_norm, qk_norm),
            "B": (buckets, h),
            "R": (2 * span, d),
            "W_Q_position": (d, h * k),
            "b_Q_position": (h * k,),
            "W_K_position": (d, h * k),
            "b_K_position": (h * k,),
            "W_1": (d, self.d_mlp),
            "b_1": (self.d_mlp,),
            "W_up": (d, self.d_mlp),
            "b_up": (self.d_mlp,),
            "W_1_up": (d, 2 * self.d_mlp),
            "b_1_up": (2 * self.d_mlp,),
            "W_2": (self.d_mlp, d),
            "b_2": (d,),
            "W_router": (d, self.n_experts),
            "W_conv": (self.conv_width, d, d),
            "b_conv": (d,),
        }
        return shapes.get(base, (d,))  # any other norm

    def stored_shape(self, role: str) -> tuple[int, ...]:
        """The shape of a role's tensor in the file."""
        shape = self.shape(role)
        if self.layout == "heads" and role in ("W_Q", "W_K", "W_V"):
            heads = self.n_heads if role == "W_Q" else self.n_kv_heads
            return heads, shape[0], shape[1] // heads
        if self.layout == "out_in" and role.removeprefix("cross.").startswith("W_"):
            return shape[::-1]  # a convolution's is (out, in, width)
        return shape
