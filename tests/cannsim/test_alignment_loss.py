"""The simulated connectionist temporal classification, against a sum over all ways to spread the text."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import special

from cannsim import acl
from cannsim.documented import layouts, values

STEPS, BATCH, CLASSES = 4, 3, 3
LENGTHS, TEXTS = [4, 3, 4], [[1, 2], [1, 1], [2, 0]]


def probability(logs, text, blank):
    """Of the text: the sum over all paths that become it when repetitions, then blanks, are taken out."""
    total = 0.0
    for path in itertools.product(range(logs.shape[1]), repeat=len(logs)):
        seen = [label for label, _ in itertools.groupby(path)]
        if [label for label in seen if label != blank] == list(text):
            total += np.exp(sum(logs[t, label] for t, label in enumerate(path)))
    return total


def case(blank):
    texts = [[label for label in (np.array(text) + blank) % 3 if label != blank] for text in TEXTS]
    scores = values((STEPS, BATCH, CLASSES), np.float64)
    return scores, special.log_softmax(scores, axis=-1), texts


def loss(logs, texts, blank):
    with np.errstate(divide="ignore"):
        return np.array([-np.log(probability(logs[: LENGTHS[n], n], texts[n], blank)) for n in range(BATCH)])


def targets(texts, flat):
    width = max(map(len, texts))
    if flat:
        return np.array([label for text in texts for label in text])
    return np.array([[*text, *[0] * (width - len(text))] for text in texts])


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("blank", [0, 2])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_values_and_gradients(kind, blank, flat):
    scores, logs, texts = case(blank)
    lengths, numbers = acl.IntArray(LENGTHS), acl.IntArray([len(text) for text in texts])
    expected, label = loss(logs, texts, blank), targets(texts, flat).astype(np.int32)
    for given in layouts(logs.astype(kind)):
        losses, alphas = acl.Tensor(np.zeros(BATCH, kind)), acl.Tensor(np.zeros((BATCH, STEPS, 8), kind))
        acl.run("aclnnCtcLoss", given, label, lengths, numbers, blank, False, losses, alphas)
        np.testing.assert_allclose(np.array(losses.numpy()), expected, rtol=1e-5)
        g = values((BATCH,), kind, 3)
        got = acl.result(
            "aclnnCtcLossBackward",
            g,
            given,
            label,
            lengths,
            numbers,
            losses,
            alphas,
            blank,
            False,
            ...,
            out=np.empty(logs.shape, kind),
        )
        slopes, step = np.zeros(logs.shape), 1e-6
        for place in np.ndindex(logs.shape):
            moved = scores.copy()
            moved[place] += step
            slopes[place] = (g * (loss(special.log_softmax(moved, axis=-1), texts, blank) - expected)).sum() / step
        # 5e-7 comes from logarithms that are rounded to float32, 2e-7 from the step.
        np.testing.assert_allclose(got, slopes, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("zero", [False, True])
def test_a_text_that_does_not_fit(zero):
    logs = special.log_softmax(values((2, 1, 3), np.float32), axis=-1)
    lengths, numbers, label = acl.IntArray([2]), acl.IntArray([2]), np.array([[1, 1]])
    losses, alphas = acl.Tensor(np.zeros(1, np.float32)), acl.Tensor(np.zeros((1, 2, 5), np.float32))
    acl.run("aclnnCtcLoss", logs, label, lengths, numbers, 0, zero, losses, alphas)
    assert np.array(losses.numpy())[0] == (0 if zero else np.inf)
    if zero:
        got = acl.result(
            "aclnnCtcLossBackward",
            np.ones(1, np.float32),
            logs,
            label,
            lengths,
            numbers,
            losses,
            alphas,
            0,
            True,
            ...,
            out=np.ones_like(logs),
        )
        assert not got.any()


def test_refusals():
    _, logs, texts = case(0)
    logs, label = logs.astype(np.float32), targets(texts, False)
    lengths, numbers = acl.IntArray(LENGTHS), acl.IntArray([len(text) for text in texts])
    losses, alphas = np.empty(BATCH, np.float32), np.empty((BATCH, STEPS, 5), np.float32)
    for word, *arguments in (
        ("logProbs", logs[0], label, lengths, numbers, 0, False, losses, alphas),
        ("targets", logs, label[:, :1], lengths, numbers, 0, False, losses, alphas),
        ("inputLengths", logs, label, acl.IntArray([9, 1, 1]), numbers, 0, False, losses, alphas),
        ("targetlengths", logs, label, lengths, acl.IntArray([1]), 0, False, losses, alphas),
        ("blank", logs, label, lengths, numbers, 3, False, losses, alphas),
        ("negLogLikelihoodOut", logs, label, lengths, numbers, 0, False, losses[:2], alphas),
        ("logAlphaOut", logs, label, lengths, numbers, 0, False, losses, alphas[:, :, :4]),
    ):
        with acl.refused(161002, "aclnnCtcLoss", word):
            acl.run("aclnnCtcLoss", *arguments)
