"""Which results are scalars and which are 0-d arrays: as NumPy's, with Numbers and with `config.scalars = "numpy"`."""

import decimal
import fractions
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import asnumpy as ap

# Expressions of `np`, a vector `a`, a matrix `m`, an invertible one `r` and a 0-d array `z`.
EXPRESSIONS = """
np.einsum('i,i', a, a) ; np.einsum('ij,ij', m, m) ; np.einsum('i->', a) ; np.einsum('ii', m)
np.einsum('i,ij->', a, m) ; np.einsum('...i,...i', a, a) ; np.einsum('i,i', a, a, optimize=True)
np.einsum('i,ij,j', a, m, a) ; np.einsum('i,ij,j', a, m, a, optimize=True) ; np.einsum('ii,i', m, a)
np.einsum('', z) ; np.einsum(',', z, 2.0) ; np.einsum(',->', 3.0, 2.0) ; np.einsum('ij->', m)
np.einsum('i->', a, optimize=True) ; np.einsum('ij,jk,ki', m, m, m) ; np.einsum('i,i,i', a, a, a)
np.einsum('i,i,i', a, a, a, optimize=True) ; np.einsum('ii', m, optimize=True)
np.einsum('i,i', a.astype(int), a.astype(int)) ; np.einsum('i,i', a, a, dtype='c16') ; np.einsum('i,i', long, long)
np.einsum('i->', long) ; np.einsum('i,i', long, long, optimize=True) ; np.tensordot(a, a, 1) ; np.tensordot(m, m, 2)
np.tensordot(a[0], a[0], 0) ; np.linalg.tensordot(a, a, axes=1) ; np.linalg.vecdot(a, a) ; np.linalg.matmul(a, a)
np.linalg.multi_dot([a, a]) ; np.linalg.multi_dot([a, m, a]) ; np.inner(m[0], a) ; np.inner(3.0, 2.0)
np.inner([1, 2], [3.0, 4.0]) ; np.dot(3.0, 2.0) ; np.dot(z, z) ; np.vdot(3.0, 2.0) ; np.dot([1, 2], [3.0, 4.0])
np.vdot(a, a) ; np.matmul(a, a) ; np.vecdot(a, a) ; np.kron(2, 3) ; np.trace(m) ; np.where(True, 1.0, 2.0)
np.where(z > 1, z, 2.0) ; np.cross([1, 2, 3], [3, 4, 5])[0] ; np.vectorize(lambda x: x + 1)(3.0)
np.vectorize(lambda x: x + 1, otypes='d')(z) ; np.frompyfunc(lambda x: x, 1, 1)(3) ; np.linalg.norm(z)
np.linalg.norm(a) ; np.linalg.norm(m) ; np.linalg.norm(m, 2) ; np.linalg.norm(m, 'nuc') ; np.linalg.norm(m, 1)
np.linalg.norm(a, 0) ; np.linalg.norm(a, 1) ; np.linalg.norm(a, 3) ; np.linalg.norm(a, np.inf)
np.linalg.norm(a.astype('float16'), 2) ; np.linalg.vector_norm(a) ; np.linalg.vector_norm(3.0)
np.linalg.matrix_norm(m) ; np.linalg.cond(r) ; np.linalg.matrix_rank(m) ; np.linalg.slogdet(r) ; np.linalg.det(r)
np.linalg.trace(m) ; np.linalg.lstsq(r, a)[2] ; np.linalg.svdvals(m)[0] ; np.linalg.inv(r)[0, 0]
np.linalg.eigvalsh(m)[0] ; np.from_dlpack(z) ; np.interp(1.0, a, a) ; np.interp(z, a, a) ; np.trapezoid(a)
np.trapezoid(m, axis=0)[0] ; np.piecewise(1.0, [True], [2.0]) ; np.select([True], [1.0], 0)
np.select([z > 1], [z], 0) ; np.choose(0, [1, 2]) ; np.choose(np.array(0), [1, 2]) ; np.take(a, 0)
np.take(a, np.array(0)) ; a.take(0) ; a.take([0])[0] ; np.clip(1, 0, 2) ; np.clip(z, 0, 2) ; np.nan_to_num(3.0)
np.nan_to_num(z) ; np.real(3.0) ; np.imag(3.0) ; np.real(z) ; np.angle(1j) ; np.angle(z) ; np.unwrap(a)[0]
np.i0(1.0) ; np.i0(z) ; np.sinc(1.0) ; np.sinc(z) ; np.fix(1.2) ; np.fix(z) ; np.isclose(1.0, 1.0) ; np.isclose(z, z)
np.allclose(a, a) ; np.real_if_close(1.0) ; np.convolve(1.0, 2.0) ; np.correlate(a, a) ; np.polyval([1, 2], 3.0)
np.polyval(np.poly1d([1, 2]), z) ; np.poly1d([1, 2])(3.0) ; np.poly1d([1, 2])(z) ; np.digitize(1.0, a)
np.digitize(z, a) ; np.searchsorted(a, 1.0) ; np.searchsorted(a, z) ; np.bitwise_count(3) ; np.quantile(a, 0.5)
np.nanquantile(a, 0.5) ; np.median(a) ; np.nanmedian(a) ; np.percentile(a, 50) ; np.percentile(a, [50])
np.nanpercentile(a, 50) ; np.cov(a) ; np.corrcoef(a) ; np.squeeze(np.ones((1, 1))) ; np.squeeze(np.float64(3.0))
np.argmax(a) ; np.argmin(a) ; np.argmax(a, keepdims=True) ; np.argmax(z) ; np.nanargmax(a) ; a.argmax()
np.average(a) ; np.average(a, returned=True) ; np.average(a, weights=a) ; np.average(m, axis=0)[0]
np.average(a, weights=a, returned=True) ; np.average(m, weights=m) ; np.average(z) ; np.ptp(a) ; np.ptp(m, axis=0)[0]
np.apply_along_axis(np.sum, 0, a) ; np.apply_over_axes(np.sum, m, [0, 1]) ; np.copysign(1, 2) ; np.ldexp(1.0, 2)
np.frexp(1.0) ; np.modf(2.5) ; np.divmod(5, 3) ; np.divmod(z, 2) ; np.spacing(1.0) ; np.conj(3.0) ; np.conj(z)
np.ediff1d(1) ; np.full((), 3) ; np.resize(3, ()) ; np.reshape(3, ()) ; np.asarray(3) ; np.array(3.0) ; np.zeros(())
np.empty_like(z) ; np.ones_like(z) ; np.copy(z) ; z.copy() ; z.astype(int) ; np.ravel_multi_index((1, 1), (3, 3))
np.unravel_index(3, (3, 3)) ; np.count_nonzero(a) ; np.count_nonzero(m, axis=0)[0] ; np.any(a) ; np.all(z)
np.iscomplexobj(a) ; np.isin(3, [3]) ; np.max(a, axis=()) ; np.sum(3.0) ; np.sum(z) ; np.sum(z, axis=())
np.add.reduce(z, axis=None) ; np.mean(3.0) ; np.mean(z) ; z.sum() ; z.max() ; z.mean() ; z.std() ; np.std(3.0)
np.var(z) ; np.prod(z) ; np.cumsum(3.0) ; np.diff(a)[0] ; a.sum() ; a.mean() ; a.std() ; a.max() ; a.prod() ; a.all()
a.any() ; m.trace() ; a.dot(a) ; a @ a ; a.sum(keepdims=True) ; a.sum(axis=0) ; m.sum(axis=(0, 1))
a.astype('float16').sum() ; a.astype('float16').mean() ; a.sum(dtype='float32') ; a.sum(where=a > 1)
a.max(initial=5) ; np.add.reduce(a) ; np.add.reduce(a, initial=1.0) ; np.multiply.reduce(a, where=a > 1)
np.add.reduce(a, initial=1, dtype=int) ; np.hypot.reduce(a) ; np.logical_xor.reduce(a) ; np.add.accumulate(a)[0]
np.maximum.reduce(a, initial=9) ; np.add.outer(1, 2) ; np.add.outer(z, z) ; np.multiply.outer(a, 2)[0]
np.add.reduceat(a, [0])[0] ; np.fmod(3.0, 2.0) ; np.round(3.2) ; np.around(z) ; z.round() ; np.round(z, 1)
np.roll(3, 1) ; np.rot90(m)[0, 0] ; np.tile(3, 1) ; np.broadcast_to(3, ()) ; np.broadcast_arrays(3, 2)
np.atleast_1d(3) ; np.expand_dims(3, 0) ; np.moveaxis(3, (), ()) ; np.flip(z) ; np.flip(3) ; np.trim_zeros(a)
np.unique(3) ; np.array_equal(a, a) ; np.isposinf(1.0) ; np.isneginf(z) ; np.partition(a, 1)[0] ; np.nanstd(a)
np.nanvar(a) ; np.nanprod(a) ; np.nanmax(a) ; np.nansum(a) ; np.nanmean(a) ; np.nancumsum(3.0)
np.linspace(0, 10, 5, retstep=True) ; np.linspace(z, 5, 3, retstep=True) ; np.astype(z, float)
np.heaviside(1.0, 1.0) ; np.gcd(2, 4) ; np.float_power(2, 3) ; np.transpose(z) ; z.T ; z.real ; z.imag
np.permute_dims(z) ; np.matvec(m, a)[0] ; np.extract(a > 0, a)[0] ; np.take_along_axis(a, np.array([0]), 0)
np.unstack(a)[0] ; np.cumulative_sum(a)[0] ; np.ndim(3) ; np.size(3) ; np.shares_memory(a, a) ; np.emath.sqrt(-1.0)
np.emath.log(-z) ; np.sin(z) ; np.sin(1.0) ; z + 1 ; 1 + z ; z > 1 ; -z ; abs(z) ; z ** 2 ; z ** 0.5 ; z // 2
divmod(z, 2) ; ~(z > 1) ; z == z ; np.add(z, 1, out=np.array(0.0)) ; np.add(1, 2) ; z[()] ; z[...] ; z[None] ; a[0]
a[0, ...] ; m[0, 1] ; m[0][1] ; a[-1] ; a[np.array(0)] ; a[np.int64(1)] ; a[(0,)] ; list(a)[0] ; [x for x in m[0]][1]
a.flat[1] ; next(a.flat) ; a.flat[[0]] ; list(m.flat)[2] ; a.item(0) ; a.tolist()[0] ; z.item() ; z.tolist() ; max(a)
min(a) ; sum(a) ; [value for _, value in np.ndenumerate(m)][3] ; np.fft.fft(a)[0] ; np.histogram(a)[0][0]
np.bincount([1, 2])[0] ; np.gradient(a)[0] ; np.polyfit(a, a, 1)[0] ; np.roots([1, 2])[0] ; np.maximum(z, z)
np.isnan(z) ; np.signbit(1.0) ; np.matrix_transpose(m)[0, 0] ; np.diag(m)[0] ; np.triu(m)[0, 0]
np.random.default_rng(1).random() ; np.random.default_rng(1).normal() ; np.random.default_rng(1).integers(3)
np.random.default_rng(1).integers(3, dtype='int8') ; np.random.default_rng(1).choice(a)
np.random.default_rng(1).choice(3) ; np.random.default_rng(1).normal(z) ; np.random.default_rng(1).poisson(3.0)
np.random.default_rng(1).standard_normal() ; np.random.default_rng(1).binomial(3, 0.5)
np.random.default_rng(1).uniform(size=()) ; np.random.default_rng(1).exponential(z) ; np.random.rand()
np.random.randn() ; np.random.randint(3) ; np.random.normal() ; np.random.random() ; np.random.choice(a)
np.random.uniform(0, z) ; np.random.poisson(2) ; np.random.permutation(a)[0] ; np.random.beta(1, 2)
np.random.random(()) ; np.polynomial.Polynomial([1, 2])(3.0) ; np.polynomial.polynomial.polyval(3.0, [1, 2])
np.polynomial.chebyshev.chebval(z, [1, 2]) ; np.min_scalar_type(3) ; np.result_type(a) ; np.finfo(float).eps
np.iinfo(int).max ; np.float64(3) ; np.int8(3) ; np.bool(1)
"""
CASES = [one.strip() for line in EXPRESSIONS.strip().splitlines() for one in line.split(" ; ")]


