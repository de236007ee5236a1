"""What X is: the embeddings, the output of a layer, or that of a norm."""

from attncli.families.spec import Spec
from attncli.language import Phrase

_NORMS = {"layer": "LayerNorm", "rms": "RMSNorm"}


def origin_of_X(spec: Spec, layer: int, *, cross: bool = False) -> Phrase:
    """What X is in this layer: the output of the norm before the attention, or what comes in."""
    norm = f"pre_{'cross' if cross else 'attention'}_norm.weight"
    if norm in spec.names and (norm, layer) not in spec.absent:
        return Phrase("origin.norm", {"norm": _NORMS[spec.norm]})
    if cross:
        return Phrase("origin.cross", {"layer": layer})
    if layer:
        return Phrase("origin.layer", {"layer": layer - 1})
    return Phrase("origin.embeddings")
