"""dask.array over asnumpy chunks beside the same over NumPy's: equal results, and the chunks stay asnumpy's."""

from __future__ import annotations

import io
import threading
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from dask._task_spec import Task
from dask.base import tokenize
from dask.sizeof import sizeof
from dask_operations import OPERATIONS

import asnumpy as ap
from asnumpy.dask._arrays import evaluated

RNG = np.random.default_rng(11)
MATRIX, LINE = RNG.normal(size=(12, 8)), RNG.normal(size=12)
SQUARE = (lambda one: one @ one.T + 12 * np.eye(12))(RNG.normal(size=(12, 12)))

# Operations whose chunks become NumPy's, and why.
NUMPYS: dict[str, str] = {}


@pytest.fixture(autouse=True)
def one_thread_after_the_other() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


def given(make: Any) -> tuple[Any, Any, Any]:
    return (
        da.from_array(make(MATRIX), chunks=(4, 4)), da.from_array(make(LINE), chunks=4),
        da.from_array(make(SQUARE), chunks=(4, 4)),
    )


def results(made: Any) -> tuple[Any, ...]:
    return tuple(made) if isinstance(made, (list, tuple)) else (made,)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation(name: str) -> None:
    expected = results(OPERATIONS[name](*given(np.array)))
    got = results(OPERATIONS[name](*given(ap.array)))
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        value, numpys = one.compute(), other.compute()
        np.testing.assert_allclose(ap.to_numpy(value), numpys, rtol=1e-10, atol=1e-12)
        assert one.dtype == other.dtype == value.dtype
        assert value.shape == np.shape(numpys)
        kind = np.ndarray if name in NUMPYS else ap.ndarray
        assert isinstance(value, kind), type(value)
        assert isinstance(one._meta, kind), type(one._meta)


def test_the_table_is_as_long_as_it_was() -> None:
    assert len(OPERATIONS) >= 179


def test_arrays_beside_dasks() -> None:
    m, ours = da.from_array(ap.array(MATRIX), chunks=(4, 4)), ap.ones(8)
    for got, expected in (
        (m + ours, MATRIX + 1), (ours + m, MATRIX + 1), (ours.sum() * m, 8 * MATRIX), (m * ours.sum(), 8 * MATRIX),
        (m @ ours, MATRIX @ np.ones(8)), (ap.ones(12) @ m, np.ones(12) @ MATRIX), (ap.add(m, ours), MATRIX + 1),
        (np.add(ours, m), MATRIX + 1), (m > ours.sum(), MATRIX > 8), (np.concatenate([m, m]), np.r_[MATRIX, MATRIX]),
    ):
        assert isinstance(got, da.Array)
        assert isinstance(got._meta, ap.ndarray)
        np.testing.assert_allclose(ap.to_numpy(got.compute()), expected, rtol=1e-12)


def test_numpys_chunks_beside_our_arrays() -> None:
    got = da.from_array(MATRIX, chunks=(4, 4)) + ap.ones(8)
    assert isinstance(got.compute(), ap.ndarray)
    np.testing.assert_array_equal(ap.to_numpy(got.compute()), MATRIX + 1)


def test_numpys_chunks_stay_numpys() -> None:
    m, v, s = given(np.array)
    for made in (
        da.argwhere(m > 0), da.arange(5, chunks=2), da.linspace(0, 1, 5), da.linalg.solve(s, v),
        da.nanmedian(m, axis=0), da.cumsum(v, 0, method="blelloch"), da.fft.fft(v.rechunk(-1)),
        da.histogram2d(v, v, bins=2, range=[(-2, 2)] * 2)[0], da.fft.fft_wrap(np.fft.rfft)(v.rechunk(-1)),
    ):
        assert type(made._meta) is np.ndarray
        assert type(made.compute()) is np.ndarray


def test_sizes_are_those_of_the_elements() -> None:
    assert sizeof(ap.ones((100, 10))) == 8000
    assert sizeof(ap.broadcast_to(ap.ones(10), (100, 10))) == 80
    assert sizeof(ap.ones(4).sum()) == 8


