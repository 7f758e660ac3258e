"""The record as a page of HTML that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 68em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: .5em 0 1.5em; }
td, th { padding: .2em .8em .2em 0; text-align: left; vertical-align: top; }
th { border-bottom: 1px solid #999; } td { border-bottom: 1px solid #e5e5e5; }
pre { margin: 0; white-space: pre-wrap; font-size: 13px; }
.passed { color: #17692b; } .failed { color: #b3121d; font-weight: bold; } .skipped { color: #777; }
.unfinished { color: #8a5a00; }
"""
FACTS = (
    "chip", "device", "devices", "cann", "driver", "folder", "asnumpy", "numpy", "python", "system", "begun", "ended",
    "failure",
)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Cells are HTML already."""
    lines = ["<tr>" + "".join(f"<th>{escape(one)}</th>" for one in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{one}</td>" for one in row) + "</tr>" for row in rows]
    return "<table>" + "\n".join(lines) + "</table>"


def marked(state: str) -> str:
    return f'<span class="{state}">{state}</span>'


def number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))


def parts(record: dict[str, Any]) -> Iterator[str]:
    what = "simulated device, no hardware was used" if record["simulated"] else "device"
    yield f"<h1>asnumpy check: {marked('passed' if record['passed'] else 'failed')}</h1>"
    yield f"<p>{escape(record['device'])} ({what}){', quick form' * record['quick']}"
    yield "" if record["complete"] else ", some steps were not run, or not to their end"
    facts = ([escape(one), escape(str(record[one]))] for one in FACTS if record[one] not in (None, ""))
    yield "</p>" + table(["", ""], facts)
    yield "<h2>Steps</h2>" + table(
        ["step", "state", "seconds", "passed", "failed", "skipped"],
        ([escape(step["step"]), marked(step["state"]), f"{step['seconds']:.1f}",
          *(str(sum(case["state"] == state for case in step["cases"])) for state in ("passed", "failed", "skipped"))]
         for step in record["steps"]),
    )
    for state, title in (("failed", "What failed"), ("skipped", "What was left out")):
        rows = [[escape(step["step"]), escape(case["case"]), f"<pre>{escape(case['error'])}</pre>"]
                for step in record["steps"] for case in step["cases"] if case["state"] == state]
        if state == "failed":
            rows += [[escape(step["step"]), "", f"<pre>{escape(step['error'])}</pre>"]
                     for step in record["steps"] if "error" in step]
        if rows:
            yield f"<h2>{title}</h2>" + table(["step", "case", ""], rows)
    if record["left_the_device"]:
        yield "<h2>What the host computed</h2>" + table(
            ["function", "dtypes", "reason", "times"],
            ([escape(one["function"]), escape(one["dtypes"]), escape(one["reason"]), str(one["count"])]
             for one in record["left_the_device"]),
        )
    if record["demoted"]:
        yield "<h2>What CANN refused or the host does faster, and is done in another way</h2>" + table(
            ["what", "kind", "reason", "times"],
            ([escape(one["what"]), escape(one["kind"]), escape(one["reason"]), str(one["count"])]
             for one in record["demoted"]),
        )
    if record["figures"]:
        yield "<h2>Figures, measured</h2>" + table(
            ["case", "figure", ""],
            ([escape(case), escape(name.replace("_", " ")), number(value)]
             for case, figures in record["figures"].items() for name, value in figures.items()),
        )
    if record["lacking"]:
        yield f"<h2>Operators that this CANN lacks</h2><p>{escape(', '.join(record['lacking']))}</p>"
    variables = ([escape(name), escape(str(value))] for name, value in record["environment"].items())
    yield "<h2>Environment</h2>" + table(["", ""], variables)


def document(title: str, parts: Iterable[str], style: str = "") -> str:
    """A whole page of such parts."""
    head = f'<head><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}{style}</style></head>'
    return f'<!DOCTYPE html><html lang="en">{head}<body>' + "\n".join(parts) + "</body></html>\n"


def page(record: dict[str, Any]) -> str:
    """The page of a record."""
    return document("asnumpy check", parts(record))
