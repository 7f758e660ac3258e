"""Each fault that the simulator looks for, committed in a child process, and what it reports."""

from __future__ import annotations

import signal

import pytest

from cannsim.processes import child

# kind, the words of the report, the program
FAULTS = {
    "use after free": (
        "use_after_free",
        "freed allocation",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.ones(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        x.memory.free()
        launch("aclnnExp", size, executor)
        """,
    ),
    "copy from freed memory": (
        "use_after_free",
        "freed allocation",
        """
        memory = Memory(64); memory.free(); memory.read()
        """,
    ),
    "double free": (
        "double_free",
        "was freed before",
        """
        memory = Memory(64); memory.free(); memory.free()
        """,
    ),
    "misaligned pointer": (
        "misaligned",
        "multiple of 32",
        """
        memory = Memory(256)
        x = create_tensor([8], np.float32, [1], 0, [8], P(memory.address.value + 4))
        y = Tensor(np.ones(8, np.float32))
        size, executor = plan("aclnnExp", P(x), y)
        launch("aclnnExp", size, executor)
        """,
    ),
    "view past its storage": (
        "out_of_bounds",
        "passes the end of its storage",
        """
        memory = Memory(256)
        x = create_tensor([8], np.float32, [2], 0, [8], memory.address)
        plan("aclnnExp", P(x), Tensor(np.ones(8, np.float32)))
        """,
    ),
    "storage past the allocation": (
        "out_of_bounds",
        "pass the end of allocation",
        """
        memory = Memory(256)
        x = create_tensor([1000], np.float32, [1], 0, [1000], memory.address)
        size, executor = plan("aclnnExp", P(x), Tensor(np.ones(1000, np.float32)))
        launch("aclnnExp", size, executor)
        """,
    ),
    "copy past the allocation": (
        "out_of_bounds",
        "pass the end of allocation",
        """
        memory = Memory(64)
        call("aclrtMemcpy", memory.address, ctypes.c_size_t(4096), bytes(4096), ctypes.c_size_t(4096), HOST_TO_DEVICE)
        """,
    ),
    "host pointer in an operator": (
        "host_pointer",
        "expected device memory",
        """
        host = np.ones(8, np.float32)
        x = create_tensor([8], np.float32, [1], 0, [8], P(host.ctypes.data // 32 * 32))
        size, executor = plan("aclnnExp", P(x), Tensor(np.ones(8, np.float32)))
        launch("aclnnExp", size, executor)
        """,
    ),
    "wrong kind of copy": (
        "host_pointer",
        "src: expected host memory",
        """
        memory = Memory(64)
        call("aclrtMemcpy", bytes(64), ctypes.c_size_t(64), memory.address, ctypes.c_size_t(64), HOST_TO_DEVICE)
        """,
    ),
    "read before the wait": (
        "missing_wait",
        "before it waited",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        launch("aclnnExp", size, executor)
        y.numpy()
        """,
    ),
    "written before the wait": (
        "missing_wait",
        "before it waited",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        launch("aclnnExp", size, executor)
        x.memory.write(bytes(32))
        """,
    ),
    "two streams on one buffer": (
        "unordered_access",
        "no event orders",
        """
        streams = [P(), P()]
        for stream in streams: call("aclrtCreateStream", ctypes.byref(stream))
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32)); z = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        launch("aclnnExp", size, executor, streams[0].value)
        size, executor = plan("aclnnExp", y, z)
        launch("aclnnExp", size, executor, streams[1].value)
        """,
    ),
    "phase two twice": (
        "executor_misuse",
        "was used or destroyed",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        launch("aclnnExp", size, executor)
        launch("aclnnExp", size, executor)
        """,
    ),
    "phase two of another operator": (
        "executor_misuse",
        "executor of aclnnExp",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        launch("aclnnLog", size, executor)
        """,
    ),
    "destroyed tensor": (
        "object_misuse",
        "destroyed",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        nn.aclDestroyTensor(P(x.handle))
        plan("aclnnExp", x, y)
        """,
    ),
    "tensor destroyed between the phases": (
        "object_misuse",
        "between the two phases",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        nn.aclDestroyTensor(P(x.handle))
        launch("aclnnExp", size, executor)
        """,
    ),
    "output destroyed between the phases": (
        "object_misuse",
        "between the two phases",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        nn.aclDestroyTensor(P(y.handle))
        launch("aclnnExp", size, executor)
        """,
    ),
    "scalar destroyed between the phases": (
        "object_misuse",
        "between the two phases",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        one = Scalar(1, np.float32)
        size, executor = plan("aclnnAdds", x, one, one, y)
        one.destroy()
        launch("aclnnAdds", size, executor)
        """,
    ),
    "array destroyed between the phases": (
        "object_misuse",
        "between the two phases",
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        axes = IntArray([0])
        size, executor = plan("aclnnFlip", x, axes, y)
        axes.destroy()
        launch("aclnnFlip", size, executor)
        """,
    ),
    "list destroyed between the phases": (
        "object_misuse",
        "between the two phases",
        """
        parts = TensorList([np.ones(4, np.float32), np.ones(4, np.float32)]); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnCat", parts, 0, y)
        parts.destroy()
        launch("aclnnCat", size, executor)
        """,
    ),
    "strides where none are documented": (
        "not_contiguous",
        "in C order",
        """
        x = Tensor(np.ones((4, 2), np.float32)); y = Tensor(np.zeros((2, 4), bool).T)
        plan("aclnnIsInf", x, y)
        """,
    ),
    "destroyed stream": (
        "object_misuse",
        "expected a stream",
        """
        stream = P()
        call("aclrtCreateStream", ctypes.byref(stream)); call("aclrtDestroyStream", stream)
        call("aclrtSynchronizeStream", stream)
        """,
    ),
    "output onto itself": (
        "overlap",
        "more than once",
        """
        memory = Memory(256)
        y = create_tensor([8], np.float32, [0], 0, [8], memory.address)
        plan("aclnnExp", Tensor(np.ones(8, np.float32)), P(y))
        """,
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_error_mode_refuses_the_call(fault: str) -> None:
    kind, words, code = FAULTS[fault]
    done = child(code, strict="error")
    assert done.returncode == 1, done.stderr
    assert f"cannsim: {kind}: " in done.stderr and words in done.stderr
    assert ("AclError" in done.stderr and kind in done.stderr.split("AclError")[-1]) or "valid" in done.stderr


@pytest.mark.parametrize("fault", FAULTS)
def test_abort_mode_ends_the_process(fault: str) -> None:
    kind, words, code = FAULTS[fault]
    done = child(code, strict="abort")
    assert done.returncode == -signal.SIGABRT, done.stderr
    assert f"cannsim: {kind}: " in done.stderr and words in done.stderr


def test_log_mode_goes_on() -> None:
    done = child(
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        launch("aclnnExp", size, executor)
        y.numpy()
        sim.cannsim_findings.restype = ctypes.c_uint64
        print(sim.cannsim_findings(b"missing_wait"), sim.cannsim_findings(None))
        """,
        strict="log",
    )
    assert done.returncode == 0 and done.stdout.split() == ["1", "1"], done.stderr


@pytest.mark.parametrize(
    "access", ["ctypes.string_at(memory.address.value + 12, 4)", "ctypes.memset(memory.address.value + 12, 1, 4)"]
)
def test_the_host_cannot_touch_device_memory(access: str) -> None:
    done = child(f"memory = Memory(100)\n{access}\nprint('alive')", strict="error")
    assert done.returncode == -signal.SIGSEGV and "alive" not in done.stdout
    assert "cannsim: host_access: " in done.stderr and "allocation" in done.stderr and "(100 bytes at" in done.stderr
    done = child(f"memory = Memory(100)\n{access}\nprint('alive')", strict="log")
    assert done.returncode == 0 and "alive" in done.stdout and "cannsim: host_access: " in done.stderr


def test_other_bad_accesses_are_not_taken_for_it() -> None:
    done = child("memory = Memory(100)\nctypes.string_at(8, 4)")
    assert done.returncode == -signal.SIGSEGV and "host_access" not in done.stderr


def test_memory_freed_while_in_use() -> None:
    done = child(
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        launch("aclnnExp", size, executor)
        y.memory.free()
        """,
        strict="abort",
    )
    assert (
        done.returncode == -signal.SIGABRT and "cannsim: free_in_use: " in done.stderr and "still writes" in done.stderr
    )


def test_leaks_are_told_after_finalize() -> None:
    done = child(
        """
        memory = Memory(1000)
        stream, event = P(), P()
        call("aclrtCreateStream", ctypes.byref(stream)); call("aclrtCreateEvent", ctypes.byref(event))
        x = Tensor(np.ones(8, np.float32))
        plan("aclnnExp", x, x)
        call("aclFinalize")
        """,
        strict="log",
    )
    assert done.returncode == 0
    for words in (
        "2 blocks with 1032 bytes on device 0",
        "1 streams were never destroyed",
        "1 events were",
        "1 tensors",
        "1 executors",
    ):
        assert words in done.stderr, done.stderr


def test_a_clean_program_has_no_findings() -> None:
    done = child(
        """
        streams, event = [P(), P()], P()
        for stream in streams: call("aclrtCreateStream", ctypes.byref(stream))
        call("aclrtCreateEvent", ctypes.byref(event))
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32)); z = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        launch("aclnnExp", size, executor, streams[0].value)
        call("aclrtRecordEvent", event, streams[0])
        call("aclrtStreamWaitEvent", streams[1], event)
        size, executor = plan("aclnnExp", y, z)
        launch("aclnnExp", size, executor, streams[1].value)
        call("aclrtSynchronizeStream", streams[1])
        print(np.allclose(z.numpy(), np.exp(np.exp(1.0))))
        for tensor in (x, y, z): tensor.destroy()
        for stream in streams: call("aclrtDestroyStream", stream)
        call("aclrtDestroyEvent", event)
        call("aclrtResetDevice", 0)
        call("aclFinalize")
        """,
        strict="abort",
    )
    assert done.returncode == 0 and done.stdout.split() == ["True"] and done.stderr == "", done.stderr


def test_a_repeatable_executor_needs_what_it_was_made_from() -> None:
    done = child(
        """
        x = Tensor(np.ones(8, np.float32)); y = Tensor(np.zeros(8, np.float32))
        size, executor = plan("aclnnExp", x, y)
        nn.aclSetAclOpExecutorRepeatable(executor)
        launch("aclnnExp", size, executor)
        nn.aclDestroyTensor(P(x.handle))
        launch("aclnnExp", size, executor)
        """
    )
    assert done.returncode == 1 and "cannsim: object_misuse: " in done.stderr, done.stderr
