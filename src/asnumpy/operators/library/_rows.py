"""What goes along an axis and fills it again, or leaves a number: softmax, norms, moments, rotary embedding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import nn
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import kernel_of, launch


def _neighbours(ndim: int, axes: tuple[int, ...]) -> range | None:
    """The axes in order, where they follow one another."""
    places = sorted(axis % ndim for axis in axes if -ndim <= axis < ndim)
    if not places or len(places) != len(axes) or places != list(range(places[0], places[-1] + 1)):
        return None
    return range(places[0], places[-1] + 1)


def _takes(x: Any, *, axes: tuple[int, ...]) -> bool:
    return _neighbours(x.ndim, axes) is not None


def _along(kernel: str, x: Any, y: Any, axes: tuple[int, ...]) -> None:
    found = _neighbours(x.ndim, axes)
    assert found is not None
    outer, inner = math.prod(x.shape[: found.start]), math.prod(x.shape[found.stop :])
    n = math.prod(x.shape[found.start : found.stop])
    items = outer if inner == 1 else outer * -(-inner // 64)
    launch("rows", f"{kernel}_{x.dtype.name}", [x, y, outer, n, inner], items=items, least=1)


@operator("library.softmax(x: T[..., n], *, axes: tuple = (-1,)) -> y: T[..., n]", T="f4 f2")
def softmax(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Exponentials whose sum over the axes is 1. The kernel takes axes that follow one another."""
    return nn.softmax(x, axes)


@kernel_of(softmax, when=_takes)
def _softmax(x: Any, y: Any, *, axes: tuple[int, ...]) -> None:
    _along("softmax", x, y, axes)


@operator("library.log_softmax(x: T[..., n], *, axes: tuple = (-1,)) -> y: T[..., n]", T="f4 f2")
def log_softmax(x: Any, *, axes: tuple[int, ...]) -> Any:
    """The logarithm of softmax, without taking one of small numbers."""
    return nn.log_softmax(x, axes)


@kernel_of(log_softmax, when=_takes)
def _log_softmax(x: Any, y: Any, *, axes: tuple[int, ...]) -> None:
    _along("log_softmax", x, y, axes)


def _has_columns(x: Any, *others: Any, **attributes: Any) -> bool:
    return bool(x.shape[-1])


@operator("library.logsumexp(x: T[..., n]) -> y: T[...]", T="f4 f2")
def logsumexp(x: Any) -> Any:
    """The logarithm of a sum of exponentials, without overflow on the way."""
    if not x.shape[-1]:
        return ap.full(x.shape[:-1], -np.inf, x.dtype)
    x = x.astype(np.float32)
    largest = ap.max(x, axis=-1)
    steady = ap.where(ap.isfinite(largest), largest, np.float32(0))
    with ap.errstate(divide="ignore"):
        return ap.log(ap.sum(ap.exp(x - steady[..., None]), axis=-1)) + steady


@kernel_of(logsumexp, when=_has_columns)
def _logsumexp(x: Any, y: Any) -> None:
    launch("rows", f"logsumexp_{x.dtype.name}", [x, y, y.size, x.shape[-1]], items=y.size, least=1)


@operator("library.rms_norm(x: T[..., n], gain: f4[n], *, eps: float = 1e-6) -> y: T[..., n]", T="f4 f2")
def rms_norm(x: Any, gain: Any, *, eps: float) -> Any:
    """Rows over the root of their mean square, scaled."""
    wide = x.astype(np.float32)
    return wide / ap.sqrt(ap.mean(wide * wide, axis=-1, keepdims=True) + np.float32(eps)) * gain


@kernel_of(rms_norm)
def _rms_norm(x: Any, gain: Any, y: Any, *, eps: float) -> None:
    rows = x.size // x.shape[-1]
    launch("rows", f"rms_norm_{x.dtype.name}", [x, gain, y, rows, x.shape[-1], eps], items=rows, least=1)


@operator(
    "library.layer_norm(x: T[..., n], gain: f4[n], shift: f4[n], *, eps: float = 1e-5) -> y: T[..., n]", T="f4 f2"
)
def layer_norm(x: Any, gain: Any, shift: Any, *, eps: float) -> Any:
    """Rows less their mean over their standard deviation, scaled and shifted."""
    wide = x.astype(np.float32)
    centred = wide - ap.mean(wide, axis=-1, keepdims=True)
    return centred / ap.sqrt(ap.mean(centred * centred, axis=-1, keepdims=True) + np.float32(eps)) * gain + shift


@kernel_of(layer_norm)
def _layer_norm(x: Any, gain: Any, shift: Any, y: Any, *, eps: float) -> None:
    rows = x.size // x.shape[-1]
    launch("rows", f"layer_norm_{x.dtype.name}", [x, gain, shift, y, rows, x.shape[-1], eps], items=rows, least=1)


@operator("library.moments(x: T[..., n]) -> mean: T[...], variance: T[...]", T="f4 f2")
def moments(x: Any) -> Any:
    """Mean and variance of rows, the variance from what differs from the mean; computed in float32."""
    wide = x.astype(np.float32)
    mean = ap.mean(wide, axis=-1)
    return mean, ap.mean((wide - mean[..., None]) ** 2, axis=-1)


@kernel_of(moments, when=_has_columns)
def _moments(x: Any, mean: Any, variance: Any) -> None:
    args = [x, mean, variance, mean.size, x.shape[-1]]
    launch("rows", f"moments_{x.dtype.name}", args, items=mean.size, least=1)


def _turns(x: Any, cosine: Any, sine: Any) -> bool:
    return bool(x.shape[-1] == 2 * cosine.shape[-1] <= 4096)


@operator("library.rotary_embedding(x: T[..., s, d], cosine: f4[s, h], sine: f4[s, h]) -> y: T[..., s, d]", T="f4 f2")
def rotary_embedding(x: Any, cosine: Any, sine: Any) -> Any:
    """The halves of a row turn by the angles of its position: d is 2 h."""
    if x.shape[-1] != 2 * cosine.shape[-1]:
        raise ValueError(
            f"library.rotary_embedding: x: expected rows of {2 * cosine.shape[-1]}, twice those of the angles, got "
            f"{x.shape[-1]}"
        )
    a, b = ap.split(x.astype(np.float32), 2, axis=-1)
    return ap.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=-1)


@kernel_of(rotary_embedding, when=_turns)
def _rotary(x: Any, cosine: Any, sine: Any, y: Any) -> None:
    positions, half = cosine.shape
    outer = x.size // (positions * 2 * half)
    pieces = outer * -(-positions // max(1, 4096 // max(half, 8)))
    launch("rows", f"rotary_{x.dtype.name}", [x, cosine, sine, y, outer, positions, half], items=pieces, least=1)
