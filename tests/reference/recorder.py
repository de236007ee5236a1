"""What the reference implementation computes inside attention, taken out of it while it runs."""

import re
from types import TracebackType
from typing import Any

import torch
from transformers.modeling_utils import AttentionInterface

QUERY = re.compile(r"\.query$")
OUTPUT = re.compile(r"attention\.output\.dense$")


class Recorder:
    """Keeps X, Q, K, V, S, Z and Y of every attention layer of an eager model, in order.

    X and Y are the ends of the projections, Q, K, V and Z pass through transformers'
    attention interface, S is what the softmax receives.
    """

    def __init__(self, model: torch.nn.Module) -> None:
        self.layers: list[dict[str, torch.Tensor]] = []
        self._xs: list[torch.Tensor] = []
        self._ys: list[torch.Tensor] = []
        self._scores: list[torch.Tensor] = []
        self._hooks = []
        for name, module in model.named_modules():
            if QUERY.search(name):
                self._hooks.append(module.register_forward_hook(self._keep_x))
            elif OUTPUT.search(name):
                self._hooks.append(module.register_forward_hook(self._keep_y))

    def __enter__(self) -> "Recorder":
        self._softmax = torch.nn.functional.softmax
        self._get_interface = AttentionInterface.get_interface
        torch.nn.functional.softmax = self._watched_softmax
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
        AttentionInterface.get_interface = self._get_interface
        for hook in self._hooks:
            hook.remove()
        for layer, X, Y in zip(self.layers, self._xs, self._ys, strict=True):
            layer.update(X=X, Y=Y)

    def _keep_x(self, _module: Any, inputs: Any, _output: Any) -> None:
        self._xs.append(inputs[0][0].detach())

    def _keep_y(self, _module: Any, _inputs: Any, output: Any) -> None:
        self._ys.append(output[0].detach())

    def _watched_softmax(self, x: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        if x.ndim == 4:
            self._scores.append(x[0].detach().clone())
        return self._softmax(x, *args, **kwargs)

    def _watch(self, attention: Any) -> Any:
        def watched(module: Any, Q: Any, K: Any, V: Any, *args: Any, **kwargs: Any) -> Any:
            Z, A = attention(module, Q, K, V, *args, **kwargs)
            self.layers.append(
                {
                    "Q": Q[0].detach(),
                    "K": K[0].detach(),
                    "V": V[0].detach(),
                    "S": self._scores.pop(),
                    "A": A[0].detach(),
                    "Z": Z[0].transpose(0, 1).detach(),
                }
            )
            return Z, A

        return watched
