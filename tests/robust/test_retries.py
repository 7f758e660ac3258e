"""Whatever call of CANN's fails, work that overwrites what it reads runs again from the values that it had."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from backend.program_writer import live, programs, run, script
from cannsim.kernels import compiles
from device_marks import OTHERS, needs_simulator

import asnumpy as ap
from asnumpy import cann, cannsim

CODE = 500000  # an internal error
pytestmark = needs_simulator

Arrays = list[Any]
rng = np.random.default_rng(3)
FLOATS = [rng.standard_normal((6, 6)).astype("float32") for _ in range(3)]
WHOLE = [rng.integers(1, 9, (6, 6)) for _ in range(3)]
WIDE = [rng.standard_normal((6, 6)) for _ in range(3)]
COMPLEX = [(x + 1j * y).astype("complex64") for x, y in zip(FLOATS, FLOATS[1:] + FLOATS[:1], strict=True)]


def chain(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x *= 2
    x += y
    x -= 1
    return [x]


def read_before(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    before = x + 1
    x -= 1
    return [before, x, before * x]


def several(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x += 1
    y -= x
    z *= y
    return [x, y, z]


def swapped(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    kept = x.copy()
    x[...] = y
    y[...] = kept
    return [x, y]


def strided(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x[::2] += 3
    y[:, ::-1] -= x
    z.T[...] += z
    return [x, y, z]


def in_halves(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x[:3] = z[:3]
    x[3:] += 1
    y[3:] -= 2
    y[:3] *= 3
    return [x, y]


def with_sum(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    total = x.sum(axis=0)
    x += y
    x *= total
    return [x, total]


def decomposed(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x *= y
    x //= z
    xp.remainder(y, z, out=y)
    return [x, y]


def products(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x += y @ z
    z[...] = x @ z
    return [x, z]


def two_outputs(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    xp.divmod(x, y, out=(x, y))
    return [x, y]


def at_places(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x[xp.asarray([1, 3])] = x[xp.asarray([3, 1])] + 1
    y[y > 3] *= 2
    np.add.at(z, 2, 5) if xp is np else xp.add.at(z, 2, 5)
    return [x, y, z]


def scanned(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    xp.cumsum(x, axis=0, out=x)
    xp.multiply.accumulate(y, axis=1, out=y)
    return [x, y]


def transcendental(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    xp.expm1(x, out=x)
    xp.cosh(y, out=y)
    xp.hypot(x, z, out=z)
    return [x, y, z]


def repeated(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    kept = x.copy()
    total = (kept * y).sum(axis=0) - (kept * y).sum(axis=0) + kept.cumsum(axis=0)
    y += kept
    x -= total + x.cumsum(axis=0)
    z *= 2
    return [x, y, z]


FORMS: list[tuple[Callable[..., Arrays], Arrays]] = [
    *((form, FLOATS) for form in (chain, read_before, several, swapped, strided, with_sum, products, scanned)),
    (transcendental, FLOATS),
    (in_halves, FLOATS),
    *((form, WHOLE) for form in (chain, several, strided, decomposed, two_outputs, at_places, products, repeated)),
    *((form, WIDE) for form in (chain, transcendental, decomposed, products)),
    *((form, COMPLEX) for form in (chain, several, products, strided)),
]


@pytest.fixture(autouse=True)
def no_faults() -> Iterator[None]:
    yield
    cannsim.clear_faults()


def attempt(
    form: Callable[..., Arrays], plain: Arrays, begin: Callable[[], None], code: int = CODE
) -> tuple[Arrays, bool]:
    """The form's results, perhaps still to be computed, and whether something failed after `begin`."""
    failed = False
    while True:
        arrays = [ap.from_numpy(x, device=OTHERS[0]).copy() for x in plain]
        ap.synchronize()
        if not failed:
            begin()
        try:
            results = form(ap, *arrays)
            break
        except RuntimeError as error:  # of a value that was needed at once: what came before it may have been done
            assert str(code) in str(error) and not failed, error
            failed = True
    try:
        ap.synchronize()
    except RuntimeError as error:
        assert str(code) in str(error) and not failed, error
        failed = True
    return results, failed


def logged() -> list[tuple[str, int]]:
    """Each call in the log, which ends here: the function, and how many of its calls there were with this one."""
    count: collections.Counter[str] = collections.Counter()
    found = []
    for call in cannsim.log():
        count[call["function"]] += 1
        found.append((call["function"], count[call["function"]]))
    cannsim.configure(log=False)
    cannsim.clear()
    loses = ("aclrtFree", "Destroy")  # what these fail to give back is lost
    return [one for one in found if not any(name in one[0] for name in loses)]


