"""Which mistakes reproduce an array that differs: single ones, then pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from attncli.attention import Array, Flags
from attncli.check.chain import MASKED, WHOLE, Chain, Missing, Part, Setting, Wrong, after
from attncli.check.compare import SHAPES_DIFFER, Gap, gap, joined
from attncli.check.mistakes import MISTAKES, Mistake, Variant
from attncli.check.report import Finding

_LARGE = 2_000_000  # entries of S from which a problem is worked through in parts
_LARGEST = 30_000_000  # from which a mistake that needs all heads and rows at once is not tried
_FEW = 8  # rows that a candidate has to get right before all are computed
_MATRICES = {"dots", "scaled", "S", "weights", "A", "Z"}  # nodes that take n x m numbers or work
_SAME = 30.0  # differences within this factor are equally good
_BETTER = 3.0  # how much closer than the right result a mistake has to come
_LEAST_COMPARED = 0.4  # of what was compared before: a mistake that masks all would fit anything

TRIED = sum(len(mistake.variants) for mistake in MISTAKES)


@dataclass(frozen=True)
class Target:
    """An array of the user's that is to be explained, as a node of the chain."""

    node: str
    values: Array  # as stored; cast part by part
    setting: Setting
    given: Mapping[str, Array]
    carried: Wrong  # what an earlier stage has shown to be different for good
    base: float  # the relative tolerance of its type
    unit: float  # the relative rounding error of what it is computed from
    fixed: float | None = None  # a tolerance that the user has set


@dataclass(frozen=True)
class Fit:
    """Mistakes that reproduce a target, with the constant that was read off."""

    mistakes: tuple[Mistake, ...]
    variants: tuple[Variant, ...]
    constants: tuple[Any, ...]
    gap: Gap
    before: Gap
    node: str


def chain_of(
    target: Target, wrong: Wrong, part: Part = WHOLE, base: Chain | None = None, jitter: float = 0
) -> Chain:
    """The chain that leads to a target, with some nodes replaced."""
    chain = Chain(
        target.setting,
        target.given,
        wrong={**target.carried, **wrong},
        part=part,
        base=base,
        target_node=target.node,
        jitter=jitter,
    )
    chain.target = chain.cut(target.node, target.values).astype(np.float64)
    return chain


def free_rows(chain: Chain, node: str) -> Flags | None:
    """Rows whose numbers mean nothing: padding that looks, and queries without a permitted key."""
    if node not in ("S", "scaled", "A", "Z", "Z_cat", "Y"):
        return None
    hidden: Any = chain["hidden"]
    free = hidden.all(-1)  # (h or 1, rows)
    padding = chain.setting.padding
    if padding is not None and chain.setting.n == chain.setting.m:
        free = free | padding[chain.row_numbers()]
    if "S" in chain.given and node != "S":
        masked = (chain["S"] <= MASKED).all(-1)
        free = free | masked if masked.shape[-1] == free.shape[-1] else free
    if node in ("Z_cat", "Y"):
        return free.any(0)[:, None]  # type: ignore[no-any-return]
    return free[..., None]  # type: ignore[no-any-return]


def compare(chain: Chain, node: str) -> Gap:
    """The gap between the user's array and what a chain makes of the node. Raises Missing.

    What a mistake makes undefined, the softmax of nothing but -inf, may be anything.
    """
    assert chain.target is not None
    ours = chain[node]
    free = free_rows(chain, node)
    if free is not None and (ours.ndim != free.ndim or ours.shape[-2] != free.shape[-2]):
        free = None
    if chain.target.ndim == 3 and free is not None and len(chain.target) < len(free):
        free = free.any(0, keepdims=True)
    return gap(chain.target, ours, free, undefined=bool(chain.wrong))


def is_large(target: Target, computed: frozenset[str]) -> bool:
    """Whether the matrices of all heads are too large to be held."""
    setting = target.setting
    return bool(computed & _MATRICES) and setting.h * setting.n * setting.m > _LARGE


