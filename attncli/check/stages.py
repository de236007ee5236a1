"""The stages in order: each is compared with what the user's own earlier arrays give."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from attncli.attention import Array
from attncli.check import facts
from attncli.check.alone import alone
from attncli.check.chain import MASKED, WHOLE, Chain, Missing, Part, Setting, after
from attncli.check.compare import BASE, UNIT, Gap
from attncli.check.diagnose import (
    Fit,
    Search,
    Target,
    best_first,
    chain_of,
    compare,
    finding,
    screen,
    tolerance_of,
    whole_gap,
)
from attncli.check.report import Finding, Stage, Verdict
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
    carried: dict[str, tuple[object, object]] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    fixed: float | None = None


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
        carried=progress.carried,  # type: ignore[arg-type]
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


def _needs(progress: Progress, kept: Kept | None, node: str) -> tuple[str, ...]:
    """What has to be saved so that a stage can be computed."""
    nodes = dict(progress.nodes)
    missing: list[str] = []
    setting = progress.setting
    for _ in range(12):
        given = {k: v for k, v in nodes.items() if kept is None or k != kept.node}
        try:
            Chain(setting, given, part=Part(rows=(0,)))[node]
        except Missing as error:
            name = str(error)
            if name in missing:
                break
            missing.append(name)
            break
    return tuple(missing)


def _is_square(progress: Progress, kept: Kept) -> bool:
    """Whether a matrix is of tokens and tokens, not of heads and heads."""
    return kept.values.shape[1:] == (progress.setting.n, progress.setting.m)


def _places_of_S(progress: Progress, kept: Kept) -> list[str]:
    """Where in the computation the user may have saved S: after the mask, before it."""
    masked = progress.setting.hidden is not None and _is_square(progress, kept)
    return ["S", "scaled"] if masked else ["S"]


def _has_masked(values: Array) -> bool:
    return any(bool((head <= MASKED).any()) for head in values)


def _reproduces_A(progress: Progress, kept: Kept, node: str) -> bool:
    """Whether the user's A follows from S if S is taken for this node."""
    A = progress.user.kept.get("A")
    if A is None:
        return False
    nodes = {**{k: v for k, v in progress.nodes.items() if k != "S"}, node: kept.values}
    trial = Progress(progress.user, progress.setting, nodes, fixed=progress.fixed)
    try:
        return _compared(trial, A, "A", roughly=True).agrees
    except Missing:
        return False


def _likely_node_of_S(progress: Progress, kept: Kept) -> str:
    return "S" if _has_masked(kept.values) else _places_of_S(progress, kept)[-1]


def _node_of_S(progress: Progress, kept: Kept, likely: str) -> str:
    """As which node S serves as an operand: as A says, or else as it looks."""
    for node in dict.fromkeys((likely, *_places_of_S(progress, kept))):
        if _reproduces_A(progress, kept, node):
            return node
    return likely


def _examine(progress: Progress, name: str) -> Stage:
    kept = progress.user.kept.get(name)
    formula = FORMULAS[name]
    if kept is None:
        return Stage(name, formula, (), None, Verdict.unchecked, None, None, needs=(name,))
    shape = kept.values.shape
    places = _places_of_S(progress, kept) if name == "S" else [kept.node]
    tried: list[_Compared] = []
    try:
        for node in places:
            tried.append(_compared(progress, kept, node))
            if tried[-1].agrees:
                break
        else:
            if name == "S" and _is_square(progress, kept) and _reproduces_A(progress, kept, "dots"):
                dots = _compared(progress, kept, "dots")
                tried += [dots] if dots.agrees else []
    except Missing as missing:
        if not tried:
            return _uncomputable(progress, kept, formula, str(missing))
    last = tried[-1]
    if last.agrees:
        return _agreeing(progress, kept, formula, last)
    return _differing(progress, kept, formula, tried)


def _use(progress: Progress, kept: Kept, node: str) -> None:
    """S as an operand of what follows, as the node it was saved at."""
    if kept.name != "S":
        return
    progress.nodes.pop("S", None)
    progress.nodes[node] = kept.values
    words = {
        "scaled": "S was saved before the mask",
        "dots": "S was saved before the scale and the mask: A shows both",
    }
    if node in words and (node == "dots" or progress.setting.hidden is not None):
        progress.said.append(words[node])


def _agreeing(progress: Progress, kept: Kept, formula: str, found: _Compared) -> Stage:
    _use(progress, kept, found.target.node)
    findings: tuple[Finding, ...] = ()
    if kept.dtype != "float64" and not found.gap.within(found.strict):
        findings = (_rounding(kept, found),)
    verdict = Verdict.odd if findings else Verdict.agrees
    return Stage(
        kept.name,
        formula,
        found.operands,
        kept.values.shape,
        verdict,
        found.gap.difference,
        found.tolerance,
        findings,
    )


