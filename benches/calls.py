"""A sample call of every function that computes on arrays, as an expression over `np` and the inputs of `inputs`."""

from __future__ import annotations

from typing import Any

import numpy as np


def inputs(size: int, seed: int = 0) -> dict[str, Any]:
    """The operands that the expressions name; `size` elements each unless said."""
    rng = np.random.default_rng(seed)
    side = int(size**0.5)
    square = rng.standard_normal((side, side))
    small = rng.standard_normal((max(size // 1024, 1), 32, 32))
    x = rng.standard_normal(size)
    missing = x.copy()
    missing[::17] = np.nan
    return {
        "x": x, "y": rng.standard_normal(size), "p": rng.random(size) * 0.9 + 0.05, "q": rng.random(size) + 1.5,
        "i": rng.integers(1, 1000, size), "j": rng.integers(1, 60, size), "b": rng.random(size) < 0.5,
        "c": rng.random(size) < 0.5, "z": x + 1j * rng.standard_normal(size), "f": x.astype(np.float32),
        "s": np.sort(x), "miss": missing, "u8": rng.integers(0, 256, size, dtype=np.uint8),
        "bits": rng.integers(0, 2, size, dtype=np.uint8), "at": rng.integers(0, size, size // 4),
        "m2": square, "w2": rng.standard_normal((side, side)), "z2": square + 1j,
        "t3": rng.standard_normal((size // 3, 3)),
        "order": np.argsort(square, axis=1), "bins": np.linspace(-3, 3, 100), "kernel": rng.standard_normal(64),
        "stack": small, "definite": small @ small.transpose(0, 2, 1) + 32 * np.eye(32), "rhs": small[:, :, :4].copy(),
        "few": rng.integers(0, 100, size), "v": rng.standard_normal(side), "cube": x[: side * (side // 8) * 8].reshape(
            8, side // 8, side),
    }


def each(names: str, pattern: str) -> dict[str, str]:
    return {name: pattern.format(name) for name in names.split()}


ELEMENTWISE = {
    **each("abs absolute arctan arcsinh atan asinh "
            "cbrt ceil conj conjugate cos degrees deg2rad exp exp2 expm1 fabs fix "
            "floor isfinite isinf isnan isneginf isposinf negative positive rad2deg radians rint round around "
            "sign signbit sin sinc sinh spacing sqrt square tan tanh trunc real imag angle i0 iscomplex isreal "
            "nan_to_num real_if_close reciprocal logical_not frexp modf", "np.{}(x)"),
    **each("acos arccos asin arcsin atanh arctanh log log10 log1p log2", "np.{}(p)"),
    **each("acosh arccosh", "np.{}(q)"),
    **each("add subtract multiply divide true_divide maximum minimum fmax fmin arctan2 atan2 copysign hypot logaddexp "
            "logaddexp2 nextafter equal not_equal less less_equal greater greater_equal heaviside floor_divide "
            "remainder mod fmod divmod logical_and logical_or logical_xor isclose", "np.{}(x, y)"),
    **each("power pow float_power", "np.{}(q, x)"),
    **each("bitwise_and bitwise_or bitwise_xor gcd lcm", "np.{}(i, j)"),
    **each("bitwise_left_shift left_shift bitwise_right_shift right_shift", "np.{}(i, j)"),
    **each("bitwise_not invert bitwise_invert bitwise_count", "np.{}(i)"),
    "ldexp": "np.ldexp(x, j)", "clip": "np.clip(x, -1, 1)", "where": "np.where(b, x, y)",
    "select": "np.select([b, c], [x, y], 0.0)", "choose": "np.choose(bits, [x, y])",
    "piecewise": "np.piecewise(x, [b], [1.0, -1.0])", "unwrap": "np.unwrap(x)",
    "polyval": "np.polyval([1., 2., 3.], x)",
    "packbits": "np.packbits(b)", "unpackbits": "np.unpackbits(u8)", "isin": "np.isin(few, few[:50])",
    "interp": "np.interp(x, bins, bins)", "digitize": "np.digitize(x, bins)", "searchsorted": "np.searchsorted(s, x)",
}

REDUCTIONS = {
    **each("sum prod mean std var max min amax amin ptp argmax argmin median average "
            "count_nonzero all any cumsum cumprod "
            "cumulative_sum cumulative_prod trapezoid", "np.{}(x)"),
    **each("nansum nanprod nanmean nanstd nanvar nanmax nanmin nanargmax nanargmin nanmedian nancumsum nancumprod",
            "np.{}(miss)"),
    "percentile": "np.percentile(x, [10, 90])", "quantile": "np.quantile(x, 0.3)",
    "nanpercentile": "np.nanpercentile(miss, [10, 90])", "nanquantile": "np.nanquantile(miss, 0.3)",
    "trace": "np.trace(m2)", "allclose": "np.allclose(x, x)", "array_equal": "np.array_equal(x, x)",
    "array_equiv": "np.array_equiv(x, x)", "bincount": "np.bincount(i)", "histogram": "np.histogram(x, 50)",
    "histogram2d": "np.histogram2d(x, y, 20)", "histogramdd": "np.histogramdd(t3, 5)",
    "histogram_bin_edges": "np.histogram_bin_edges(x, 50)", "cov": "np.cov(t3.T)", "corrcoef": "np.corrcoef(t3.T)",
    "diff": "np.diff(x)", "ediff1d": "np.ediff1d(x)", "gradient": "np.gradient(x)",
    "convolve": "np.convolve(x, kernel)", "correlate": "np.correlate(x, kernel)", "cross": "np.cross(t3, t3)",
}

PRODUCTS = {
    **each("dot vdot inner vecdot", "np.{}(x, y)"),
    "matmul": "np.matmul(m2, w2)", "outer": "np.outer(v, v)", "kron": "np.kron(v, v)", "matvec": "np.matvec(m2, v)",
    "vecmat": "np.vecmat(v, m2)", "tensordot": "np.tensordot(m2, w2, 1)", "einsum": "np.einsum('ij,jk->ik', m2, w2)",
    "vander": "np.vander(x, 4)", "polyfit": "np.polyfit(x, y, 2)",
}

MOVEMENT = {
    **each("sort argsort flip ravel copy asfortranarray sort_complex atleast_1d atleast_2d atleast_3d "
            "asarray_chkfinite "
            "argwhere nonzero flatnonzero expand_dims squeeze", "np.{}(x)"),
    **each("fliplr flipud rot90 transpose matrix_transpose diagonal diag tril triu", "np.{}(m2)"),
    "asfortranarray": "np.asfortranarray(m2)", "expand_dims": "np.expand_dims(x, 0)", "nonzero": "np.nonzero(b)",
    "argwhere": "np.argwhere(b)", "flatnonzero": "np.flatnonzero(b)", "lexsort": "np.lexsort((few, i))",
    "partition": "np.partition(x, x.size // 1000)", "argpartition": "np.argpartition(x, x.size // 1000)",
    "array": "np.array(x)",
    "append": "np.append(x, y)", "concatenate": "np.concatenate([x, y])", "concat": "np.concat([x, y])",
    "stack": "np.stack([x, y])", "hstack": "np.hstack([x, y])", "vstack": "np.vstack([x, y])",
    "dstack": "np.dstack([x, y])", "column_stack": "np.column_stack([x, y])", "block": "np.block([[m2, w2], [w2, m2]])",
    "tile": "np.tile(x, 2)", "repeat": "np.repeat(x, 2)", "roll": "np.roll(x, 5)", "pad": "np.pad(m2, 3)",
    "resize": "np.resize(x, (2, 3 * x.size // 10))", "delete": "np.delete(x, at)", "insert": "np.insert(x, 5, 1.0)",
    "split": "np.split(x[:1000], 10)", "array_split": "np.array_split(x, 10)", "take": "np.take(x, at)",
    "take_along_axis": "np.take_along_axis(m2, order, 1)", "compress": "np.compress(b, x)",
    "extract": "np.extract(b, x)",
    "unique": "np.unique(few)", "unique_all": "np.unique_all(few)",
    "unique_counts": "np.unique_counts(few)", "unique_inverse": "np.unique_inverse(few)",
    "unique_values": "np.unique_values(few)", "union1d": "np.union1d(few, i)", "intersect1d": "np.intersect1d(few, i)",
    "setdiff1d": "np.setdiff1d(i, few)", "setxor1d": "np.setxor1d(few, i)", "trim_zeros": "np.trim_zeros(x)",
    "ravel_multi_index": "np.ravel_multi_index((few, few), (100, 100))",
    "unravel_index": "np.unravel_index(i, (40, 40))",
    "broadcast_to": "np.broadcast_to(x, (2, x.size)) + 1", "moveaxis": "np.moveaxis(cube, 0, 2) + 1",
    "swapaxes": "np.swapaxes(cube, 0, 2) + 1", "rollaxis": "np.rollaxis(cube, 2) + 1",
    "permute_dims": "np.permute_dims(cube, (2, 0, 1)) + 1", "reshape": "np.reshape(m2, -1) + 1",
    "apply_over_axes": "np.apply_over_axes(np.sum, cube, (0, 2))", "unstack": "np.unstack(cube)[0] + 1",
    "apply_along_axis": "np.apply_along_axis(np.sum, 1, m2[:50])", "diagflat": "np.diagflat(v)",
    "astype": "np.astype(x, np.float32)", "ascontiguousarray": "np.ascontiguousarray(m2.T)",
}

CREATION = {
    "arange": "np.arange(x.size)", "linspace": "np.linspace(0, 1, x.size)", "zeros": "np.zeros(x.size) + 1",
    "ones": "np.ones(x.size)", "full": "np.full(x.size, 2.0)", "eye": "np.eye(v.size)",
    "identity": "np.identity(v.size)",
    "geomspace": "np.geomspace(1, 2, x.size)", "logspace": "np.logspace(0, 1, x.size)", "tri": "np.tri(v.size)",
    "zeros_like": "np.zeros_like(x)", "ones_like": "np.ones_like(x)", "full_like": "np.full_like(x, 2.0)",
    "meshgrid": "np.meshgrid(v, v)", "indices": "np.indices((v.size, v.size))", "bartlett": "np.bartlett(x.size)",
    "fromfunction": "np.fromfunction(lambda a, b: a + b, (v.size, v.size))", "hamming": "np.hamming(x.size)",
    "hanning": "np.hanning(x.size)", "blackman": "np.blackman(x.size)", "kaiser": "np.kaiser(x.size, 5.0)",
    "tril_indices": "np.tril_indices(v.size)", "triu_indices": "np.triu_indices(v.size)",
    "ix_": "np.ix_(i[:v.size], i[:v.size])",
    "mask_indices": "np.mask_indices(v.size, np.triu)", "diag_indices": "np.diag_indices(v.size)",
    "broadcast_arrays": "np.broadcast_arrays(x, m2[:1, :1])[1] + 1",
}

METHODS = {f"ndarray.{call.split('(')[0]}": f"x.{call}" for call in (
    "sum()", "mean()", "std()", "var()", "max()", "min()", "argmax()", "argmin()", "cumsum()", "cumprod()", "prod()",
    "all()", "any()", "clip(-1, 1)", "copy()", "astype(np.float32)", "conj()", "flatten()", "ravel()", "round(2)",
    "argsort()", "nonzero()", "take(at)", "repeat(2)", "searchsorted(y[:1000])", "dot(y)", "compress(b)", "tobytes()",
    "tolist()", "byteswap()", "reshape(2, -1)",
)}
METHODS |= {"ndarray[index]": "x[at]", "ndarray[mask]": "x[b]",
            "ndarray[i, j]": "m2[at[:v.size] % v.size, few[:v.size] % v.size]",
            "ndarray[slice]": "x[::2] + 1"}

# What is written into is the result: it is computed within the clock, and compared.
IN_PLACE = {name: f"(t := {source}.copy(), {call})[0]" for name, source, call in (
    ("put", "x", "np.put(t, at, 1.0)"), ("putmask", "x", "np.putmask(t, b, y)"), ("copyto", "x", "np.copyto(t, y)"),
    ("place", "x", "np.place(t, b, [1.0])"), ("put_along_axis", "m2", "np.put_along_axis(t, order, 1.0, 1)"),
    ("fill_diagonal", "m2", "np.fill_diagonal(t, 0.0)"), ("ndarray.sort", "x", "t.sort()"),
    ("ndarray.fill", "x", "t.fill(1.0)"),
)}

LINALG = {f"linalg.{name}": expression for name, expression in {
    **each("det inv eigvalsh eigh slogdet", "np.linalg.{}(definite)"),
    **each("eig eigvals svd svdvals qr pinv cond matrix_rank", "np.linalg.{}(stack[:100])"),
    "cholesky": "np.linalg.cholesky(definite)", "solve": "np.linalg.solve(definite, rhs)",
    "lstsq": "np.linalg.lstsq(t3, x[:t3.shape[0]], rcond=None)", "matrix_power": "np.linalg.matrix_power(stack, 3)",
    "multi_dot": "np.linalg.multi_dot([m2, w2, m2])", "norm": "np.linalg.norm(x)",
    "matrix_norm": "np.linalg.matrix_norm(stack)",
    "vector_norm": "np.linalg.vector_norm(x)", "cross": "np.linalg.cross(t3, t3)",
    "diagonal": "np.linalg.diagonal(stack) + 1",
    "outer": "np.linalg.outer(v, v)", "trace": "np.linalg.trace(stack)", "vecdot": "np.linalg.vecdot(m2, w2)",
    "matmul": "np.linalg.matmul(m2, w2)", "tensordot": "np.linalg.tensordot(m2, w2, axes=1)",
}.items()}

FFT = {f"fft.{name}": expression for name, expression in {
    **each("fft ifft", "np.fft.{}(z)"), **each("rfft ihfft fftshift ifftshift", "np.fft.{}(x)"),
    **each("irfft hfft", "np.fft.{}(z)"), **each("fft2 ifft2 fftn ifftn irfft2 irfftn", "np.fft.{}(z2)"),
    **each("rfft2 rfftn", "np.fft.{}(m2)"), "fftfreq": "np.fft.fftfreq(x.size)",
    "rfftfreq": "np.fft.rfftfreq(x.size)",
}.items()}

CALLS: dict[str, str] = {
    **ELEMENTWISE, **REDUCTIONS, **PRODUCTS, **MOVEMENT, **CREATION, **METHODS, **IN_PLACE, **LINALG, **FFT,
}
