"""One program at one size: results checked against NumPy's, then everyone timed in turns; and what ran for asnumpy."""

from __future__ import annotations

import functools
import importlib.util
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

import asnumpy as ap
from asnumpy.demo.measure import Timing, close, interleave, settle

from . import Program, inputs
from .program import SIZES

__all__ = ["Result", "Work", "contest"]

SHORT_SECONDS = 0.002  # a round of short calls lasts this long
LEAST_ROUNDS = 3
SINGLE_ROUNDING = 1e-3  # for compiled loops over float32, which add in one variable


@dataclass
class Work:
    """What one call of a program had asnumpy do."""

    flushes: int = 0
    programs: int = 0
    host_calls: dict[str, int] = field(default_factory=dict)
    flush_ms: float = 0.0
    host_ms: float = 0.0


@dataclass
class Result:
    """Milliseconds of each contender in one state of the allocator; contenders that are not there are left out.

    `ms` is after a pause, `warm_ms` right after that.
    """

    program: str
    family: str
    size: str
    shape: list[int]
    state: str
    ms: dict[str, float]
    warm_ms: dict[str, float]
    spread: float
    agrees: bool
    agreement: str
    work: Work

    def ratio(self, contender: str = "asnumpy", warm: bool = False) -> float | None:
        """NumPy's time divided by the contender's, for numba the better of its forms; None where it is not there."""
        measured = self.warm_ms if warm else self.ms
        times = [ms for name, ms in measured.items() if name.split(",")[0] == contender]
        return measured["numpy"] / min(times) if times else None


def ours(values: tuple[Any, ...]) -> list[Any]:
    return [ap.array(x) if isinstance(x, np.ndarray) else x for x in values]


@functools.cache
def machine_code(loops: Callable[..., Any], parallel: bool) -> Callable[..., Any]:
    """A function compiled by numba; not kept on disk, where numba would take one form for the other."""
    import numba

    return cast(Callable[..., Any], numba.njit(loops, parallel=parallel))


def compiled(program: Program, given: tuple[Any, ...]) -> dict[str, Callable[[], Any]]:
    """The program's loops, compiled by numba for one thread and for several, where it has some and numba is there."""
    if program.loops is None or importlib.util.find_spec("numba") is None:
        return {}
    forms = {"numba": False, "numba, threads": True} if program.parallel else {"numba": False}
    return {
        name: functools.partial(machine_code(program.loops, parallel), *given) for name, parallel in forms.items()
    }


def recorded(program: Program, arrays: list[Any]) -> dict[str, Callable[[], Any]]:
    """The program under jit, unless it asks for values on its way."""
    traced = ap.jit(functools.partial(program.work, ap))
    try:
        traced.compile(*arrays)
    except ap.TracingError:
        return {}
    return {"jit": lambda: settle(traced(*arrays))}


def observe(run: Callable[[], Any]) -> Work:
    """Count what one call runs."""
    with ap.profiler.record(1 << 20) as trace:
        run()
    count = Counter((event["category"], event["name"]) for event in trace.events)
    flushes = [event for event in trace.events if (event["category"], event["name"]) == ("run", "flush")]
    host = [event for event in trace.events if event["category"] == "host"]
    return Work(
        len(flushes), count["run", "program"], dict(Counter(event["name"] for event in host)),
        sum(event["duration_ns"] for event in flushes) / 1e6, sum(event["duration_ns"] for event in host) / 1e6,
    )


def rounds_within(runs: list[Callable[[], Any]], most: int, seconds: float) -> int:
    """How many rounds, of which each is timed twice, fit into the time allowed; at least LEAST_ROUNDS."""
    start = time.perf_counter()
    for run in runs:
        run()
    return max(LEAST_ROUNDS, min(most, int(seconds / 2 / max(time.perf_counter() - start, 1e-9))))


def contest(
    family: str, program: Program, size: str, state: str, rounds: int, seconds: float, quantile: float = 0.5
) -> Result:
    """Measure a program at a size; `seconds` bounds the rounds of long programs, of which a quantile is the result."""
    given = inputs(program, size)
    arrays = ours(given)
    runs: dict[str, Callable[[], Any]] = {
        "numpy": lambda: program.work(np, *given),
        "asnumpy": lambda: settle(program.work(ap, *arrays)),
    }
    runs |= recorded(program, arrays) | compiled(program, given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of overflow in fractals, of numba's about its own code
        expected = runs["numpy"]()
        agreements = {}
        for name in list(runs)[1:]:
            tolerance = program.agreement.tolerance
            if name.startswith("numba"):  # its results only have to be those of the same computation
                tolerance = max(tolerance, SINGLE_ROUNDING if _single(expected) else 1e-9)
            agreements[name] = close(tolerance)(expected, runs[name]())
        for name in [name for name in runs if name.startswith("numba") and not agreements[name][0]]:
            print(f"{program.name}: {name} computes something else ({agreements[name][1]})", file=sys.stderr)
            del runs[name], agreements[name]
        del expected
        work = observe(runs["asnumpy"])
        count = rounds_within(list(runs.values()), rounds, seconds)
        timings: list[Timing] = interleave(list(runs.values()), count, SHORT_SECONDS, warm=True)
    wrong = {name: how for name, (same, how) in agreements.items() if not same}

    def milliseconds(rounds: Iterable[list[float]]) -> dict[str, float]:
        return {name: 1e3 * float(np.quantile(seconds, quantile)) for name, seconds in zip(runs, rounds, strict=True)}

    return Result(
        program.name, family, size, list(program.sizes[SIZES.index(size)]), state,
        milliseconds(timing.rounds for timing in timings), milliseconds(timing.warm for timing in timings),
        max(timing.spread for timing in timings[:2]), not wrong,
        "; ".join(f"{name}: {how}" for name, how in wrong.items()) or agreements["asnumpy"][1], work,
    )


def _single(result: Any) -> bool:
    first = result[0] if isinstance(result, tuple) else result
    return np.asarray(first).dtype == np.float32
