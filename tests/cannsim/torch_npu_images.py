"""Cases of torch_npu_program.py over images: convolutions, pooling, resizing, a step of a small network of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F


def weights(v: Any, *shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(v.device)


def slopes(f: Callable[..., torch.Tensor], *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    leaves = [tensor.detach().clone().requires_grad_() for tensor in inputs]
    result = f(*leaves)
    (result * torch.cos(result.detach())).sum().backward()
    return (result.detach(), *(leaf.grad for leaf in leaves))


def trained(v: Any) -> list[float]:
    torch.manual_seed(4)
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))
    model = model.to(v.device)
    labels = torch.tensor([0, 1]).to(v.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(v.image), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


IMAGES: dict[str, Callable[[Any], Any]] = {
    "conv1d": lambda v: F.conv1d(v.cube, weights(v, 5, 4, 3), padding=1),
    "conv2d": lambda v: F.conv2d(v.image, weights(v, 4, 3, 3, 3), weights(v, 4), stride=2, padding=1),
    "conv2d in groups, dilated": lambda v: F.conv2d(v.image, weights(v, 6, 1, 3, 3), dilation=2, groups=3),
    "conv_transpose2d": lambda v: F.conv_transpose2d(v.image, weights(v, 3, 4, 3, 3), stride=2, output_padding=1),
    "avg_pool2d": lambda v: F.avg_pool2d(v.image, 3, 2, 1),
    "adaptive_avg_pool2d": lambda v: F.adaptive_avg_pool2d(v.image, (3, 5)),
    "adaptive_avg_pool2d to one": lambda v: F.adaptive_avg_pool2d(v.image, 1),
    "max_pool2d": lambda v: F.max_pool2d(v.image, 2),
    "interpolate, nearest": lambda v: F.interpolate(v.image, scale_factor=2),
    "interpolate, bilinear": lambda v: F.interpolate(v.image, size=(5, 11), mode="bilinear"),
    "interpolate, bilinear by corners": lambda v: F.interpolate(
        v.image, size=(5, 11), mode="bilinear", align_corners=True
    ),
    "interpolate, bicubic": lambda v: F.interpolate(v.image, scale_factor=2, mode="bicubic"),
    "gradients of conv2d": lambda v: slopes(
        lambda a, w, b: F.conv2d(a, w, b, padding=1), v.image, weights(v, 4, 3, 3, 3), weights(v, 4)
    ),
    "gradients of max_pool2d": lambda v: slopes(lambda a: F.max_pool2d(a, 3, 2, 1), v.image),
    "gradients of avg_pool2d": lambda v: slopes(lambda a: F.avg_pool2d(a, 2), v.image),
    "gradients of adaptive_avg_pool2d": lambda v: slopes(lambda a: F.adaptive_avg_pool2d(a, 3), v.image),
    "gradients of interpolate": lambda v: slopes(lambda a: F.interpolate(a, scale_factor=2, mode="bilinear"), v.image),
    "a step of training": trained,
}
