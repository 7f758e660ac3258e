"""Phase one once, phase two often: new addresses, fixed layouts, late shapes, workspaces, failures on the way."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cann, cannsim
from asnumpy.cann import _calls, _facts
from asnumpy.runtime import cann_search


def put(values: Any, dtype: str = "float32") -> cann.Tensor:
    return cann.from_numpy(np.asarray(values, dtype))


def test_a_plan_runs_again_and_on_other_memory() -> None:
    x, y, out = put([1, 2, 3]), put([10, 10, 10]), cann.empty((3,))
    plan = cann.op("aclnnAdd").plan(x, y, 1, out)
    assert plan.runs == 0 and plan.workspace_size >= 0 and "run 0 times" in repr(plan)
    assert plan.run() is out
    assert cann.to_numpy(out).tolist() == [11, 12, 13]
    cann.write(x, [5, 5, 5])
    plan.run()
    assert cann.to_numpy(out).tolist() == [15, 15, 15]
    target = cann.empty((3,))
    assert plan.run(self=put([7, 8, 9]), out=target) is target
    assert cann.to_numpy(target).tolist() == [17, 18, 19]
    assert cann.to_numpy(out).tolist() == [15, 15, 15]
    plan.run()  # the new addresses stay
    assert plan.runs == 4
    assert plan.phases_one == (1 if plan.repeatable else 4)


def test_a_repeatable_plan_does_phase_one_once(simulator: None) -> None:
    x, out = put(np.ones(8)), cann.empty((8,))
    plan = cann.op("aclnnExp").plan(x, out)
    assert plan.repeatable
    cannsim.configure(log=True)
    try:
        for _ in range(5):
            plan.run()
        called = [one["function"] for one in cannsim.log()]
    finally:
        cannsim.configure(log=False)
    assert called.count("aclnnExp") == 5
    assert not [name for name in called if "Malloc" in name or "Synchronize" in name or "Create" in name]


def test_other_memory_in_a_list() -> None:
    first, second, third = (put(np.full((2, 2), value)) for value in (1, 2, 3))
    out = cann.empty((4, 2))
    plan = cann.op("aclnnCat").plan([first, second], 0, out)
    plan.run()
    plan.run(tensors=[third, first])
    assert cann.to_numpy(out)[:, 0].tolist() == [3, 3, 1, 1]


def test_memory_at_another_offset() -> None:
    whole, out = put(np.arange(24)), cann.empty((4,))
    plan = cann.op("aclnnNeg").plan(cann.tensor(whole.address, (4,), "f4"), out)
    for offset in (8, 3, 0, 19):  # with 3 and 19 no multiple of 32 bytes is left: phase one comes again
        plan.run(self=cann.tensor(whole.address, (4,), "f4", offset=offset, owner=whole))
        assert cann.to_numpy(out).tolist() == [-float(offset + i) for i in range(4)]


@pytest.mark.parametrize(("other", "got"), [
    (lambda: put([1, 2]), r"float32\[2\]"), (lambda: put([1, 2, 3], "float16"), r"float16\[3\]"),
    (lambda: cann.tensor(put(np.ones(6)).address, (3,), "f4", (2,)), r"float32\[3\] strides \(2,\)"),
])  # fmt: skip
def test_layouts_are_fixed(other: Any, got: str) -> None:
    out = cann.empty((3,))
    plan = cann.op("aclnnAbs").plan(put([-1, -2, -3]), out)
    expected = r"aclnnAbs: plan.run: self: expected the shape, dtype and strides of the plan, float32\[3\], got "
    with pytest.raises(ValueError, match=expected + got):
        plan.run(self=other())
    plan.run()
    assert cann.to_numpy(out).tolist() == [1, 2, 3]


def test_numbers_are_fixed() -> None:
    plan = cann.op("aclnnAdds").plan(put([1]), 2.0, 1.0, cann.empty((1,)))
    with pytest.raises(TypeError, match=r"aclnnAdds: plan.run: expected parameters that are tensors \(self, out\)"):
        plan.run(other=3.0)


def test_shape_that_depends_on_values() -> None:
    x = put([[0, 1, 0], [2, 0, 3]])
    places = cann.empty((6, 2), "int64")
    plan = cann.op("aclnnNonzero").plan(x, places)
    plan.run()
    assert plan.shape("out") == (3, 2)
    found = cann.to_numpy(places).reshape(-1)[:6].reshape(3, 2)
    np.testing.assert_array_equal(found, np.argwhere([[0, 1, 0], [2, 0, 3]]))
    with pytest.raises(ValueError, match=r"aclnnNonzero: plan.shape: expected a parameter with a tensor, got 'x'"):
        plan.shape("x")


@pytest.fixture
def hungry(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Operators that ask for workspace (the simulator's ask for none): 1000 bytes more with each phase one."""
    real, sizes = _calls.phase_one, [0]

    def asking(*arguments: Any) -> tuple[int, Any]:
        sizes.append(sizes[-1] + 1000)
        return sizes[-1], real(*arguments)[1]

    monkeypatch.setattr(_calls, "phase_one", asking)
    return sizes


