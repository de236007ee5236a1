"""What one model computes, as data: the switches of the one generic transformer (model.py)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Spec:
    """A model's arithmetic and where its tensors are; a family's record makes it from config.json.

    `names` maps a role of the article or of the block (model.py) to a tensor name, with `{i}`
    for the layer:
      E (n_vocab, d_model) the vocabulary's vectors, P (n_positions, d_model) the positions' and
      T the segments'; W_Q W_K W_V W_O and b_Q b_K b_V b_O of the attention; W_1 b_1 W_2 b_2 of
      the MLP; `embed_norm`, `attention_norm` and `mlp_norm` with `.weight` and `.bias`.
    A role that a model lacks has no name. `layout` says how matrices are stored: `out_in` as
    nn.Linear does (y = x W^T), `in_out` as the article writes them (y = x W), `heads` likewise
    but W_Q, W_K and W_V one matrix per head, (h, d_model, d_k).
    """

    family: str
    n_layers: int
    n_heads: int
    d_model: int
    d_k: int
    d_v: int
    d_mlp: int
    n_vocab: int
    names: Mapping[str, str]
    prefixes: tuple[str, ...] = ("",)
    layout: Literal["out_in", "in_out", "heads"] = "out_in"
    position: Literal["learned", "sinusoidal", "none"] = "learned"
    n_positions: int | None = None  # None: sentences of any length
    n_segments: int = 0
    embed_scale: float = 1.0
    activation: str = "gelu"
    norm_eps: float = 1e-12
    causal: bool = False

    def shape(self, role: str) -> tuple[int, ...]:
        """The shape of a role's tensor, matrices as (in, out)."""
        d, width_k, width_v = self.d_model, self.n_heads * self.d_k, self.n_heads * self.d_v
        if role.endswith((".weight", ".bias")):  # a norm
            return (d,)
        return {
            "E": (self.n_vocab, d),
            "P": (self.n_positions or 0, d),
            "T": (self.n_segments, d),
            "W_Q": (d, width_k),
            "W_K": (d, width_k),
            "W_V": (d, width_v),
            "W_O": (width_v, d),
            "b_Q": (width_k,),
            "b_K": (width_k,),
            "b_V": (width_v,),
            "b_O": (d,),
            "W_1": (d, self.d_mlp),
            "b_1": (self.d_mlp,),
            "W_2": (self.d_mlp, d),
            "b_2": (d,),
        }[role]

    def stored_shape(self, role: str) -> tuple[int, ...]:
        """The shape of a role's tensor in the file."""
        shape = self.shape(role)
        if self.layout == "heads" and role in ("W_Q", "W_K", "W_V"):
            return self.n_heads, shape[0], shape[1] // self.n_heads
        if self.layout == "out_in" and role.startswith("W_"):
            return shape[::-1]
        return shape
