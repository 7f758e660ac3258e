"""What test_torch_npu.py runs on torch_npu: each case on the NPU and on the CPU, its outcome a line of JSON."""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
import torch_npu
from torch_npu_device import DEVICE
from torch_npu_images import IMAGES
from torch_npu_models import MODELS, TRAINING


class Values:
    """The same tensors on every device."""

    def __init__(self, device: str) -> None:
        self.device = device
        generator = torch.Generator().manual_seed(20)

        def normal(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, generator=generator)

        def whole(low: int, high: int, *shape: int) -> torch.Tensor:
            return torch.randint(low, high, shape, generator=generator)

        def there(tensor: torch.Tensor) -> torch.Tensor:
            return tensor.to(device)

        self.x, self.y = there(normal(5, 7)), there(normal(5, 7))
        self.positive, self.unit = there(normal(5, 7).abs() + 0.1), there(torch.tanh(normal(5, 7)) * 0.9)
        self.row, self.column = there(normal(7)), there(normal(5, 1))
        self.cube, self.other_cube = there(normal(3, 4, 6)), there(normal(3, 6, 5))
        self.square, self.tall = there(normal(6, 6)), there(normal(7, 4))
        self.half, self.brain = there(normal(5, 7).half()), there(normal(5, 7).bfloat16())
        self.double = there(normal(5, 7).double())
        self.i, self.j = there(whole(-50, 50, 5, 7)), there(whole(1, 9, 5, 7))
        self.small = there(whole(-9, 9, 5, 7).int())
        self.bytes = there(whole(0, 200, 5, 7).to(torch.uint8))
        self.mask, self.other_mask = there(normal(5, 7) > 0), there(normal(5, 7) > 0.3)
        self.places = there(whole(0, 5, 4))
        self.line_places = there(whole(0, 7, 5, 3))
        self.labels = there(whole(0, 7, 5))
        self.special = there(torch.tensor([0.0, -0.0, 1.5, -2.5, torch.inf, -torch.inf, torch.nan, 3.0]))
        self.image = there(normal(2, 3, 8, 8))


Case = Callable[[Values], Any]

CREATION: dict[str, Case] = {
    "zeros": lambda v: torch.zeros(3, 4, device=v.device),
    "ones": lambda v: torch.ones(3, 4, device=v.device),
    "ones of int": lambda v: torch.ones(3, 4, dtype=torch.int32, device=v.device),
    "full": lambda v: torch.full((2, 3), 2.5, device=v.device),
    "arange": lambda v: torch.arange(3, 20, 2, device=v.device),
    "arange of float": lambda v: torch.arange(0.0, 1.0, 0.125, device=v.device),
    "linspace": lambda v: torch.linspace(-1, 1, 9, device=v.device),
    "eye": lambda v: torch.eye(4, 5, device=v.device),
    "zeros_like": lambda v: torch.zeros_like(v.x),
    "ones_like": lambda v: torch.ones_like(v.i),
    "fill_": lambda v: torch.empty(3, 4, device=v.device).fill_(7),
    "tensor": lambda v: torch.tensor([[1, 2], [3, 4]], device=v.device),
    "clone": lambda v: v.x.clone(),
    "tril": lambda v: torch.tril(v.square),
    "triu": lambda v: torch.triu(v.square, 1),
}

