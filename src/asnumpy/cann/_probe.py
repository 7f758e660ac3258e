"""Loads CANN and prints, as JSON, what there is: run by `python -m asnumpy info` in a process of its own."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from asnumpy.cann import _facts
from asnumpy.cann._calls import find
from asnumpy.cann._devices import device_properties
from asnumpy.runtime import cann_search


def probe() -> dict[str, Any]:
    """Loads CANN in this process and tells what the core found, and its devices."""
    found = cann_search.search()
    result: dict[str, Any] = {**asdict(found), "properties": [], "operators": None}
    if found.failure:
        return result
    names = _facts.names_in(found.facts)
    lacking = [name for name in names if find(name) is None]
    result["operators"] = {"documented": len(names), "lacking": lacking}
    result["properties"] = [device_properties(number) for number in range(found.devices)]
    return result


if __name__ == "__main__":
    print("\n" + json.dumps(probe()))
