"""What norm and rotation make of a query or key, one number of it written out."""

from dataclasses import dataclass

import numpy as np

from attncli.analysis.path import Norm, Path
from attncli.analysis.rounding import read
from attncli.attention import Array
from attncli.medium.numbers import notation
from attncli.narration.page import Page, texts
from attncli.narration.steps import norm_of_heads


@dataclass(frozen=True)
class Example:
    """A sentence and the equations that it announces, TeX and a mark at the end of each."""

    intro: str
    equations: tuple[str, ...]


def norm_facts(page: Page, norming: Norm) -> str:
    """`normed (LayerNorm over ...): mean 0.0123, √(var + ε) = 1.2345, ε = 1e-06`."""
    mean, under = page.say("mean"), f"√({page.say('variance')} + ε)"
    facts = []
    if norming.mean is None:
        under = f"√({mean}(x²) + ε)"
    else:
        facts.append(f"{mean} {page.write(norming.mean)}")
    facts += [f"{under} = {page.write(norming.spread)}", f"ε = {norming.eps:g}"]
    return f"{norm_of_heads(page)}{page.say('colon')}{page.say('comma').join(facts)}"


def norm_example(page: Page, name: str, path: Path, norming: Norm) -> Example:
    """The largest number of the normed vector, made of the number that it was."""
    before = path.clipped
    at = int(np.abs(norming.result).argmax())
    x, w, result = (
        _printed(page, vector, at) for vector in (before, norming.weight, norming.result)
    )
    spread, recomputed, formula = page.write(norming.spread), read(x), x
    if norming.mean is not None:
        mean = page.write(norming.mean)
        recomputed, formula = recomputed - read(mean), rf"({x} - {_bracketed(mean)})"
    recomputed = recomputed / read(spread) * read(w)
    formula += rf" / {spread} \times {_bracketed(w)}"
    if norming.bias is not None:
        b = _printed(page, norming.bias, at)
        recomputed, formula = recomputed + read(b), f"{formula} + {_bracketed(b)}"
    equation = f"{name}[{at}] = {formula} = {page.checked(result, recomputed).rstrip()}"
    return Example(page.say("largest_component"), (equation,))


def turn_example(page: Page, name: str, path: Path) -> Example:
    """The first pair of numbers that are turned together, before and after."""
    turning = path.turning
    if turning is None:
        return Example("", ())
    at_a, at_b = int(turning.first[0]), int(turning.second[0])
    a, b = (_printed(page, path.unrotated, at) for at in (at_a, at_b))
    new_a, new_b = (_printed(page, turning.result, at) for at in (at_a, at_b))
    circle = notation(np.hstack([turning.cos[:1], turning.sin[:1]]), page.digits)
    cos, sin = texts(circle, turning.cos[:1])[0], texts(circle, turning.sin[:1])[0]
    first = read(a) * read(cos) - read(b) * read(sin)
    second = read(b) * read(cos) + read(a) * read(sin)
    angle = page.write(float(turning.angles[0]))
    if turning.factor == 1:
        intro = page.say("pair", a=at_a, b=at_b, angle=angle)
    else:
        factor = page.write(turning.factor)
        intro = page.say("pair_stretched", a=at_a, b=at_b, angle=angle, factor=factor)

    def equation(at: int, x: str, sign: str, y: str, result: str) -> str:
        cos_x = rf"{x} \times {_bracketed(cos)}"
        sin_y = rf"{_bracketed(y)} \times {_bracketed(sin)}"
        return f"{name}[{at}] = {cos_x} {sign} {sin_y} = {result.rstrip()}"

    return Example(
        intro,
        (
            equation(at_a, a, "-", b, page.checked(new_a, first)),
            equation(at_b, b, "+", a, page.checked(new_b, second)),
        ),
    )


def _printed(page: Page, vector: Array, at: int) -> str:
    """One number of a vector, written as all of them are."""
    return notation(vector, page.digits).write(float(vector[at]))


def _bracketed(number: str) -> str:
    """A negative number behind a sign of an operation."""
    return f"({number})" if number.startswith("-") else number
