"""operators.check: what agrees passes, each thing that is wrong is found and told with what repeats it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from host_compiler import needs_compiler

import asnumpy as ap
from asnumpy import operators

pytestmark = needs_compiler
CODE = """
#include <cstdint>
extern "C" void add(int64_t b, int64_t bs, const float* x, const float* y, float* z, int64_t n) {
    for (int64_t i = b; i < n; i += bs) { z[i] = x[i] + y[i]; MORE }
}
"""
RIGHT = CODE.replace("MORE", "")
WRONG = {
    "values differ": CODE.replace("MORE", "if (i == 7) z[i] = 1e9f;"),
    "it has written to the input x": CODE.replace("MORE", "const_cast<float*>(x)[i] = 3;"),
}


def added(code: str) -> operators.Operator:
    op = ap.operator("checked_add(x: T[...], y: T[...]) -> z: T[...]", T="f2 f4")
    op.composed(lambda x, y: x + y)
    kernel = ap.RawKernel(code, "add")
    op.cpu(dtypes="f4")(lambda x, y, z: kernel(2, (x, y, z, np.int64(z.size))))
    op.gradient(lambda x, y, z, dz: (summed(dz, x.shape), summed(dz, y.shape)))
    return op


def summed(gradient: ap.ndarray, shape: tuple[int, ...]) -> ap.ndarray:
    """Over the axes along which an input was repeated."""
    front = tuple(range(gradient.ndim - len(shape)))
    gradient = gradient.sum(axis=front)
    return gradient.sum(axis=tuple(k for k, n in enumerate(shape) if n == 1), keepdims=True)


def test_what_agrees_passes():
    result = operators.check(added(RIGHT), seed=7)
    assert result.passed, result
    assert result.ran["cpu on cpu"] == 30 and result.ran["composed on cpu"] == 60
    assert {f"composed on {device}" for device in ap.devices()} <= set(result.ran)
    assert result.gradients == 24 and result.refusals >= 7
    text = str(result)
    assert "checked_add: passed; 60 cases, seed 7" in text and "cpu on cpu: compared 30 times" in text
    again = operators.check("checked_add")
    assert again.passed and again.seed != result.seed


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_found_and_repeated(what):
    op = added(WRONG[what])
    result = operators.check(op, seed=7)
    assert not result.passed and what in str(result) and "FAILED" in str(result)
    first = result.failures[0]
    again = operators.check(op, seed=result.seed, only=first.case)
    assert [str(one) for one in again.failures] == [str(one) for one in result.failures if one.case == first.case]


def test_a_gradient_that_is_wrong_is_found():
    op = added(RIGHT)
    op.gradient(lambda x, y, z, dz: (summed(dz, x.shape), summed(dz, y.shape) * 1.001))
    failures = operators.check(op, cases=12, seed=3).failures
    assert failures and all("of y: along a random direction" in one.what for one in failures)
    op.gradient(lambda x, y, z, dz: (dz[None], None))
    assert "of x: expected the shape" in str(operators.check(op, cases=3, seed=3))


@pytest.mark.parametrize("factor", [1, 1.001])
def test_a_gradient_where_the_function_bends(factor):
    op = ap.operator("bent(x: f8[n]) -> y: f8[n]")
    op.composed(lambda x: ap.sqrt(x * x + 1e-6))
    op.gradient(lambda x, y, dy: dy * x / y * factor)
    small = {"x": lambda rng, shape, _: rng.normal(0, 2e-3, shape)}
    result = operators.check(op, sizes={"n": [5]}, values=small, seed=1)
    assert result.passed == (factor == 1) and result.gradients == 12, result


def test_kernels_that_fail_or_are_not_for_this_are_told():
    op = added(RIGHT)

    @op.cpu(dtypes="f2")
    def _(x, y, z):
        raise ZeroDivisionError("by zero")

    op.ascend(lambda x, y, z: None, dtypes="f2", when=lambda x, y: False)
    result = operators.check(op, cases=10, seed=2)
    assert {one.what for one in result.failures} == {"raised ZeroDivisionError: by zero"}
    assert {one.implementation for one in result.failures} == {"cpu.2"}
    if any(str(device).startswith("ascend") for device in ap.devices()):
        assert "ascend on ascend:0: not run: it" in str(result)


def test_what_is_drawn_can_be_chosen():
    op = ap.operator("rooted(x: T[..., n], *, k: int, by: float = 1.0) -> y: T[..., n, k]", T="f4 f8")
    seen = []

    @op.composed
    def _(x, *, k, by):
        seen.append((x.shape[-1], k, by, float(ap.asnumpy(x).min()) if x.size else 1.0))
        return ap.sqrt(x)[..., None] + ap.zeros(k, dtype=x.dtype) * by

    with pytest.raises(ValueError, match=r"rooted: check: the attribute 'k' has no default; .* attributes={'k': "):
        operators.check(op)
    with pytest.raises(ValueError, match="rooted: check: sizes: there is no 'm'; declared are: n"):
        operators.check(op, sizes={"m": [1]}, attributes={"k": [1]})
    positive = {"x": lambda rng, shape, dtype: rng.random(shape) + 1}
    result = operators.check(op, sizes={"n": [4, 6]}, attributes={"k": [2, 3], "by": [0.5]}, values=positive, cases=20)
    assert result.passed, result
    assert {one[0] for one in seen} <= {4, 6} and {one[1] for one in seen} <= {2, 3}
    assert {one[2] for one in seen} == {0.5} and min(one[3] for one in seen) >= 1
    impossible = ap.operator("impossible(x: f4[n]) -> y: f4[n - 100000]")
    impossible.composed(lambda x: x)
    with pytest.raises(ValueError, match="no sizes were found for which all shapes are possible"):
        operators.check(impossible)
    with pytest.raises(ValueError, match="there is no composed implementation, which is the reference"):
        operators.check(ap.operator("none(x: f4[n]) -> y: f4[n]"))


def test_a_gradient_of_every_kind_of_dtype():
    op = ap.operator("chosen(x: T[n], index: int64[m], mask: bool[n] = None) -> y: T[m], count: i8[]", T="f4 f8")

    @op.composed
    def _(x, index, mask):
        x = x if mask is None else ap.where(mask, x, 0)
        return x[index], ap.count_nonzero(index)

    @op.gradient
    def _(x, index, mask, y, count, dy, dcount):
        dx = ap.asarray([float(dy[ap.asarray(index == k)].sum()) for k in range(x.size)])
        return dx if mask is None else ap.where(mask, dx, 0), None, None

    def places(rng, shape, dtype):
        return rng.integers(0, 3, shape)

    result = operators.check(op, sizes={"n": [3, 5]}, values={"index": places}, cases=20, seed=1)
    assert result.passed and result.gradients == 12, result


def test_a_stub_is_what_a_type_checker_reads(tmp_path):
    op = ap.operator("stubbed(x: T[n], y: T[n] = None, *, k: int, to: dtype = f4, t: tuple = ()) -> z: T[n], w: to[k]",
                     T="f4")  # fmt: skip
    text = operators.stub(op, tmp_path / "stubbed.pyi")
    assert (tmp_path / "stubbed.pyi").read_text() == text
    assert text.endswith(
        "def stubbed(x: ArrayLike, y: ArrayLike | None = ..., *, k: int, to: DTypeLike = ..., "
        "t: tuple[Any, ...] = ..., out: tuple[ndarray, ndarray] | None = ...) -> tuple[ndarray, ndarray]: ...\n"
    )
    assert operators.stub([op, added(RIGHT)]).count("def ") == 2
    (tmp_path / "use.py").write_text("import numpy as np\nfrom stubbed import stubbed\nstubbed(np.ones(3), k=3)\n")
    wrong = "import numpy as np\nfrom stubbed import stubbed\nstubbed(np.ones(3), k='3')\n"
    (tmp_path / "wrong.py").write_text(wrong)
    pytest.importorskip("mypy", reason="mypy is not installed")
    for name, status in (("use.py", 0), ("wrong.py", 1)):
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", name], cwd=tmp_path, capture_output=True,
                              text=True, check=False)  # fmt: skip
        assert done.returncode == status, done.stdout
