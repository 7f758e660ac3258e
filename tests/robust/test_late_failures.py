"""Work that fails on the device after its launch: whoever reads what it wrote is told, all else keeps its values."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS, needs_simulator
from robust.late import AICORE, expect_told, fail, nothing_planned, settle, there
from robust.test_retries import FORMS, Arrays

import asnumpy as ap
from asnumpy import cann, cannsim
from asnumpy.cann import _facts

pytestmark = needs_simulator

# How things stand, that a wait gave up, and that a capture was broken; and after what the device is lost.
NO_FAILURES = {*range(507002, 507010), 507046, 507047, 507903}
LOST = {507010, 507053, 507054}
# Exceptions, timeouts and traps of each kind of core, of copies, of the driver, and tasks that were ended.
CODES = sorted({code for code in _facts.error_names() if code // 1000 == 507} - NO_FAILURES - LOST)
CODES += [107020, 107022, 107023, 107035]
FEW = 60  # tasks of a form


@pytest.fixture(autouse=True)
def faults_end() -> Iterator[None]:
    with nothing_planned():
        yield


@pytest.fixture
def recorded() -> Iterator[None]:
    """Operations run when their values are wanted: an eager one that reads what is damaged is told at its own line."""
    with ap.config.using(eager=False):
        yield


def attempt(form: Callable[..., Arrays], plain: Arrays, nth: int, code: int) -> tuple[Arrays, bool]:
    """What there is of the form's results when its nth task has failed, and whether that was told."""
    arrays = [there(x).copy() for x in plain]
    fail(nth, code)
    told = False
    results: Arrays = []
    for step in (lambda: results.extend(form(ap, *arrays)), ap.synchronize):
        try:
            step()
        except cann.CannError as error:  # the second: of work that was not launched, since it needs what failed
            assert error.code == code, error
            told = True
    cannsim.clear_faults()
    return results, told


def tasks_of(form: Callable[..., Arrays], plain: Arrays) -> int:
    """How many tasks the form is: the last that can fail."""
    least, most = 0, 1
    while attempt(form, plain, most, AICORE)[1]:
        settle()
        least, most = most, 2 * most
    settle()
    while most - least > 1:
        middle = (least + most) // 2
        told = attempt(form, plain, middle, AICORE)[1]
        settle()
        least, most = (middle, most) if told else (least, middle)
    return least


def check_failures(form: Callable[..., Arrays], plain: Arrays, failures: Iterable[tuple[int, int]]) -> None:
    """An attempt for each task and code, with which it fails: what can be read is right, and the rest is told."""
    with np.errstate(all="ignore"):
        expected = form(np, *(x.copy() for x in plain))
    kept = there(plain[0]) + 0
    ap.synchronize()
    damaged = 0
    for nth, code in failures:
        results, told = attempt(form, plain, nth, code)
        what = f"task {nth} failed with {code}"
        for got, right in zip(results, expected, strict=bool(results)):
            try:
                value = ap.to_numpy(got)
            except cann.CannError as error:
                assert told and error.code == code, what
                damaged += 1
                got[...] = 1
                value, right = ap.to_numpy(got), np.ones_like(right)
            bound = 0 if got.dtype.kind in "iub" else 2e-4
            np.testing.assert_allclose(value, right, rtol=bound, atol=bound, err_msg=what)
        np.testing.assert_array_equal(ap.to_numpy(kept), plain[0], err_msg=what)
        settle()
    assert damaged


