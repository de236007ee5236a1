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
from attncli.check.interpretation import Interpretation, Kept
from attncli.check.nodes import FORMULAS, Missing, after
from attncli.check.report import Finding, Stage, Verdict
from attncli.check.state import (
    CheckState,
    Compared,
    compared,
    place_of_S,
    places,
    target_of,
    usable,
    use,
)
from attncli.check.target import difference_of


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


def _agreeing(state: CheckState, kept: Kept, found: Compared) -> Stage:
    if kept.name == "S":
        use(state, kept, found.target.node)
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


def _unchecked(
    name: str,
    operands: tuple[str, ...] = (),
    shape: tuple[int, ...] | None = None,
    facts: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
) -> Stage:
    return Stage(
        name,
        FORMULAS[name],
        operands,
        shape,
        Verdict.unchecked,
        None,
        None,
        facts=facts,
        needs=needs,
    )


def _uncomputable(state: CheckState, kept: Kept) -> Stage:
    """A stage whose operands are not in the file: what it shows by itself, if it is A."""
    chain = Chain(state.problem, {k: v for k, v in state.nodes.items() if k != kept.node})
    missing = needs(chain, kept.name)
    if kept.name == "S":
        use(state, kept, place_of_S(state, kept, None))
    verdict, said = Verdict.unchecked, list[str]()
    if kept.name == "A":
        verdict, said = alone(kept.values, kept.precision)
    stage = _unchecked(kept.name, shape=kept.values.shape, facts=tuple(said), needs=missing)
    return replace(stage, verdict=verdict)


def _spoilt(kept: Kept, found: Compared) -> Stage:
    """A stage of which nothing can be said: its operands have nan or inf everywhere."""
    names = " and ".join(found.spoilt)
    fact = f"not compared: {names} has nan or inf, and so has all that comes of it"
    return _unchecked(kept.name, found.operands, kept.values.shape, facts=(fact,))


def _search(tried: Sequence[Compared]) -> tuple[list[Fit], set[str]]:
    """(the mistakes that fit, best first; those that were not tried): pairs if no single one."""
    searches = [Search(each.target) for each in tried]
    fits = [fit for search in searches for fit in search.singles()]
    if not fits:
        fits = [fit for search in searches for fit in search.pairs()]
    skipped = {key for search in searches for key in search.skipped}
    return best_first(fits, tried[0].tolerance), skipped


def _carry(state: CheckState, fit: Fit) -> None:
    """What a finding says of the stages that follow."""
    for mistake, variant, constant in zip(fit.mistakes, fit.variants, fit.constants, strict=True):
        if mistake.lasting:
            for node, step in variant.wrong.items():
                if after(node, fit.node) or (node == "K" and fit.node == "Q"):
                    state.carried[node] = (step, constant)
        if mistake.key == "head_order":
            state.problem = replace(state.problem, head_order=constant)
            if fit.node in ("scaled", "S", "A") and "V" not in state.nodes:
                state.carried["V"] = (lambda c: c.right("V")[list(c.constant)], constant)


def _differing(state: CheckState, kept: Kept, tried: Sequence[Compared]) -> Stage:
    fits, skipped = _search(tried) if state.explain else ([], set())
    node = fits[0].node if fits else tried[0].target.node
    shown = next(each for each in tried if each.target.node == node)
    said: list[str] = []
    if state.explain and not fits:
        said = what_differs(shown.target, shown.gap, shown.tolerance)
        if skipped:
            said.append(f"too large here to be tried, or in pairs: {', '.join(sorted(skipped))}")
    if kept.name == "S":
        before_mask = bool(fits) and node == "scaled"  # then A has to show the mask
        place = node if before_mask else place_of_S(state, kept, node if fits else None)
        use(state, kept, place)
    if fits:
        _carry(state, fits[0])
    return _different(kept, shown, fits, said)


