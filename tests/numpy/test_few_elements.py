"""Few elements, wherever they lie: results have NumPy's bits, order in memory and errors, in place as well."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from agreement import sample
from few_elements import DTYPES, LENGTHS, Layout, agree, vectors

import asnumpy as ap

MATRICES: dict[str, Layout] = {
    "a window": ((14, 70), lambda a: a[1:-1, 2:-3]),
    "a window turned": ((40, 9), lambda a: a[2:, 1:-1].T),
    "turned": ((33, 12), lambda a: a.T),
    "many short lines": ((400, 3), lambda a: a[:, :2]),
    "few long columns": ((500, 4), lambda a: a[:, 1:3]),
    "backwards": ((7, 90), lambda a: a[::-1, ::-2]),
    "Fortran order": ((20, 30), lambda a: a.copy(order="F")),
    "three axes": ((4, 5, 60), lambda a: a[::2, 1:, ::3]),
    "three axes moved": ((6, 8, 20), lambda a: a.transpose(1, 2, 0)[1:, 2:]),
    "axes of length one": ((1, 9, 1, 30), lambda a: a[:, ::2, :, 3:]),
    "six axes": ((2, 3, 2, 3, 2, 10), lambda a: a[:, 1:, ::-1, ::2, :, ::3]),
    "one element": ((3, 4), lambda a: a[1:2, 2:3]),
    "none": ((3, 4), lambda a: a[1:1, ::2]),
}


def both(shape: tuple[int, ...], dtype: Any, view: Callable[[Any], Any], seed: int = 0) -> tuple[Any, Any]:
    """The view of ours and NumPy's, of equal elements."""
    values = sample(shape, dtype, seed)
    return view(ap.array(values)), view(values.copy())


