"""The one transformer: token ids -> vectors -> layer after layer, up to the last one wanted.

A layer is, with x (n, d_model) and every norm optional (families/spec.py has the switches):

    X  = pre_attention_norm(x)
    Y  = the attention of X, named step by step in a trace
    h  = attention_norm(x + attention_out_norm(Y))
    h  = cross_norm(h + the attention of pre_cross_norm(h) to the encoder's output)
    x' = mlp_norm(h + mlp_out_norm(mlp(pre_mlp_norm(h))))

or, in parallel, x' = x + Y + mlp(pre_mlp_norm(x)). The article's encoder has attention_norm and
mlp_norm (Vaswani et al. 2017, section 3.1). What differs between families is data: a Spec.
"""

from collections.abc import Collection, Sequence

import numpy as np

from attncli import layers
from attncli.attention import Array, Flags
from attncli.attention_layer import Attended, cross_attention, norm, self_attention
from attncli.blocks import project
from attncli.errors import AttncliError
from attncli.families.spec import Spec
from attncli.positions import SINUSOIDS
from attncli.trace import AttentionTrace, Trace
from attncli.weights.params import Params


def embed(
    params: Params,
    ids: Sequence[int],
    segments: Sequence[int] | None = None,
    padding: Flags | None = None,
) -> Array:
    """What enters layer 0: the token's vector, plus its position's and segment's -> (n, d_model).

    `segments` says of each token which text of a pair it belongs to; zeros if left out. Tokens
    that are `padding`, (n,), are not counted by the positions.
    Raises AttncliError for an id that has no vector and for a sentence longer than the
    position table.
    """
    spec = params.spec
    _check_ids(spec, ids)
    x = params.rows("E", ids)
    x = x * x.dtype.type(spec.embed_scale)
    if spec.embed_before_positions:
        x = _widen(params, x)
    positions = _positions(spec, ids, padding)
    if spec.position == "learned":
        x = x + params.rows("P", positions)
    elif spec.position != "none":
        P = SINUSOIDS[spec.position](positions, x.shape[1])
        P[[p < spec.position_offset for p in positions]] = 0
        x = x + P.astype(params.dtype)
    if params.has("T"):
        x = x + params.rows("T", segments or [0] * len(ids))
    return x if spec.embed_before_positions else _widen(params, x)


def _widen(params: Params, x: Array) -> Array:
    """The embedding's norm and its projection to d_model, where a model has them."""
    x = norm(params, "embed_norm", None, x)
    return project(x, *params.linear("E")) if params.has("W_E") else x


def _positions(spec: Spec, ids: Sequence[int], padding: Flags | None) -> list[int]:
    """The position of each token: 0, 1, 2, ... from `position_offset` on.

    A `pad_id` is not counted; it stands just before the first position (RoBERTa). Where a model
    has none, padding before the first token shares the first position with it.
    """
    if spec.pad_id is None:
        real = np.ones(len(ids), bool) if padding is None else ~padding
        places: list[int] = (np.maximum(real.cumsum() - 1, 0) + spec.position_offset).tolist()
        return places
    counted = np.array(ids) != spec.pad_id
    positions: list[int] = (np.cumsum(counted) * counted + spec.position_offset - 1).tolist()
    return positions


def forward(
    params: Params,
    x: Array,
    keep: Collection[int] = (),
    *,
    memory: Array | None = None,
    keep_cross: Collection[int] = (),
    causal: bool | None = None,
    padding: Flags | None = None,
    keep_heads: Sequence[int] | None = None,
    keep_hidden: bool = False,
) -> Trace:
    """Runs x (n, d_model), what `embed` returned, through the layers.

    Stops after the last attention wanted: the layers in `keep` trace their attention, those in
    `keep_cross` that of a decoder to `memory`, the encoder's output (m, d_model); S and A only of
    `keep_heads`, if they are given. With
    `keep_hidden` it runs all layers and keeps what enters and leaves each, and the model's
    output. `causal` overrides the model's own mask; nobody looks at a token that is `padding`, (n,)
    or, given `memory`, (m,) of its rows. Raises AttncliError for a decoder without
    `memory`, and for whatever is wrong with a tensor that is read.
    """
    spec = params.spec
    if memory is None and params.has("cross.W_Q"):
        raise AttncliError("this decoder attends to the encoder's output, which is not there")
    if padding is not None and params.has("W_conv"):
        raise AttncliError(f"{spec.family} with a convolution computes no attention mask")
    own_padding = padding if memory is None else None
    heads = range(spec.n_heads) if keep_heads is None else keep_heads
    causal = spec.causal if causal is None else causal
    last = spec.n_layers - 1 if keep_hidden else max([*keep, *keep_cross], default=-1)
    traces: dict[int, AttentionTrace] = {}
    cross: dict[int, AttentionTrace] = {}
    hidden = [x]
    for layer in range(last + 1):
        ends_here = layer == last and not keep_hidden
        here = self_attention(params, layer, x, causal, own_padding, heads if layer in keep else ())
        if here.trace:
            traces[layer] = here.trace
        if ends_here and layer not in keep_cross:
            break
        h = _after_attention(params, layer, x, here)
        if memory is not None:
            there = cross_attention(
                params, layer, h, memory, padding, heads if layer in keep_cross else ()
            )
            if there.trace:
                cross[layer] = there.trace
            h = norm(params, "cross_norm", layer, h + _output(there, layer))
        if ends_here:
            break
        entered, x = x, _after_mlp(params, layer, x, here.X, h)
        if layer == 0 and params.has("W_conv"):
            x = _convolved(params, entered, x)
        if keep_hidden:
            hidden.append(x)
    if not keep_hidden:
        return Trace(traces, cross)
    output = norm(params, "final_norm", None, x)
    if params.has("W_final"):
        output = output @ params.get("W_final")
    return Trace(traces, cross, tuple(hidden), output)


