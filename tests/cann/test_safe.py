"""Safe execution: checks before and after, attempts after failures that pass, and what its outcome says."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cann, cannsim

VALUES = np.float32([1, -2, 3, 4])


def put(values=VALUES):
    return cann.from_numpy(values), cann.empty(np.shape(values))


def test_a_call_that_succeeds() -> None:
    x, out = put()
    outcome = cann.safe("aclnnAbs", x, out, before=[cann.finite, cann.shaped(4)], after=[cann.within(0, 4)])
    assert outcome.result is out and outcome.operator == "aclnnAbs"
    np.testing.assert_array_equal(cann.to_numpy(out), np.abs(VALUES))
    assert [one.code for one in outcome.attempts] == [0] and outcome.attempts[0].seconds > 0
    assert outcome.checks == ["before: finite", "before: shaped(4,)", "after: within(0, 4)"]
    assert outcome.as_dict()["attempts"][0]["waited"] == 0


def test_arrays_and_names() -> None:
    x = ap.asarray(VALUES, device="ascend:0") * 2
    out = ap.empty_like(x)
    outcome = cann.safe(cann.op("aclnnAdd"), self=x, other=x, alpha=1, out=out)
    assert outcome.result is out and ap.to_numpy(out).tolist() == (VALUES * 4).tolist()


@pytest.mark.parametrize(("checks", "words"), [
    ({"before": [cann.within(0, 9)]}, "before the call: self: 1 of 4 elements are not from 0 to 9"),
    ({"before": [cann.shaped(None, 4)]}, r"before the call: self: expected shape \(None, 4\), got \(4,\)"),
    ({"after": [cann.within(0, 1)]}, "after the call: out: 4 of 4 elements are not from 0 to 1"),
    ({"after": [lambda name, values: f"{name} is odd" if values.sum() == 6 else None]}, "after the call: out is odd"),
])  # fmt: skip
def test_what_a_check_finds(checks, words) -> None:
    x, out = put(np.float32([5, 6, -7, 2]))
    with pytest.raises(cann.CheckError, match=words) as error:
        cann.safe("aclnnMuls", x, 1.0, out, **checks)
    done = error.value.outcome.attempts
    assert len(done) == ("after" in checks)


def test_infinities_are_found_without_being_asked_for() -> None:
    x, out = put(np.float32([1, 0, 2]))
    with pytest.raises(cann.CheckError, match="aclnnReciprocal: after the call: out: 1 of 3 elements are not finite"):
        cann.safe("aclnnReciprocal", x, out)


@pytest.mark.parametrize("code", [207001, 507046])
def test_failures_that_pass_are_tried_again(simulator: None, code: int) -> None:
    x, out = put()
    cannsim.fail("aclnnNeg", nth=1, code=code)
    outcome = cann.safe("aclnnNeg", x, out, retry=cann.Retry(wait=0.001))
    assert [one.code for one in outcome.attempts] == [code, 0]
    assert outcome.attempts[0].waited == 0.001 and str(code) in outcome.attempts[0].message
    np.testing.assert_array_equal(cann.to_numpy(out), -VALUES)


def test_what_is_updated_in_place_is_put_back_before_another_attempt(simulator: None) -> None:
    """The first attempt has run when the wait for it fails."""
    for made in (cann.from_numpy(VALUES), ap.asarray(VALUES, device="ascend:0") * 1):
        cannsim.fail("aclrtSynchronizeStream", nth=3 if isinstance(made, ap.ndarray) else 2, code=507046)
        outcome = cann.safe("aclnnInplaceMuls", made, 2.0, retry=cann.Retry(wait=0))
        cannsim.clear_faults()
        got = cann.to_numpy(made) if isinstance(made, cann.Tensor) else ap.to_numpy(made)
        assert got.tolist() == (VALUES * 2).tolist(), outcome


def test_attempts_end(simulator: None) -> None:
    x, out = put()
    cannsim.fail("aclnnNeg", nth=0, code=207001)
    with pytest.raises(cann.CannError, match="207001") as error:
        cann.safe("aclnnNeg", x, out, retry=cann.Retry(attempts=4, wait=0.001, factor=2, most=0.002))
    assert [one.waited for one in error.value.outcome.attempts] == [0.001, 0.002, 0.002, 0]
    assert pickle.loads(pickle.dumps(error.value)).code == 207001


@pytest.mark.parametrize("codes", [None, [507046], ["ACL_ERROR_RT_TIMEOUT"]])
def test_other_failures_are_raised_at_once(simulator: None, codes) -> None:
    x, out = put()
    cannsim.fail("aclnnNeg", nth=1, code=507015)
    with pytest.raises(cann.CannError, match="507015") as error:
        cann.safe("aclnnNeg", x, out, retry=cann.Retry(codes=codes))
    assert len(error.value.outcome.attempts) == 1
    cannsim.fail("aclnnNeg", nth=1, code=507015)
    outcome = cann.safe("aclnnNeg", x, out, retry=cann.Retry(codes=["ACL_ERROR_RT_AICORE_EXCEPTION"], wait=0))
    assert [one.code for one in outcome.attempts] == [507015, 0]


@pytest.mark.parametrize("wrong", [
    {"attempts": 0}, {"wait": -1}, {"factor": 0.5}, {"most": -1}, {"codes": ["ACL_NO_SUCH"]}, {"codes": [12]},
])  # fmt: skip
def test_a_policy_that_makes_no_sense(wrong) -> None:
    with pytest.raises(ValueError, match=r"cann\.Retry: expected"):
        cann.Retry(**wrong)
