"""Code that takes operands of one number as such: constants, arrays of no axis, and columns beside rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from both_ways import WITH_CODE, arrays, in_both

import asnumpy as ap
from asnumpy import config
from asnumpy.compiled import _cpp, _service
from asnumpy.compiled._program import Program, Step

pytestmark = WITH_CODE


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The numbers of the code that is made from now on."""
    numbers: list[tuple[int, ...]] = []
    source = _service.source

    def seen(coded: Any) -> str:
        numbers.append(coded.numbers)
        return source(coded)

    monkeypatch.setattr(_service, "source", seen)
    return numbers


def polynomial(x: Any, y: Any, z: Any, more: int) -> Any:
    """For each `more` a program of its own: code is made for what all launches of a program so far have in common."""
    result = ((x * y + z) * y - x) * z + y
    for _ in range(more):
        result = result * x + z
    return result


def given(dtype: str, *shape: int) -> Any:
    (one,) = arrays(*shape, count=1)
    return ap.asarray(np.asarray(one).real.astype(dtype))


def test_a_number_is_read_once_and_not_element_by_element() -> None:
    steps = Step("multiply", 0, (0, 1), (2,), ("float64",)), Step("add", 0, (2, 1), (3,), ("float64",))
    text = _cpp.source({"f": Program(("float64", "float64"), steps, (3,), (), (1,))})
    assert "double const x1 = ops::load(static_cast<const double*>(in[1]), 0);" in text
    assert "ops::load(from0, i)" in text and "from1" not in text


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("rows, columns", [(9, 700), (1, 1), (1, 4099), (700, 9)])
def test_numbers_beside_arrays(dtype: str, rows: int, columns: int, taken: list[tuple[int, ...]]) -> None:
    x, row, column, single = given(dtype, rows, columns), given(dtype, columns), given(dtype, rows, 1), given(dtype)

    def run() -> list[Any]:
        operands = [(x, row, column), (x, single, column), (x, column, single), (column, x, row), (x, x, single)]
        return [polynomial(*one, more) for more, one in enumerate(operands)]

    in_both(run)
    if (rows, columns) == (9, 700):
        assert any(taken) == (dtype not in ("f2", "c8", "c16"))


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("shape", [(3, 5003), (601, 12), (12, 601), (40, 30, 20)])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_numbers_in_what_is_reduced(dtype: str, shape: tuple[int, ...], axis: int | None) -> None:
    x, column, single = given(dtype, *shape), given(dtype, *shape[:-1], 1), given(dtype)

    def run() -> list[Any]:
        both = polynomial(x, single, column, 5)
        return [
            both.sum(axis),
            ((x - column) * single + 1).max(axis),
            (x * single + column).sum(axis, keepdims=True) * 2,
        ]

    in_both(run)


def test_what_was_a_number_and_is_one_no_more(taken: list[tuple[int, ...]]) -> None:
    """The code that took it for one is not taken for arrays; other code comes, which suits both."""
    x, y, z = arrays(6007, dtype="f8")
    number, other = ap.asarray(0.75), ap.asarray(2.0)
    operands = [(x, number, z), (x, number, other), (x, y, z), (x, number, z), (y, x, number)]
    with config.using(machine_code="wait"):
        got = [np.asarray(polynomial(*one, 6)).copy() for one in [*operands, *operands]]
    with config.using(machine_code="off"):
        wanted = [np.asarray(polynomial(*one, 6)).copy() for one in [*operands, *operands]]
    assert [one.tobytes() for one in got] == [one.tobytes() for one in wanted]
    assert taken == [(1,), ()]


def test_an_array_that_numbers_of_its_own_change() -> None:
    """Each row by its first element, which is overwritten with the others, and the pivot's row by the pivot."""
    (start,) = arrays(60, 700, dtype="f8", count=1)

    def run() -> list[Any]:
        x = start.copy()
        for k in range(3):
            x[k] = (x[k] / x[k, k] + 1) * x[k, k + 1]
            x[k + 1 :] -= (x[k + 1 :, k : k + 1] * 0.5 + 1) * x[k]
            x[:, k + 1 :] = (x[:, k + 1 :] - x[:, k : k + 1]) * x[:, :1] + x[0, 0]
        return [x]

    in_both(run)


def test_a_number_that_is_the_result() -> None:
    (x,) = arrays(5003, dtype="f8", count=1)

    def run() -> list[Any]:
        total = ap.asarray(0.5)
        for _ in range(3):
            ap.sum(x * total + total, out=total)
            total /= 1000
        return [total]

    in_both(run)


def test_rows_that_become_shorter(taken: list[tuple[int, ...]]) -> None:
    """In a loop over columns: the last rows are too short for a call each, and run without the code."""
    (start,) = arrays(130, 260, dtype="f8", count=1)

    def run() -> list[Any]:
        x = start.copy()
        for k in range(0, 255, 15):
            x[:, k + 1 :] -= (x[:, k, None] * x[k // 2, k + 1 :] + 0.5) * x[:, k, None] * 0.25
        return [x]

    in_both(run)
    assert any(taken)


def test_rows_that_are_short_share_a_tile(taken: list[tuple[int, ...]]) -> None:
    x, row, column = (given("f8", *shape) for shape in [(3000, 9), (9,), (3000, 1)])
    in_both(lambda: [(polynomial(x, row, column, 7) + 0.5) * 0.25 - x])
    assert taken == [(3, 4)]
