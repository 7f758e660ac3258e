"""`python -m asnumpy cache`: what is kept is told, checked and removed by kind; nothing else is touched."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from host_compiler import compiler

from asnumpy import _core, stores
from asnumpy.stores import _stores

ROOT = Path(__file__).resolve().parents[2]
needs_a_compiler = pytest.mark.skipif(compiler() is None, reason="there is nothing to keep without a C++ compiler")

# A strand, and a kernel of the user's.
KEEPING = """
import numpy as np
import asnumpy as ap
ap.config.eager_size = 0
with ap.Device("cpu"):
    x = ap.arange(5000, dtype="f4")
    ap.eval((x * x + x) * x - x)
    kernel = ap.RawModule(code='extern "C" void one(long block, long, float* x, unsigned n) { if (!block) x[0] = n; }')
    kernel.get_function("one")(1, (x, 3))
    assert x[0] == 3
"""


class Machine:
    """Processes that share a cache, and nobody else's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kernels = folder / "asnumpy" / "kernels"
        self._variables = {key: value for key, value in os.environ.items() if key != "ASCENDC_CACHE"} | {
            "XDG_CACHE_HOME": str(folder), "HOME": str(folder), "TMPDIR": str(folder), "ASNUMPY_MACHINE_CODE": "wait",
            "ASNUMPY_EAGER": "0",
        }  # fmt: skip

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=240, check=False,
                              env=self._variables)  # fmt: skip

    def cache(self, *arguments: str, status: int = 0) -> str:
        done = self.python("-m", "asnumpy", "cache", *arguments)
        assert done.returncode == status, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout

    def numbers(self) -> dict[str, int]:
        return {one["kind"]: one["number"] for one in json.loads(self.cache("--json"))["kinds"] if one["number"]}

    def record(self, text: str = "{}") -> Path:
        folder = self.folder / "asnumpy" / "machines"
        folder.mkdir(parents=True, mode=0o755, exist_ok=True)
        (folder / "chip.json").write_text(text)
        (folder / "chip.json").chmod(0o600)
        return folder / "chip.json"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def used(machine: Machine) -> Machine:
    done = machine.python("-c", KEEPING)
    assert done.returncode == 0, done.stderr
    machine.record()
    return machine


def test_an_empty_cache(machine: Machine) -> None:
    assert machine.numbers() == {} and not machine.kernels.exists()
    told = machine.cache()
    assert all(kind in told for kind in stores.KINDS) and str(machine.kernels) in told and "not there yet" in told
    assert "nothing is wrong" in machine.cache("verify")
    assert "removed 0 entries" in machine.cache("clear")


@needs_a_compiler
def test_what_is_kept_is_told_by_kind(used: Machine) -> None:
    assert used.numbers() == {"programs": 1, "operators": 1, "machines": 1}
    told = json.loads(used.cache("--json", "--kind", "programs"))
    (programs,) = told["kinds"]
    files = list(used.kernels.iterdir())
    assert programs["bytes"] in [file.stat().st_size for file in files] and len(files) == 2
    assert 0 <= programs["newest_seconds"] <= programs["oldest_seconds"] < 600
    (kernels,) = [one for one in told["folders"] if one["name"] == "kernels"]
    assert [kernels["most_files"], kernels["most_bytes"]] == list(_core.kept_place()[1:]) and not kernels["wrong"]


@needs_a_compiler
def test_verify_names_what_is_damaged(used: Machine) -> None:
    assert "nothing is wrong" in used.cache("verify")
    for file in used.kernels.iterdir():
        whole = file.read_bytes()
        for damaged, why in (
            (whole[:-1], "bytes"), (whole[:-1] + bytes([whole[-1] ^ 1]), "checksum"), (b"", "begins with"),
            (whole.replace(b"kernel 2 ", b"kernel 2 9"), "bytes"),
        ):  # fmt: skip
            file.write_bytes(damaged)
            (line, *_) = used.cache("verify", status=1).splitlines()
            assert line.startswith(str(file)) and why in line
        file.write_bytes(whole)
        other = file.with_name("0" * 32)
        file.rename(other)
        assert "expected the name" in used.cache("verify", status=1)
        other.rename(file)
        file.chmod(0o666)
        assert json.loads(used.cache("verify", "--json", status=1))["wrong"][0][0] == str(file)
        file.chmod(0o600)
    used.record("{")
    assert "chip.json" in used.cache("verify", status=1)
    assert "nothing is wrong" in used.cache("verify", "--kind", "programs")


