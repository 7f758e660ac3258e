"""What is not elementwise: positions, masks, order, joining, activations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.check._agreement import Form, agree, compare, values
from asnumpy.check._steps import Case, Scope

DTYPES = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64")
QUICK = ("bool", "int32", "int64", "float16", "float32")
AT = np.array([3, 0, 5, 5, -1, 17, 2])


def put(xp: Any, a: Any) -> Any:
    b = a.copy()
    b[xp.asarray(AT[:3])] = a[0]
    b[a == a[1, 1]] = a[2, 2]
    return b


FORMS: dict[str, Form] = {
    "take": lambda xp, a: xp.take(a, xp.asarray(AT), axis=0),
    "take of axis 1": lambda xp, a: a[:, xp.asarray(AT)],
    "two index arrays": lambda xp, a: a[xp.asarray(AT), xp.asarray(AT[::-1].copy())],
    "put": put,
    "mask": lambda xp, a: a[a == a[0, 0]],
    "nonzero": lambda xp, a: xp.nonzero(a),
    "flatnonzero": lambda xp, a: xp.flatnonzero(a),
    "where": lambda xp, a: xp.where(a == a[0], a, a[1]),
    "compress": lambda xp, a: xp.compress(xp.asarray(AT) > 2, a[:7], axis=0),
    "roll": lambda xp, a: xp.roll(a, 3, axis=1),
    "flip": lambda xp, a: xp.flip(a, 0),
    "repeat": lambda xp, a: xp.repeat(a, 3, axis=1),
    "tile": lambda xp, a: xp.tile(a, (2, 3)),
    "concatenate": lambda xp, a: xp.concatenate([a, a[::-1], a[:2]], 0),
    "stack": lambda xp, a: xp.stack([a, a[::-1]], 1),
    "pad": lambda xp, a: xp.pad(a, 2),
    "tril": lambda xp, a: xp.tril(a),
    "diagonal": lambda xp, a: xp.diagonal(a, 1),
}
ORDERED: dict[str, Form] = {
    "argmax": lambda xp, a: (xp.argmax(a), xp.argmax(a, axis=0), xp.argmax(a, axis=1)),
    "argmin": lambda xp, a: (xp.argmin(a), xp.argmin(a, axis=0), xp.argmin(a, axis=1)),
    "sort": lambda xp, a: (xp.sort(a, axis=0), xp.sort(a, axis=-1), xp.sort(a, axis=None)),
    "argsort": lambda xp, a: xp.argsort(a, axis=-1, kind="stable"), "unique": lambda xp, a: xp.unique(a),
    "searchsorted": lambda xp, a: xp.searchsorted(xp.sort(a.ravel()), a[0]),
    "partition": lambda xp, a: xp.sort(xp.partition(a, 5, axis=1)[:, :5], axis=1),
    "clip": lambda xp, a: a if a.dtype == bool else xp.clip(a, 1, 7),
}
ACTIVATIONS = (
    "elu", "gelu", "leaky_relu", "log_sigmoid", "log_softmax", "relu", "sigmoid", "silu", "softmax", "softplus",
)


def all_dtypes(form: Form, dtypes: tuple[str, ...]) -> None:
    for dtype in dtypes:
        agree(form, [values(dtype, (19, 23))])


def activation(name: str, extra: Callable[[Any], tuple[Any, ...]] = lambda a: ()) -> None:
    """Against the CPU's, computed in float64; where terms cancel, the error is that of numbers of about 1."""
    function = getattr(ap.nn, name)
    for dtype in ("float16", "float32"):
        plain = np.random.default_rng(3).normal(0, 3, (8, 300)).astype(dtype)
        with ap.Device("cpu"):
            expected = ap.to_numpy(function(ap.from_numpy(plain.astype(np.float64)), *extra(plain)))
        got = ap.to_numpy(function(ap.from_numpy(plain), *extra(plain)))
        ulps = 16.0 * float(np.finfo(dtype).eps) / float(np.finfo(np.float64).eps)
        compare(got.astype(np.float64), np.asarray(expected), ulps)


def counts() -> None:
    plain = np.random.default_rng(4).integers(0, 50, 10_000)
    agree(lambda xp, a: xp.bincount(a), [plain])
    agree(lambda xp, a: xp.histogram(a, 10), [plain.astype(np.float64)])


def many(scope: Scope) -> None:
    """Gathers and orders of more than a core's share."""
    size = 1 << (16 if scope.quick else 20)
    rng = np.random.default_rng(5)
    plain, at = rng.integers(-(2**31), 2**31, size).astype(np.int32), rng.integers(0, size, size)
    agree(lambda xp, a, i: a[i], [plain, at], "gather")
    agree(lambda xp, a: xp.sort(a), [plain], "sort")
    agree(lambda xp, a: a[a > 0], [plain], "mask")
    agree(lambda xp, a: xp.cumsum(a), [plain], "cumsum")


def wrong_index() -> None:
    """An index out of range is an exception, and the device goes on."""
    x = ap.from_numpy(values("float32", 10))
    try:
        x[ap.asarray(np.array([3, 10]))]
    except IndexError:
        compare(x + 1, values("float32", 10) + 1)
        return
    raise AssertionError("an index out of range gave no IndexError")


def cases(scope: Scope) -> list[Case]:
    """Functions by name, each with all dtypes."""
    dtypes = QUICK if scope.quick else DTYPES
    real = tuple(dtype for dtype in dtypes if np.dtype(dtype).kind != "c")
    return [
        *((name, partial(all_dtypes, form, dtypes)) for name, form in FORMS.items()),
        *((name, partial(all_dtypes, form, real)) for name, form in ORDERED.items()),
        *((name, partial(activation, name)) for name in ACTIVATIONS),
        *((name, partial(activation, name, lambda a: (a.shape[-1],))) for name in ("layer_norm", "rms_norm")),
        ("counts", counts), ("many elements", partial(many, scope)), ("an index out of range", wrong_index),
    ]