def workspaces_given(name: str) -> list[tuple[int, int]]:
    """Address and size of the workspace in each phase two."""
    calls = [one["arguments"] for one in cannsim.log() if one["function"] == name]
    return [(int(one["workspace"], 16), int(one["size"])) for one in map(pairs, calls) if one["phase"] == "2"]


def pairs(arguments: Any) -> dict[str, str]:
    if isinstance(arguments, dict):
        return {name: str(value) for name, value in arguments.items()}
    return dict(part.strip().split("=", 1) for part in str(arguments).split(","))


@pytest.mark.parametrize("workspace", ["shared", "own"])
def test_workspace_policies(simulator: None, hungry: list[int], workspace: str) -> None:
    x, outs = put(np.ones(64)), [cann.empty((64,)) for _ in range(3)]
    cannsim.configure(log=True)
    try:
        plans = [cann.op("aclnnNeg").plan(x, out, workspace=workspace, policy="normal_only") for out in outs]
        assert [plan.workspace_size for plan in plans] == hungry[1:]
        for plan in [*plans, *plans]:
            plan.run()
        given = workspaces_given("aclnnNeg")
    finally:
        cannsim.configure(log=False)
    assert [size for _, size in given] == [*hungry[1:], *hungry[1:]]
    assert all(address for address, _ in given)
    if workspace == "own":
        assert len({address for address, _ in given}) == 3          # each plan has one, and keeps it
    else:
        assert len({address for address, _ in given[2:]}) == 1      # it grew until it was large enough for all
    for out in outs:
        assert (cann.to_numpy(out) == -1).all()


@pytest.mark.parametrize("planned", [False, True], ids=["at once", "planned"])
def test_streams_have_workspaces_of_their_own(simulator: None, planned: bool) -> None:
    x, outs = put(np.ones(64)), [cann.empty((1,)) for _ in range(2)]
    operator = cann.op("aclnnReduceSum")
    plans = [operator.plan(x, [0], True, "float32", out) for out in outs]
    cannsim.configure(log=True)
    try:
        with cann.batch(streams=2):
            for plan, out in zip(plans, outs, strict=True):
                plan.run() if planned else operator(x, [0], True, "float32", out)
        given = workspaces_given("aclnnReduceSum")
    finally:
        cannsim.configure(log=False)
    assert len({address for address, _ in given}) == 2 and all(size for _, size in given)
    assert cann.metrics()["aclnnReduceSum"]["workspace_bytes"] == given[0][1]
    assert all((cann.to_numpy(out) == 64).all() for out in outs)


def test_a_closed_plan_plans_anew() -> None:
    out = cann.empty((2,))
    plan = cann.op("aclnnAbs").plan(put([-1, -2]), out)
    plan.close()
    plan.run()
    assert cann.to_numpy(out).tolist() == [1, 2] and plan.phases_one == 2


def test_a_plan_that_never_ran_leaves_nothing(simulator: None) -> None:
    x, out = put([1.0]), cann.empty((1,))
    cann.op("aclnnExp").plan(x, out)
    gc.collect()  # the fixture sees what the simulator finds; test_process.py what is left at the end


@pytest.mark.parametrize(("nth", "phase"), [(1, "aclnnExpGetWorkspaceSize"), (2, "aclnnExp")])
def test_a_failure_names_the_function_and_the_next_call_works(simulator: None, nth: int, phase: str) -> None:
    x, out = put([0.0, 1.0]), cann.empty((2,))
    cannsim.fail("aclnnExp", nth=nth, code=500000)
    text = rf"^{phase} failed with ACL_ERROR_INTERNAL_ERROR \(500000\) for self float32\[2\]"
    with pytest.raises(cann.CannError, match=text):
        cann.op("aclnnExp")(x, out)
    cann.op("aclnnExp")(x, out)
    np.testing.assert_allclose(cann.to_numpy(out), np.exp([0.0, 1.0]), rtol=1e-6)
    assert cann.metrics()["aclnnExp"]["failures"] == 1


def test_a_failed_run_leaves_a_plan_that_runs(simulator: None) -> None:
    x, out = put([0.0, 1.0]), cann.empty((2,))
    plan = cann.op("aclnnExp").plan(x, out)
    plan.run()
    cannsim.fail("aclnnExp", nth=1, code=507000)
    with pytest.raises(cann.CannError, match=r"aclnnExp failed with \w+ \(507000\)"):
        plan.run()
    cann.write(out, 0)
    plan.run()
    np.testing.assert_allclose(cann.to_numpy(out), np.exp([0.0, 1.0]), rtol=1e-6)


