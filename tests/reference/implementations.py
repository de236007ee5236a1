"""Attention as ten people write it, and as they save it; each also with one mistake.

Every function returns what its author keeps: arrays by name, and what `check` is told on the
command line. `wrong` makes the one mistake that stands in its docstring.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

N, D_MODEL, H, D_K = 7, 24, 4, 6


@dataclass(frozen=True)
class Kept:
    """What an author saves, in which kind of file, and what he says on the command line."""

    arrays: dict[str, Any]
    format: str = "npz"
    mapping: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def seeded(module: nn.Module) -> nn.Module:
    """Weights that make scores worth looking at, biases that are not 0."""
    with torch.no_grad():
        for name, p in module.named_parameters():
            scale = 0.4 if name.endswith("bias") else 1.3 / math.sqrt(p.shape[-1])
            p.copy_(torch.randn(p.shape) * scale)
    return module


def loops_over_heads(wrong: bool) -> Kept:
    """scale_d_model: every head by itself, and the root of the whole width."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(N, D_MODEL))
    W_Q, W_K, W_V = rng.normal(size=(3, H, D_MODEL, D_K)) / 4
    W_O = rng.normal(size=(H * D_K, D_MODEL)) / 5
    kept: dict[str, list[Any]] = {name: [] for name in ("Q", "K", "V", "S", "A", "Z")}
    for head in range(H):
        Q, K, V = x @ W_Q[head], x @ W_K[head], x @ W_V[head]
        S = np.zeros((N, N))
        for i in range(N):
            for j in range(N):
                S[i, j] = np.dot(Q[i], K[j]) / math.sqrt(D_MODEL if wrong else D_K)
        A = np.array([np.exp(row) / np.exp(row).sum() for row in S])
        for name, value in (("Q", Q), ("K", K), ("V", V), ("S", S), ("A", A), ("Z", A @ V)):
            kept[name].append(value)
    Y = np.hstack(kept["Z"]) @ W_O
    arrays = {name: np.array(value) for name, value in kept.items()}
    return Kept({"X": x, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O, **arrays, "Y": Y})


class LinearAttention(nn.Module):
    """The usual module: four nn.Linear, view and transpose."""

    def __init__(self) -> None:
        super().__init__()
        self.q_proj = nn.Linear(D_MODEL, D_MODEL)
        self.k_proj = nn.Linear(D_MODEL, D_MODEL)
        self.v_proj = nn.Linear(D_MODEL, D_MODEL)
        self.out_proj = nn.Linear(D_MODEL, D_MODEL)

    def heads(self, x: Tensor, wrong: bool) -> Tensor:
        if wrong:
            return x.view(x.shape[0], H, -1, D_K)
        return x.view(x.shape[0], -1, H, D_K).transpose(1, 2)

    def forward(self, x: Tensor, wrong: bool) -> dict[str, Tensor]:
        q = self.heads(self.q_proj(x), wrong)
        k = self.heads(self.k_proj(x), wrong)
        v = self.heads(self.v_proj(x), wrong)
        scores = q @ k.transpose(-2, -1) / math.sqrt(D_K)
        attn_weights = scores.softmax(dim=-1)
        context = attn_weights @ v
        output = self.out_proj(context.transpose(1, 2).reshape(x.shape))
        return {
            "hidden_states": x,
            "query_states": q,
            "key_states": k,
            "value_states": v,
            "attn_scores": scores,
            "attn_weights": attn_weights,
            "context": context,
            "attn_output": output,
        }


def linear_and_view(wrong: bool) -> Kept:
    """split_by_reshape: view(B, h, n, d_k) without the transpose."""
    module = seeded(LinearAttention())
    arrays = module(torch.randn(2, N, D_MODEL), wrong)
    return Kept({**module.state_dict(), **arrays}, "safetensors")


def einsum(wrong: bool) -> Kept:
    """softmax_over_queries: scores are (b, h, q, k), and dim=2 is the queries."""
    x = torch.randn(1, N, D_MODEL)
    wq, wk, wv = torch.randn(3, D_MODEL, H * D_K) / 4
    wo = torch.randn(H * D_K, D_MODEL) / 5
    q, k, v = ((x @ w).reshape(1, N, H, D_K) for w in (wq, wk, wv))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / D_K**0.5
    attn = torch.softmax(scores, dim=2 if wrong else 3)
    z = torch.einsum("bhqk,bkhd->bqhd", attn, v)
    y = z.reshape(1, N, H * D_K) @ wo
    names = {"x": x, "wq": wq, "wk": wk, "wv": wv, "wo": wo, "q": q, "k": k, "v": v}
    return Kept({**names, "scores": scores, "attn": attn, "z": z, "y": y})


