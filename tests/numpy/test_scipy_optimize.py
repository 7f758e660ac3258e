"""asnumpy.scipy.optimize beside SciPy's: functions get and give arrays of asnumpy, results hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import asnumpy as ap

own: Any = ap.scipy.optimize
theirs: Any = scipy.optimize


def near(got: Any, wanted: Any, tolerance: float = 1e-7) -> None:
    assert isinstance(got, ap.ndarray) and got.shape == wanted.shape and got.dtype == wanted.dtype
    np.testing.assert_allclose(ap.to_numpy(got), wanted, rtol=tolerance, atol=tolerance)


def rosen(xp: Any) -> Any:
    def function(x: Any) -> Any:
        assert isinstance(x, xp.ndarray)
        return (100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0).sum()

    return function


def slope(xp: Any) -> Any:
    def function(x: Any) -> Any:
        assert isinstance(x, xp.ndarray)
        made = xp.zeros_like(x)
        made[:-1] = -400.0 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
        made[1:] += 200.0 * (x[1:] - x[:-1] ** 2)
        return made

    return function


START = np.array([1.3, 0.7, 0.8])


@pytest.mark.parametrize("method", ["Nelder-Mead", "Powell", "CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP"])
def test_minimize(method: str) -> None:
    jac = method in ("CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP")
    got = own.minimize(rosen(ap), ap.array(START), method=method, jac=slope(ap) if jac else None)
    wanted = theirs.minimize(rosen(np), START, method=method, jac=slope(np) if jac else None)
    assert type(got) is type(wanted) and got.keys() == wanted.keys() and got.nfev > 0
    near(got.x, wanted.x, 1e-4)
    assert isinstance(got.message, str) and got.success == wanted.success


def test_arguments_and_both_at_once() -> None:
    def with_slope(x: Any, where: Any, factor: float) -> Any:
        assert where is place
        return factor * ((x - where) ** 2).sum(), factor * 2 * (x - where)

    place = ap.array([3.0, -1.0])
    near(own.minimize(with_slope, [0, 0], args=(place, 2.0), jac=True).x, np.array([3.0, -1.0]), 1e-5)


def test_functions_among_the_arguments() -> None:
    def outer(x: Any, inner: Any) -> Any:
        assert inner is squares
        return inner(x).sum()

    def squares(x: Any) -> Any:
        return (x - 1.0) ** 2

    near(own.minimize(outer, ap.zeros(2), args=(squares,)).x, np.ones(2), 1e-5)


@pytest.mark.filterwarnings("ignore:delta_grad == 0.0")  # the constraint is linear
def test_constraints_and_callbacks() -> None:
    seen: list[Any] = []

    def callback(x: Any) -> None:
        seen.append(x)

    def later(intermediate_result: Any) -> None:
        assert isinstance(intermediate_result.x, ap.ndarray)
        seen.append(intermediate_result.x)

    def squares(x: Any) -> Any:
        return ((x - ap.array([1.0, 2.5])) ** 2).sum()

    def inside(x: Any) -> Any:
        assert isinstance(x, ap.ndarray)
        return ap.stack([x[0] - 2 * x[1] + 2, -x[0] - 2 * x[1] + 6])

    wanted = np.array([1.4, 1.7])
    options: dict[str, Any] = {"constraints": {"type": "ineq", "fun": inside}, "bounds": [(0, None), (0, None)]}
    near(own.minimize(squares, ap.array([2.0, 0.0]), method="SLSQP", callback=callback, **options).x, wanted, 1e-5)
    assert seen and all(isinstance(one, ap.ndarray) for one in seen)
    kept = [ap.to_numpy(one).tolist() for one in seen]
    assert len(kept) == 1 or kept[0] != kept[-1]  # what a callback gets stays as it is
    near(own.minimize(squares, ap.array([2.0, 0.0]), callback=later).x, np.array([1.0, 2.5]), 1e-5)
    options["constraints"] = own.NonlinearConstraint(inside, 0.0, np.inf)
    near(own.minimize(squares, ap.array([2.0, 0.0]), method="trust-constr", **options).x, wanted, 1e-3)
    assert options["constraints"].fun is inside


def test_fits() -> None:
    x = np.linspace(0, 4, 60)
    y = 2.5 * np.exp(-1.3 * x) + 0.5 + np.random.default_rng(0).normal(0, 0.01, 60)

    def model(t: Any, a: Any, b: Any, c: Any) -> Any:
        assert t is times
        return a * ap.exp(-b * t) + c

    times = ap.array(x)
    wanted = theirs.curve_fit(lambda t, a, b, c: a * np.exp(-b * t) + c, x, y)
    for got, other in zip(own.curve_fit(model, times, ap.array(y)), wanted, strict=True):
        near(got, other, 1e-5)
    ours = own.least_squares(lambda p: p[0] * ap.exp(-p[1] * times) + p[2] - ap.array(y), ap.ones(3))
    near(ours.x, wanted[0], 1e-4)
    assert isinstance(ours.jac, ap.ndarray) and isinstance(ours.fun, ap.ndarray)
    near(own.leastsq(lambda p: p[0] * ap.exp(-p[1] * times) + p[2] - ap.array(y), ap.ones(3))[0], wanted[0], 1e-4)


def test_roots() -> None:
    near(own.root(lambda x: x**2 - ap.array([2.0, 3.0]), ap.array([1.0, 1.0])).x, np.sqrt([2.0, 3.0]))
    near(own.fsolve(lambda x: x**2 - 2, ap.array([1.0])), np.sqrt([2.0]))
    for name in ("brentq", "bisect", "ridder", "toms748"):
        assert getattr(own, name)(lambda t: ap.cos(t), 0, 3) == pytest.approx(np.pi / 2)
    found, how = own.brentq(lambda t: ap.array(t) ** 2 - 2, 0, 3, full_output=True)
    assert found == pytest.approx(2**0.5) and how.converged
    assert own.root_scalar(lambda t: t**3 - 8, bracket=(0, 5)).root == pytest.approx(2)
    near(own.newton(lambda x: x**2 - ap.array([2.0, 3.0]), ap.array([1.0, 1.0])), np.sqrt([2.0, 3.0]))
    assert own.minimize_scalar(lambda t: (t - 2) ** 2).x == pytest.approx(2)
    near(own.approx_fprime(ap.array([1.0, 2.0]), lambda x: (x**2).sum()), np.array([2.0, 4.0]), 1e-6)


def test_programs_of_lines() -> None:
    costs = np.array([[4, 1, 3], [2, 0, 5], [3, 2, 2]])
    for dtype in (np.int64, np.float32, np.bool_):
        got, wanted = own.linear_sum_assignment(ap.array(costs.astype(dtype))), theirs.linear_sum_assignment(
            costs.astype(dtype))
        for one, other in zip(got, wanted, strict=True):
            near(one, other)
    arguments = (np.array([-1.0, 4.0]), np.array([[-3.0, 1.0], [1.0, 2.0]]), np.array([6.0, 4.0]))
    bounds = [(None, None), (-3, None)]
    got, wanted = own.linprog(*map(ap.array, arguments), bounds=bounds), theirs.linprog(*arguments, bounds=bounds)
    near(got.x, wanted.x)
    near(got.ineqlin.marginals, wanted.ineqlin.marginals)
    limits = own.LinearConstraint(arguments[1], ub=arguments[2])
    near(own.milp(ap.array(arguments[0]), constraints=limits).x, theirs.milp(arguments[0], constraints=limits).x)
    ours = own.LinearConstraint(ap.array(arguments[1]), ub=ap.array(arguments[2]))
    near(own.milp(ap.array(arguments[0]), constraints=[ours], bounds=own.Bounds(ap.zeros(2), ap.ones(2))).x,
         theirs.milp(arguments[0], constraints=[limits], bounds=theirs.Bounds(np.zeros(2), np.ones(2))).x)
    left, right = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])
    near(own.nnls(ap.array(left), ap.array(right))[0], theirs.nnls(left, right)[0])
    near(own.lsq_linear(ap.array(left), ap.array(right)).x, theirs.lsq_linear(left, right).x)


def test_global_searches() -> None:
    box = [(-2.0, 2.0)] * 2
    got = own.differential_evolution(rosen(ap), box, seed=3, maxiter=40)
    near(got.x, theirs.differential_evolution(rosen(np), box, seed=3, maxiter=40).x, 1e-3)
    near(own.brute(rosen(ap), ((0.5, 1.5),) * 2, Ns=5), theirs.brute(rosen(np), ((0.5, 1.5),) * 2, Ns=5), 1e-3)


def test_functions_of_scipys_own() -> None:
    near(own.minimize(own.rosen, ap.array(START), jac=own.rosen_der).x, np.ones(3), 1e-4)
    near(own.rosen_hess(ap.array(START)), theirs.rosen_hess(START))
    assert own.check_grad(own.rosen, own.rosen_der, ap.array(START)) == pytest.approx(
        theirs.check_grad(theirs.rosen, theirs.rosen_der, START), abs=1e-4)


class Refused(Exception):
    """A program's own."""


def test_errors() -> None:
    def refuse(x: Any) -> Any:
        raise Refused

    with pytest.raises(Refused):
        own.minimize(refuse, ap.ones(2))
    with pytest.raises(ValueError):
        own.minimize(rosen(ap), ap.ones(2), method="no such method")
    with pytest.raises(ValueError):
        own.brentq(lambda x: x * x + 1, 0, 1)
    with pytest.raises(TypeError):
        own.minimize()
    with pytest.raises(ValueError):
        own.linear_sum_assignment(ap.array([[np.nan, 1.0]]))
    with pytest.raises(TypeError):
        own.least_squares(lambda x: ap.ones(2), ap.ones(3), method="lm", loss="no such loss", x_scale=3, no=2)
    with pytest.raises(RuntimeError):
        own.newton(lambda x: x * x + 1, 1.0, maxiter=5)
