"""Each mistake, made on purpose in an attention of its own, is named for what it is."""

import numpy as np
import pytest
from attention_mistakes import Toy, attention, grouped, softmax, turned
from views_fixtures import plain, printed_lines

from attncli.check import check_arrays
from attncli.check.mistakes import MISTAKES
from attncli.check.report import Verdict
from attncli.views.check import check_view

TOY = Toy()
SQUARE = Toy(h=3, d_k=4, d_model=12, seed=1)
n, h, d_k, d_model = TOY.n, TOY.h, TOY.d_k, TOY.d_model
P = TOY.params
CAUSAL, PADDING = TOY.causal, TOY.padding
PROJECTED = {letter: P["X"] @ P[f"W_{letter}"] + P[f"b_{letter}"] for letter in "QKV"}
WITHOUT_V = {letter: P["X"] @ P[f"W_{letter}"] for letter in "QKV"}


def projecting(**instead):
    return lambda letter: instead.get(letter, PROJECTED[letter])


def masked_by(flags):
    return {"hidden": flags}


def told(arrays, mask):
    return {**arrays, "mask": mask}


def dropped(A):
    keep = np.random.default_rng(5).random(A.shape) > 0.3
    return A * keep / 0.7


def of_heads(Q, K, V):
    return tuple(M.transpose(1, 0, 2) for M in (Q, K, V))


def permuted(order):
    return lambda Q, K, V: (Q[order], K[order], V[order])


def uniform(arrays):
    """As -1e9 in float32 leaves a row of which every key is masked."""
    A = np.where(np.isnan(arrays["A"]), 1 / n, arrays["A"])
    Z = A @ arrays["V"]
    return {
        **arrays,
        "A": A,
        "Z": Z,
        "Z_cat": TOY.merge(Z),
        "Y": TOY.merge(Z) @ P["W_O"] + P["b_O"],
    }


ORDER = [2, 0, 1]
NO_KEY = CAUSAL | (np.arange(n) == 3)[:, None]  # token 3 may look at nothing
HIDDEN = np.where(CAUSAL, -np.inf, 0.0)

