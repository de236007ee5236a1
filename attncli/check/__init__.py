"""`attncli check`: a person's own arrays against the right computation, and which mistake fits."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from attncli.check.arrays import Found, name_arrays
from attncli.check.choose import choose
from attncli.check.interpretation import Interpretation, interpretations
from attncli.check.reading import FileContents, StoredArray, read_files
from attncli.check.report import Report
from attncli.errors import AttncliError
from attncli.text.printable import quoted

__all__ = ["check_arrays", "check_files"]


def check_files(
    paths: Sequence[Path],
    *,
    mapping: Mapping[str, str] | None = None,
    heads: int | None = None,
    causal: bool | None = None,
    scale: float | None = None,
    tol: float | None = None,
) -> Report:
    """Compare the arrays of one or several files, or folders of .npy, with the right computation.

    `mapping` is {the article's name: the stored one}. What the files do not say: `heads`, whether
    attention is `causal`, the `scale` if it is not 1/sqrt(d_k). `tol` is the largest difference,
    relative to max(1, the largest number), that is taken for rounding.

    Of a batch the report is on the first element that differs, or on the first if all agree.
    Raises AttncliError for what cannot be read or fits no layout, UsageError for a wrong mapping.
    """
    contents = read_files([Path(path) for path in paths])
    source = ", ".join(str(path) for path in paths)
    return _check(contents, mapping or {}, heads, causal, scale, tol, source)


def check_arrays(
    arrays: Mapping[str, npt.ArrayLike],
    *,
    heads: int | None = None,
    causal: bool | None = None,
    scale: float | None = None,
    tol: float | None = None,
    source: str = "arrays",
) -> Report:
    """As `check_files`, of arrays in memory, under any names that are understood there."""
    raw = {name: _raw(name, values) for name, values in arrays.items()}
    return _check(FileContents(raw), {}, heads, causal, scale, tol, source)


def _raw(name: str, values: npt.ArrayLike) -> StoredArray:
    """Whatever numpy can make an array of. AttncliError for what it cannot, and for masked arrays.

    numpy.asarray would show what is hidden in a masked array, and -inf or 0 may be meant by it.
    """
    if not isinstance(name, str):
        raise AttncliError(
            "{name!r} is no name of an array: names are texts, such as 'S'", name=name
        )
    if isinstance(values, np.ma.MaskedArray):
        raise AttncliError(
            "{name} is a masked array: fill it first, as S by S.filled(-np.inf)", name=quoted(name)
        )
    try:
        array = np.asarray(values)
    except Exception as error:  # of the library that the values are from, such as torch
        raise AttncliError(
            "{name} is no array: {reason}", name=quoted(name), reason=quoted(error)
        ) from None
    return StoredArray(array, array.dtype.name)


@np.errstate(all="ignore")  # what is nan or infinite is said in the report
def _check(
    contents: FileContents,
    mapping: Mapping[str, str],
    heads: int | None,
    causal: bool | None,
    scale: float | None,
    tol: float | None,
    source: str,
) -> Report:
    found = name_arrays(contents, mapping)

    def readings(element: int) -> list[Interpretation]:
        return interpretations(
            found,
            heads=heads,
            causal=contents.causal if causal is None else causal,
            scale=contents.scale if scale is None else scale,
            softcap=contents.softcap,
            element=element,
        )

    first = readings(0)
    report = report_on(first, found, tol, source)
    batch = min(user.sizes.get("b", 1) for user in first)
    others = (report_on(readings(element), found, tol, source) for element in range(1, batch))
    return report if not report.right else next((r for r in others if not r.right), report)


def report_on(
    users: Sequence[Interpretation], found: Found, tol: float | None, source: str
) -> Report:
    """What there is to say of the reading that the numbers choose."""
    result = choose(users, tol)
    user, sizes = result.user, result.user.sizes
    return Report(
        source=source,
        arrays=user.stored,
        unused=found.unused,
        n=sizes.get("n"),
        m=sizes.get("m"),
        n_heads=sizes.get("h"),
        d_model=sizes.get("d", sizes.get("o")),
        d_k=sizes.get("k"),
        assumptions=(*user.said, *result.said),
        stages=result.stages,
    )
