"""Memory by CANN's policies, of arrays and tensors: pooled, given back without a wait, given up for who needs it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import _core, cann, cannsim
from asnumpy.cann import _facts
from asnumpy.cann._memory import policy_number

DEVICE = "ascend:0"
WAITS = ("Synchronize", "aclrtFree")


def logged(work: Callable[[], Any]) -> list[tuple[str, dict[str, str]]]:
    """The simulator's functions that the work calls, with their arguments."""
    cannsim.configure(log=True)
    cannsim.clear()
    try:
        work()
        calls = cannsim.log()
    finally:
        cannsim.configure(log=False)
    return [
        (one["function"], dict(part.strip().split("=", 1) for part in str(one["arguments"]).split(",") if "=" in part)
         if isinstance(one["arguments"], str) else {name: str(value) for name, value in one["arguments"].items()})
        for one in calls
    ]


def policies_of(calls: list[tuple[str, dict[str, str]]]) -> list[int]:
    return [int(arguments["policy"]) for name, arguments in calls if name == "aclrtMalloc"]


def test_the_settings_names_are_canns() -> None:
    from asnumpy.config import _settings

    numbers = [policy_number(name, "test") for name in _settings._MEMORY_POLICIES]
    assert list(_settings._MEMORY_POLICIES) == list(cann.policies()) and numbers == list(range(len(numbers)))


@pytest.mark.parametrize("policy", [*_facts.enum("aclrtMemMallocPolicy")])
def test_tensors_by_policy(simulator: None, policy: str) -> None:
    name = policy.removeprefix("ACL_MEM_MALLOC_").lower()
    if name not in cann.policies():
        with pytest.raises(ValueError, match="expected one of huge_first"):
            cann.empty(3, policy=name)
        return
    ap.free_all_blocks(DEVICE)
    made: list[cann.Tensor] = []
    calls = logged(lambda: made.append(cann.from_numpy(np.arange(1 << 18, dtype="f4"), policy=name)))
    assert policies_of(calls) == [_facts.enum("aclrtMemMallocPolicy")[policy]]
    out = cann.op("aclnnNeg")(made[0], cann.empty(1 << 18, policy=name))
    np.testing.assert_array_equal(cann.to_numpy(out), -np.arange(1 << 18, dtype="f4"))


@pytest.mark.parametrize(("policy", "number"), [("normal_only", 2), ("huge_only", 1), ("huge_first_p2p", 3)])
def test_arrays_by_policy(simulator: None, policy: str, number: int) -> None:
    def work() -> None:
        x = ap.ones(1 << 20, dtype="float32", device=DEVICE)
        assert float((x + 1).sum()) == 2 << 20

    work()  # what a device keeps for all programs is not arrays' memory
    with ap.config.using(memory_policy=policy):
        assert set(policies_of(logged(work))) == {number}
    assert ap.config.memory_policy == "huge_first" and set(policies_of(logged(work))) == {0}


def test_memory_goes_back_without_a_wait_and_comes_again(simulator: None) -> None:
    sizes = (100, 5000, 1 << 20)
    for size in sizes:
        cann.empty(size)  # given back at once

    def work() -> None:
        for size in sizes * 3:
            out = cann.empty(size)
            cann.op("aclnnInplaceZero")(out)
            del out

    names = [name for name, _ in logged(work)]
    assert not [name for name in names if name == "aclrtMalloc" or any(word in name for word in WAITS)]


def test_what_is_enqueued_reads_the_memory_before_its_next_user_writes(simulator: None) -> None:
    cannsim.configure(lag=300)
    try:
        outs = []
        for step in range(8):
            x = cann.from_numpy(np.full(256, step, "f4"))
            with cann.batch(streams=3):
                outs.append(cann.op("aclnnAdds")(x, 1.0, 1.0, cann.empty(256)))
                del x
                cann.op("aclnnInplaceZero")(cann.empty(256))  # of the same size: the memory that was just given back
            cann.op("aclnnInplaceZero")(cann.empty(256))
        for step, out in enumerate(outs):
            assert (cann.to_numpy(out) == step + 1).all()
    finally:
        cannsim.configure(lag=0)


