"""A program that spends its time on the device's AICPU is told once; what must lie in C order does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from device_marks import needs_simulator

import asnumpy as ap
from asnumpy import cannsim

pytestmark = needs_simulator

PROGRAM = """
import asnumpy as ap
ap.config.fallback = "{policy}"
x = ap.ones((1 << 20,), "{dtype}", device="ascend:0")
for _ in range(400):
    x = x + x[0]
    ap.synchronize()
"""


def told(dtype: str, policy: str = "warn") -> list[str]:
    program = PROGRAM.format(dtype=dtype, policy=policy)
    quick = os.environ | {"CANNSIM_COMPUTE": "0"}
    done = subprocess.run([sys.executable, "-c", program], env=quick, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "AICPU" in line and "asnumpy.config.float" in line]


def test_it_is_told_once_with_the_remedy() -> None:
    (line,) = told("float64")
    assert "ascend:0" in line and "aclnnAdd" in line


def test_fast_dtypes_and_quiet_programs_are_told_nothing() -> None:
    assert told("float32") == told("int64") == told("float64", "count") == []


def test_results_with_strides_where_cann_takes_none() -> None:
    plain = np.array([[1.0, np.inf, -np.inf], [np.nan, 2.0, np.inf]], np.float32)
    x = ap.from_numpy(plain, device="ascend:0")
    out = ap.ones((3, 4), bool, device="ascend:0")
    ap.isinf(x, out=out.T[:2, :3])
    expected = np.ones((3, 4), bool)
    np.isinf(plain, out=expected.T[:2, :3])
    np.testing.assert_array_equal(ap.to_numpy(out), expected)
    assert not [one for one in ap.demotions() if "IsInf" in one["what"]]


def numbers(dtype: str, seed: int) -> np.ndarray:
    """A thousand, some of them the ends of the dtype's range, some equal."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(1000) < 0.5
    if dtype == "float32":
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40, 3e38, 1.0, 8.0]
        made = np.ldexp(rng.standard_normal(1000), rng.integers(-140, 120, 1000)).astype(np.float32)
        made[rng.permutation(1000)[:100]] = np.repeat(np.array(special, np.float32), 10)
        return made
    limits = np.iinfo(dtype)
    made = rng.integers(limits.min, limits.max, 1000, dtype, endpoint=True)
    ends = np.array([limits.min, limits.max, 0, 1, limits.max // 2, 7], dtype)
    made[rng.permutation(1000)[:60]] = ends.repeat(10)
    return made


def put(x: Any, y: Any) -> Any:
    """With places that come several times: the last one stays."""
    made = x.copy()
    made[np.arange(1000) * 7 % 300] = y
    return made


IN_ANOTHER_WAY: list[tuple[str, str, Callable[..., Any]]] = [
    *((name, dtype, lambda xp, x, y, name=name: getattr(xp, name)(x, y)) for name, dtypes in {
        "add": "int16 uint16", "multiply": "int16", "maximum": "int16 uint8 uint64", "bitwise_and": "int8 uint8",
        "less": "bool int16 int64 uint64", "less_equal": "bool int64 uint64", "greater": "bool int64",
        "greater_equal": "bool uint64", "equal": "int16", "hypot": "float32", "nextafter": "float32",
    }.items() for dtype in dtypes.split()),
    *((name, dtype, lambda xp, x, y, name=name: getattr(xp, name)(x)) for name, dtypes in {
        "invert": "int32 int64 uint8", "bitwise_count": "int32 uint32 int8", "frexp": "float32", "cbrt": "float32",
        "argmin": "bool int8 int32", "argmax": "bool uint8", "max": "int16",
        "sort": "bool int8 uint16 int32 uint32 int64 uint64",
    }.items() for dtype in dtypes.split()),
    *(("where", dtype, lambda xp, x, y: xp.where(xp.asarray(x == x), x, y)) for dtype in "bool int16 uint64".split()),
    ("argsort", "int32", lambda xp, x, y: xp.argsort(x, kind="stable")),
    ("ldexp", "float32", lambda xp, x, y: xp.ldexp(x, xp.asarray(np.arange(1000, dtype=np.int32) * 37 % 701 - 350))),
    ("put", "float32", lambda xp, x, y: put(x, y)),
]


@pytest.mark.parametrize("name, dtype, work", IN_ANOTHER_WAY, ids=lambda one: one if isinstance(one, str) else "")
def test_what_the_ai_cores_do_in_another_way(name: str, dtype: str, work: Callable[..., Any]) -> None:
    """Where an operator of the dtype itself would run on the AICPU, others are called that do not."""
    x, y = numbers(dtype, 1), numbers(dtype, 2)
    on_device = [ap.from_numpy(one, device="ascend:0") for one in (x, y)]
    ap.synchronize()
    cannsim.clear()
    ap.forget_fallbacks()
    got = work(ap, *on_device)
    ap.eval(*(got if isinstance(got, tuple) else (got,)))
    ap.synchronize()
    assert [task["name"] for task in cannsim.report()["tasks"] if task["aicpu"]] == []
    assert [one for one in ap.fallbacks() if one["kind"] != "copy"] == []
    with np.errstate(all="ignore"):
        expected = work(np, x, y)
    for one, wanted in zip(*((many if isinstance(many, tuple) else (many,)) for many in (got, expected)), strict=True):
        if name in ("hypot", "cbrt"):
            np.testing.assert_allclose(ap.to_numpy(one), wanted, rtol=5e-7)
        else:
            np.testing.assert_array_equal(ap.to_numpy(one), wanted)


def test_long_products_of_integers_are_few_calls() -> None:
    x, y = numbers("int32", 1).repeat(300), numbers("int32", 2).repeat(300)
    on_device = [ap.from_numpy(one, device="ascend:0") for one in (x, y)]
    cannsim.clear()
    assert int(ap.dot(*on_device)) == int(np.dot(x, y))
    assert sum(task["count"] for task in cannsim.report()["tasks"]) < 200  # of 256 terms each would be thousands
