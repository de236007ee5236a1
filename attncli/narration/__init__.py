"""A derivation as a document: one tree of sections, formulas, sentences and tables.

It is built from a `Row` (document.py). What prints it, a terminal (views/blocks.py) or a page of
Markdown or LaTeX (exports/), decides on the layout and on how much of a long vector it shows.
"""