def test_what_a_pool_has_left_is_given_up_for_arrays(simulator: None) -> None:
    """And what the pool of arrays has left for memory of other policies."""
    ap.free_all_blocks(DEVICE)
    memory = cann.Memory(32 << 20, "normal_only")
    del memory
    before = cann.device_properties(0)["memory_free"]
    try:
        cannsim.fail("aclrtMalloc", nth=0, code=207001)
        with pytest.raises(MemoryError, match="cannot allocate"):
            ap.eval(ap.ones(8 << 20, dtype="float32", device=DEVICE))
    finally:
        cannsim.clear_faults()
    assert cann.device_properties(0)["memory_free"] >= before + (32 << 20)
    ap.eval(ap.ones(8 << 20, dtype="float32", device=DEVICE))
    before = cann.device_properties(0)["memory_free"]
    try:
        cannsim.fail("aclrtMalloc", nth=0, code=207001)
        with pytest.raises(cann.CannError, match="207001"):
            cann.Memory(32 << 20, "huge_only")
    finally:
        cannsim.clear_faults()
    assert cann.device_properties(0)["memory_free"] >= before + (32 << 20)


def test_memory_of_tensors_is_counted_and_bounded_with_that_of_arrays() -> None:
    gc.collect()
    ap.free_all_blocks(DEVICE)
    before = ap.memory_info(DEVICE)
    x = ap.ones(4 << 20, dtype="float32", device=DEVICE)
    ap.eval(x)
    memory = [cann.Memory(32 << 20, policy) for policy in ("normal_only", "huge_only")]
    tensor = cann.empty((4 << 20,), "float32")
    after = ap.memory_info(DEVICE)
    assert after["in_use"] == before["in_use"] + (96 << 20) and after["blocks"] == before["blocks"] + 4
    assert after["peak"] >= after["in_use"] and after["available"] < before["available"]
    try:
        _core.set_memory_limit(after["in_use"] + after["cached"] + (8 << 20), DEVICE)
        for allocate in (
            lambda: cann.Memory(16 << 20, "normal_only"), lambda: cann.empty((4 << 20,)),
            lambda: ap.eval(ap.ones(4 << 20, dtype="float32", device=DEVICE)),
        ):
            with pytest.raises((MemoryError, cann.CannError), match=r"in use .*limit .*raise the limit"):
                allocate()
        memory.clear()  # what one kind lets go, the others may take
        ap.eval(ap.ones(16 << 20, dtype="float32", device=DEVICE))
        cann.Memory(64 << 20, "normal_only").release()
        assert ap.memory_info(DEVICE)["in_use"] == after["in_use"] - (64 << 20)
    finally:
        _core.set_memory_limit(0, DEVICE)
    assert cann.to_numpy(cann.op("aclnnInplaceOne")(tensor)).sum() == 4 << 20
    del tensor, x
    ap.free_all_blocks(DEVICE)
    assert ap.memory_info(DEVICE)["in_use"] <= before["in_use"]  # what others had left may be gone as well


def test_memory_that_is_not_pooled_is_canns(simulator: None) -> None:
    def work() -> None:
        cann.Memory(4096, "normal_only", pooled=False).release()

    calls = logged(work)
    names = [name for name, _ in calls]
    assert policies_of(calls) == [2] and "aclrtFree" in names and any("SynchronizeDevice" in name for name in names)


def test_the_end_gives_back_what_pools_have_left(simulator: None) -> None:
    memory = cann.Memory(32 << 20, "normal_only")
    del memory
    before = cann.device_properties(0)["memory_free"]
    cann.finalize()
    assert cann.device_properties(0)["memory_free"] >= before + (32 << 20)
