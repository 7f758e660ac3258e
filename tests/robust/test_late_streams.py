"""Work that fails late on one of several streams, before copies to pinned memory, for good, and where others wait."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from device_marks import OTHERS, needs_simulator
from robust.late import AICORE, expect_told, fail, nothing_planned, settle, there
from robust.processes import run_script

import asnumpy as ap
from asnumpy import cann, cannsim

pytestmark = needs_simulator


@pytest.fixture(autouse=True)
def faults_end() -> Iterator[None]:
    with nothing_planned():
        yield


def test_streams() -> None:
    one, two, alone = (ap.Stream(OTHERS[0]) for _ in range(3))
    x = there(np.arange(32.0, dtype="f4"))
    ap.synchronize()
    fail(operator="aclnnExp")
    with one:
        y = ap.exp(x)
        done = one.record()
    with two:
        two.wait_event(done)
        z = y * 2
    with alone:
        fine = x + 3
    ap.eval(y, z, fine)
    alone.synchronize()
    assert fine.tolist() == [k + 3 for k in range(32)]
    expect_told(z.tolist)  # its own stream has no failure
    expect_told(y.tolist)
    with two:
        again = x * 2
    assert again.tolist() == [2 * k for k in range(32)]


def test_order_between_streams_that_arrays_make() -> None:
    one, two = ap.Stream(OTHERS[0]), ap.Stream(OTHERS[0])
    x = there(np.arange(32.0, dtype="f4"))
    ap.synchronize()
    for nth in (1, 2, 3):
        fail(nth, operator="aclnnMuls")
        with one:
            y = x * 2
        with two:
            z = y * 3
        with one:
            w = z * 5
        expect_told(w.tolist)
        settle()
        cannsim.clear_faults()


@pytest.mark.parametrize("how", ["event", "done", "stream", "query", "device", "later"])
@pytest.mark.parametrize("told_before", [False, True])
def test_copies_to_pinned_memory(how: str, told_before: bool) -> None:
    stream = ap.Stream(OTHERS[0])
    x = there(np.arange(1 << 15, dtype="f4"))
    host = ap.empty_pinned(1 << 15, dtype="float32")
    ap.synchronize()
    fail(operator="aclnnExp")
    with stream:
        y = ap.exp(x)
        ap.to_numpy(y, out=host, blocking=False)
        done = stream.record()
    other = ap.Stream(OTHERS[0])
    other.wait_event(done)
    later = other.record()
    if told_before:
        expect_told(y.tolist)
    ways = {"event": done.synchronize, "done": lambda: [done.done for _ in iter(lambda: done.done, True)],
            "stream": stream.synchronize, "query": lambda: [stream.done for _ in iter(lambda: stream.done, True)],
            "device": ap.synchronize, "later": later.synchronize}
    expect_told(ways[how])
    expect_told(lambda: ap.to_numpy(y, out=host, blocking=False))


def test_single_operators() -> None:
    x = there(np.arange(16.0, dtype="f4"))
    out = ap.zeros(16, dtype="float32", device=OTHERS[0])
    fail(operator="aclnnExp")
    cann.op("aclnnExp")(x, out)
    expect_told(cann.synchronize)  # who waits there knows of arrays, too
    expect_told(out.tolist)
    expect_told(lambda: cann.op("aclnnExp")(out, x))
    assert x.tolist()[5] == 5


def test_a_wait_of_the_single_operators_knows_of_arrays() -> None:
    x = there(np.arange(16.0, dtype="f4"))
    fail(operator="aclnnExp")
    y = ap.exp(x)
    ap.eval(y)
    expect_told(cann.synchronize)
    expect_told(y.tolist)
    assert (x + 1).tolist()[5] == 6
    fail(operator="aclnnExp")
    y = ap.exp(x)
    ap.eval(y)
    assert x.tolist()[5] == 5  # has waited, and was given its values
    expect_told(cann.synchronize)
    cann.synchronize()


def test_memory_that_goes_back_waits_and_does_not_swallow() -> None:
    x = there(np.arange(16.0, dtype="f4"))
    gone = ap.ones(1 << 20, dtype="float32", device=OTHERS[0])
    ap.eval(gone)
    fail(operator="aclnnExp")
    y = ap.exp(x)
    ap.eval(y)
    del gone
    ap.free_all_blocks()  # waits
    expect_told(y.tolist)
    expect_told(ap.synchronize)
    ap.synchronize()


def test_settings_that_wait() -> None:
    x = there(np.arange(16.0, dtype="f4"))
    fail(operator="aclnnExp")
    y = ap.exp(x)
    ap.eval(y)
    try:
        with ap.config.using(deterministic=True):
            pass
    except cann.CannError as error:
        assert error.code == AICORE
    expect_told(y.tolist)


def test_a_stream_that_stays_broken_is_replaced() -> None:
    x = there(np.arange(16.0, dtype="f4"))
    for stream in (ap.Stream(OTHERS[0]), ap.Stream.default(OTHERS[0])):
        ap.synchronize()
        with stream:
            before = stream.ptr
            cannsim.fail_task(1, AICORE, "aclnnExp", lasting=True)
            y = ap.exp(x)
            beyond = x * 2
            ap.eval(y, beyond)  # never runs
            expect_told(stream.synchronize)
            assert (x + 1).tolist()[5] == 6
            for array in (y, beyond):
                expect_told(array.tolist)
            after = stream.ptr
            assert after != before
            stream.synchronize()
            assert (x * 2).tolist()[5] == 10 and stream.ptr == after
            y[...] = 3
            assert y.tolist() == [3] * 16


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_what_was_enqueued_on_a_broken_stream(nth: int) -> None:
    """Whichever task breaks it, and whoever waits first."""
    one, two = ap.Stream(OTHERS[0]), ap.Stream(OTHERS[0])
    x = there(np.arange(16.0, dtype="f4"))
    ap.synchronize()
    cannsim.fail_task(nth, AICORE, lasting=True)
    with one:
        y = x * 2
        ap.eval(y)
    with two:
        z = y + 1
        ap.eval(z)
    with one:
        w = x - 1
        ap.eval(w)
    told = 0
    k = np.arange(16)
    for array, right in ((z, 2 * k + 1), (w, k - 1), (y, 2 * k), (x, k)):
        try:
            assert array.tolist() == right.tolist()
        except cann.CannError as error:
            assert error.code == AICORE
            told += 1
    assert told and x.tolist() == list(range(16))
    settle()
    with one:
        assert (x + 1).tolist()[5] == 6
    with two:
        assert (x + 1).tolist()[5] == 6


BROKEN_FOR_GOOD = """
import numpy as np
import asnumpy as ap
from asnumpy import cann, cannsim
x = ap.from_numpy(np.arange(50.0, dtype="f4"), device="ascend:0")
beside = ap.ones(50, dtype="float32", device="ascend:1")
ap.synchronize()
cannsim.fail_task(0, 507015, lasting=True)
told = []
for _ in range(6):
    try:
        (x + 1).tolist()
    except cann.CannError as error:
        assert error.code == 507015, error
        told.append("ascend:0 was lost" in str(error))
    else:
        raise AssertionError("a stream that has failed was read")
