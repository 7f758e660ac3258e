"""Libraries whose code asks for NumPy's class, and what asnumpy tells them: OpenCV, PyArrow, polars, bokeh and others.

What works with each is in tools/ecosystem_probes.py; here is what no row of that table shows.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy.host.passing import giving_ours, holds_ours, numpys_within, taking_numpys


def test_what_is_ours_within_values() -> None:
    a, k = ap.ones(3), ap.arange(3)
    for ours in (a, k[1], [a], (1, [2, (a,)]), {"x": a}, [[[1, 2], [k[0], 1]]]):
        assert holds_ours(ours)
        theirs = numpys_within(ours)
        assert not holds_ours(theirs) and type(theirs) is (np.ndarray if ours is a else type(numpys_within(ours)))
    for other in (1, "x", None, [1, 2], np.ones(3), {"x": 1}, [[[[a]]]]):  # that deep nobody looks
        assert not holds_ours(other) and numpys_within(other) is other
    many = numpys_within([1] * 100 + [k[1]])
    assert type(many) is list and type(many[-1]) is np.int64 and many[:-1] == [1] * 100
    assert numpys_within([[1]] * 100 + [[k[1]]])[-1] == [1] and holds_ours([[1]] * 100 + [[k[1]]])


def test_functions_take_numpys_and_give_ours() -> None:
    """What a function is given has NumPy's class; what it writes to, and gives back, is ours."""

    def fill(target: Any, values: Any, *, by: Any = 1) -> Any:
        assert type(target) is np.ndarray and all(isinstance(one, (np.ndarray, np.generic)) for one in values)
        target[:] = sum(values) * by
        return target, target * 2, [target.sum()], "text"

    a = ap.zeros((2, 3))[1]
    same, new, (total,), text = giving_ours(fill)(a, [ap.ones(3), ap.arange(3)[2]], by=ap.arange(4)[3])
    assert same is a and text == "text" and type(new) is ap.ndarray and isinstance(total, ap.Number)
    np.testing.assert_array_equal(ap.to_numpy(a), [9, 9, 9])
    np.testing.assert_array_equal(ap.to_numpy(new), [18, 18, 18])
    x = np.zeros(3)
    assert giving_ours(fill)(x, [np.ones(3)])[0] is x
    target = np.zeros(3)
    assert taking_numpys(fill)(target, (ap.ones(3),))[0] is target and target.sum() == 3


class Quantity:
    """As units packages have them: an array with a name, which answers NumPy's functions."""

    def __init__(self, values: Any, unit: str) -> None:
        self.values, self.unit = values, unit

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.values, dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        def values(one: Any) -> Any:
            if isinstance(one, (list, tuple)):
                return type(one)(map(values, one))
            return one.values if isinstance(one, Quantity) else one

        return Quantity(function(*map(values, args), **kwargs), self.unit)


