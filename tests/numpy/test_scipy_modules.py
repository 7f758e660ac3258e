"""asnumpy.scipy's other modules beside SciPy's: fft, linalg, stats, spatial.distance."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.spatial.distance
import scipy.stats

import asnumpy as ap


def near(got: Any, wanted: Any, rtol: float = 1e-12) -> None:
    assert got.shape == np.shape(wanted) and got.dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=rtol, atol=rtol)


TRANSFORMS = "fft ifft rfft irfft hfft ihfft fft2 rfft2 fftn ifftn rfftn irfftn".split()


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int64])
def test_transforms(name: str, dtype: Any) -> None:
    values = np.random.default_rng(1).normal(0, 5, (6, 8)).astype(dtype)
    own, theirs = getattr(ap.scipy.fft, name), getattr(scipy.fft, name)
    if dtype == np.complex128 and name in ("rfft", "ihfft", "rfft2", "rfftn"):
        with pytest.raises(TypeError):
            own(ap.array(values))
        return
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    near(own(ap.array(values)), theirs(values), tolerance)
    near(own(ap.array(values), norm="ortho"), theirs(values, norm="ortho"), tolerance)
    near(own(ap.array(values), workers=2), theirs(values, workers=2), tolerance)


def test_the_rest_of_fft() -> None:
    values = np.arange(12.0)
    near(ap.scipy.fft.dct(ap.array(values)), scipy.fft.dct(values))
    near(ap.scipy.fft.fftshift(ap.array(values)), scipy.fft.fftshift(values))
    assert ap.scipy.fft.next_fast_len(1021) == scipy.fft.next_fast_len(1021)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_matrices(dtype: Any) -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.normal(size=(5, 5)) + 5 * np.eye(5)).astype(dtype), rng.normal(size=(5, 2)).astype(dtype)
    own, theirs, tolerance = ap.scipy.linalg, scipy.linalg, 1e-4 if dtype == np.float32 else 1e-11
    for name in ("inv", "svdvals", "expm"):
        near(getattr(own, name)(ap.array(a)), getattr(theirs, name)(a), tolerance)
    for name in ("det", "norm"):
        assert float(getattr(own, name)(ap.array(a))) == pytest.approx(float(getattr(theirs, name)(a)), rel=tolerance)
    near(own.solve(ap.array(a), ap.array(b)), theirs.solve(a, b), tolerance)
    near(own.solve(ap.array(a), ap.array(b[:, 0])), theirs.solve(a, b[:, 0]), tolerance)
    for got, wanted in zip(own.lu(ap.array(a)), theirs.lu(a), strict=True):
        near(got, wanted, tolerance)
    near(own.toeplitz(ap.array(a[0])), theirs.toeplitz(a[0]))


def test_matrices_that_cannot_be() -> None:
    for function in (ap.scipy.linalg.inv, ap.scipy.linalg.det):
        with pytest.raises(ValueError):
            function(ap.array([[1.0, np.nan], [0.0, 1.0]]))
        with pytest.raises(ValueError):
            function(ap.ones((2, 3)))
    with pytest.raises(ap.scipy.linalg.LinAlgError):
        ap.scipy.linalg.inv(ap.zeros((2, 2)))


METHODS = ("pdf", "logpdf", "cdf", "sf", "ppf", "isf", "logcdf", "logsf")
PLACES = np.array([-np.inf, -30.0, -1.5, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 40.0, np.inf, np.nan])
PROBABILITIES = np.array([-0.5, 0.0, 1e-12, 0.1, 0.5, 0.7, 1 - 1e-12, 1.0, 1.5, np.nan])


@pytest.mark.parametrize("name", ["norm", "uniform", "expon", "logistic", "laplace", "cauchy", "gumbel_r"])
@pytest.mark.parametrize("method", METHODS)
def test_distributions(name: str, method: str) -> None:
    own, theirs = getattr(ap.scipy.stats, name), getattr(scipy.stats, name)
    x = PROBABILITIES if method in ("ppf", "isf") else PLACES
    for loc, scale in ((0, 1), (0.5, 2.0), (0, -1.0), (np.array([[0.0], [1.0]]), np.array([[2.0], [-2.0]]))):
        ours = [ap.array(one) if isinstance(one, np.ndarray) else one for one in (loc, scale)]
        with np.errstate(all="ignore"):
            wanted = getattr(theirs, method)(x, loc, scale)
            got = getattr(own, method)(ap.array(x), *ours)
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=1e-12, atol=1e-300)


def test_distributions_with_their_parameters() -> None:
    x = np.linspace(-2, 2, 9)
    own, theirs = ap.scipy.stats.norm(loc=0.5, scale=2), scipy.stats.norm(loc=0.5, scale=2)
    near(own.cdf(ap.array(x)), theirs.cdf(x))
    near(own.logcdf(ap.array(x)), theirs.logcdf(x))
    assert float(own.mean()) == theirs.mean()
    near(ap.scipy.stats.gamma(2.5).pdf(ap.array(x)), scipy.stats.gamma(2.5).pdf(x))
    near(own.rvs(size=4, random_state=1), theirs.rvs(size=4, random_state=1))
    assert ap.scipy.stats.norm.pdf(ap.array(x.astype(np.float32))).dtype == np.float64
    again = pickle.loads(pickle.dumps(own))
    near(again.cdf(ap.array(x)), theirs.cdf(x))
    assert pickle.loads(pickle.dumps(ap.scipy.stats.norm)) is ap.scipy.stats.norm
    assert pickle.loads(pickle.dumps(ap.scipy.special.gammaln)) is ap.scipy.special.gammaln


SAMPLES = {
    "zscore": ({}, {"ddof": 1}, {"axis": 1}, {"axis": None}), "sem": ({}, {"axis": 1, "ddof": 0}),
    "gmean": ({}, {"axis": 1}), "hmean": ({}, {"axis": None}),
    "moment": ({"order": 2}, {"order": 3, "axis": 1}, {"order": 4}, {}),
    "skew": ({}, {"axis": 1, "bias": False}),
    "kurtosis": ({}, {"axis": 1, "bias": False}, {"fisher": False, "axis": None}),
    "iqr": ({},), "entropy": ({}, {"axis": 1, "base": 2}, {"axis": None}),
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_samples(name: str, dtype: Any) -> None:
    values = np.random.default_rng(8).gamma(3, 4, (50, 6)).astype(dtype) + dtype(1)
    for options in SAMPLES[name]:
        got = getattr(ap.scipy.stats, name)(ap.array(values), **options)
        wanted = getattr(scipy.stats, name)(values, **options)
        assert got.shape == np.shape(wanted) and got.dtype == np.asarray(wanted).dtype
        # differences from a mean cancel: SciPy's own float32 is off by 3e-5 here, and a device adds in another order
        np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=1e-3 if dtype == np.float32 else 1e-10)


@pytest.mark.parametrize("name", ["zscore", "skew", "kurtosis", "gmean", "hmean", "entropy"])
def test_samples_that_say_nothing(name: str) -> None:
    values = np.array([[1.0, np.nan, 3.0, 0.0], [1.0, 2.0, -3.0, 1.0], [1.0, 2.0, np.inf, 2.0]])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = getattr(scipy.stats, name)(values)
        omitted = getattr(scipy.stats, name)(values, nan_policy="omit")
        got = getattr(ap.scipy.stats, name)(ap.array(values))
        np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=1e-12)
        got = getattr(ap.scipy.stats, name)(ap.array(values), nan_policy="omit")
        np.testing.assert_allclose(ap.to_numpy(got), omitted, rtol=1e-12)


def test_results_with_names() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(2, 30))
    for name in ("pearsonr", "spearmanr", "ttest_ind", "describe", "linregress"):
        arguments = (x,) if name == "describe" else (x, y)
        got = getattr(ap.scipy.stats, name)(*map(ap.array, arguments))
        wanted = getattr(scipy.stats, name)(*arguments)
        assert type(got) is type(wanted) and got._fields == wanted._fields
        for field in wanted._fields:
            one = getattr(wanted, field)
            if np.ndim(one) == 0 and not isinstance(one, tuple):
                assert float(getattr(got, field)) == pytest.approx(float(one), rel=1e-12)
    table = ap.scipy.stats.mode(ap.array([[1, 2, 2], [1, 2, 3]]))
    assert isinstance(table.mode, ap.ndarray)


@pytest.mark.host_memory
def test_methods_of_results() -> None:
    x, y = np.random.default_rng(6).normal(size=(2, 30))
    interval = ap.scipy.stats.pearsonr(ap.array(x), ap.array(y)).confidence_interval()
    assert float(interval.low) == pytest.approx(scipy.stats.pearsonr(x, y).confidence_interval().low)


METRICS = "euclidean sqeuclidean cityblock chebyshev canberra braycurtis hamming cosine correlation".split()


@pytest.mark.parametrize(
    ("metric", "columns"),
    [(metric, columns) for metric in METRICS for columns in (1, 3, 20) if (metric, columns) != ("correlation", 1)],
)
def test_distances(metric: str, columns: int) -> None:
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=(12, columns)), rng.normal(size=(7, columns))
    b[:3] = a[:3]
    own, theirs = ap.scipy.spatial.distance, scipy.spatial.distance
    near(own.cdist(ap.array(a), ap.array(b), metric), theirs.cdist(a, b, metric))
    near(own.pdist(ap.array(a), metric), theirs.pdist(a, metric))
    single = a.astype(np.float32)
    near(own.cdist(ap.array(single), ap.array(b), metric), theirs.cdist(single, b, metric))


def test_distances_of_other_forms() -> None:
    a = np.random.default_rng(3).normal(size=(5, 3))
    own, theirs = ap.scipy.spatial.distance, scipy.spatial.distance
    near(own.squareform(own.pdist(ap.array(a))), theirs.squareform(theirs.pdist(a)))
    near(own.cdist(ap.array(a), ap.array(a), "minkowski", p=3), theirs.cdist(a, a, "minkowski", p=3))
    near(own.cdist(ap.array(a), ap.array(a), "cb"), theirs.cdist(a, a, "cb"))
    assert float(own.euclidean(ap.array(a[0]), ap.array(a[1]))) == pytest.approx(theirs.euclidean(a[0], a[1]))
    with pytest.raises(ValueError):
        own.cdist(ap.ones((2, 3)), ap.ones((2, 4)))
    with pytest.raises(ValueError):
        own.cdist(ap.ones((2, 3)), ap.ones((2, 3)), "no such metric")
    near(own.cdist(ap.array([[0, 1]]), ap.array([[1, 1]])), theirs.cdist([[0, 1]], [[1, 1]]))
