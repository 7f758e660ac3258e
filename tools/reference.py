#!/usr/bin/env python3
"""Writes docs/reference.md: every public name of NumPy's, whether asnumpy has it, and where it runs, as measured.

python tools/reference.py           writes it
python tools/reference.py --check   exit status 1 if what is there is not what would be written

Where a function runs is seen, not claimed: a sample call is made, and the trace of the core and the count of the host
door tell what it did.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import re
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap
import interface
from asnumpy import _core
from reference_calls import CALLS, SIZE, inputs

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference.md"
SPACES = {
    "numpy": "The main namespace", "numpy.ndarray": "Methods and attributes of arrays",
    "numpy.ufunc": "Methods of ufuncs",
    "numpy.linalg": "asnumpy.linalg", "numpy.fft": "asnumpy.fft", "numpy.random": "asnumpy.random",
    "numpy.random.Generator": "Methods of random generators", "numpy.polynomial": "asnumpy.polynomial",
    "numpy.testing": "asnumpy.testing", "numpy.emath": "asnumpy.emath", "numpy.lib": "asnumpy.lib",
    "numpy.lib.stride_tricks": "asnumpy.lib.stride_tricks", "numpy.lib.array_utils": "asnumpy.lib.array_utils",
    "numpy.exceptions": "asnumpy.exceptions", "numpy.strings": "asnumpy.strings", "numpy.char": "asnumpy.char",
    "numpy.ctypeslib": "asnumpy.ctypeslib", "numpy.typing": "asnumpy.typing",
}
# Calls that are tried on functions for which nobody wrote one.
_TRIALS = ("", "x", "x, y", "kernel", "kernel, kernel", "m2", "x, 3", "4", "0.5", "0.5, 0.3", "5, 0.3", "10, 5, 3",
           "[0.2, 0.8]", "{text}", "{text}, ''", "{text}, 1", "{text}, 'a', 'b'", "{text}, 0, 1", "b'a'",
           "'a', {text}", "{text}, {text}, '==', True")
_TEXT = "__import__('numpy').array(['a', 'b'])"  # text is in NumPy's arrays
_LEGEND = """
| runs | what that means |
|---|---|
| fused | elementwise operations and reductions: recorded, fused with their neighbours, run on the device |
| composed | operations on the device of which some run between programs: products, gathers, scans, selections |
| host | NumPy or SciPy compute all or part of it through the host door (`asnumpy.fallbacks()` counts) |
| view | no element is read or written |
| - | nothing to run: a type, a constant, a setting, a question about dtypes or shapes |
"""


class Measurement:
    """What sample calls do, each made once."""

    def __init__(self) -> None:
        plain = inputs(SIZE)
        stored = io.BytesIO()
        np.save(stored, np.zeros(3))
        self.given: dict[str, Any] = {name: ap.from_numpy(value) for name, value in plain.items()}
        self.given["_saved"] = stored.getvalue()
        self.known: dict[str, str] = {}

    def _observe(self, expression: str) -> str:
        work = eval(f"lambda np, {', '.join(self.given)}: {expression}")
        ap.synchronize()
        ap.forget_fallbacks()
        _core.trace_start(1 << 14)
        try:
            result = work(ap, **self.given)
            ap.synchronize()
        finally:
            events = _core.trace_stop()
        if ap.fallbacks():
            return "host"
        runs = {event["name"] for event in events if event["category"] == "run"} - {"flush"}
        structured = any(event["category"] == "structured" for event in events)
        if structured:
            return "composed"
        if runs:
            return "fused"
        parts = [part for part in (result if isinstance(result, (tuple, list)) else (result,)) if _is_array(part)]
        if not parts:
            return "-"
        # what is so small that it ran at once leaves no trace
        return "view" if any(self._looks_into_input(part) for part in parts) else "fused"

    def _looks_into_input(self, part: Any) -> bool:
        return any(_core.may_share_memory(part, one) for one in self.given.values() if _is_array(one))

    def where(self, name: str, value: Any) -> str:
        """Where the function of this name runs; `-` for what is no function."""
        if isinstance(value, type) and name not in CALLS:
            return "-"
        if (not callable(value) or name.startswith("typing.")) and name not in CALLS:
            return "-"
        if name not in self.known:
            self.known[name] = self._measure(name)
        return self.known[name]

    def _measure(self, name: str) -> str:
        expressions = [CALLS[name]] if name in CALLS else [
            f"{self._callee(name)}({trial.format(text=_TEXT)})" for trial in _TRIALS
        ]
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            for expression in expressions:
                try:
                    return self._observe(expression)
                except Exception:
                    if name in CALLS:
                        raise
        return "not measured"

    def _callee(self, name: str) -> str:
        owner, _, rest = name.rpartition(".")
        if owner == "ndarray":
            return f"x.copy().{rest}"
        if owner == "ufunc":
            return f"np.add.{rest}"
        if owner == "random.Generator":
            return f"np.random.default_rng(1).{rest}"
        return f"np.{name}"


def _is_array(value: Any) -> bool:
    return isinstance(value, ap.ndarray)


def _link(namespace: str, name: str) -> str:
    return f"[`{name}`](https://numpy.org/doc/stable/reference/generated/{namespace}.{name}.html)"


def _difference(value: Any, theirs: Any) -> str:
    """What our docstring says besides NumPy's: where the function differs."""
    text = inspect.getdoc(value) or ""
    original = inspect.getdoc(theirs) or ""
    own = text.split(original)[0] if original and original in text else text if not original else ""
    found = own.partition("Differs from NumPy")[2]
    return " ".join(("Differs" + found).split()) if found else ""


