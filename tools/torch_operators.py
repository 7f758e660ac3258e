#!/usr/bin/env python3
"""PyTorch's own samples of its operators on torch_npu and the simulator, forward and backward, beside torch's CPU.

usage: torch_operators.py [--dtype float32] [--out FILE] [--workers 2] [NAME...]
Run it with asnumpy importable; ASNUMPY_TORCH_NPU_PYTHON names a Python that has torch, torch_npu and expecttest.
Each operator of torch's list is a line of JSON in FILE: its name and the first failure of each kind, or none. A worker
that dies or hangs costs the operator at hand and is replaced.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

LIMIT = 60.0  # seconds for an operator
SAMPLES = 12  # of each operator, spread over its list
BOUNDS = {"float32": 2e-4, "bfloat16": 4e-2, "float16": 4e-3, "int32": 0.0, "int64": 0.0}
# Values that no two devices share: drawn at random, or memory as it was found.
UNDETERMINED = (
    "empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted", "bernoulli",
    "cauchy", "exponential", "geometric", "log_normal", "normal", "multinomial", "rand_like", "randn", "randn_like",
    "randint", "randint_like", "uniform", "pca_lowrank", "svd_lowrank", "nn.functional.dropout",
    "nn.functional.dropout2d", "nn.functional.dropout3d", "nn.functional.alpha_dropout",
    "nn.functional.feature_alpha_dropout", "nn.functional.rrelu", "nn.functional.fractional_max_pool2d",
    "nn.functional.fractional_max_pool3d", "nn.functional.gumbel_softmax", "nn.functional.multi_head_attention_forward",
)  # fmt: skip


# --- in torch's process: reads names, writes outcomes ---


def serve(dtype_name: str) -> None:
    reply = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what others print is no answer
    import torch
    import torch_npu  # noqa: F401
    from torch.testing._internal.common_methods_invocations import op_db

    dtype = getattr(torch, dtype_name)
    known = {f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name: op for op in op_db}
    names = [name for name, op in known.items() if dtype in op.supported_dtypes("cpu")]
    reply.write(json.dumps(names) + "\n")
    for line in sys.stdin:
        name = line.strip()
        failures: dict[str, str] = {}
        try:
            failures = operator_failures(known[name], dtype)
        except Exception as error:
            failures["samples"] = f"{type(error).__name__}: {error}"[:600]
        reply.write(json.dumps({"name": name, "failures": failures}) + "\n")


def moved(value: Any, device: str, wide: bool = False) -> Any:
    """The same tensors on a device, as leaves, and what holds them; `wide`: floats as float64."""
    import torch

    if isinstance(value, torch.Tensor):
        copied = value.detach().to(device) if value.device.type != device else value.detach().clone()
        return (copied.double() if wide and copied.is_floating_point() else copied).requires_grad_(value.requires_grad)
    if isinstance(value, tuple | list):
        parts = [moved(one, device, wide) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: moved(one, device, wide) for key, one in value.items()}
    if isinstance(value, torch.device) or value == "cpu":
        return device
    return value


def tensors(value: Any) -> list[Any]:
    import torch

    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [one for part in value for one in tensors(part)] if isinstance(value, tuple | list) else []


def difference(got: Any, expected: Any, bound: float, undetermined: bool) -> str:
    import torch

    if got.shape != expected.shape:
        return f"expected shape {tuple(expected.shape)}, got {tuple(got.shape)}"
    if got.dtype != expected.dtype:
        return f"expected {expected.dtype}, got {got.dtype}"
    if undetermined or expected.numel() == 0:
        return ""
    got, expected = got.detach().cpu(), expected.detach()
    if not expected.dtype.is_floating_point and not expected.dtype.is_complex:
        return "" if torch.equal(got, expected) else f"expected {expected.flatten()[:8]}, got {got.flatten()[:8]}"
    bound = bound or BOUNDS["float32"]  # floats of integers
    close = torch.isclose(got, expected, rtol=bound, atol=bound * max(1.0, scale(expected)), equal_nan=True)
    if bool(close.all()):
        return ""
    place = tuple(int(i) for i in (~close).nonzero()[0]) if close.ndim else ()
    return f"{int((~close).sum())} of {close.numel()} differ, at {place} expected {expected[place]}, got {got[place]}"


def scale(values: Any) -> float:
    import torch

    finite = values[torch.isfinite(values)].abs()
    return float(finite.float().mean()) if finite.numel() and not values.dtype.is_complex else 1.0


def stable(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    """What sorts on the CPU, with equal numbers in their order: torch leaves open where they come, CANN does not."""
    import torch

    if name == "topk":
        given = dict(zip(("k", "dim", "largest"), args, strict=False)) | kwargs
        dim = given.get("dim", -1)
        both = torch.sort(x, stable=True, dim=dim, descending=given.get("largest", True))
        return tuple(one.narrow(dim, 0, given["k"]) if one.ndim else one for one in both)
    given = {"dim": 0} if name == "msort" else dict(zip(("dim", "descending"), args, strict=False)) | kwargs
    both = torch.sort(x, **given | {"stable": True})
    return tuple(both) if name == "sort" else both[name == "argsort"]


class Outcome:
    """What an operator gives for a sample, and its gradients."""

    def __init__(self, op: Any, sample: Any, device: str, wide: bool = False) -> None:
        self.given = [moved(one, device, wide) for one in (sample.input, sample.args, sample.kwargs)]
        first, args, kwargs = self.given
        ordered = device == "cpu" and op.name in ("sort", "argsort", "msort", "topk")
        result = stable(op.name, first, *args, **kwargs) if ordered else op(first, *args, **kwargs)
        self.results = tensors(sample.output_process_fn_grad(result))

    def slopes(self, places: list[int], weights: list[Any], leaves: list[int]) -> tuple[Any, ...]:
        import torch

        results, given = [self.results[i] for i in places], tensors(self.given)
        weights = [w.to(one.device, one.dtype) for w, one in zip(weights, results, strict=True)]
        return torch.autograd.grad(results, [given[i] for i in leaves], weights, allow_unused=True, retain_graph=True)


def unequal(got: Any, expected: Any, exact: Callable[[], Any], bound: float, undetermined: bool) -> str:
    """How they differ. The CPU rounds, too: floats that are right by the same operator in float64 are right."""
    told = difference(got, expected, bound, undetermined)
    if not told or got.dtype != expected.dtype or got.shape != expected.shape or not got.dtype.is_floating_point:
        return told
    try:
        wide = exact()
    except Exception:
        return told  # the operator has no float64
    return told if difference(got, wide.to(got.dtype), bound, undetermined) else ""


def operator_failures(op: Any, dtype: Any) -> dict[str, str]:
    import torch

    backward = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu") and dtype.is_floating_point
    torch.manual_seed(7)
    samples = list(op.sample_inputs("cpu", dtype, requires_grad=backward))
    failures: dict[str, str] = {}
    for sample in samples[:: max(1, len(samples) // SAMPLES)]:
        for kind, told in sample_failures(op, sample, BOUNDS[str(dtype).removeprefix("torch.")], backward).items():
            failures.setdefault(kind, f"{told} ({str(sample)[:200]})")
    return failures


def sample_failures(op: Any, sample: Any, bound: float, backward: bool) -> dict[str, str]:
    import torch

    failures: dict[str, str] = {}
    undetermined = op.name in UNDETERMINED or bool(sample.kwargs.get("dropout_p"))
    exact = cache(lambda: Outcome(op, sample, "cpu", wide=True))
    try:
        expected = Outcome(op, sample, "cpu")
    except Exception:
        return {}  # nothing to compare with
    try:
        got = Outcome(op, sample, "npu")
        for i, (one, other) in enumerate(zip(got.results, expected.results, strict=True)):
            if told := unequal(one, other, lambda i=i: exact().results[i], bound, undetermined):
                failures.setdefault("forward", told)
    except Exception as error:
        return {"forward": f"{type(error).__name__}: {str(error)[:500]}"}
    places = [i for i, one in enumerate(expected.results) if one.requires_grad]
    if not backward or not places:
        return failures
    generator = torch.Generator().manual_seed(3)
    shown = [expected.results[i] for i in places]
    weights = [torch.randn(one.shape, generator=generator).to(one.dtype) for one in shown]
    leaves = [i for i, one in enumerate(tensors(expected.given)) if one.requires_grad and one.is_leaf]
    try:
        slopes = expected.slopes(places, weights, leaves)
    except Exception:
        return failures
    exact_slopes = cache(lambda: exact().slopes(places, weights, leaves))
    try:
        for i, (one, other) in enumerate(zip(got.slopes(places, weights, leaves), slopes, strict=True)):
            if (one is None) != (other is None):
                failures.setdefault("backward", "a gradient is missing")
            elif one is not None and (told := unequal(one, other, lambda i=i: exact_slopes()[i], bound, undetermined)):
                failures.setdefault("backward", told)
    except Exception as error:
        failures.setdefault("backward", f"{type(error).__name__}: {str(error)[:500]}")
    return failures


# --- here: workers, and what they say ---


class Worker:
    def __init__(self, dtype: str) -> None:
        from asnumpy import cannsim

        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= cannsim.environment() | {
            "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "TASK_QUEUE_ENABLE": "0", "OMP_NUM_THREADS": "1",
            "CANNSIM_THREADS": "1", "PYTHONPATH": os.environ.get("ASNUMPY_TORCH_NPU_PATH", ""),
        }  # fmt: skip
        python = os.environ.get("ASNUMPY_TORCH_NPU_PYTHON", sys.executable)
        self.process = subprocess.Popen(
            [python, __file__, "--serve", dtype], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, bufsize=0,
        )  # fmt: skip
        self.buffer = b""
        self.names: list[str] = json.loads(self.line(120.0) or "[]")

    def line(self, limit: float) -> str | None:
        """The worker's next line; None where it dies or takes longer."""
        end = time.monotonic() + limit
        assert self.process.stdout
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                return None
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode()

    def ask(self, name: str) -> dict[str, Any] | None:
        assert self.process.stdin
        self.process.stdin.write(f"{name}\n".encode())
        answer = self.line(LIMIT)
        return json.loads(answer) if answer else None

    def end(self) -> str:
        self.process.kill()
        return f"the process ended with {self.process.wait()} or took longer than {LIMIT:g} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", default="float32", choices=BOUNDS)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    first = Worker(options.dtype)
    queue: SimpleQueue[str] = SimpleQueue()
    chosen = options.names or first.names
    for name in chosen:
        queue.put(name)
    outcomes: list[dict[str, Any]] = []

    def work(worker: Worker) -> None:
        while True:
            try:
                name = queue.get_nowait()
            except Empty:
                worker.end()
                return
            outcome = worker.ask(name)
            if outcome is None:
                outcome = {"name": name, "failures": {"process": worker.end()}}
                worker = Worker(options.dtype)
            outcomes.append(outcome)

    with ThreadPoolExecutor(options.workers) as pool:
        futures = [pool.submit(work, first if i == 0 else Worker(options.dtype)) for i in range(options.workers)]
        for future in futures:
            future.result()
    outcomes.sort(key=lambda one: chosen.index(one["name"]))
    if options.out:
        options.out.write_text("".join(json.dumps(one) + "\n" for one in outcomes))
    passed = sum(not one["failures"] for one in outcomes)
    for one in outcomes:
        for kind, told in one["failures"].items():
            print(f"{one['name']} {kind}: {told}" if options.names else f"{one['name']} {kind}: {told[:150]}")
    print(f"{options.dtype}: {passed} of {len(outcomes)} operators, forward and backward")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        sys.exit(main())
