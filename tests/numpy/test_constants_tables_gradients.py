"""SciPy's functions of integers, scikit-learn's constants, and others: what these libraries take.

The same calls are made with NumPy's arrays and scalars and with ours.
"""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy.interop.arrivals import is_fixed

KINDS = pytest.mark.parametrize("xp", [np, ap], ids=["numpy", "asnumpy"])


@KINDS
def test_scipys_functions_of_integers(xp: Any) -> None:
    fft = pytest.importorskip("scipy.fft", reason="SciPy is not installed")
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    k, step = xp.array([5, 2, 3]), xp.array([0.25])
    np.testing.assert_array_equal(np.asarray(fft.fftfreq(k[0])), [0, 0.2, 0.4, -0.4, -0.2])
    np.testing.assert_array_equal(np.asarray(fft.fftfreq(k[0], step[0])), [0, 0.8, 1.6, -1.6, -0.8])
    np.testing.assert_array_equal(np.asarray(fft.rfftfreq(n=k[0], d=step[0])), [0, 0.8, 1.6])
    exact = [special.factorial, special.factorial2, lambda n, exact: special.factorialk(n, k[1], exact=exact)]
    assert [function(k[0], exact=True) for function in exact] == [120, 15, 15]
    assert type(special.factorial(k[0], exact=True)) is int
    assert special.factorial(k[2]) == 6.0
    np.testing.assert_array_equal(np.asarray(special.factorial(k, exact=True)), [120, 2, 6])
    for function, expected in ((special.comb, 10), (special.perm, 20), (special.stirling2, 15)):
        assert function(k[0], k[1], exact=True) == expected
    with pytest.raises(ValueError, match="only supports integers"):
        special.factorial(step[0] * 20, exact=True)


@KINDS
def test_what_fills_in_for_missing_values(xp: Any) -> None:
    impute = pytest.importorskip("sklearn.impute", reason="scikit-learn is not installed")
    from sklearn.base import clone

    rows, x, k = xp.array([[1, np.nan], [2, 3]]), xp.array([0.5, -1.5]), xp.array([7])
    made = impute.SimpleImputer(strategy="constant", fill_value=x[0])
    np.testing.assert_array_equal(np.asarray(made.fit_transform(rows)), [[1, 0.5], [2, 3]])
    made.set_params(fill_value=x[1])
    np.testing.assert_array_equal(np.asarray(clone(made).fit_transform(rows)), [[1, -1.5], [2, 3]])
    with pytest.raises(ValueError, match="cannot be cast"):
        made.fit(k[None])
    for value in (k[0], k[0] / 2):
        made = impute.SimpleImputer(strategy="constant", missing_values=k[0], fill_value=k[0] - 9)
        np.testing.assert_array_equal(np.asarray(made.fit_transform(xp.array([[7, 1], [2, 7]]))), [[-2, 1], [2, -2]])
        made = impute.SimpleImputer(strategy="constant", fill_value=value)
        np.testing.assert_array_equal(np.asarray(made.fit_transform(rows)), [[1, float(value)], [2, 3]])


@KINDS
def test_pyarrows_functions(xp: Any) -> None:
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    from pyarrow import compute

    x, k, held = xp.arange(4.0) / 2, xp.array([2, 0]), pa.array([10, 20, 30, 40])
    assert held.take(k).to_pylist() == compute.take(held, k).to_pylist() == [30, 10]
    assert held.filter(x > 0.5).to_pylist() == pa.table({"a": held}).filter(x > 0.5)["a"].to_pylist() == [30, 40]
    assert compute.add(held, x).to_pylist() == [10, 20.5, 31, 41.5]
    assert compute.multiply(held, k[0]).to_pylist() == [20, 40, 60, 80]
    assert compute.fill_null(pa.array([1.0, None]), x[1]).to_pylist() == [1, 0.5]
    assert compute.is_in(held, value_set=pa.array(k * 10)).to_pylist() == [False, True, False, False]
    assert compute.index(held, k[0] * 10).as_py() == 1 and compute.sum(x).as_py() == 3.0


