"""Operations of dask.array, written for any chunks: each a function of a matrix, a line and a positive square."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

Operation = Callable[[Any, Any, Any], Any]

# Functions of one array, by name.
_UNARY = (
    "abs sign floor rint sin cos tanh exp expm1 square isfinite isnan logical_not negative conj real angle fix deg2rad "
    "degrees trunc ceil sinc"
).split()
# Functions of an array and an axis.
_REDUCED = (
    "sum prod mean std var min max any all argmin argmax nansum nanmean nanstd nanvar nanmin nanmax nanprod nanargmin "
    "cumsum cumprod nancumsum ptp"
).split()


def _whole(x: Any) -> Any:
    return da.absolute(da.rint(x)).astype(int)


def _counts_and_edges(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    counts, edges = da.histogramdd(*args, **kwargs)
    return counts, *edges


def _calling(module: Any, name: str, call: Callable[[Any, Any], Any]) -> Operation:
    function = getattr(module, name)
    return lambda m, v, s: call(function, m)


OPERATIONS: dict[str, Operation] = {}
for _name in _UNARY:
    OPERATIONS[_name] = _calling(da, _name, lambda f, m: f(m))
for _name in _REDUCED:
    OPERATIONS[f"{_name} along an axis"] = _calling(da, _name, lambda f, m: f(m, axis=0))
for _name in ("sum", "mean", "std", "max", "any", "argmax"):
    OPERATIONS[f"{_name} of all"] = _calling(da, _name, lambda f, m: f(m))
for _name in ("fft", "ifft", "rfft", "ihfft"):
    OPERATIONS[f"fft.{_name}"] = _calling(da.fft, _name, lambda f, m: f(m.rechunk({0: -1}), axis=0))
for _name in ("fft2", "ifft2", "rfft2", "fftn"):
    OPERATIONS[f"fft.{_name}"] = _calling(da.fft, _name, lambda f, m: f(m.rechunk(-1)))

for _name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
    OPERATIONS[f"{_name} by Blelloch"] = _calling(da, _name, lambda f, m: f(m, axis=0, method="blelloch"))

OPERATIONS |= {
    "a function of fft_wrap": lambda m, v, s: da.fft.fft_wrap(np.fft.rfft)(m.rechunk(-1)),
    "add": lambda m, v, s: m + 2 * m,
    "divide": lambda m, v, s: m / (m * m + 1),
    "power": lambda m, v, s: m**2,
    "matmul": lambda m, v, s: m.T @ m,
    "matmul of a line": lambda m, v, s: m.T @ v,
    "dot": lambda m, v, s: da.dot(m.T, m),
    "vdot": lambda m, v, s: da.vdot(v, v),
    "outer": lambda m, v, s: da.outer(v, v),
    "tensordot": lambda m, v, s: da.tensordot(m, m, axes=((0,), (0,))),
    "einsum": lambda m, v, s: da.einsum("ij,ik->jk", m, m),
    "maximum": lambda m, v, s: da.maximum(m, 0.5),
    "where": lambda m, v, s: da.where(m > 0, m, -m),
    "clip": lambda m, v, s: da.clip(m, -0.5, 0.5),
    "round": lambda m, v, s: da.round(m, 2),
    "isclose": lambda m, v, s: da.isclose(m, m + 1e-12),
    "allclose": lambda m, v, s: da.allclose(m, m),
    "isin": lambda m, v, s: da.isin(da.rint(v), [0, 1]),
    "astype": lambda m, v, s: m.astype("float32"),
    "view": lambda m, v, s: m.view("int64"),
    "transpose": lambda m, v, s: m.transpose(),
    "reshape": lambda m, v, s: m.reshape(3, 4, 8),
    "ravel": lambda m, v, s: m.ravel(),
    "slices": lambda m, v, s: m[2:9, ::2],
    "an element": lambda m, v, s: m[3, 4],
    "a list of rows": lambda m, v, s: m[[5, 1, 9]],
    "a mask": lambda m, v, s: v[v > 0],
    "an index of Dask's": lambda m, v, s: v[da.from_array(np.array([3, 0, 7]), chunks=2)],
    "newaxis": lambda m, v, s: v[:, None] * v[None],
    "take": lambda m, v, s: da.take(m, [4, 0], axis=1),
    "compress": lambda m, v, s: da.compress([True, False, True], m, axis=0),
    "concatenate": lambda m, v, s: da.concatenate([m, m], axis=1),
    "stack": lambda m, v, s: da.stack([m, -m]),
    "block": lambda m, v, s: da.block([[m, m], [m, m]]),
    "vstack": lambda m, v, s: da.vstack([m, m]),
    "hstack": lambda m, v, s: da.hstack([v, v]),
    "append": lambda m, v, s: da.append(v, v),
    "insert": lambda m, v, s: da.insert(m, 2, 5.0, axis=0),
    "delete": lambda m, v, s: da.delete(m, [1, 3], axis=0),
    "repeat": lambda m, v, s: da.repeat(m, 2, axis=0),
    "tile": lambda m, v, s: da.tile(m, 2),
    "roll": lambda m, v, s: da.roll(m, 3, axis=0),
    "flip": lambda m, v, s: da.flip(m, 0),
    "rot90": lambda m, v, s: da.rot90(m),
    "pad": lambda m, v, s: da.pad(m, 1, mode="constant"),
    "pad reflect": lambda m, v, s: da.pad(m, 2, mode="reflect"),
    "squeeze": lambda m, v, s: m[None].squeeze(),
    "moveaxis": lambda m, v, s: da.moveaxis(m[None], 0, -1),
    "broadcast_to": lambda m, v, s: da.broadcast_to(v, (3, 12)),
    "diag": lambda m, v, s: da.diag(v),
    "diagonal": lambda m, v, s: da.diagonal(s),
    "trace": lambda m, v, s: da.trace(s),
    "tril": lambda m, v, s: da.tril(s),
    "triu": lambda m, v, s: da.triu(s),
    "diff": lambda m, v, s: da.diff(m, axis=0),
    "gradient": lambda m, v, s: da.gradient(v),
    "gradient along axes": lambda m, v, s: da.gradient(m),
    "coarsen": lambda m, v, s: da.coarsen(np.mean, m, {0: 2, 1: 2}),
    "overlap": lambda m, v, s: m.map_overlap(lambda x: x + x.sum(), depth=1, boundary="reflect"),
    "map_blocks": lambda m, v, s: m.map_blocks(lambda x: x * 2),
    "reduction": lambda m, v, s: da.reduction(m, np.sum, np.sum, axis=0, dtype=float),
    "apply_along_axis": lambda m, v, s: da.apply_along_axis(lambda x: x.sum(), 0, m, dtype=float, shape=()),
    "apply_gufunc": lambda m, v, s: da.apply_gufunc(lambda x: x.mean(axis=-1), "(i)->()", m.rechunk({1: -1})),
    "apply_gufunc of elements": lambda m, v, s: da.apply_gufunc(
        lambda x: x.mean(), "(i)->()", m.rechunk({1: -1}), vectorize=True, output_dtypes=float),
    "as_gufunc of elements": lambda m, v, s: da.as_gufunc(
        signature="(),()->(),()", vectorize=True, output_dtypes=(float, float))(lambda x, y: (x + y, x * y))(m, m),
    "average": lambda m, v, s: da.average(v, weights=v * v),
    "median": lambda m, v, s: da.median(m, axis=0),
    "quantile": lambda m, v, s: da.percentile(v, [25, 50, 75]),
    "quantile along an axis": lambda m, v, s: da.quantile(m, [0.25, 0.5], axis=1),
    "nanquantile": lambda m, v, s: da.nanquantile(da.where(m > 1, np.nan, m), 0.4, axis=0),
    "nanpercentile": lambda m, v, s: da.nanpercentile(m, [40, 60], axis=1, keepdims=True),
    "nanmedian": lambda m, v, s: da.nanmedian(da.where(m > 1, np.nan, m), axis=0),
    "nanmedian of all": lambda m, v, s: da.nanmedian(m, axis=(0, 1)),
    "cov": lambda m, v, s: da.cov(m),
    "corrcoef": lambda m, v, s: da.corrcoef(m),
    "moment": lambda m, v, s: da.reductions.moment(m, 3, axis=0),
    "topk": lambda m, v, s: da.topk(v, 3),
    "argtopk": lambda m, v, s: da.argtopk(v, 3),
    "bincount": lambda m, v, s: da.bincount(_whole(v), minlength=6),
    "digitize": lambda m, v, s: da.digitize(v, np.array([-1.0, 0.0, 1.0])),
    "searchsorted": lambda m, v, s: da.searchsorted(da.cumsum(v * v, axis=0), v),
    "histogram": lambda m, v, s: da.histogram(v, bins=np.linspace(-3, 3, 7))[0],
    "histogram2d": lambda m, v, s: da.histogram2d(v, v * v, bins=[3, 4], range=[(-2, 2), (0, 3)]),
    "histogram2d between edges": lambda m, v, s: da.histogram2d(v, -v, bins=[np.linspace(-2, 2, 4)] * 2),
    "histogramdd": lambda m, v, s: _counts_and_edges(m[:, :3].rechunk({1: -1}), bins=(3, 4, 5), range=[(-2, 2)] * 3),
    "histogramdd of lines": lambda m, v, s: _counts_and_edges((v, v * v), bins=(3, 4), range=[(-2, 2)] * 2),
    "histogramdd by weights": lambda m, v, s: da.histogramdd(
        (v, -v), bins=(3, 4), range=[(-2, 2)] * 2, weights=v * v, density=True)[0],
    "tril_indices_from": lambda m, v, s: da.tril_indices_from(m, k=1),
    "triu_indices_from": lambda m, v, s: da.triu_indices_from(m),
    "ravel_multi_index": lambda m, v, s: da.ravel_multi_index([_whole(v), _whole(v) + 1], (12, 8)),
    "ravel_multi_index of rows": lambda m, v, s: da.ravel_multi_index(_whole(m[:2]), (12, 8)),
    "unravel_index": lambda m, v, s: da.unravel_index(_whole(v), (4, 3)),
    "union1d": lambda m, v, s: da.union1d(da.rint(v), da.rint(m)),
    "unique": lambda m, v, s: da.unique(da.rint(v)),
    "count_nonzero": lambda m, v, s: da.count_nonzero(m > 0, axis=0),
    "nonzero": lambda m, v, s: da.nonzero(m > 0),
    "argwhere": lambda m, v, s: da.argwhere(m > 0),
    "flatnonzero": lambda m, v, s: da.flatnonzero(v > 0),
    "notnull": lambda m, v, s: da.notnull(m),
    "isnull": lambda m, v, s: da.isnull(m),
    "nan_to_num": lambda m, v, s: da.nan_to_num(da.where(m > 1, np.nan, m)),
    "choose": lambda m, v, s: da.choose((m > 0).astype(int), [m, -m]),
    "ones_like": lambda m, v, s: da.ones_like(m),
    "full_like": lambda m, v, s: da.full_like(m, 7.5),
    "arange(like=)": lambda m, v, s: da.arange(11, chunks=4, like=v),
    "qr": lambda m, v, s: tuple(abs(one) for one in da.linalg.qr(m.rechunk({1: -1}))),
    "tsqr": lambda m, v, s: tuple(abs(one) for one in da.linalg.tsqr(m.rechunk({1: -1}))),
    "svd": lambda m, v, s: da.linalg.svd(m.rechunk({1: -1}))[1],
    "norm": lambda m, v, s: da.linalg.norm(m),
    "cholesky": lambda m, v, s: da.linalg.cholesky(s, lower=True),
    "solve": lambda m, v, s: da.linalg.solve(s, v),
    "solve_triangular": lambda m, v, s: da.linalg.solve_triangular(da.tril(s), v, lower=True),
    "inv": lambda m, v, s: da.linalg.inv(s),
    "lu": lambda m, v, s: da.linalg.lu(s),
    "lstsq": lambda m, v, s: da.linalg.lstsq(m.rechunk({0: 4, 1: -1})[:, :4].rechunk((4, 4)), v),
}
