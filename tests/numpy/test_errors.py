"""errstate and seterr: errors are reported where a program asks for that, and nowhere else."""

from __future__ import annotations

import contextvars
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
    "matrix product": ("over", lambda a, zero: ap.full((2, 2), 1e200) @ ap.full((2, 2), 1e200)),
    "product of vectors": ("over", lambda a, zero: ap.matmul(ap.full(3, 1e200), ap.full(3, 1e200))),
    "cast": ("invalid", lambda a, zero: ap.asarray([ap.nan]).astype(int)),
    "narrower cast": ("over", lambda a, zero: ap.full(3, 1e300).astype("float32")),
}


@pytest.mark.parametrize("module", [ap, np], ids=["asnumpy", "numpy"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_raise(name, module):
    category, operation = OPERATIONS[name]
    with module.errstate(all="ignore", **{category: "raise"}), pytest.raises(FloatingPointError):
        operation(*_values())
    with module.errstate(all="raise"), module.errstate(all="ignore"):
        operation(*_values())
    before = module.seterr(all="ignore", **{category: "raise"})
    with pytest.raises(FloatingPointError):
        operation(*_values())
    with module.errstate(all="ignore"):
        operation(*_values())
    module.seterr(**{**before, "divide": "ignore"})
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


# --- one state, NumPy's ---


@pytest.mark.parametrize(("inner", "outer"), [(np, ap), (ap, np)], ids=["numpy's in asnumpy's", "asnumpy's in numpy's"])
def test_blocks_of_both_libraries_nest(inner, outer):
    a, zero = _values()
    with outer.errstate(divide="raise", invalid="ignore"):
        assert np.geterr() == ap.geterr()
        with inner.errstate(divide="ignore"):
            a / zero
        with inner.errstate(over="ignore"), pytest.raises(FloatingPointError):
            a / zero
        with pytest.raises(FloatingPointError):
            a / zero
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        a / zero


def test_warnings_that_somebody_asked_for():
    a, zero = _values()
    with ap.errstate(divide="warn", invalid="ignore"), pytest.warns(RuntimeWarning, match="divide by zero"):
        a / zero
    with np.errstate(under="warn"), pytest.warns(RuntimeWarning, match="underflow"):
        ap.exp(a * 1e4 - 2e4)
    with ap.errstate(all="ignore"), ap.errstate(divide="warn"), pytest.warns(RuntimeWarning, match="divide by zero"):
        a / zero
    with warnings.catch_warnings():  # one of them is silenced, the others are left as they were
        warnings.simplefilter("error")
        with np.errstate(divide="ignore"), np.errstate(invalid="ignore"):
            a / zero
            ap.exp(a * 1e4)
        with ap.errstate(divide="ignore", invalid="ignore"):
            ap.exp(a * 1e4)


def test_quiet_blocks_stay_deferred():
    a = ap.ones(100_000)
    for module in (np, ap):
        with module.errstate(divide="ignore", invalid="ignore"):
            assert (a / 0)._pending or ap.config.eager
        with module.errstate(divide="raise"):
            assert not (a / 2)._pending


def test_states_of_other_contexts():
    a, zero = _values()
    context = contextvars.copy_context()
    with np.errstate(divide="raise", invalid="ignore"):
        inside = contextvars.copy_context()
        assert np.isinf(ap.to_numpy(context.run(lambda: a / zero))[0])
    with pytest.raises(FloatingPointError):
        inside.run(lambda: a / zero)
    a / zero
