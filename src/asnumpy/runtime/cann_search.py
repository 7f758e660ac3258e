"""CANN in this process: where it was looked for and what was found, as the core's loader tells it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from asnumpy import _core

VENDORS = "libcust_opapi.so"  # operators that somebody has installed beside CANN's


@dataclass(frozen=True)
class Search:
    """What was looked for and what was found."""

    asked: str                          # the value of ASNUMPY_CANN
    tried: list[tuple[str, str]]        # a place and what came of it, in order
    folder: str                         # of the libraries that are used; empty: the loader's own path, or none
    loaded: bool
    simulated: bool
    version: str
    facts: str                          # the version whose facts are in use, and how sure they are
    chip: str
    devices: int
    missing: list[str]                  # functions that every supported version has and this one lacks
    absent: list[str]                   # functions that other versions have
    failure: str                        # why there is no device, and what to do; empty: there is one
    libraries: list[tuple[str, str]]    # what the loader was given and what came of it; vendors' last
    operator_files: str                 # the folder of CANN's operators; empty: none was found, or it is the simulator
    doubts: list[str]                   # what is likely to fail later, and what to do

    def opened(self, vendors_first: bool = False) -> list[str]:
        """The libraries that were opened, as the loader knows them, in the order in which names are looked for."""
        paths = [path for path, outcome in self.libraries if outcome == "opened"]
        return sorted(paths, key=lambda path: not path.endswith(VENDORS)) if vendors_first else paths


def search() -> Search:
    """Loads and starts CANN if that was not done yet, and tells what came of it."""
    return Search(**_core.cann_search())


def simulated() -> bool:
    """Whether the simulator is asked for in place of CANN; nothing is loaded."""
    return os.environ.get("ASNUMPY_CANN", "") == "sim"