def names(module, turn):
    return {
        "np": module, "a": turn(np.array([1.0, 2.0, 4.0])), "z": turn(np.array(2.5)), "long": turn(np.arange(3e5)),
        "m": turn(np.arange(9.0).reshape(3, 3)), "r": turn(np.array([[2.0, 0, 1], [0, 3, 0], [1, 0, 4]])),
    }


def result(text, module, turn=lambda a: a):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, names(module, turn))


def kind(value, scalar, array):
    """What it is, and of what elements; NumPy's class and ours have one name."""
    if isinstance(value, (tuple, list)):
        return [kind(one, scalar, array) for one in value]
    if isinstance(value, scalar):
        return "scalar", value.dtype, ()
    return ("array", value.dtype, value.shape) if isinstance(value, array) else type(value).__name__


@pytest.mark.parametrize("text", CASES)
def test_scalars_and_arrays_are_where_numpy_has_them(text):
    expected = result(text, np)
    got = result(text, ap, ap.asarray)
    # what NumPy's own classes make, finfo among them, is NumPy's
    assert kind(got, (ap.Number, np.generic), ap.ndarray) == kind(expected, np.generic, np.ndarray)


@pytest.mark.parametrize("text", CASES)
def test_numpy_scalars_everywhere(text):
    expected = result(text, np)
    with ap.config.using(scalars="numpy"):
        got = result(text, ap, ap.asarray)
    assert kind(got, np.generic, ap.ndarray) == kind(expected, np.generic, np.ndarray)
    for one, other in zip(*(value if isinstance(value, (tuple, list)) else [value] for value in (got, expected)),
                          strict=True):
        assert isinstance(other, np.ndarray) or type(one).__name__ == type(other).__name__


