"""Models that torch_npu_program.py trains: by several optimizers, of several kinds, in 16 bits with scaled losses."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
import torch_npu
from torch import nn

STEPS = 20


def trained(
    v: Any, make: Callable[..., torch.optim.Optimizer], steps: int = STEPS, falls: bool = True
) -> tuple[list[float], Any]:
    """The losses and the last parameters of a small classifier; the CPU's run is what the NPU's is held to."""
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(7, 16), nn.LayerNorm(16), nn.GELU("tanh"), nn.Linear(16, 7)).to(v.device)
    optimizer = make(model.parameters())
    told = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(v.x), v.labels)
        loss.backward()
        optimizer.step()
        told.append(loss.item())
    assert told[-1] < (told[0] / 2 if falls else told[0]), f"expected a loss that falls, got {told}"
    return told, [parameter.detach() for parameter in model.parameters()]


def overflowing(v: Any) -> Any:
    """Steps whose gradients are infinite or NaN are left out, and the scale shrinks; else it grows."""
    torch.manual_seed(3)
    model = nn.Linear(7, 2).to(v.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(v.device, init_scale=4.0, growth_interval=2)
    told = []
    for step in range(6):
        optimizer.zero_grad()
        loss = (model(v.x) ** 2).mean() * {2: float("inf"), 4: float("nan")}.get(step, 1.0)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        scaler.step(optimizer)
        scaler.update()
        told += [scaler.get_scale(), *model.weight.flatten().tolist()]
    return told


def by(name: str, **given: Any) -> Callable[[Any], Any]:
    return lambda v: trained(v, lambda p: getattr(torch.optim, name)(p, **given), falls=name not in SLOW)


SLOW = ("Adadelta", "ASGD", "RAdam")  # learn little in so few steps
TRAINING: dict[str, Callable[[Any], Any]] = {
    "SGD": by("SGD", lr=0.5, momentum=0.9),
    "SGD, fused": by("SGD", lr=0.5, momentum=0.9, fused=True),
    "Adam": by("Adam", lr=0.05),
    "Adam, one tensor at a time": by("Adam", lr=0.05, foreach=False),
    "Adam by the largest": by("Adam", lr=0.05, amsgrad=True),
    "AdamW": by("AdamW", lr=0.05, weight_decay=0.1),
    "AdamW, fused": by("AdamW", lr=0.05, weight_decay=0.1, fused=True),
    **{name: by(name, lr=0.05) for name in ("Adagrad", "Adamax", "NAdam", "RMSprop", *SLOW)},
    "steps that overflow": overflowing,
}


class Transformer(nn.Module):
    """Embedded symbols, two layers as PyTorch has them, one more of its own attention, a symbol to come."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.last = nn.Linear(16, 11)

    def forward(self, symbols: torch.Tensor) -> torch.Tensor:
        hidden = nn.Transformer.generate_square_subsequent_mask(symbols.shape[1], device=symbols.device)
        x = self.layers(self.embedding(symbols), mask=hidden, is_causal=True)
        x = x + self.attention(x, x, x, attn_mask=hidden, need_weights=False)[0]
        return self.last(x).transpose(1, 2)


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3),
            nn.GroupNorm(2, 8), nn.SiLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5),
        )  # fmt: skip

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        return self.layers(image)


class Recurrent(nn.Module):
    """A layer over the sequence, and what its last step says."""

    def __init__(self, layer: Callable[..., nn.Module], **given: Any) -> None:
        super().__init__()
        self.layer = layer(6, 10, **given)
        self.last = nn.Linear(20 if given.get("bidirectional") else 10, 4)

    def forward(self, sequence: torch.Tensor) -> torch.Tensor:
        return self.last(self.layer(sequence)[0][-1])


def losses(
    v: Any, model: Callable[[], nn.Module], x: torch.Tensor, target: torch.Tensor, half: bool = False
) -> list[float]:
    """The loss of each step; in 16 bits where they do, as programs for other devices are written."""
    torch.manual_seed(5)
    module = model().to(v.device)
    x, target = x.to(v.device), target.to(v.device)
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler(v.device, init_scale=1024.0, growth_interval=5, enabled=half and v.device == "npu")
    told = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        with torch.autocast(v.device, dtype=torch.float16) if half else contextlib.nullcontext():
            loss = F.cross_entropy(module(x).float(), target)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        told.append(loss.item())
    assert told[-1] < 0.9 * told[0], f"expected a loss that falls, got {told}"
    return told