DIFFERENTIATED: list[tuple[str, Any]] = [
    ("sine", lambda anp, xp: lambda v: anp.sum(anp.sin(v) ** 2)),
    ("product", lambda anp, xp: lambda v: anp.sum(anp.dot(xp.arange(10.0).reshape(2, 5), v) ** 2)),
    ("array and box", lambda anp, xp: lambda v: (xp.arange(5.0) * v - v / xp.arange(1.0, 6)).sum()),
    ("Numbers", lambda anp, xp: lambda v: sum(v[i] ** 2 * xp.arange(5.0)[i] for i in range(5))),
    ("places", lambda anp, xp: lambda v: anp.sum(v[xp.array([3, 1])] ** 3) + anp.max(v[1:])),
    ("choice", lambda anp, xp: lambda v: anp.sum(anp.where(v > 1.2, v**2, 0.0))),
    ("joined", lambda anp, xp: lambda v: anp.sum(anp.concatenate([v, v[:2]]) ** 2)),
    ("solution", lambda anp, xp: lambda v: anp.sum(anp.linalg.solve(xp.eye(5) * 2 + anp.outer(v, v), xp.ones(5)))),
    ("transform", lambda anp, xp: lambda v: anp.sum(anp.abs(anp.fft.fft(v)) ** 2)),
    ("functions of the module's", lambda anp, xp: lambda v: xp.sum(xp.exp(v))),
]


@KINDS
@pytest.mark.parametrize("function", [pytest.param(one, id=name) for name, one in DIFFERENTIATED])
@pytest.mark.filterwarnings("ignore:.*runs on the host", "ignore:Output seems independent of input")
def test_autograd(xp: Any, function: Any) -> None:
    autograd = pytest.importorskip("autograd", reason="autograd is not installed")
    anp = pytest.importorskip("autograd.numpy", reason="autograd is not installed")
    place, step = np.arange(5.0) / 2, 1e-6
    value = function(anp, xp)
    slopes = [
        (float(value(xp.asarray(place + one))) - float(value(xp.asarray(place - one)))) / (2 * step)
        for one in np.eye(5) * step
    ]
    np.testing.assert_allclose(np.asarray(autograd.grad(value)(xp.asarray(place))), slopes, atol=1e-6)
    hessian = np.asarray(autograd.hessian(function(anp, xp))(xp.asarray(place)))
    np.testing.assert_allclose(hessian, np.asarray(autograd.hessian(function(anp, np))(place)), rtol=1e-12, atol=1e-12)


@KINDS
def test_autograd_by_numbers(xp: Any) -> None:
    autograd = pytest.importorskip("autograd", reason="autograd is not installed")
    anp = pytest.importorskip("autograd.numpy", reason="autograd is not installed")
    x, z = xp.arange(5.0) / 2, xp.array([1 + 2j])
    value, gradient = autograd.value_and_grad(lambda v: (v * x).sum() * v)(x[3])
    assert (value, gradient) == (11.25, 15.0)
    assert autograd.grad(lambda v: anp.real(v * v))(z[0]) == 2 + 4j
    assert type(autograd.grad(lambda v: (v * v).sum())(x)) is type(x)
    first, second = autograd.grad(lambda pair: (pair[0] * pair[1]).sum())([x, x * 2])
    np.testing.assert_array_equal(np.asarray(first), np.asarray(second) * 2)
    with pytest.raises(TypeError, match="Can't differentiate"):
        autograd.grad(lambda v: v * 2.0)(xp.array([3])[0])


