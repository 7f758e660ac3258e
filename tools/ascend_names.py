#!/usr/bin/env python3
"""Prints the names whose sample call, of float32, int32 or bool arrays on an Ascend device, works on the host too.

ASNUMPY_CANN=sim python tools/ascend_names.py    a line for each, with what left; + is not listed, - to take out

They are listed with their reasons in ascend_names.toml, from which ascend_coverage.py makes a table.
"""

from __future__ import annotations

import tomllib
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap
import interface
from asnumpy.runtime import cann_search
from reference import Measurement
from reference_calls import CALLS, inputs

LIST = Path(__file__).with_name("ascend_names.toml")
SPACES = ("numpy", "numpy.ndarray", "numpy.linalg", "numpy.fft")  # what draws random numbers is in the table of draws
DTYPES = ("float32", "int32", "bool")
_SIZE = 1 << 13


def parts(older: bool) -> list[dict[str, Any]]:
    """The list of names by why they leave the device, with the newest CANN or with CANN 8."""
    return [part for part in tomllib.loads(LIST.read_text())["leaving"] if older or not part.get("older")]


def reasons(older: bool) -> dict[str, str]:
    """Why a name leaves the device, by name."""
    return {name: part["why"] for part in parts(older) for name in part["names"]}


def older_facts() -> bool:
    """Whether the CANN in use has the facts of CANN 8."""
    return (cann_search.search().facts or "").startswith("8.")


def names() -> list[str]:
    """Those with a sample call."""
    found = []
    for space in SPACES:
        _, theirs, ours = interface.pair(space)
        prefix = "" if space == "numpy" else space.removeprefix("numpy.") + "."
        found += [prefix + name for name in interface.names(theirs) if prefix + name in CALLS and hasattr(ours, name)]
    return found


def listed_names() -> set[str]:
    """Those of the list that this NumPy has, for the CANN in use."""
    return reasons(older_facts()).keys() & set(names())


def _converted(value: Any, kind: str) -> Any:
    """An input with its real numbers in this dtype: integers stay numbers, since they are places and counts."""
    if value.dtype.kind == "f":
        if kind == "int32":
            value = np.rint(np.nan_to_num(value) * 100)
        return value > 0 if kind == "bool" else value.astype(kind)
    return value.astype({"i": np.int32, "c": np.complex64}.get(value.dtype.kind, value.dtype))


class Leaving(Measurement):
    """What the sample calls do on the host, with real numbers of one dtype."""

    def __init__(self, kind: str, device: Any) -> None:
        super().__init__()
        self.plain = {name: _converted(value, kind) for name, value in inputs(_SIZE).items()}
        self.given |= {name: ap.asarray(value, device=device) for name, value in self.plain.items()}
        self.device = device

    def _observe(self, expression: str) -> str:
        work = eval(f"lambda np, {', '.join(self.given)}: {expression}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work(np, **self.given | {name: value.copy() for name, value in self.plain.items()})
        except Exception:
            if expression not in _OURS:
                return ""  # NumPy has no such call of this dtype
        ap.synchronize()
        ap.forget_fallbacks()
        with ap.Device(self.device):
            work(ap, **self.given)
            ap.synchronize()
        left = {one["function"] for one in ap.fallbacks() if one["kind"] != "copy" and one["device"] != "cpu"}
        return ", ".join(sorted(left))


_OURS = {CALLS["ndarray.to_numpy"]}


def leaving() -> dict[str, dict[str, str]]:
    """By name: for each dtype, what the host did."""
    device = next(one for one in ap.devices() if one != "cpu")
    found: dict[str, dict[str, str]] = {}
    for kind in DTYPES:
        measurement = Leaving(kind, device)
        for name in names():
            left = measurement.where(name, None)
            if left:
                found.setdefault(name, {})[kind] = left
    return dict(sorted(found.items()))


def main() -> int:
    listed, found = listed_names(), leaving()
    for name, by_kind in found.items():
        print(" " if name in listed else "+", name, "; ".join(f"{kind}: {left}" for kind, left in by_kind.items()))
    for name in sorted(listed - found.keys()):
        print("-", name)
    print(len(found), "names")
    return int(found.keys() != listed)


if __name__ == "__main__":
    raise SystemExit(main())
