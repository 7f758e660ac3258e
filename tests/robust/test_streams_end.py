"""Streams, events and pinned arrays at the end of a process, after fork, and when CANN refuses a call."""

from __future__ import annotations

import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS, SIMULATED, needs_simulator
from robust.processes import run_script

import asnumpy as ap
from asnumpy import cannsim


@pytest.fixture(autouse=True)
def no_faults() -> Iterator[None]:
    yield
    if SIMULATED:
        cannsim.clear_faults()


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = run_script(script, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@needs_simulator
def test_one_stream_has_no_events() -> None:
    """As long as a device has its first stream only, nothing is done for order."""
    script = (
        "import asnumpy as ap; from asnumpy import cannsim\n"
        "cannsim.configure(log=True)\n"
        "x = ap.ones(1000, device='ascend:0')\n"
        "with ap.Stream.default('ascend:0'):\n"
        "    for _ in range(50): x = (x + 1)[::-1] * 2\n"
        "    ap.synchronize()\n"
        "seen = {call['function'] for call in cannsim.log()}\n"
        "assert 'aclnnAdds' in seen and not {'aclrtRecordEvent', 'aclrtStreamWaitEvent'} & seen, seen\n"
    )
    run(script)


HOLDS = """
import asnumpy as ap, gc, sys, threading
streams = [ap.Stream('ascend:0') for _ in range(3)]
events = [ap.Event() for _ in range(4)]
with streams[0]:
    x = ap.ones(3000); y = x + 1
    events[0].record()
    with streams[1]:
        z = y * 2; events[1].record(); events[0].wait()
cycle = [streams, events]; cycle.append(cycle)
pinned = ap.empty_pinned(200000, device='ascend:0'); pinned[...] = 1
with streams[2]:
    a = ap.from_numpy(pinned, blocking=False)
back = ap.to_numpy(a, blocking=False)
worker = threading.Thread(target=lambda: ap.Stream('ascend:0').record()); worker.start(); worker.join()
"""
ENDS = {
    "holds": "", "in a stream": "streams[1].__enter__(); w = x - 1",
    "streams first": "del streams; cycle.clear(); gc.collect(); events.clear()",
    "events first": "cycle.clear(); events.clear(); gc.collect(); del streams, pinned, back",
    "lets go": "del x, y, z, a, pinned, back; cycle.clear(); del streams, events; gc.collect()",
    "module": "ap.kept = (streams, events, pinned); sys.modules['kept'] = ap.kept",
}


@needs_simulator
@pytest.mark.parametrize("end", ENDS)
def test_nothing_is_left_at_the_end(end: str, tmp_path: Path) -> None:
    findings = tmp_path / "findings"
    done = run(HOLDS + ENDS[end], CANNSIM_FINDINGS=str(findings))
    assert not findings.exists(), findings.read_text()
    assert done.stderr == ""


@needs_simulator
@pytest.mark.parametrize("function", [
    "aclrtCreateStreamWithConfig", "aclrtCreateEventExWithFlag", "aclrtRecordEvent", "aclrtStreamWaitEvent",
])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_refused_call_harms_nothing_else(function: str, nth: int) -> None:
    with ap.Device(OTHERS[0]):
        x, y = ap.arange(1000, dtype="int32"), ap.ones(1000, "int32")
        ap.synchronize()
    gc.collect()
    ap.synchronize()
    held = ap.memory_info(OTHERS[0])["blocks"]
    extra: list[Any] = []

    def work() -> np.ndarray:
        streams = [ap.Stream(OTHERS[0], priority=7 - nth) for _ in range(2)]
        extra.append(streams)
        with streams[0]:
            z = x + y
        with streams[1]:
            z += x
            events = [stream.record() for stream in streams]
            events[0].wait()
        with streams[0]:
            return ap.to_numpy(z * 2)

    cannsim.fail(function, nth, 507899)
    try:
        result = work()
    except RuntimeError as error:
        assert function in str(error) and "507899" in str(error)
        cannsim.clear_faults()
        ap.synchronize()  # what was refused runs now
        result = work()
    cannsim.clear_faults()
    np.testing.assert_array_equal(result, (np.arange(1000) * 2 + 1) * 2)
    np.testing.assert_array_equal(ap.to_numpy(x), np.arange(1000))
    gc.collect()
    ap.synchronize()
    assert ap.memory_info(OTHERS[0])["blocks"] == held


@needs_simulator
def test_a_lost_device_and_a_child_of_fork_say_so() -> None:
    run("""
import os, warnings
import asnumpy as ap
from asnumpy import cannsim
warnings.simplefilter("ignore")
stream = ap.Stream("ascend:0"); event = stream.record(); pinned = ap.empty_pinned(50000, device="ascend:0")
calls = [lambda: stream.ptr, lambda: stream.done, stream.synchronize, stream.record, lambda: event.done,
         event.synchronize, event.wait, lambda: ap.Stream("ascend:0"), lambda: ap.from_numpy(pinned, device="ascend:0")]
def expect(text):
    for call in calls:
        try:
            call()
        except RuntimeError as error:
            assert text in str(error), error
        else:
            raise AssertionError(call)
child = os.fork()
if child == 0:
    try:
        expect("child of fork")
        del stream, event, pinned, calls
    except BaseException:
        import traceback; traceback.print_exc(); os._exit(1)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
x = ap.ones(100, device="ascend:0"); ap.synchronize()
cannsim.fail("aclnnAdds", 1, 507010)
y = None
try:
    with stream:
        y = x + 1
        ap.synchronize()
except RuntimeError as error:
    assert "507010" in str(error)
del y
expect("ascend:0 was lost")
with ap.Stream("cpu") as other:
    assert float((ap.ones(3) + 1).sum()) == 6 and other.record().done
""", ASNUMPY_DEVICE="cpu", CANNSIM_STRICT="error")
