"""Writes docs/ecosystem.md: other libraries over arrays of ours, by pieces of work run with NumPy and with asnumpy.

`python tools/ecosystem_table.py` prints the page, `--write` puts it in its place, `--check` says whether it is current,
`--run [libraries]` runs the pieces and prints a JSON object: for each what is not as the page says, or nothing.
"""

from __future__ import annotations

import json
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy

import kept_page
from ecosystem_probes import PREAMBLE, SECTIONS, Probe, missing

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "ecosystem.md"
TABLE = "## What was tried"


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for one in value for leaf in leaves(one)] if isinstance(value, (list, tuple)) else [value]


def same(one: Any, other: Any) -> None:
    """What `other` has in common with NumPy's result: dtypes and values, to roundings of other orders of addition."""
    expected, got = leaves(one), leaves(other)
    assert len(got) == len(expected), f"{len(got)} values, with NumPy {len(expected)}"
    for left, right in zip(expected, got, strict=True):
        if isinstance(left, str):
            assert right == left, f"{right!r}, with NumPy {left!r}"
            continue
        left, right = numpy.asarray(left), numpy.asarray(right)
        assert right.dtype == left.dtype, f"{right.dtype}, with NumPy {left.dtype}"
        if left.dtype.kind in "fc":
            numpy.testing.assert_allclose(right, left, rtol=1e-6, atol=1e-8)
        else:
            numpy.testing.assert_array_equal(right, left)


def given_by(value: Any) -> str:
    """Whose class the first array of a result has; nothing: there is none."""
    for leaf in leaves(value):
        if getattr(leaf, "ndim", 0):
            root = type(leaf).__module__.partition(".")[0]
            return "NumPy" if root == "numpy" else root
    return ""


def value_of(code: str, np: Any) -> Any:
    names: dict[str, Any] = {"np": np, "numpy": numpy, "__name__": "probe"}
    exec(compile(PREAMBLE + code, "<probe>", "exec"), names)
    return names["result"]


def judge(probe: Probe, ap: Any) -> None:
    """Raises an AssertionError, or the work's own, where it does not go as the row says."""
    expected = value_of(probe.code, numpy)
    if not probe.fails:
        got = value_of(probe.code, ap)
        same(expected, got)
        assert not probe.gives or given_by(got) == probe.gives, f"the result is {given_by(got)}'s"
        return
    try:
        same(expected, value_of(probe.code, ap))
    except AssertionError:
        assert probe.fails == "silently", f"expected {probe.fails}, got another result"
    except Exception as error:
        assert type(error).__name__ == probe.fails, repr(error)
    else:
        raise AssertionError("it works now: the remedy is not needed any more")
    if probe.remedy:
        same(expected, value_of(probe.remedy, ap))


def outcomes(sections: list[str]) -> dict[str, str]:
    """For each piece of work of these sections what is not as the page says."""
    import asnumpy as ap

    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for section in sections:
            for probe in SECTIONS[section]:
                name = f"{section}: {probe.tried}"
                try:
                    judge(probe, ap)
                    found[name] = ""
                except Exception:
                    found[name] = traceback.format_exc(limit=-4)
    return found


def _row(probe: Probe) -> str:
    if not probe.fails:
        return f"| {probe.tried} | works | {probe.gives or 'numbers, text'} | |"
    how = "another result, silently" if probe.fails == "silently" else probe.fails
    remedy = f"; `{probe.shown}`" if probe.shown else ""
    return f"| {probe.tried} | {how} | | {probe.why}{remedy} |"


def _standard() -> list[str]:
    """Rows for what goes by the array API standard: tests/numpy/test_consumers.py runs each."""
    sys.path[1:1] = [folder for folder in (str(ROOT / "tests"),) if folder not in sys.path]
    import consumers

    def names(calls: Any) -> str:
        return ", ".join(f"`{name}`" for name in sorted(calls) if " of " not in name)

    return [
        f"| with `SCIPY_ARRAY_API=1` set before SciPy is imported: {names(consumers.SCIPY)} | works | asnumpy | |",
        f"| functions that SciPy has not converted: {names(consumers.SCIPY_TO_NUMPY)} | works | NumPy | |",
        "| with `sklearn.config_context(array_api_dispatch=True)`, and SciPy as above: "
        f"{names(consumers.SKLEARN)} | works | asnumpy | |",
        "| both without these settings | works | NumPy | NumPy's arrays are made of what comes in |",
    ]


def table() -> str:
    parts = [
        TABLE,
        "Written by `tools/ecosystem_table.py`; do not edit it by hand. A row is a piece of work that the tests run "
        "with NumPy's arrays and with asnumpy's. Where it works, values and dtypes are the same, and the third column "
        "says whose arrays come out. Where it does not, the fourth says why, and what gives NumPy's result (`np` is "
        "asnumpy).",
    ]
    rows = {section: [*map(_row, probes)] for section, probes in SECTIONS.items()}
    rows["SciPy and scikit-learn"] = _standard()
    for section, lines in rows.items():
        head = ["| what | outcome | results | why, and the remedy |", "|---|---|---|---|"]
        parts.append(f"### {section}\n" + "\n".join(head + lines))
    return "\n\n".join(parts) + "\n"


def text() -> str:
    """The page: its own words as they stand, and the table."""
    return PAGE.read_text().partition(TABLE)[0] + table()


def main() -> int:
    if "--run" in sys.argv:
        given = sys.argv[sys.argv.index("--run") + 1:]
        print(json.dumps(outcomes(given or [section for section in SECTIONS if not missing(section)])))
        return 0
    return kept_page.run(PAGE, text)


if __name__ == "__main__":
    sys.exit(main())