def compare(work: Callable[..., Any], ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = work(np, *theirs), work(ap, *ours)
    for one, other in zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]:
        agree(one, other)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "one": lambda xp, a, b: xp.square(a),
    "two": lambda xp, a, b: xp.add(a, b),
    "a number": lambda xp, a, b: a * 2,
    "a number first": lambda xp, a, b: xp.maximum(1, b),
    "to bool": lambda xp, a, b: a == b,
    "where": lambda xp, a, b: xp.where(a != 0, a, b),
    "where a number": lambda xp, a, b: xp.where(a != 0, 0, b),
    "copy": lambda xp, a, b: a.copy(),
    "copy in order": lambda xp, a, b: xp.copy(b),
    "another dtype": lambda xp, a, b: b.astype(xp.complex128),
    "mixed dtypes": lambda xp, a, b: xp.multiply(a, (b != 0)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_vectors(name: str, dtype: str) -> None:
    for n in LENGTHS:
        layouts = list(vectors(n).values())
        for k, (shape, view) in enumerate(layouts):
            other_shape, other_view = layouts[(k * 5 + 2) % len(layouts)]
            a, p = both(shape, dtype, view)
            b, q = both(other_shape, dtype, other_view, 1)
            compare(OPERATIONS[name], (a, b), (p, q))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", MATRICES)
def test_matrices(layout: str, dtype: str) -> None:
    shape, view = MATRICES[layout]
    a, p = both(shape, dtype, view)
    for b, q in (both(shape, dtype, view, 1), both(p.shape, dtype, lambda x: x, 1)):
        for work in OPERATIONS.values():
            compare(work, (a, b), (p, q))


PLANES = ((2, 3), (30, 30), (64, 20), (65, 20), (16, 200), (3, 700))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", PLANES, ids=str)
def test_windows_beside_rows_columns_and_windows(shape: tuple[int, int], dtype: str) -> None:
    """Lines that the loop reads where they lie, one element over and over, or apart; into new arrays and given ones."""
    n, m = shape
    a, p = both((n + 2, m + 2), dtype, lambda x: x[1:-1, 1:-1])
    beside: list[Layout] = [
        ((m,), lambda x: x), ((n, 1), lambda x: x), ((1, 1), lambda x: x), ((n, 5), lambda x: x[:, 2:3]),
        ((m, 3), lambda x: x[:, 1]), ((n + 1, m + 3), lambda x: x[1:, 2:-1]),
        ((m + 2, n + 2), lambda x: x.T[1:-1, 1:-1]), ((n, m), lambda x: x[::-1]),
    ]  # fmt: skip
    for k, (other_shape, view) in enumerate(beside):
        b, q = both(other_shape, dtype, view, k + 1)
        for work in OPERATIONS.values():
            compare(lambda xp, a, b, work=work: work(xp, a, b + a), (a, b), (p, q))
            compare(lambda xp, a, b, work=work: work(xp, b + a, a), (a, b), (p, q))
        ours, theirs = both((n + 2, m + 2), dtype, lambda x: x, k + 20)
        compare(lambda xp, a, b, to: xp.add(a, b, out=to[1:-1, 1:-1]), (a, b, ours), (p, q, theirs))
        for step in (1, 2):
            with np.errstate(all="ignore"):
                ours[step : n + step, 1:-1] *= b
                theirs[step : n + step, 1:-1] *= q
            ours[1:-1, step : m + step] = b
            theirs[1:-1, step : m + step] = q
        agree(ours, theirs)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128"])
def test_numbers_come_and_go(dtype: str) -> None:
    """More numbers than are kept as operands, of several dtypes and for several lengths, and each again."""
    numbers = (0.0, -0.0, 1.5, 2, 3, 3.0, float("nan"), float("inf"), 1e-3, -7, 2**20, True)
    for n in (5, 700, 100, 2000, 512, 3):
        a, p = both((n,), dtype, lambda x: x, n)
        i, j = both((n,), "int64", lambda x: x, n)
        for number in (*numbers, *reversed(numbers)):
            compare(lambda xp, a, i, k=number: (a * k, k - a, i + k, xp.where(i > 2, k, 4), a * k + i), (a, i), (p, j))
            if dtype.startswith("float"):
                compare(lambda xp, a, k=number: (xp.copysign(a, k), xp.copysign(k, a)), (a,), (p,))


@pytest.mark.parametrize("layout", MATRICES)
@pytest.mark.parametrize("name", ["modf", "frexp", "divmod"])
def test_two_results(name: str, layout: str) -> None:
    shape, view = MATRICES[layout]
    a, p = both(shape, "float64", view)
    second = {"divmod": (3.0,)}.get(name, ())
    compare(lambda xp, x: getattr(xp, name)(x, *second), (a,), (p,))


def test_halves_of_another_library() -> None:
    values = np.arange(-40, 40).astype(ml_dtypes.bfloat16)
    expected = (values[::2] + values[::-2]).tobytes()
    mine = ap.array(values)
    assert ap.to_numpy(mine[::2] + mine[::-2]).tobytes() == expected


IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "the same": lambda xp, a: xp.add(a, a, out=a),
    "the same, apart": lambda xp, a: xp.add(a[::2], 1, out=a[::2]),
    "the same, backwards": lambda xp, a: xp.multiply(a[::-1], 2, out=a[::-1]),
    "even from odd": lambda xp, a: xp.add(a[::2][: a.shape[0] // 2], a[1::2], out=a[1::2]),
    "from the one before": lambda xp, a: xp.add(a[1:], a[:-1], out=a[1:]),
    "from the one after": lambda xp, a: xp.add(a[1:], a[:-1], out=a[:-1]),
    "from the other end": lambda xp, a: xp.add(a, a[::-1], out=a),
    "steps that meet": lambda xp, a: xp.maximum(a[::3], a[: a[::3].shape[0]], out=a[::3]),
    "a column from another": lambda xp, a: xp.add(a.reshape(-1, 1)[:, 0], a, out=a),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "float64", "complex128"])
def test_in_place(name: str, dtype: str) -> None:
    for n in LENGTHS:
        a, p = both((n,), dtype, lambda x: x)
        compare(IN_PLACE[name], (a,), (p,))
        agree(a, p)


ASSIGNED: dict[str, Callable[[Any], Any]] = {
    "a number apart": lambda a: a.__setitem__(slice(None, None, 3), 5),
    "a number backwards": lambda a: a.__setitem__(slice(None, None, -2), 1),
    "shifted up": lambda a: a.__setitem__(slice(1, None), a[:-1]),
    "shifted down": lambda a: a.__setitem__(slice(None, -1), a[1:]),
    "turned round": lambda a: a.__setitem__(slice(None), a[::-1]),
    "itself": lambda a: a.__setitem__(slice(None, None, 2), a[::2]),
    "another dtype": lambda a: a.__setitem__(slice(None, None, 2), (a[::2] != 0)),
    "one element to all": lambda a: a.__setitem__(slice(None, None, 2), a[:1]),
}


@pytest.mark.parametrize("name", ASSIGNED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_assignment(name: str, dtype: str) -> None:
    for n in LENGTHS:
        if n == 0 and name == "one element to all":
            continue
        a, p = both((n,), dtype, lambda x: x)
        ASSIGNED[name](a)
        ASSIGNED[name](p)
        agree(a, p)


SHIFTED: dict[str, Callable[..., Any]] = {
    "up": lambda xp, a: a.__setitem__(slice(1, None), a[:-1]),
    "within a window": lambda xp, a: a[2:9, 1:].__setitem__(..., a[1:8, :-1]),
    "added to": lambda xp, a: a[1:].__iadd__(a[:-1]),
    "into steps": lambda xp, a: a[1:-1:2].__iadd__(a[: (len(a) - 1) // 2]),
    "both sides": lambda xp, a: xp.maximum(a[:-2], a[2:], out=a[1:-1]),
    "another dtype": lambda xp, a: xp.add(a[:-1], xp.ones(a[:-1].shape, "int8"), out=a[1:]),
}


@pytest.mark.parametrize("dtype", ["float64", "int16", "complex128"])
@pytest.mark.parametrize("name", SHIFTED)
def test_matrices_are_written_where_they_are_read(name: str, dtype: str) -> None:
    for view in (lambda a: a, lambda a: a[::-1, ::2], lambda a: a.T):
        a, p = both((60, 50), dtype, view)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            SHIFTED[name](np, p)
            SHIFTED[name](ap, a)
        agree(a, p)


@pytest.mark.parametrize("layout", [name for name in MATRICES if name != "Fortran order"])  # which would be a copy
def test_windows_are_written(layout: str) -> None:
    shape, view = MATRICES[layout]
    mine, theirs = ap.array(sample(shape, "float64")), sample(shape, "float64")
    values = sample(view(theirs).shape, "float64", 3)
    view(mine)[...] = ap.array(values)
    view(theirs)[...] = values
    agree(mine, theirs)
    window, other = view(mine), view(theirs)
    window *= window
    other *= other
    view(mine)[...] = 7
    view(theirs)[...] = 7
    agree(mine, theirs)


def test_rows_are_broadcast_where_they_are_written() -> None:
    mine, theirs = ap.zeros((9, 50)), np.zeros((9, 50))
    for xp, a in ((ap, mine), (np, theirs)):
        a[1:-1, ::2] = xp.arange(25.0)
        a[:, 1] = xp.arange(9.0)[::-1]
        a[::3] += a[1]
        a[2:, 3:] -= a[2:, 3:4]
    agree(mine, theirs)


def test_outputs_that_overlap_themselves_keep_their_order() -> None:
    values = np.arange(40.0)
    results = []
    for xp in (ap, np):
        buffer = xp.zeros(30)
        target = xp.lib.stride_tricks.as_strided(buffer, (10, 4), (8, 8))
        xp.add(xp.array(values).reshape(10, 4), 1, out=target)
        results.append(buffer)
    agree(*results)


def test_masks_and_casts_of_outputs() -> None:
    for layout, (shape, view) in MATRICES.items():
        if layout == "Fortran order":
            continue
        results = []
        for xp in (ap, np):
            a, b = xp.array(sample(shape, "int32")), xp.array(sample(shape, "float64", 1))
            out = xp.full(shape, 9.5, dtype="complex64")
            xp.add(view(a), view(b), out=view(out), where=view(a) > 0, casting="same_kind")
            results.append(out)
        agree(*results)


def test_errors_are_numpys() -> None:
    for xp in (ap, np):
        a = xp.zeros(40)
        with pytest.raises(ValueError, match="broadcast"):
            xp.add(a[::2], a[::3])
        with pytest.raises(ValueError, match="broadcast"):
            xp.add(a[::2], 1, out=a[::3])
        with pytest.raises(ValueError, match="broadcast"):
            a[::2] = xp.zeros(7)
        with pytest.raises(TypeError):
            xp.add(a[::2], 1j, out=a[::2])
        fixed = a[::2]
        fixed.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            xp.add(fixed, 1, out=fixed)
        assert not a.any()


def test_what_is_recorded_comes_first() -> None:
    """Few elements of an array that waits for work, or that recorded work still reads."""
    results = []
    for xp in (ap, np):
        big = xp.arange(20000.0)
        doubled = big * 2
        head = doubled[:2000:2] + 1
        big[::20] = -1.0
        big[1:1000:3] += doubled[1:1000:3]
        results.append((head, big, doubled))
    for mine, theirs in zip(*results, strict=True):
        agree(mine, theirs)