@pytest.mark.parametrize("replay", [False, True], ids=["launched", "replayed"])
@pytest.mark.parametrize(
    ("form", "plain"), FORMS, ids=lambda value: value.__name__ if callable(value) else str(value[0].dtype)
)
def test_every_task_may_fail(form: Callable[..., Arrays], plain: Arrays, replay: bool) -> None:
    """With every code, where a form is no more than FEW tasks; a longer or replayed one has a code for each task."""
    with ap.config.using(graph_replay=replay):
        for _ in range(3 * replay):
            attempt(form, plain, 10**6, AICORE)
        tasks = tasks_of(form, plain)
        assert tasks > 1
        if tasks <= FEW and not replay:
            failures = list(itertools.product(range(1, tasks + 1), CODES))
        else:
            failures = list(zip(range(1, tasks + 1, 1 + tasks // FEW), itertools.cycle(CODES)))
        check_failures(form, plain, failures)


def test_one_thread_waits_while_another_reads() -> None:
    """CANN tells a failure once, to whoever waits first; the others know it when their own wait has ended."""
    x = there(np.arange(64.0, dtype="f4"))
    ap.synchronize()
    stop = threading.Event()

    def wait() -> None:
        while not stop.is_set():
            with contextlib.suppress(cann.CannError):
                ap.synchronize()

    threads = [threading.Thread(target=wait) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(300):
            cannsim.fail_task(operator="aclnnExp")
            y = ap.exp(x)
            expect_told(y.tolist)
            assert (x + 1).tolist()[5] == 6
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_wait_that_gave_up_is_no_failure() -> None:
    x = there(np.arange(8.0, dtype="f4"))
    ap.synchronize()
    y = x * 2
    ap.eval(y)
    cannsim.fail("aclrtSynchronizeStream", 1, 507046)
    with pytest.raises(cann.CannError, match="the work goes on"):
        ap.synchronize()
    assert y.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]


def test_what_is_said() -> None:
    x = there(np.arange(12.0, dtype="f4").reshape(3, 4))
    fail(operator="aclnnExp")
    with ap.config.using(eager=True):
        y = ap.exp(x)
    error = expect_told(lambda: ap.to_numpy(y))
    where = f"run at {__file__}:"
    for words in ("aclnnExp(float32[", str(OTHERS[0]), "ACL_ERROR_RT_AICORE_EXCEPTION", where, "compute it again"):
        assert words in str(error), (words, str(error))
    assert error.function == "aclrtSynchronizeStream"


def test_candidates_are_listed_where_nothing_is_named() -> None:
    x = there(np.arange(12.0, dtype="f4"))
    ap.synchronize()
    y, z = ap.exp(x), ap.sin(x)
    ap.eval(y)
    ap.eval(z)
    cannsim.fail("aclrtSynchronizeStream", 1, AICORE)
    error = expect_told(ap.synchronize)
    assert "one of aclnnSin(float32[12], float32[12])" in str(error) and "aclnnExp(float32[12]" in str(error)
    for array in (y, z):
        expect_told(array.tolist)


READS: dict[str, Callable[[Any], object]] = {
    "to_numpy": ap.to_numpy, "item": lambda x: x[0, 0].item(), "element": lambda x: float(x[1, 2]), "str": str,
    "repr": repr, "tolist": lambda x: x.tolist(), "array": np.asarray, "bool": lambda x: bool(x.any()),
    "bytes": lambda x: x.tobytes(), "sort": lambda x: ap.sort(x, 0).tolist(), "view": lambda x: x.T[::-1].tolist(),
    "sum": lambda x: float(x.sum()), "cpu": lambda x: x.to_device("cpu").tolist(), "mask": lambda x: x[x > 1].tolist(),
    "product": lambda x: (x @ x.T).tolist(), "iter": lambda x: [float(v) for v in x.flat],
    "cast": lambda x: x.astype("i4").tolist(), "host": lambda x: ap.linalg.svd(x)[1].tolist(),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_every_way_of_reading_is_told(read: Callable[[Any], object]) -> None:
    x = there(np.arange(12.0, dtype="f4").reshape(3, 4))
    fail(operator="aclnnExp")
    y = ap.exp(x)
    ap.eval(y)
    for _ in range(2):
        expect_told(lambda: read(y))
    assert x.tolist()[2] == [8, 9, 10, 11]


@pytest.mark.usefixtures("recorded")
def test_what_reads_it_on_the_device_is_damaged_too() -> None:
    x = there(np.arange(12.0, dtype="f4"))
    ap.synchronize()
    fail(operator="aclnnExp")
    y = ap.exp(x)
    ap.eval(y)
    recorded = y * 2  # before anybody knows
    beside = x * 2  # nobody can tell whether this has failed
    expect_told(ap.synchronize)
    chain = recorded + x
    other = x - 1
    expect_told(ap.synchronize)
    ap.synchronize()  # told, and not recorded any more
    assert ap.pending_count() == 0
    for array in (y, recorded, beside, chain):
        expect_told(array.tolist)
    assert other.tolist() == [k - 1 for k in range(12)]


@pytest.mark.usefixtures("recorded")
def test_order_is_kept_around_damaged_arrays() -> None:
    x, z = there(np.arange(6.0, dtype="f4")), there(np.ones(6, "f4"))
    ap.synchronize()
    fail(operator="aclnnExp")
    y = ap.exp(x)
    ap.eval(y)
    expect_told(ap.synchronize)
    before = z + 1       # reads z, which is damaged by what comes next
    z += y
    after = z * 2
    y[...] = 3           # healed
    healed = y + 1
    z[...] = 7
    expect_told(ap.synchronize)
    assert before.tolist() == [2] * 6 and healed.tolist() == [4] * 6 and z.tolist() == [7] * 6
    expect_told(after.tolist)


HEALS: dict[str, Callable[[Any], object]] = {
    "number": lambda y: y.__setitem__(..., 5), "array": lambda y: y.__setitem__(..., np.full(y.shape, 5, "f4")),
    "out": lambda y: ap.add(there(np.full(y.shape, 4, "f4")), 1, out=y), "fill": lambda y: y.fill(5),
    "copyto": lambda y: ap.copyto(y, there(np.full(y.shape, 5, "f4"))),
    "product": lambda y: ap.matmul(there(np.full((3, 1), 5, "f4")), there(np.ones((1, 4), "f4")), out=y),
}


@pytest.mark.parametrize("heal", HEALS.values(), ids=HEALS)
def test_writing_an_array_as_a_whole_heals_it(heal: Callable[[Any], object]) -> None:
    x = there(np.arange(12.0, dtype="f4").reshape(3, 4))
    fail(operator="aclnnExp")
    y = ap.exp(x)
    ap.eval(y)
    expect_told(y.tolist)
    heal(y)
    assert (y + 0).tolist() == y.tolist() == [[5] * 4] * 3


@pytest.mark.usefixtures("recorded")
def test_a_part_that_is_written_may_be_read() -> None:
    fail(operator="aclnnExp")
    y = ap.exp(there(np.arange(12.0, dtype="f4").reshape(3, 4)))
    ap.eval(y)
    expect_told(y.tolist)
    y[1] = 2
    assert y[1].tolist() == [2] * 4
    expect_told(y.tolist)
    expect_told(lambda: y[0].tolist())
    y *= 0  # reads it
    expect_told(lambda: y[0].tolist())


def test_memory_that_is_used_again_has_no_mark() -> None:
    for _ in range(20):
        fail(operator="aclnnExp")
        y = ap.exp(there(np.arange(64.0, dtype="f4")))
        ap.eval(y)
        expect_told(y.tolist)
        del y
        cannsim.clear_faults()
        fresh = [ap.zeros(64, dtype="float32", device=OTHERS[0]) + k for k in range(4)]
        assert [float(one.sum()) for one in fresh] == [0, 64, 128, 192]


def test_a_long_time_without_a_wait() -> None:
    x = there(np.arange(16.0, dtype="f4"))
    many = []
    fail(operator="aclnnExp")
    damaged = ap.exp(x)
    for k in range(5000):
        many.append(x + k)
        ap.eval(many[-1])
    ap.eval(damaged)
    error = expect_told(damaged.tolist)
    assert "aclnnExp" in str(error)
    told = 0
    for k, one in enumerate(many):
        try:
            assert one.tolist() == [k + j for j in range(16)]
        except cann.CannError:
            told += 1
    assert told == 5000 and x.tolist()[3] == 3


def test_large_copies_in_pieces() -> None:
    large = np.arange(5 << 19, dtype="i4")
    x = there(large)
    ap.synchronize()
    for nth in (1, 2, 3):
        fail(nth, operator="aclrtMemcpyAsync")
        np.testing.assert_array_equal(ap.to_numpy(x), large)  # fetched once more
        expect_told(ap.synchronize)
    fail(2, operator="aclrtMemcpyAsync")
    y = there(large)
    expect_told(lambda: ap.to_numpy(y))
    expect_told(lambda: y[-1].item())
    np.testing.assert_array_equal(ap.to_numpy(x), large)


def test_numbers_that_are_kept_on_the_device_are_brought_again() -> None:
    x = there(np.arange(16.0, dtype="f4"))
    for k in range(8):
        number = np.float32(1.5 + k)
        expected = np.maximum(np.arange(16.0, dtype="f4"), number) ** number
        for nth in range(1, 6):
            fail(nth)
            y = ap.maximum(x, number) ** number
            try:
                np.testing.assert_allclose(ap.to_numpy(y), expected, rtol=1e-5)
            except cann.CannError:
                pass
            settle()
            cannsim.clear_faults()
            z = ap.maximum(x, number) ** number
            np.testing.assert_allclose(ap.to_numpy(z), expected, rtol=1e-5)


def test_recorded_functions_run_with_what_is_whole() -> None:
    plain = np.arange(6000, dtype=np.float32)
    twice = ap.jit(lambda x: x * 2 + 1, donate="x")
    x = there(plain)
    twice(x.copy())
    fail()
    bad = x * 3
    expect_told(ap.synchronize)
    given = there(plain)
    got = twice(given)
    with pytest.raises(RuntimeError, match="was donated"):  # it ran as it was recorded, though something is damaged
        given.tolist()
    np.testing.assert_array_equal(ap.to_numpy(got), plain * 2 + 1)
    expect_told(lambda: twice(bad).tolist())
    after = bad + 1  # waits, and reads what is damaged
    expect_told(lambda: twice(after).tolist())
