"""The matrices of the article that are shown and exported, in the order of the computation."""

MATRICES = ("X", "Q", "K", "V", "S", "A", "Z", "Y")
