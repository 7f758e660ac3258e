"""Calls that recur, alike in all but addresses: right values, the same checks, no second look by Python."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asnumpy as ap
from asnumpy import cann, cannsim

DEVICE = "ascend:0"
RANDOM = np.random.default_rng(11)


def put(values: Any, dtype: str = "float32") -> cann.Tensor:
    return cann.from_numpy(np.asarray(values, dtype))


def array(values: Any, dtype: str = "float32") -> Any:
    return ap.asarray(np.asarray(values, dtype), device=DEVICE)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operators whose calls Python checks."""
    seen: list[str] = []
    real = cann.Operator.call_checked

    def noting(self: cann.Operator, *arguments: Any, **named: Any) -> Any:
        seen.append(self.name)
        return real(self, *arguments, **named)

    monkeypatch.setattr(cann.Operator, "call_checked", noting)
    return seen


@pytest.mark.parametrize("make", [put, array], ids=["tensors", "arrays"])
def test_one_look_for_calls_on_other_memory(looked: list[str], make: Any) -> None:
    length = int(RANDOM.integers(1 << 30) % 1000 + 1000)  # a shape that no other test has
    for step in range(6):
        x, y, out = make(np.full(length, step)), make(np.full(length, 10)), make(np.zeros(length))
        assert cann.op("aclnnSub")(x, y, 2.0, out) is out
        values = cann.to_numpy(out) if isinstance(out, cann.Tensor) else ap.to_numpy(out)
        assert (values == step - 20).all()
    assert looked == ["aclnnSub"]


CASES: dict[str, list[tuple[Any, ...]]] = {
    "aclnnAdds": [
        (2.0, 1.0), (3.0, 1.0), (3.0, 2.0), (3, 2.0), (True, 1.0), (np.float32(3), 2.0), (np.float16(3), 2.0),
    ],
    "aclnnReduceSum": [
        ([0], True, "float32"), ((0,), True, np.float32), ([0], True, np.dtype("float32")), ([], True, "float32"),
    ],
}  # fmt: skip


def expected(name: str, x: np.ndarray, arguments: tuple[Any, ...]) -> np.ndarray:
    if name == "aclnnAdds":
        return x + np.float32(arguments[0]) * np.float32(arguments[1])
    return x.sum(axis=None if not len(arguments[0]) else 0, keepdims=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(CASES)), st.integers(0, 6), st.integers(1, 3)), max_size=12))
def test_random_sequences_of_calls(steps: list[tuple[str, int, int]]) -> None:
    for name, which, rows in steps:
        arguments = CASES[name][which % len(CASES[name])]
        x = RANDOM.integers(-9, 9, (rows, 1)).astype("float32")
        out = array(np.zeros((rows, 1) if name == "aclnnAdds" else (1, 1)))
        cann.op(name)(array(x), *arguments, out)
        np.testing.assert_array_equal(ap.to_numpy(out), expected(name, x, arguments))


def test_layouts_are_told_apart() -> None:
    values = np.arange(24, dtype="float32").reshape(4, 6)
    x = array(values)
    for _ in range(3):
        for part in (lambda a: a, lambda a: a.T, lambda a: a[:, ::2], lambda a: a[1:], lambda a: a[:0]):
            view = part(x)
            out = ap.empty(view.shape, dtype="float32", device=DEVICE)
            np.testing.assert_array_equal(ap.to_numpy(cann.op("aclnnNeg")(view, out)), -part(values))


def test_dtypes_are_told_apart() -> None:
    for _ in range(3):
        for dtype in ("float32", "float16", "int32", "int64", "int8"):
            x, out = array([1, -2, 3], dtype), array([0, 0, 0], dtype)
            assert ap.to_numpy(cann.op("aclnnNeg")(x, out)).tolist() == [-1, 2, -3]


def test_checks_hold_after_a_call_like_it() -> None:
    x, out = array(np.ones((2, 3))), array(np.zeros((2, 3)))
    host, read_only = ap.ones((2, 3), dtype="float32", device="cpu"), ap.broadcast_to(array(np.zeros(3)), (2, 3))
    wrong = [
        ((x, read_only), ValueError, "aclnnNeg: out: expected an array that may be written"),
        ((host, out), ValueError, "aclnnNeg: self: expected an array on an Ascend device"),
        ((x, out[:, ::-1]), ValueError, "aclnnNeg: out: expected strides of at least 0"),
        ((x, out, 1), TypeError, "aclnnNeg: expected 2 arguments, got 3"),
        ((x,), TypeError, "aclnnNeg: out: not given"),
        ((np.ones((2, 3), "f4"), out), TypeError, "aclnnNeg: self: expected memory of the device"),
    ]
    for _ in range(2):
        for arguments, kind, text in wrong:
            cann.op("aclnnNeg")(x, out)
            with pytest.raises(kind, match=text):
                cann.op("aclnnNeg")(*arguments)
            with pytest.raises(TypeError, match="aclnnNeg: self: given twice"):
                cann.op("aclnnNeg")(x, out, self=x)


