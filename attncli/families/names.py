"""Tensor names as data: helpers that spell out `.weight` and `.bias` for a record's stems."""

from collections.abc import Mapping

Names = dict[str, str]


def linears(stems: Mapping[str, str], prefix: str = "", *, bias: bool = True) -> Names:
    """W_Q: "attention.query" -> W_Q: ....weight and, with `bias`, b_Q: ....bias."""
    names = {role: f"{prefix}{stem}.weight" for role, stem in stems.items()}
    if bias:
        names |= {role.replace("W_", "b_"): f"{prefix}{stem}.bias" for role, stem in stems.items()}
    return names


def norms(stems: Mapping[str, str], prefix: str = "", *, bias: bool = True) -> Names:
    """final: "ln_f" -> final_norm.weight: ln_f.weight and, with `bias`, final_norm.bias."""
    parts = (".weight", ".bias") if bias else (".weight",)
    return {
        f"{role}_norm{part}": f"{prefix}{stem}{part}"
        for role, stem in stems.items()
        for part in parts
    }


def tables(stems: Mapping[str, str], prefix: str = "") -> Names:
    """E: "wte" -> E: wte.weight."""
    return {role: f"{prefix}{stem}.weight" for role, stem in stems.items()}
