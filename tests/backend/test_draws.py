"""Random numbers that the device draws: those of the CPU to the bit, and what happens where it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backend.simulated_calls import names_of
from cannsim.kernels import compiles
from device_marks import OTHERS, needs_simulator, needs_two
from robust.late import VECTOR, expect_told, fail, nothing_planned

import asnumpy as ap
from asnumpy import _core, cannsim

NO_COMPILER = "this CANN has no compiler for kernels, or the machine none of C++"
pytestmark = [needs_simulator, pytest.mark.skipif(not compiles(), reason=NO_COMPILER)]

LARGE, SMALL = 1 << 20, 1 << 14  # what a compiler runs for, and what a kernel that is at hand is launched for
Draw = Callable[[Any, Any], Any]
DRAWS: dict[str, Draw] = {
    "float32": lambda rng, n: rng.random(n, dtype="float32"),
    "float64": lambda rng, n: rng.random(n),
    "int8": lambda rng, n: rng.integers(-100, 101, n, dtype="int8"),
    "uint16": lambda rng, n: rng.integers(7, 60000, n, dtype="uint16"),
    "int32": lambda rng, n: rng.integers(-(2**31), 2**31, n, dtype="int32"),
    "int64": lambda rng, n: rng.integers(-5, 10**9, n),
    "words": lambda rng, n: rng.bit_generator.random_raw(n),
    "bool": lambda rng, n: rng.integers(0, 2, n, dtype=bool),
}
PLACES = [0, 16 * 999 + 9, (1 << 33) - 20_001, (1 << 65) - 4097]
LAUNCH = "aclrtLaunchKernelWithHostArgs"


def generator(place: int = 0, key: int = 2024) -> Any:
    return ap.random.Generator(ap.random.Philox(key=key, counter=place))


def on_cpu(draw: Draw, n: Any, place: int = 0) -> np.ndarray:
    with ap.Device("cpu"):
        return ap.to_numpy(draw(generator(place), n))


def on_device(draw: Draw, n: Any, place: int = 0, device: Any = None) -> np.ndarray:
    with ap.Device(device or OTHERS[0]):
        return ap.to_numpy(draw(generator(place), n))


@pytest.fixture(scope="module", autouse=True)
def kernels_at_hand() -> None:
    for name, draw in DRAWS.items():
        if name not in ("words", "bool"):  # which have a kernel in common with others
            on_device(draw, LARGE)


@pytest.fixture(autouse=True)
def as_found() -> Iterator[None]:
    ap.forget_fallbacks()
    ap.forget_demotions()
    with nothing_planned():
        yield
    ap.forget_fallbacks()
    ap.forget_demotions()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", DRAWS)
def test_numbers_are_those_of_the_cpu(name: str, place: int) -> None:
    for n in (SMALL, 20_011, (3, 50, 200)):
        got: list[np.ndarray] = []
        seen = names_of(lambda n=n, got=got: got.append(on_device(DRAWS[name], n, place)))
        assert seen[LAUNCH] == 1
        expected = on_cpu(DRAWS[name], n, place)
        assert got[0].dtype == expected.dtype
        np.testing.assert_array_equal(got[0], expected)
    assert not ap.fallbacks()


@pytest.mark.parametrize("name", DRAWS)
def test_one_draw_or_two(name: str) -> None:
    with ap.Device(OTHERS[0]):
        rng = generator(5)
        parts = [ap.to_numpy(DRAWS[name](rng, n)) for n in (SMALL + 3, 11, SMALL + 1)]
    np.testing.assert_array_equal(np.concatenate(parts), on_cpu(DRAWS[name], 2 * SMALL + 15, 5))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("skipped", [1, 3, 8, 129])
def test_into_a_part_of_an_array(dtype: str, skipped: int) -> None:
    with ap.Device(OTHERS[0]):
        all_of_it = ap.full(SMALL + 300, 7, dtype=dtype)
        part = all_of_it[skipped : skipped + SMALL + 2]
        assert generator(3).random(dtype=dtype, out=part) is part
        got = ap.to_numpy(all_of_it)
    expected = np.full(SMALL + 300, 7, dtype)
    expected[skipped : skipped + SMALL + 2] = on_cpu(lambda rng, n: rng.random(n, dtype=dtype), SMALL + 2, 3)
    np.testing.assert_array_equal(got, expected)


def test_into_an_array_in_the_other_order() -> None:
    with ap.Device(OTHERS[0]):
        turned = ap.zeros((200, 150)).T
        generator().random(out=turned)
        got = ap.to_numpy(turned)
    with ap.Device("cpu"):
        expected = ap.zeros((200, 150)).T
        generator().random(out=expected)
    np.testing.assert_array_equal(got, ap.to_numpy(expected))


@needs_two
def test_on_two_devices() -> None:
    for draw in DRAWS.values():
        first, second = (on_device(draw, 30_000, 77, device) for device in OTHERS[:2])
        np.testing.assert_array_equal(first, second)


def test_in_order_with_other_work() -> None:
    with ap.Device(OTHERS[0]), ap.config.using(eager_size=0):
        x = ap.ones(SMALL)
        doubled = x * 2
        generator(1).random(out=x)
        result = ap.to_numpy(x + doubled)
    np.testing.assert_array_equal(result, on_cpu(DRAWS["float64"], SMALL, 1) + 2)


def test_on_a_stream_of_its_own() -> None:
    with ap.Device(OTHERS[0]):
        cannsim.configure(lag=100)
        try:
            with ap.Stream(OTHERS[0]):
                x = generator(9).random(SMALL)
            got = ap.to_numpy(x + 1)
        finally:
            cannsim.configure(lag=0)
    np.testing.assert_array_equal(got, on_cpu(DRAWS["float64"], SMALL, 9) + 1)


@pytest.mark.parametrize(("draw", "why"), [
    (lambda rng, n: rng.normal(size=n), "arithmetic of float64"),
    (lambda rng, n: rng.integers(0, np.full(n, 9)), "bounds that are arrays"),
    (lambda rng, n: rng.integers(0, 2**40, n), "products of 128 bits"),
])
def test_what_the_host_draws(draw: Draw, why: str) -> None:
    np.testing.assert_array_equal(on_device(draw, SMALL), on_cpu(draw, SMALL))
    (left,) = [one for one in ap.fallbacks() if one["function"].startswith("random_")]
    assert why in left["reason"] and left["count"] == 1


def test_few_numbers_are_drawn_on_the_host_without_a_report() -> None:
    with ap.config.using(fallback="error"):
        got = on_device(DRAWS["float32"], 100)
    np.testing.assert_array_equal(got, on_cpu(DRAWS["float32"], 100))
    (left,) = ap.fallbacks()
    assert left["count"] == 1 and "sooner" in left["reason"]


def test_a_launch_that_is_refused_leaves_the_draw_to_the_host() -> None:
    cannsim.fail(LAUNCH, 1, 107000)
    with ap.config.using(fallback="warn"), pytest.warns(ap.FallbackWarning, match="CANN refused kernel draw_float64"):
        np.testing.assert_array_equal(on_device(DRAWS["float64"], SMALL), on_cpu(DRAWS["float64"], SMALL))
    (refused,) = [one for one in ap.demotions() if one["kind"] == "operator"]
    assert refused["what"] == "kernel draw_float64" and refused["count"] == 1 and "107000" in refused["reason"]
    seen = names_of(lambda: on_device(DRAWS["float64"], SMALL))
    assert LAUNCH not in seen
    assert names_of(lambda: on_device(DRAWS["float32"], SMALL))[LAUNCH] == 1
    ap.forget_demotions()
    assert names_of(lambda: on_device(DRAWS["float64"], SMALL))[LAUNCH] == 1


def test_a_device_that_does_not_say_how_many_cores_it_has() -> None:
    cannsim.fail("aclrtGetDeviceInfo", 0, 500000)
    np.testing.assert_array_equal(on_device(DRAWS["int64"], 100_000), on_cpu(DRAWS["int64"], 100_000))
    assert not ap.fallbacks()


def test_a_device_without_resources_is_no_refusal() -> None:
    cannsim.fail(LAUNCH, 1, 207008)
    with pytest.raises(RuntimeError, match="207008"):
        on_device(DRAWS["float64"], SMALL)
    np.testing.assert_array_equal(on_device(DRAWS["float64"], SMALL), on_cpu(DRAWS["float64"], SMALL))
    assert not ap.demotions()


def test_a_kernel_that_fails_late() -> None:
    with ap.Device(OTHERS[0]):
        other = ap.arange(1000.0) + 1
        ap.synchronize()
        fail(code=VECTOR)
        x = generator().random(SMALL, dtype="float32")
        error = expect_told(lambda: ap.to_numpy(x), VECTOR)
        assert "draw_float32(float32[16384])" in str(error)
        np.testing.assert_array_equal(ap.to_numpy(other), np.arange(1000.0) + 1)
        generator().random(out=x, dtype="float32")
        np.testing.assert_array_equal(ap.to_numpy(x), on_cpu(DRAWS["float32"], SMALL))


# --- what is kept on disk, in processes of their own ---

PROGRAM = """
import numpy as np, asnumpy as ap
from asnumpy import cannsim
NPU = next(device for device in ap.devices() if device != "cpu")
cannsim.configure(log=True)
def draw(n, device=NPU):
    with ap.Device(device):
        return ap.to_numpy(ap.random.Generator(ap.random.Philox(key=1)).random(n, dtype="float32"))
