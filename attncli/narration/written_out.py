"""One number as a sum of products: the largest of them each by itself, the others as one number."""

from collections.abc import Callable

import numpy as np

from attncli.analysis.derive import sum_over
from attncli.analysis.rounding import Number, read, total
from attncli.analysis.written_out import WrittenOut, largest
from attncli.medium.numbers import notation
from attncli.narration.blocks import Block, Cell, Column, Equation, Equations, Math, Table
from attncli.narration.page import Page, texts


def written_out(
    page: Page,
    number: WrittenOut,
    count: int,
    *,
    name: str,
    factors: tuple[str, str],
    intro: str = "",
    bias: str = "",
    index: str = "t",
    label: Callable[[int], Cell] = lambda t: f"t = {t}",
) -> list[Block]:
    """The `count` largest products, the sum of the others, the bias, and the number itself.

    `name`, `factors` and `bias` are TeX; `index` counts the products, and `label` names one.
    """
    shown, others = largest(number.products, count)
    names, added = list(map(label, shown.tolist())), []
    if len(others):
        names.append(page.counted(len(others), "other_products"))
        added.append(float(sum_over(number.products, others)))
    if number.bias is not None:
        names.append(bias)
        added.append(number.bias)
    names.append(Math(rf"\text{{{page.say('sum')}}} = {name}"))

    both = np.vstack([number.left[shown], number.right[shown]])
    left, right = (texts(notation(both, page.digits), part) for part in both)
    values = np.array([*number.products[shown].tolist(), *added, number.value])
    *terms, result = texts(notation(values, page.digits), values)
    blank = [""] * (len(names) - len(left))
    products: list[Cell] = [
        page.checked(product, read(a) * read(b))
        for product, a, b in zip(terms, left, right, strict=False)
    ]
    products += [*map(Number, terms[len(left) :]), page.checked(result, total(terms))]
    table = Table(
        [Column("", names)],
        [
            Column(Math(factors[0]), [*map(Number, left), *blank]),
            Column(Math(factors[1]), [*map(Number, right), *blank], sign="×"),
            Column(Math(rf"{factors[0]}\ {factors[1]}"), products, sign="="),
        ],
    )
    formula = rf"{name} = \sum_{{{index}}} {factors[0]}\ {factors[1]}"
    if number.bias is not None:
        formula += f" + {bias}"
    return [Equations(intro, [Equation(formula)]), table]