ARITHMETIC: dict[str, Case] = {
    "x + y": lambda v: v.x + v.y,
    "x - y": lambda v: v.x - v.y,
    "x * y": lambda v: v.x * v.y,
    "x / y": lambda v: v.x / v.y,
    "x + 1": lambda v: v.x + 1,
    "x - 1.5": lambda v: v.x - 1.5,
    "2 - x": lambda v: 2 - v.x,
    "x * 2": lambda v: v.x * 2,
    "x / 4": lambda v: v.x / 4,
    "1 / x": lambda v: 1 / v.positive,
    "x ** 2": lambda v: v.x**2,
    "x ** y": lambda v: v.positive**v.y,
    "2 ** x": lambda v: 2**v.x,
    "-x": lambda v: -v.x,
    "x + column": lambda v: v.x + v.column,
    "row - column": lambda v: v.row - v.column,
    "add with alpha": lambda v: torch.add(v.x, v.y, alpha=0.5),
    "sub with alpha": lambda v: torch.sub(v.x, v.y, alpha=3),
    "int + int": lambda v: v.i + v.j,
    "int * int32": lambda v: v.i * v.small,
    "int / int": lambda v: v.i / v.j,
    "float + int": lambda v: v.x + v.i,
    "int // int": lambda v: v.i // v.j,
    "int % int": lambda v: v.i % v.j,
    "x % y": lambda v: v.x % v.positive,
    "fmod": lambda v: torch.fmod(v.x, v.positive),
    "div by floor": lambda v: torch.div(v.x, v.positive, rounding_mode="floor"),
    "div by trunc": lambda v: torch.div(v.x, v.positive, rounding_mode="trunc"),
    "half + half": lambda v: v.half + v.half,
    "half * float": lambda v: v.half * v.x,
    "bfloat16 * bfloat16": lambda v: v.brain * v.brain,
    "double * double": lambda v: v.double * v.double,
    "x += 1": lambda v: v.x.clone().add_(1),
    "x += y": lambda v: v.x.clone().add_(v.y),
    "x -= y": lambda v: v.x.clone().sub_(v.y),
    "x *= y": lambda v: v.x.clone().mul_(v.y),
    "x /= y": lambda v: v.x.clone().div_(v.y),
    "addcmul": lambda v: torch.addcmul(v.x, v.y, v.unit, value=0.5),
    "addcdiv": lambda v: torch.addcdiv(v.x, v.y, v.positive, value=0.5),
    "lerp": lambda v: torch.lerp(v.x, v.y, 0.25),
    "maximum": lambda v: torch.maximum(v.x, v.y),
    "minimum": lambda v: torch.minimum(v.x, v.y),
    "clamp": lambda v: torch.clamp(v.x, -0.5, 0.5),
    "clamp_min": lambda v: torch.clamp(v.x, min=0.25),
    "clamp_max": lambda v: torch.clamp(v.i, max=10),
    "strided + strided": lambda v: v.square[::2, 1:] + v.square.t()[::2, 1:],
    "to half": lambda v: v.x.half(),
    "to int": lambda v: (v.x * 10).int(),
    "to bool": lambda v: v.i.bool(),
    "to double": lambda v: v.half.double(),
}

FUNCTIONS: dict[str, Case] = {
    "abs": lambda v: v.x.abs(),
    "abs of int": lambda v: v.i.abs(),
    "exp": lambda v: v.x.exp(),
    "expm1": lambda v: torch.expm1(v.x),
    "exp2": lambda v: torch.exp2(v.x),
    "log": lambda v: v.positive.log(),
    "log2": lambda v: v.positive.log2(),
    "log10": lambda v: v.positive.log10(),
    "log1p": lambda v: v.positive.log1p(),
    "sqrt": lambda v: v.positive.sqrt(),
    "rsqrt": lambda v: v.positive.rsqrt(),
    "square": lambda v: torch.square(v.x),
    "sin": lambda v: v.x.sin(),
    "cos": lambda v: v.x.cos(),
    "tan": lambda v: v.x.tan(),
    "asin": lambda v: v.unit.asin(),
    "acos": lambda v: v.unit.acos(),
    "atan": lambda v: v.x.atan(),
    "atan2": lambda v: torch.atan2(v.x, v.y),
    "sinh": lambda v: v.x.sinh(),
    "cosh": lambda v: v.x.cosh(),
    "tanh": lambda v: v.x.tanh(),
    "asinh": lambda v: v.x.asinh(),
    "atanh": lambda v: v.unit.atanh(),
    "sigmoid": lambda v: v.x.sigmoid(),
    "erf": lambda v: v.x.erf(),
    "erfc": lambda v: v.x.erfc(),
    "floor": lambda v: v.x.floor(),
    "ceil": lambda v: v.x.ceil(),
    "round": lambda v: (v.x * 4).round(),
    "trunc": lambda v: (v.x * 4).trunc(),
    "frac": lambda v: (v.x * 4).frac(),
    "reciprocal": lambda v: v.positive.reciprocal(),
    "sign": lambda v: v.x.sign(),
    "isnan": lambda v: v.special.isnan(),
    "isinf": lambda v: v.special.isinf(),
    "isfinite": lambda v: v.special.isfinite(),
    "nan_to_num": lambda v: torch.nan_to_num(v.special, nan=1.0, posinf=2.0, neginf=3.0),
}

