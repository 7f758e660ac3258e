"""errstate and seterr: errors are reported where a program asks for that, and nowhere else."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

import asnumpy as ap


def _values():
    return ap.asarray([1.0, 0.0, -1.0]), ap.zeros(3)


@pytest.fixture(autouse=True)
def state_as_before():
    before = np.geterr()
    yield
    ap.seterr(**before)
    ap.seterr(all="ignore")  # 'warn' does not take back what was asked for
    np.seterr(**before)


def test_quiet_outside():
    a, zero = _values()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = a / zero
        assert made._pending or made.size < 10
        np.testing.assert_array_equal(ap.to_numpy(made), [np.inf, np.nan, -np.inf])
        ap.log(a).tolist()


OPERATIONS = {
    "operator": ("divide", lambda a, zero: a / zero),
    "in place": ("divide", lambda a, zero: a.__itruediv__(zero)),
    "call": ("invalid", lambda a, zero: ap.log(a)),
    "keyword": ("invalid", lambda a, zero: ap.sqrt(a, out=zero)),
    "number": ("divide", lambda a, zero: 1 / zero),
    "overflow": ("over", lambda a, zero: ap.exp(a * 1e4)),
    "underflow": ("under", lambda a, zero: ap.exp(a * 1e4 - 2e4)),
    "sum": ("over", lambda a, zero: ap.add.reduce(ap.full(3, 1e308))),
    "sum of all": ("over", lambda a, zero: ap.full(3, 1e308).sum()),
    "product": ("over", lambda a, zero: ap.prod(ap.full((3, 2), 1e200), axis=0)),
    "running sum": ("over", lambda a, zero: ap.cumsum(ap.full(3, 1e308))),
    "mean": ("over", lambda a, zero: ap.full(3, 1e308).mean()),
    "integers": ("divide", lambda a, zero: ap.arange(3) // 0),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_raise(name):
    category, operation = OPERATIONS[name]
    with ap.errstate(all="ignore", **{category: "raise"}), pytest.raises(FloatingPointError):
        operation(*_values())
    with ap.errstate(all="raise"), ap.errstate(all="ignore"):
        operation(*_values())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        operation(*_values())


def test_warn_call_and_decorator():
    a, zero = _values()
    with ap.errstate(divide="warn", invalid="ignore"), pytest.warns(RuntimeWarning, match="divide by zero"):
        a / zero
    heard = []
    with ap.errstate(call=lambda kind, flag: heard.append(kind), divide="call", invalid="ignore"):
        a / zero
    assert heard == ["divide by zero"]

    @ap.errstate(divide="raise")
    def quotient():
        return a / zero

    with pytest.raises(FloatingPointError):
        quotient()
    assert ap.isinf((a / zero)[0])


def test_seterr():
    a, zero = _values()
    old = ap.seterr(divide="raise")
    assert old == {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
    assert ap.geterr()["divide"] == "raise"
    with pytest.raises(FloatingPointError):
        a / zero
    ap.seterr(**{**old, "divide": "ignore"})
    a / zero
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ap.seterr(all="warn")  # NumPy's own beginning: nothing is watched
        a / zero


def test_values_stay_the_same_and_other_threads_are_left_alone():
    a, zero = _values()
    with ap.errstate(over="raise", divide="ignore", invalid="ignore"):
        made = a / zero
        assert isinstance(made, ap.ndarray)
        np.testing.assert_array_equal(ap.to_numpy(made), [np.inf, np.nan, -np.inf])
        heard = []

        def other():
            with warnings.catch_warnings():
                heard.append(ap.exp(ap.asarray(1e4)).item())

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert heard == [np.inf]


def test_bad_state():
    with pytest.raises(ValueError), ap.errstate(divide="loudly"):
        pass
    with pytest.raises(TypeError):
        ap.errstate(nonsense="raise")
    assert ap.geterrcall() is None