CALLS = {
    "concatenate": lambda xp, q, a: xp.concatenate([q, q]),
    "concatenate after one of ours": lambda xp, q, a: xp.concatenate([a, q]),
    "stack": lambda xp, q, a: xp.stack((q, q)),
    "where": lambda xp, q, a: xp.where(a > 1, q, a),
    "sort": lambda xp, q, a: xp.sort(q),
    "dot": lambda xp, q, a: xp.dot(a, q),
    "cumsum": lambda xp, q, a: xp.cumsum(q),
    "linspace": lambda xp, q, a: xp.linspace(Quantity(1.0, "m"), Quantity(2.0, "m"), 3),
    "clip": lambda xp, q, a: xp.clip(q, 1, 2),
    "interp": lambda xp, q, a: xp.interp(a, a, q),
    "norm": lambda xp, q, a: xp.linalg.norm(q),
    "fft": lambda xp, q, a: xp.fft.fft(q),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("whose", ["numpy", "asnumpy"])
def test_objects_that_answer_numpys_functions_are_asked(name: str, whose: str) -> None:
    """No function takes one apart, as if it were the numbers in it: its unit would be lost without a word."""
    values = np.arange(4.0)
    theirs = CALLS[name](np, Quantity(values, "m"), values)
    ours = CALLS[name](ap, Quantity(values if whose == "numpy" else ap.asarray(values), "m"), ap.asarray(values))
    assert type(theirs) is type(ours) is Quantity and ours.unit == "m"
    np.testing.assert_allclose(np.asarray(ours.values), theirs.values)


def test_such_objects_become_arrays_where_that_is_asked() -> None:
    for make in (ap.asarray, ap.array):
        made = make(Quantity([1.0, 2.0], "m"))
        assert type(made) is ap.ndarray and made.tolist() == [1, 2]


def test_opencv_is_as_it_was_for_others() -> None:
    cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed")
    x = np.zeros((8, 8), np.uint8)
    assert cv2.rectangle(x, (1, 1), (3, 3), 255) is x and type(cv2.blur(x, (3, 3))) is np.ndarray
    assert cv2.GaussianBlur.__name__ == "GaussianBlur" and "ksize" in cv2.GaussianBlur.__doc__
    with pytest.raises(cv2.error, match="not a numpy array"):
        cv2.blur("x", (3, 3))
    with pytest.raises(cv2.error, match="ksize"):
        cv2.GaussianBlur(ap.ones((4, 4)), (2, 2), 0)


def test_databases_hold_numbers_and_not_their_bytes() -> None:
    with sqlite3.connect(":memory:") as base:
        base.execute("create table t (a, b, c, d)")
        numbers = ap.arange(3)[2], ap.ones(2)[0] * 1.5, ap.arange(3)[1] > 0, ap.ones(1, "f4")[0]
        base.execute("insert into t values (?, ?, ?, ?)", numbers)
        (row,) = base.execute("select * from t where a = ?", [numbers[0]])
    assert row == (2, 1.5, 1, 1.0) and [type(one) for one in row] == [int, float, int, float]


def test_boxes_of_gymnasium() -> None:
    spaces = pytest.importorskip("gymnasium.spaces", reason="Gymnasium is not installed")
    low = ap.zeros(3, "f4")
    box = spaces.Box(low=low, high=low + 1)
    assert box.shape == (3,) and box.contains(low) and not box.contains(low + 2)


def test_bokeh_writes_numbers_as_numbers() -> None:
    serialization = pytest.importorskip("bokeh.core.serialization", reason="bokeh is not installed")
    a = ap.arange(3)
    for number in (a[1], a[1] * 0.5, a[1] > 0):
        written = serialization.Serializer().encode(number)
        assert type(written) is type(number.item()) and written == number.item()


def test_control_and_cvxpy_take_coefficients() -> None:
    control = pytest.importorskip("control", reason="control is not installed")
    gain = control.tf(ap.array([1.0]), ap.array([1.0, 2.0, 1.0])).dcgain()
    assert float(gain) == pytest.approx(1.0)
    cvxpy = pytest.importorskip("cvxpy", reason="CVXPY is not installed")
    x, p = cvxpy.Variable(3), cvxpy.Parameter(3, value=ap.ones(3))
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(x - p)), [ap.eye(3) @ x <= 2, cvxpy.sum(x) == ap.arange(3.0)[1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver=cvxpy.CLARABEL)
    assert problem.value == pytest.approx(2 / np.sqrt(3), abs=1e-4)


def test_scikit_image_in_whichever_order() -> None:
    """Its modules come one by one, when a name of theirs is asked for: each is changed then, or was there already."""
    code = {
        "asnumpy": "import asnumpy as np\nfrom skimage import morphology, transform, util",
        "skimage": "from skimage import morphology, transform, util\nutil.view_as_windows\nimport asnumpy as np",
    }
    use = """
k = np.arange(5)
assert morphology.ball(k[2]).shape == (5, 5, 5) and morphology.ball(k[2]).sum() == 33
assert util.view_as_windows(np.ones((4, 4)), (2, 2)).shape == (3, 3, 2, 2)
assert abs(transform.warp(np.eye(4), np.eye(3)) - np.eye(4)).max() < 1e-12
"""
    pytest.importorskip("skimage", reason="scikit-image is not installed")
    for first in code:
        done = subprocess.run([sys.executable, "-W", "error", "-c", code[first] + use], capture_output=True, text=True)
        assert done.returncode == 0, (first, done.stderr)