def blocks(setting: Setting, large: bool, by_head: bool) -> Iterator[tuple[Part, int, int]]:
    """(part, its first head, its first row) for all parts of a problem."""
    if not large:
        yield WHOLE, 0, 0
    elif by_head:
        for head in range(setting.h):
            yield Part(heads=(head,)), head, 0
    else:
        step = max(1, _LARGE // 2 // (setting.h * setting.m))
        for start in range(0, setting.n, step):
            yield Part(rows=tuple(range(start, min(start + step, setting.n)))), 0, start


def screen(setting: Setting) -> Part:
    rows = np.unique(np.linspace(0, setting.n - 1, _FEW).astype(int))
    large = setting.h * setting.n * setting.m > _LARGE
    return Part(rows=tuple(int(i) for i in rows)) if large else WHOLE


def right_gap(target: Target) -> tuple[Gap, frozenset[str]]:
    """(how far the user's array is from the right one, what was computed). Raises Missing."""
    probe = chain_of(target, {}, screen(target.setting))
    probe[target.node]
    computed = probe.computed(target.node)
    return whole_gap(target, {}, is_large(target, computed), by_head=False), computed


def whole_gap(target: Target, wrong: Wrong, large: bool, by_head: bool) -> Gap:
    """The gap over all parts."""
    gaps = []
    for part, head, row in blocks(target.setting, large, by_head):
        chain = chain_of(target, wrong, part)
        found = compare(chain, target.node)
        start = (head, row, 0) if chain.target is not None and chain.target.ndim == 3 else (row, 0)
        gaps.append((found, start))
    return joined(gaps)


def tolerance_of(target: Target, wrong: Wrong, part: Part, found: Gap) -> float:
    """How far rounding can move a result: that of its own type, and what its operands' moves.

    The second is measured: every operand and every intermediate result is moved by a random
    rounding error of its type.
    """
    if target.fixed is not None:
        return target.fixed * max(1.0, found.scale)
    still = chain_of(target, wrong, part)
    moved = chain_of(target, wrong, part, jitter=target.unit)
    with np.errstate(invalid="ignore"):
        distance = np.abs(moved[target.node] - still[target.node])
    finite = distance[np.isfinite(distance)]
    return target.base * found.scale + 4 * float(finite.max(initial=0))


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
    """The free constants of the mistakes, each read off beside the others; None if there is none."""
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


class Search:
    """The candidates for one target, tried on a part of it and confirmed on the whole."""

    def __init__(self, target: Target) -> None:
        self.target = target
        setting = target.setting
        self.skipped: set[str] = set()
        self._screen = screen(setting)
        self._bases: dict[Part, Chain] = {}
        self._before: dict[Part, Gap] = {}
        base = self._base(self._screen)
        self.computable = target.node in base._values
        self.computed = base.computed(target.node)
        self.large = is_large(target, self.computed or frozenset(_MATRICES))
        if not self.large:
            self._screen = WHOLE

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
        setting = self.target.setting
        if not self.large or not case.by_head:
            return self._screen
        if not case.mixes_heads and setting.g == setting.h:
            return Part(heads=(0,))
        return WHOLE if setting.h * setting.n * setting.m <= _LARGEST else None

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
            self.skipped |= {mistake.key for mistake in case.mistakes}
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
        found = compare(chain, target.node)
        used = chain.computed(target.node)
        if any(
            not (node in used or (mistake.lasting and after(node, target.node)))
            for mistake, variant in zip(case.mistakes, case.variants, strict=True)
            for node in variant.wrong
        ):
            return None
        before = self._before[part]
        if not self._convincing(found, before, wrong, part, chain):
            return None
        if self.large and part != WHOLE:
            found = self._confirm(case, constants)
            if not found.within(tolerance_of(target, wrong, part, found)):
                return None
        return Fit(case.mistakes, case.variants, tuple(constants), found, before, target.node)

    def _convincing(self, found: Gap, before: Gap, wrong: Wrong, part: Part, chain: Chain) -> bool:
        assert chain.target is not None
        if (
            found.mismatched
            or found.count / found.size < _LEAST_COMPARED * before.count / before.size
        ):
            return False
        if not before.mismatched and found.largest * _BETTER > before.largest:
            return False
        return found.within(tolerance_of(self.target, wrong, part, found))

    def _confirm(self, case: _Case, constants: Sequence[Any]) -> Gap:
        gaps = []
        for part, head, row in blocks(self.target.setting, True, case.by_head):
            own = constants
            if any(isinstance(constant, np.ndarray) for constant in constants):
                own = _constants(self.target, case, part, None) or constants
            chain = chain_of(self.target, _wrong(case, own), part)
            three = chain.target is not None and chain.target.ndim == 3
            gaps.append((compare(chain, self.target.node), (head, row, 0) if three else (row, 0)))
        return joined(gaps)

    def _cases(self) -> list[_Case]:
        cases = (_Case((m,), (v,)) for m in MISTAKES for v in m.variants)
        return [case for case in cases if self._may_apply(case)]

    def singles(self) -> list[Fit]:
        """The single mistakes that fit."""
        return [fit for case in self._cases() if (fit := self.attempt(case))]

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
    if any(not _general(fit) for fit in good):
        good = [fit for fit in good if not _general(fit)]
    good.sort(key=lambda fit: (not _harmless(fit), _place(fit)))
    once: dict[tuple[str, ...], Fit] = {}
    for fit in good:
        once.setdefault(tuple(m.key for m in fit.mistakes), fit)
    return list(once.values())


def _general(fit: Fit) -> bool:
    return any(mistake.general for mistake in fit.mistakes)


def _harmless(fit: Fit) -> bool:
    return all(mistake.harmless for mistake in fit.mistakes)


def _place(fit: Fit) -> int:
    return sum(MISTAKES.index(mistake) for mistake in fit.mistakes)


def finding(target: Target, fit: Fit) -> Finding:
    """A fit in words."""
    mistakes, which = fit.mistakes, [variant.which for variant in fit.variants]

    def each(texts: Sequence[str]) -> str:
        filled = [t.replace("{which}", w) for t, w in zip(texts, which, strict=True)]
        return "; and ".join(dict.fromkeys(text for text in filled if text))

    return Finding(
        keys=tuple(mistake.key for mistake in mistakes),
        numbers=tuple(mistake.number for mistake in mistakes),
        title=each([mistake.title for mistake in mistakes]),
        explanation=" ".join(mistake.explanation for mistake in mistakes),
        right_code="\n".join(dict.fromkeys(mistake.right_code for mistake in mistakes)),
        evidence=_evidence(target, fit),
        before=fit.before.difference,
        after=fit.gap.difference,
        harmless=_harmless(fit),
    )


def _evidence(target: Target, fit: Fit) -> str:
    texts = []
    large = target.setting.h * target.setting.n * target.setting.m > _LARGE
    for mistake, constant in zip(fit.mistakes, fit.constants, strict=True):
        if mistake.evidence is None or len(fit.mistakes) > 1:
            continue
        part = screen(target.setting) if large else WHOLE
        if large and mistake.mixes_rows:
            part = Part(heads=(0,))
        chain = chain_of(target, {}, part)
        assert chain.target is not None
        try:
            with np.errstate(all="ignore"):
                texts.append(mistake.evidence(chain, chain.target, constant))
        except Missing:
            continue
    before, now = fit.before.largest, fit.gap.largest
    letter = target.node.removesuffix("_flat") if target.node != "scaled" else "S"
    texts.append(
        f"with this mistake the largest difference of {letter} is {now:.1e} instead of {before:.1e}"
        if np.isfinite(before)
        else f"with this mistake {letter} has your shape, and the largest difference is {now:.1e}"
    )
    return "; ".join(text for text in texts if text)
