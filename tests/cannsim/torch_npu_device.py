"""Cases of torch_npu_program.py about the device: streams, events, graphs, memory, random numbers, refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F


def queued(v: Any) -> Any:
    """Work on a stream of its own that waits for the current one, and back."""
    if v.device == "cpu":
        return (v.x * 2 + 1) @ v.tall
    stream = torch.npu.Stream()
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        doubled = v.x * 2 + 1
    doubled.record_stream(torch.npu.current_stream())
    torch.npu.current_stream().wait_stream(stream)
    return doubled @ v.tall


def by_events(v: Any) -> Any:
    if v.device == "cpu":
        return v.x.exp() - 1
    first, second = torch.npu.Stream(), torch.npu.Stream()
    ready = torch.npu.Event()
    first.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(first):
        made = v.x.exp()
        ready.record()
    with torch.npu.stream(second):
        second.wait_event(ready)
        made.record_stream(second)
        result = made - 1
    second.synchronize()
    assert ready.query() and second.query(), "expected finished work after synchronize()"
    return result


def timed(v: Any) -> Any:
    if v.device == "cpu":
        return v.square @ v.square
    start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    start.record()
    result = v.square @ v.square
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0, f"expected a time, got {start.elapsed_time(end)}"
    return result


def asynchronous(v: Any) -> Any:
    """Copies from pinned memory and back that do not wait."""
    if v.device == "cpu":
        return v.x + 1
    pinned = v.x.cpu().pin_memory()
    there = pinned.to(v.device, non_blocking=True)
    back = (there + 1).to("cpu", non_blocking=True)
    torch.npu.synchronize()
    return back


def random_numbers(v: Any) -> Any:
    """Not the CPU's numbers; but their law, and the same numbers for the same seed."""
    if v.device != "cpu":
        drawn = []
        for _ in range(2):
            torch.npu.manual_seed(7)
            drawn.append(
                (torch.rand(20000, device="npu"), torch.randn(20000, device="npu"), torch.randperm(50, device="npu"))
            )
        for first, second in zip(*drawn, strict=True):
            assert torch.equal(first, second), "expected the same numbers for the same seed"
        uniform, normal, order = (tensor.cpu() for tensor in drawn[0])
        assert uniform.min() >= 0 and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.02
        assert abs(normal.mean()) < 0.05 and abs(normal.std() - 1) < 0.05
        assert sorted(order.tolist()) == list(range(50))
    return True


def memory(v: Any) -> Any:
    if v.device != "cpu":
        before = torch.npu.memory_allocated()
        large = torch.zeros(1 << 20, device=v.device)
        assert torch.npu.memory_allocated() >= before + (4 << 20)
        del large
        assert torch.npu.memory_allocated() == before
        torch.npu.empty_cache()
        free, total = torch.npu.mem_get_info()
        assert 0 < free <= total
    return True


def replayed(v: Any) -> Any:
    """A graph that reads what lies in its operand's memory when it runs, as often as it runs."""
    x, results = v.x.clone(), []
    if v.device == "cpu":
        return [F.relu((v.x + k) @ v.tall) + 1 for k in range(3)]
    graph = torch.npu.NPUGraph()
    torch.npu.synchronize()
    with torch.npu.graph(graph):
        y = F.relu(x @ v.tall) + 1
    for k in range(3):
        x.copy_(v.x + k)
        graph.replay()
        results.append(y.clone())
    torch.npu.synchronize()
    return results


def trained_by_a_graph(v: Any) -> list[float]:
    """Steps of training that are one graph: forward, backward, the optimizer."""
    torch.manual_seed(5)
    model = torch.nn.Sequential(torch.nn.Linear(7, 4), torch.nn.Tanh(), torch.nn.Linear(4, 7)).to(v.device)
    optimizer, told = torch.optim.SGD(model.parameters(), lr=0.1), []

    def step() -> torch.Tensor:
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(v.x), v.y)
        loss.backward()
        optimizer.step()
        return loss

    if v.device == "cpu":
        return [step().item() for _ in range(6)][2:]
    aside = torch.npu.Stream()
    aside.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(aside):
        for _ in range(2):
            step()
    torch.npu.current_stream().wait_stream(aside)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        loss = step()
    for _ in range(4):
        graph.replay()
        told.append(loss.item())
    return told


def refused(v: Any) -> Any:
    """A wrong call is a Python exception on both, and harms nothing after it."""
    try:
        v.x @ v.x
    except RuntimeError:
        return v.x + 1
    raise AssertionError("expected a RuntimeError")


DEVICE: dict[str, Callable[[Any], Any]] = {
    "a stream that waits": queued,
    "events between streams": by_events,
    "timed events": timed,
    "asynchronous copies": asynchronous,
    "random numbers": random_numbers,
    "memory": memory,
    "a graph": replayed,
    "a graph of a step of training": trained_by_a_graph,
    "a refused call": refused,
}
