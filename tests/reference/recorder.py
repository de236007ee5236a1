"""What the reference implementation computes inside attention, taken out of it while it runs."""

import re
from types import TracebackType
from typing import Any

import torch
from transformers.modeling_utils import AttentionInterface

QUERY = re.compile(
    r"(\.query|q_lin|attn\.q|query_proj|Wqkv|c_attn|q_proj|query_key_value|qkv_proj"
    r"|SelfAttention\.q|EncDecAttention\.q)$"
)
OUTPUT = re.compile(
    r"(attention\.output\.dense|out_lin|attn\.o|attn\.Wo|attn\.c_proj|out_proj|attention\.dense"
    r"|self_attn\.dense|o_proj|SelfAttention\.o|EncDecAttention\.o)$"
)


class Recorder:
    """Keeps X, Y, S and where possible Q, K, V and Z of every attention of a model, in order.

    X and Y are the ends of the projections, S is what the softmax receives, Q, K, V and Z pass
    through transformers' attention interface (some families go round it). Where torch's fused
    attention runs, S is made of its arguments.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        self.attentions: list[dict[str, torch.Tensor]] = []
        self._xs: list[torch.Tensor] = []
        self._ys: list[torch.Tensor] = []
        self._hooks = []
        for name, module in model.named_modules():
            weight = getattr(module, "weight", None)
            if weight is None or weight.ndim != 2:
                continue
            if QUERY.search(name):
                self._hooks.append(module.register_forward_hook(self._keep_x))
            elif OUTPUT.search(name):
                self._hooks.append(module.register_forward_hook(self._keep_y))

    def __enter__(self) -> "Recorder":
        self._softmax = torch.nn.functional.softmax
        self._fused = torch.nn.functional.scaled_dot_product_attention
        self._get_interface = AttentionInterface.get_interface
        torch.nn.functional.softmax = self._watched_softmax
        torch.nn.functional.scaled_dot_product_attention = self._watched_fused
        recorder = self

        def get_interface(this: Any, implementation: str, default: Any) -> Any:
            return recorder._watch(recorder._get_interface(this, implementation, default))

        AttentionInterface.get_interface = get_interface
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        torch.nn.functional.softmax = self._softmax
        torch.nn.functional.scaled_dot_product_attention = self._fused
        AttentionInterface.get_interface = self._get_interface
        for hook in self._hooks:
            hook.remove()
        if error:
            return
        count = len(self.attentions)
        # DeBERTa's query projection also projects its position table, after the tokens
        xs = self._xs[::2] if len(self._xs) == 2 * count else self._xs
        for attention, X, Y in zip(self.attentions, xs, self._ys, strict=True):
            attention.update(X=X, Y=Y)

    def _keep_x(self, _module: Any, inputs: Any, _output: Any) -> None:
        self._xs.append(inputs[0][0].detach().clone())

    def _keep_y(self, _module: Any, _inputs: Any, output: Any) -> None:
        self._ys.append(output[0].detach().clone())

    def _watched_softmax(self, x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        A = self._softmax(x, *args, **kwargs)
        if x.ndim == 4:
            self.attentions.append({"S": x[0].detach().clone(), "A": A[0].detach().clone()})
        return A

    def _watched_fused(self, Q: Any, K: Any, V: Any, attn_mask: Any = None, **kwargs: Any) -> Any:
        S = Q @ K.transpose(-1, -2) * kwargs.get("scale", Q.shape[-1] ** -0.5) + attn_mask
        A = self._softmax(S, -1)
        parts = {"Q": Q, "K": K, "V": V, "S": S, "A": A, "Z": A @ V}
        self.attentions.append({name: value[0].detach() for name, value in parts.items()})
        return self._fused(Q, K, V, attn_mask, **kwargs)

    def _watch(self, attention: Any) -> Any:
        def watched(module: Any, Q: Any, K: Any, V: Any, *args: Any, **kwargs: Any) -> Any:
            before = len(self.attentions)
            out = attention(module, Q, K, V, *args, **kwargs)
            if len(self.attentions) > before:
                parts = {"Q": Q, "K": K, "V": V, "Z": out[0].transpose(1, 2)}
                self.attentions[-1].update({k: v[0].detach().clone() for k, v in parts.items()})
            return out

        return watched