# key, the stage at which it shows, the arrays that a person saves who makes it
MADE = {
    "transposed_W": ("Q", attention(TOY, params={"W_Q": P["W_Q"].T})),
    "same_W_for_Q_and_K": ("K", attention(TOY, project=projecting(K=PROJECTED["Q"]))),
    "swapped_W": (
        "S",
        {
            name: value
            for name, value in attention(
                TOY, project=projecting(Q=PROJECTED["K"], K=PROJECTED["Q"])
            ).items()
            if name not in "QK"
        },
    ),
    "one_W_for_all_heads": (
        "V",
        attention(
            TOY,
            project=projecting(V=np.tile(P["X"] @ P["W_V"][:, :d_k], h) + P["b_V"]),
        ),
    ),
    "project_after_split": (
        "Q",
        attention(
            TOY,
            project=projecting(
                Q=(P["X"].reshape(n, h, -1) @ P["W_Q"][: d_model // h, :d_k]).reshape(n, -1)
                + P["b_Q"]
            ),
        ),
    ),
    "b_Q_missing": ("Q", attention(TOY, project=projecting(Q=WITHOUT_V["Q"]))),
    "b_K_missing": ("K", attention(TOY, project=projecting(K=WITHOUT_V["K"]))),
    "b_V_missing": ("V", attention(TOY, project=projecting(V=WITHOUT_V["V"]))),
    "bias_not_in_file": (
        "Q",
        {name: value for name, value in attention(TOY).items() if name != "b_Q"},
    ),
    "split_by_reshape": ("Q", attention(TOY, split=lambda M: M.reshape(h, n, d_k))),
    "heads_not_moved": ("S", attention(TOY, heads=of_heads, merge=lambda Z: Z.reshape(n, -1))),
    "kv_heads_in_turn": ("S", grouped(lambda K: np.tile(K, (2, 1, 1)))),
    "rotary": (
        "Q",
        attention(TOY, heads=lambda Q, K, V: (turned(Q), turned(K), V)),
    ),
    "merge_by_reshape": ("Z_cat", attention(TOY, merge=lambda Z: Z.reshape(n, -1))),
    "head_order": (
        "Q",
        attention(TOY, heads=permuted(ORDER), merge=lambda Z: TOY.merge(Z[np.argsort(ORDER)])),
    ),
    "no_scale": ("S", attention(TOY, scale=1)),
    "scale_d_model": ("S", attention(TOY, scale=d_model**-0.5)),
    "scale_sqrt_n": ("S", attention(TOY, scale=n**-0.5)),
    "scale_d_k": ("S", attention(TOY, scale=1 / d_k)),
    "scale_multiplied": ("S", attention(TOY, scale=d_k**0.5)),
    "scale_other": ("S", attention(TOY, scale=0.317)),
    "Q_prescaled": (
        "Q",
        attention(TOY, heads=lambda Q, K, V: (Q / np.sqrt(d_k), K, V), scale=1),
    ),
    "no_causal_mask": ("A", told(attention(TOY), HIDDEN)),
    "causal_diagonal_0": (
        "S",
        told(attention(TOY, hidden=np.triu(np.ones((n, n), np.bool_), 0)), HIDDEN),
    ),
    "causal_diagonal_2": (
        "S",
        told(attention(TOY, hidden=np.triu(np.ones((n, n), np.bool_), 2)), HIDDEN),
    ),
    "mask_inverted": ("S", told(attention(TOY, hidden=~CAUSAL), HIDDEN)),
    "mask_plus_inf": (
        "S",
        told(attention(TOY, mask=lambda S: np.where(CAUSAL, np.inf, S)), HIDDEN),
    ),
    "mask_after_softmax": ("A", told(attention(TOY, after=lambda A: A * ~CAUSAL), HIDDEN)),
    "scores_times_mask": ("S", told(attention(TOY, mask=lambda S: S * ~CAUSAL), HIDDEN)),
    "mask_too_weak": (
        "S",
        told(attention(TOY, mask=lambda S: S + np.where(CAUSAL, -7, 0)), HIDDEN),
    ),
    "masked_row_uniform": ("A", told(uniform(attention(TOY, hidden=NO_KEY)), ~NO_KEY)),
    "padding_attended": ("A", {**attention(TOY), "key_padding_mask": PADDING}),
    "padding_on_queries": (
        "A",
        {**attention(TOY, hidden=PADDING[:, None]), "key_padding_mask": PADDING},
    ),
    "mask_plus_one_on_permitted": (
        "S",
        told(attention(TOY, mask=lambda S: np.where(CAUSAL, -np.inf, S + 1)), HIDDEN),
    ),
    "S_transposed": ("S", attention(TOY, dots=lambda D: D.transpose(0, 2, 1))),
    "softmax_over_queries": ("A", attention(TOY, weights=lambda S: softmax(S, -2))),
    "softmax_over_heads": ("A", attention(TOY, weights=lambda S: softmax(S, 0))),
    "softmax_over_everything": (
        "A",
        attention(TOY, weights=lambda S: softmax(S.reshape(h, -1)).reshape(S.shape)),
    ),
    "softmax_of_length_one": ("A", attention(TOY, weights=np.ones_like)),
    "softmax_twice": ("A", attention(TOY, weights=lambda S: softmax(softmax(S)))),
    "scale_after_S": ("A", attention(TOY, weights=lambda S: softmax(S * 0.37))),
    "S_before_scale": (
        "A",
        {k: v for k, v in attention(TOY, weights=lambda S: softmax(S * 0.37)).items() if k in "SA"},
    ),
    "no_softmax": ("A", attention(TOY, weights=lambda S: S)),
    "not_normalised": ("A", attention(TOY, weights=np.exp)),
    "dropout": ("A", attention(TOY, after=dropped)),
    "mean_over_heads": ("A", {**attention(TOY), "A": attention(TOY)["A"].mean(0)}),
    "sum_over_heads": ("A", {**attention(TOY), "A": attention(TOY)["A"].sum(0)}),
    "mean_of_scores": ("A", {**attention(TOY), "A": softmax(attention(TOY)["S"].mean(0))}),
    "row_constant": ("S", attention(TOY, mask=lambda S: S - S.max(-1, keepdims=True))),
    "position_bias": (
        "S",
        attention(TOY, mask=lambda S: S - 0.3 * np.abs(np.subtract.outer(*2 * [range(n)]))),
    ),
    "K_for_V": ("Z", attention(TOY, values=lambda M: M["A"] @ M["K"])),
    "Q_for_V": ("Z", attention(TOY, values=lambda M: M["A"] @ M["Q"])),
    "A_transposed": ("Z", attention(TOY, values=lambda M: M["A"].transpose(0, 2, 1) @ M["V"])),
    "no_output_projection": ("Y", attention(TOY, output=lambda M: M["Z_cat"])),
    "heads_added": ("Y", attention(TOY, output=lambda M: M["Z"].sum(0))),
    "b_O_each_head": ("Y", attention(TOY, output=lambda M: M["Z_cat"] @ P["W_O"] + h * P["b_O"])),
    "b_O_missing": ("Y", attention(TOY, output=lambda M: M["Z_cat"] @ P["W_O"])),
}


def named(report):
    return {
        stage.name: [f.keys for f in stage.findings] for stage in report.stages if stage.findings
    }


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("key", MADE)
def test_the_mistake_is_named_first_where_it_is_made(key, dtype):
    stage, arrays = MADE[key]
    with np.errstate(over="ignore"):
        arrays = {k: v if v.dtype == bool else v.astype(dtype) for k, v in arrays.items()}
    report = check_arrays(arrays)
    assert named(report)[stage][0] == (key,)
    if not next(m for m in MISTAKES if m.key == key).harmless:
        assert report.first_difference.name == stage
    else:
        assert report.right


def test_every_mistake_of_the_catalogue_is_made_above():
    assert {mistake.key for mistake in MISTAKES} == set(MADE)


@pytest.mark.parametrize("key", sorted(MADE.keys() - {"split_by_reshape", "transposed_W"}))
def test_a_mistake_is_reported_once(key):
    stage, arrays = MADE[key]
    report = check_arrays(arrays)
    differing = [s.name for s in report.stages if s.verdict is Verdict.differs]
    harmless = next(m for m in MISTAKES if m.key == key).harmless
    assert differing == ([] if harmless else [stage])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "key",
    [
        "S_transposed",
        "b_O_missing",
        "b_Q_missing",
        "dropout",
        "heads_not_moved",
        "mask_too_weak",
        "no_scale",
        "row_constant",
        "scale_d_model",
    ],
)
def test_the_page_is_the_same_in_whatever_order_a_processor_sums(key, dtype):
    arrays = {k: v if v.dtype == bool else v.astype(dtype) for k, v in MADE[key][1].items()}
    chance = np.random.default_rng(0).uniform
    computed = {k: arrays[k] for k in ("Q", "K", "V", "S", "A", "Z", "Z_cat", "Y") if k in arrays}
    last_digits = {
        k: (v * (1 + 2 * np.finfo(dtype).eps * chance(-1, 1, v.shape))).astype(dtype)
        for k, v in computed.items()
    }
    assert any((last_digits[k] != v).any() for k, v in computed.items())
    screen = plain(100)
    page, other = (
        printed_lines(check_view(check_arrays(each), screen), screen)
        for each in (arrays, {**arrays, **last_digits})
    )
    assert page == other


@pytest.mark.parametrize("key", ["no_scale", "merge_by_reshape", "softmax_over_queries", "K_for_V"])
def test_a_mistake_is_found_in_a_chain_of_which_only_the_ends_are_saved(key):
    _, arrays = MADE[key]
    ends = {k: v for k, v in arrays.items() if k in ("X", "Y") or k[:2] in ("W_", "b_")}
    report = check_arrays(ends, heads=h)
    assert named(report)["Y"][0] == (key,)


def test_two_mistakes_of_one_segment_are_named_together():
    arrays = attention(TOY, scale=1, weights=lambda S: softmax(S, -2))
    del arrays["S"]
    assert named(check_arrays(arrays))["A"] == [("no_scale", "softmax_over_queries")]


def test_two_mistakes_in_different_stages_are_named_one_by_one():
    arrays = attention(TOY, scale=1, merge=lambda Z: Z.reshape(n, -1))
    assert named(check_arrays(arrays)) == {"S": [("no_scale",)], "Z_cat": [("merge_by_reshape",)]}


def test_findings_that_cannot_be_told_apart_are_all_named_and_what_would_tell():
    toy = Toy(n=12, h=3, d_k=4, d_model=12)
    stage = check_arrays(attention(toy, scale=12**-0.5)).first_difference
    assert [f.keys for f in stage.findings] == [("scale_d_model",), ("scale_sqrt_n",)]
    assert "other sizes (now n = 12, h = 3, d_k = 4, d_model = 12)" in stage.apart


def test_what_would_tell_two_findings_apart_is_not_yet_in_the_file():
    unmasked = attention(TOY, hidden=None)
    stage = check_arrays({**unmasked, "mask": np.where(CAUSAL, -np.inf, 0)}).first_difference
    assert stage.name == "A"
    assert ("no_causal_mask",) in [f.keys for f in stage.findings]
    assert "save S" not in stage.apart


def test_a_mistake_in_the_scores_does_not_hide_that_the_mask_is_missing():
    unmasked = attention(TOY, scale=1, hidden=None)
    report = check_arrays({**unmasked, "mask": np.where(CAUSAL, -np.inf, 0)})
    found = named(report)
    assert found["S"][0] == ("no_scale",)
    assert ("no_causal_mask",) in found["A"]


def test_a_huge_number_in_S_widens_no_tolerance():
    arrays = attention(TOY, mask=lambda S: np.where(CAUSAL, 1e9, S))
    single = {name: array.astype(np.float32) for name, array in arrays.items()}
    report = check_arrays({**single, "mask": np.where(CAUSAL, -np.inf, 0)})
    assert named(report)["S"] == [("mask_plus_inf",)]
    assert next(stage for stage in report.stages if stage.name == "A").tolerance < 1e-4


def test_a_matrix_too_small_for_X_is_wrong_also_where_no_known_mistake_fits():
    arrays = attention(TOY)
    small = arrays["W_Q"][: d_model // h, :d_k]
    stage = check_arrays({**arrays, "W_Q": small}).first_difference
    assert (stage.name, stage.findings) == ("Q", ())
    assert f"W_Q has {d_model // h} rows, where X has {d_model} columns" in stage.facts[0]


def test_a_mistake_that_changes_nothing_is_none():
    toy = Toy(h=1, d_k=12, d_model=12)
    right = attention(toy, merge=lambda Z: Z.reshape(toy.n, -1), scale=12**-0.5)
    assert check_arrays(right).right


def test_the_evidence_is_computed_from_the_numbers():
    evidence = {key: check_arrays(MADE[key][1]) for key in ("no_scale", "dropout", "mask_too_weak")}
    texts = {key: r.first_difference.findings[0].evidence for key, r in evidence.items()}
    assert "S / right S is 2.0000 in all" in texts["no_scale"]
    assert "the right ones times 1.4286: p = 0.3000" in texts["dropout"]
    assert "the masked scores have -7.0000 more than without a mask" in texts["mask_too_weak"]


def test_the_matrix_that_was_used_the_wrong_way_round_is_named():
    arrays = attention(TOY, params={"W_Q": P["W_Q"].T, "W_O": P["W_O"].T})
    report = check_arrays(arrays)
    titles = [stage.findings[0].title for stage in report.stages if stage.findings]
    assert [title.split(" was")[0] for title in titles] == ["W_Q", "W_O"]


def noise(values, rng):
    return values + rng.normal(size=values.shape) * 0.05


def swapped_tokens(values, rng):
    i, j = rng.choice(values.shape[-2], 2, replace=False)
    out = values.copy()
    out[..., [i, j], :] = out[..., [j, i], :]
    return out


def wrong_row(values, rng):
    out = values.copy()
    out[..., rng.integers(values.shape[-2]), :] = rng.normal(size=out[..., 0, :].shape)
    return out


def zero_row(values, rng):
    out = values.copy()
    out[..., rng.integers(1, values.shape[-2]), :] = 0
    return out


@pytest.mark.parametrize("name", ["Q", "V", "S", "A", "Z", "Z_cat", "Y"])
@pytest.mark.parametrize("spoil", [noise, swapped_tokens, wrong_row, zero_row])
def test_no_mistake_is_named_for_an_error_that_is_none_of_them(spoil, name):
    arrays = attention(TOY)
    arrays[name] = spoil(arrays[name], np.random.default_rng(3))
    report = check_arrays(arrays)
    assert not report.right
    assert named(report) == {}
    assert any("entries differ" in fact for fact in report.first_difference.facts)


def test_the_facts_say_where_an_unknown_error_is():
    arrays = attention(TOY)
    arrays["A"] = arrays["A"].copy()
    arrays["A"][1, 4] = 0
    facts = check_arrays(arrays).first_difference.facts
    assert {"7 of 147 entries differ", "only in head 1", "only in row 4"} <= set(facts)
    assert "its rows sum to 0.0000 up to 1.0000" in facts
