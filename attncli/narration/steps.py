"""A derivation as a list of steps: the title, the formula, what goes in and comes out, and why.

Formulas are TeX (formula.py), for the row and the head at hand. Operands and results are named as
in `Derivation`, a part of a `Path` after a dot.
"""

from dataclasses import dataclass

from attncli.analysis.path import Norm
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


def _norm_formula(page: Page, norm: Norm) -> str:
    """The norm of q_i, with what the model has of it."""
    q = f"q_{{{page.d.token}}}"
    mean, variance = (rf"\text{{{page.say(word)}}}" for word in ("mean", "variance"))
    if norm.mean is None:
        formula = rf"{q} / \sqrt{{{mean}(q^2) + \varepsilon}} \times w"
    else:
        formula = rf"({q} - {mean}) / \sqrt{{{variance} + \varepsilon}} \times w"
    return formula + " + b" * (norm.bias is not None)


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


def _concat_formula(page: Page) -> str:
    """z_cat = Concat(z^(0), ..., z^(h-1))."""
    h = len(page.d.z_cat) // len(page.d.z)
    heads = [f"z^{{({r})}}" for r in range(h)]
    if h > 3:
        heads[1:-1] = [r"\ldots"]
    return rf"z_\text{{cat}} = \mathrm{{Concat}}({', '.join(heads)})"


def origin(page: Page) -> Phrase | None:
    """What X is in this layer; None if the model is not known."""
    spec = page.row.spec
    return None if spec is None else origin_of_X(spec, page.d.layer, cross=page.cross)


def _window(page: Page) -> int | None:
    """How many keys a token can see to one side, with its own; None if there is no limit."""
    spec = page.row.spec
    return spec.window[page.d.layer] if spec and spec.window else None


def more_terms(page: Page) -> list[str]:
    """Why the scores have the terms that the article's do not have."""
    d = page.d
    there = {
        "scale": bool(scale_of(page).printed),
        "softcap": d.softcap is not None,
        "bias": d.bias is not None,
        "mask": d.mask is not None and _window(page) is not None,
    }
    return [_why(page, key) for key, is_there in there.items() if is_there]


def _why(page: Page, key: str) -> str:
    d, clip = page.d, page.d.query.clipping
    if key == "scale" and (printed := scale_of(page).printed):
        return page.say("why.scale_other", scale=printed, reason=d.scale_reason)
    if key in ("softmax", "weights") and d.row_max is None:
        return page.say("why.all_masked")
    says = page.say(
        f"why.{key}",
        origin=origin(page) or "X",
        clip="" if clip is None else f"{clip.limit:g}",
        cap=_cap(page),
        reason="" if d.bias_terms is None else Phrase(f"bias.{d.bias_terms.place_is}"),
    )
    more = ""
    if key == "heads" and d.y is None:
        more = page.say("why.no_output")
    if key == "bias" and d.bias_terms is not None and d.bias_terms.slope is not None:
        more = page.say("why.slope", slope=page.write(d.bias_terms.slope))
    if key == "mask" and (window := _window(page)) is not None:
        more = page.say("why.window", tokens=page.counted(window - 1, "tokens"))
    return page.say("sentences", first=says, second=more) if more else says


def _cap(page: Page) -> str:
    return "" if page.d.softcap is None else f"{page.d.softcap:g}"


# Of each step: the formula, the operands, the result.
_Formulas = dict[str, tuple[str, tuple[str, ...], str]]


def _query_steps(page: Page) -> _Formulas:
    """From x_i to q_i: the steps that this model has."""
    d, path = page.d, page.d.query
    q, projected = f"q_{{{d.token}}}", "query.projected"
    bias = ("b_Q",) * (d.b_Q is not None)
    product = f"{q} = x_{{{d.token}}} W_Q" + " + b_Q" * len(bias)
    made: _Formulas = {
        "x": (f"x_{{{d.token}}}", (), "x"),
        "query": (product, ("x", "W_Q", *bias), projected),
    }
    last = projected
    if path.clipping is not None:
        clip = f"{path.clipping.limit:g}"
        made["clip"] = rf"{q} \to \min(\max({q}, -{clip}), {clip})", (last,), "query.clipping"
        last = "query.clipping"
    if path.norming is not None:
        made["norm"] = _norm_formula(page, path.norming), (last,), "query.norming"
        last = "query.norming"
    if path.turning is not None:
        pair = r"(a, b) \to (a \cos \theta - b \sin \theta,\ b \cos \theta + a \sin \theta)"
        made["rotary"] = pair, (last,), "query.turning"
    return made


def _score_steps(page: Page) -> _Formulas:
    """From q_i . k_j to a_ij."""
    d, i = page.d, page.d.token
    q, S = f"q_{{{i}}}", f"S_{{{i}j}}"
    word = {name: rf"\text{{{page.say(name)}}}" for name in ("bias", "mask", "max", "sum")}
    scaled = rf"{S} = {q} \cdot k_j {scale_of(page).tex}".rstrip()
    made: _Formulas = {
        "dots": (rf"{q} \cdot k_j = \sum_{{t}} {q}[t]\ k_j[t]", ("q", "k"), "dots"),
        "scale": (scaled, ("dots", "scale"), "scaled"),
    }
    last = "scaled"
    if d.capped is not None:
        capped = rf"{S} \to {_cap(page)} \tanh({S} / {_cap(page)})"
        made["softcap"] = capped, (last, "softcap"), "capped"
        last = "capped"
    if d.bias is not None:
        made["bias"] = rf"{S} \to {S} + {word['bias']}", (last, "bias"), "biased"
        last = "biased"
    if d.mask is not None:
        made["mask"] = rf"{S} \to {S} + {word['mask']}", (last, "mask"), "scores"
    exponential = rf"e_{{{i}j}} = \exp({S} - {word['max']})"
    made["softmax"] = exponential, ("scores", "row_max"), "exponentials"
    quotient = rf"a_{{{i}j}} = e_{{{i}j}} / {word['sum']}"
    made["weights"] = quotient, ("exponentials", "exp_sum"), "a"
    return made


def _output_steps(page: Page) -> _Formulas:
    """From a_ij to y_i."""
    d, a_v = page.d, rf"a_{{{page.d.token}j}} v_j"
    made: _Formulas = {
        "weigh": (a_v, ("a", "v"), "a_v"),
        "sum": (rf"z_{{{d.token}}} = \sum_{{j}} {a_v}", ("a_v",), "z"),
        "heads": (_concat_formula(page), ("z",), "z_cat"),
    }
    if d.y is not None:
        bias = ("b_O",) * (d.b_O is not None)
        product = rf"y_{{{d.token}}} = z_\text{{cat}} W_O" + " + b_O" * len(bias)
        made["output"] = product, ("z_cat", "W_O", *bias), "y"
    made["check"] = "", (), "largest_difference"
    return made


def steps_of(page: Page) -> list[Step]:
    """The steps that this model has, in the order of the computation."""
    steps = {**_query_steps(page), **_score_steps(page), **_output_steps(page)}
    return [
        Step(key, page.say(f"step.{key}"), formula, operands, result, _why(page, key))
        for key, (formula, operands, result) in steps.items()
    ]