@needs_a_compiler
def test_verify_loads_what_is_kept(used: Machine) -> None:
    """A binary that is as it was kept, but is none; and one that ends the process that loads it."""
    done = used.python("-c", f"""
import subprocess
from asnumpy import _core
from asnumpy.compiled._compiler import FORM
def keep(name, binary):
    assert _core.keep_kernel(FORM.encode() + b"\\0" + name, b"compiler", binary)
keep(b"no library", b"\\x7fELF" + bytes(60))
source = "__attribute__((constructor)) static void end(void) {{ __builtin_trap(); }}"
command = [{compiler()!r}, "-xc", "-shared", "-fPIC", "-", "-o", {str(used.folder / "ends.so")!r}]
subprocess.run(command, input=source, text=True, check=True)
keep(b"ends", open({str(used.folder / "ends.so")!r}, "rb").read())
""")  # fmt: skip
    assert done.returncode == 0, done.stderr
    wrong = dict(json.loads(used.cache("verify", "--json", status=1))["wrong"])
    assert len(wrong) == 2 and any("ended a process" in why for why in wrong.values())
    assert not any(str(used.folder / "asnumpy-verify") in why for why in wrong.values())


@needs_a_compiler
def test_a_folder_that_others_can_write_is_told_and_not_loaded(used: Machine) -> None:
    used.kernels.chmod(0o777)
    assert json.loads(used.cache("verify", "--json", status=1))["wrong"] == [
        [str(used.kernels), "can be written by others"]
    ]
    assert "is not used, since it can be written by others" in used.cache()


@needs_a_compiler
def test_clear_removes_a_kind_and_nothing_else(used: Machine) -> None:
    own = used.kernels / "notes.txt"
    own.write_text("the user's")
    before = sorted(used.kernels.iterdir())
    assert re.search(r"would remove 1 entries, [\d.]+ KiB", used.cache("clear", "--kind", "programs", "--dry-run"))
    assert sorted(used.kernels.iterdir()) == before
    assert "removed 1 entries" in used.cache("clear", "--kind", "programs")
    assert used.numbers() == {"operators": 1, "machines": 1}
    told = json.loads(used.cache("clear", "--json"))
    assert len(told["removed"]) == 2 and told["left"] == [] and not told["dry_run"]
    assert used.numbers() == {} and own.read_text() == "the user's"


@needs_a_compiler
def test_libraries_of_the_simulator(machine: Machine) -> None:
    folder = machine.folder / "asnumpy" / "ascendc"
    folder.mkdir(parents=True, mode=0o700)
    library = folder / f"{7:032x}.so"
    subprocess.run([str(compiler()), "-xc", "-shared", "-fPIC", "-", "-o", str(library)], input="int x;", text=True,
                   check=True)  # fmt: skip
    library.with_suffix(".files").write_text(f"{library.name}\n")
    assert machine.numbers() == {"simulator": 1} and "nothing is wrong" in machine.cache("verify")
    library.write_bytes(library.read_bytes()[:100])
    assert str(library) in machine.cache("verify", status=1)
    machine.cache("clear", "--kind", "simulator")
    assert list(folder.iterdir()) == []


def test_the_simulators_limits_are_those_of_its_compiler() -> None:
    text = (ROOT / "ascendc" / "source" / "cache.hpp").read_text()
    patterns = r"libraries = (\d+);", r"bytes = .*?\{(\d+)\} << 20"
    files, megabytes = (int(re.findall(pattern, text)[0]) for pattern in patterns)
    assert _stores.SIMULATOR_LIMITS == (files, megabytes << 20)


@pytest.mark.parametrize("arguments", [["dance"], ["--kind", "all"], ["show", "--dry-run"]])
def test_wrong_use(machine: Machine, arguments: list[str]) -> None:
    done = machine.python("-m", "asnumpy", "cache", *arguments)
    assert done.returncode == 2 and "cache" in done.stderr and "Traceback" not in done.stderr