def table(namespace: str, measurement: Measurement) -> list[str]:
    _, theirs, ours = interface.pair(namespace)
    prefix = "" if namespace == "numpy" else namespace.removeprefix("numpy.") + "."
    lines = ["| NumPy | asnumpy | runs | remarks |", "|---|---|---|---|"]
    missing, different = interface.reasons(namespace)
    for name in interface.names(theirs):
        if not hasattr(ours, name):
            lines.append(f"| {_link(namespace, name)} | no | | {missing.get(name, '')} |")
            continue
        value, original = getattr(ours, name), getattr(theirs, name, None)
        special = name.startswith("__")
        runs = "-" if isinstance(value, types.ModuleType) or special else measurement.where(prefix + name, value)
        remark = _difference(value, original) or (f"signature: {different[name]}" if name in different else "")
        lines.append(f"| {_link(namespace, name)} | yes | {runs} | {remark} |".replace("|  |", "| |"))
    return lines


def _own(measurement: Measurement) -> list[str]:
    """What NumPy does not have, with its documentation."""
    lines = []
    spaces = {"": ap, "nn": ap.nn, "config": ap.config, "profiler": ap.profiler}
    for prefix, space in spaces.items():
        names = sorted(space.__all__ if prefix else {name for name in {*ap.__all__, "eval"} if not hasattr(np, name)})
        for name in names:
            value = getattr(space, name)
            label = f"{prefix}.{name}" if prefix else name
            if not callable(value) or value is ap.ndarray:
                continue
            if isinstance(value, type) and issubclass(value, np.generic):  # dtypes.md has them
                continue
            try:
                signature = str(inspect.signature(value)) if not isinstance(value, type) else ""
            except (ValueError, TypeError):
                signature = "(*arrays)"
            signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", signature)  # annotations are kept as text
            runs = f" ({measurement.where(label, value)})" if prefix == "nn" else ""
            lines += [f"### `asnumpy.{label}{signature}`{runs}", "", inspect.getdoc(value) or "", ""]
    return lines


def head() -> str:
    """The first line. Another NumPy has other names: what it makes is not compared."""
    return f"<!-- Generated by tools/reference.py with NumPy {'.'.join(np.__version__.split('.')[:2])}. -->"


def page() -> str:
    with ap.Device("cpu"):  # what an NPU leaves to the host has a page of its own
        return _page()


def _page() -> str:
    measurement = Measurement()
    have, total = interface.share()
    spaces = [one for one in SPACES if one in interface.NAMESPACES]
    text = [
        head(), "# Reference", "",
        f"asnumpy has {have} of the {total} public names of NumPy that `tools/interface.py` compares, with NumPy's "
        "signatures. What each does is in NumPy's documentation, to which the names lead, and in `help()`; where a "
        "function differs, the remark says so. Where a function runs is measured: `python tools/reference.py` makes a "
        "sample call of each and writes this page.", *_LEGEND.splitlines(), "",
        "| namespace | names | have | fused | composed | view | host |", "|---|---|---|---|---|---|---|",
    ]
    tables = {namespace: table(namespace, measurement) for namespace in spaces}
    for namespace, lines in tables.items():
        cells = [line.split(" | ") for line in lines[2:]]
        runs = [cell[2].strip(" |") for cell in cells]
        counts = " | ".join(str(runs.count(kind)) for kind in ("fused", "composed", "view", "host"))
        text.append(f"| {namespace} | {len(cells)} | {sum(cell[1] == 'yes' for cell in cells)} | {counts} |")
    for namespace, lines in tables.items():
        text += ["", f"## {SPACES[namespace]}", "", *lines]
    text += ["", "## What NumPy does not have", "", *_own(measurement)]
    return "\n".join(text).rstrip() + "\n"


def unmeasured(text: str) -> list[str]:
    """The names whose sample call is missing."""
    return [line.split("`")[1] for line in text.splitlines() if "| not measured |" in line]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail if something would change")
    check = parser.parse_args().check
    text = page()
    if unmeasured(text):
        print("without a sample call in tools/reference_calls.py:", ", ".join(unmeasured(text)), file=sys.stderr)
    if check:
        return int(not PAGE.exists() or PAGE.read_text() != text)
    PAGE.write_text(text)
    print(PAGE)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
