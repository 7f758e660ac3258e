"""What docs/from-torch-npu.md says of torch beside asnumpy, on the CPU: a program for torch's Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.nn.functional as torchs
from case_program import main

import asnumpy as ap

ap.config.device = "cpu"
HOST = np.arange(6, dtype="float32").reshape(2, 3)


def both(host: Any = HOST) -> tuple[torch.Tensor, ap.ndarray]:
    return torch.from_numpy(host.copy()), ap.asarray(host, device="cpu", copy=True)


def same(theirs: torch.Tensor, ours: ap.ndarray) -> None:
    plain = theirs.cpu().numpy()
    assert plain.dtype == ours.dtype and plain.shape == ours.shape
    np.testing.assert_allclose(ap.to_numpy(ours), plain, rtol=1e-6, atol=1e-6)


def shapes() -> None:
    t, x = both()
    same(torch.cat([t, t]), ap.concatenate([x, x]))
    same(torch.stack([t, t]), ap.stack([x, x]))
    same(t.view(3, 2), x.reshape(3, 2))
    same(t.permute(1, 0), x.transpose(1, 0))
    try:
        t.T.view(6)
    except RuntimeError:
        same(t.T.reshape(6), x.T.reshape(6))
    else:
        raise AssertionError("view copies")
    line, own = both(HOST[1])
    same(line.unsqueeze(0), ap.expand_dims(own, 0))
    same(line.expand(4, 3), ap.broadcast_to(own, (4, 3)))
    same(t.repeat(2, 1), ap.tile(x, (2, 1)))
    same(t.repeat_interleave(2), ap.repeat(x, 2))


def copies_and_dtypes() -> None:
    t, x = both()
    same(t.clone(), x.copy())
    same(t.float(), x.astype("float32"))
    same(t.half(), x.astype("float16"))


def values() -> None:
    t, x = both()
    largest, places = t.max(dim=1)
    same(largest, x.max(axis=1))
    same(places, x.argmax(axis=1))
    same(t.sum(dim=1, keepdim=True), x.sum(axis=1, keepdims=True))
    same(t.masked_fill(t > 2, -1), ap.where(x > 2, -1, x))
    t.index_add_(0, torch.tensor([0, 0]), torch.ones(2, 3))
    ap.add.at(x, ap.asarray([0, 0]), ap.ones((2, 3), dtype="float32"))
    same(t, x)


def functions() -> None:
    t, x = both(HOST / 2 - 1)
    for name, theirs, ours in (
        ("gelu", (), {}), ("silu", (), {}), ("relu", (), {}), ("softplus", (), {}), ("elu", (), {}),
        ("layer_norm", ((3,),), {}), ("softmax", (1,), {"axis": 1}), ("log_softmax", (1,), {"axis": 1}),
    ):
        same(getattr(torchs, name)(t, *theirs), getattr(ap.nn, name)(x, *(() if ours else theirs), **ours))


def what_differs() -> None:
    assert torch.ones(2).dtype == torch.float32 and ap.ones(2).dtype == np.float64
    with ap.config.using(float="float32"):
        assert ap.ones(2).dtype == np.float32
    assert (torch.arange(3) * 1.5).dtype == torch.float32 and (ap.arange(3) * 1.5).dtype == np.float64
    t, x = both(np.array([1.0, 2.0, 3.0]))
    for name in ("std", "var"):
        same(getattr(t, name)(), ap.asarray(getattr(x, name)(ddof=1)))
        same(getattr(t, name)(correction=0), ap.asarray(getattr(x, name)()))
    try:
        torch.arange(3).mean()
    except RuntimeError:
        assert float(ap.arange(3).mean()) == 1.0
    else:
        raise AssertionError("the mean of integers")


def draws() -> None:
    torch.manual_seed(1)
    first = torch.randn(3)
    torch.manual_seed(1)
    assert torch.equal(first, torch.randn(3)) and first.dtype == torch.float32
    assert ap.random.default_rng(1).standard_normal(3).tolist() == ap.random.default_rng(1).standard_normal(3).tolist()


main(shapes, copies_and_dtypes, values, functions, what_differs, draws)
