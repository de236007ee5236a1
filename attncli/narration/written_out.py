"""One number as a sum of products: the largest of them each by itself, the others as one number."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attncli.analysis.derive import sum_over
from attncli.analysis.rounding import read, total
from attncli.analysis.written_out import WrittenOut, largest
from attncli.medium.numbers import notation
from attncli.narration.page import Page, texts


@dataclass(frozen=True)
class Product:
    """`label  left × right = result`, as printed."""

    label: str
    left: str
    right: str
    result: str  # with its mark, or a blank


@dataclass(frozen=True)
class Sum:
    """The products, what else is added, and the number itself."""

    products: list[Product]
    others: list[tuple[str, str]]  # a label and a number: the other products, the bias
    result: str
    factor_cells: int  # of the longest factor
    result_cells: int  # of the longest result, without its mark


def printed_sum(
    page: Page, number: WrittenOut, count: int, label: Callable[[int], str], bias: str = ""
) -> Sum:
    """The `count` largest products; `label` names a term, `bias` what is added to them."""
    shown, others = largest(number.products, count)
    added = []
    if len(others):
        name = page.counted(len(others), "other_products")
        added.append((name, float(sum_over(number.products, others))))
    if number.bias is not None:
        added.append((bias, number.bias))

    left, right = number.left[shown], number.right[shown]
    products = number.products[shown]
    factor = notation(np.hstack([left, right]), page.digits)
    values = np.array([*products.tolist(), *(value for _, value in added), number.value])
    style = notation(values, page.digits)
    summands = texts(style, products)
    rows = [
        Product(label(t), l_t, r_t, page.checked(product, read(l_t) * read(r_t)))
        for t, l_t, r_t, product in zip(
            shown.tolist(), texts(factor, left), texts(factor, right), summands, strict=True
        )
    ]
    terms = [(name, style.write(value)) for name, value in added]
    result = page.checked(
        style.write(number.value), total([*summands, *(text for _, text in terms)])
    )
    return Sum(rows, terms, result, factor.width, style.width)
