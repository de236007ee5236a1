"""The walk through one row's computation, step by step, at the reader's pace (`attncli step`).

`state.press` is all that a key does, `frame.frame` all that is to be seen; `terminal` alone knows
that there is a terminal.
"""
