"""Elementary functions in units of the last place, over all floats: no further off than NumPy's or one unit."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from seeded import generator as seeded

import asnumpy as ap

_COUNT = 20000
ONE = (
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arccosh",
    "arctanh",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "cbrt",
    "sqrt",
)
TWO = ("power", "arctan2", "hypot", "logaddexp", "logaddexp2")


def _on_cpu(x):
    return ap.asarray(x, device="cpu")


# Of which dtype the values are exact enough.
WIDER = {"float16": np.float64, "float32": np.float64, "float64": np.longdouble}


def arguments(dtype, generator):
    """Every size of number, every exponent alike; numbers around the functions' knees; multiples of pi / 2."""
    kind, bits = np.dtype(dtype), np.dtype(f"u{np.dtype(dtype).itemsize}")
    patterns = generator.integers(0, np.iinfo(bits).max, _COUNT, dtype=bits, endpoint=True).view(kind)
    n = _COUNT // 8
    near = [generator.uniform(-scale, scale, n) for scale in (1, 2, 10, 100, 800, 1e6)]
    near += [
        generator.choice([-1, 1], n) * 2.0 ** generator.uniform(-60, 0, n),
        1 + generator.uniform(-1, 1, n) * 2.0 ** generator.uniform(-50, 0, n),
    ]
    near += [np.round(generator.uniform(-(10.0**k), 10.0**k, n)) * np.pi / 2 for k in (1, 3, 5)]
    return np.concatenate(
        [
            patterns,
            *(part.astype(kind) for part in near),
            np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-9], kind),
        ]
    )


