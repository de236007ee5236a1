"""Positions: vectors, rotations and biases by hand and by property."""

import math

import numpy as np
import pytest

from attncli import position_bias, positions, rotary

close = np.testing.assert_allclose


def test_sinusoids_by_hand():
    close(
        positions.sinusoids([0, 2], 4)[1],
        [np.sin(2), np.cos(2), np.sin(0.02), np.cos(0.02)],
        atol=1e-7,
    )
    close(
        positions.sinusoid_halves([2], 4)[0],
        [np.sin(2), np.sin(0.02), np.cos(2), np.cos(0.02)],
        atol=1e-7,
    )
    close(
        positions.fairseq_sinusoids([2], 4)[0],
        [np.sin(2), np.sin(2e-4), np.cos(2), np.cos(2e-4)],
        atol=1e-7,
    )


def test_rotation_of_one_pair_by_hand():
    M = np.float32([[[1, 0]] * 3])  # one head, three tokens, one pair: token p is rotated by p
    turned = rotary.rotate(M, rotary.Rotary(dim=2))
    close(turned[0], [[1, 0], [np.cos(1), np.sin(1)], [np.cos(2), np.sin(2)]], atol=1e-6)


def test_halves_and_neighbours_pair_different_numbers():
    M = np.float32(np.arange(1, 9)).reshape(1, 1, 8).repeat(2, axis=1)
    halves, neighbours = (
        rotary.rotate(M, rotary.Rotary(dim=8, interleaved=interleaved))
        for interleaved in (False, True)
    )
    close(halves[0, 1, [0, 4]], [np.cos(1) - 5 * np.sin(1), 5 * np.cos(1) + np.sin(1)], rtol=1e-5)
    close(neighbours[0, 1, :2], [np.cos(1) - 2 * np.sin(1), 2 * np.cos(1) + np.sin(1)], rtol=1e-5)
    close(halves[0, 0], M[0, 0])  # position 0 is not turned
    for turned in (halves, neighbours):
        close(np.linalg.norm(turned[0], axis=1), np.linalg.norm(M[0], axis=1), rtol=1e-6)


def test_only_the_first_numbers_are_turned():
    M = np.random.default_rng(0).normal(size=(2, 5, 8)).astype(np.float32)
    turned = rotary.rotate(M, rotary.Rotary(dim=2))
    close(turned[..., 2:], M[..., 2:])
    assert (abs(turned[:, 1:, :2] - M[:, 1:, :2]) > 1e-3).any(axis=(0, 2)).all()


def test_a_score_depends_on_the_distance_alone():
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(2, 8))
    Q, K = (np.tile(v, (1, 6, 1)).astype(np.float64) for v in (q, k))
    turn = rotary.Rotary(dim=8)
    S = rotary.rotate(Q, turn)[0] @ rotary.rotate(K, turn)[0].T
    for distance in range(-5, 6):
        diagonal = np.diagonal(S, distance)
        close(diagonal, np.full(len(diagonal), diagonal[0]), atol=1e-6)


def test_dynamic_changes_nothing_before_the_sentence_is_too_long():
    turn = rotary.Rotary(dim=8, kind="dynamic", factor=2.0, max_positions=6)
    M = np.ones((1, 7, 8), np.float32)
    close(rotary.rotate(M[:, :6], turn), rotary.rotate(M[:, :6], rotary.Rotary(dim=8)))
    assert abs(rotary.rotate(M, turn) - rotary.rotate(M, rotary.Rotary(dim=8))).max() > 0.01


def test_longrope_scales_cos_and_sin_of_short_sentences_too():
    turn = rotary.Rotary(
        dim=2, kind="longrope", max_positions=64, original_positions=16,
        short_factor=(1.0,), long_factor=(4.0,),
    )  # fmt: skip
    M = np.float32([[[1, 0]] * 20])
    factor = math.sqrt(1 + math.log(4) / math.log(16))
    close(rotary.rotate(M[:, :2], turn)[0, 1], [factor * np.cos(1), factor * np.sin(1)], rtol=1e-5)
    close(rotary.rotate(M, turn)[0, 4], [factor * np.cos(1), factor * np.sin(1)], rtol=1e-5)


@pytest.mark.parametrize(
    ("two_sided", "expected"),
    [
        # 8 buckets: distances 0 to 3 alone, then up to 16 in four ranges; the right is 0
        (False, {-40: 7, -16: 7, -8: 6, -5: 4, -4: 4, -3: 3, -1: 1, 0: 0, 1: 0, 9: 0}),
        # 4 of 8 to each side: 0 and 1 alone, then two ranges; the right starts at 4
        (True, {-40: 3, -16: 3, -8: 3, -3: 2, -2: 2, -1: 1, 0: 0, 1: 5, 2: 6, 9: 7}),
    ],
)
def test_buckets_by_hand(two_sided, expected):
    buckets = position_bias.Buckets(8, 16, two_sided)
    assert buckets.of(np.array(list(expected))).tolist() == list(expected.values())


def test_bucket_bias_reads_row_and_head():
    table = np.float32(np.arange(16)).reshape(8, 2)
    bias = position_bias.bucket_bias(table, position_bias.Buckets(8, 16, True), 4)
    close(bias(1, slice(1, 3)), [[3, 1, 11, 13], [5, 3, 1, 11]])


def test_alibi_slopes_by_hand():
    close(position_bias._slopes(8), [2.0**-k for k in range(1, 9)])
    close(position_bias._slopes(3), [2.0**-4, 2.0**-8, 2.0**-2])
    close(position_bias._mpt_slopes(3), [2.0**-4, 2.0**-8, 2.0**-2])
    close(position_bias._mpt_slopes(4), [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8])


def test_alibi_counts_from_the_first_or_back_from_the_last():
    first, last = (
        position_bias.alibi_bias(position_bias.Alibi(kind), 8, 3, 4, np.float32)(0, slice(0, 3))
        for kind in ("absolute", "to_last")
    )
    close(first, [[0, 0.5, 1]])
    close(last, [[-1, -0.5, 0]])


def test_bfloat16_keeps_eight_bits_and_ties_go_to_even():
    x = np.float32([1, 1 + 2**-8, 1 + 3 * 2**-8, 1.01, -3.14159])
    close(position_bias._bfloat16(x), np.float32([1, 1, 1 + 2**-6, 1.0078125, -3.140625]), rtol=0)


def test_debertas_index_is_the_distance_until_it_is_logarithmic():
    index = position_bias.Disentangled(span=8, buckets=8, max_distance=40, c2p=True, p2c=True).index
    assert index(np.array([0, 1, 4, -4, 100, -100])).tolist() == [8, 9, 12, 4, 15, 0]
    plain = position_bias.Disentangled(span=5, buckets=0, max_distance=5, c2p=True, p2c=True).index
    assert plain(np.array([0, 4, 5, -5, -9])).tolist() == [5, 9, 9, 0, 0]