@pytest.mark.parametrize(("function", "streams"), [
    ("aclrtSetCurrentContext", 1), ("aclrtCreateStreamWithConfig", 64), ("aclrtStreamWaitEvent", 2),
])  # fmt: skip
def test_a_failing_runtime_function_in_a_batch(simulator: None, function: str, streams: int) -> None:
    x, out = put([1.0]), cann.empty((1,))
    cannsim.fail(function, nth=1, code=507899)
    with pytest.raises(cann.CannError, match=function), cann.batch(streams=streams):
        for one in (out, cann.empty((1,))):
            cann.op("aclnnNeg")(x, one)
    cannsim.clear_faults()
    cann.op("aclnnNeg")(x, out)
    assert cann.to_numpy(out).tolist() == [-1.0]


def test_out_of_memory_is_reported_and_harmless(simulator: None) -> None:
    with pytest.raises(cann.CannError, match=r"aclrtMalloc failed with ACL_ERROR_RT_MEMORY_ALLOCATION \(207001\)"):
        cann.empty((1 << 44,), "uint8")
    assert cann.to_numpy(put([3.0])).tolist() == [3.0]


def plausible(parameter: Any, tensors: dict[str, cann.Tensor]) -> Any:
    """A value of the parameter's kind that is documented for it."""
    dtype = next((name for name in ("float32", *parameter.dtypes) if name in parameter.dtypes), "float32")
    if parameter.is_tensor:
        axes = max(parameter.ranks[0], min(2, parameter.ranks[1]))
        model = tensors.get(parameter.dtype_of or "")
        made = cann.from_numpy(np.ones((2,) * axes, model.dtype if model else dtype.replace("complex32", "complex64")))
        tensors[parameter.name] = made
        return made if parameter.kind == "tensor" else [made]
    one = np.ones((), dtype if dtype in parameter.dtypes and dtype != "complex32" else "float32")[()]
    return {
        "scalar": one, "scalars": [one], "ints": [1], "floats": [1.0], "bools": [True], "integer": 1, "real": 1.0,
        "boolean": True, "text": "none", "dtype": "float32",
    }[parameter.kind]


def test_every_operator_can_be_described_to_cann(simulator: None) -> None:
    planned = 0
    for name in _facts.names_in(cann_search.search().facts):
        op, tensors = cann.op(name, documented=False), {}  # type: ignore[var-annotated]
        arguments = [plausible(parameter, tensors) for parameter in op.signature.parameters]
        try:
            op.plan(*arguments).close()
            planned += 1
        except cann.CannError as error:
            assert error.function == f"{name}GetWorkspaceSize" and error.code in (161001, 161002, 561003), error
    assert planned > 250  # the others need shapes or numbers of their own


def test_a_refused_workspace_leaves_nothing(simulator: None, hungry: list[int]) -> None:
    x, out = put([1.0, 2.0]), cann.empty((2,))
    cann.op("aclnnNeg")(x, out)
    hungry.append(100_000_000)  # far more than there is
    plan = cann.op("aclnnExp").plan(x, out)
    small = cann.op("aclnnAbs").plan(x, out)
    cannsim.configure(log=True)
    try:
        cannsim.fail("aclrtMalloc", nth=1, code=207001)
        with pytest.raises(cann.CannError, match=r"aclrtMalloc failed with \w+ \(207001\)"):
            plan.run()
        done = [call["function"] for call in cannsim.log() if call["code"] == 0]
        assert "aclDestroyAclOpExecutor" not in done  # a plan keeps its own for the next run
        hungry[:] = [0]
        small.run()  # a small workspace is not the one that is gone
        assert all(address for address, size in workspaces_given("aclnnAbs") if size)
        plan.run()
    finally:
        cannsim.configure(log=False)
    np.testing.assert_allclose(cann.to_numpy(out), np.exp([1.0, 2.0]), rtol=1e-6)


def test_a_call_without_memory_for_its_workspace(simulator: None) -> None:
    """Products ask for 16 MB, of which there is none left."""
    a, out = ap.ones((4, 4), dtype="float32", device="ascend:0"), ap.zeros((4, 4), dtype="float32", device="ascend:0")
    ap.eval(a, out)
    ap.free_all_blocks("ascend:0")
    text = r"aclrtMalloc failed with \w+ \(207001\) for the workspace of aclnnMatmul: memory pool of ascend:0: cannot"
    cannsim.configure(log=True)
    try:
        cannsim.fail("aclrtMalloc", nth=0, code=207001)
        with pytest.raises(cann.CannError, match=text) as caught:
            cann.op("aclnnMatmul")(a, a, out, 0)
        assert "aclDestroyAclOpExecutor" in [call["function"] for call in cannsim.log() if call["code"] == 0]
    finally:
        cannsim.configure(log=False)
        cannsim.clear_faults()
    assert caught.value.code == 207001 and cann.metrics()["aclnnMatmul"]["failures"] == 1
    cann.op("aclnnMatmul")(a, a, out, 0)
    assert (ap.to_numpy(out) == 4).all()
