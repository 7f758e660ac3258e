"""Calls of SciPy and scikit-learn on arrays of any array API library; as a program, runs them on NumPy's and ours.

SciPy reads SCIPY_ARRAY_API when it is imported, so that the tests run this in a process of its own. It prints one JSON
object: for each call an empty string, or what was wrong.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

Call = tuple[Callable[..., Any], tuple[np.ndarray, ...]]
rng = np.random.default_rng(7)
LINE, OTHER, TABLE = rng.normal(size=101), rng.normal(size=101), rng.normal(size=(12, 12))
POSITIVE = np.abs(LINE) + 0.1
UNIT = np.clip(POSITIVE / 10, 0.01, 0.9)
POINTS = rng.normal(size=(40, 3))
COUNTS = np.array([10.0, 12, 9, 11, 8])
GRID = np.linspace(0, 1, 20)
SPREAD = TABLE @ TABLE.T + 12 * np.eye(12)
KERNEL = np.array([0.2, 0.5, 0.3])


def _get(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _of(path: str, *arrays: np.ndarray, **named: Any) -> Call:
    """A function by its path, on arrays, with further keywords."""
    return (lambda *given: _get(path)(*given, **named)), arrays


SCIPY: dict[str, Call] = {}
for _name in "erf erfc gammaln expit logit i0 i0e i1 i1e ndtr ndtri log_ndtr entr digamma exp1".split():
    SCIPY[f"special.{_name}"] = _of(f"scipy.special.{_name}", UNIT)
for _name in "xlogy rel_entr gammainc chdtr".split():
    SCIPY[f"special.{_name}"] = _of(f"scipy.special.{_name}", POSITIVE, POSITIVE[::-1].copy())
for _name in "logsumexp softmax log_softmax".split():
    SCIPY[f"special.{_name}"] = _of(f"scipy.special.{_name}", TABLE, axis=0)
for _name in ("zscore skew kurtosis moment variation describe sem iqr kurtosistest skewtest normaltest jarque_bera "
              "tmean tvar tstd circmean circstd rankdata differential_entropy mode median_abs_deviation").split():
    SCIPY[f"stats.{_name}"] = _of(f"scipy.stats.{_name}", LINE)
for _name in "gmean hmean entropy gstd".split():
    SCIPY[f"stats.{_name}"] = _of(f"scipy.stats.{_name}", POSITIVE)
    SCIPY[f"stats.{_name} of float32"] = _of(f"scipy.stats.{_name}", np.array([1, 2, 3, 4], np.float32))
for _name in "ttest_ind ttest_rel pearsonr spearmanr zmap mannwhitneyu wilcoxon".split():
    SCIPY[f"stats.{_name}"] = _of(f"scipy.stats.{_name}", LINE, OTHER)
for _name in "bartlett levene kruskal f_oneway".split():
    SCIPY[f"stats.{_name}"] = _of(f"scipy.stats.{_name}", LINE, OTHER, POSITIVE)
for _name in "chisquare power_divergence".split():
    SCIPY[f"stats.{_name}"] = _of(f"scipy.stats.{_name}", COUNTS)
for _name in "trapezoid simpson cumulative_trapezoid cumulative_simpson".split():
    SCIPY[f"integrate.{_name}"] = _of(f"scipy.integrate.{_name}", LINE, dx=0.1)
for _name in ("fft ifft rfft hfft ihfft fft2 fftn rfft2 rfftn ifft2 ifftn irfft irfft2 irfftn dct idct dst idst dctn "
              "fftshift").split():
    SCIPY[f"fft.{_name}"] = _of(f"scipy.fft.{_name}", TABLE)
for _name in "convolve correlate fftconvolve oaconvolve".split():
    SCIPY[f"signal.{_name}"] = _of(f"scipy.signal.{_name}", LINE, KERNEL)
for _name in "detrend hilbert".split():
    SCIPY[f"signal.{_name}"] = _of(f"scipy.signal.{_name}", LINE)
for _name in "sobel laplace center_of_mass".split():
    SCIPY[f"ndimage.{_name}"] = _of(f"scipy.ndimage.{_name}", TABLE)
for _name in "gaussian_filter uniform_filter median_filter".split():
    SCIPY[f"ndimage.{_name}"] = (lambda a, name=_name: _get(f"scipy.ndimage.{name}")(a, 3)), (TABLE,)
SCIPY |= {
    "stats.ttest_1samp": _of("scipy.stats.ttest_1samp", LINE, popmean=0.0),
    "stats.trim_mean": _of("scipy.stats.trim_mean", LINE, proportiontocut=0.1),
    "stats.quantile": ((lambda a: _get("scipy.stats.quantile")(a, 0.3)), (LINE,)),
    "cluster.vq.whiten": _of("scipy.cluster.vq.whiten", POINTS),
    "cluster.vq.vq": _of("scipy.cluster.vq.vq", POINTS, POINTS[:3]),
    "cluster.vq.kmeans": _of("scipy.cluster.vq.kmeans", POINTS, POINTS[:3]),
    "cluster.vq.kmeans2": _of("scipy.cluster.vq.kmeans2", POINTS, POINTS[:3], minit="matrix"),
    "cluster.hierarchy.linkage": _of("scipy.cluster.hierarchy.linkage", POINTS),
    "signal.lfilter": _of("scipy.signal.lfilter", KERNEL, np.array([1.0, 0.2]), LINE),
    "signal.savgol_filter": _of("scipy.signal.savgol_filter", LINE, window_length=7, polyorder=2),
    "signal.resample": _of("scipy.signal.resample", LINE, num=60),
    "ndimage.label": _of("scipy.ndimage.label", (TABLE > 0).astype(float)),
    "ndimage.rotate": _of("scipy.ndimage.rotate", TABLE, angle=30.0),
    "integrate.tanhsinh": (
        (lambda a: _get("scipy.integrate.tanhsinh")(lambda t: t * t, a * 0, a).integral), (POSITIVE,)),
    "differentiate.derivative": (
        (lambda a: _get("scipy.differentiate.derivative")(lambda t: t**3, a).df), (POSITIVE,)),
    "differentiate.jacobian": (
        (lambda a: _get("scipy.differentiate.jacobian")(lambda t: t**2, a).df), (POSITIVE[:3],)),
    "optimize.elementwise.find_root": (
        (lambda a: _get("scipy.optimize.elementwise.find_root")(
            lambda t, c: t * t - c, (a * 0, a + 1.0), args=(a,)).x), (POSITIVE,)),
    "optimize.rosen": _of("scipy.optimize.rosen", POSITIVE),
    "interpolate.make_interp_spline": (
        (lambda a: _get("scipy.interpolate.make_interp_spline")(a, a * a)(a / 2)), (GRID,)),
    "interpolate.PchipInterpolator": (
        (lambda a: _get("scipy.interpolate.PchipInterpolator")(a, a * a)(a / 2)), (GRID,)),
    "spatial.transform.Rotation": (
        (lambda a: _get("scipy.spatial.transform.Rotation").from_rotvec(a).apply(a)), (POINTS,)),
}
# Not yet converted by SciPy, which gives NumPy's arrays here, whatever came.
SCIPY_TO_NUMPY: dict[str, Call] = {
    f"linalg.{_name}": _of(f"scipy.linalg.{_name}", SPREAD)
    for _name in "inv det svd svdvals eigh eigvalsh cholesky qr expm norm pinv null_space".split()
}
SCIPY_TO_NUMPY |= {
    "linalg.solve": _of("scipy.linalg.solve", SPREAD, TABLE),
    "signal.welch": _of("scipy.signal.welch", LINE),
    "spatial.distance.cdist": _of("scipy.spatial.distance.cdist", POINTS, POINTS),
}

X = rng.normal(size=(120, 6))
Y = X @ rng.normal(size=6) + 0.1 * rng.normal(size=120)
NEAR_Y = Y + 0.1 * rng.normal(size=120)
TWO = (Y > 0).astype(np.int64)
GUESS = np.where(rng.random(120) < 0.8, TWO, 1 - TWO)
CHANCE = np.clip(TWO * 0.6 + rng.random(120) * 0.4, 0.01, 0.99)
THREE = rng.integers(0, 3, 120)


def _sklearn(path: str, **parameters: Any) -> Any:
    return _get("sklearn." + path)(**parameters)


def _transformed(path: str, array: np.ndarray = X, **parameters: Any) -> Call:
    def call(a: Any) -> Any:
        fitted = _sklearn(path, **parameters).fit(a)
        there = fitted.transform(a)
        return (there, fitted.inverse_transform(there)) if hasattr(fitted, "inverse_transform") else there

    return call, (array,)


def _predicted(path: str, target: np.ndarray, **parameters: Any) -> Call:
    def call(a: Any, b: Any) -> Any:
        fitted = _sklearn(path, **parameters).fit(a, b)
        return fitted.predict(a), float(fitted.score(a, b))

    return call, (X, target)


def _piped(a: Any, b: Any) -> Any:
    steps = [_sklearn("preprocessing.StandardScaler"), _sklearn("decomposition.PCA", n_components=3, svd_solver="full"),
             _sklearn("linear_model.Ridge", solver="svd")]
    return _get("sklearn.pipeline.make_pipeline")(*steps).fit(a, b).predict(a)


SKLEARN: dict[str, Call] = {
    "PCA": _transformed("decomposition.PCA", n_components=3, svd_solver="full"),
    "PCA of the covariance": _transformed("decomposition.PCA", n_components=3, svd_solver="covariance_eigh"),
    "PCA by random projection": _transformed(
        "decomposition.PCA", n_components=3, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0),
    "components of PCA": ((lambda a: (lambda p: (p.components_, p.explained_variance_, p.mean_))(
        _sklearn("decomposition.PCA", n_components=2, svd_solver="full").fit(a))), (X,)),
    "StandardScaler": _transformed("preprocessing.StandardScaler"),
    "MinMaxScaler": _transformed("preprocessing.MinMaxScaler"),
    "MaxAbsScaler": _transformed("preprocessing.MaxAbsScaler"),
    "Normalizer": _transformed("preprocessing.Normalizer"),
    "Binarizer": _transformed("preprocessing.Binarizer"),
    "PolynomialFeatures": _transformed("preprocessing.PolynomialFeatures"),
    "KernelCenterer": _transformed("preprocessing.KernelCenterer", X @ X.T),
    "LabelEncoder": ((lambda a: _sklearn("preprocessing.LabelEncoder").fit_transform(a)), (THREE,)),
    "Ridge": _predicted("linear_model.Ridge", Y, solver="svd"),
    "RidgeCV": _predicted("linear_model.RidgeCV", Y, alphas=[0.1, 1.0]),
    "RidgeClassifier": _predicted("linear_model.RidgeClassifier", TWO, solver="svd"),
    "GaussianNB": _predicted("naive_bayes.GaussianNB", TWO),
    "LinearDiscriminantAnalysis": _predicted("discriminant_analysis.LinearDiscriminantAnalysis", THREE),
    "LinearDiscriminantAnalysis.transform": (
        (lambda a, b: _sklearn("discriminant_analysis.LinearDiscriminantAnalysis").fit(a, b).transform(a)), (X, THREE)),
    "train_test_split": (
        (lambda a, b: _get("sklearn.model_selection.train_test_split")(a, b, random_state=0)), (X, Y)),
    "pipeline": (_piped, (X, Y)),
}
for _name in ("r2_score mean_squared_error mean_absolute_error mean_absolute_percentage_error max_error "
              "explained_variance_score mean_tweedie_deviance").split():
    SKLEARN[_name] = _of(f"sklearn.metrics.{_name}", Y, NEAR_Y)
for _name in ("accuracy_score confusion_matrix f1_score precision_score recall_score jaccard_score zero_one_loss "
              "hamming_loss").split():
    SKLEARN[_name] = _of(f"sklearn.metrics.{_name}", TWO, GUESS)
for _name in "log_loss brier_score_loss roc_auc_score roc_curve average_precision_score".split():
    SKLEARN[_name] = _of(f"sklearn.metrics.{_name}", TWO, CHANCE)
for _name in "euclidean_distances rbf_kernel linear_kernel cosine_similarity polynomial_kernel".split():
    SKLEARN[_name] = _of(f"sklearn.metrics.pairwise.{_name}", X)

CASES = {"scipy": SCIPY, "scipy to numpy": SCIPY_TO_NUMPY, "sklearn": SKLEARN}


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (tuple, list)):
        return [leaf for one in value for leaf in _leaves(one)]
    if hasattr(value, "dtype") or isinstance(value, (int, float, complex)):
        return [value]
    if hasattr(value, "__dict__"):
        return [leaf for name, one in sorted(vars(value).items()) if name[0] != "_" for leaf in _leaves(one)]
    return []


def _judge(call: Callable[..., Any], arrays: tuple[np.ndarray, ...], ap: Any, kind: type | tuple[type, ...]) -> None:
    expected = _leaves(call(*(np.array(one) for one in arrays)))
    got = _leaves(call(*(ap.asarray(one) for one in arrays)))
    assert expected and len(got) == len(expected), f"{len(got)} results, NumPy's arrays give {len(expected)}"
    for one, other in zip(expected, got, strict=True):
        if isinstance(one, np.ndarray):
            assert isinstance(other, kind), f"the result is {type(other).__name__}"
        if hasattr(other, "dtype") and isinstance(one, (np.ndarray, np.generic)):
            assert other.dtype == one.dtype, f"dtype {other.dtype}, with NumPy {one.dtype}"
        np.testing.assert_allclose(np.asarray(other), np.asarray(one), rtol=1e-6, atol=1e-8)


def main(group: str) -> None:
    import asnumpy as ap

    outcomes = {}
    dispatch = contextlib.nullcontext()
    if group == "sklearn":
        dispatch = _get("sklearn.config_context")(array_api_dispatch=True)
    kind = (np.ndarray, np.generic, ap.ndarray) if group == "scipy to numpy" else ap.ndarray
    with dispatch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (call, arrays) in CASES[group].items():
            try:
                _judge(call, arrays, ap, kind)
                outcomes[name] = ""
            except Exception:
                outcomes[name] = traceback.format_exc(limit=-4)
    print(json.dumps(outcomes))


if __name__ == "__main__":
    main(sys.argv[1])
