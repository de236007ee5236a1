"""A derivation as a list of steps: the title, the formula, what goes in and comes out, and why.

Formulas are TeX (formula.py), for the row and the head at hand. Operands and results are named as
the fields of `Derivation`, the parts of a `Path` behind a dot.
"""

from dataclasses import dataclass

from attncli.analysis.derive import Derivation
from attncli.language import Phrase
from attncli.narration.origin import origin_of_X
from attncli.narration.page import Page
from attncli.narration.scores import scale_of


@dataclass(frozen=True)
class Step:
    """One step; `key` is its name in the catalogue (`step.KEY`)."""

    key: str
    title: str
    formula: str
    operands: tuple[str, ...]
    result: str
    why: str


def shapes(page: Page, key: str) -> str:
    """The shapes of a product of a vector and a matrix; empty for the other steps."""
    d = page.d
    rows, columns = {
        "query": (len(d.x), len(d.q)),
        "output": (len(d.z_cat), len(d.x) if d.y is None else len(d.y)),
    }.get(key, (0, 0))
    return rf"(1 \times {rows})\ ({rows} \times {columns}) \to (1 \times {columns})" if rows else ""


def query_formula(page: Page) -> str:
    """q_i = x_i W_Q + b_Q."""
    i = page.d.token
    return f"q_{{{i}}} = x_{{{i}}} W_Q" + (" + b_Q" if page.d.b_Q is not None else "")


def component_formula(page: Page, index: int) -> str:
    """One number of it."""
    i = page.d.token
    formula = rf"q_{{{i}}}[{index}] = \sum_{{t}} x_{{{i}}}[t]\ W_Q[t,{index}]"
    return formula + (f" + b_Q[{index}]" if page.d.b_Q is not None else "")


def norm_formula(page: Page) -> str:
    """The norm of q_i, with what the model has of it."""
    norming = page.d.query.norming
    q = f"q_{{{page.d.token}}}"
    if norming is None:
        return ""
    mean, variance = (rf"\text{{{page.say(word)}}}" for word in ("mean", "variance"))
    if norming.mean is None:
        formula = rf"{q} / \sqrt{{{mean}(q^2) + \varepsilon}} \times w"
    else:
        formula = rf"({q} - {mean}) / \sqrt{{{variance} + \varepsilon}} \times w"
    return formula + (" + b" if norming.bias is not None else "")


def score_formula(page: Page) -> str:
    """S_ij, with every term that the model has."""
    d, scale = page.d, scale_of(page)
    S = rf"q_{{{d.token}}} \cdot k_j {scale.tex}".rstrip()
    if d.softcap is not None:
        S = rf"{d.softcap:g} \tanh(({S}) / {d.softcap:g})"
    S += rf" + \text{{{page.say('bias')}}}" * (d.bias is not None)
    S += rf" + \text{{{page.say('mask')}}}" * (d.mask is not None)
    return rf"S_{{{d.token}j}} = {S}"


def weight_formula(page: Page) -> str:
    """a_ij as the quotient that is computed."""
    i, peak, total = page.d.token, page.say("max"), page.say("sum")
    return rf"a_{{{i}j}} = \exp(S_{{{i}j}} - \text{{{peak}}}) / \text{{{total}}}"


def sum_formula(page: Page) -> str:
    """z_i = sum_j a_ij v_j."""
    i = page.d.token
    return rf"z_{{{i}}} = \sum_{{j}} a_{{{i}j}} v_j"


def concat_formula(page: Page) -> str:
    """z_cat = Concat(z^(0), ..., z^(h-1))."""
    h = len(page.d.z_cat) // len(page.d.z)
    heads = [f"z^{{({r})}}" for r in range(h)]
    if h > 3:
        heads[1:-1] = [r"\ldots"]
    return rf"z_\text{{cat}} = \mathrm{{Concat}}({', '.join(heads)})"


def output_formula(page: Page) -> str:
    """y_i = z_cat W_O + b_O."""
    bias = " + b_O" if page.d.b_O is not None else ""
    return rf"y_{{{page.d.token}}} = z_\text{{cat}} W_O{bias}"


def origin(page: Page) -> Phrase | None:
    """What X is in this layer; None if the model is not known."""
    spec = page.row.spec
    return None if spec is None else origin_of_X(spec, page.d.layer, cross=page.cross)


def bias_reason(d: Derivation) -> Phrase | str:
    """Where the position bias comes from; empty where there is none."""
    return "" if d.bias_terms is None else Phrase(f"bias.{d.bias_terms.place_is}")


def reach(page: Page) -> int | None:
    """How far a token looks in this layer; None: as far as it likes."""
    spec = page.row.spec
    return spec.reach[page.d.layer] if spec and spec.reach else None


