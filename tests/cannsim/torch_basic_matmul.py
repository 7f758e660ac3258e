"""basic_matmul of examples/basic_matmul on tensors of torch_npu, by both doors, beside torch.mm.

Usage: torch_basic_matmul.py FOLDER. Prints a line as JSON for each case, with what failed.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import torch
import torch_npu  # noqa: F401 - makes torch know the device
from case_program import main

FOLDER = Path(sys.argv[1])
sys.path.insert(0, str(FOLDER))
import ascendct_torch  # noqa: E402

torch.ops.load_library(str(FOLDER / "ascendct_torch.so"))
DOORS = (ascendct_torch.basic_matmul, torch.ops.AscendCTTorch.basic_matmul)
TYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32}


def near(found: torch.Tensor, a: torch.Tensor, b: torch.Tensor, dtype: str) -> None:
    """One rounding to the result's type of sums in float32."""
    expected = a.cpu().double() @ b.cpu().double()
    precision = torch.finfo(TYPES[dtype]).eps
    assert found.dtype == TYPES[dtype] and found.shape == expected.shape and found.device == a.device
    error = (found.cpu().double() - expected).abs()
    bound = expected.abs() * precision + a.shape[1] * 2.0**-20 + 2.0**-10 * precision
    assert (error <= bound).all(), float((error - bound).max())


def ones() -> None:
    """The first example: as torch.mm, element by element."""
    a = torch.ones(2, 3, dtype=torch.float16, device="npu")
    b = torch.ones(3, 4, dtype=torch.float16, device="npu")
    for door in DOORS:
        c = door(a, b, "float16")
        assert torch.equal(c, torch.mm(a, b)) and c.tolist() == [[3.0] * 4] * 2


def random_sizes() -> None:
    generator = random.Random(5)
    for turn in range(12):
        m, n, k = (generator.randint(1, 512) for _ in range(3))
        dtype = list(TYPES)[turn % 3]
        a = torch.randn(m, k).to(TYPES[dtype]).npu()
        b = torch.randn(k, n).to(TYPES[dtype]).npu()
        c = DOORS[turn % 2](a, b, dtype)
        near(c, a, b, dtype)
        torch.testing.assert_close(c, torch.mm(a, b), rtol=0.02, atol=0.02)


def odd_sizes() -> None:
    for m, n, k in ((1, 1, 1), (511, 257, 129), (3, 511, 77), (129, 1, 511), (17, 33, 65)):
        a = torch.randn(m, k).half().npu()
        b = torch.randn(k, n).half().npu()
        near(DOORS[0](a, b, "float16"), a, b, "float16")
        near(DOORS[1](a, b, "float32"), a, b, "float32")


def views() -> None:
    """Transposed and sliced tensors, read where they lie; others, copied."""
    whole = torch.randn(150, 200).half().npu()
    other = torch.randn(200, 150).half().npu()
    pairs = [
        (whole.t(), whole), (whole, whole.t()), (whole.t(), other.t()), (whole[:70, 5:60], other[:55, 3:]),
        (whole[::2, ::3], other[:67]), (whole[:1].t(), whole[:1]), (whole[:, :1], whole[:1]),
        (whole[0].expand(40, 200), other), (whole[3:3], other), (whole, other[:, 7:7]),
    ]  # fmt: skip
    for a, b in pairs:
        near(DOORS[1](a, b, "float16"), a, b, "float16")
    assert DOORS[0](whole[:, :0], other[:0], "float16").cpu().eq(0).all()


def in_order() -> None:
    """Before and behind torch's own operators, with and without a stream of its own."""
    a = torch.eye(64, dtype=torch.float16, device="npu")
    for stream in (torch.npu.current_stream(), torch.npu.Stream()):
        stream.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(stream):
            x = a * 2
            for _ in range(4):
                x = DOORS[1](x, a, "float16") + 1
            total = x.sum().item()
        assert total == 64 * 2 + 4 * 64 * 64, total


def fake_tensors() -> None:
    operator = torch.ops.AscendCTTorch.basic_matmul
    with torch._subclasses.FakeTensorMode():
        a, b = (torch.empty(*shape, dtype=torch.float16, device="npu") for shape in ((5, 6), (6, 7)))
        c = operator(a, b, "float32")
        assert c.shape == (5, 7) and c.dtype == torch.float32 and c.device.type == "npu"
        a.requires_grad_()
        operator(a, b, "float16").sum().backward()
        assert a.grad.shape == (5, 6) and a.grad.dtype == torch.float16


