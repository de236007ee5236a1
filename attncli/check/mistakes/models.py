"""What a model does beside the article, and is easily left out: told only beside that model."""

from attncli.attention import Array, scores
from attncli.check.chain import Chain
from attncli.check.mistakes.record import Mistake, one, subsets
from attncli.check.nodes import Missing, Step
from attncli.check.reading import Values


def _without(name: str) -> Step:
    """What the model makes of a node without one thing (against_model.py)."""

    def wrong(c: Chain) -> Array:
        if name not in c.problem.without:
            raise Missing(name)
        return c.problem.without[name](c)

    return wrong


def _queries_and_keys(what: str) -> dict[str, tuple[str, Step]]:
    return {letter: (letter, _without(f"{letter} {what}")) for letter in "QK"}


def _without_cap(c: Chain) -> Array:
    if c.problem.softcap is None:
        raise Missing("softcap")
    return scores(c["dots"], c.problem.scale)


def _without_bias(c: Chain) -> Values:
    if c.problem.bias is None:
        raise Missing("bias")
    return c["scaled"]


OF_MODELS = (
    Mistake(
        key="rotary_missing",
        number="",
        title="{which} not rotated by the positions (RoPE)",
        explanation="This model turns each query and key by its position before the dot product.",
        right_code="Q, K = rotate(Q, positions), rotate(K, positions)",
        variants=subsets(_queries_and_keys("unturned")),
    ),
    Mistake(
        key="rotary_pairs",
        number="",
        title="{which} rotated in the wrong pairs (RoPE)",
        explanation="A pair is either two neighbours, (2j, 2j+1), or (j, j + d/2); this model and "
        "your code do not take the same ones.",
        right_code="# rotate_half for (j, j + d/2), interleaved for (2j, 2j+1)",
        variants=subsets(_queries_and_keys("in other pairs")),
    ),
    Mistake(
        key="qk_norm_missing",
        number="",
        title="{which} not normalized",
        explanation="This model normalizes each query and key before it is rotated and multiplied.",
        right_code="Q, K = q_norm(Q), k_norm(K)",
        variants=subsets(_queries_and_keys("unnormed")),
    ),
    Mistake(
        key="qk_bare",
        number="",
        title="{which} neither normalized nor rotated by the positions",
        explanation="This model norms each query and key, then turns it by its position (rotary).",
        right_code="Q, K = rotate(q_norm(Q), positions), rotate(k_norm(K), positions)",
        variants=subsets(_queries_and_keys("bare")),
    ),
    Mistake(
        key="softcap_missing",
        number="",
        title="the scores are not capped",
        explanation="This model limits its scores, softcap tanh(S / softcap), before the mask.",
        right_code="S = softcap * np.tanh(S / softcap)",
        variants=one(scaled=_without_cap),
    ),
    Mistake(
        key="position_bias_missing",
        number="",
        title="the position bias was left out",
        explanation="A number that depends on the positions is to be added to each score.",
        right_code="S = S + position_bias",
        variants=one(biased=_without_bias),
    ),
)
