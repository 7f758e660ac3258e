"""The tests that SciPy and scikit-learn have for any array library, out of the installed wheels, run with asnumpy."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from oracle import reasons
from oracle.running import Result, classify, ended

_HERE = Path(__file__).parent
# What a file of tests for any array library names.
_TAKES = {
    "scipy": re.compile(r"\bdef test\w*\([^)]*\bxp\b"),
    "sklearn": re.compile(r"yield_(mixed_)?namespace|parametrize_with_checks|_yield_all_checks"),
}
LIBRARIES = tuple(_TAKES)
PLUGIN = ("-p", "suites.libraries")
# SCIPY_ARRAY_API: both libraries take other arrays than NumPy's.
SETTINGS = {"SCIPY_ARRAY_API": "1"}


def _root(library: str) -> Path:
    spec = find_spec(library)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{library} is not installed")
    return Path(spec.origin).parent


def modules() -> dict[str, Path]:
    """The files of tests by the names of the tables: "scipy.stats.test_stats", without the folder "tests"."""
    found = {}
    for library, takes in _TAKES.items():
        root = _root(library)
        for path in sorted(root.rglob("tests/test_*.py")):
            if takes.search(path.read_text(encoding="utf-8")):
                parts = [part for part in path.relative_to(root).with_suffix("").parts if part != "tests"]
                found[".".join([library, *parts])] = path
    return found


def chosen(names: Sequence[str]) -> dict[str, Path]:
    """The modules of these names, and those of the packages of these names; all where there are none."""
    every = modules()
    wrong = [name for name in names if not any(_within(module, name) for module in every)]
    if wrong:
        raise ValueError(f"no tests for array libraries in {', '.join(wrong)}: a package or a module is expected, as "
                         "scipy.stats or scipy.stats.test_stats")
    return {module: path for module, path in every.items() if not names or any(_within(module, name) for name in names)}


def _within(module: str, name: str) -> bool:
    return module == name or module.startswith(name + ".")


def package(module: str) -> str:
    """scipy.ndimage of scipy.ndimage.test_filters; scikit-learn is one."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "scipy" else parts[0]


def rules(simulated: bool) -> list[reasons.Rule]:
    """Why tests do not pass; on a device some that pass on the CPU do not."""
    files = ["reasons.toml", *(["reasons_device.toml"] if simulated else [])]
    return [rule for name in files for rule in reasons.read(_HERE / name)]


def run_all(
    files: dict[str, Path], arguments: Sequence[str] = (), show: bool = False, jobs: int = 1, device: str = "cpu",
    progress: Callable[[Result], None] | None = None,
) -> list[Result]:
    """The modules' tests, each module in a process of its own, `jobs` of them at a time."""
    known = rules(device != "cpu")
    settings = {**SETTINGS, "ASNUMPY_CANN": "sim" if device != "cpu" else ""}

    def one(module: str) -> Result:
        root = _root(module.partition(".")[0])
        how = ended(files[module], root, arguments, show, plugin=PLUGIN, settings=settings)
        result = classify(module, how, known)
        if progress:
            progress(result)
        return result

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, files))


def by_package(results: Sequence[Result]) -> list[Result]:
    together: dict[str, Result] = {}
    for result in results:
        whole = together.setdefault(package(result.module), Result(package(result.module)))
        whole.passed += result.passed
        for kind in ("differs", "failed", "not_run"):
            getattr(whole, kind).update(getattr(result, kind))
        whole.patterns |= result.patterns
    return list(together.values())


def say(result: Result) -> None:
    """A line for a module that is done, on the standard error stream."""
    counts = f"{len(result.passed)} pass, {len(result.differs)} differ, {len(result.failed)} fail"
    print(f"{result.module}: {counts}, {len(result.not_run)} not run", file=sys.stderr, flush=True)
