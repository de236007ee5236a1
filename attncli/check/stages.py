"""The stages in order: each is compared with what the user's own earlier arrays give."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attncli.attention import Array
from attncli.check.alone import alone
from attncli.check.chain import MASKED, WHOLE, Chain, Missing, Setting, after
from attncli.check.compare import BASE, SHAPES_DIFFER, UNIT, Gap
from attncli.check.diagnose import Fit, Search, best_first, uniform_fit
from attncli.check.explain import apart, finding, needs, what_differs
from attncli.check.facts import not_finite
from attncli.check.report import Finding, Stage, Verdict
from attncli.check.target import (
    Target,
    chain_of,
    compare,
    screen,
    tolerance_of,
    whole_gap,
)
from attncli.check.user import Kept, User

FORMULAS = {
    "Q": "Q = X W_Q + b_Q",
    "K": "K = X W_K + b_K",
    "V": "V = X W_V + b_V",
    "S": "S = Q K^T / sqrt(d_k) + mask",
    "A": "A = softmax(S)",
    "Z": "Z = A V",
    "Z_cat": "Z_cat = Concat(Z_1, ..., Z_h)",
    "Y": "Y = Z_cat W_O + b_O",
}
_SMALL = 5_000_000  # numbers of an array that is converted once, not part by part
_STORES = {  # which of the user's arrays a node is, for the list of operands
    "Q_flat": "Q",
    "K_flat": "K",
    "V_flat": "V",
    "scaled": "S",
    "dots": "S",
}


@dataclass
class Progress:
    """What the stages so far have shown."""

    user: User
    setting: Setting
    nodes: dict[str, Array]  # the user's arrays as operands
    carried: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # nodes that stay changed
    said: list[str] = field(default_factory=list)
    fixed: float | None = None  # a tolerance that the user has set
    explain: bool = True


def _unit(user: User, names: Sequence[str]) -> float:
    return max((UNIT[user.kept[name].precision] for name in names if name in user.kept), default=0)


def _target(progress: Progress, kept: Kept, node: str) -> Target:
    """The user's array as a node."""
    given = {k: v for k, v in progress.nodes.items() if k != kept.node}
    if kept.node in ("S", "scaled", "dots"):
        given = {k: v for k, v in given.items() if k not in ("S", "scaled", "dots")}
    return Target(
        node=node,
        values=kept.values,
        setting=progress.setting,
        given=given,
        carried=progress.carried,
        base=BASE[kept.precision],
        unit=0.0,
        fixed=progress.fixed,
    )


@dataclass(frozen=True)
class _Compared:
    """The user's array beside the right one."""

    target: Target
    operands: tuple[str, ...]  # the user's arrays that the right one was computed from
    gap: Gap
    tolerance: float
    strict: float  # the tolerance if the stored types said how exact the numbers are

    @property
    def agrees(self) -> bool:
        return self.gap.within(self.tolerance)


def _compared(progress: Progress, kept: Kept, node: str, roughly: bool = False) -> _Compared:
    """The user's array beside the right one; `roughly`: only a few rows of it. Raises Missing."""
    target = _target(progress, kept, node)
    part = screen(target)
    chain = chain_of(target, {}, part)
    chain[node]
    operands = tuple(dict.fromkeys(_STORES.get(name, name) for name in chain.used()))
    target = replace(target, unit=_unit(progress.user, operands))
    if part == WHOLE or roughly:
        gap = compare(chain, node)
    else:
        gap = whole_gap(target, lambda _: {}, by_head=False)
    tolerance = tolerance_of(target, chain, gap)
    strict = tolerance
    if target.fixed is None and kept.precision != kept.dtype and kept.dtype in BASE:
        strict = tolerance - (target.base - BASE[kept.dtype]) * gap.scale
    return _Compared(target, operands, gap, tolerance, strict)


def _is_square(progress: Progress, kept: Kept) -> bool:
    """Whether a matrix is of tokens and tokens, not of heads and heads."""
    return kept.values.shape[1:] == (progress.setting.n, progress.setting.m)


def _follows(progress: Progress, kept: Kept, node: str) -> bool:
    """Whether the user's A follows from S if S is taken for this node."""
    A = progress.user.kept.get("A")
    if A is None:
        return False
    trial = replace(progress, nodes={**progress.nodes, node: kept.values}, said=[])
    if node != "S":
        trial.nodes.pop("S", None)
    try:
        return _compared(trial, A, "A", roughly=True).agrees
    except Missing:
        return False


