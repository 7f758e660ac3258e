"""What a user sets for all devices: limits of waiting, precision of products, fixed order, another chip's facts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cann, cannsim, config


@pytest.fixture(autouse=True)
def on_the_device() -> Iterator[None]:
    with config.using(device="ascend:0", timeout=0, matmul_precision="float32", deterministic=False):
        yield


@pytest.fixture
def slow(simulator: None) -> Iterator[None]:
    """Every task takes 0.4 s to start."""
    cann.synchronize()
    cannsim.configure(lag=400_000)
    yield
    with config.using(timeout=0):
        cann.synchronize()
    cannsim.configure(lag=0)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    "wait", [lambda x: x.tolist(), lambda x: cann.synchronize(), lambda x: ap.synchronize(), lambda x: float(x[0])],
    ids=["read", "device", "all", "number"],
)
def test_a_wait_gives_up_and_nothing_is_lost(wait) -> None:
    x = ap.arange(1, dtype="float32") + 5
    ap.flush()
    said = r"507046.*0\.05 s \(asnumpy\.config\.timeout\)"
    with config.using(timeout=0.05), pytest.raises(ap.cann.CannError, match=said):
        wait(x)
    assert x.tolist() == [5]


@pytest.mark.usefixtures("slow")
def test_an_event_gives_up() -> None:
    x = ap.arange(10, dtype="float32") * 3
    event = ap.Event().record(ap.Stream.default("ascend:0"))
    with config.using(timeout=0.05), pytest.raises(ap.cann.CannError, match=r"507047.*timeout"):
        event.synchronize()
    event.synchronize()
    assert event.done and x.tolist() == [3.0 * i for i in range(10)]


@pytest.mark.usefixtures("slow")
def test_a_large_read_that_gave_up_leaves_the_copies_after_it_whole() -> None:
    """What a read gave up still arrives, in pinned memory that nothing else may have been given meanwhile."""
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 3_000_000)).astype(np.float32)
    x = ap.array(first)
    with config.using(timeout=0.1), pytest.raises(ap.cann.CannError, match="timeout"):
        x.to_numpy()
    y = ap.array(second)
    np.testing.assert_array_equal(y.to_numpy(), second)
    np.testing.assert_array_equal(x.to_numpy(), first)


def test_cann_is_told_the_limit(simulator: None) -> None:
    ap.ones(3).tolist()
    cannsim.configure(log=True)
    try:
        config.timeout = 2.5
        config.timeout = 0
        given = [str(call["arguments"]) for call in cannsim.log() if call["function"] == "aclrtSetOpExecuteTimeOut"]
    finally:
        cannsim.configure(log=False)
    assert len(given) % 2 == 0 and set(given[: len(given) // 2]) == {given[0]} and "3" in given[0], given


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize(("name", "bits"), [("float32", 22), ("hf32", 12), ("float16", 11)])
def test_factors_are_rounded_as_asked(name: str, bits: int, dtype: str) -> None:
    rng = np.random.default_rng(2)
    parts = rng.uniform(1, 2, (2, 2, 40, 30)).astype("float32")
    a, b = (parts[0] + 1j * parts[1]).astype(dtype) if dtype == "complex64" else parts[0]
    exact = a.astype("complex128") @ b.T.astype("complex128")
    with config.using(matmul_precision=name):
        got = ap.asarray(a) @ ap.asarray(b).T
    error = np.abs(got.to_numpy() - exact).max() / np.abs(exact).max()
    assert error < 2.0 ** (1 - bits)
    if name != "float32":
        assert error > 2.0 ** -(bits + 8), "nothing was rounded"


@pytest.mark.parametrize(("form", "factors"), [
    (lambda a, b: a @ b + 1, 2), (lambda a, b: ap.linalg.multi_dot([a, b, a]), 4), (lambda a, b: a[None] @ b[None], 2),
])  # fmt: skip
def test_every_product_of_float32_takes_it(form, factors: int) -> None:
    a = ap.asarray(np.random.default_rng(3).uniform(1, 2, (17, 17)).astype("float32"))
    exact, again = form(a, a).to_numpy(), form(a, a).to_numpy()
    with config.using(matmul_precision="hf32"):
        rounded = form(a, a)
    assert np.array_equal(exact, again) and not np.array_equal(exact, rounded.to_numpy())
    # Each factor, of which none is negative, is rounded to 12 significant bits.
    np.testing.assert_allclose(exact, rounded.to_numpy(), rtol=factors * 2.0**-12)


def test_integers_stay_exact() -> None:
    a = ap.asarray(np.random.default_rng(4).integers(-1000, 1000, (20, 20)))
    with config.using(matmul_precision="float16"):
        assert np.array_equal((a @ a).to_numpy(), a.to_numpy() @ a.to_numpy())


def test_deterministic_reaches_cann(simulator: None) -> None:
    x = ap.ones((5, 5), dtype="float32")
    for _ in range(3):
        x.sum().item()
    cannsim.configure(log=True)
    try:
        with config.using(deterministic=True):
            assert (x.sum().item(), (x + x).tolist()) == (25, [[2.0] * 5] * 5)
        said = [call["arguments"] for call in cannsim.log() if call["function"] == "aclrtCtxSetSysParamOpt"]
    finally:
        cannsim.configure(log=False)
    assert [("1" in str(one)) for one in said][:1] == [True] and len(said) % 2 == 0


CHIP = """
import asnumpy as ap
print(ap.arange(3.0).device)
try:
    ap.ones(3, device="ascend:0")
except ap.cann.CannError as error:
    print(error)
"""


def _run(**variables: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "ASNUMPY_CANN": "sim", **variables}
    env.pop("ASNUMPY_DEVICE", None)
    return subprocess.run([sys.executable, "-c", CHIP], env=env, capture_output=True, text=True, timeout=300)


def test_a_chip_that_is_not_known_stays_unused() -> None:
    done = _run(ASNUMPY_CHIP="Ascend310P3")
    assert done.returncode == 0, done.stderr
    where, said = done.stdout.split("\n", 1)
    assert where == "cpu" and "ASNUMPY_CHIP is Ascend310P3, and what its operators take is not known" in said
    assert "Ascend910B*" in said and "FallbackWarning" in done.stderr


def test_a_chip_may_be_taken_for_another() -> None:
    done = _run(ASNUMPY_CHIP="Ascend910_9391")
    assert (done.returncode, done.stdout.strip()) == (0, "ascend:0"), done.stderr
