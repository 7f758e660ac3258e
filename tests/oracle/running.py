"""NumPy's own tests, out of the installed wheel, run against asnumpy: which modules, how, and what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from oracle import reasons

_HERE = Path(__file__).parent
_NUMPY = Path(np.__file__).parent
# the least share of the tests that do not test NumPy's internals
TARGET = 90.0
# seconds for a module; a test that still runs then is taken for one that hangs
LIMIT = 900.0

# The names of our tables: NumPy's test files.
MODULES = {
    "numeric": "_core/tests/test_numeric.py",
    "umath": "_core/tests/test_umath.py",
    "umath_complex": "_core/tests/test_umath_complex.py",
    "ufunc": "_core/tests/test_ufunc.py",
    "indexing": "_core/tests/test_indexing.py",
    "core_shape_base": "_core/tests/test_shape_base.py",
    "item_selection": "_core/tests/test_item_selection.py",
    "core_function_base": "_core/tests/test_function_base.py",
    "einsum": "_core/tests/test_einsum.py",
    "multiarray": "_core/tests/test_multiarray.py",
    "scalarmath": "_core/tests/test_scalarmath.py",
    "array_coercion": "_core/tests/test_array_coercion.py",
    "nep50": "_core/tests/test_nep50_promotions.py",
    "dlpack": "_core/tests/test_dlpack.py",
    "mem_overlap": "_core/tests/test_mem_overlap.py",
    "half": "_core/tests/test_half.py",
    "overrides": "_core/tests/test_overrides.py",
    "regression": "_core/tests/test_regression.py",
    "function_base": "lib/tests/test_function_base.py",
    "shape_base": "lib/tests/test_shape_base.py",
    "arraypad": "lib/tests/test_arraypad.py",
    "arraysetops": "lib/tests/test_arraysetops.py",
    "nanfunctions": "lib/tests/test_nanfunctions.py",
    "histograms": "lib/tests/test_histograms.py",
    "index_tricks": "lib/tests/test_index_tricks.py",
    "stride_tricks": "lib/tests/test_stride_tricks.py",
    "twodim_base": "lib/tests/test_twodim_base.py",
    "type_check": "lib/tests/test_type_check.py",
    "ufunclike": "lib/tests/test_ufunclike.py",
    "packbits": "lib/tests/test_packbits.py",
    "lib_polynomial": "lib/tests/test_polynomial.py",
    "linalg": "linalg/tests/test_linalg.py",
    "fft": "fft/tests/test_pocketfft.py",
    "fft_helper": "fft/tests/test_helper.py",
    "generator": "random/tests/test_generator_mt19937.py",
    "random": "random/tests/test_random.py",
    "seed_sequence": "random/tests/test_seed_sequence.py",
    "polynomial": "polynomial/tests/test_polynomial.py",
    "polyutils": "polynomial/tests/test_polyutils.py",
    "polynomial_classes": "polynomial/tests/test_classes.py",
    "chebyshev": "polynomial/tests/test_chebyshev.py",
    "hermite": "polynomial/tests/test_hermite.py",
    "hermite_e": "polynomial/tests/test_hermite_e.py",
    "laguerre": "polynomial/tests/test_laguerre.py",
    "legendre": "polynomial/tests/test_legendre.py",
    "polynomial_printing": "polynomial/tests/test_printing.py",
    "polynomial_symbol": "polynomial/tests/test_symbol.py",
    "loadtxt": "lib/tests/test_loadtxt.py",
    "memmap": "_core/tests/test_memmap.py",
    "io": "lib/tests/test_io.py",
}
# Fourteen thousand tests, most of them of the C array object itself: run when asked for by name.
OPTIONAL = (
    "multiarray", "scalarmath", "array_coercion", "nep50", "dlpack", "mem_overlap", "half", "overrides", "regression",
)


@dataclass
class Result:
    """What came of one module: the names of the tests, and why those that did not pass did not."""

    module: str
    passed: list[str] = field(default_factory=list)
    internal: dict[str, str] = field(default_factory=dict)  # test: reason
    differs: dict[str, str] = field(default_factory=dict)  # test: reason
    failed: dict[str, str] = field(default_factory=dict)  # test: error that no rule explains
    not_run: dict[str, str] = field(default_factory=dict)  # test: why NumPy itself skips it or expects it to fail
    patterns: set[str] = field(default_factory=set)  # of reasons.toml, those that were of use

    @property
    def judged(self) -> int:
        return len(self.passed) + len(self.differs) + len(self.failed)

    @property
    def percent(self) -> float:
        return 100.0 * len(self.passed) / self.judged if self.judged else 100.0

    def counts(self) -> dict[str, float]:
        lists = {"passed": self.passed, "differs": self.differs, "failed": self.failed, "internal": self.internal}
        return {**{name: len(each) for name, each in lists.items()}, "percent": round(self.percent, 1)}


def classify(module: str, outcomes: dict[str, list[str]], rules: Sequence[reasons.Rule]) -> Result:
    result = Result(module)
    for name, (outcome, error) in outcomes.items():
        test = f"{module}::{name.partition('::')[2]}"
        if outcome == "passed":
            result.passed.append(test)
            continue
        # what NumPy leaves out itself is ours only if the error that kept a parameter from being made says so
        fitting = [rule for rule in rules if outcome == "failed" or (rule.error and not rule.counts)]
        found = None if outcome == "xfailed" else reasons.explain(fitting, test, error)
        if found is None:
            (result.failed if outcome == "failed" else result.not_run)[test] = error
            continue
        rule, pattern = found
        result.patterns.add(pattern)
        (result.differs if rule.counts else result.internal)[test] = rule.reason
    return result


def ended(
    file: Path, root: Path, arguments: Sequence[str] = (), show: bool = False, limit: float = LIMIT,
) -> dict[str, list[str]]:
    """How each test ended. One that crashes, or is still running after `limit` seconds, fails; the rest run again."""
    outcomes: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        lines, without = Path(folder, "outcomes"), Path(folder, "without")
        without.touch()
        # numpy's conftest.py sets up numpy's own run
        command = [
            sys.executable, "-m", "pytest", "-p", "oracle.collecting", "--noconftest", "-p", "no:cacheprovider",
            "-c", os.devnull, "--rootdir", str(root), "--outcomes", str(lines), "--without", str(without), "-q",
            "--tb=short" if show else "--tb=no", *arguments, str(file),
        ]
        own = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
        path = [str(_HERE.parent), *(os.path.abspath(part) for part in own)]  # pytest runs in another directory
        # NPY_AVAILABLE_MEM: NumPy's tests that need gigabytes skip themselves
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "NPY_AVAILABLE_MEM": "1 GB"}
        while True:
            lines.write_text("")
            output = None if show else subprocess.PIPE
            with subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT,
                                  text=True) as process:
                try:
                    text = process.communicate(timeout=limit)[0]
                except subprocess.TimeoutExpired:
                    process.kill()
                    text = process.communicate()[0]
            running = None
            for line in lines.read_text().splitlines():
                test, outcome, error = json.loads(line)
                if outcome == "started":
                    running = test
                elif outcome != "passed":
                    outcomes[test] = [outcome, error]
                else:
                    outcomes.setdefault(test, ["passed", ""])
            if outcomes.pop("", None):  # the line that says that pytest finished
                return outcomes
            if running is None:
                raise RuntimeError(f"pytest on {file} ended with {process.returncode} before its tests:\n{text}")
            outcomes[running] = ["failed", f"the process ended with {process.returncode}"]
            without.write_text("\n".join(outcomes))


def run(module: str, arguments: Sequence[str] = (), show: bool = False) -> Result:
    """One module's tests in a process of their own."""
    return classify(module, ended(_NUMPY / MODULES[module], _NUMPY, arguments, show), reasons.read())


