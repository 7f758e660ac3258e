"""Operators of asnumpy as torch's own, on tensors of the CPU and of torch_npu.

Prints a line as JSON for each case, with what failed.
"""

from __future__ import annotations

import torch
import torch_npu  # noqa: F401 - makes torch know the device
from case_program import main

import asnumpy as ap

DEVICES = ("cpu", "npu")


@ap.operator("layer_scale(x: T[..., n], gamma: T[n], *, eps: float = 1e-5) -> y: T[..., n]", T="f2 bf2 f4 f8")
def layer_scale(x, gamma, *, eps):
    return x * gamma / (1 + eps)


@layer_scale.gradient
def _(x, gamma, y, dy, *, eps):
    return dy * gamma / (1 + eps), (dy * x / (1 + eps)).reshape(-1, x.shape[-1]).sum(axis=0)


split = ap.operator(
    "my.split(x: T[m, n], shift: T[n] = None, *, by: int, mode: str = 'half', at: tuple = (1, 2), both: bool = True, "
    "kind: dtype = int32, low: float = None) -> first: T[m, n], count: kind[m]", T="f4 i8",
)  # fmt: skip


@split.composed
def _(x, shift, *, by, mode, at, both, kind, low):
    assert mode == "half" and at == (1, 2) and both and low is None
    moved = x if shift is None else x + shift
    return moved // by, (moved > by).sum(axis=1).astype(kind)


LAYER_SCALE, SPLIT = ap.operators.to_torch(layer_scale), ap.operators.to_torch("my.split")


def values() -> None:
    for device in DEVICES:
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            x, gamma = torch.randn(3, 4, 5).to(dtype), torch.randn(5).to(dtype)
            y = LAYER_SCALE(x.to(device), gamma.to(device), eps=0.25)
            assert y.device.type == device and y.dtype == dtype
            torch.testing.assert_close(y.cpu(), x * gamma / 1.25)
    x = torch.randn(3, 5, dtype=torch.float64)
    torch.testing.assert_close(torch.ops.asnumpy.layer_scale(x, x[0]), x * x[0] / (1 + 1e-5))


def views() -> None:
    for device in DEVICES:
        x, gamma = torch.randn(6, 5, 4, device=device), torch.randn(8, device=device)
        for a, b in ((x.transpose(0, 2), gamma[:6]), (x[::2, 1:3], gamma[::2]), (x[0].expand(3, 5, 4), gamma[:4]),
                     (x[2], gamma[4:]), (x[:0], gamma[:4])):  # fmt: skip
            torch.testing.assert_close(LAYER_SCALE(a, b), a * b / (1 + 1e-5))


