"""Fits and differences in words."""

from collections.abc import Sequence

import numpy as np

from attncli.check import facts
from attncli.check.chain import WHOLE, Chain, Part
from attncli.check.compare import Gap, amount
from attncli.check.diagnose import Fit
from attncli.check.nodes import FORMULAS, SAVED_AS_S, Missing, letter_of, needed_for
from attncli.check.report import Difference, Finding
from attncli.check.target import Target, chain_of, difference_of, screen


def finding(target: Target, fit: Fit) -> Finding:
    """A fit in words."""
    before, after = (difference_of(target, gap) for gap in (fit.before, fit.gap))
    mistakes, which = fit.mistakes, [variant.which for variant in fit.variants]
    titles = [m.title.replace("{which}", w) for m, w in zip(mistakes, which, strict=True)]
    return Finding(
        keys=tuple(mistake.key for mistake in mistakes),
        numbers=tuple(mistake.number for mistake in mistakes),
        title="; and ".join(titles),
        explanation=" ".join(mistake.explanation for mistake in mistakes),
        right_code="\n".join(dict.fromkeys(mistake.right_code for mistake in mistakes)),
        evidence=_evidence(target, fit, _closer(fit, letter_of(target.node), before, after)),
        before=before,
        after=after,
        harmless=fit.harmless,
    )


def _evidence(target: Target, fit: Fit, closer: str) -> str:
    """What the numbers show of a single mistake, and how much closer the mistake comes."""
    texts = []
    mistake = fit.mistakes[0]
    if mistake.evidence is not None and len(fit.mistakes) == 1:
        part = screen(target)
        if part != WHOLE and mistake.mixes_rows:
            part = Part(heads=(0,))
        chain = chain_of(target, {}, part)
        assert chain.target is not None
        try:
            with np.errstate(all="ignore"):
                texts.append(mistake.evidence(chain, chain.target, fit.constants[0]))
        except Missing:
            pass  # the right array cannot be computed: nothing to set it against
    texts += [
        f"with {variant.which}"
        for m, variant in zip(fit.mistakes, fit.variants, strict=True)
        if variant.which and "{which}" not in m.title
    ]
    return "; ".join(text for text in (*texts, closer) if text)


def _closer(fit: Fit, letter: str, before: Difference, after: Difference) -> str:
    was, now = (amount(each.largest, each.rounding) for each in (before, after))
    if not np.isfinite(before.largest):
        return f"with it {letter} has your shape, and the largest difference is {now}"
    text = f"with it the largest difference of {letter} is {now}"
    if before.largest > after.largest and was != now:
        text = f"with it the largest difference of {letter} falls from {was} to {now}"
    if fit.before.mismatched:
        text += f", and none of the {fit.before.mismatched} entries is left "
        text += "that only one side has as a finite number"
    return text


def what_differs(target: Target, gap: Gap, tolerance: float) -> list[str]:
    """What an array shows that no known mistake reproduces."""
    part = screen(target)
    chain = chain_of(target, {}, part)
    assert chain.target is not None
    user = chain.target
    said = (
        []
        if part == WHOLE
        else [f"looked at here: the rows {', '.join(map(str, part.rows or ()))}"]
    )
    with np.errstate(all="ignore"):
        said += facts.of_difference(user, chain[target.node], gap, tolerance)
        if letter_of(target.node) == "S":
            said += facts.of_scores(user)
        if target.node == "A":
            said += facts.of_weights(user)
    return said


def apart(target: Target, findings: Sequence[Finding]) -> str:
    """What would tell several findings from each other."""
    if len(findings) < 2:
        return ""
    chain = chain_of(target, {}, Part(rows=(0,)))
    try:
        chain[target.node]
        made = chain.computed(target.node)
    except Missing:
        made = frozenset()
    saved = {"S"} if chain.given.keys() & SAVED_AS_S else set[str]()
    between = [n for n in FORMULAS if n in made and n != target.node and n not in saved]
    save = f"save {', '.join(between)} as well; or " if between else ""
    s = target.problem
    return (
        f"{save}take an input of other sizes "
        f"(now n = {s.n}, h = {s.h}, d_k = {s.d_k}, d_model = {s.d_model})"
    )


def needs(chain: Chain, name: str) -> tuple[str, ...]:
    """What has to be saved so that a stage can be checked."""
    missing = []
    for each in needed_for(name):
        try:
            chain[each]
        except Missing as error:
            missing.append(str(error) if each == "keys_from" else each)
    return tuple(missing)
