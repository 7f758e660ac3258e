"""The site's reference: every public name with its signature, what it does, where it runs and what leaves the device.

Nothing here is measured: where a function runs stands in docs/reference.md and docs/ascend-coverage.md, which
tools/reference.py and tools/ascend_coverage.py have written, and in what asnumpy.scipy says of itself.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import ascend_coverage
import asnumpy as ap
import interface
import reference
import scipy_table
from asnumpy.scipy._names import kind_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
# Modules of asnumpy's own.
OWN = ("nn", "config", "profiler", "cann", "cannsim", "operators", "ascendc", "einops", "dask")
_DTYPES = {short: name for name, short in ascend_coverage.COLUMNS.items()}
WORDS = {
    "N": "one operator", "R": "an operator of another dtype", "W": "in a wider dtype", "D": "several operators",
    "A": "AICPU", "H": "host", "K": "kernel of the library",
}
RUNS = {
    "fused": "recorded and fused", "composed": "on the device, between programs",
    "host": "by NumPy or SciPy on the host", "view": "reads no element",
}


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def measured() -> dict[str, tuple[str, str]]:
    """Where each name of NumPy's runs, and the remark about it, by its name below `asnumpy`."""
    prefixes = {title: "" if space == "numpy" else space.removeprefix("numpy.") + "."
                for space, title in reference.SPACES.items()}
    found, prefix = {}, ""
    for line in reference.PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            prefix = prefixes.get(line.removeprefix("## "), "")
        elif line.startswith("| [`"):
            name, have, runs, remark = _cells(line)[:4]
            if have == "yes":
                found[prefix + name.split("`")[1]] = (runs, remark)
    return found


def on_ascend() -> tuple[dict[str, str], dict[str, str]]:
    """By function: how a 910B computes its dtypes, and why work of it leaves the device."""
    dtypes: list[str] = []
    ways: dict[str, str] = {}
    leaving: dict[str, str] = {}
    for line in (DOCS / "ascend-coverage.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| function | ?"):
            dtypes = [_DTYPES[short] for short in _cells(line)[1:]]
        elif line.startswith("| ") and dtypes and len(_cells(line)) == len(dtypes) + 1:
            names, *letters = _cells(line)
            by_way: dict[str, list[str]] = {}
            for dtype, letter in zip(dtypes, letters, strict=True):
                if first := letter.partition("/")[0].strip("*"):
                    by_way.setdefault(first, []).append(dtype)
            text = "; ".join(f"{WORDS[way]}: {', '.join(by_way[way])}" for way in WORDS if way in by_way)
            for name in re.sub(r"\(.*?\)", "", names).split(","):
                ways[name.strip()] = text
        elif line.startswith("| `"):
            names, version, why = _cells(line)[:3]
            since = "" if version == "all" else f" (CANN {version})"
            leaving |= dict.fromkeys(re.findall(r"`([^`]+)`", names), why + since)
    return ways, leaving


def plain(text: str) -> str:
    """A docstring's paragraph as Markdown: code stays code, whatever else has a meaning there is a character."""
    parts = re.split(r"(``.+?``|(?::[\w:]+:)?`[^`]+`)", " ".join(text.split()))
    for at, part in enumerate(parts):
        if at % 2:
            parts[at] = "`" + re.sub(r"^:[\w:]+:", "", part).strip("`").strip() + "`"
        else:
            parts[at] = re.sub(r"([\\*_<>\[\]{}$`#|~^])", r"\\\1", part)
    return "".join(parts)


def summary(value: Any, name: str) -> str:
    """The first paragraph of its docstring that is no signature; nothing for a constant."""
    if not callable(value) and not isinstance(value, ModuleType):
        return ""
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(value) or ""):
        signed = re.match(rf"\s*(\w+\.)*{re.escape(name.rpartition('.')[2])}\(|\.\. ", paragraph)
        if not signed and re.search(r"[a-z]", paragraph):
            return plain(paragraph)
    return ""


def signature(value: Any) -> str:
    """The parameters and their defaults, without annotations."""
    try:
        found = inspect.signature(value)
    except (ValueError, TypeError):
        return "(...)"

    def shown(default: Any) -> _Text:
        text = default.__name__ if isinstance(default, type) else repr(default)
        return _Text("..." if "<" in text or not text.isprintable() else text)  # <no value>, and what has an address

    parameters = [
        one.replace(annotation=one.empty, default=one.empty if one.default is one.empty else shown(one.default))
        for one in found.parameters.values() if one.name != "self"
    ]
    return str(found.replace(parameters=parameters, return_annotation=found.empty))