def check(n):
    assert (draw(n) == draw(n, "cpu")).all()
def compiled(): return sum(call["function"] == "aclrtcCompileProg" for call in cannsim.log())
def launched(): return sum(call["function"] == "aclrtLaunchKernelWithHostArgs" for call in cannsim.log())
"""


@pytest.fixture(scope="module")
def compiler_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the simulator's compiler, so that it is quick the second time."""
    return tmp_path_factory.mktemp("compiled")


def run(lines: str, folder: Path | str, compiler_cache: Path, **variables: str) -> None:
    changed = {"XDG_CACHE_HOME": str(folder), "ASCENDC_CACHE": str(compiler_cache)} | variables
    command = [sys.executable, "-c", PROGRAM + lines]
    done = subprocess.run(command, env=os.environ | changed, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "asnumpy" / "kernels").iterdir())


def test_a_compiler_runs_once_on_a_machine(tmp_path: Path, compiler_cache: Path) -> None:
    lines = "check(100); check(20_000); assert not compiled() and not launched()\n"
    lines += "check(1 << 20); check(20_000); assert compiled() == 1 and launched() == 2"
    run(lines, tmp_path, compiler_cache)
    (file,) = kept(tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700
    run("check(20_000); check(1 << 20); assert not compiled() and launched() == 2", tmp_path, compiler_cache)
    file.write_bytes(file.read_bytes()[:-1])
    run("check(20_000); assert not launched()\ncheck(1 << 20); assert compiled() == 1", tmp_path, compiler_cache)
    run("check(20_000); assert not compiled() and launched() == 1", tmp_path, compiler_cache)
    file.chmod(0o666)
    run("check(20_000); assert not launched()", tmp_path, compiler_cache)


@pytest.mark.parametrize("function", ["aclrtBinaryLoadFromData", "aclrtBinaryGetFunction"])
def test_what_does_not_load_is_compiled_again(tmp_path: Path, compiler_cache: Path, function: str) -> None:
    run("check(1 << 20)", tmp_path, compiler_cache)
    once = f"cannsim.fail('{function}', 1, 107000); check(20_000)\n"
    run(once + "assert compiled() == 1 and launched() == 1 and not ap.demotions()", tmp_path, compiler_cache)
    always = f"cannsim.fail('{function}', 0, 107000); check(1 << 20)\n"
    run(always + "assert not launched() and ap.demotions()", tmp_path, compiler_cache)


def test_a_folder_that_cannot_be_used(tmp_path: Path, compiler_cache: Path) -> None:
    (tmp_path / "file").write_text("")
    run("check(1 << 20); check(20_000); assert compiled() == 1 and launched() == 2", tmp_path / "file", compiler_cache)
    (tmp_path / "asnumpy" / "kernels").mkdir(parents=True)
    (tmp_path / "asnumpy" / "kernels").chmod(0o777)
    run("check(1 << 20); assert compiled() == 1 and launched() == 1", tmp_path, compiler_cache)
    assert not kept(tmp_path)


def test_old_binaries_go(tmp_path: Path, compiler_cache: Path) -> None:
    folder = tmp_path / "asnumpy" / "kernels"
    folder.mkdir(parents=True, mode=0o700)
    most = _core.kept_place()[1]
    for i in range(most + 4):
        (folder / f"{i:032x}").write_bytes(b"old")
        os.utime(folder / f"{i:032x}", (i, i))
    (folder / "begun.new").write_bytes(b"left")
    os.utime(folder / "begun.new", (1, 1))
    run("check(1 << 20)", tmp_path, compiler_cache)
    left = [path.name for path in kept(tmp_path)]
    assert len(left) == most and f"{most + 3:032x}" in left and f"{0:032x}" not in left and "begun.new" not in left


@pytest.mark.parametrize("compiler", ["/bin/false", "/nowhere/c++"])
def test_without_a_compiler_the_host_draws(tmp_path: Path, compiler: str) -> None:
    run("import warnings\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    warnings.simplefilter('always')\n"
        "    check(1 << 20); check(1 << 20)\n"
        "assert sum('CANN refused kernel draw_float32' in str(one.message) for one in said) == 1\n"
        "assert compiled() == 1 and not launched() and ap.demotions()[0]['what'] == 'kernel draw_float32'\n",
        tmp_path, tmp_path / "none", CXX=compiler, ASNUMPY_FALLBACK="warn")  # fmt: skip
