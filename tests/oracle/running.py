"""NumPy's own tests, out of the installed wheel, run against asnumpy: which modules, how, and what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from oracle import reasons

_HERE = Path(__file__).parent
_NUMPY = Path(np.__file__).parent
# the least share of all tests that passes
TARGET = 95.0
# seconds for a test: one that still runs then is taken for one that hangs
LIMIT = 240.0

# How pytest gets NumPy's modules collected with asnumpy; numpy's conftest.py sets up numpy's own run.
PLUGIN = ("-p", "oracle.collecting", "--noconftest")
# NumPy's tests that need gigabytes skip themselves.
SETTINGS = {"NPY_AVAILABLE_MEM": "1 GB"}

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
# Half of all tests are in one module: so many processes share them.
PARTS = {"multiarray": 6}


@dataclass
class Result:
    """What came of one module: the names of the tests, and why those that did not pass did not."""

    module: str
    passed: list[str] = field(default_factory=list)
    differs: dict[str, str] = field(default_factory=dict)  # test: reason
    failed: dict[str, str] = field(default_factory=dict)  # test: error that no rule explains
    not_run: dict[str, str] = field(default_factory=dict)  # test: why NumPy itself skips it or expects it to fail
    patterns: set[tuple[str, str]] = field(default_factory=set)  # of reasons.toml, with their reasons: those of use

    @property
    def judged(self) -> int:
        return len(self.passed) + len(self.differs) + len(self.failed)

    @property
    def percent(self) -> float:
        return 100.0 * len(self.passed) / self.judged if self.judged else 100.0

    def counts(self) -> dict[str, float]:
        lists = {"passed": self.passed, "differs": self.differs, "failed": self.failed}
        return {**{name: len(each) for name, each in lists.items()}, "percent": round(self.percent, 1)}


def complete(outcomes: dict[str, list[str]], cases: Counter[str]) -> dict[str, list[str]]:
    """With what NumPy collects and asnumpy does not: a parameter that could not be made, a file that did not load."""
    made = {test: how for test, how in outcomes.items() if not how[1].startswith("got empty parameter set")}
    here = Counter(function_of(test) for test in made)
    for function, count in cases.items():
        for number in range(here[function], count):
            made[f"{function}[not collected {number}]"] = [
                "failed", f"not collected: NumPy has {count} cases, of which asnumpy made {here[function]}"
            ]
    return made


def classify(module: str, outcomes: dict[str, list[str]], rules: Sequence[reasons.Rule]) -> Result:
    result = Result(module)
    for name, (outcome, error) in outcomes.items():
        test = f"{module}::{name.partition('::')[2]}"
        if outcome == "passed":
            result.passed.append(test)
            continue
        if outcome != "failed":
            result.not_run[test] = error
            continue
        found = reasons.explain(rules, test, error)
        if found is None:
            result.failed[test] = error
            continue
        rule, pattern = found
        result.patterns.add((rule.reason, pattern))
        result.differs[test] = rule.reason
    return result


def ended(
    file: Path, root: Path, arguments: Sequence[str] = (), show: bool = False, limit: float = LIMIT,
    plugin: Sequence[str] = PLUGIN, settings: Mapping[str, str] = SETTINGS,
) -> dict[str, list[str]]:
    """How each test ended. One that crashes, or runs longer than `limit` seconds, fails; the rest run again."""
    outcomes: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        lines, without, printed = (Path(folder, name) for name in ("outcomes", "without", "printed"))
        without.touch()
        command = [
            sys.executable, "-m", "pytest", "-p", "oracle.noting", *plugin, "-p", "no:cacheprovider", "-c",
            os.devnull, "--rootdir", str(root), "--outcomes", str(lines), "--without", str(without), "-q",
            "--tb=short" if show else "--tb=no", *arguments, str(file),
        ]
        own = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
        path = [str(_HERE.parent), *(os.path.abspath(part) for part in own)]  # pytest runs in another directory
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), **settings}
        while True:
            lines.write_text("")
            with printed.open("w") as output, subprocess.Popen(
                command, cwd=folder, env=environment, stdout=None if show else output, stderr=subprocess.STDOUT,
            ) as process:
                watch(process, lines, limit)
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
                said = printed.read_text()
                raise RuntimeError(f"pytest on {file} ended with {process.returncode} before its tests:\n{said}")
            outcomes[running] = ["failed", f"the process ended with {process.returncode}"]
            without.write_text("\n".join(outcomes))


def watch(process: subprocess.Popen[bytes], lines: Path, limit: float) -> None:
    """Waits for the process, and kills it once no test has begun or ended for `limit` seconds."""
    seen, since = -1, time.monotonic()
    while True:
        try:
            process.wait(timeout=1)
            return
        except subprocess.TimeoutExpired:
            size = lines.stat().st_size
            if size != seen:
                seen, since = size, time.monotonic()
            elif time.monotonic() - since > limit:
                process.kill()


def function_of(test: str) -> str:
    return test.partition("[")[0]


def cases_of(modules: Sequence[str], arguments: Sequence[str] = ()) -> dict[str, Counter[str]]:
    """How many cases of each test NumPy itself collects, by module."""
    files = {MODULES[module]: module for module in modules}
    command = [
        sys.executable, "-m", "pytest", "--collect-only", "-q", "--noconftest", "-p", "no:cacheprovider",
        "-W", "ignore", "-c", os.devnull, "--rootdir", str(_NUMPY), *arguments, *(str(_NUMPY / file) for file in files),
    ]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    counted: dict[str, Counter[str]] = {module: Counter() for module in modules}
    for line in done.stdout.splitlines():
        file, separator, test = line.partition("::")
        if separator and file in files and "NOTSET" not in test:
            counted[files[file]][function_of(f"{Path(file).name}::{test}")] += 1
    if done.returncode not in (0, 5):  # 5: -k fits none
        raise RuntimeError(f"NumPy's tests cannot be collected:\n{done.stdout}{done.stderr}")
    return counted


def run_all(modules: Sequence[str], arguments: Sequence[str] = (), show: bool = False, jobs: int = 1) -> list[Result]:
    """The modules' tests, each module in a process of its own, `jobs` of them at a time."""
    tasks = [(module, part) for module in sorted(modules, key=lambda one: -PARTS.get(one, 0))
             for part in range(PARTS.get(module, 1))]

    def one(task: tuple[str, int]) -> dict[str, list[str]]:
        module, part = task
        share = ["--share", f"{part}/{PARTS.get(module, 1)}"]
        return ended(_NUMPY / MODULES[module], _NUMPY, [*arguments, *share], show)

    with ThreadPoolExecutor(jobs) as pool:
        counting = pool.submit(cases_of, modules, arguments)
        outcomes: dict[str, dict[str, list[str]]] = {module: {} for module in modules}
        for (module, _), how in zip(tasks, pool.map(one, tasks), strict=True):
            outcomes[module] |= how
        cases = counting.result()
    rules = reasons.read()
    return [classify(module, complete(outcomes[module], cases[module]), rules) for module in modules]


