"""The Python front door: what `import attncli` offers (docs/python.md)."""

import io
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from attncli.analysis.derive import Derivation
from attncli.errors import AttncliError
from attncli.inspector import Inspection
from attncli.inspector import inspect as run
from attncli.kind import AttentionKind
from attncli.matrices import find_matrices
from attncli.medium.screen import Screen
from attncli.narration.row import Row, row_of
from attncli.selectors import find_number
from attncli.text.select import find_token
from attncli.trace import AttentionTrace
from attncli.weights import Weights, load_weights

if TYPE_CHECKING:
    import pandas
    from rich.console import Console, ConsoleOptions, RenderableType

_HTML_WIDTH = 100  # cells
_HTML = (
    "<pre style=\"line-height: 1.2; font-family: Menlo, 'DejaVu Sans Mono', Consolas, monospace\">"
    "{code}</pre>"
)


class Drawn:
    """Something that rich prints and a notebook shows as the command line would draw it."""

    def _views(self, screen: Screen) -> "Iterator[RenderableType]":
        raise NotImplementedError

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> "Iterator[RenderableType]":
        yield from self._views(
            Screen(
                width=options.max_width,
                color=console.color_system is not None,
                unicode=not options.ascii_only,
            )
        )

    def _repr_html_(self) -> str:
        from rich.console import Console

        console = Console(
            file=io.StringIO(), record=True, width=_HTML_WIDTH, color_system="truecolor",
            force_terminal=True, legacy_windows=False, markup=False, highlight=False,
        )  # fmt: skip
        console.print(self)
        return console.export_html(inline_styles=True, code_format=_HTML)


@dataclass(frozen=True, repr=False, eq=False)
class Attention(AttentionTrace, Drawn):
    """One layer's attention over one text: the matrices of `AttentionTrace`, and what they are of.

    X (n, d_model), Q, K, V (h, n, d_k), S, A (heads, n, n), Z (h, n, d_v), Z_cat (n, h d_v) and
    Y (n, d_model) are numpy arrays, named as in the article; S and A hold the heads in `heads`.
    """

    inspection: Inspection = field(kw_only=True)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The text of each token: the rows of X, S and A."""
        return tuple(token.text for token in self.inspection.tokens)

    @property
    def keys(self) -> tuple[str, ...]:
        """The text of each token that is looked at: the columns of S and A."""
        return tuple(token.text for token in self.inspection.columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the numbers must know; the command prints it on standard error."""
        return tuple(map(str, self.inspection.notes))

    def to_dict(self) -> dict[str, Any]:
        """Everything that `attncli export` writes (docs/json.md), with arrays in place of lists."""
        from attncli.exports.json_document import document

        return document(self.inspection, self.heads)

    def frame(self) -> "pandas.DataFrame":
        """A table with a row for each head, query and key: their numbers, their tokens, S and A.

        Raises AttncliError if pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise AttncliError("frame() needs pandas: pip install pandas") from None
        index = pandas.MultiIndex.from_product(
            [self.heads, range(len(self.tokens)), range(len(self.keys))],
            names=["head", "query", "key"],
        )
        frame = index.to_frame(index=False)
        frame.insert(0, "layer", self.layer)
        frame["query_token"] = [self.tokens[i] for i in frame["query"]]
        frame["key_token"] = [self.keys[j] for j in frame["key"]]
        return frame.assign(S=self.S.ravel(), A=self.A.ravel())

    def __repr__(self) -> str:
        spec = self.inspection.spec
        shapes = ", ".join(f"{name} {getattr(self, name).shape}" for name in ("X", "Q", "A", "Z"))
        return (
            f"<Attention of {len(self.tokens)} tokens: {self.inspection.weights.name}, "
            f"layer {self.layer} of {spec.n_layers}, {len(self.heads)} of {spec.n_heads} heads; "
            f"{shapes}>"
        )

    def _views(self, screen: Screen) -> "Iterator[RenderableType]":
        from attncli.views.heading import heading
        from attncli.views.matrix import matrix
        from attncli.views.overview import overview
        from attncli.views.shown import shown_matrices

        tokens, columns = self.inspection.tokens, self.inspection.columns
        keys = columns if self.inspection.kind is AttentionKind.cross else None
        first = self.heads[:1]
        yield from heading(self.inspection, first, screen)
        yield ""
        if self.heads == tuple(range(len(self.Q))):
            yield overview(self.A, tokens, first, screen, mask=self.mask, keys=keys)
            yield ""
        for shown in shown_matrices(self.inspection, first, find_matrices("A")):
            yield matrix(shown, screen)


@dataclass(frozen=True, repr=False, eq=False)
class DerivedRow(Derivation, Drawn):
    """One token's row of one head, step by step: the fields of `Derivation`."""

    row: Row = field(kw_only=True)

    def __repr__(self) -> str:
        agrees = "agrees" if self.agrees else "differs"
        return (
            f"<DerivedRow of token {self.token} in L{self.layer}H{self.head}: q {self.q.shape}, "
            f"a {self.a.shape}, z {self.z.shape}; {agrees} with the matrices>"
        )

    def _views(self, screen: Screen) -> "Iterator[RenderableType]":
        from attncli.views.derivation import derivation_view

        yield derivation_view(self.row, screen)


def inspect(
    text: str | Sequence[int],
    weights: str | os.PathLike[str] | Weights = "sample",
    *,
    layer: int = -1,
    heads: Sequence[int] | None = None,
    pair: str | None = None,
    target: str | Sequence[int] | None = None,
    attention: str | None = None,
    causal: bool = False,
    attention_mask: Sequence[int] | None = None,
) -> Attention:
    """One layer's attention over a text, or over token ids.

    `weights` is `sample`, `random`, the path of a checkpoint or of a file of matrices, the name of
    a model of the Hub, or what `load_weights` returned: open a model once for many texts, and with
    options of its own. `layer` and `heads` count from 0, negative ones from the end; S and A are
    kept of `heads`, or of all. The other parameters are those of the command (docs/python.md).

    Raises AttncliError, which names parameters, for what cannot be computed.
    """
    with ExitStack() as opened:
        if not isinstance(weights, Weights):
            weights = opened.enter_context(load_weights(weights))
        inspection = run(
            text,
            weights,
            pair=pair,
            target=target,
            attention=attention,
            layer=layer,
            causal=causal,
            attention_mask=attention_mask,
            heads=heads,
        )
    return Attention(**vars(inspection.attention), inspection=inspection)


def derive(result: Attention, *, head: int | None = None, token: int | str = 0) -> DerivedRow:
    """One token's row of one head, derived step by step and compared with the matrices.

    `head` is one of `result.heads`, the first of them by default; `token` is a number or a text,
    `it#2` for the second "it". Raises AttncliError for a head that was not kept and for a token
    that is absent or ambiguous.
    """
    found = _kept_head(result, result.heads[0] if head is None else head)
    place = find_token(result.inspection.tokens, str(token))
    row = row_of(result.inspection, found, place)
    return DerivedRow(**vars(row.d), row=row)


def _kept_head(result: Attention, head: int) -> int:
    found = find_number("head", head, len(result.Q))
    if found not in result.heads:
        raise AttncliError(
            "S and A of head {head} were not kept: name it in `heads` of inspect", head=found
        )
    return found