assert not told[0] and told[-1], told
cannsim.clear_faults()
try:
    x.tolist()
except cann.CannError as error:
    assert "ascend:0 was lost" in str(error), error
else:
    raise AssertionError("a lost device was read")
assert (beside * 3).tolist() == [3] * 50
"""


def test_a_device_whose_new_streams_fail_at_once_is_lost() -> None:
    done = run_script(BROKEN_FOR_GOOD, ASNUMPY_CANN="sim", ASNUMPY_DEVICE="", ASNUMPY_EAGER="", CANNSIM_DEVICES="2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr


TWO_DEVICES = """
import numpy as np
import asnumpy as ap
from asnumpy import cann, cannsim
ap.config.eager_size = 0
x = ap.from_numpy(np.arange(5000.0, dtype="f4"), device="ascend:0")
beside = ap.ones(5000, dtype="float32", device="ascend:1")
ap.synchronize()
cannsim.fail_task(1, 507035, "aclnnExp")
y = ap.exp(x)
moved = None
for read in (lambda: y.to_device("ascend:1").tolist(), y.tolist):
    try:
        read()
    except cann.CannError as error:
        assert error.code == 507035, error
    else:
        raise AssertionError("garbage was moved")
assert (beside + 1).tolist() == [2] * 5000
assert (x * 2).to_device("ascend:1").tolist() == (np.arange(5000.0) * 2).tolist()
try:
    ap.synchronize()
except cann.CannError:
    pass
ap.synchronize()
cannsim.fail_task(1, 507053, "aclnnExp")  # of the device's memory: it is lost
y = ap.exp(x)
for _ in range(2):
    for read in (y.tolist, x.tolist):
        try:
            read()
        except cann.CannError as error:
            assert "ascend:0 was lost" in str(error) or error.code == 507053, error
        else:
            raise AssertionError("a lost device was read")
assert (beside * 3).tolist() == [3] * 5000
"""


@pytest.mark.parametrize("strict", ["abort", "error"])
def test_two_devices_and_one_that_is_lost(strict: str) -> None:
    settings = {"ASNUMPY_CANN": "sim", "ASNUMPY_DEVICE": "", "ASNUMPY_EAGER": "", "ASNUMPY_FALLBACK": "count"}
    done = run_script(TWO_DEVICES, **settings, CANNSIM_STRICT=strict, CANNSIM_DEVICES="2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr


def test_faults_from_the_environment() -> None:
    done = run_script(
        "import numpy as np\nimport asnumpy as ap\nx = ap.from_numpy(np.ones(9, 'f4'), device='ascend:0')\n"
        "try:\n    ap.exp(x).tolist()\nexcept RuntimeError as error:\n    print(error.code)\n",
        ASNUMPY_CANN="sim", ASNUMPY_DEVICE="", ASNUMPY_EAGER="", CANNSIM_TASK_FAULTS="aclnnExp:1:507015",
    )
    assert (done.returncode, done.stdout) == (0, "507015\n"), done.stderr
