"""SciPy's and scikit-learn's tests for any array library run with asnumpy; the runner says what fails, and why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from oracle import reasons
from oracle.running import classify, ended
from suites import running

_TOOL = Path(__file__).parents[2] / "tools" / "array_suites.py"
# Seconds; the others are for ASNUMPY_THOROUGH=1 and tools/array_suites.py.
_QUICK = ("sklearn.utils.test_stats",)


@pytest.mark.parametrize(
    "module", [name if name in _QUICK else pytest.param(name, marks=pytest.mark.thorough) for name in running.modules()]
)
def test_module(module: str) -> None:
    (result,) = running.run_all(running.chosen([module]))
    assert result.passed or result.not_run
    assert result.failed == {}


def test_every_package_with_tests_for_array_libraries_is_found() -> None:
    packages = {running.package(module) for module in running.modules()}
    assert packages >= {f"scipy.{name}" for name in (
        "_lib", "cluster", "differentiate", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize",
        "signal", "spatial", "special", "stats",
    )} | {"sklearn"}


def test_packages_and_modules_are_chosen_by_name() -> None:
    assert set(running.chosen(["scipy.cluster"])) == {"scipy.cluster.test_hierarchy", "scipy.cluster.test_vq"}
    assert set(running.chosen(["scipy.fft.test_helper"])) == {"scipy.fft.test_helper"}
    assert running.chosen([]) == running.modules()
    with pytest.raises(ValueError, match=r"no tests for array libraries in scipy\.ff:"):
        running.chosen(["scipy.ff"])


def test_the_tool_gives_a_table_and_a_status(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, _TOOL, "scipy.constants", "--check", "--json", tmp_path / "counts.json"],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("scipy.constants"))
    passed, differs, failed, _, percent = line.split()[1:]
    assert int(passed) > 0 and (differs, failed, percent) == ("0", "0", "100.0")
    assert '"scipy.constants.test_constants"' in (tmp_path / "counts.json").read_text()


def test_the_tests_get_asnumpys_arrays_and_failures_are_seen(tmp_path: Path) -> None:
    """In SciPy's manner, by its conftest.py: a claim that is wrong, a test for NumPy alone, one for no library."""
    (tmp_path / "conftest.py").write_text("from scipy.conftest import *\n")
    (tmp_path / "test_written.py").write_text(
        "import pytest\n"
        "import asnumpy as ap\n"
        "def test_given(xp):\n    assert isinstance(xp.ones(3), ap.ndarray)\n"
        "def test_wrong(xp):\n    assert xp.sum(xp.ones(3)) == 4\n"
        "@pytest.mark.skip_xp_backends(np_only=True, reason='for NumPy')\ndef test_numpys(xp):\n    pass\n"
        "@pytest.mark.skip_xp_backends('array_api_strict')\ndef test_not_strict(xp):\n    pass\n"
        "def test_no_library():\n    pass\n"
    )
    how = ended(tmp_path / "test_written.py", tmp_path, plugin=running.PLUGIN, settings=running.SETTINGS)
    result = classify("written", how, [reasons.Rule("a reason", ("written::test_other",), None)])
    assert sorted(result.passed) == ["written::test_given[asnumpy]", "written::test_not_strict[asnumpy]"]
    assert list(result.failed) == ["written::test_wrong[asnumpy]"]
    assert result.not_run == {"written::test_numpys[asnumpy]": "for NumPy"}


@pytest.mark.parametrize("simulated", [False, True])
def test_reasons_are_for_modules_that_there_are(simulated: bool) -> None:
    modules = running.modules()
    patterns = [pattern for rule in running.rules(simulated) for pattern in rule.tests if not pattern.startswith("*")]
    assert [pattern for pattern in patterns if not any(
        module.startswith(pattern.partition("::")[0].partition("*")[0]) for module in modules
    )] == []