def _places(progress: Progress, kept: Kept) -> list[str]:
    """The nodes that an array may be: S is saved after the mask, before it, or before the scale."""
    if kept.name != "S":
        return [kept.node]
    if not _is_square(progress, kept):
        return ["S"]
    masked = ["S", "scaled"] if progress.setting.hidden is not None else ["S"]
    return [*masked, "dots"] if _follows(progress, kept, "dots") else masked


def _place_of_S(progress: Progress, kept: Kept, likely: str | None) -> str:
    """As which node S serves what follows: as A says, or as it looks."""
    places = [place for place in _places(progress, kept) if place != "dots"]
    if likely is None:
        masked = any(bool((head <= MASKED).any()) for head in kept.values)
        likely = "S" if masked else places[-1]
    every = dict.fromkeys((likely, *places))
    return next((node for node in every if _follows(progress, kept, node)), likely)


def _use(progress: Progress, kept: Kept, node: str) -> None:
    """Let S be an operand of what follows, as the node it was saved at."""
    progress.nodes.pop("S", None)
    progress.nodes[node] = kept.values
    if node == "scaled":
        progress.said.append("S was saved before the mask")
    if node == "dots":
        progress.said.append("S was saved before the scale and the mask: A shows both")


def _different(kept: Kept, shown: _Compared, fits: Sequence[Fit], said: Sequence[str]) -> Stage:
    findings = tuple(finding(shown.target, fit) for fit in fits)
    return Stage(
        kept.name,
        FORMULAS[kept.name],
        shown.operands,
        kept.values.shape,
        Verdict.odd if findings and findings[0].harmless else Verdict.differs,
        shown.gap.difference if np.isfinite(shown.gap.largest) else None,
        shown.tolerance,
        findings,
        apart(shown.target, findings),
        tuple(said),
    )


def _agreeing(progress: Progress, kept: Kept, found: _Compared) -> Stage:
    if kept.name == "S":
        _use(progress, kept, found.target.node)
    if found.target.node in ("A", "Z", "Z_cat", "Y"):
        fit = uniform_fit(found.target, found.gap, found.tolerance)
        if fit is not None:
            return _different(kept, found, [fit], [])
    rounded = kept.dtype == "float32" and not found.gap.within(found.strict)
    return Stage(
        kept.name,
        FORMULAS[kept.name],
        found.operands,
        kept.values.shape,
        Verdict.odd if rounded else Verdict.agrees,
        found.gap.difference,
        found.tolerance,
        (_rounding(kept, found),) if rounded else (),
    )


def _rounding(kept: Kept, found: _Compared) -> Finding:
    return Finding(
        keys=("fp16_rounding",),
        numbers=("O-04",),
        title=f"{kept.name} was rounded to {kept.precision}",
        explanation="Its numbers have fewer digits than the type it is stored in; none is wrong.",
        right_code=f"np.savez(path, {kept.name}={kept.name})  # in float32",
        evidence=f"all its numbers are numbers of {kept.precision}",
        before=found.gap.difference,
        after=found.gap.difference,
        harmless=True,
    )


def _uncomputable(progress: Progress, kept: Kept) -> Stage:
    """A stage whose operands are not in the file: what it shows by itself, if it is A."""
    chain = Chain(progress.setting, {k: v for k, v in progress.nodes.items() if k != kept.node})
    missing = needs(chain, kept.name)
    if kept.name == "S":
        _use(progress, kept, _place_of_S(progress, kept, None))
    verdict, said = Verdict.unchecked, list[str]()
    if kept.name == "A":
        verdict, said = alone(kept.values, kept.precision)
    return Stage(
        kept.name,
        FORMULAS[kept.name],
        (),
        kept.values.shape,
        verdict,
        None,
        None,
        facts=tuple(said),
        needs=missing,
    )


def _search(tried: Sequence[_Compared]) -> tuple[list[Fit], set[str]]:
    """(the mistakes that fit, best first; those that were not tried): pairs if no single one."""
    searches = [Search(each.target) for each in tried]
    fits = [fit for search in searches for fit in search.singles()]
    if not fits:
        fits = [fit for search in searches for fit in search.pairs()]
    skipped = {key for search in searches for key in search.skipped}
    return best_first(fits, tried[0].tolerance), skipped


