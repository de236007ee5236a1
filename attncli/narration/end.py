"""The end of a derivation: how far rounding shows, and whether the row is right."""

import numpy as np

from attncli.narration.blocks import MARK, Marks, Paragraph
from attncli.narration.page import Page


def rounding_notes(page: Page, marks: Marks, asked: int) -> list[Paragraph]:
    """By how much printed results differ from what their printed operands give, if they do.

    Before that, if there are fewer digits than were asked for, that there are.
    """
    digits = page.digits
    shown = page.counted(digits, "digits")
    notes = []
    if digits < asked:
        notes.append(Paragraph(page.say("fewer_digits", digits=shown, asked=asked)))
    if marks.worst and not marks.explained:
        says = page.say("unexplained", mark=MARK, worst=marks.worst)
        notes.append(Paragraph(says, verdict=False))
    elif marks.worst:
        says = page.say("rounded", mark=MARK, digits=shown, worst=marks.worst)
        computed = page.d.x.dtype
        if digits > np.finfo(computed).precision:
            count = np.finfo(computed).precision + 1
            limit = page.say("dtype_digits", dtype=computed, count=count)
            says += page.say("semicolon") + limit
        notes.append(Paragraph(says))
    return notes


def agreement(page: Page) -> Paragraph:
    """Whether the row is that of the matrix path."""
    d = page.d
    if d.agrees:
        return Paragraph(page.say("agrees", token=d.token), verdict=True)
    difference = f"{d.largest_difference:.1e}"
    return Paragraph(page.say("differs", token=d.token, difference=difference), verdict=False)
