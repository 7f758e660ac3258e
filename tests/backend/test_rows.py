"""Every elementwise row, every loop, every layout of its operands, against NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from seeded import generator

import asnumpy as ap
from asnumpy import _core
from asnumpy.check._edges import edges, is_float, operands
from asnumpy.check._oracle import evaluate, has_oracle, mismatches, report, suitable

ROWS = {row["name"]: row for row in _core.rows() if row["kind"] == "elementwise"}
View = Callable[..., object]


@pytest.fixture(params=["recorded", "at once"])
def recording(request: pytest.FixtureRequest) -> Iterator[None]:
    """Small arrays through the queue, and past it."""
    with ap.config.using(eager_size=0 if request.param == "recorded" else 10**6):
        yield


def tuple_of(result: object) -> tuple:
    return result if isinstance(result, tuple) else (result,)


def loops(name: str) -> list[tuple[tuple[np.dtype, ...], tuple[np.dtype, ...]]]:
    return [(tuple(map(np.dtype, ins)), tuple(map(np.dtype, outs))) for ins, outs in ROWS[name]["loops"]]


def inputs_of(name: str, ins: tuple, outs: tuple) -> list[np.ndarray]:
    return suitable(name, operands(list(ins), generator()), outs)


def sample(arrays: list[np.ndarray], size: int) -> list[np.ndarray]:
    chosen = generator().integers(0, arrays[0].size, size)
    return [a[chosen] for a in arrays]


def test_every_row_has_an_oracle() -> None:
    assert [name for name in ROWS if not has_oracle(name)] == []


def test_every_elementwise_ufunc_has_a_row() -> None:
    ufuncs = {u.__name__ for u in map(vars(np).get, np.__all__) if isinstance(u, np.ufunc) and u.signature is None}
    assert ufuncs - set(ROWS) - {"isnat"} == set()  # isnat takes dates and times only


@pytest.mark.parametrize("name", ROWS)
def test_no_loop_of_numpy_is_missing(name: str) -> None:
    ufunc = getattr(np, name, None)
    if not isinstance(ufunc, np.ufunc):
        return
    have = {tuple(d.str for d in (*ins, *outs)) for ins, outs in loops(name)}
    supported = set("?bBhHiIlLqQefdFD")  # extended precision is optional
    signatures = [signature.replace("->", "") for signature in ufunc.types]
    wanted = {tuple(np.dtype(c).str for c in signature) for signature in signatures if set(signature) <= supported}
    assert wanted - have == set()


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    """Edge values, all pairs of them, and random bits, in arrays that take more than one tile."""
    failures = []
    for ins, outs in loops(name):
        arrays = inputs_of(name, ins, outs)
        got = [np.asarray(r) for r in tuple_of(_core.apply(name, ins + outs, [ap.from_numpy(a) for a in arrays]))]
        wrong, expected = mismatches(name, arrays, outs, got)
        if wrong.any():
            failures.append(report(name, arrays, wrong, expected, got))
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("name", ROWS)
def test_one_edge_value_among_ordinary_ones(name: str) -> None:
    """Kernels may take a faster way where all elements of a tile allow it: each edge value decides that by itself."""
    rng = generator()
    failures = []
    for ins, outs in loops(name):
        if not any(is_float(dtype) for dtype in ins) or name == "cast":
            continue
        ordinary = [rng.uniform(0.5, 4, 37).astype(dtype) for dtype in ins]
        for place, dtype in enumerate(ins):
            for edge in edges(dtype):
                arrays = [np.full(37, edge, dtype) if k == place else a for k, a in enumerate(ordinary)]
                results = _core.apply(name, ins + outs, [ap.from_numpy(a) for a in arrays])
                got = [np.asarray(r) for r in tuple_of(results)]
                wrong, expected = mismatches(name, arrays, outs, got)
                if wrong.any():
                    failures.append(report(name, arrays, wrong, expected, got))
    assert not failures, "\n".join(failures[:20])


def matrix(a):
    return a.reshape(6, 35)


VIEWS: dict[str, View] = {
    "whole": lambda a: a,
    "second": lambda a: a[::2],
    "reversed": lambda a: a[::-1],
    "backwards by three": lambda a: a[-2:3:-3],
    "matrix": matrix,
    "transposed": lambda a: a.reshape(35, 6).T,
    "columns": lambda a: matrix(a)[:, 3:20:2],
    "turned": lambda a: matrix(a)[::-1, ::-1],
    "three axes": lambda a: a.reshape(5, 6, 7).transpose(2, 0, 1),
    "row": lambda a: a[:35],
    "column": lambda a: a[7:13].reshape(6, 1),
    "row of a transposed": lambda a: a.reshape(35, 6).T[2:3],
    "single": lambda a: a[5:6],
    "0-d": lambda a: a[17:18].reshape(()),
    "empty": lambda a: a[:0],
    "no columns": lambda a: matrix(a)[:, 4:4],
}
TOGETHER = [  # which views the first, second and third operand take
    ("whole", "whole", "whole"), ("second", "second", "second"), ("reversed", "reversed", "reversed"),
    ("whole", "reversed", "whole"), ("backwards by three",) * 3, ("matrix", "row", "column"),
    ("column", "matrix", "row"), ("transposed", "matrix", "transposed"), ("turned", "transposed", "0-d"),
    ("columns", "columns", "columns"), ("three axes",) * 3, ("transposed",) * 3,
    ("row of a transposed", "column", "row"),
    ("single", "whole", "0-d"), ("0-d", "matrix", "single"), ("0-d", "0-d", "0-d"), ("single",) * 3,
    ("empty", "empty", "single"), ("no columns", "column", "0-d"),
]


@pytest.mark.parametrize("name", ROWS)
def test_layouts_of_inputs(name: str, recording: None) -> None:
    failures = []
    for ins, outs in loops(name):
        arrays = sample(inputs_of(name, ins, outs), 210)
        ours = [ap.from_numpy(a) for a in arrays]
        for case in TOGETHER:
            views = [VIEWS[view](a) for view, a in zip(case, arrays, strict=False)]
            device = [VIEWS[view](a) for view, a in zip(case, ours, strict=False)]
            got = [np.asarray(r) for r in tuple_of(_core.apply(name, ins + outs, device))]
            wrong, expected = mismatches(name, views, outs, got)
            if wrong.any():
                failures.append(f"{case}: " + report(name, views, wrong, expected, got))
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("name", ROWS)
def test_layouts_of_outputs(name: str, recording: None) -> None:
    """Results go to views of a larger array, of which nothing else may change."""
    failures = []
    for ins, outs in loops(name):
        arrays = [matrix(a) for a in sample(inputs_of(name, ins, outs), 210)]
        ours = [ap.from_numpy(a) for a in arrays]
        spots = [
            lambda a: a.reshape(12, 70)[::2, 1::2], lambda a: a.reshape(70, 12).T[::-2, ::2],
            lambda a: a.reshape(4, 6, 35)[2], lambda a: a[:210].reshape(35, 6)[::-1].T,
        ]
        for number, spot in enumerate(spots):
            bases = [np.ones(840, dtype) for dtype in outs]
            device = [ap.from_numpy(base) for base in bases]
            _core.apply(name, ins + outs, ours, tuple(spot(base) for base in device))
            got = [np.array(base) for base in device]
            wrong, expected = mismatches(name, arrays, outs, [spot(base) for base in got])
            if wrong.any():
                failures.append(f"output {number}: " + report(name, arrays, wrong, expected, [spot(b) for b in got]))
            for base in got:
                spot(base)[...] = 1
                assert (base == 1).all(), f"{name}{ins}: output {number} wrote outside of its view"
    assert not failures, "\n".join(failures)


OVERLAPS: list[tuple[str, View, View]] = [
    ("itself", lambda a: a, lambda a: a),
    ("one ahead", lambda a: a[:-1], lambda a: a[1:]),
    ("one behind", lambda a: a[1:], lambda a: a[:-1]),
    ("its reverse", lambda a: a, lambda a: a[::-1]),
    ("interleaved", lambda a: a[:120:2], lambda a: a[1:120:2]),
    ("stretched", lambda a: a[:60], lambda a: a[:120:2]),
    ("its transpose", lambda a: a[:196].reshape(14, 14), lambda a: a[:196].reshape(14, 14).T),
    ("a row of it", lambda a: a[3:4], lambda a: a[:20]),
    ("a row below", lambda a: a.reshape(6, 35)[1:, ::-1], lambda a: a.reshape(6, 35)[:-1]),
]


@pytest.mark.parametrize("name", ROWS)
def test_overlapping_output(name: str, recording: None) -> None:
    """out= over the memory of the first input gives what a separate output gives."""
    failures = []
    for ins, outs in loops(name):
        if ins[0] != outs[0] or (name == "where"):
            continue
        arrays = sample(inputs_of(name, ins, outs), 210)
        for label, source, target in OVERLAPS:
            base, *rest = [ap.from_numpy(a) for a in arrays]
            theirs = arrays[0].copy()
            first = source(theirs)
            views = [first, *[a[: first.size].reshape(first.shape) for a in arrays[1:]]]
            device = [source(base), *[a[: first.size].reshape(first.shape) for a in rest]]
            placed = target(base)
            others = tuple(None for _ in outs[1:]) if placed.shape == first.shape else tuple(
                ap.empty(placed.shape, dtype) for dtype in outs[1:])
            results = tuple_of(_core.apply(name, ins + outs, device, (placed, *others)))
            exact = [np.broadcast_to(v, target(theirs).shape).copy() for v in views]
            got = [np.array(r) for r in results]
            wrong, expected = mismatches(name, exact, outs, got)
            if wrong.any():
                failures.append(f"{label}: " + report(name, exact, wrong, expected, got))
            target(theirs)[...] = got[0]
            assert (np.array(base).tobytes() == theirs.tobytes()), f"{name}{ins}, {label}: wrote beside its output"
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row["nin"] > 1])
def test_scalar_operands(name: str, recording: None) -> None:
    """A Python or NumPy scalar in place of an array, as the loop's dtype."""
    for ins, outs in loops(name):
        arrays = sample(inputs_of(name, ins, outs), 33)
        for place in range(1, len(arrays)):
            scalar = arrays[place][11]
            views = [*arrays[:place], np.full(33, scalar, ins[place]), *arrays[place + 1 :]]
            given = [ap.from_numpy(a) if k != place else scalar for k, a in enumerate(views)]
            got = [np.asarray(r) for r in tuple_of(_core.apply(name, ins + outs, given))]
            wrong, expected = mismatches(name, views, outs, got)
            assert not wrong.any(), report(name, views, wrong, expected, got)


@pytest.mark.parametrize("name", ROWS)
def test_public_function(name: str) -> None:
    """The function that users call chooses the row's loop by itself and agrees in dtype and shape."""
    function = getattr(ap, name, None)
    if name == "cast":
        pytest.skip("astype() is tested in test_type_resolution.py")
    if name in ("erf", "erfc"):
        pytest.skip("parts of functions in asnumpy.nn")
    for ins, outs in loops(name):
        arrays = sample(inputs_of(name, ins, outs), 10)
        for shaped in (list(arrays), [a[0:1].reshape(()) for a in arrays]):
            want = evaluate(name, shaped, outs)
            got = tuple_of(function(*[ap.asarray(a) for a in shaped]))
            assert [(g.dtype, g.shape) for g in got] == [(w.dtype, w.shape) for w in want], f"{name}{ins}"
