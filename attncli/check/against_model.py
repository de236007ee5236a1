"""The user's arrays against what a model computes for the same sentence.

What the user lacks, X and the parameters, is the model's; everything else is the check of any
other file, each stage from the user's own earlier arrays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from attncli.attention import Array, concat_heads, split_heads
from attncli.attention_layer import position_bias
from attncli.blocks import Scoring
from attncli.check import report_on
from attncli.check.arrays import Found, name_arrays
from attncli.check.compare import BASE, UNIT, gap
from attncli.check.facts import of_difference
from attncli.check.interpretation import Interpretation, Kept, interpretations
from attncli.check.layout import layouts
from attncli.check.masks import Hiding, described
from attncli.check.model_steps import formulas_of, steps_of_all, steps_of_one
from attncli.check.nodes import Step
from attncli.check.reading import StoredArray, read_files
from attncli.check.report import Report, Stage, Verdict
from attncli.check.target import fixed_tolerance
from attncli.errors import AttncliError
from attncli.language import Phrase
from attncli.text.printable import quoted

if TYPE_CHECKING:
    from attncli.inspector import Inspection

OPERANDS = ("X", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")
_OF_ONE_HEAD = ("X", "Q", "K", "V", "S", "A", "Z")
_DEPTH = 10  # X has come through all layers below: so much more than one stage's rounding


@dataclass(frozen=True)
class ModelFacts:
    """What a model knows of its layer, or of one head of it."""

    model: "Inspection"
    head: int | None
    operands: Mapping[str, Array]  # X and the parameters, as far as it has them
    steps: Mapping[str, Step]  # in place of the article's
    without: Mapping[str, Step]  # the same less one thing

    @property
    def n_heads(self) -> int:
        """How many heads the arrays are of."""
        return 1 if self.head is not None else self.model.spec.n_heads


@np.errstate(all="ignore")  # what is nan or infinite is said in the report
def check_against(
    paths: Sequence[Path],
    model: "Inspection",
    *,
    mapping: Mapping[str, str] | None = None,
    head: int | None = None,
    tol: float | None = None,
) -> Report:
    """Compares the arrays of files with what a model computes; `head`: they are of this one.

    Raises AttncliError as `check_files` does, for arrays of another number of tokens, and for a
    head that does not exist.
    """
    source = ", ".join(map(str, paths))
    found = name_arrays(read_files([Path(path) for path in paths]), mapping or {})
    known = _known(model, head)
    if head is not None:
        found = _of_one_head(found)
    _check_tokens(source, found, known)
    lacking = [name for name in known.operands if not any(name in a.names for a in found.arrays)]
    added = tuple(
        StoredArray(known.operands[name], "float64", f"the model's {name}", (name,))
        for name in lacking
    )
    attention = model.attention
    users = interpretations(
        replace(found, arrays=found.arrays + added),
        heads=known.n_heads,
        scale=attention.scale,
        softcap=attention.softcap,
        hiding=Hiding(None)
        if attention.mask is None
        else described(np.isneginf(attention.mask)[None], ()),
    )
    users = [_beside(user, known, lacking) for user in users]
    place = f"layer {attention.layer}" + (f", head {head}" if head is not None else "")
    report = report_on(users, found, tol, f"{source} against {model.weights.name}, {place}")
    own = tuple(_operand_stages(users[0], known, lacking, tol))
    formulas = formulas_of(model, known.operands)
    stages = (replace(s, formula=formulas.get(s.name, s.formula)) for s in report.stages)
    said = (f"{', '.join(lacking)}: the model's",) if lacking else ()
    return replace(report, stages=(*own, *stages), assumptions=(*said, *report.assumptions))


def _known(model: "Inspection", head: int | None) -> ModelFacts:
    attention, params = model.attention, model.attention.params
    operands = {"X": attention.X}
    operands |= {name: W for name in OPERANDS[1:] if (W := getattr(params, name)) is not None}
    if head is None:
        return ModelFacts(model, None, operands, *steps_of_all(model))
    h, g = len(attention.Q), len(attention.K)
    if not 0 <= head < h:
        facts = {"wanted": head, "count": h, "last": h - 1}
        raise AttncliError(Phrase("absent.head", facts))
    heads = {"Q": (head, h), "K": (attention.kv_head(head), g), "V": (attention.kv_head(head), g)}
    of_head = {"X": attention.X}
    for letter, (place, count) in heads.items():
        for name in (f"W_{letter}", f"b_{letter}"):
            if name in operands:
                of_head[name] = np.split(operands[name], count, axis=-1)[place]
    return ModelFacts(model, head, of_head, *steps_of_one(model, head))


def _of_one_head(found: Found) -> Found:
    kept = tuple(array for array in found.arrays if array.names[0] in _OF_ONE_HEAD)
    left = [array.stored_name for array in found.arrays if array not in kept]
    if not kept:
        raise AttncliError(
            "`head`: {left} are of all heads; leave `head` out", left=quoted(", ".join(left))
        )
    return replace(found, arrays=kept, unused=(*found.unused, *left))


def _check_tokens(source: str, found: Found, known: ModelFacts) -> None:
    """AttncliError if the arrays are of another number of tokens than the sentence has."""
    sizes = [layout.sizes for layout in layouts(found.arrays, None)]
    counts = {size for each in sizes if (size := each.get("n", each.get("m"))) is not None}
    tokens = known.model.tokens
    if counts and len(tokens) not in counts:
        pieces = " ".join(token.piece for token in tokens[:12])
        raise AttncliError(
            "{source} is of {found} tokens, the sentence has {n} ({pieces}): compare arrays of the "
            "same tokens, special ones included",
            source=quoted(source),
            found=min(counts),
            n=len(tokens),
            pieces=quoted(pieces + " ..." * (len(tokens) > 12)),
        )


def _beside(user: Interpretation, known: ModelFacts, lacking: Sequence[str]) -> Interpretation:
    """The user's arrays with the model's own steps.

    Arrays that were not saved are taken to be as coarse as the saved ones.
    """
    kept = dict(user.kept)
    own = [each.precision for name, each in kept.items() if name not in lacking]
    coarsest = max((*own, "float32"), key=UNIT.__getitem__)
    for name in lacking:
        if name in kept:
            kept[name] = replace(kept[name], precision=coarsest)
    said = list(user.said)
    for letter in "QKV":
        if letter in kept and letter in known.steps:
            kept[letter], words = _at_its_node(kept[letter], user, known)
            said += words
    return replace(
        user,
        kept=kept,
        stored=tuple(stored for stored in user.stored if stored.name not in lacking),
        problem=replace(
            user.problem,
            beside_model=True,
            bias=_bias(kept, known),
            steps=known.steps,
            without=known.without,
        ),
        said=tuple(said),
    )


def _at_its_node(kept: Kept, user: Interpretation, known: ModelFacts) -> tuple[Kept, list[str]]:
    """Q, K or V as a node of the chain: where heads lie side by side, and before it was turned."""
    name, count = kept.name, user.problem.h if kept.name == "Q" else user.problem.g
    values = kept.values if kept.node == name else split_heads(kept.values, count)
    attention = known.model.attention
    projected = getattr(attention, f"{name}_projected", None)
    if known.head is None and projected is not None:
        early, late = (_is_near(values, M) for M in (projected, getattr(attention, name)))
        if early and not late:
            words = f"{name} was saved before the model norms or turns it, and is compared there"
            return replace(kept, node=f"{name}_flat", values=concat_heads(values)), [words]
    return replace(kept, node=name, values=values), []


def _is_near(values: Array, right: Array) -> bool:
    limit = 1e-2 * float(np.abs(right).max())
    return values.shape == right.shape and bool((np.abs(values - right) <= limit).all())


def _bias(kept: Mapping[str, Kept], known: ModelFacts) -> Array | None:
    """(h, n, m): what the position adds to the scores; of some models it depends on Q and K."""
    attention = known.model.attention
    if attention.bias is None:
        return None
    if known.head is not None:
        return attention.bias[[attention.heads.index(known.head)]]
    if not all(name in kept and kept[name].node == name for name in "QK"):
        return attention.bias
    Q, K = (kept[name].values.astype(attention.X.dtype) for name in "QK")
    scoring = Scoring(
        attention.scale, bias=position_bias(attention.position, Q, K, attention.scale)
    )
    return scoring.whole_bias(attention.heads, Q.shape[1], K.shape[1])


def _operand_stages(
    user: Interpretation, known: ModelFacts, lacking: Sequence[str], tol: float | None
) -> Iterator[Stage]:
    """The user's own X and parameters beside the model's."""
    for name, right in known.operands.items():
        if name in lacking or name not in user.kept:
            continue
        kept = user.kept[name]
        ours, theirs = kept.values.astype(np.float64), right.astype(np.float64)
        found = gap(ours, theirs)
        base = max(BASE[kept.precision], BASE["float32"]) * (_DEPTH if name == "X" else 1)
        limit = base * found.scale if tol is None else fixed_tolerance(tol, found)
        compared, agrees = found.difference(kept.precision, limit), found.within(limit)
        facts = () if agrees else tuple(_facts(name, ours, theirs, limit))
        yield Stage(
            name=name,
            formula=f"{name} of the model",
            operands=(),
            shape=kept.values.shape,
            verdict=Verdict.agrees if agrees else Verdict.differs,
            difference=compared if np.isfinite(found.largest) else None,
            tolerance=limit if np.isfinite(found.largest) else None,
            facts=facts,
        )


def _facts(name: str, ours: Array, theirs: Array, limit: float) -> Iterator[str]:
    yield from of_difference(ours, theirs, gap(ours, theirs), limit)
    if name == "X":
        yield "X is what the projections receive: after the norm, where a norm comes first"
    if ours.ndim == 2 and gap(ours.T, theirs).within(limit):
        yield f"it is the transpose of the model's: save {name}.T"