def table(results: Sequence[Result]) -> str:
    width = max([20, *(len(result.module) for result in results)]) + 2
    lines = [f"{'module':<{width}}{'passed':>8}{'differs':>9}{'failed':>8}{'not run':>9}{'percent':>9}"]
    everything = Result("all")
    for result in results:
        lines.append(_line(result, width))
        everything.passed += result.passed
        for kind in ("differs", "failed", "not_run"):
            getattr(everything, kind).update(getattr(result, kind))
    lines.append(_line(everything, width))
    for title, kind in (("Differences, by reason", "differs"), ("Not run, by what the tests say", "not_run")):
        counted = Counter(getattr(everything, kind).values())
        if counted:
            lines += ["", title, *(f"{number:>6}  {reason}" for reason, number in counted.most_common())]
    return "\n".join(lines)


def _line(result: Result, width: int) -> str:
    return (f"{result.module:<{width}}{len(result.passed):>8}{len(result.differs):>9}{len(result.failed):>8}"
            f"{len(result.not_run):>9}{result.percent:>9.1f}")


def listed(results: Sequence[Result], failed: bool, reasoned: bool) -> None:
    """Prints the failures that have no reason, where asked for, and those that have one."""
    for result in results:
        if failed:
            for test, error in result.failed.items():
                print(f"{test}\n    {error[:400]}")
        if reasoned:
            for test, reason in result.differs.items():
                print(f"{test}: {reason}")


def complaints(results: Sequence[Result]) -> list[str]:
    """What keeps a run from being accepted."""
    wrong = []
    for result in results:
        wrong += [f"{test} fails without a reason in reasons.toml: {error}" for test, error in result.failed.items()]
    passed, judged = sum(len(result.passed) for result in results), sum(result.judged for result in results)
    if not judged or 100.0 * passed < TARGET * judged:
        wrong.append(f"{passed} of {judged} pass, the target is {TARGET:g} %")
    return wrong


def unused(results: Sequence[Result], rules: Sequence[reasons.Rule]) -> list[str]:
    """Patterns, and rules for tests of any name, that no failure of a whole run needed."""
    used = set().union(*(result.patterns for result in results))
    return [f"{pattern or rule.error!r}: {rule.reason}" for rule in rules for pattern in rule.tests or ("",)
            if (rule.reason, pattern) not in used]
