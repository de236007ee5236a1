"""attncli: what attention computes, with its real numbers, in the terminal."""

__version__ = "0.1.0"