LOGIC: dict[str, Case] = {
    "x > 0": lambda v: v.x > 0,
    "x < y": lambda v: v.x < v.y,
    "x >= y": lambda v: v.x >= v.y,
    "x <= 0.5": lambda v: v.x <= 0.5,
    "i == j": lambda v: v.i == v.j,
    "i != 3": lambda v: v.i != 3,
    "mask & mask": lambda v: v.mask & v.other_mask,
    "mask | mask": lambda v: v.mask | v.other_mask,
    "mask ^ mask": lambda v: v.mask ^ v.other_mask,
    "~mask": lambda v: ~v.mask,
    "logical_and": lambda v: torch.logical_and(v.i, v.j),
    "logical_not": lambda v: torch.logical_not(v.i),
    "int & int": lambda v: v.i & v.j,
    "int | int": lambda v: v.i | v.j,
    "int ^ 5": lambda v: v.i ^ 5,
    "~int": lambda v: ~v.i,
    "where": lambda v: torch.where(v.mask, v.x, v.y),
    "where with a number": lambda v: torch.where(v.x > 0, v.x, 0.0),
    "masked_fill": lambda v: v.x.masked_fill(v.mask, -1.0),
    "equal": lambda v: (torch.equal(v.x, v.x), torch.equal(v.x, v.y)),
    "all": lambda v: (v.mask.all(), v.mask.all(1), (v.x < 100).all()),
    "any": lambda v: (v.mask.any(), v.mask.any(0), (v.x > 100).any()),
    "isclose": lambda v: torch.isclose(v.x, v.x + 1e-9),
}

REDUCTIONS: dict[str, Case] = {
    "sum": lambda v: v.x.sum(),
    "sum of an axis": lambda v: v.x.sum(1),
    "sum, keepdim": lambda v: v.cube.sum((0, 2), keepdim=True),
    "sum of int": lambda v: v.i.sum(0),
    "sum of bool": lambda v: v.mask.sum(),
    "mean": lambda v: v.x.mean(),
    "mean of an axis": lambda v: v.x.mean(1),
    "prod": lambda v: v.x.prod(1),
    "max": lambda v: v.x.max(),
    "min": lambda v: v.i.min(),
    "max of an axis": lambda v: tuple(v.x.max(1)),
    "min of an axis": lambda v: tuple(v.x.min(0)),
    "amax": lambda v: v.cube.amax((1, 2)),
    "amin": lambda v: v.cube.amin(0),
    "argmax": lambda v: (v.x.argmax(), v.x.argmax(1)),
    "argmin": lambda v: (v.x.argmin(), v.x.argmin(0)),
    "var": lambda v: v.x.var(1),
    "std": lambda v: v.x.std(0, correction=0),
    "norm": lambda v: (v.x.norm(), torch.linalg.vector_norm(v.x, ord=1, dim=1)),
    "logsumexp": lambda v: torch.logsumexp(v.x, 1),
    "cumsum": lambda v: v.x.cumsum(1),
    "cumsum of int": lambda v: v.i.cumsum(0),
    "cumprod": lambda v: v.x.cumprod(1),
    "cummax": lambda v: tuple(v.x.cummax(1)),
    "median": lambda v: v.x.median(),
    "count_nonzero": lambda v: v.mask.long().count_nonzero(),
    "bincount": lambda v: torch.bincount(v.labels, minlength=9),
}

