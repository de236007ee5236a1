"""The catalogue: every known way to get attention wrong, in the order of the computation.

A new mistake is one record in the file of its place; nothing else has to know of it.
"""

from attncli.check.mistakes.heads import HEADS
from attncli.check.mistakes.masks import MASKS
from attncli.check.mistakes.models import OF_MODELS
from attncli.check.mistakes.output import OUTPUT
from attncli.check.mistakes.projections import PROJECTIONS
from attncli.check.mistakes.record import Mistake, Variant
from attncli.check.mistakes.rotary import ROTARY
from attncli.check.mistakes.scale import SCALE
from attncli.check.mistakes.scores import SCORES
from attncli.check.mistakes.weights import WEIGHTS

MISTAKES: tuple[Mistake, ...] = (
    *(*PROJECTIONS, *HEADS, *ROTARY, *SCORES),
    *(*SCALE, *MASKS, *WEIGHTS, *OUTPUT),
)
EVERY: tuple[Mistake, ...] = (*MISTAKES, *OF_MODELS)  # those too that need a model to compare with

__all__ = ["EVERY", "MISTAKES", "Mistake", "Variant"]
