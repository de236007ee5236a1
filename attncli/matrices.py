"""Every matrix that is shown and exported: one record each, in the order of the computation.

`--show`, tables, heatmaps, captions, JSON and its schema are made from these records.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from attncli.errors import UsageError

if TYPE_CHECKING:
    from attncli.attention import Array
    from attncli.trace import AttentionTrace


@dataclass(frozen=True)
class Matrix:
    """What a matrix is called, whose it is, and what its rows and columns are.

    `values` gives (rows, columns) of a head, or of the layer whatever the head; None where the
    model has no such matrix. The catalogue has what a component is of as `vector.NAME`, and what
    else is said below a matrix with tokens as columns as `tokens.NAME`.
    """

    name: str
    formula: str
    shape: str
    of: Literal["layer", "head", "kv_head"]
    rows: Literal["queries", "keys", "inputs", "all"]  # all: one row for all tokens
    columns: Literal["components", "keys"]
    values: "Callable[[AttentionTrace, int], Array | None]"
    optional: bool = False  # a model may have none
    usual: Literal["", "files", "both"] = ""  # where nothing is asked for: in files, on the screen

    @property
    def masked(self) -> bool:
        """Whether a mask hides entries of it: those of the keys that a query may not look at."""
        return self.columns == "keys"


def _of_layer(name: str) -> "Callable[[AttentionTrace, int], Array | None]":
    return lambda trace, _: getattr(trace, name)


def _of_head(name: str) -> "Callable[[AttentionTrace, int], Array | None]":
    return lambda trace, head: trace.of_head(name, head)


def _position_bias(trace: "AttentionTrace", head: int) -> "Array | None":
    return None if trace.bias is None else trace.of_head("bias", head)


def _parameter(name: str) -> "Callable[[AttentionTrace, int], Array | None]":
    """The columns of a head in W_Q, W_K, W_V or a bias, which is one row."""

    def columns(trace: "AttentionTrace", head: int) -> "Array | None":
        stored = getattr(trace.params, name)
        if stored is None:
            return None
        d = getattr(trace, name[-1]).shape[2]
        own = head if name.endswith("Q") else trace.kv_head(head)
        part: Array = stored.reshape(-1, stored.shape[-1])[:, own * d : (own + 1) * d]
        return part

    return columns


def _output(name: str) -> "Callable[[AttentionTrace, int], Array | None]":
    """W_O, or b_O as one row."""

    def whole(trace: "AttentionTrace", _: int) -> "Array | None":
        stored = getattr(trace.params, name)
        return None if stored is None else stored.reshape(-1, stored.shape[-1])

    return whole


def _projection(letter: str, of: Literal["head", "kv_head"]) -> tuple[Matrix, Matrix]:
    """W and b of Q, K or V."""
    width = "d_v" if letter == "V" else "d_k"
    W, b = f"W_{letter}", f"b_{letter}"
    formula = f"{letter.lower()} = x {W} + {b}"
    return (
        Matrix(W, formula, f"(d_model, {width})", of, "inputs", "components", _parameter(W)),
        Matrix(b, formula, f"(1, {width})", of, "all", "components", _parameter(b), optional=True),
    )


MATRICES = (
    Matrix("X", "", "(n, d_model)", "layer", "queries", "components", _of_layer("X"),
           usual="files"),
    *_projection("Q", "head"),
    *_projection("K", "kv_head"),
    *_projection("V", "kv_head"),
    Matrix("Q", "Q = X W_Q + b_Q, then its norm and rotation where the model has them",
           "(n, d_k)", "head", "queries", "components", _of_head("Q"), usual="both"),
    Matrix("K", "K = X W_K + b_K, then its norm and rotation where the model has them",
           "(m, d_k)", "kv_head", "keys", "components", _of_head("K"), usual="both"),
    Matrix("V", "V = X W_V + b_V",
           "(m, d_v)", "kv_head", "keys", "components", _of_head("V"), usual="both"),
    Matrix("mask", "0, or -inf where query i may not look at key j",
           "(n, m)", "layer", "queries", "keys", _of_layer("mask"), optional=True),
    Matrix("position_bias", "what the positions add to a score",
           "(n, m)", "head", "queries", "keys", _position_bias, optional=True),
    Matrix("S", "S = Q K^T / sqrt(d_k) + mask",
           "(n, m)", "head", "queries", "keys", _of_head("S"), usual="both"),
    Matrix("A", "A = softmax(S)",
           "(n, m)", "head", "queries", "keys", _of_head("A"), usual="both"),
    Matrix("Z", "Z = A V",
           "(n, d_v)", "head", "queries", "components", _of_head("Z"), usual="both"),
    Matrix("Z_cat", "the heads' Z side by side",
           "(n, h d_v)", "layer", "queries", "components", _of_layer("Z_cat"),
           usual="files"),
    Matrix("W_O", "Y = Z_cat W_O + b_O",
           "(h d_v, d_model)", "layer", "inputs", "components", _output("W_O"), optional=True),
    Matrix("b_O", "Y = Z_cat W_O + b_O",
           "(1, d_model)", "layer", "all", "components", _output("b_O"), optional=True),
    Matrix("Y", "Y = Z_cat W_O + b_O", "(n, d_model)", "layer", "queries", "components",
           _of_layer("Y"), optional=True, usual="both"),
)  # fmt: skip
NAMES = tuple(matrix.name for matrix in MATRICES)
IN_FILES = tuple(matrix for matrix in MATRICES if matrix.usual)
ON_SCREEN = tuple(matrix for matrix in MATRICES if matrix.usual == "both")


def find_matrices(names: str) -> tuple[Matrix, ...]:
    """The matrices named in a list with commas, in any case, in the order of the computation.

    `all` is every one. Raises UsageError for a name that there is none of.
    """
    wanted = [name.strip().casefold() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in ("all", *map(str.casefold, NAMES))]
    if unknown or not wanted:
        raise UsageError(
            "`show` {names}: the matrices are {known}; give some of these with commas between, "
            "or all",
            names=names,
            known=", ".join(NAMES),
        )
    return tuple(m for m in MATRICES if "all" in wanted or m.name.casefold() in wanted)
