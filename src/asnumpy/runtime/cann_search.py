"""CANN in this process: where it was looked for and what was found, as the core's loader tells it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from asnumpy import _core

# In the order in which they are loaded. Newer versions have the operators of the last two apart.
LIBRARIES = ("libascendcl.so", "libnnopbase.so", "libopapi.so", "libopapi_math.so", "libopapi_nn.so")
NEEDED = LIBRARIES[:3]


@dataclass(frozen=True)
class Search:
    """What was looked for and what was found."""

    asked: str                          # the value of ASNUMPY_CANN
    tried: list[tuple[str, str]]        # a place and what came of it, in order
    folder: str                         # of the libraries that are used; empty: the loader's own path, or none
    loaded: bool
    simulated: bool
    version: str
    chip: str
    devices: int
    missing: list[str]                  # functions that every supported version has and this one lacks
    absent: list[str]                   # functions that other versions have
    failure: str                        # why there is no device, and what to do; empty: there is one

    def path(self, library: str) -> str:
        """How the dynamic linker is asked for a library."""
        return f"{self.folder}/{library}" if self.folder else library


def search() -> Search:
    """Loads and starts CANN if that was not done yet, and tells what came of it."""
    return Search(**_core.cann_search())


def simulated() -> bool:
    """Whether the simulator is asked for in place of CANN; nothing is loaded."""
    return os.environ.get("ASNUMPY_CANN", "") == "sim"
