"""What happens to queries and keys between the projection and the dot product.

Some models clip or norm them, some turn them by their position (positions.py); each stage that a
model has gets its lines.
"""

import math

import numpy as np

from attncli.analysis.derive import length
from attncli.attention import Array
from attncli.views.captions import norm_name
from attncli.views.labels import name_of, subscript
from attncli.views.lines import Line, prose
from attncli.views.numbers import notation
from attncli.views.steps import INDENT, Page, vector

_SAME_LENGTH = 1e-5  # of the length: float32, and angles whose sine and cosine are rounded


def _limits(page: Page) -> str:
    """What the model does with the projected query before it is turned."""
    spec = page.spec
    if spec is None:
        return "normed or clipped"
    says = []
    if spec.clip_qkv is not None:
        says.append(f"clipped at -{spec.clip_qkv:g} and {spec.clip_qkv:g}")
    if spec.qk_norm != "none":
        what = "the numbers of all heads" if spec.qk_norm == "full" else "its own numbers"
        says.append(f"normed ({norm_name(spec)} over {what})")
    return ", ".join(says)


def _on_the_way(
    page: Page, name: str, position: int, stages: tuple[Array, Array, Array]
) -> list[Line]:
    projected, unrotated, turned = stages
    before, after = length(unrotated), length(turned)
    lines = []
    if unrotated is not projected:
        lines += prose(f"{_limits(page)}:", page.screen, indent=INDENT)
        lines += vector(page, name, unrotated, before)
    if turned is not unrotated:
        lines += prose(f"turned by position {position} (rotary):", page.screen, indent=INDENT)
        lines += vector(page, name, turned, after)
        style = notation(np.array([before, after]), page.digits)
        kept = math.isclose(before, after, rel_tol=_SAME_LENGTH)
        says = "a rotation keeps the length" if kept else "it is stretched as well"
        says += f": {style.write(before)} before, {style.write(after)} after"
        lines += prose(says, page.screen, indent=INDENT)
    return lines


def stages_of_the_query(page: Page) -> list[Line]:
    """The query after each thing that happens to it on its way to the dot product."""
    d = page.d
    return _on_the_way(page, f"q{page.i}", d.token, (d.q_projected, d.q_unrotated, d.q))


def stages_of_a_key(page: Page) -> list[Line]:
    """The same of one key, that of the largest weight; nothing where nothing happens to it."""
    d = page.d
    if d.k is d.k_projected or d.row_max is None:
        return []
    name = f"k{subscript(d.key)}"
    label = name_of(page.keys[d.key], page.screen)
    says = f"every key goes the same way; {name}, “{label}”, which gets the largest weight:"
    return [
        *prose(says, page.screen, indent=INDENT),
        *vector(page, name, d.k_projected, length(d.k_projected)),
        *_on_the_way(page, name, d.key, (d.k_projected, d.k_unrotated, d.k)),
    ]