class _Text(str):
    """A default as it is shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Entries:
    """Writes names of a namespace, each once."""

    def __init__(self) -> None:
        self.measured = measured()
        self.ways, self.leaving = on_ascend()
        self.seen: set[str] = set()

    def _facts(self, name: str, value: Any) -> list[str]:
        runs, remark = self.measured.get(name, ("", ""))
        short = name.removeprefix("ndarray.")
        actual = getattr(value, "__name__", short)
        prefix = short.rpartition(".")[0]
        ways = self.ways.get(short) or ("" if prefix else self.ways.get(actual, ""))
        why = self.leaving.get(short, "")
        facts = [f"*Runs:* {RUNS[runs]}." if runs in RUNS else "", f"*On an Ascend 910B:* {ways}." if ways else "",
                 f"*Leaves the device:* {plain(why)}." if why else "", plain(remark)]
        return [fact for fact in facts if fact]

    def entry(self, name: str, value: Any, facts: list[str] | None = None) -> list[str]:
        """A name below `asnumpy`."""
        if name in self.seen:
            return []
        self.seen.add(name)
        of_class = name.startswith(("ndarray.", "ufunc.", "random.Generator."))
        if isinstance(value, ModuleType):
            kind, parameters = "data", ""
        elif isinstance(value, type):
            kind, parameters = "class", ""
        elif callable(value):
            kind, parameters = "method" if of_class else "function", signature(value)
        else:
            kind, parameters = "attribute" if of_class else "data", ""
        text = [summary(value, name), *(self._facts(name, value) if facts is None else facts)]
        return [f"`````{{py:{kind}}} {name}{parameters}", "", *(f"{line}\n" for line in text if line), "`````", ""]


def _page(title: str, head: str, entries: list[str]) -> str:
    return "\n".join([f"# {title}", "", head, "", "```{py:currentmodule} asnumpy", "```", "", *entries])


def pages() -> dict[str, str]:
    """The pages by their file names."""
    entries, made = Entries(), {}
    for namespace in interface.NAMESPACES:
        _, theirs, ours = interface.pair(namespace)
        prefix = "" if namespace == "numpy" else namespace.removeprefix("numpy.") + "."
        lines = []
        for name in interface.names(theirs):
            if hasattr(ours, name) and not (name.startswith("__") and namespace == "numpy"):
                lines += entries.entry(prefix + name, getattr(ours, name))
        title = "asnumpy" + (f".{prefix[:-1]}" if prefix else "")
        made[f"{title}.md"] = _page(title, f"NumPy's names in `{title}`.", lines)
    own = [name for name in (*ap.__all__, "eval") if not hasattr(np, name) and not name.startswith("__")]
    lines = [line for name in own for line in entries.entry(name, getattr(ap, name))]
    made["own.md"] = _page("What NumPy does not have", "Names of asnumpy's own.", lines)
    for space in OWN:
        module = importlib.import_module(f"asnumpy.{space}")
        names = [name for name in getattr(module, "__all__", ()) if hasattr(module, name)]
        lines = [line for name in names for line in entries.entry(f"{space}.{name}", getattr(module, name))]
        head = plain((module.__doc__ or "").partition("\n\n")[0])
        made[f"asnumpy.{space}.md"] = _page(f"asnumpy.{space}", head, lines)
    said = {
        "device": "*Runs:* as operations on arrays, on the device.", "host": "*Runs:* by SciPy on the host.",
        "SciPy": "",
    }
    for module in scipy_table.modules():
        short = module.__name__.removeprefix("asnumpy.")
        lines = []
        for name in sorted(module.__all__):
            lines += entries.entry(f"{short}.{name}", getattr(module, name), [said[kind_of(module, name)]])
        made[f"{module.__name__}.md"] = _page(module.__name__, f"The names of SciPy's `{short}`.", lines)
    return {"index.md": _index(made)} | made


def _index(made: dict[str, str]) -> str:
    listed = [f"* [{text.splitlines()[0].removeprefix('# ')}]({name})" for name, text in made.items()]
    return "\n".join([
        "# API reference", "",
        "Every public name with its signature, the beginning of its documentation, where it runs, and how an Ascend "
        "910B computes its dtypes with the newest CANN. What the words mean stands in "
        "[the tables](../ascend-coverage.md) and in [the reference](../reference.md); `help()` says all of it.",
        "", *listed, "",
        "```{toctree}", ":hidden:", "", *(name.removesuffix(".md") for name in made), "```", "",
    ])
