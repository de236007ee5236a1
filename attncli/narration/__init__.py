"""A derivation in words and printed numbers, for any medium: a terminal, Markdown, LaTeX.

Here is decided what is said and which digits stand there, in views/ and exports/ how it is laid
out.
"""