def norm_of_heads(page: Page) -> str:
    """`RMSNorm over its own numbers`: what q and k go through."""
    norming = page.d.query.norming
    if norming is None:
        return ""
    name = "RMSNorm" if norming.mean is None else "LayerNorm"
    key = "normed_own" if norming.over == len(page.d.q) else "normed_all"
    return page.say(key, norm=name)


def _clip(page: Page) -> str:
    clipping = page.d.query.clipping
    return "" if clipping is None else f"{clipping.limit:g}"


def _cap(page: Page) -> str:
    return "" if page.d.softcap is None else f"{page.d.softcap:g}"


def _why(page: Page, key: str) -> str:
    d = page.d
    if key == "scale" and (printed := scale_of(page).printed):
        return page.say("why.scale_other", scale=printed, reason=d.scale_reason)
    if key in ("softmax", "weights") and d.row_max is None:
        return page.say("why.all_masked")
    says = page.say(
        f"why.{key}",
        origin=origin(page) or "X",
        clip=_clip(page),
        cap=_cap(page),
        reason=bias_reason(d),
    )
    if key == "heads" and d.y is None:
        says = page.say("sentences", first=says, second=page.say("why.no_output"))
    if key == "bias" and d.bias_terms is not None and d.bias_terms.slope is not None:
        more = page.say("why.slope", slope=page.write(d.bias_terms.slope))
        says = page.say("sentences", first=says, second=more)
    if key == "mask" and (far := reach(page)) is not None:
        more = page.say("why.reach", tokens=page.counted(far, "tokens"))
        says = page.say("sentences", first=says, second=more)
    return says


def steps_of(page: Page) -> list[Step]:
    """The steps that this model has, in the order of the computation."""
    d = page.d
    i = d.token
    q, S, a = f"q_{{{i}}}", f"S_{{{i}j}}", f"a_{{{i}j}}"
    cap, clip = _cap(page), _clip(page)
    path = d.query
    before_norm = "query.projected" if path.clipping is None else "query.clipping"
    scale = scale_of(page).tex
    total = page.say("sum")
    bias_Q, bias_O = ("b_Q",) * (d.b_Q is not None), ("b_O",) * (d.b_O is not None)
    before_bias = "scaled" if d.capped is None else "capped"
    before_mask = before_bias if d.biased is None else "biased"
    rows: list[tuple[str, str, tuple[str, ...], str, bool]] = [
        ("x", f"x_{{{i}}}", (), "x", True),
        ("query", query_formula(page), ("x", "W_Q", *bias_Q), "query.projected", True),
        (
            "clip",
            rf"{q} \to \min(\max({q}, -{clip}), {clip})",
            ("query.projected",),
            "query.clipping",
            path.clipping is not None,
        ),
        (
            "norm",
            norm_formula(page),
            (before_norm,),
            "query.norming",
            path.norming is not None,
        ),
        (
            "rotary",
            r"(a, b) \to (a \cos \theta - b \sin \theta,\ b \cos \theta + a \sin \theta)",
            (before_norm if path.norming is None else "query.norming",),
            "query.turning",
            path.turning is not None,
        ),
        ("dots", rf"{q} \cdot k_j = \sum_{{t}} {q}[t]\ k_j[t]", ("q", "k"), "dots", True),
        ("scale", rf"{S} = {q} \cdot k_j {scale}".rstrip(), ("dots", "scale"), "scaled", True),
        (
            "softcap",
            rf"{S} \to {cap} \tanh({S} / {cap})",
            ("scaled", "softcap"),
            "capped",
            d.capped is not None,
        ),
        (
            "bias",
            rf"{S} \to {S} + \text{{{page.say('bias')}}}",
            (before_bias, "bias"),
            "biased",
            d.bias is not None,
        ),
        (
            "mask",
            rf"{S} \to {S} + \text{{{page.say('mask')}}}",
            (before_mask, "mask"),
            "scores",
            d.mask is not None,
        ),
        (
            "softmax",
            rf"e_{{{i}j}} = \exp(S_{{{i}j}} - \text{{{page.say('max')}}})",
            ("scores", "row_max"),
            "exponentials",
            True,
        ),
        (
            "weights",
            rf"{a} = e_{{{i}j}} / \text{{{total}}}",
            ("exponentials", "exp_sum"),
            "a",
            True,
        ),
        ("weigh", rf"{a} v_j", ("a", "v"), "a_v", True),
        ("sum", sum_formula(page), ("a_v",), "z", True),
        ("heads", concat_formula(page), ("z",), "z_cat", True),
        ("output", output_formula(page), ("z_cat", "W_O", *bias_O), "y", d.y is not None),
        ("check", "", (), "largest_difference", True),
    ]
    return [
        Step(key, page.say(f"step.{key}"), formula, operands, result, _why(page, key))
        for key, formula, operands, result, has in rows
        if has
    ]