def optional_inputs_and_attributes() -> None:
    for device in DEVICES:
        x = torch.arange(12, dtype=torch.int64, device=device).reshape(3, 4)
        first, count = SPLIT(x, by=3)
        assert torch.equal(first, x // 3) and count.dtype == torch.int32 and count.tolist() == [0, 4, 4]
        first, count = SPLIT(x, torch.ones(4, dtype=torch.int64, device=device), by=3, kind=torch.int64)
        assert torch.equal(first, (x + 1) // 3) and count.dtype == torch.int64 and count.tolist() == [1, 4, 4]


def kernels() -> None:
    """What runs is what would run for arrays: on an NPU the kernel. Every operator of the library becomes torch's."""
    operator = ap.operators.to_torch("library.rms_norm")
    for device, implementation in (("cpu", "composed"), ("npu", "ascend")):
        ap.operators.forget_runs()
        x, weight = torch.randn(40, 96, device=device), torch.randn(96, device=device)
        expected = torch.nn.functional.rms_norm(x.cpu(), (96,)) * weight.cpu()
        torch.testing.assert_close(operator(x.t().contiguous().t(), weight).cpu(), expected, rtol=1e-4, atol=1e-4)
        assert [run["implementation"] for run in ap.operators.runs()] == [implementation]
    made = [ap.operators.to_torch(name) for name in ap.operators.registered() if name.startswith("library.")]
    assert len(made) >= 30


def memory_is_shared() -> None:
    """No copy: the composed function sees the addresses of torch's memory."""
    seen = []
    look = ap.operator("look(x: f4[n]) -> y: f4[n]")

    @look.composed
    def _(x):
        seen.append(x.__array_interface__["data"][0] if x.device == "cpu" else x.data.ptr)
        return x + 1

    operator = ap.operators.to_torch(look)
    for device in DEVICES:
        x = torch.ones(64, device=device)
        assert operator(x).tolist() == [2.0] * 64
        assert seen.pop() == x.data_ptr()


def in_order() -> None:
    """With torch's own work on either side, on streams of its own, and memory that torch gives out again at once."""
    for stream in (torch.npu.current_stream(), torch.npu.Stream()):
        stream.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(stream):
            x, gamma = torch.ones(300, 200, device="npu"), torch.full((200,), 2.0, device="npu")
            for _ in range(8):
                x = LAYER_SCALE(x + 1, gamma, eps=0.0) - 2  # 2 (x + 1) - 2
            assert x.sum().item() == 256 * 60_000, x


def gradients() -> None:
    for device in DEVICES:
        x = torch.randn(3, 4, device=device, requires_grad=True)
        gamma = torch.randn(4, device=device, requires_grad=True)
        (LAYER_SCALE(x, gamma, eps=0.5) ** 2).sum().backward()
        a, b = x.detach().clone().requires_grad_(), gamma.detach().clone().requires_grad_()
        ((a * b / 1.5) ** 2).sum().backward()
        torch.testing.assert_close(x.grad, a.grad)
        torch.testing.assert_close(gamma.grad, b.grad)
        alone = LAYER_SCALE(x.detach(), gamma, eps=0.5)  # of one input
        gamma.grad = None
        alone.sum().backward()
        torch.testing.assert_close(gamma.grad, x.detach().sum(0) / 1.5)
    x, gamma = (torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((2, 3), (3,)))
    assert torch.autograd.gradcheck(LAYER_SCALE, (x, gamma))


def operators_checks() -> None:
    everything = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
    for device in DEVICES:
        # torch's own check of a gradient's registration knows CPU and GPUs alone
        checks = [name for name in everything if device == "cpu" or name != "test_autograd_registration"]
        x, gamma = torch.randn(3, 4, device=device), torch.randn(4, device=device)
        grown = (x.clone().requires_grad_(), gamma.clone().requires_grad_())
        for operator, tensors, keywords in (
            (LAYER_SCALE, (x, gamma), {}), (LAYER_SCALE, grown, {"eps": 0.5}), (SPLIT, (x,), {"by": 2}),
            (SPLIT, (x, gamma), {"by": 2, "kind": torch.int64}),
        ):  # fmt: skip
            torch.library.opcheck(operator.default, tensors, keywords, test_utils=checks)


def fake_tensors() -> None:
    with torch._subclasses.FakeTensorMode():
        y = LAYER_SCALE(torch.empty(7, 1, 5, dtype=torch.float16, device="npu"), torch.empty(5, dtype=torch.float16))
        assert y.shape == (7, 1, 5) and y.dtype == torch.float16 and y.device.type == "npu"
        first, count = SPLIT(torch.empty(7, 5), by=1, kind=torch.uint8)
        assert first.shape == (7, 5) and count.shape == (7,) and count.dtype == torch.uint8


def compiled() -> None:
    def function(x: torch.Tensor, gamma: torch.Tensor) -> torch.Tensor:
        return torch.relu(LAYER_SCALE(x * 2, gamma, eps=0.5)) + 1

    for device, backend in (("cpu", "eager"), ("cpu", "aot_eager"), ("cpu", "inductor"), ("npu", "aot_eager")):
        torch._dynamo.reset()
        made = torch.compile(function, backend=backend, fullgraph=True)
        for rows in (3, 8, 11):  # the second makes the length a symbol
            x = torch.randn(rows, 4, device=device, requires_grad=True)
            gamma = torch.randn(4, device=device)
            y = made(x, gamma)
            torch.testing.assert_close(y, torch.relu(x * 2 * gamma / 1.5) + 1)
            y.sum().backward()
            torch.testing.assert_close(x.grad, (x * gamma > 0) * gamma * 2 / 1.5)


def wrong_use() -> None:
    x = torch.ones(2, 3)
    wrong = [
        (ValueError, "layer_scale: gamma: expected n = 3 as that of x in [n], got 2", lambda: LAYER_SCALE(x, x[:, 0])),
        (TypeError, "layer_scale: x: expected float16 or bfloat16 or float32 or float64 (T), got complex64",
         lambda: LAYER_SCALE(x.cfloat(), x[0].cfloat())),
        (TypeError, "to_torch: expected an operator or its name, got int", lambda: ap.operators.to_torch(3)),
        (LookupError, "there is no operator 'layer_scal'", lambda: ap.operators.to_torch("layer_scal")),
        (TypeError, "mixed: of: expected a tuple of bools, ints or floats alone, got (1, 'a')",
         lambda: ap.operators.to_torch(ap.operator("mixed(x: f4[n], *, of: tuple = (1, 'a')) -> y: f4[n]"))),
    ]  # fmt: skip
    for kind, text, function in wrong:
        try:
            function()
        except kind as error:
            assert text in str(error), error
        else:
            raise AssertionError(f"expected {kind.__name__}: {text}")


def declared_again() -> None:
    first = ap.operator("again(x: f4[n]) -> y: f4[n]")
    first.composed(lambda x: x + 1)
    assert ap.operators.to_torch(first)(torch.zeros(2)).tolist() == [1, 1]
    assert ap.operators.to_torch(first) is ap.operators.to_torch("again")
    second = ap.operator("again(x: f4[n], *, more: int = 2) -> y: f4[n]")
    second.composed(lambda x, *, more: x + more)
    assert ap.operators.to_torch(second)(torch.zeros(2), more=5).tolist() == [5, 5]


if __name__ == "__main__":
    main(
        values, views, optional_inputs_and_attributes, kernels, memory_is_shared, in_order, gradients,
        operators_checks, fake_tensors, compiled, wrong_use, declared_again,
    )  # fmt: skip