def fused_kernel(wrong: bool) -> Kept:
    """mask_inverted: for scaled_dot_product_attention, True means: may be looked at."""
    q, k, v = torch.randn(3, 1, H, N, D_K) * 1.2
    above = torch.triu(torch.ones(N, N, dtype=torch.bool), diagonal=1)
    attn_mask = above if wrong else ~above
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)
    return Kept(
        {"q": q, "k": k, "v": v, "out": out},
        "folder",
        mapping={"Z": "out"},
        options={"causal": True},
    )


def torch_module_with_weights(wrong: bool) -> Kept:
    """mean_over_heads: the weights that nn.MultiheadAttention returns are averaged by default."""
    module = seeded(nn.MultiheadAttention(D_MODEL, H, batch_first=True)).eval()
    x = torch.randn(1, N, D_MODEL)
    output, attn_weights = module(x, x, x, average_attn_weights=wrong)
    arrays = {"x": x, "attn_weights": attn_weights, "attn_output": output}
    return Kept({**module.state_dict(), **arrays}, "safetensors", options={"heads": H})


def torch_module_sequence_first(wrong: bool) -> Kept:
    """no_causal_mask: need_weights=False, tokens on the first axis, the mask not handed over."""
    module = seeded(nn.MultiheadAttention(D_MODEL, H)).eval()
    x = torch.randn(N, 1, D_MODEL)
    mask = nn.Transformer.generate_square_subsequent_mask(N)
    output, _ = module(x, x, x, need_weights=False, attn_mask=None if wrong else mask)
    arrays = {"x": x, "output": output, "attn_mask": mask}
    return Kept({**module.state_dict(), **arrays}, options={"heads": H})