def test_tokens_follow_the_elements() -> None:
    one = ap.arange(12.0)
    assert tokenize(one) == tokenize(ap.arange(12.0))
    others = [one + 1, one.astype("float32"), one.reshape(3, 4), ap.to_numpy(one), ap.zeros(12, ap.bfloat16),
              ap.zeros(12, "float16")]
    assert len({tokenize(one), *map(tokenize, others)}) == 7
    assert tokenize(ap.sin) == tokenize(ap.sin) != tokenize(ap.cos)
    assert tokenize(one[::2]) == tokenize(ap.arange(0.0, 12.0, 2))


def test_a_task_ends_with_nothing_pending() -> None:
    left: list[int] = []

    class Watch(dask.callbacks.Callback):
        def _pretask(self, *given: Any) -> None:
            left.append(ap.pending_count())

    parts = [dask.delayed(lambda n: ap.full(20_000, float(n)) * 2 + 1)(n) for n in range(4)]
    with Watch():
        total = dask.delayed(lambda *given: sum(one.sum() for one in given))(*parts).compute(scheduler="synchronous")
    assert float(total) == 20_000 * (2 * 6 + 4)
    assert left == [0] * 5


def test_a_task_is_evaluated_by_the_thread_that_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    by_thread: list[int] = []

    def noted(value: Any) -> Any:
        by_thread.append(threading.get_ident())
        return evaluated(value)

    monkeypatch.setattr("asnumpy.dask._tasks.evaluated", noted)
    wide = da.from_array(ap.array(MATRIX), chunks=(4, 4))
    graph = dict((wide * 2 + 1).__dask_graph__())
    before = dict(graph)
    (wide * 2 + 1).sum().compute(scheduler="threads", num_workers=2)
    assert by_thread and threading.get_ident() not in by_thread
    for _ in range(2):
        by_thread.clear()
        dask.threaded.get(graph, list((wide * 2 + 1).__dask_keys__()))
        assert graph == before  # the caller's graph is the caller's
        assert len(by_thread) == sum(isinstance(task, Task) for task in graph.values())  # each task once


def test_dasks_bars_and_profiles_see_tasks_that_have_run() -> None:
    from dask.diagnostics import Profiler, ProgressBar

    left: list[int] = []
    screen = io.StringIO()

    class Watch(dask.callbacks.Callback):
        def _posttask(self, *given: Any) -> None:
            left.append(ap.pending_count())

    wide = da.from_array(ap.array(RNG.normal(size=(64, 512))), chunks=(8, 512))
    with ProgressBar(out=screen), Profiler() as profile, Watch():
        da.exp(wide).sum().compute()
    assert screen.getvalue().rstrip().rpartition("\r")[2].startswith(f"[{'#' * 40}] | 100% Completed")
    assert len(left) == len(profile.results) > 8 and set(left) == {0}
    assert "Evaluated" not in repr(profile.results) and "<Task " in repr(profile.results)


def test_threads() -> None:
    wide = da.from_array(ap.array(RNG.normal(size=(64, 512))), chunks=(8, 512))
    expected = ap.to_numpy(wide.std(axis=0).compute(scheduler="synchronous"))
    for _ in range(3):
        np.testing.assert_array_equal(ap.to_numpy(wide.std(axis=0).compute(scheduler="threads")), expected)


def test_an_error_of_a_task_is_the_callers() -> None:
    bad = da.from_array(ap.array(MATRIX), chunks=(4, 4)).map_blocks(lambda x: x.reshape(7), dtype=float)
    with pytest.raises(ValueError, match="reshape"):
        bad.compute()


@pytest.mark.parametrize("move", ["to_backend", "map_blocks"])
def test_to_and_from_numpy(move: str) -> None:
    plain = da.from_array(MATRIX, chunks=(4, 4))
    ours = plain.to_backend("asnumpy") if move == "to_backend" else plain.map_blocks(ap.asarray)
    assert isinstance(ours._meta, ap.ndarray)
    assert isinstance(ours.compute(), ap.ndarray)
    back = ours.to_backend("numpy")
    assert type(back.compute()) is np.ndarray
    np.testing.assert_array_equal(back.compute(), MATRIX)
    assert ours.to_backend("asnumpy") is ours
