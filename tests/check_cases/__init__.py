"""Files as people save them, right and wrong: what `attncli check` has to tell apart.

Independent of attncli: plain numpy, from the list of mistakes in docs/check.md.
"""