def units_off(found, exact, dtype):
    """How far each value is from the exact one, in the dtype's spacing; infinity where only one is NaN or infinite."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        below = np.where(
            np.abs(rounded).astype(exact.dtype) > np.abs(exact), np.nextafter(rounded, np.array(0, dtype)), rounded
        )
        off = np.abs(found.astype(exact.dtype) - exact) / np.abs(np.spacing(below)).astype(exact.dtype)
    alike = (np.isnan(found) == np.isnan(rounded)) & (np.isinf(found) == np.isinf(rounded))
    alike |= np.abs(np.nextafter(np.abs(found), np.array(np.inf, dtype))) == np.inf  # beside the largest number
    return np.where(~alike, np.inf, np.where(np.isfinite(rounded) & np.isfinite(found), off, 0))


def check(name, dtype, operands):
    wide = WIDER[dtype]
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(*(one.astype(wide) for one in operands))
        of_numpy = getattr(np, name)(*operands)
    found = ap.to_numpy(getattr(ap, name)(*map(_on_cpu, operands)))
    assert found.dtype == dtype
    theirs, mine = units_off(of_numpy, exact, dtype), units_off(found, exact, dtype)
    allowed = max(1.2 if name == "hypot" else 1.0, float(theirs.max()))
    worst = int(mine.argmax())
    assert mine[worst] <= allowed, (
        name,
        dtype,
        [one[worst] for one in operands],
        found[worst],
        exact[worst],
        float(mine[worst]),
        allowed,
    )
    zero = (exact == 0) & (found == 0)
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(of_numpy[zero]))


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", ONE)
def test_of_one_number(name, dtype):
    x = arguments(dtype, seeded())
    if dtype == "float16":
        x = np.arange(65536, dtype=np.uint16).view(np.float16)
    check(name, dtype, [x])


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", TWO)
def test_of_two_numbers(name, dtype):
    generator = seeded()
    x, y = arguments(dtype, generator), generator.permutation(arguments(dtype, generator))
    check(name, dtype, [np.abs(x) if name == "power" else x, y])


def test_the_measure_sees_one_unit():
    exact = np.array([1.0, 2.0, 1e-310, np.nan, np.inf], np.longdouble)
    found = exact.astype(float)
    assert not units_off(found, exact, "float64").any()
    found[0] = np.nextafter(1, 2)
    assert units_off(found, exact, "float64")[0] == 1
    found[3:] = 1
    assert np.isinf(units_off(found, exact, "float64")[3:]).all()


def test_near_zero():
    for name in ("cos", "cosh", "exp"):
        assert getattr(ap, name)(_on_cpu([1e-9] * 7)).tolist() == getattr(np, name)(np.full(7, 1e-9)).tolist()
    for name in ("sin", "tan", "arcsin", "sinh", "arctan", "tanh", "expm1", "log1p"):
        x = np.array([0.0, -0.0, 5e-324, -1e-310, 1e-200])
        found = ap.to_numpy(getattr(ap, name)(_on_cpu(x)))
        assert found.tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*ONE, "power", "arctan2"])
def test_bits_are_numpys_in_every_place_of_an_array(name, dtype):
    """But those of float64's sine and cosine, which are computed here; wherever an element lies, in place too."""
    generator = seeded()
    x = arguments(dtype, generator)[::5].copy()
    operands = (
        [np.abs(x), generator.permutation(x)]
        if name == "power"
        else [x, generator.permutation(x)][: 2 if name in TWO else 1]
    )
    whole = ap.to_numpy(getattr(ap, name)(*map(_on_cpu, operands)))
    with np.errstate(all="ignore"):
        if not (dtype == "float64" and name in ("sin", "cos")):
            np.testing.assert_array_equal(whole, getattr(np, name)(*operands))
    for n in (*range(1, 20), 63, 64, 65, 511, 513, 1025):
        part = [_on_cpu(one[:n].copy()) for one in operands]
        assert ap.to_numpy(getattr(ap, name)(*part)).tobytes() == whole[:n].tobytes()
        into = part[0]
        getattr(ap, name)(*part, out=into)
        assert ap.to_numpy(into).tobytes() == whole[:n].tobytes()
        both = ap.empty(2 * n, dtype, device="cpu")  # operands that touch
        both[:n] = operands[0][:n]
        getattr(ap, name)(both[:n], *part[1:], out=both[n:])
        assert ap.to_numpy(both[n:]).tobytes() == whole[:n].tobytes()


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_multiples_of_a_quadrant(name):
    """The numbers of which the least is left after the reduction, at every quotient that is reduced here."""
    for part in np.array_split(np.arange(640000) * (np.pi / 2), 8):
        exact = getattr(np, name)(part.astype(np.longdouble))
        assert units_off(ap.to_numpy(getattr(ap, name)(_on_cpu(part))), exact, "float64").max() <= 1


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("other", [65535.9, 65536.0, 999999.0, 1e6, 1e300, np.nan, np.inf])
def test_bits_do_not_depend_on_neighbours(name, other):
    generator = seeded()
    x = np.concatenate([generator.uniform(-scale, scale, 700) for scale in (1, 100, 65536)])
    alone = ap.to_numpy(getattr(ap, name)(_on_cpu(x)))
    far = ap.to_numpy(getattr(ap, name)(_on_cpu(np.full(3, other))))[0]
    for place in (0, 300, 2099):
        beside = ap.to_numpy(getattr(ap, name)(_on_cpu(np.insert(x, place, other))))
        np.testing.assert_array_equal(beside, np.insert(alone, place, far))


_PROGRAM = """
import hashlib
import numpy as np
import asnumpy as ap
x = np.random.default_rng(5).uniform(-1000, 1000, 5000)
y = ap.asarray(x, device="cpu")
made = [ap.to_numpy(getattr(ap, name)(y)) for name in ("sin", "cos", "exp", "tanh", "arctan", "cbrt")]
print(hashlib.sha256(b"".join(one.tobytes() for one in made)).hexdigest())
"""


def test_every_instruction_set_has_the_same_bits():
    found = set()
    for name in ("x86-64-v4", "x86-64-v3", "x86-64-v2"):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM], env={**os.environ, "ASNUMPY_ISA": name}, capture_output=True, text=True
        )
        if done.returncode == 0:
            found.add(done.stdout)
        else:
            assert "ASNUMPY_ISA" in done.stderr  # which this build or machine lacks
    assert len(found) <= 1