def test_what_tests_for_classes_takes_numpy_scalars():
    x = ap.asarray([1.0, 2.0, 4.5])
    with ap.config.using(scalars="numpy"):
        assert isinstance(x.mean(), np.floating) and isinstance(x[0], float) and isinstance(x.argmax(), np.integer)
        assert json.dumps([x.sum(), x[0]]) == "[7.5, 1.0]" and decimal.Decimal(x[2]) == decimal.Decimal("4.5")
        assert fractions.Fraction(x[2]) == fractions.Fraction(9, 2)
        frame = pd.DataFrame([{"mean": x.mean(), "most": x.max()}, {"mean": x[0], "most": x[1]}])
        assert list(frame.dtypes) == [np.float64, np.float64] and frame["mean"][0] == 2.5
        table = pd.DataFrame({"key": [1, 1, 2], "value": [1.0, 2.0, 4.5]})
        assert table.groupby("key").agg(ap.mean)["value"].tolist() == [1.5, 4.5]


def test_a_programs_own_functions_get_numpy_scalars():
    seen = []

    def note(value):
        seen.append(type(value))
        return value.item()

    with ap.config.using(scalars="numpy"):
        ap.apply_along_axis(lambda row: note(row.sum()), 0, ap.ones((2, 3)))
        ap.fromfunction(lambda i: note(i.max()) + i, (3,))
    assert set(seen) == {np.float64}


def test_numbers_that_are_there_go_on():
    number = ap.asarray([1.0, 2.0]).sum()
    with ap.config.using(scalars="numpy"):
        assert type(number + 1) is np.float64 and type(ap.sin(number)) is np.float64 and type(-number) is np.float64
        assert type(number > 1) is np.bool
        assert isinstance(ap.Number(3.0), ap.Number)
    assert isinstance(number + 1, ap.Number)


def test_the_environment_decides():
    code = "import asnumpy as ap, numpy as np; x = ap.ones(3); print(type(x.sum()) is type(x[0]) is np.float64)"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "ASNUMPY_SCALARS": "numpy"},
                          capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]
