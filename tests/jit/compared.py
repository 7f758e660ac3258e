"""What tests of recorded functions share: arrays made of a seed, sameness to the bit, threads that call at once, rounds
with and without machine code."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import asnumpy as ap

THREADS = 4


def same(a: Any, b: Any) -> None:
    """Equal to the bit, with dtypes and kinds."""
    assert type(a) is type(b), (type(a), type(b))
    if isinstance(a, (tuple, list)):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        same(list(a.values()), list(b.values()))
    elif isinstance(a, ap.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape and a.strides == b.strides
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    else:
        assert a == b or a != a


def given(seed: int, n: int, dtype: Any = np.float64) -> ap.ndarray:
    return ap.array((np.random.default_rng(seed).random(n) * 10).astype(dtype))


def in_threads(work: Callable[[int], Any]) -> list[Any]:
    """What the work gives for each thread's number; they begin together."""
    start = threading.Barrier(THREADS)
    results: list[Any] = [None] * THREADS

    def body(number: int) -> None:
        start.wait()
        try:
            results[number] = work(number)
        except BaseException as error:  # told below, in the thread of the test
            results[number] = error

    threads = [threading.Thread(target=body, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def copies(arrays: tuple[Any, ...]) -> list[Any]:
    return [ap.array(one) if isinstance(one, np.ndarray) else one for one in arrays]


def check_rounds(work: Callable[..., Any], *arrays: Any) -> None:
    """Calls of the compiled function with and without machine code, each with the bits of the function as it is,
    arguments too."""
    compiled = ap.jit(work).compile(*copies(arrays))
    assert "run in machine code" in compiled.explain()
    for mode in ("background", "off", "off", "background"):
        with ap.config.using(machine_code=mode):
            _check_once(work, compiled, arrays)


def _check_once(work: Callable[..., Any], compiled: Any, arrays: tuple[Any, ...]) -> None:
    given, wanted = copies(arrays), copies(arrays)
    results, expected = compiled(*given), work(*wanted)
    for one, other in zip([results, *given], [expected, *wanted], strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()


def values(dtype: str, *shape: int) -> np.ndarray:
    random = np.random.default_rng(3)
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype[0] in "iu":
        return random.integers(1, 50, shape).astype(dtype)
    found = random.normal(size=shape) + 2
    return (found + 1j * random.normal(size=shape) if dtype[0] == "c" else found).astype(dtype)
