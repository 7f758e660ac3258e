"""The bytes of programs in a profile: what their operands in memory have, however they lie and whoever begins them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from device_marks import each_device, needs_simulator

import asnumpy as ap

N = 20_000  # elements of float32: more than are computed at once, fewer than let programs run together
BYTES = 4 * N
PROGRAMS = ("program", "programs", "graph")


@pytest.fixture(autouse=True)
def deferred() -> Iterator[None]:
    ap.synchronize()
    with ap.config.using(eager=False, fallback="count"):
        yield


def arrays(device: str, *shapes: Any) -> list[Any]:
    with ap.Device(str(device)):
        made = [ap.ones(shape, "float32") * 1.5 for shape in shapes]
        ap.eval(*made)
    ap.synchronize()
    return made


def programs(work: Callable[[], Any]) -> list[tuple[str, int]]:
    """Of the block's programs, their names and bytes."""
    with ap.profiler.record() as trace:
        kept = work()
        ap.eval(*(kept if isinstance(kept, tuple) else (kept,)))
        ap.synchronize()
    return [(one["name"], one["bytes"]) for one in trace.events if one["name"] in PROGRAMS and one["category"] == "run"]


def in_place(a: Any, b: Any) -> Any:
    a += b
    return a


def filled(a: Any, _: Any) -> Any:
    a[...] = 3.0
    return a


def half_written(a: Any, b: Any) -> Any:
    a[::2] = b[1::2] * 2.0
    return a


FLAT: list[tuple[str, Callable[[Any, Any], Any], int]] = [
    ("contiguous", lambda a, b: a + b, 3 * BYTES),
    ("several steps, what is between them is no memory", lambda a, b: ap.exp(a) * b - 1.0, 3 * BYTES),
    ("an operand twice", lambda a, b: a * a + a * b, 3 * BYTES),
    ("an operand from both its ends", lambda a, b: a * a[::-1], 3 * BYTES),
    ("neighbours", lambda a, b: a[1:] - a[:-1], 3 * (BYTES - 4)),
    ("strided", lambda a, b: a[::2] + b[1::2], 3 * BYTES // 2),
    ("windows", lambda a, b: ap.lib.stride_tricks.as_strided(a, (N - 3, 4), (4, 4)) * 2.0, 2 * 4 * (BYTES - 12)),
    ("a number beside", lambda a, b: a * 2.0 + 1.0, 2 * BYTES),
    ("one element for all", lambda a, b: a + b[3:4], 2 * BYTES + 4),
    ("another dtype comes out", lambda a, b: a < b, 2 * BYTES + N),
    ("two outputs", lambda a, b: (a + b, a - b), 4 * BYTES),
    ("a sum", lambda a, b: (a * b).sum(), 2 * BYTES + 4),
    ("in place, read and written", in_place, 3 * BYTES),
    ("written alone", filled, BYTES),
    ("half of it written", half_written, BYTES),
]


@pytest.mark.parametrize(("function", "expected"), [case[1:] for case in FLAT], ids=[case[0] for case in FLAT])
@each_device
def test_exact_bytes(device: str, function: Callable[[Any, Any], Any], expected: int) -> None:
    a, b = arrays(device, N, N)
    found = programs(lambda: function(a, b))
    assert found == [("program", expected)]


@each_device
def test_of_more_axes(device: str) -> None:
    matrix, column, row, small = arrays(device, (200, 100), (200, 1), (100,), (1, 1))
    cases: list[tuple[Callable[[], Any], int]] = [
        (lambda: matrix + row, 2 * BYTES + 400),
        (lambda: matrix * column - row + small, 2 * BYTES + 800 + 400 + 4),
        (lambda: column * row, BYTES + 800 + 400),
        (lambda: matrix.sum(axis=0), BYTES + 400),
        (lambda: (matrix - row).max(axis=1, keepdims=True), BYTES + 400 + 800),
        (lambda: matrix.T[:, ::4] * 2.0, 2 * BYTES // 4),
        (lambda: ap.broadcast_to(row, (200, 100)) * 1.5, BYTES + 400),
        (lambda: matrix[:, None, :] * matrix[:, None, :], 2 * BYTES),
    ]
    assert [programs(work) for work, _ in cases] == [[("program", expected)] for _, expected in cases]


@each_device
def test_under_jit_as_at_the_first_call(device: str) -> None:
    def function(x: Any, y: Any) -> Any:
        return ap.sqrt(x) * y[:, None] + 1.0

    x, y = arrays(device, (200, 100), (200,))
    with ap.config.using(graph_replay=False):
        fast = ap.jit(function)
        found = [programs(lambda: fast(x, y)) for _ in range(4)]
    assert found == [[("program", 2 * BYTES + 800)]] * 4


@needs_simulator
def test_a_graph_has_the_bytes_of_its_programs() -> None:
    def function(x: Any, y: Any) -> Any:
        return ((x * 2.0 + y).cumsum(axis=1) * x).sum(axis=0) + y

    x, y = arrays("ascend:0", (200, 100), (100,))
    with ap.config.using(graph_replay=True):
        fast = ap.jit(function)
        for _ in range(12):
            ap.eval(fast(x, y))
        found = programs(lambda: fast(x, y))
    first = 2 * BYTES + 400
    assert found == [("graph", first + 2 * BYTES + (2 * BYTES + 400) + 3 * 400)]


@pytest.mark.parametrize("seen", [False, True], ids=["hidden", "seen"])
def test_programs_that_run_together_count_as_one(seen: bool) -> None:
    """A softmax: what one program makes for another is at hand, and is written where somebody else sees it."""
    lines, length = 2048, 512
    (x,) = arrays("cpu", (lines, length))
    large, line = 4 * lines * length, 4 * lines

    def softmax() -> Any:
        e = ap.exp(x - x.max(axis=1, keepdims=True))
        y = e / e.sum(axis=1, keepdims=True)
        return (y, e) if seen else y

    together = [("programs", (3 if seen else 2) * large)]
    apart = [("program", size) for size in (large + line, 2 * large + 2 * line, 2 * large + line)]
    assert programs(softmax) in (together, apart)  # as the caches of the machine are


@each_device
def test_an_operation_that_stands_alone(device: str) -> None:
    (x,) = arrays(device, (200, 100))
    with ap.Device(str(device)), ap.profile() as p:
        ap.eval(x.cumsum(axis=1))
        ap.synchronize()
    found = p.to_dict()
    place = found["name"].index("scan")
    assert (found["kind"][place], found["bytes"][place]) == ("operation", 2 * BYTES)


def test_they_are_in_tables_text_and_page() -> None:
    with ap.Device("cpu"):
        a, b = arrays("cpu", 50_000, 50_000)
        with ap.profile() as p:
            made = a * b - 0.5
            ap.eval(made)
    table = p.to_dict("programs")
    place = table["name"].index("multiply subtract")
    assert table["bytes"][place] == 3 * made.nbytes
    work = p.to_dict()
    assert work["bytes"][work["name"].index("multiply subtract")] == 600_000
    line = next(line for line in str(p).splitlines() if "multiply subtract" in line)
    assert line.split()[6] == "0.60"
    assert ">0.60<" in p.html()
    if not p._seen.used_devices:
        assert table["bytes_per_second"][place] == pytest.approx(table["bytes"][place] / table["seconds"][place])
        assert table["bandwidth_share"][place] > 0
