"""Few elements, wherever they lie: results have NumPy's bits, order in memory and errors, in place as well."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from agreement import sample

import asnumpy as ap

DTYPES = [
    "bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128",
    "longdouble", "clongdouble",
]
# About the blocks in which what lies apart is gathered, the lines taken one by one, and the sizes that are recorded.
LENGTHS = [0, 1, 2, 15, 16, 17, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1025, 2048, 2049, 4095, 4096, 4097]

Layout = tuple[tuple[int, ...], Callable[[Any], Any]]


def vectors(n: int) -> dict[str, Layout]:
    """Ways in which n elements lie: the shape of what they are a view of, and the view."""
    return {
        "side by side": ((n,), lambda a: a),
        "every second": ((2 * n,), lambda a: a[::2]),
        "every third from the end": ((3 * n,), lambda a: a[::-3]),
        "backwards": ((n,), lambda a: a[::-1]),
        "from the second": ((n + 1,), lambda a: a[1:]),
        "a column": ((n, 3), lambda a: a[:, 1]),
    }


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


def agree(ours: Any, theirs: Any) -> None:
    found = ap.to_numpy(ours)
    assert found.dtype == theirs.dtype
    assert found.shape == theirs.shape
    assert ours.strides == theirs.strides
    if found.dtype.itemsize <= 16 and found.dtype != np.longdouble:  # of long doubles some bytes mean nothing
        assert found.tobytes() == theirs.tobytes()
    else:
        np.testing.assert_array_equal(found, theirs)


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


# --- picked, counted and added up ---

INDICES: dict[str, Layout] = {**vectors(300), "more": ((5000,), lambda a: a), "none": ((0,), lambda a: a)}


@pytest.mark.parametrize("layout", INDICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_additions_at_places(layout: str, dtype: str) -> None:
    shape, view = INDICES[layout]
    places, values = sample(shape, "int64") % 40 - 20, sample(shape, dtype, 2)
    for length, step in ((40, 1), (80, 2), (40, -1)):
        results = []
        for xp in (ap, np):
            target = xp.array(sample(length, dtype, 3))
            xp.add.at(target[::step], view(xp.array(places)), view(xp.array(values)))
            xp.add.at(target[::step], view(xp.array(places)), 1)
            results.append(target)
        agree(*results)


def test_additions_that_share_memory_or_miss() -> None:
    for xp in (ap, np):
        numbers = xp.arange(6)
        xp.add.at(numbers, numbers, numbers)  # NumPy's order, whatever it is
        moved = xp.arange(8.0)
        xp.add.at(moved[1:], xp.array([0, 1, 2, 2]), moved[:4])
        assert [int(n) for n in numbers] == [0, 2, 4, 6, 8, 10]
        assert [float(x) for x in moved] == [float(x) for x in _added()]
        target = xp.zeros(4)
        for wrong in ([0, 4], [0, -5]):
            with pytest.raises(IndexError):
                xp.add.at(target, xp.array(wrong), xp.ones(2))
        with pytest.raises(ValueError):
            xp.add.at(target, xp.array([0, 1, 2]), xp.ones(2))
        assert not target.any()


def _added() -> np.ndarray:
    moved = np.arange(8.0)
    np.add.at(moved[1:], [0, 1, 2, 2], moved[:4])
    return moved


def test_integers_run_over_where_they_are_added_up() -> None:
    for dtype in ("int32", "int64"):
        most = np.iinfo(dtype).max
        results = []
        for xp in (ap, np):
            target = xp.full(3, most, dtype=dtype)
            xp.add.at(target, xp.array([1, 1, -1]), xp.array([1, most, 2], dtype=dtype))
            results.append(target)
        agree(*results)


@pytest.mark.parametrize("n", [0, 1, 511, 513, 1000, 4096, 4097, 6000])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128", "clongdouble"])
def test_elements_at_places(n: int, dtype: str) -> None:
    places = np.random.default_rng(n).integers(-700, 700, n)
    values = sample(1400, dtype)
    for key in (places, places[::-1], np.repeat(places, 2)[::2]):
        for step in (1, 2, -1):
            mine, theirs = ap.array(values)[::step], values.copy()[::step]
            there = key if theirs.size == 1400 else key // 2
            agree(mine[ap.array(there)], theirs[there])
            unique = np.unique(there % theirs.size)
            mine[ap.array(unique)] = ap.array(values[: unique.size])
            theirs[unique] = values[: unique.size]
            agree(mine, theirs)
    for wrong in (1400, -1401):
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 0 with size 1400"):
            ap.array(values)[ap.array([*places, wrong])]


@pytest.mark.parametrize("index", ["uint8", "int8", "int32", "int64", "uint64"])
def test_tables_of_pictures(index: str) -> None:
    """A table looked up by an array of several axes."""
    pictures = [sample((64, 64), index) % 12, np.asfortranarray(sample((7, 5), index) % 12), sample((3, 0, 2), index)]
    pictures += [(sample((2, 3, 4), index) % 12)[:, ::2], (sample((1, 1), index) % 12)]
    for table in (sample(12, "uint8"), sample((12, 3), "float64"), sample((12, 2, 2), "int16")[:, ::-1]):
        for picture in pictures:
            found, expected = ap.array(table)[ap.array(picture)], table[picture]
            np.testing.assert_array_equal(ap.to_numpy(found), expected)
            assert found.dtype == expected.dtype
        with pytest.raises(IndexError):
            ap.array(table)[ap.array(np.full((2, 2), 12, index))]
    with pytest.raises(IndexError):
        ap.array(np.zeros(()))[ap.array(pictures[0])]


@pytest.mark.parametrize("index", ["uint8", "int8", "uint16", "int32", "uint32", "int64"])
@pytest.mark.parametrize("n", [0, 1, 300, 4095, 4096, 16383, 16384, 20000])
def test_counts(n: int, index: str) -> None:
    for values in (sample(n, index) % 12, (sample(2 * n, index) % 12)[::-2]):
        weights = sample(n, "float64", 1)
        for least in (0, 5, 40):
            agree(ap.bincount(ap.array(values), minlength=least), np.bincount(values, minlength=least))
            mine = ap.bincount(ap.array(values), ap.array(weights), least)
            agree(mine, np.bincount(values, weights, least))
    if np.dtype(index).kind == "i":
        with pytest.raises(ValueError):
            ap.bincount(ap.array(np.array([1, -1], index)))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_sums_of_runs(dtype: str, step: int) -> None:
    rng = np.random.default_rng(step + 7)
    for length in (1, 9, 300, 3000):
        values = (rng.standard_normal(length * abs(step)) * 1000).astype(dtype)
        values[rng.integers(0, values.size, 1 + values.size // 5)] = -0.0 if values.dtype.kind in "fc" else 0
        for starts in ([0], [length - 1, 0], sorted(rng.integers(0, length, 40)), rng.integers(0, length, 40), []):
            places = np.array(starts, np.int64)
            mine, theirs = ap.array(values)[::step], values[::step]
            agree(ap.add.reduceat(mine, ap.array(places)), np.add.reduceat(theirs, places))
            agree(ap.add.reduceat(mine, ap.array(np.repeat(places, 2))[::2]), np.add.reduceat(theirs, places))
        for wrong in (length, -1):
            with pytest.raises(IndexError):
                ap.add.reduceat(ap.array(values)[::step], ap.array([0, wrong]))
    zeros = np.full(20, -0.0)
    agree(ap.add.reduceat(ap.array(zeros), ap.array([0, 9, 10])), np.add.reduceat(zeros, [0, 9, 10]))
    with pytest.raises(TypeError):
        ap.add.reduceat(ap.array([1.0]), ap.array([0]), axis=0.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["mixed", "on edges", "tiny", "huge", "equal", "with NaN"])
def test_histograms_of_few(kind: str, dtype: str) -> None:
    rng = np.random.default_rng(5)
    for n in (1, 7, 1000, 4095):
        values = {
            "mixed": rng.standard_normal(n), "on edges": rng.integers(0, 11, n) / 10, "tiny": rng.random(n) * 1e-44,
            "huge": rng.standard_normal(n) * 1e38, "equal": np.full(n, 3.0),
            "with NaN": np.where(rng.random(n) < 0.1, np.nan, rng.random(n)),
        }[kind].astype(dtype)
        weights = rng.standard_normal(n)
        for bins in (1, 10, 37, 4096):
            for given in ({"range": (0.1, 0.7)}, {"density": True, "range": (0, 1)}, {}):
                for extra in ({}, {"weights": weights}):
                    outcome: list[Any] = []
                    for xp in (ap, np):
                        more = {key: xp.array(one) for key, one in extra.items()}
                        try:
                            with np.errstate(all="ignore"):
                                outcome.append(xp.histogram(xp.array(values)[::-1], bins, **given, **more))
                        except (IndexError, ValueError) as refused:  # NumPy's own arithmetic may run over
                            outcome.append(repr(refused))
                    if isinstance(outcome[1], str):
                        assert outcome[0] == outcome[1]
                        continue
                    for mine, theirs in zip(*outcome, strict=True):
                        agree(mine, theirs)
