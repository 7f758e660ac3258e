"""Index arrays that another thread changes while they are followed: an exception or elements of the array, never memory
beside it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

pytestmark = pytest.mark.host_memory  # that an index shares its memory with NumPy

COUNT, LENGTH, ROUNDS = 30_000, 1000, 120
FAR = (2**62, -(2**62), 2**40, LENGTH, -LENGTH - 1)


@contextmanager
def changing(shared: np.ndarray, values: tuple[int, ...]) -> Iterator[None]:
    """Meanwhile some of the elements are now and then one of `values`."""
    end = threading.Event()

    def change() -> None:
        places = slice(7, None, 97)
        kept = shared[places].copy()
        while not end.is_set():
            for value in values:
                shared[places] = value
                shared[places] = kept

    thread = threading.Thread(target=change)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # between any two steps of the other thread, not only where it lets go of the lock
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
        sys.setswitchinterval(interval)


def _read(make: Callable[[Any, Any], Any]) -> Callable[[Any, Any], None]:
    """What it gives are elements of the array (which are 1 to LENGTH; 0 and 5000 lie beside them)."""

    def check(whole: Any, index: Any) -> None:
        try:
            got = ap.to_numpy(make(whole[LENGTH : 2 * LENGTH], index))
        except IndexError:
            return
        assert got.min() >= 1 and got.max() <= LENGTH

    return check


def _elements(array: Any) -> np.ndarray:
    """A write that failed stays recorded: it is tried again whenever a value is asked for, until its index is good."""
    for _ in range(100_000):
        try:
            return ap.to_numpy(array)
        except IndexError:
            time.sleep(1e-5)
    raise AssertionError("the index was bad whenever the write was tried again")


def _written(write: Callable[[Any, Any], Any]) -> Callable[[Any, Any], None]:
    def check(whole: Any, index: Any) -> None:
        try:
            write(whole[LENGTH : 2 * LENGTH], index)
        except IndexError:
            pass
        kept = _elements(whole)
        assert (kept[:LENGTH] == 0).all() and (kept[2 * LENGTH :] == 5000).all()
        whole[LENGTH : 2 * LENGTH] = ap.arange(1, LENGTH + 1)

    return check


def _counted(whole: Any, index: Any) -> None:
    try:
        got = ap.bincount(index, minlength=LENGTH)
        assert got.sum() == COUNT
    except (ValueError, IndexError, MemoryError):
        return


OPERATIONS: dict[str, Callable[[Any, Any], None]] = {
    "take": _read(lambda a, index: ap.take(a, index)),
    "take along rows": _read(lambda a, index: ap.take(a.reshape(-1, 1), index, axis=0)),
    "take, clipped": _read(lambda a, index: ap.take(a, index, mode="clip")),
    "take, wrapped": _read(lambda a, index: ap.take(a, index, mode="wrap")),
    "index": _read(lambda a, index: a[index]),
    "index of two axes": _read(lambda a, index: a.reshape(LENGTH // 10, 10)[index // 10, index % 10]),
    "take_along_axis": _read(lambda a, index: ap.take_along_axis(a, index, 0)),
    "put": _written(lambda a, index: ap.put(a, index, 7)),
    "put, wrapped": _written(lambda a, index: ap.put(a, index, 7, mode="wrap")),
    "assign": _written(lambda a, index: a.__setitem__(index, 7)),
    "assign many": _written(lambda a, index: a.__setitem__(index, ap.ones(COUNT))),
    "put_along_axis": _written(lambda a, index: ap.put_along_axis(a, index, 7, 0)),
    "bincount": _counted,
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", OPERATIONS)
def test_indices_that_change_meanwhile(name: str, threads: int) -> None:
    whole = ap.concatenate([ap.zeros(LENGTH), ap.arange(1.0, LENGTH + 1), ap.full(LENGTH, 5000.0)])
    index = ap.asarray(np.random.default_rng(5).integers(0, LENGTH, COUNT))
    with ap.config.using(num_threads=threads), changing(np.asarray(index), FAR):
        for _ in range(ROUNDS):
            OPERATIONS[name](whole, index)


@pytest.mark.parametrize("threads", [1, 2])
def test_masks_that_change_meanwhile(threads: int) -> None:
    whole = ap.concatenate([ap.zeros(COUNT), ap.arange(1.0, COUNT + 1), ap.full(COUNT, -1.0)])
    inner = whole[COUNT : 2 * COUNT]
    mask = ap.asarray(np.arange(COUNT) % 3 == 0)
    with ap.config.using(num_threads=threads), changing(np.asarray(mask), (1, 0)):
        for _ in range(ROUNDS):
            try:
                got = ap.to_numpy(inner[mask])
                assert ((got >= 1) & (got <= COUNT)).all()
                found = ap.to_numpy(ap.nonzero(mask)[0])
                assert ((found >= 0) & (found < COUNT)).all()
                inner[mask] = ap.ones(int(mask.sum()))
                ap.synchronize()
            except (IndexError, ValueError, RuntimeError):  # the number of true ones was another at the call
                continue
    kept = _elements(whole)
    assert (kept[:COUNT] == 0).all() and (kept[2 * COUNT :] == -1).all()
