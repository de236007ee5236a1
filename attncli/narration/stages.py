"""What clip, norm and rotation make of a query or key, with a number of it written out."""

import numpy as np

from attncli.analysis.path import Norm, Path, Rotation, length
from attncli.analysis.rounding import read
from attncli.attention import Array
from attncli.medium.numbers import notation
from attncli.narration.blocks import Block, Equation, Equations, Paragraph
from attncli.narration.formula import subscript
from attncli.narration.page import Page, texts


def stages_of(page: Page, name: str, path: Path) -> dict[str, list[Block]]:
    """The stages between projection and dot product by step; `name` is the vector's, in TeX."""
    made: dict[str, list[Block]] = {}
    if path.clipping is not None:
        says = page.say("clipped", clip=f"{path.clipping.limit:g}")
        made["clip"] = [Paragraph(says), page.vector(name, path.clipped)]
    if path.norming is not None:
        made["norm"] = [
            Paragraph(_norm_facts(page, path.norming)),
            page.vector(name, path.norming.result),
            _norm_example(page, name, path, path.norming),
        ]
    if path.turning is not None:
        lengths = {"before": length(path.unrotated), "after": length(path.end)}
        written = {when: page.write(value) for when, value in lengths.items()}
        key = "stretched_length" if path.stretched else "rotated_length"
        made["rotary"] = [
            Paragraph(page.say("rotated", position=path.turning.position)),
            page.vector(name, path.turning.result),
            _rotation_example(page, name, path, path.turning),
            Paragraph(page.say(key, **written)),
        ]
    return made


def key_stages(page: Page) -> list[Block]:
    """The stages of one key, that of the largest weight; nothing where there are none."""
    d, path = page.d, page.d.strongest
    if path.end is path.projected or d.row_max is None:
        return []
    key, name = f"k{subscript(d.key)}", page.key_name(d.key).text
    stages = stages_of(page, f"k_{{{d.key}}}", path)
    return [
        Paragraph(page.say("keys_likewise", key=key, name=name)),
        page.vector(f"k_{{{d.key}}}", path.projected),
        *(block for blocks in stages.values() for block in blocks),
    ]


def norm_of_heads(page: Page) -> str:
    """`RMSNorm over its own numbers`: the norm of q and k; empty without one."""
    norm = page.d.query.norming
    if norm is None:
        return ""
    key = "normalized_own" if norm.over == len(page.d.q) else "normalized_all"
    return page.say(key, norm="RMSNorm" if norm.mean is None else "LayerNorm")


def _norm_facts(page: Page, norm: Norm) -> str:
    """`normalized (LayerNorm over ...): mean 0.0123, √(var + ε) = 1.2345, ε = 1e-06`."""
    mean, under = page.say("mean"), f"√({page.say('variance')} + ε)"
    facts = []
    if norm.mean is None:
        under = f"√({mean}(x²) + ε)"
    else:
        facts.append(f"{mean} {page.write(norm.mean)}")
    facts += [f"{under} = {page.write(norm.spread)}", f"ε = {norm.eps:g}"]
    return f"{norm_of_heads(page)}{page.say('colon')}{page.say('comma').join(facts)}"


def _norm_example(page: Page, name: str, path: Path, norm: Norm) -> Equations:
    """The largest number of the normalized vector, from the number that it was."""
    at = int(np.abs(norm.result).argmax())
    x, w, result = (
        _printed(page, vector, at) for vector in (path.clipped, norm.weight, norm.result)
    )
    spread, recomputed, formula = page.write(norm.spread), read(x), x
    if norm.mean is not None:
        mean = page.write(norm.mean)
        recomputed, formula = recomputed - read(mean), rf"({x} - {_bracketed(mean)})"
    recomputed = recomputed / read(spread) * read(w)
    formula += rf" / {spread} \times {_bracketed(w)}"
    if norm.bias is not None:
        b = _printed(page, norm.bias, at)
        recomputed, formula = recomputed + read(b), f"{formula} + {_bracketed(b)}"
    equation = Equation(f"{name}[{at}] = {formula}", page.checked(result, recomputed))
    return Equations(page.say("largest_component"), [equation])


def _rotation_example(page: Page, name: str, path: Path, rotation: Rotation) -> Equations:
    """The first pair of numbers that are rotated together, before and after."""
    at_a, at_b = int(rotation.first[0]), int(rotation.second[0])
    a, b = (_printed(page, path.unrotated, at) for at in (at_a, at_b))
    new_a, new_b = (_printed(page, rotation.result, at) for at in (at_a, at_b))
    circle = np.hstack([rotation.cos[:1], rotation.sin[:1]])
    cos, sin = texts(notation(circle, page.digits), circle)
    angle = page.write(float(rotation.angles[0]))
    if rotation.factor == 1:
        intro = page.say("pair", a=at_a, b=at_b, angle=angle)
    else:
        factor = page.write(rotation.factor)
        intro = page.say("pair_stretched", a=at_a, b=at_b, angle=angle, factor=factor)
    first = read(a) * read(cos) - read(b) * read(sin)
    second = read(b) * read(cos) + read(a) * read(sin)

    def terms(x: str, sign: str, y: str) -> str:
        cos_x = rf"{x} \times {_bracketed(cos)}"
        return rf"{cos_x} {sign} {_bracketed(y)} \times {_bracketed(sin)}"

    return Equations(
        intro,
        [
            Equation(f"{name}[{at_a}] = {terms(a, '-', b)}", page.checked(new_a, first)),
            Equation(f"{name}[{at_b}] = {terms(b, '+', a)}", page.checked(new_b, second)),
        ],
    )


def _printed(page: Page, vector: Array, at: int) -> str:
    """One number of a vector, written as all of them are."""
    return notation(vector, page.digits).write(float(vector[at]))


def _bracketed(number: str) -> str:
    """A negative number after the sign of an operation."""
    return f"({number})" if number.startswith("-") else number
