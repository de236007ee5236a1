"""The stages in order: each is compared with what the user's own earlier arrays give."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from attncli.check.alone import alone
from attncli.check.chain import Chain
from attncli.check.compare import BASE, SHAPES_DIFFER, UNIT
from attncli.check.diagnose import Fit, Search, best_first, uniform_fit
from attncli.check.explain import apart, finding, needs, what_differs
from attncli.check.facts import not_finite
from attncli.check.nodes import FORMULAS, Missing, after
from attncli.check.progress import (
    Compared,
    Progress,
    compared,
    place_of_S,
    places,
    target_of,
    usable,
    use,
)
from attncli.check.report import Finding, Stage, Verdict
from attncli.check.target import difference_of
from attncli.check.user import Kept, User


def _different(kept: Kept, shown: Compared, fits: Sequence[Fit], said: Sequence[str]) -> Stage:
    findings = tuple(finding(shown.target, fit) for fit in fits)
    of_one_shape = bool(np.isfinite(shown.gap.largest))
    return Stage(
        kept.name,
        FORMULAS[kept.name],
        shown.operands,
        kept.values.shape,
        Verdict.odd if findings and findings[0].harmless else Verdict.differs,
        difference_of(shown.target, shown.gap) if of_one_shape else None,
        shown.tolerance if of_one_shape else None,
        findings,
        apart(shown.target, findings),
        tuple(said),
    )


def _agreeing(progress: Progress, kept: Kept, found: Compared) -> Stage:
    if kept.name == "S":
        use(progress, kept, found.target.node)
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
        difference_of(found.target, found.gap),
        found.tolerance,
        (_rounding(kept, found),) if rounded else (),
    )


def _rounding(kept: Kept, found: Compared) -> Finding:
    return Finding(
        keys=("fp16_rounding",),
        numbers=("O-04",),
        title=f"{kept.name} was rounded to {kept.precision}",
        explanation="Its numbers have fewer digits than the type it is stored in; none is wrong.",
        right_code=f"np.savez(path, {kept.name}={kept.name})  # in float32",
        evidence=f"all its numbers are numbers of {kept.precision}",
        before=difference_of(found.target, found.gap),
        after=difference_of(found.target, found.gap),
        harmless=True,
    )


def _uncomputable(progress: Progress, kept: Kept) -> Stage:
    """A stage whose operands are not in the file: what it shows by itself, if it is A."""
    chain = Chain(progress.setting, {k: v for k, v in progress.nodes.items() if k != kept.node})
    missing = needs(chain, kept.name)
    if kept.name == "S":
        use(progress, kept, place_of_S(progress, kept, None))
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


def _spoilt(kept: Kept, found: Compared) -> Stage:
    """A stage of which nothing can be said: its operands have nan or inf everywhere."""
    names = " and ".join(found.spoilt)
    return Stage(
        kept.name,
        FORMULAS[kept.name],
        found.operands,
        kept.values.shape,
        Verdict.unchecked,
        None,
        None,
        facts=(f"not compared: {names} has nan or inf, and so has all that comes of it",),
    )


def _search(tried: Sequence[Compared]) -> tuple[list[Fit], set[str]]:
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


def _differing(progress: Progress, kept: Kept, tried: Sequence[Compared]) -> Stage:
    fits, skipped = _search(tried) if progress.explain else ([], set())
    node = fits[0].node if fits else tried[0].target.node
    shown = next(each for each in tried if each.target.node == node)
    said: list[str] = []
    if progress.explain and not fits:
        said = what_differs(shown.target, shown.gap, shown.tolerance)
        if skipped:
            said.append(f"too large here to be tried, or in pairs: {', '.join(sorted(skipped))}")
    if kept.name == "S":
        before_mask = bool(fits) and node == "scaled"  # then A has to show the mask
        place = node if before_mask else place_of_S(progress, kept, node if fits else None)
        use(progress, kept, place)
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
        return compared(trial, kept, kept.node, roughly=True).agrees
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
    unit, base = UNIT[kept.precision], BASE[kept.precision]
    tried = [
        Compared(
            replace(target_of(progress, kept, node), unit=unit),
            ("X", *small),
            SHAPES_DIFFER,
            base,
            base,
        )
        for node in places(progress, kept)
    ]
    fits, _ = _search(tried)
    if not fits:
        rows, width = nodes[small[0]].shape[0], setting.d_model
        fact = f"{small[0]} has {rows} rows, where X has {width} columns: X W cannot be computed"
        return _different(kept, tried[0], [], [fact]) if rows != width else None
    _carry(progress, fits[0])
    if kept.name == "S":
        use(progress, kept, place_of_S(progress, kept, fits[0].node))
    shown = next(each for each in tried if each.target.node == fits[0].node)
    return _different(kept, shown, fits, [])


def _unfit_bias(progress: Progress, kept: Kept) -> Stage | None:
    """A projection that cannot be computed, since its bias is not as wide as its W."""
    letter = "O" if kept.name == "Y" else kept.name
    W, b = (progress.nodes.get(f"{kind}_{letter}") for kind in "Wb")
    if W is None or b is None or len(b) == W.shape[1]:
        return None
    target, base = target_of(progress, kept, kept.node), BASE[kept.precision]
    shown = Compared(target, (f"W_{letter}", f"b_{letter}"), SHAPES_DIFFER, base, base)
    numbers = "1 number" if len(b) == 1 else f"{len(b)} numbers"
    fact = f"b_{letter} has {numbers}, where W_{letter} has {W.shape[1]} columns: they do not fit"
    return _different(kept, shown, [], [fact])


def _stage(progress: Progress, name: str) -> Stage:
    kept = progress.user.kept.get(name)
    if kept is None:
        return Stage(name, FORMULAS[name], (), None, Verdict.unchecked, None, None, needs=(name,))
    if _from_mean(progress, kept):
        progress.nodes["A"] = progress.user.kept["A"].values
    tried: list[Compared] = []
    try:
        for node in places(progress, kept):
            tried.append(compared(progress, kept, node))
            if tried[-1].spoilt and not tried[-1].gap.count:
                return _spoilt(kept, tried[-1])
            if tried[-1].agrees:
                return _agreeing(progress, kept, tried[-1])
    except Missing:
        return (
            _misshapen(progress, kept)
            or _unfit_bias(progress, kept)
            or _uncomputable(progress, kept)
        )
    return _differing(progress, kept, tried)


def _with_facts(progress: Progress, stage: Stage) -> Stage:
    """The stage with what is remarkable in the array itself."""
    if stage.shape is None or not progress.explain:
        return stage
    odd = not_finite(progress.user.kept[stage.name].values, masked=stage.name == "S")
    return replace(stage, facts=(*odd, *stage.facts)) if odd else stage


def examine(user: User, fixed: float | None, explain: bool = True) -> tuple[list[Stage], list[str]]:
    """(all stages in order, what was learnt on the way that the file does not say).

    Without `explain` what differs is not searched for mistakes.
    """
    progress = Progress(user, user.setting, usable(user), fixed=fixed, explain=explain)
    stages = [_with_facts(progress, _stage(progress, name)) for name in FORMULAS]
    return stages, progress.said