def gradients() -> None:
    """Beside torch's own, of both operands, of one, and with a result that is wider than they; and of the gradients."""
    for door in DOORS:
        for dtype, result in ((torch.float32, "float32"), (torch.float16, "float16"), (torch.bfloat16, "float32")):
            plain = [torch.randn(*shape).to(dtype) for shape in ((33, 50), (50, 17))]
            ours, theirs = ([one.npu().requires_grad_() for one in plain] for _ in range(2))
            weight = torch.randn(33, 17).npu()
            (door(*ours, result) * weight).sum().backward()
            (torch.mm(*theirs) * weight).sum().backward()
            bound = 30 * torch.finfo(dtype).eps
            for one, other in zip(ours, theirs, strict=True):
                assert one.grad.dtype == dtype
                torch.testing.assert_close(one.grad, other.grad, rtol=bound, atol=bound)
            alone = door(ours[0].detach(), ours[1], result)
            ours[1].grad = None
            alone.sum().backward()
            expected = plain[0].double().sum(0)[:, None].expand(50, 17)
            torch.testing.assert_close(ours[1].grad.cpu().double(), expected, rtol=bound, atol=bound)
        a, b = (torch.randn(*shape).npu().requires_grad_() for shape in ((4, 5), (5, 3)))
        (first,) = torch.autograd.grad((door(a, b, "float32") ** 2).sum(), a, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), b)
        (first,) = torch.autograd.grad((torch.mm(a, b) ** 2).sum(), a, create_graph=True)
        (expected,) = torch.autograd.grad(first.sum(), b)
        torch.testing.assert_close(second, expected, rtol=1e-4, atol=1e-4)


def operator_checks() -> None:
    operator = torch.ops.AscendCTTorch.basic_matmul.default
    # torch's own check of a gradient's registration knows CPU and GPUs alone
    checks = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
    for grows in (False, True):
        a, b = (torch.randn(*shape).half().npu().requires_grad_(grows) for shape in ((20, 30), (30, 40)))
        for result in ("float16", "float32"):
            torch.library.opcheck(operator, (a, b, result), test_utils=checks)


def compiled() -> None:
    """In one graph with its gradient, and sizes that change."""
    operator = DOORS[1]

    def function(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.relu(operator(a * 2, b, "float32")) + 1

    made = torch.compile(function, backend="aot_eager", fullgraph=True)
    bound = 30 * torch.finfo(torch.float32).eps  # sums of 30 products in another order; gradients are rounded to half
    for rows in (20, 33, 47):
        a, b = (torch.randn(*shape).half().npu().requires_grad_() for shape in ((rows, 30), (30, 40)))
        c = made(a, b)
        plain = torch.relu((a * 2).detach().float() @ b.detach().float()) + 1
        torch.testing.assert_close(c.detach(), plain, rtol=bound, atol=10 * bound)
        c.sum().backward()
        passed = (plain > 1).half()
        torch.testing.assert_close(a.grad, 2 * (passed @ b.detach().t()), rtol=2e-2, atol=2e-2)
        torch.testing.assert_close(b.grad, 2 * a.detach().t() @ passed, rtol=2e-2, atol=4e-2)


def wrong_use() -> None:
    a, b = torch.ones(2, 3).half().npu(), torch.ones(3, 4).half().npu()
    wrong = [
        (ValueError, "as many columns of a as rows of b, got 3 and 2", (a, a, "float16")),
        (ValueError, "two matrices, got tensors of 1 and 2 dimensions", (a[0], b, "float16")),
        (ValueError, "expected float16, bfloat16 or float32, got float64", (a, b, "float64")),
        (TypeError, "a and b of one dtype, got Half and Float", (a, b.float(), "float16")),
        (TypeError, "expected a and b of the result's dtype", (a.float(), b.float(), "float16")),
        (ValueError, "expected a and b on one device", (a, b.cpu(), "float16")),
        (ValueError, "expected tensors of an NPU, got tensors of cpu", (a.cpu(), b.cpu(), "float16")),
    ]  # fmt: skip
    for kind, text, arguments in wrong:
        for door in DOORS:
            try:
                door(*arguments)
            except (ValueError, TypeError) as error:
                assert type(error) is kind and text in str(error), error
            else:
                raise AssertionError(f"expected {kind.__name__}: {text}")


if __name__ == "__main__":
    main(ones, random_sizes, odd_sizes, views, in_order, gradients, fake_tensors, operator_checks, compiled, wrong_use)