def _output(attended: Attended, layer: int) -> Array:
    if attended.Y is None:
        raise AttncliError(f"layer {layer} has no W_O: nothing can follow its attention")
    return attended.Y


def _after_attention(params: Params, layer: int, x: Array, here: Attended) -> Array:
    """h, from the layer's input x and its attention: the residual and its norms. (n, d_model)"""
    spec = params.spec
    a = norm(params, "attention_out_norm", layer, _output(here, layer))
    residual = here.X if spec.residual_from_norm else x
    return norm(params, "attention_norm", layer, residual + _scaled(spec, a))


def _after_mlp(params: Params, layer: int, x: Array, X: Array, h: Array) -> Array:
    """What the next layer receives, from h after the attention: (n, d_model)."""
    spec = params.spec
    if spec.parallel:
        own_norm = params.has("pre_mlp_norm.weight", layer)
        into = norm(params, "pre_mlp_norm", layer, x) if own_norm else X
        return h + _scaled(spec, _mlp(params, layer, into))
    into = norm(params, "pre_mlp_norm", layer, h)
    out = norm(params, "mlp_out_norm", layer, _mlp(params, layer, into))
    residual = into if spec.residual_from_norm else h
    return norm(params, "mlp_norm", layer, residual + _scaled(spec, out))


def _scaled(spec: Spec, branch: Array) -> Array:
    """A branch as it is added to the residual."""
    return branch if spec.residual_scale == 1 else branch * branch.dtype.type(spec.residual_scale)


def _mlp(params: Params, layer: int, x: Array) -> Array:
    """act(x W_1 + b_1) W_2 + b_2, times x W_up + b_up in the middle where it is gated.

    Each matrix is read when its turn comes. (n, d_model) -> (n, d_model)
    """
    spec = params.spec

    def expert(item: int | None, x: Array) -> Array:
        if params.has("W_1_up"):
            (W_1, W_up), (b_1, b_up) = params.gated(layer)
            inner = layers.activate(project(x, W_1, b_1), spec.activation)
            inner *= project(x, W_up, b_up)
        else:
            inner = layers.activate(project(x, *params.linear("1", layer, item)), spec.activation)
            if params.has("W_up"):
                inner *= project(x, *params.linear("up", layer, item))
        return project(inner, *params.linear("2", layer, item))

    if spec.n_experts:
        return layers.mixture(x, params.get("W_router", layer), spec.n_experts_used, expert)
    return expert(None, x)


def _convolved(params: Params, entered: Array, x: Array) -> Array:
    """DeBERTa v2's convolution: what entered layer 0, added to what left it. (n, d_model)"""
    out = layers.convolution(entered, *params.linear("conv"))
    out = layers.activate(out, params.spec.conv_activation)
    return norm(params, "conv_norm", None, x + out)


def _check_ids(spec: Spec, ids: Sequence[int]) -> None:
    if spec.n_positions is not None and len(ids) > spec.n_positions:
        raise AttncliError(
            f"the sentence has {len(ids)} tokens, the model has {spec.n_positions} positions; "
            f"shorten the sentence"
        )
    for i, token_id in enumerate(ids):
        if not 0 <= token_id < spec.n_vocab:
            raise AttncliError(
                f"token {i} has id {token_id}, the embedding table has {spec.n_vocab} rows "
                f"(0 to {spec.n_vocab - 1}); this tokenizer does not belong to these weights"
            )