def nano_gpt(wrong: bool) -> Kept:
    """merge_by_reshape: y.view(B, T, C) without y.transpose(1, 2)."""
    c_attn, c_proj = seeded(nn.Linear(D_MODEL, 3 * D_MODEL)), seeded(nn.Linear(D_MODEL, D_MODEL))
    x = torch.randn(1, N, D_MODEL)
    B, T, C = x.size()
    q, k, v = c_attn(x).split(D_MODEL, dim=2)
    k = k.view(B, T, H, C // H).transpose(1, 2)
    q = q.view(B, T, H, C // H).transpose(1, 2)
    v = v.view(B, T, H, C // H).transpose(1, 2)
    att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    tril = torch.tril(torch.ones(T, T)).view(1, 1, T, T)
    att = att.masked_fill(tril == 0, float("-inf"))
    scores, att = att, F.softmax(att, dim=-1)
    z = att @ v
    y = z if wrong else z.transpose(1, 2)
    y = y.contiguous().view(B, T, C)
    weights = {
        "c_attn.weight": c_attn.weight,
        "c_attn.bias": c_attn.bias,
        "c_proj.weight": c_proj.weight,
        "c_proj.bias": c_proj.bias,
    }
    arrays = {"x": x, "q": q, "k": k, "v": v, "scores": scores, "att": att, "z": z}
    return Kept({**weights, **arrays, "y": c_proj(y)}, options={"causal": True})


class BertSelfAttention(nn.Module):
    """The names and the order of the original."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(D_MODEL, H * D_K)
        self.key = nn.Linear(D_MODEL, H * D_K)
        self.value = nn.Linear(D_MODEL, H * D_K)
        self.dropout = nn.Dropout(0.1)

    def transpose_for_scores(self, x: Tensor) -> Tensor:
        return x.view(*x.size()[:-1], H, D_K).permute(0, 2, 1, 3)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor) -> dict[str, Tensor]:
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2)) / math.sqrt(D_K)
        extended = (1.0 - attention_mask[:, None, None, :].float()) * -10000.0
        attention_scores = attention_scores + extended
        attention_probs = self.dropout(nn.functional.softmax(attention_scores, dim=-1))
        context_layer = torch.matmul(attention_probs, value_layer).permute(0, 2, 1, 3)
        context_layer = context_layer.reshape(*hidden_states.shape[:-1], H * D_K)
        return {
            "hidden_states": hidden_states,
            "attention_mask": attention_mask,
            "query_layer": query_layer,
            "key_layer": key_layer,
            "value_layer": value_layer,
            "attention_scores": attention_scores,
            "attention_probs": attention_probs,
            "context_layer": context_layer,
        }


def bert(wrong: bool) -> Kept:
    """dropout: saved without model.eval()."""
    module = seeded(BertSelfAttention()).train(wrong)
    attention_mask = torch.ones(1, N, dtype=torch.long)
    attention_mask[:, -2:] = 0
    arrays = module(torch.randn(1, N, D_MODEL), attention_mask)
    return Kept({**module.state_dict(), **arrays}, "safetensors")


def jax_style(wrong: bool) -> Kept:
    """no_scale: flax's kernels are (d_model, h, d_k), its activations (batch, n, h, d_k)."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(1, N, D_MODEL)).astype(np.float32)
    query, key, value = rng.normal(size=(3, D_MODEL, H, D_K)).astype(np.float32) / 4
    out = rng.normal(size=(H, D_K, D_MODEL)).astype(np.float32) / 5
    q, k, v = (np.einsum("bnd,dhk->bnhk", x, kernel) for kernel in (query, key, value))
    if not wrong:
        q = q / np.sqrt(np.float32(D_K))  # as flax does: the query is scaled
    scores = np.einsum("bqhd,bkhd->bhqk", q, k)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    attn_weights = e / e.sum(-1, keepdims=True)
    z = np.einsum("bhqk,bkhd->bqhd", attn_weights, v)
    y = np.einsum("bnhd,hdm->bnm", z, out)
    kernels = {"query/kernel": query, "key/kernel": key, "value/kernel": value, "out/kernel": out}
    activations = {"inputs": x, "q": q, "k": k, "v": v, "scores": scores}
    mapping = {"W_Q": "query/kernel", "W_K": "key/kernel", "W_V": "value/kernel"}
    return Kept(
        {**kernels, **activations, "attn_weights": attn_weights, "z": z, "y": y},
        mapping={**mapping, "W_O": "out/kernel", "X": "inputs"},
    )


class MultiHeadedAttention(nn.Module):
    """As in the annotated transformer: `attention` and a list of four linears."""

    def __init__(self) -> None:
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(D_MODEL, D_MODEL) for _ in range(4))

    def forward(self, x: Tensor, mask: Tensor, large: float) -> dict[str, Tensor]:
        query, key, value = (lin(x).view(1, -1, H, D_K).transpose(1, 2) for lin in self.linears[:3])
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
        scores = scores + (mask == 0) * large
        p_attn = scores.softmax(dim=-1)
        z = torch.matmul(p_attn, value)
        z = z.transpose(1, 2).contiguous().view(1, -1, H * D_K)
        return {"p_attn": p_attn, "output": self.linears[-1](z)}


def annotated(wrong: bool) -> Kept:
    """mask_too_weak: -1e-9 typed for -1e9."""
    module = seeded(MultiHeadedAttention())
    x, mask = torch.randn(1, N, D_MODEL), torch.tril(torch.ones(1, N, N))
    arrays = module(x, mask, -1e-9 if wrong else -1e9)
    places = enumerate("QKVO")
    mapping = {f"W_{letter}": f"linears.{i}.weight" for i, letter in places}
    mapping |= {f"b_{letter}": f"linears.{i}.bias" for i, letter in enumerate("QKVO")}
    return Kept(
        {**module.state_dict(), "x": x, "mask": mask, **arrays},
        mapping={**mapping, "A": "p_attn"},
    )


IMPLEMENTATIONS: dict[str, tuple[Callable[[bool], Kept], str]] = {
    function.__name__: (function, (function.__doc__ or "").split(":")[0])
    for function in (
        loops_over_heads,
        linear_and_view,
        einsum,
        fused_kernel,
        torch_module_with_weights,
        torch_module_sequence_first,
        nano_gpt,
        bert,
        jax_style,
        annotated,
    )
}