def _rounding(kept: Kept, found: _Compared) -> Finding:
    return Finding(
        keys=("fp16_rounding",),
        numbers=("O-04",),
        title=f"{kept.name} was rounded to {kept.precision}",
        explanation="Its numbers have fewer digits than the type it is stored in; none is wrong.",
        right_code=f"np.savez(path, {kept.name}={kept.name})  # in float32",
        evidence=f"all numbers are numbers of {kept.precision}",
        before=found.gap.difference,
        after=found.gap.difference,
        harmless=True,
    )


def _uncomputable(progress: Progress, kept: Kept, formula: str, missing: str) -> Stage:
    """A stage whose operands are not in the file: what it shows by itself, if it is A."""
    if kept.name == "S":
        _use(progress, kept, _node_of_S(progress, kept, _likely_node_of_S(progress, kept)))
    verdict, said = Verdict.unchecked, ()
    if kept.name == "A":
        verdict, said = alone(kept.values, kept.precision)
    return Stage(
        kept.name,
        formula,
        (),
        kept.values.shape,
        verdict,
        None,
        None,
        facts=tuple(said),
        needs=tuple(missing.split(" and ")),
    )


def _differing(progress: Progress, kept: Kept, formula: str, tried: Sequence[_Compared]) -> Stage:
    searches = [(each, Search(each.target)) for each in tried]
    fits: list[Fit] = []
    for pairs in (False, True):
        for _, search in searches:
            fits += search.pairs() if pairs else search.singles()
        if fits:
            break
    fits = best_first(fits, tried[0].tolerance)
    shown = next((t for t in tried if fits and t.target.node == fits[0].node), tried[0])
    findings = tuple(finding(shown.target, fit) for fit in fits)
    harmless = bool(findings) and findings[0].harmless
    said: list[str] = []
    if not findings:
        said = _facts(shown, kept)
        skipped = sorted({key for _, search in searches for key in search.skipped})
        if skipped:
            said.append(f"not tried at this size: {', '.join(skipped)}")
    if kept.name == "S":
        likely = shown.target.node if fits else _likely_node_of_S(progress, kept)
        _use(progress, kept, _node_of_S(progress, kept, likely))
    if fits:
        _carry(progress, kept, fits[0])
    same_shape = np.isfinite(shown.gap.largest)
    return Stage(
        kept.name,
        formula,
        shown.operands,
        kept.values.shape,
        Verdict.odd if harmless else Verdict.differs,
        shown.gap.difference if same_shape else None,
        shown.tolerance,
        findings,
        _apart(progress, shown, findings),
        tuple(said),
    )


def _carry(progress: Progress, kept: Kept, fit: Fit) -> None:
    """What a finding says of the stages that follow."""
    for mistake, variant, constant in zip(fit.mistakes, fit.variants, fit.constants, strict=True):
        if mistake.lasting:
            for node, step in variant.wrong.items():
                if after(node, fit.node) or (node == "K" and fit.node == "Q"):
                    progress.carried[node] = (step, constant)
        if mistake.key == "head_order":
            progress.setting = replace(progress.setting, head_order=constant)


def _facts(found: _Compared, kept: Kept) -> list[str]:
    chain = chain_of(found.target, {}, screen(found.target))
    assert chain.target is not None
    user = chain.target
    said = facts.not_finite(kept.name, user, kept.name == "S")
    with np.errstate(all="ignore"):
        said += facts.of_difference(user, chain[found.target.node], found.gap, found.tolerance)
        if kept.name == "S":
            said += facts.of_scores(user)
        if kept.name == "A":
            said += facts.of_weights(user)
    return said


def _apart(progress: Progress, found: _Compared, findings: Sequence[Finding]) -> str:
    """What would tell several findings from each other."""
    if len(findings) < 2:
        return ""
    chain = chain_of(found.target, {}, Part(rows=(0,)))
    try:
        chain[found.target.node]
    except Missing:
        return "save more of the arrays in between"
    between = [
        name
        for name in ("Q", "K", "V", "S", "A", "Z", "Z_cat")
        if name in chain.computed(found.target.node) and name != found.target.node
    ]
    save = f"save {', '.join(between)} as well; or " if between else ""
    s = progress.setting
    return (
        f"{save}take an input of other sizes "
        f"(now n = {s.n}, h = {s.h}, d_k = {s.d_k}, d_model = {s.d_model})"
    )


def examine(user: User, fixed: float | None) -> tuple[list[Stage], list[str]]:
    """(all stages in order, what was learnt on the way that the file does not say)."""
    progress = Progress(user, user.setting, _usable(user), fixed=fixed)
    return [_examine(progress, name) for name in FORMULAS], progress.said


def _usable(user: User) -> dict[str, Array]:
    """The arrays that can be operands: not a mean over the heads."""
    h = user.setting.h
    return {
        node: values if values.size > _SMALL else values.astype(np.float64)
        for node, values in user.nodes.items()
        if not (node in ("S", "A") and len(values) == 1 < h)
    }