def _carry(progress: Progress, fit: Fit) -> None:
    """What a finding says of the stages that follow."""
    for mistake, variant, constant in zip(fit.mistakes, fit.variants, fit.constants, strict=True):
        if mistake.lasting:
            for node, step in variant.wrong.items():
                if after(node, fit.node) or (node == "K" and fit.node == "Q"):
                    progress.carried[node] = (step, constant)
        if mistake.key == "head_order":
            progress.setting = replace(progress.setting, head_order=constant)
            if fit.node in ("scaled", "S", "A") and "V" not in progress.nodes:
                progress.carried["V"] = (lambda c: c.right("V")[list(c.constant)], constant)


def _differing(progress: Progress, kept: Kept, tried: Sequence[_Compared]) -> Stage:
    fits, skipped = _search(tried) if progress.explain else ([], set())
    node = fits[0].node if fits else tried[0].target.node
    shown = next(each for each in tried if each.target.node == node)
    said: list[str] = []
    if progress.explain and not fits:
        said = what_differs(shown.target, shown.gap, shown.tolerance)
        if skipped:
            said.append(f"too large here to be tried, or in pairs: {', '.join(sorted(skipped))}")
    if kept.name == "S":
        _use(progress, kept, _place_of_S(progress, kept, node if fits else None))
    if fits:
        _carry(progress, fits[0])
    return _different(kept, shown, fits, said)


def _from_mean(progress: Progress, kept: Kept) -> bool:
    """Whether what follows A was computed from the mean (or sum) over the heads that is saved."""
    A = progress.user.kept.get("A")
    if kept.name not in ("Z", "Z_cat", "Y") or A is None or "A" in progress.nodes:
        return False
    trial = replace(progress, nodes={**progress.nodes, "A": A.values}, said=[])
    try:
        return _compared(trial, kept, kept.node, roughly=True).agrees
    except Missing:
        return False


def _misshapen(progress: Progress, kept: Kept) -> Stage | None:
    """A stage that only a mistake can compute, since a W has too few rows or columns for it."""
    widths = {"W_Q": "Q", "W_K": "K", "W_V": "V"}
    nodes, setting = progress.nodes, progress.setting
    small = [
        W
        for W in widths
        if W in nodes and setting.h > 1 and nodes[W].shape[1] in (setting.d_k, setting.d_v)
    ]
    if not small or not progress.explain:
        return None
    target = replace(_target(progress, kept, _places(progress, kept)[0]), unit=UNIT[kept.precision])
    search = Search(target)
    fits = best_first(search.singles() or search.pairs(), target.base)
    if not fits:
        return None
    _carry(progress, fits[0])
    if kept.name == "S":
        _use(progress, kept, _place_of_S(progress, kept, fits[0].node))
    shown = _Compared(target, ("X", *small), SHAPES_DIFFER, target.base, target.base)
    return _different(kept, shown, fits, [])


def _stage(progress: Progress, name: str) -> Stage:
    kept = progress.user.kept.get(name)
    if kept is None:
        return Stage(name, FORMULAS[name], (), None, Verdict.unchecked, None, None, needs=(name,))
    if _from_mean(progress, kept):
        progress.nodes["A"] = progress.user.kept["A"].values
    tried: list[_Compared] = []
    try:
        for node in _places(progress, kept):
            tried.append(_compared(progress, kept, node))
            if tried[-1].agrees:
                return _agreeing(progress, kept, tried[-1])
    except Missing:
        return _misshapen(progress, kept) or _uncomputable(progress, kept)
    return _differing(progress, kept, tried)


def _with_facts(progress: Progress, stage: Stage) -> Stage:
    """The stage with what is remarkable in the array itself."""
    if stage.shape is None or not progress.explain:
        return stage
    odd = not_finite(progress.user.kept[stage.name].values, masked=stage.name == "S")
    return replace(stage, facts=(*odd, *stage.facts)) if odd else stage


def _usable(user: User) -> dict[str, Array]:
    """The arrays that can be operands: not a mean over the heads."""
    h = user.setting.h
    return {
        node: values if values.size > _SMALL else values.astype(np.float64)
        for node, values in user.nodes.items()
        if not (node in ("S", "A") and len(values) == 1 < h)
    }


def examine(user: User, fixed: float | None, explain: bool = True) -> tuple[list[Stage], list[str]]:
    """(all stages in order, what was learnt on the way that the file does not say).

    Without `explain` what differs is not searched for mistakes.
    """
    progress = Progress(user, user.setting, _usable(user), fixed=fixed, explain=explain)
    stages = [_with_facts(progress, _stage(progress, name)) for name in FORMULAS]
    return stages, progress.said