PRODUCTS: dict[str, Case] = {
    "mm": lambda v: v.x @ v.tall,
    "mm of a transpose": lambda v: v.x.t() @ v.y,
    "mm of half": lambda v: v.half @ v.half.t(),
    "mv": lambda v: v.x @ v.row,
    "dot": lambda v: v.row.dot(v.row),
    "bmm": lambda v: torch.bmm(v.cube, v.other_cube),
    "matmul, broadcast": lambda v: v.cube @ v.square,
    "addmm": lambda v: torch.addmm(v.tall[:5], v.x, v.tall, beta=0.5, alpha=2),
    "baddbmm": lambda v: torch.baddbmm(v.cube[:, :, :5], v.cube, v.other_cube),
    "addmv": lambda v: torch.addmv(v.column.flatten(), v.x, v.row),
    "outer": lambda v: torch.outer(v.row, v.row),
    "einsum": lambda v: torch.einsum("bij,bjk->bik", v.cube, v.other_cube),
    "linear": lambda v: F.linear(v.x, v.tall.t().contiguous(), v.tall[0]),
    "inverse": lambda v: torch.inverse(v.square @ v.square.t() + torch.eye(6, device=v.device)),
}

MOVEMENT: dict[str, Case] = {
    "cat": lambda v: torch.cat([v.x, v.y], 1),
    "stack": lambda v: torch.stack([v.x, v.y], 1),
    "split": lambda v: torch.split(v.x, 3, 1),
    "chunk": lambda v: tuple(part.contiguous() for part in v.x.chunk(3, 1)),
    "t, contiguous": lambda v: v.x.t().contiguous(),
    "permute, contiguous": lambda v: v.cube.permute(2, 0, 1).contiguous(),
    "expand, contiguous": lambda v: v.column.expand(5, 4).contiguous(),
    "reshape of a view": lambda v: v.cube.transpose(0, 1).reshape(4, -1),
    "repeat": lambda v: v.x.repeat(2, 3),
    "repeat_interleave": lambda v: v.x.repeat_interleave(2, dim=1),
    "tile": lambda v: torch.tile(v.row, (2, 2)),
    "flip": lambda v: v.x.flip(0, 1),
    "roll": lambda v: v.x.roll((1, 2), (0, 1)),
    "pad": lambda v: F.pad(v.x, (1, 2, 0, 1), value=3.0),
    "diag": lambda v: (v.square.diag(), v.row.diag()),
    "unfold": lambda v: v.row.unfold(0, 3, 2).contiguous(),
    "copy_ to a slice": lambda v: v.x.clone().index_put_((v.places,), v.y[:4] * 0),
}

