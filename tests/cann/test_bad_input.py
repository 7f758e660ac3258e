"""What is refused before CANN sees it, and what CANN refuses: messages name operator, parameter, expectation, value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cann


def put(shape: Any = (2, 3), dtype: str = "float32") -> cann.Tensor:
    return cann.from_numpy(np.ones(shape, dtype))


NAMES = [
    ("aclnnAddd", "aclnnAdd"), ("softmax", "aclnnSoftmax"), ("ACLNNTOPK", "aclnnTopk"), ("Addcmul", "aclnnAddcmul"),
    ("aclnnLayerNrom", "aclnnLayerNorm"),
]


@pytest.mark.parametrize(("name", "meant"), NAMES)
def test_a_wrong_name_says_what_was_meant(name: str, meant: str) -> None:
    with pytest.raises(ValueError, match=rf"cann.op: CANN has no operator '{name}'; did you mean .*{meant}\b"):
        cann.op(name)


def test_a_name_like_none() -> None:
    with pytest.raises(ValueError, match=r"no operator 'qqqqqq' *cann.operators\(\) lists the 789"):
        cann.op("qqqqqq")
    with pytest.raises(TypeError, match=r"cann.op: expected the name of an operator as str, got int"):
        cann.op(3)  # type: ignore[arg-type]


CASES: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("too few", lambda: cann.op("aclnnAdd")(put(), put(), 1),
     TypeError, r"aclnnAdd: out: not given: aclnnAdd\(self, other, alpha, out\)"),
    ("too many", lambda: cann.op("aclnnAbs")(put(), put(), 1),
     TypeError, r"aclnnAbs: expected 2 arguments, got 3"),
    ("no such parameter", lambda: cann.op("aclnnAbs")(put(), Out=put()),
     TypeError, r"aclnnAbs: there is no parameter 'Out'; did you mean out\?"),
    ("twice", lambda: cann.op("aclnnAbs")(put(), put(), self=put()),
     TypeError, r"aclnnAbs: self: given twice"),
    ("NumPy's array", lambda: cann.op("aclnnAbs")(np.ones(3), put()),
     TypeError, r"aclnnAbs: self: expected memory of the device .*got a NumPy array float64\[3\]"),
    ("not a tensor", lambda: cann.op("aclnnAbs")("x", put()),
     TypeError, r"aclnnAbs: self: expected a tensor, got str 'x'"),
    ("None", lambda: cann.op("aclnnAbs")(None, put()),
     TypeError, r"aclnnAbs: self: expected tensor, got None"),
    ("dtype", lambda: cann.op("aclnnMatmul")(put(dtype="int32"), put((3, 2)), put((2, 2)), 0),
     TypeError, r"aclnnMatmul: self: expected one of float16, bfloat16, float32 \(on the 910B\), got int32"),
    ("rank", lambda: cann.op("aclnnMatmul")(put(()), put((3, 2)), put((2, 2)), 0),
     ValueError, r"aclnnMatmul: self: expected 1 to 6 axes, got 0: \(\)"),
    ("nine axes", lambda: cann.op("aclnnAbs")(put((1,) * 9), put((1,) * 9)),
     ValueError, r"aclnnAbs: self: expected 0 to 8 axes, got 9"),
    ("shape of another", lambda: cann.op("aclnnAbs")(put(), put((2, 4))),
     ValueError, r"aclnnAbs: out: expected the shape of self, \(2, 3\), got \(2, 4\)"),
    ("dtype of another",
     lambda: cann.op("aclnnTopk")(put(), 1, 1, True, True, put((2, 1), "float16"), put((2, 1), "int64")),
     TypeError, r"aclnnTopk: valuesOut: expected the dtype of self, float32, got float16"),
    ("range", lambda: cann.op("aclnnMatmul")(put(), put((3, 2)), put((2, 2)), 200),
     ValueError, r"aclnnMatmul: cubeMathType: expected an integer from -128 to 127, got 200"),
    ("bool for an integer",
     lambda: cann.op("aclnnTopk")(put(), True, 1, True, True, put((2, 1)), put((2, 1), "int64")),
     TypeError, r"aclnnTopk: k: expected an integer, got bool True"),
    ("integer for a bool", lambda: cann.op("aclnnTopk")(put(), 1, 1, 1, True, put((2, 1)), put((2, 1), "int64")),
     TypeError, r"aclnnTopk: largest: expected True or False, got int 1"),
    ("number", lambda: cann.op("aclnnAdd")(put(), put(), "1", put()),
     TypeError, r"aclnnAdd: alpha: expected a number, got str '1'"),
    ("array for a number", lambda: cann.op("aclnnAdd")(put(), put(), put(()), put()),
     TypeError, r"aclnnAdd: alpha: expected a number, got a tensor float32\[\]"),
    ("dtype of a number", lambda: cann.op("aclnnAddcmul")(put(), put(), put(), np.complex64(1), put()),
     TypeError, r"aclnnAddcmul: value: expected a number of .*float32.*, got"),
    ("list", lambda: cann.op("aclnnCat")(put(), 0, put()),
     TypeError, r"aclnnCat: tensors: expected a list of tensors, got a tensor float32\[2, 3\]"),
    ("element of a list", lambda: cann.op("aclnnCat")([put(), 3], 0, put()),
     TypeError, r"aclnnCat: tensors\[1\]: expected a tensor, got int 3"),
    ("integers", lambda: cann.op("aclnnPermute")(put(), [0, 1.5], put()),
     TypeError, r"aclnnPermute: dims\[1\]: expected an integer, got float 1.5"),
    ("text", lambda: cann.op("aclnnEinsum")([put()], 3, put()),
     TypeError, r"aclnnEinsum: equation: expected text, got int 3"),
    ("dtype parameter", lambda: cann.op("aclnnCast")(put(), "nonsense", put()),
     TypeError, r"aclnnCast: dtype: expected a dtype, got str 'nonsense'"),
    ("foreign dtype", lambda: cann.op("aclnnCast")(put(), "datetime64[s]", put()),
     TypeError, r"aclnnCast: dtype: expected a dtype that CANN has"),
    ("written twice", lambda: cann.op("aclnnAbs")(put((4,)), cann.tensor(put((1,)).address, (4,), "f4", (0,))),
     ValueError, r"aclnnAbs: out: expected each element at a place of its own, got strides \(0,\)"),
    ("array of the CPU", lambda: cann.op("aclnnAbs")(ap.ones(3, device="cpu"), put()),
     ValueError, r"aclnnAbs: self: expected an array on an Ascend device .*to_device.*got an array float64\[3\] "
     r"on cpu"),
    ("stream", lambda: cann.op("aclnnAbs")(put(), put(), stream="x"),
     TypeError, r"aclnnAbs: stream: expected an aclrtStream's address or an object with ptr, got str"),
    ("streams", lambda: cann.batch(0),
     ValueError, r"cann.batch: streams: expected from 1 to 64, got 0"),
    ("no count", lambda: cann.batch("4"),  # type: ignore[arg-type]
     TypeError, r"cann.batch: streams: expected an integer, got '4'"),
    ("policy", lambda: cann.empty(3, policy="huge"),
     ValueError, r"cann.empty: policy: expected one of huge_first, .*, got 'huge'"),
    ("workspace", lambda: cann.op("aclnnAbs").plan(put(), put(), workspace="mine"),
     ValueError, r"aclnnAbs: workspace: expected 'shared' or 'own', got 'mine'"),
    ("device", lambda: cann.set_device(99),
     ValueError, r"cann.set_device: expected a device from ascend:0 to ascend:\d+, got 99"),
    ("device's name", lambda: cann.device_properties("cuda:0"),
     ValueError, r"cann.device_properties: expected a device from ascend:0 .*, got 'cuda:0'"),
    ("negative device", lambda: cann.empty(3, device=-1),
     ValueError, r"cann.empty: expected a device from ascend:0 .*, got -1"),
    ("address", lambda: cann.tensor(3, (1,), "f4"),
     ValueError, r"cann.tensor: address: expected a multiple of 32, got 0x3; give the address of the memory and "
     r"the rest as offset"),
    ("null", lambda: cann.tensor(0, (1,), "f4"),
     ValueError, r"cann.tensor: address: expected a multiple of 32, got 0x0"),
    ("no address", lambda: cann.tensor("x", (1,), "f4"),
     TypeError, r"cann.tensor: address: expected an int or an array of asnumpy, got 'x'"),
    ("no shape", lambda: cann.tensor(64),
     TypeError, r"cann.tensor: expected an address with shape and dtype"),
    ("length", lambda: cann.tensor(64, (-1,), "f4"),
     ValueError, r"cann.tensor: shape: expected integers of at least 0, got \(-1,\)"),
    ("stride", lambda: cann.tensor(64, (2,), "f4", (-1,)),
     ValueError, r"cann.tensor: strides: expected integers of at least 0, got \(-1,\)"),
    ("strides", lambda: cann.tensor(64, (2, 2), "f4", (1,)),
     ValueError, r"cann.tensor: strides: expected 2, one per axis, got \(1,\)"),
    ("offset", lambda: cann.tensor(64, (2,), "f4", offset=1.5),  # type: ignore[arg-type]
     TypeError, r"cann.tensor: offset: expected integers, got 1.5"),
    ("storage", lambda: cann.tensor(64, (4,), "f4", (2,), storage=(6,)),
     ValueError, r"cann.tensor: storage: expected at least 7 elements for this view, got \(6,\)"),
    ("strided target", lambda: cann.write(cann.tensor(put((4,)).address, (2,), "f4", (2,)), 1),
     ValueError, r"cann.write: expected a C-contiguous tensor, got strides \(2,\)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_refused(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


def test_what_cann_refuses_names_operator_shapes_code_and_message() -> None:
    with pytest.raises(cann.CannError) as caught:
        cann.op("aclnnAdd")(put(), put((4,)), 1, put())
    error = caught.value
    assert error.code == 161002 and error.function == "aclnnAddGetWorkspaceSize" and error.message
    for word in ("ACLNN_ERR_PARAM_INVALID (161002)", "self float32[2, 3]", "other float32[4]", error.message.strip()):
        assert word in str(error)
    assert isinstance(error, RuntimeError)


def test_documented_false_leaves_dtypes_to_cann() -> None:
    op = cann.op("aclnnMatmul", documented=False)
    assert "left to CANN" in (op.__doc__ or "")
    with pytest.raises(cann.CannError, match="161002"):
        op(put(dtype="int32"), put((3, 2), "int32"), put((2, 2), "int32"), 0)


def test_two_devices_in_one_call() -> None:
    if cann.device_count() < 2:
        pytest.skip("one device only")
    other = cann.empty((2, 3), device=1)
    with pytest.raises(ValueError, match=r"aclnnAbs: out: expected an array on ascend:0 as self, got one on ascend:1"):
        cann.op("aclnnAbs")(put(), other)
