"""The model's clock: its two profiles, engines, cache, hidden kernels, and the host's own time."""

from __future__ import annotations

import numpy as np
import pytest

from cannsim import acl
from cannsim.processes import child

# Both phases and the wait, by the model's own time; memory is another matter.
TIMED = """
sim.cannsim_modelled_seconds.restype = ctypes.c_double

def blank(shape, dtype, strides=None):
    size = int(np.prod(shape))
    memory = Memory(size * np.dtype(dtype).itemsize)
    steps = strides or [int(np.prod(shape[i + 1:])) for i in range(len(shape))]
    return P(create_tensor(shape, dtype, steps, 0, [size], memory.address))

def timed(name, *arguments):
    begun = sim.cannsim_modelled_seconds()
    size, executor = plan(name, *arguments)
    planned = sim.cannsim_modelled_seconds() - begun
    workspace = Memory(size)
    begun = sim.cannsim_modelled_seconds()
    assert getattr(nn, name)(workspace.address, U64(size), executor, P()) == 0
    call("aclrtSynchronizeStream", None)
    return planned + sim.cannsim_modelled_seconds() - begun
"""


def figures(code: str, **settings: str) -> list[float]:
    """What the lines print, in a process that computes nothing."""
    done = child(TIMED + code, compute="0", **settings)
    assert done.returncode == 0, done.stderr
    return [float(word) for word in done.stdout.split()]


ADDS = """
one = Scalar(1, np.int32)
for shape in [(100, 100, 10), (100, 100, 100), (1000, 100, 100), (1000, 1000, 100)]:
    print(timed("aclnnAdd", blank(shape, np.int32), blank(shape, np.int32), one, blank(shape, np.int32)) * 1e3)
"""


def test_an_eager_client_takes_what_was_published() -> None:
    """int32 additions of 10^5 to 10^8 elements, in ms."""
    got = figures(ADDS, profile="eager", memory="4G")
    np.testing.assert_allclose(got, [0.1, 0.1, 0.4, 2.4], rtol=0.2)


def test_this_backend_is_bound_by_memory() -> None:
    got = figures(ADDS, memory="4G")
    bound = 12 * 10.0 ** np.arange(5, 9) / 1.46e12 * 1e3
    assert (got > bound).all() and (got < bound + 0.05).all()
    assert figures(ADDS, profile="backend", memory="4G") == got


def test_a_profile_is_left_again() -> None:
    own = figures("print(timed('aclnnNeg', blank((100,), np.float32), blank((100,), np.float32)))")
    changed = figures(
        """
        for profile in (b"eager", b"backend"):
            assert sim.cannsim_set(b"PROFILE", profile) == 0
            print(timed('aclnnNeg', blank((100,), np.float32), blank((100,), np.float32)))
        """.replace("        ", "")
    )
    assert changed[0] > 5 * changed[1] and changed[1] == pytest.approx(own[0], rel=1e-6)


def test_dtypes_without_a_kernel_run_on_the_slow_cores() -> None:
    code = """
for dtype in (np.float32, np.float64, np.int32, np.int16):
    x, y, out = (blank((1 << 20,), dtype) for _ in range(3))
    print(timed("aclnnAdd", x, y, Scalar(1, dtype), out))
sim.cannsim_report_json.restype = ctypes.c_char_p
import json
(task,) = json.loads(sim.cannsim_report_json())["tasks"]
print(task["aicpu"], task["count"])
"""
    single, double, integer, short, slow, count = figures(code)
    assert double > 20 * single and short > 10 * integer and (slow, count) == (2, 4)


def test_what_was_used_last_comes_from_the_cache() -> None:
    code = """
x, y, z = (blank((1 << 22,), np.float32) for _ in range(3))  # 16 MiB each
print(timed("aclnnNeg", x, y), timed("aclnnNeg", y, z))
large = [blank((1 << 25,), np.float32) for _ in range(3)]      # 128 MiB each: the second does not fit beside the first
print(timed("aclnnNeg", large[0], large[1]), timed("aclnnNeg", large[0], large[2]))
"""
    first, second, far, again = figures(code, memory="4G")
    read = (1 << 24) / 1.46e12
    assert first - second == pytest.approx(read * 2 / 3, rel=0.01)
    assert far == pytest.approx(again, rel=1e-3)


def test_strides_and_casts_start_kernels_of_their_own() -> None:
    code = """
n = 1 << 11
one = Scalar(1, np.float32)
plain, turned, half = blank((n, n), np.float32), blank((n, n), np.float32, [1, n]), blank((n, n), np.float16)
for left in (plain, turned, half):
    print(timed("aclnnAdd", left, blank((n, n), np.float32), one, blank((n, n), np.float32)))
"""
    plain, turned, half = figures(code, memory="4G")
    size = 1 << 22
    assert turned - plain == pytest.approx(5e-6 + size * 8 / 1.46e12, rel=0.35)
    assert half - plain == pytest.approx(5e-6 + size * 6 / 1.46e12 - size * 2 / 1.46e12, rel=0.35)


def test_phase_one_and_memory_take_the_hosts_time() -> None:
    code = """
x, y = blank((100,), np.float32), blank((100,), np.float32)
now = sim.cannsim_modelled_seconds
before = now(); size, executor = plan("aclnnNeg", x, y); print(now() - before)
nn.aclSetAclOpExecutorRepeatable(executor)
before = now(); launch("aclnnNeg", size, executor); print(now() - before)
before = now(); memory = Memory(64); print(now() - before)
before = now(); memory.free(); print(now() - before)
"""
    planned, again, taken, given = figures(code)
    assert planned > 2 * again > 0 and taken > 10 * planned and given == pytest.approx(taken)


def test_a_graph_is_cheaper_than_its_calls() -> None:
    code = """
x, y, stream, model = blank((100,), np.float32), blank((100,), np.float32), P(), P()
call("aclrtCreateStream", ctypes.byref(stream))
now = sim.cannsim_modelled_seconds

def work():
    for _ in range(50): launch("aclnnNeg", *plan("aclnnNeg", x, y), stream.value)

before = now(); work(); call("aclrtSynchronizeStream", stream); print(now() - before)
call("aclmdlRICaptureBegin", stream, 0); work(); call("aclmdlRICaptureEnd", stream, ctypes.byref(model))
before = now(); call("aclmdlRIExecuteAsync", model, stream); print(now() - before)
call("aclrtSynchronizeStream", stream); print(now() - before)
"""
    calls, issue, replay = figures(code)
    assert calls > 4 * replay and issue < 5e-6


def test_an_unknown_profile_is_refused() -> None:
    assert acl.sim.cannsim_set(b"PROFILE", b"/nowhere") != 0