INDEXING: dict[str, Case] = {
    "x[0]": lambda v: v.x[0].clone(),
    "x[1, 2]": lambda v: (v.x[1, 2], v.x[1, 2].item()),
    "x[1:4, ::2]": lambda v: v.x[1:4, ::2].clone(),
    "x[..., None]": lambda v: v.x[..., None].contiguous(),
    "x[places]": lambda v: v.x[v.places],
    "x[places, places]": lambda v: v.x[v.places, v.places],
    "x[:, places]": lambda v: v.x[:, v.places],
    "x[mask]": lambda v: v.x[v.mask],
    "x[mask] of no element": lambda v: v.x[v.x > 100],
    "x[0] = 1": lambda v: assigned(v.x, 0, 1),
    "x[1:3] = y": lambda v: assigned(v.x, slice(1, 3), v.y[1:3]),
    "x[places] = 2": lambda v: assigned(v.x, v.places, 2.0),
    "x[mask] = 3": lambda v: assigned(v.x, v.mask, 3.0),
    "masked_select": lambda v: torch.masked_select(v.x, v.mask),
    "nonzero": lambda v: v.mask.nonzero(),
    "nonzero of int": lambda v: v.small.nonzero(),
    "where, one argument": lambda v: torch.where(v.mask),
    "gather": lambda v: v.x.gather(1, v.line_places),
    "scatter": lambda v: v.x.scatter(1, v.line_places, 0.5),
    "scatter_add": lambda v: torch.zeros(5, 7, device=v.device).scatter_add(1, v.line_places, v.y[:, :3].contiguous()),
    "index_select": lambda v: v.x.index_select(0, v.places),
    "index_add": lambda v: v.x.index_add(0, v.places, v.y[:4].contiguous()),
    "index_fill": lambda v: v.x.index_fill(0, v.places, 2.0),
    "take": lambda v: torch.take(v.x, v.line_places),
    "masked_scatter": lambda v: v.x.masked_scatter(v.mask, v.y),
    "sort": lambda v: tuple(v.x.sort(1)),
    "sort, descending": lambda v: tuple(v.row.sort(descending=True)),
    "argsort": lambda v: v.x.argsort(1),
    "topk": lambda v: tuple(v.x.topk(3, 1)),
    "kthvalue": lambda v: tuple(v.x.kthvalue(2, 1)),
    "unique": lambda v: torch.unique(v.i),
    "unique, counts": lambda v: torch.unique(v.small, return_inverse=True, return_counts=True),
    "searchsorted": lambda v: torch.searchsorted(v.row.sort()[0], v.x),
    "bucketize": lambda v: torch.bucketize(v.x, torch.tensor([-1.0, 0.0, 1.0], device=v.device)),
    "one_hot": lambda v: F.one_hot(v.labels, 7),
    "embedding": lambda v: F.embedding(v.places, v.x),
}

NETWORKS: dict[str, Case] = {
    "relu": lambda v: F.relu(v.x),
    "leaky_relu": lambda v: F.leaky_relu(v.x, 0.1),
    "elu": lambda v: F.elu(v.x),
    "gelu": lambda v: F.gelu(v.x),
    "gelu by tanh": lambda v: F.gelu(v.x, approximate="tanh"),
    "silu": lambda v: F.silu(v.x),
    "mish": lambda v: F.mish(v.x),
    "softplus": lambda v: F.softplus(v.x),
    "hardswish": lambda v: F.hardswish(v.x),
    "hardsigmoid": lambda v: F.hardsigmoid(v.x),
    "hardtanh": lambda v: F.hardtanh(v.x),
    "logsigmoid": lambda v: F.logsigmoid(v.x),
    "softmax": lambda v: F.softmax(v.x, 1),
    "log_softmax": lambda v: F.log_softmax(v.x, 0),
    "layer_norm": lambda v: F.layer_norm(v.x, (7,), v.row, v.row),
    "group_norm": lambda v: F.group_norm(v.image, 3),
    "batch_norm": lambda v: F.batch_norm(v.image, torch.zeros(3, device=v.device), torch.ones(3, device=v.device)),
    "rms_norm": lambda v: F.rms_norm(v.x, (7,), v.row),
    "mse_loss": lambda v: F.mse_loss(v.x, v.y),
    "l1_loss": lambda v: F.l1_loss(v.x, v.y),
    "smooth_l1_loss": lambda v: F.smooth_l1_loss(v.x, v.y),
    "nll_loss": lambda v: F.nll_loss(F.log_softmax(v.x, 1), v.labels),
    "cross_entropy": lambda v: F.cross_entropy(v.x, v.labels),
    "binary_cross_entropy": lambda v: F.binary_cross_entropy(v.x.sigmoid(), v.mask.float()),
    "binary_cross_entropy_with_logits": lambda v: F.binary_cross_entropy_with_logits(v.x, v.mask.float()),
    "dropout, p = 0": lambda v: F.dropout(v.x, 0.0),
}


