"""Functions that numba compiles take arrays and Numbers of ours, fill them, and know our names for NumPy's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

numba = pytest.importorskip("numba", reason="numba is not installed")
import compiled_functions  # noqa: E402


def with_ours() -> dict[str, Any]:
    """The file of functions as a program has it that says asnumpy instead of numpy."""
    path = Path(compiled_functions.__file__)
    names: dict[str, Any] = {"__name__": "compiled_with_ours"}
    exec(compile(re.sub(r"^(import|from) numpy", r"\1 asnumpy", path.read_text(), flags=re.M), path, "exec"), names)
    return names


OURS = with_ours()


def leaves(value: Any) -> list[Any]:
    return [leaf for one in value for leaf in leaves(one)] if isinstance(value, (list, tuple)) else [value]


@pytest.mark.filterwarnings("ignore::numba.NumbaPendingDeprecationWarning", "ignore::numba.NumbaPerformanceWarning")
@pytest.mark.filterwarnings("ignore::numba.NumbaTypeSafetyWarning")
@pytest.mark.parametrize("function", compiled_functions.FUNCTIONS, ids=lambda one: one.__name__)
def test_programs(function: Any) -> None:
    expected, made = leaves(function()), leaves(OURS[function.__name__]())
    assert len(made) == len(expected)
    for one, other in zip(made, expected, strict=True):
        if isinstance(other, str):
            assert one == other
            continue
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


@numba.njit
def doubled(a, b):
    a[:] = a + b
    return a * 2, a, b


def test_whose_arrays_come_out() -> None:
    """Ours where one of ours went in, and an argument is itself; NumPy's else."""
    a, b = ap.arange(3.0), np.ones(3)
    new, same, other = doubled(a, b)
    assert type(new) is ap.ndarray and same is a and other is b
    np.testing.assert_array_equal(ap.to_numpy(a), [1, 2, 3])
    np.testing.assert_array_equal(ap.to_numpy(new), [2, 4, 6])
    assert all(type(one) is np.ndarray for one in doubled(b, b))


def test_what_is_recorded_has_run_and_what_is_written_is_seen() -> None:
    a = ap.ones(100_000)
    b = a * 3 + 1
    later = b * 2
    doubled(b, a)
    np.testing.assert_array_equal(ap.to_numpy(later[:2]), [8, 8])
    np.testing.assert_array_equal(ap.to_numpy((b + 1)[:2]), [6, 6])
    part = b.reshape(10, -1)[:, ::7]
    doubled(part, part)
    assert float(part[3, 2]) == 10 and float(b[0]) == 10 and float(b[1]) == 5


def test_under_jit() -> None:
    @numba.njit
    def f(a):
        return np.sqrt(a) + 1

    step = ap.jit(lambda a: f(a * 2) * 3)
    for values in (np.arange(5.0), np.arange(5.0) + 2):
        np.testing.assert_allclose(ap.to_numpy(step(ap.asarray(values))), (np.sqrt(values * 2) + 1) * 3)


def test_a_call_is_counted_under_the_functions_name() -> None:
    def counted() -> int:
        return sum(one["count"] for one in ap.fallbacks() if one["function"].endswith(".doubled"))

    before = counted()
    doubled(ap.ones(3), ap.ones(3))
    assert counted() == before + 1