def table(results: Sequence[Result]) -> str:
    lines = [f"{'module':<22}{'passed':>8}{'differs':>9}{'failed':>8}{'internal':>10}{'not run':>9}{'percent':>9}"]
    everything = Result("all")
    for result in results:
        lines.append(_line(result))
        everything.passed += result.passed
        for kind in ("internal", "differs", "failed", "not_run"):
            getattr(everything, kind).update(getattr(result, kind))
    lines.append(_line(everything))
    for title, kind in (("Tests of NumPy's internals, by reason", "internal"), ("Differences, by reason", "differs"),
                        ("Not run, by what NumPy says", "not_run")):
        counted = Counter(getattr(everything, kind).values())
        if counted:
            lines += ["", title, *(f"{number:>6}  {reason}" for reason, number in counted.most_common())]
    return "\n".join(lines)


def _line(result: Result) -> str:
    return (f"{result.module:<22}{len(result.passed):>8}{len(result.differs):>9}{len(result.failed):>8}"
            f"{len(result.internal):>10}{len(result.not_run):>9}{result.percent:>9.1f}")


def complaints(results: Sequence[Result]) -> list[str]:
    """What keeps a run from being accepted."""
    wrong = []
    for result in results:
        wrong += [f"{test} fails without a reason in reasons.toml: {error}" for test, error in result.failed.items()]
        if result.percent < TARGET:
            wrong.append(f"{result.module}: {result.percent:.1f} % pass, the target is {TARGET:g} %")
    return wrong


def unused(results: Sequence[Result], rules: Sequence[reasons.Rule]) -> list[str]:
    """Patterns that no failure of a whole run fitted: stale, or for another version of NumPy."""
    used = set().union(*(result.patterns for result in results))
    return [pattern for rule in rules for pattern in rule.tests if pattern not in used]