# Tensors without axes.
NUMBERS: dict[str, Case] = {
    "of arithmetic": lambda v: (
        v.x[0, 0] + v.y[1, 1],
        v.x[0, 0] * 2,
        v.x[0, 0] / v.y[0, 1],
        -v.x[0, 0],
        v.x[0, 0] ** 2,
    ),
    "of functions": lambda v: (v.x[0, 0].exp(), v.positive[0, 0].log(), v.positive[0, 0].log2(), v.x[1, 0].sigmoid()),
    "of clamp": lambda v: (v.x[0, 0].clamp(-0.1, 0.1), v.x[0, 0].clamp(min=0), v.x[0, 0].clamp(max=0)),
    "of comparison": lambda v: (v.x[0, 0] > 0, v.x[0, 0] == v.x[0, 0], torch.where(v.mask[0, 0], v.x[0, 0], v.y[0, 0])),
    "of reductions": lambda v: (v.x[0, 0].sum(), v.x[0, 0].mean(), v.x[0, 0].max(), v.x[0, 0].argmax()),
    "reductions of an axis": lambda v: (v.x[0, 0].sum(0), tuple(v.x[0, 0].max(0)), v.x[0, 0].cumsum(0)),
    "of networks": lambda v: (F.relu(v.x[0, 0]), F.silu(v.x[0, 0]), F.softmax(v.x[0, 0], 0), F.hardtanh(v.x[0, 0])),
    "of movement": lambda v: (
        v.x[0, 0].reshape(1, 1),
        v.x[0, 0].expand(3, 2).contiguous(),
        torch.stack([v.x[0, 0], v.y[0, 0]]),
    ),
    "of indexing": lambda v: (v.row[v.places[0]], v.i[0, 0].nonzero(), v.x[v.places[0], v.places[1]]),
    "and Python's": lambda v: (float(v.x[0, 0]), int(v.i[0, 0]), bool(v.mask[0, 0]), v.x[0, 0].item()),
    "of no element": lambda v: (
        v.x[:0] + 1,
        v.x[:0].sum(),
        v.x[:0].sum(0),
        torch.cat([v.x[:0], v.x]),
        v.x[:0] @ v.tall,
    ),
}


def assigned(tensor: torch.Tensor, place: Any, value: Any) -> torch.Tensor:
    result = tensor.clone()
    result[place] = value
    return result


