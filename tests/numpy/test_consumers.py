"""SciPy, scikit-learn, einops and opt_einsum take our arrays and give them back, with the values of NumPy's."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import consumers
import einops
import einops.array_api
import numpy as np
import opt_einsum
import pytest
from agreement import assert_same, ours, sample

import asnumpy as ap
import asnumpy.einops


@functools.cache
def outcomes(group: str) -> dict[str, str]:
    """One process for each group: SciPy decides when it is imported whether it takes other libraries' arrays."""
    run = subprocess.run(
        [sys.executable, Path(consumers.__file__), group], capture_output=True, text=True,
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", consumers.SCIPY)
def test_scipy(name):
    assert not outcomes("scipy")[name], outcomes("scipy")[name]


@pytest.mark.parametrize("name", consumers.SCIPY_TO_NUMPY)
def test_scipy_to_numpy(name):
    assert not outcomes("scipy to numpy")[name], outcomes("scipy to numpy")[name]


@pytest.mark.parametrize("name", consumers.SKLEARN)
def test_sklearn(name):
    assert not outcomes("sklearn")[name], outcomes("sklearn")[name]


# --- einops ---

X = sample((2, 3, 4), "float32")
EINOPS = {
    "rearrange": lambda m, x: m.rearrange(x, "a b c -> c (a b)"),
    "rearrange split": lambda m, x: m.rearrange(x, "a b (c d) -> d a b c", d=2),
    "rearrange list": lambda m, x: m.rearrange([x, x], "n a b c -> c (a b) n"),
    "rearrange ellipsis": lambda m, x: m.rearrange(x, "a ... -> ... a"),
    **{f"reduce {how}": lambda m, x, how=how: m.reduce(x, "a b c -> a c", how)
       for how in ("mean", "sum", "max", "min", "prod", "any", "all")},
    "reduce to blocks": lambda m, x: m.reduce(x, "a b (c d) -> a b c", "max", d=2),
    "repeat": lambda m, x: m.repeat(x, "a b c -> a b c d", d=2),
    "repeat inner": lambda m, x: m.repeat(x, "a b c -> a (b k) c", k=3),
    "pack": lambda m, x: m.pack([x, x[:, :, 0]], "a b *"),
    "unpack": lambda m, x: m.unpack(x, [[1], [3]], "a b *"),
}


@pytest.mark.parametrize("name", EINOPS)
def test_einops(name):
    expected = EINOPS[name](einops, X)
    for module in (einops, asnumpy.einops, einops.array_api):
        got = EINOPS[name](module, ours(X))
        assert_same(expected, got, ulp=4)


def test_einops_more():
    x, w = sample((2, 3), "float64"), sample((3, 4), "float64", 1)
    assert_same(einops.einsum(x, w, "a b, b c -> c a"), einops.einsum(ours(x), ours(w), "a b, b c -> c a"), ulp=4)
    assert einops.parse_shape(ours(x), "a b") == {"a": 2, "b": 3}
    assert type(einops.asnumpy(ours(x))) is np.ndarray
    with pytest.raises(einops.EinopsError):
        einops.rearrange(ours(x), "a b c -> a")
    y = ours(x) + 1
    if not ap.config.eager:
        y = ap.asarray(np.ones((300, 400))) + 1
        moved = einops.rearrange(y, "a b -> b a")
        assert moved.base is not None  # a view: nothing ran
        assert y._pending


# --- opt_einsum ---


def test_opt_einsum():
    a, b, c = sample((3, 4), "float64"), sample((4, 5), "float64", 1), sample((5, 3), "float64", 2)
    for subscripts, arrays in [("ab,bc,cd->ad", (a, b, c)), ("ab,bc,cd->", (a, b, c)), ("ab,bc,ca->abc", (a, b, c)),
                               ("ab,bc", (a, b)), ("ab->ba", (a,)), ("aa->a", (a[:, :3].copy(),)),
                               ("ab,ab->b", (a, a))]:
        expected = opt_einsum.contract(subscripts, *arrays)
        for how in ("auto", "optimal"):
            got = opt_einsum.contract(subscripts, *map(ours, arrays), optimize=how)
            assert_same(expected, got, ulp=64, atol=1e-9)
    run = opt_einsum.contract_expression("ab,bc,cd->ad", (3, 4), (4, 5), (5, 3))
    assert_same(run(a, b, c), run(ours(a), ours(b), ours(c)), ulp=64, atol=1e-9)
    fixed = opt_einsum.contract_expression("ab,bc,cd->ad", ours(a), (4, 5), ours(c), constants=[0, 2])
    assert_same(np.einsum("ab,bc,cd->ad", a, b, c), fixed(ours(b)), ulp=64, atol=1e-9)
    with opt_einsum.shared_intermediates():
        assert type(opt_einsum.contract("ab,bc->ac", ours(a), ours(b))) is ap.ndarray