@KINDS
@pytest.mark.filterwarnings("ignore:The default value of raise_error")
def test_osqp(xp: Any) -> None:
    osqp = pytest.importorskip("osqp", reason="OSQP is not installed")
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    quadratic, linear = sparse.csc_matrix([[4.0, 1], [1, 2]]), sparse.csc_matrix([[1.0, 1], [1, 0], [0, 1]])
    cost, low, high = xp.array([1.0, 1]), xp.array([1.0, 0, 0]), xp.array([1, 0.7, 0.7])
    few, k = xp.array([1e-9]), xp.array([4000])
    solver = osqp.OSQP()
    solver.setup(quadratic, cost, linear, low, high, verbose=False, eps_abs=few[0], eps_rel=few[0], max_iter=k[0])
    np.testing.assert_allclose(solver.solve().x, [0.3, 0.7], atol=1e-6)
    solver.update(q=cost * xp.array([1, 9]), u=high + 0.1)
    solver.update_settings(max_iter=k[0] // 2)
    solver.warm_start(x=cost, y=low)
    np.testing.assert_allclose(solver.solve().x, [0.8, 0.2], atol=1e-6)


@KINDS
def test_simpleitk(xp: Any) -> None:
    itk = pytest.importorskip("SimpleITK", reason="SimpleITK is not installed")
    x, values = xp.arange(5.0) / 2, np.arange(48, dtype="f4").reshape(6, 8)
    image = itk.GetImageFromArray(xp.asarray(values))
    np.testing.assert_array_equal(itk.GetArrayFromImage(image), values)
    image.SetSpacing([x[1], x[3]])
    image.SetOrigin(x[1:3])
    image.SetDirection(xp.array([[0.0, 1], [-1, 0]]).ravel())
    assert image.GetSpacing() == (0.5, 1.5) and image.GetOrigin() == (0.5, 1) and image.GetDirection() == (0, 1, -1, 0)
    image[1, 2] = x[3]
    assert image[1, 2] == 1.5 and itk.GetArrayFromImage(image * x[1])[0, 3] == 1.5
    moved = itk.TranslationTransform(2, [x[1], x[2]])
    assert moved.TransformPoint((x[1], x[1])) == (1, 1.5)
    smooth, expected = (itk.SmoothingRecursiveGaussian(image, width) for width in ([x[2], x[2]], [1.0, 1.0]))
    np.testing.assert_array_equal(itk.GetArrayFromImage(smooth), itk.GetArrayFromImage(expected))


@KINDS
def test_pandas_intervals(xp: Any) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    if is_fixed(pd.Interval):
        pytest.skip("this version's class of intervals lets no method be changed")
    x, k = xp.arange(5.0) / 2, xp.array([3, 4])
    one = pd.Interval(x[1], x[3])
    assert one == pickle.loads(pickle.dumps(one)) == pd.Interval(0.5, 1.5) and type(one.left) is np.float64
    assert str(pd.Interval(left=k[0], right=k[1], closed="both")) == "[3, 4]" and x[2] in one and x[0] not in one
    assert (one + x[1], one * k[0]) == (pd.Interval(1.0, 2.0), pd.Interval(1.5, 4.5))
    assert list(pd.IntervalIndex.from_breaks(x)) == [pd.Interval(x[i], x[i + 1]) for i in range(4)]
    assert list(pd.IntervalIndex.from_tuples([(x[0], x[1])])) == [pd.Interval(0.0, 0.5)]
    with pytest.raises(ValueError, match="left side of interval must be <= right side"):
        pd.Interval(x[3], x[1])


@KINDS
def test_netcdf4(xp: Any, tmp_path: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    if is_fixed(netcdf4.Variable):
        pytest.skip("this version's class of variables lets no method be changed")
    x, k, same = xp.arange(5.0) / 2, xp.array([3, 1]), np.testing.assert_array_equal
    with netcdf4.Dataset(tmp_path / "file.nc", "w") as file:
        file.createDimension("x", k[0] + 2)
        file.createDimension("t", None)
        line = file.createVariable("line", "f8", ("x",), fill_value=x[1])
        grid = file.createVariable("grid", "f4", ("t", "x"))
        packed = file.createVariable("packed", "i2", ("x",))
        packed.scale_factor, packed.steps = x[1], x
        line[:] = x
        same(line[:], np.ma.masked_equal(np.arange(5.0) / 2, 0.5))
        line[x > 1] = x[:2] + 7
        line[k] = x[2:4]
        line[k[1] - 1] = x[4]
        same(line[:].filled(-1), [2, 1.5, 1, 1, 7.5])
        same(line[k[1] : k[0]], [1.5, 1])
        grid[:2] = xp.arange(10.0).reshape(2, 5)
        grid[k[1] + 1] = x[1]
        same(grid[:], np.concatenate([np.arange(10.0).reshape(2, 5), np.full((1, 5), 0.5)]))
        packed[:] = x
        same(packed[:], np.arange(5.0) / 2)
        same(packed.steps, np.arange(5.0) / 2)
        line[:] = np.ones(5)
        same(line[xp.array([True, False, True, False, False])], [1, 1])
