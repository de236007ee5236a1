"""Which mistakes reproduce an array that differs: single ones, then pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from attncli.attention import softmax
from attncli.check.chain import WHOLE, Chain, Part, Wrong
from attncli.check.compare import BASE, SHAPES_DIFFER, Gap, gap
from attncli.check.mistakes import EVERY, Mistake, Variant
from attncli.check.mistakes.hiding import masked_rows
from attncli.check.nodes import Missing, after
from attncli.check.target import Target, chain_of, compare, screen, tolerance_of, whole_gap

_LARGEST = 30_000_000  # from which a mistake that needs all heads and rows at once is not tried
_SAME = 30.0  # differences within this factor are equally good
_BETTER = 3.0  # how much closer than the right result a mistake has to come
_LEAST_COMPARED = 0.4  # of what was compared before: a mistake that masks all would fit anything


@dataclass(frozen=True)
class Fit:
    """Mistakes that reproduce a target, with the constant that was read off."""

    mistakes: tuple[Mistake, ...]
    variants: tuple[Variant, ...]
    constants: tuple[Any, ...]
    gap: Gap
    before: Gap
    node: str
    everywhere: bool  # also in the rows whose numbers mean nothing

    @property
    def harmless(self) -> bool:
        return all(mistake.harmless for mistake in self.mistakes)

    @property
    def general(self) -> bool:
        return any(mistake.general for mistake in self.mistakes)


@dataclass(frozen=True)
class _Case:
    """One variant, or two together, to be tried."""

    mistakes: tuple[Mistake, ...]
    variants: tuple[Variant, ...]

    @property
    def nodes(self) -> set[str]:
        return {node for variant in self.variants for node in variant.wrong}

    @property
    def by_head(self) -> bool:
        return any(mistake.mixes_rows for mistake in self.mistakes)

    @property
    def mixes_heads(self) -> bool:
        return any(mistake.mixes_heads for mistake in self.mistakes)


def _wrong(case: _Case, constants: Sequence[Any]) -> Wrong:
    return {
        node: (step, constant)
        for variant, constant in zip(case.variants, constants, strict=True)
        for node, step in variant.wrong.items()
    }


def _constants(target: Target, case: _Case, part: Part, base: Chain | None) -> list[Any] | None:
    """The free constants of the mistakes, each read off beside the others; None: there is none."""
    found: list[Any] = [None] * len(case.mistakes)
    for i, mistake in enumerate(case.mistakes):
        if mistake.fit is None:
            continue
        others = _Case(
            tuple(m for j, m in enumerate(case.mistakes) if j != i),
            tuple(v for j, v in enumerate(case.variants) if j != i),
        )
        chain = chain_of(target, _wrong(others, [None] * len(others.variants)), part, base)
        with np.errstate(all="ignore"):
            found[i] = mistake.fit(chain)
        if found[i] is None:
            return None
    return found


def _fits_free_rows(chain: Chain, found: Gap) -> bool:
    """Whether a mistake also explains the rows of A that mean nothing, such as those of padding.

    A row in which the mistake masks every key may be uniform, 0 or nan, or what it is without.
    """
    node, user = chain.target_node, chain.target
    assert user is not None
    ours = chain[node]
    hidden = chain["hidden"]
    if node == "A" and ours.shape == user.shape and ours.shape[1:] == hidden.shape[1:]:
        empty = np.broadcast_to(hidden.all(-1, keepdims=True), ours.shape)
        uniform = np.abs(user - 1 / ours.shape[-1]) < 1e-3
        plain = softmax(chain["biased"]) if empty.any() else ours
        fine = empty & (uniform | np.isnan(user) | (user == 0) | (np.abs(user - plain) < 1e-3))
        ours = np.where(fine, user, ours)
    return gap(user, ours, undefined=True).within(max(10 * found.largest, 1e-3 * found.scale))


class Search:
    """The candidates for one target, tried on a part of it and confirmed on the whole."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.skipped: set[str] = set()
        self._screen = screen(target)
        self._bases: dict[Part, Chain] = {}
        self._before: dict[Part, Gap] = {}
        base = self._base(self._screen)
        try:
            self._defined = not bool(np.isnan(base[target.node]).any())
            self.computable = True
        except Missing:
            self._defined, self.computable = True, False
        self.computed = base.computed(target.node)
        self.large = self._screen != WHOLE

    def _base(self, part: Part) -> Chain:
        if part not in self._bases:
            chain = chain_of(self.target, {}, part)
            try:
                self._before[part] = compare(chain, self.target.node)
            except Missing:
                self._before[part] = SHAPES_DIFFER
            self._bases[part] = chain
        return self._bases[part]

    def _part(self, case: _Case) -> Part | None:
        """What a case is tried on; None if it would take too much."""
        problem = self.target.problem
        if not self.large or not case.by_head:
            return self._screen
        if not case.mixes_heads and problem.g == problem.h:
            return Part(heads=(0,))
        return WHOLE if problem.h * problem.n * problem.m <= _LARGEST else None

    def _may_apply(self, case: _Case) -> bool:
        if not self.computable:
            return True
        late = {
            n
            for m, v in zip(case.mistakes, case.variants, strict=True)
            for n in v.wrong
            if m.lasting and after(n, self.target.node)
        }
        return case.nodes - late <= self.computed | {self.target.node}

    def attempt(self, case: _Case) -> Fit | None:
        """The fit of one case, if it reproduces the target."""
        if not self._may_apply(case):
            return None
        part = self._part(case)
        if part is None:
            self.skipped |= {m.key for m in case.mistakes if m.mixes_rows}
            return None
        try:
            return self._fit(case, part)
        except (Missing, ValueError, IndexError):  # two mistakes whose shapes do not go together
            return None

    def _fit(self, case: _Case, part: Part) -> Fit | None:
        target = self.target
        base = self._base(part)
        constants = _constants(target, case, part, base)
        if constants is None:
            return None
        wrong = _wrong(case, constants)
        chain = chain_of(target, wrong, part, base)
        chain[target.node]
        used = chain.evaluated()  # before anything else is asked of the chain
        found = compare(chain, target.node, self._defined)
        for mistake, variant in zip(case.mistakes, case.variants, strict=True):
            idle = variant.wrong.keys() - used
            late = mistake.lasting and all(after(node, target.node) for node in idle)
            if idle == variant.wrong.keys() or (idle and not late):
                return None
        before = self._before[part]
        if not self._convincing(found, before, chain):
            return None
        if self.large and part != WHOLE:
            found = self._confirm(case, constants)
            if not found.within(tolerance_of(target, chain, found)):
                return None
        everywhere = _fits_free_rows(chain, found)
        return Fit(
            case.mistakes, case.variants, tuple(constants), found, before, target.node, everywhere
        )

    def _convincing(self, found: Gap, before: Gap, chain: Chain) -> bool:
        before_share = before.count / before.size if before is not SHAPES_DIFFER else 0.25
        if found.mismatched or found.count / found.size < _LEAST_COMPARED * before_share:
            return False
        if not before.mismatched and found.largest * _BETTER > before.largest:
            return False
        # This far off is no fit: the tolerance, which takes a second chain, is not measured.
        rough = 100 * (self.target.fixed or BASE[self.target.precision]) * max(found.scale, 1)
        if found.largest > max(rough, 0.1 * found.scale):
            return False
        return found.within(tolerance_of(self.target, chain, found))

    def _confirm(self, case: _Case, constants: Sequence[Any]) -> Gap:
        def wrong_of(part: Part) -> Wrong:
            own = constants
            if any(isinstance(constant, np.ndarray) for constant in constants):
                own = _constants(self.target, case, part, None) or constants
            return _wrong(case, own)

        return whole_gap(self.target, wrong_of, case.by_head, self._defined)

    def _cases(self) -> list[_Case]:
        cases = (_Case((m,), (v,)) for m in EVERY for v in m.variants)
        return [case for case in cases if self._may_apply(case)]

    def singles(self) -> list[Fit]:
        """The single mistakes that fit; those that fit much are tried where no other does."""
        for general in (False, True):
            cases = [case for case in self._cases() if case.mistakes[0].general == general]
            if fits := [fit for case in cases if (fit := self.attempt(case))]:
                return fits
        return []

    def pairs(self) -> list[Fit]:
        """The pairs of mistakes that fit."""
        pairs = (
            _Case((*a.mistakes, *b.mistakes), (*a.variants, *b.variants))
            for a, b in combinations(self._cases(), 2)
            if a.mistakes[0].key != b.mistakes[0].key
            and not a.nodes & b.nodes
            and not (a.mistakes[0].fit and b.mistakes[0].fit)
        )
        return [fit for case in pairs if (fit := self.attempt(case))]


