"""What operators of movement, indexing, sorting and random numbers refuse: null, dtypes, too many axes, other shapes.

Each operator has one call that is accepted; every parameter of it is then spoilt in turn.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cannsim import acl
from cannsim.documented import parameters, undocumented

F = ctypes.c_float


def x(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape or (3, 4), dtype)


def i(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int64)


def ints(*given: int) -> acl.IntArray:
    return acl.IntArray(given)


def one(dtype: Any = np.float32) -> acl.Scalar:
    return acl.Scalar(1, dtype)


def pads(name: str, axes: int) -> tuple[Any, ...]:
    shape = (2, 3, 3, 3)[: axes + 1]
    return x(*shape), ints(*[0] * 2 * axes), x(*shape)


CALLS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "Permute": lambda: (x(), ints(1, 0), x(4, 3)),
    "Expand": lambda: (x(), ints(2, 3, 4), x(2, 3, 4)),
    "Flip": lambda: (x(), ints(0), x()),
    "Roll": lambda: (x(), ints(1), ints(0), x()),
    "Repeat": lambda: (x(), ints(2, 1), x(6, 4)),
    "Slice": lambda: (x(), 0, 0, 2, 1, x(2, 4)),
    "SliceV2": lambda: (x(), ints(0), ints(2), ints(0), ints(1), x(2, 4)),
    "StridedSliceAssignV2": lambda: (x(), x(2, 4), ints(0), ints(2), ints(1), ints(0)),
    "ChannelShuffle": lambda: (x(2, 4, 3), 2, x(2, 4, 3)),
    "RepeatInterleave": lambda: (x(), i(1), 0, x(0)),
    "RepeatInterleaveWithDim": lambda: (x(), i(3), 0, 0, x(0, 4)),
    "RepeatInterleaveInt": lambda: (x(), 2, 24, x(24)),
    "RepeatInterleaveIntWithDim": lambda: (x(), 2, 0, 6, x(6, 4)),
    "RepeatInterleaveTensor": lambda: (i(3), 0, i(0)),
    "ConstantPadNd": lambda: (x(), ints(1, 1), one(), x(3, 6)),
    **{
        f"{kind}Pad{n}d": (lambda kind=kind, n=n: pads(kind, n))
        for kind in ("Reflection", "Replication", "Circular")
        for n in (1, 2, 3)
        if (kind, n) != ("Circular", 1)
    },
    "Im2col": lambda: (x(2, 3, 3), ints(2, 2), ints(1, 1), ints(0, 0), ints(1, 1), x(8, 4)),
    "Arange": lambda: (acl.Scalar(0, np.int64), acl.Scalar(3, np.int64), one(np.int64), x(3)),
    "Range": lambda: (acl.Scalar(0, np.int64), acl.Scalar(2, np.int64), one(np.int64), x(3)),
    "Linspace": lambda: (acl.Scalar(0, np.float32), one(), 3, x(3)),
    "Eye": lambda: (3, 4, x()),
    "Tril": lambda: (x(), 0, x()),
    "Triu": lambda: (x(), 0, x()),
    "InplaceTril": lambda: (x(), 0),
    "InplaceTriu": lambda: (x(), 0),
    "Diag": lambda: (x(3), 0, x(3, 3)),
    "DiagFlat": lambda: (x(3), 0, x(3, 3)),
    "InplaceFillDiagonal": lambda: (x(), one(), False),
    "InplaceFillTensor": lambda: (x(), x(1)),
    "OneHot": lambda: (i(3), 4, x(1), x(1), -1, x()),
    "SWhere": lambda: (x(dtype=bool), x(), x(), x()),
    "InplaceMaskedFillScalar": lambda: (x(), x(dtype=bool), one()),
    "InplaceMaskedFillTensor": lambda: (x(), x(dtype=bool), np.array(1, np.float32)),
    "MaskedSelect": lambda: (x(), x(dtype=bool), x(12)),
    "InplaceMaskedScatter": lambda: (x(), x(dtype=bool), x(12)),
    "NonzeroV2": lambda: (x(), i(2, 12)),
    "IsInTensorScalar": lambda: (x(), one(), False, False, x(dtype=bool)),
    "IsInScalarTensor": lambda: (one(), x(), False, False, np.zeros((), bool)),
    "IndexSelect": lambda: (x(), 0, i(2), x(2, 4)),
    "GatherV2": lambda: (x(), 0, i(2), x(2, 4)),
    "Embedding": lambda: (x(), i(2), x(2, 4)),
    "Take": lambda: (x(), i(2), x(2)),
    "Gather": lambda: (x(), 0, i(2, 4), x(2, 4)),
    "GatherNd": lambda: (x(), i(2, 1), False, x(2, 4)),
    "Scatter": lambda: (x(), 0, i(2, 4), x(), 0, x()),
    "InplaceScatter": lambda: (x(), 0, i(2, 4), x(), 0),
    "ScatterValue": lambda: (x(), 0, i(2, 4), one(), 0, x()),
    "InplaceScatterValue": lambda: (x(), 0, i(2, 4), one(), 0),
    "ScatterAdd": lambda: (x(), 0, i(2, 4), x(), x()),
    "IndexAdd": lambda: (x(), 0, i(2), x(2, 4), one(), x()),
    "IndexCopy": lambda: (x(), 0, i(2), x(2, 4), x()),
    "InplaceIndexCopy": lambda: (x(), 0, i(2), x(2, 4)),
    "IndexFillTensor": lambda: (x(), 0, ints(1), one(), x()),
    "InplaceIndexFillTensor": lambda: (x(), 0, ints(1), one()),
    "InplacePut": lambda: (x(), i(2), x(2), False),
    "ScatterNd": lambda: (x(), i(2, 1), x(2, 4), x()),
    "ScatterNdUpdate": lambda: (x(), i(2, 1), x(2, 4)),
    "InplaceScatterUpdate": lambda: (x(), i(3), x(3, 2), 1),
    "Index": lambda: (x(), acl.TensorList([i(2)]), x(2, 4)),
    "IndexPutImpl": lambda: (x(), acl.TensorList([i(2)]), x(2, 4), False, False),
    "Sort": lambda: (x(), True, 0, False, x(), i(3, 4)),
    "Argsort": lambda: (x(), 0, False, i(3, 4)),
    "Topk": lambda: (x(), 2, 0, True, True, x(2, 4), i(2, 4)),
    "Kthvalue": lambda: (x(), 1, 0, False, x(4), i(4)),
    "SearchSorted": lambda: (x(4), x(), False, False, None, i(3, 4)),
    "SearchSorteds": lambda: (x(4), one(), False, False, None, np.zeros((), np.int64)),
    "Unique": lambda: (x(), True, True, x(12), i(3, 4)),
    "Unique2": lambda: (x(), True, True, True, x(12), i(3, 4), i(12)),
    "UniqueDim": lambda: (x(), True, True, 0, x(), i(3), i(3)),
    "UniqueConsecutive": lambda: (x(), True, True, 1000, x(12), i(3, 4), i(12)),
    "Bincount": lambda: (i(3), None, 0, i(3)),
    "Histc": lambda: (x(), 3, one(), one(), x(3)),
    "InplaceUniform": lambda: (x(), 0.0, 1.0, 1, 0),
    "InplaceRandom": lambda: (x(), 0, 9, 1, 0),
    "InplaceNormal": lambda: (x(), F(0.0), F(1.0), 1, 0),
    "NormalFloatFloat": lambda: (F(0.0), F(1.0), 1, 0, x()),
    "NormalFloatTensor": lambda: (F(0.0), x(), 1, 0, x()),
    "NormalTensorFloat": lambda: (x(), F(1.0), 1, 0, x()),
    "NormalTensorTensor": lambda: (x(), x(), 1, 0, x()),
    "Bernoulli": lambda: (x(), one(), 1, 0, x()),
    "InplaceBernoulli": lambda: (x(), one(), 1, 0),
    "BernoulliTensor": lambda: (x(), x(), 1, 0, x()),
    "InplaceBernoulliTensor": lambda: (x(), x(), 1, 0),
    "Randperm": lambda: (3, 1, 0, x(3)),
    "Multinomial": lambda: (np.ones((3, 4), np.float32), 2, True, 1, 0, i(3, 2)),
    "Dropout": lambda: (x(), 0.5, True, 1, 0, x(), x(16, dtype=np.uint8)),
    "DropoutGenMask": lambda: (ints(3, 4), 0.5, 1, 0, x(16, dtype=np.uint8)),
    "DropoutGenMaskV2": lambda: (ints(3, 4), 0.5, 1, 0, 0, x(16, dtype=np.uint8)),
    "DropoutDoMask": lambda: (x(), x(16, dtype=np.uint8), 0.5, x()),
}
# Outputs that may have any shape, or be larger than what is written.
ROOMY = {"Unique", "Unique2", "UniqueDim", "UniqueConsecutive", "Bincount", "MaskedSelect", "NonzeroV2"}
ROOMY |= {"DropoutGenMask", "DropoutGenMaskV2", "NormalFloatFloat"}


def spoilt(name: str, position: int, value: Any) -> tuple[Any, ...]:
    given = list(CALLS[name]())
    given[position] = value
    return tuple(given)


def tensors(name: str) -> list[tuple[int, dict[str, Any], np.ndarray]]:
    given = CALLS[name]()
    return [
        (n, facts, given[n]) for n, facts in enumerate(parameters("aclnn" + name)) if isinstance(given[n], np.ndarray)
    ]


@pytest.mark.parametrize("name", CALLS)
def test_accepted(name):
    before = acl.sim.cannsim_findings(None)
    acl.run("aclnn" + name, *CALLS[name]())
    assert acl.sim.cannsim_findings(None) == before


@pytest.mark.parametrize("name", CALLS)
def test_null(name):
    for position, facts in enumerate(parameters("aclnn" + name)):
        given = CALLS[name]()[position]
        if isinstance(given, np.ndarray) or hasattr(given, "handle"):
            if "Optional" in facts["name"] or facts["type"] == "aclTensorList*":
                continue
            with acl.refused(161001, "aclnn" + name, facts["name"]):
                acl.run("aclnn" + name, *spoilt(name, position, None))


@pytest.mark.parametrize("name", CALLS)
def test_undocumented_dtypes(name):
    for position, facts, given in tensors(name):
        dtype = undocumented("aclnn" + name, facts["name"]) if "dtypes" in facts else None
        if dtype is not None:
            with acl.refused(161002, "aclnn" + name, facts["name"]):
                acl.run("aclnn" + name, *spoilt(name, position, given.astype(dtype)))


@pytest.mark.parametrize("name", CALLS)
def test_nine_axes(name):
    for position, facts, given in tensors(name):
        if given.size:
            with acl.refused(161002, "aclnn" + name, facts["name"]):
                acl.run("aclnn" + name, *spoilt(name, position, given.reshape((1,) * (9 - given.ndim) + given.shape)))


@pytest.mark.parametrize("name", CALLS)
def test_outputs_of_another_shape(name):
    if name in ROOMY:
        return
    for position, facts, given in tensors(name):
        if facts.get("dir") == "out" and name + facts["name"] != "DropoutmaskOut":
            other = np.zeros((*given.shape[:-1], given.shape[-1] + 1) if given.ndim else (2,), given.dtype)
            with acl.refused(161002, "aclnn" + name):
                acl.run("aclnn" + name, *spoilt(name, position, other))