def calls(form: Callable[..., Arrays], plain: Arrays) -> list[tuple[str, int]]:
    """The calls that a form makes."""
    found = []
    for _ in range(3):  # what is kept for later, and what is captured, makes other calls
        attempt(form, plain, lambda: cannsim.configure(log=True))
        found += logged()
    return list(dict.fromkeys(found))


def let_every_call_fail(
    form: Callable[..., Arrays], plain: Arrays, made: list[tuple[str, int]], code: int = CODE
) -> int:
    """The form's results are right whichever of these calls fails; how many failures somebody was told of."""
    with np.errstate(all="ignore"):
        expected = form(np, *(x.copy() for x in plain))
    failures = 0
    for function, nth in made:
        results, failed = attempt(form, plain, partial(cannsim.fail, function, nth, code), code)
        failures += failed
        cannsim.clear_faults()
        for got, right in zip(results, expected, strict=True):
            bound = 0 if got.dtype.kind in "iub" else 2e-4
            what = f"call {nth} of {function} failed"
            np.testing.assert_allclose(ap.to_numpy(got), right, rtol=bound, atol=bound, err_msg=what)
        if "Kernel" in function:
            ap.forget_demotions()  # else operators do the rest
    return failures


@pytest.mark.parametrize("replay", [False, True], ids=["launched", "replayed"])
@pytest.mark.parametrize(
    ("form", "plain"), FORMS, ids=lambda value: value.__name__ if callable(value) else str(value[0].dtype)
)
def test_every_call_may_fail(form: Callable[..., Arrays], plain: Arrays, replay: bool) -> None:
    with ap.config.using(graph_replay=replay, fallback="count"):
        assert let_every_call_fail(form, plain, calls(form, plain)) > 3


@pytest.mark.parametrize("passes", ["none", "equal,dead", "copies,dead", "-dead"])
def test_every_call_may_fail_whatever_is_rewritten(passes: str) -> None:
    with ap.config.using(fallback="count", eager=False, eager_size=0, passes=passes):
        assert let_every_call_fail(repeated, FLOATS, calls(repeated, FLOATS)) > 3


def beside_extrema(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x *= y
    x += 1
    return [x, xp.max(x * 2, axis=0), xp.min(z * y - x)]


def parts(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x[:3] = x[:3] * 2 + z[:3]
    y[3:] = (y[3:] - x[3:]) * z[3:]
    z[:, 1:-1] = xp.maximum(z[:, 1:-1] * 2, x[:, :-2]) - 1
    return [x, y, z]


def spread(xp: Any, x: Any, y: Any, z: Any) -> Arrays:
    x[:, ::2] = x[:, ::2] * 3 + y[:, 1::2]
    y.T[...] = y.T * 2 - z.T
    z[::-1] = (z[::-1] + x) * z[::-1]
    return [x, y, z]


BROAD = [rng.standard_normal((8, 70)).astype("float32") for _ in range(3)]


@pytest.mark.skipif(not compiles(), reason="this CANN has no compiler for kernels, or the machine none of C++")
@pytest.mark.parametrize("code", [CODE, 207008], ids=["refused", "no resources"])
@pytest.mark.parametrize("form", [chain, read_before, beside_extrema, parts, spread], ids=lambda f: f.__name__)
def test_every_call_may_fail_where_programs_are_kernels(form: Callable[..., Arrays], code: int) -> None:
    with ap.config.using(machine_code="wait", fallback="count", eager=False, eager_size=0):
        made = calls(form, BROAD)
        assert "aclrtLaunchKernelWithHostArgs" in dict(made)
        ap.forget_demotions()
        assert let_every_call_fail(form, BROAD, made, code)
        ap.forget_demotions()


@hypothesis.settings(max_examples=150, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(programs(), st.integers(0, 10**6))
def test_a_call_of_a_random_program_may_fail(lines: list[str], which: int) -> None:
    with ap.config.using(fallback="count", eager_size=0):
        run(lines, ap)
        ap.synchronize()
        first = run(lines, ap)
        cannsim.configure(log=True)
        ap.synchronize()
        made = logged()
        hypothesis.assume(made)
        del first
        got = run(lines, ap)
        function, nth = made[which % len(made)]
        cannsim.fail(function, nth, CODE)
        with contextlib.suppress(cann.CannError):
            ap.synchronize()
        cannsim.clear_faults()
        for name, expected in live(run(lines, np)).items():
            what = f"{name} after call {nth} of {function} failed in\n\n{script(lines, 'asnumpy')}"
            np.testing.assert_array_equal(ap.to_numpy(got[name]), expected, err_msg=what)