def best_first(fits: Sequence[Fit], tolerance: float) -> list[Fit]:
    """The fits that are equally good, each set of mistakes once: harmless ones first."""
    if not fits:
        return []
    least = min(fit.gap.largest for fit in fits)
    good = [fit for fit in fits if fit.gap.largest <= max(_SAME * least, tolerance / _SAME)]
    good = [fit for fit in good if not fit.general] or good
    order = {mistake.key: place for place, mistake in enumerate(EVERY)}

    def rank(fit: Fit) -> tuple[bool, bool, int]:
        return not fit.harmless, not fit.everywhere, sum(order[m.key] for m in fit.mistakes)

    good.sort(key=rank)
    once: dict[tuple[str, ...], Fit] = {}
    for fit in good:
        once.setdefault(tuple(m.key for m in fit.mistakes), fit)
    return list(once.values())


def uniform_fit(target: Target, found: Gap, tolerance: float) -> Fit | None:
    """That tokens which may look at nothing look at everything alike (M-10), if they do.

    Their rows are left out of `found`, since no weights at all, 0 or nan, would be right.
    """
    mistake = next(mistake for mistake in EVERY if mistake.key == "masked_row_uniform")
    variant, part = mistake.variants[0], screen(target)
    chain = chain_of(target, _wrong(_Case((mistake,), (variant,)), [None]), part)
    try:
        ours, user, rows = chain[target.node], chain.target, masked_rows(chain)
    except Missing:
        return None
    assert user is not None
    if "A" not in chain.computed(target.node) or not rows.any() or ours.shape != user.shape:
        return None
    left_out = ~rows[..., None] if ours.ndim == 3 else ~np.logical_and.reduce(rows)[:, None]
    there = gap(user, ours, np.broadcast_to(left_out, ours.shape))
    if not there.count or not there.within(tolerance) or chain.problem.m == 1:
        return None
    before = gap(user, chain_of(target, {}, part)[target.node])
    return Fit((mistake,), (variant,), (None,), found, before, target.node, True)
