"""attncli: what attention computes, with its real numbers.

    import attncli

    result = attncli.inspect("The cat sat because it was tired")
    result.A.shape, result.tokens
    attncli.derive(result, head=0, token="it")

Everything is imported when it is first used: `import attncli` alone loads no numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attncli.api import Attention, DerivedRow, derive, inspect
    from attncli.check import check_arrays
    from attncli.errors import AttncliError
    from attncli.weights import load_weights

__version__ = "0.1.0"

_HOMES = {
    "Attention": "api",
    "AttncliError": "errors",
    "DerivedRow": "api",
    "check_arrays": "check",
    "derive": "api",
    "inspect": "api",
    "load_weights": "weights",
}
__all__ = [
    "Attention",
    "AttncliError",
    "DerivedRow",
    "__version__",
    "check_arrays",
    "derive",
    "inspect",
    "load_weights",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'attncli' has no attribute {name!r}")
    return getattr(import_module(f"attncli.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