def numbers(high: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, high, shape, generator=torch.Generator().manual_seed(2))


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(3))


def transformer(v: Any, half: bool = False) -> list[float]:
    symbols = numbers(11, 4, 9)
    return losses(v, Transformer, symbols[:, :-1], symbols[:, 1:], half)


def convolutions(v: Any, half: bool = False) -> list[float]:
    return losses(v, Convolutions, normal(6, 3, 10, 10), numbers(5, 6), half)


def recurrent(layer: Callable[..., nn.Module], **given: Any) -> Callable[[Any], list[float]]:
    return lambda v: losses(v, lambda: Recurrent(layer, **given), normal(7, 5, 6), numbers(4, 5))


def attention(v: Any, dtype: torch.dtype, keys: int = 9, **given: Any) -> list[torch.Tensor]:
    """As the function that layers call: the output and the gradients."""
    generator = torch.Generator().manual_seed(1)
    given = {name: one.to(v.device) if isinstance(one, torch.Tensor) else one for name, one in given.items()}
    heads = 2 if given.get("enable_gqa") else 4
    shapes = (2, 4, 9, 16), (2, heads, keys, 16), (2, heads, keys, 16)
    parts = [torch.randn(shape, generator=generator).to(dtype).to(v.device).requires_grad_() for shape in shapes]
    out = F.scaled_dot_product_attention(*parts, **given)
    (out.float() * torch.randn(out.shape, generator=generator).to(v.device)).sum().backward()
    return [out.detach().float(), *(part.grad.float() for part in parts)]


def close(case: Callable[[Any], list[torch.Tensor]]) -> Callable[[Any], Any]:
    """Compared as float16: the CPU rounds in other places."""
    return lambda v: [one.half() for one in case(v)]


def profiled(v: Any) -> torch.Tensor:
    if v.device == "cpu":
        return torch.ones(3) * 2
    activities = [torch_npu.profiler.ProfilerActivity.CPU, torch_npu.profiler.ProfilerActivity.NPU]
    with tempfile.TemporaryDirectory() as folder:
        record = torch_npu.profiler.tensorboard_trace_handler(folder, analyse_flag=False)
        with torch_npu.profiler.profile(activities=activities, on_trace_ready=record) as profiler:
            result = torch.ones(3, device="npu") * 2
            profiler.step()
    return result


SEEN = torch.rand(9, 9, generator=torch.Generator().manual_seed(4)) > 0.3
MODELS: dict[str, Callable[[Any], Any]] = {
    "transformer": transformer,
    "convolutions": convolutions,
    "transformer in 16 bits": lambda v: transformer(v, half=True),
    "convolutions in 16 bits": lambda v: convolutions(v, half=True),
    "LSTM": recurrent(nn.LSTM),
    "LSTM of two layers and both directions": recurrent(nn.LSTM, num_layers=2, bidirectional=True),
    "GRU": recurrent(nn.GRU),
    "GRU of two layers and both directions": recurrent(nn.GRU, num_layers=2, bidirectional=True),
    "attention": lambda v: attention(v, torch.float32),
    "attention with a scale": lambda v: attention(v, torch.float32, scale=0.5),
    "attention, causal": lambda v: attention(v, torch.float32, is_causal=True),
    "attention with a mask": lambda v: attention(v, torch.float32, attn_mask=SEEN),
    "attention to other keys": lambda v: attention(v, torch.float32, keys=5, attn_mask=SEEN[:, :5].expand(2, 1, 9, 5)),
    "attention with numbers added": close(lambda v: attention(v, torch.float16, attn_mask=normal(9, 9).half())),
    "attention in 16 bits": close(lambda v: attention(v, torch.float16)),
    "attention with fewer keys than heads": close(lambda v: attention(v, torch.float16, enable_gqa=True)),
    "profiler": profiled,
}