def test_pending_work_comes_first_each_time() -> None:
    x, out = array(np.ones(500)), array(np.zeros(500))
    for _ in range(4):
        x = x * 2
        out += 100
        cann.op("aclnnInplaceAdd")(out, x, 1.0)
    assert (ap.to_numpy(out) == 400 + 2 + 4 + 8 + 16).all()


def test_what_is_refused_is_told_alike_each_time(simulator: None) -> None:
    x, out = put([0.0, 1.0]), cann.empty((2,))
    for _ in range(3):
        cann.op("aclnnExp")(x, out)
    cannsim.fail("aclnnExp", nth=1, code=500000)
    text = r"^aclnnExp failed with ACL_ERROR_INTERNAL_ERROR \(500000\) for self float32\[2\]"
    with pytest.raises(cann.CannError, match=text):
        cann.op("aclnnExp")(x, out)
    cann.op("aclnnExp")(x, out)
    assert cann.metrics()["aclnnExp"] | {"count": 4, "failures": 1} == cann.metrics()["aclnnExp"]


def test_lists_of_tensors_and_formats(looked: list[str]) -> None:
    first, second, out = (put(np.full((2, 2), value)) for value in (1, 2, 0))
    whole = cann.empty((4, 2))
    for parts in ([first, second], [second, first], (first, second), [first, out]):
        cann.op("aclnnCat")(parts, 0, whole)
        np.testing.assert_array_equal(cann.to_numpy(whole), np.concatenate([cann.to_numpy(one) for one in parts]))
    assert looked.count("aclnnCat") == 1
    image = array(np.arange(16).reshape(1, 1, 4, 4))
    for _ in range(3):
        pooled = array(np.zeros((1, 1, 2, 2)))
        given_as, to = cann.tensor(image, format="NCHW"), cann.tensor(pooled, format="NCHW")
        cann.op("aclnnAvgPool2d")(given_as, [2, 2], [2, 2], [0, 0], False, True, 0, 0, to)
        assert ap.to_numpy(pooled).ravel().tolist() == [2.5, 4.5, 10.5, 12.5]
    assert looked.count("aclnnAvgPool2d") == 1


def test_threads_call_the_same_operator(simulator: None) -> None:
    failures: list[str] = []

    def work(number: int) -> None:
        for step in range(40):
            x, out = array(np.full(64 + step % 7, number)), array(np.zeros(64 + step % 7))
            cann.op("aclnnMuls")(x, 3.0, out)
            if not (ap.to_numpy(out) == 3 * number).all():
                failures.append(f"{number} {step}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_calls_on_streams_of_ones_own() -> None:
    x, out = array(np.ones(300)), array(np.zeros(300))
    streams = [ap.Stream(DEVICE) for _ in range(2)]
    for step in range(6):
        with streams[step % 2]:
            cann.op("aclnnInplaceAdd")(out, x, 1.0)
        cann.op("aclnnInplaceAdd")(out, x, 1.0, stream=streams[1 - step % 2])
    assert (ap.to_numpy(out) == 12).all()


def test_timing_measures_calls_that_recur() -> None:
    x, out = array(np.ones(300)), array(np.zeros(300))
    for _ in range(3):
        cann.op("aclnnTanh")(x, out)
    with cann.timing():
        for _ in range(4):
            cann.op("aclnnTanh")(x, out)
    cann.op("aclnnTanh")(x, out)
    found = cann.metrics()["aclnnTanh"]
    assert found["count"] == 8 and found["timed"] == 4 and found["device_percentiles"]["p50"] > 0


def test_a_number_that_changes_each_time_keeps_few_calls(simulator: None) -> None:
    x, out = array(np.ones(3)), array(np.zeros(3))
    for step in range(700):
        cann.op("aclnnAdds")(x, float(step), 1.0, out)
    assert ap.to_numpy(out).tolist() == [700.0] * 3
