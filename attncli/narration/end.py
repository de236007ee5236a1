"""What stands at the end of a derivation: how far rounding shows, and whether the row is right."""

import numpy as np

from attncli.narration.page import MARK, Page


def rounding_texts(page: Page, asked: int) -> list[str]:
    """By how much printed results differ from what their printed operands give, if they do.

    Before that, if there are fewer digits than were asked for, that there are.
    """
    digits, worst = page.digits, page.recheck.worst
    shown = page.counted(digits, "digits")
    lines = [page.say("fewer_digits", digits=shown, asked=asked)] if digits < asked else []
    if worst and not page.recheck.explained:
        lines.append(page.say("unexplained", mark=MARK, worst=worst))
    elif worst:
        says = page.say("rounded", mark=MARK, digits=shown, worst=worst)
        computed = page.d.x.dtype
        if digits > np.finfo(computed).precision:
            count = np.finfo(computed).precision + 1
            limit = page.say("dtype_digits", dtype=computed, count=count)
            says += page.say("semicolon") + limit
        lines.append(says)
    return lines


def agreement_text(page: Page) -> str:
    """Whether the row is that of the matrix path."""
    d = page.d
    if d.agrees:
        return page.say("agrees", token=d.token)
    return page.say("differs", token=d.token, difference=f"{d.largest_difference:.1e}")