def gradients(f: Callable[..., torch.Tensor], *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    leaves = [tensor.detach().clone().requires_grad_() for tensor in inputs]
    result = f(*leaves)
    (result * torch.cos(result.detach())).sum().backward()
    return (result.detach(), *(leaf.grad for leaf in leaves))


AUTOGRAD: dict[str, Case] = {
    "of add, mul, div": lambda v: gradients(lambda a, b: a * b + a / (b * b + 1), v.x, v.y),
    "of broadcasting": lambda v: gradients(lambda a, b: a * b, v.x, v.column),
    "of matmul": lambda v: gradients(lambda a, b: a @ b, v.x, v.tall),
    "of exp, log, sqrt": lambda v: gradients(lambda a: a.exp().log1p().sqrt(), v.x),
    "of tanh": lambda v: gradients(torch.tanh, v.x),
    "of sigmoid": lambda v: gradients(torch.sigmoid, v.x),
    "of relu": lambda v: gradients(torch.relu, v.x),
    "of gelu": lambda v: gradients(lambda a: F.gelu(a, approximate="tanh"), v.x),
    "of silu": lambda v: gradients(F.silu, v.x),
    "of softmax": lambda v: gradients(lambda a: F.softmax(a, 1), v.x),
    "of log_softmax": lambda v: gradients(lambda a: F.log_softmax(a, 1), v.x),
    "of layer_norm": lambda v: gradients(lambda a, w, b: F.layer_norm(a, (7,), w, b), v.x, v.row, v.row),
    "of cross_entropy": lambda v: gradients(lambda a: F.cross_entropy(a, v.labels), v.x),
    "of mse_loss": lambda v: gradients(F.mse_loss, v.x, v.y),
    "of indexing": lambda v: gradients(lambda a: a[v.places] * 2, v.x),
    "of embedding": lambda v: gradients(lambda a: F.embedding(v.places, a), v.x),
    "of slices and cat": lambda v: gradients(lambda a, b: torch.cat([a[1:3], b[::2]]), v.x, v.y),
    "of where": lambda v: gradients(lambda a, b: torch.where(v.mask, a, b), v.x, v.y),
    "of max": lambda v: gradients(lambda a: a.max(1)[0], v.x),
    "of mean and var": lambda v: gradients(lambda a: a.mean(1) + a.var(1), v.x),
}


PRINTING: dict[str, Case] = {
    "floats": lambda v: shown(v.x),
    "ints": lambda v: shown(v.i),
    "bools": lambda v: shown(v.mask),
    "special values": lambda v: shown(v.special),
    "half": lambda v: shown(v.half),
    "large": lambda v: shown(torch.arange(5000, device=v.device)),
    "empty": lambda v: shown(v.x[:0]),
    "a number": lambda v: shown(v.x.sum()) is not None and f"{v.i.sum().item()}",
    "tolist": lambda v: v.i.tolist(),
    "numpy": lambda v: v.x.cpu().numpy().tolist(),
}


def shown(tensor: torch.Tensor) -> str:
    one_line = re.sub(r"\s+", " ", repr(tensor))  # where a line breaks depends on the suffix
    return one_line.replace(", device='npu:0'", "")


GROUPS = {
    "creation": CREATION, "arithmetic": ARITHMETIC, "functions": FUNCTIONS, "logic": LOGIC, "reductions": REDUCTIONS,
    "products": PRODUCTS, "movement": MOVEMENT, "indexing": INDEXING, "numbers": NUMBERS, "networks": NETWORKS,
    "autograd": AUTOGRAD, "training": TRAINING, "models": MODELS, "images": IMAGES,
    "printing": PRINTING, "device": DEVICE,
}  # fmt: skip


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from leaves(one)
    else:
        yield value


def compare(got: Any, expected: Any, tolerance: float) -> None:
    got, expected = list(leaves(got)), list(leaves(expected))
    assert len(got) == len(expected), f"expected {len(expected)} results, got {len(got)}"
    for mine, theirs in zip(got, expected, strict=True):
        if isinstance(theirs, torch.Tensor):
            wide = 1e-2 if theirs.dtype == torch.bfloat16 else 2e-3 if theirs.dtype == torch.float16 else tolerance
            torch.testing.assert_close(mine.cpu(), theirs, rtol=wide, atol=wide, equal_nan=True)
        elif isinstance(theirs, float):
            assert abs(mine - theirs) <= tolerance * (1 + abs(theirs)), f"expected {theirs!r}, got {mine!r}"
        else:
            assert mine == theirs, f"expected {theirs!r}, got {mine!r}"


def outcome(case: Case, tolerance: float) -> str:
    try:
        compare(case(Values("npu")), case(Values("cpu")), tolerance)
        torch.npu.synchronize()
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {place.name}: {error}"
    return ""


def main() -> None:
    versions = {"torch": torch.__version__, "torch_npu": torch_npu.__version__}
    print(json.dumps(versions | {"device": torch.npu.get_device_name(0)}))
    for group in sys.argv[1:] or GROUPS:
        tolerance = 1e-3 if group in ("training", "models") else 2e-5
        for name, case in GROUPS[group].items():
            print(json.dumps({"group": group, "case": name, "failure": outcome(case, tolerance)}), flush=True)


if __name__ == "__main__":
    main()