def _from_mean(state: CheckState, kept: Kept) -> bool:
    """Whether what follows A was computed from the mean (or sum) over the heads that is saved."""
    A = state.user.kept.get("A")
    if kept.name not in ("Z", "Z_cat", "Y") or A is None or "A" in state.nodes:
        return False
    trial = replace(state, nodes={**state.nodes, "A": A.values}, said=[])
    try:
        return compared(trial, kept, kept.node, roughly=True).agrees
    except Missing:
        return False


def _misshapen(state: CheckState, kept: Kept) -> Stage | None:
    """A stage that only a mistake can compute, since a W has too few rows or columns for it."""
    widths = {"W_Q": "Q", "W_K": "K", "W_V": "V"}
    nodes, problem = state.nodes, state.problem
    small = [
        W
        for W in widths
        if W in nodes and problem.h > 1 and nodes[W].shape[1] in (problem.d_k, problem.d_v)
    ]
    if not small or not state.explain:
        return None
    unit, base = UNIT[kept.precision], BASE[kept.precision]
    tried = [
        Compared(
            replace(target_of(state, kept, node), unit=unit),
            ("X", *small),
            SHAPES_DIFFER,
            base,
            base,
        )
        for node in places(state, kept)
    ]
    fits, _ = _search(tried)
    if not fits:
        rows, width = nodes[small[0]].shape[0], problem.d_model
        fact = f"{small[0]} has {rows} rows, where X has {width} columns: X W cannot be computed"
        return _different(kept, tried[0], [], [fact]) if rows != width else None
    _carry(state, fits[0])
    if kept.name == "S":
        use(state, kept, place_of_S(state, kept, fits[0].node))
    shown = next(each for each in tried if each.target.node == fits[0].node)
    return _different(kept, shown, fits, [])


def _unfit_bias(state: CheckState, kept: Kept) -> Stage | None:
    """A projection that cannot be computed, since its bias is not as wide as its W."""
    letter = "O" if kept.name == "Y" else kept.name
    W, b = (state.nodes.get(f"{kind}_{letter}") for kind in "Wb")
    if W is None or b is None or len(b) == W.shape[1]:
        return None
    target, base = target_of(state, kept, kept.node), BASE[kept.precision]
    shown = Compared(target, (f"W_{letter}", f"b_{letter}"), SHAPES_DIFFER, base, base)
    numbers = "1 number" if len(b) == 1 else f"{len(b)} numbers"
    fact = f"b_{letter} has {numbers}, where W_{letter} has {W.shape[1]} columns: they do not fit"
    return _different(kept, shown, [], [fact])


def _stage(state: CheckState, name: str) -> Stage:
    kept = state.user.kept.get(name)
    if kept is None:
        return _unchecked(name, needs=(name,))
    if _from_mean(state, kept):
        state.nodes["A"] = state.user.kept["A"].values
    tried: list[Compared] = []
    try:
        for node in places(state, kept):
            tried.append(compared(state, kept, node))
            if tried[-1].spoilt and not tried[-1].gap.count:
                return _spoilt(kept, tried[-1])
            if tried[-1].agrees:
                return _agreeing(state, kept, tried[-1])
    except Missing:
        return _misshapen(state, kept) or _unfit_bias(state, kept) or _uncomputable(state, kept)
    return _differing(state, kept, tried)


def _with_facts(state: CheckState, stage: Stage) -> Stage:
    """The stage with what is remarkable in the array itself."""
    if stage.shape is None or not state.explain:
        return stage
    odd = not_finite(state.user.kept[stage.name].values, masked=stage.name == "S")
    return replace(stage, facts=(*odd, *stage.facts)) if odd else stage


def examine(
    user: Interpretation, fixed: float | None, explain: bool = True
) -> tuple[list[Stage], list[str]]:
    """(all stages in order, what was learnt on the way that the file does not say).

    Without `explain` what differs is not searched for mistakes.
    """
    state = CheckState(user, user.problem, usable(user), fixed=fixed, explain=explain)
    stages = [_with_facts(state, _stage(state, name)) for name in FORMULAS]
    return stages, state.said
