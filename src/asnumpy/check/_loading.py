"""CANN loads, and nothing of the machine's installation stands in the way."""

from __future__ import annotations

from functools import partial
from typing import Any

import asnumpy as ap
from asnumpy.check._steps import Case, Scope
from asnumpy.runtime import cann_search, diagnosis


def starts() -> dict[str, Any]:
    found = cann_search.search()
    if found.failure:
        raise RuntimeError(found.failure)
    return {"devices": found.devices}


def device_is_there(scope: Scope) -> None:
    names = [str(device) for device in ap.devices()]
    if scope.device not in names:
        raise RuntimeError(f"there is no {scope.device}: the devices are {', '.join(names)}")


def function_is_there(name: str) -> None:
    if name in cann_search.search().missing:
        raise RuntimeError("this CANN has no such function, which every supported version has")


def nothing_in_the_way() -> None:
    """Permissions, kernels, drivers, variables. What this CANN lacks of operators is counted by another case."""
    report = diagnosis.diagnose()
    found = [f"{one['what']} (to do: {one['remedy']})" for one in report["problems"] if "lacks" not in one["what"]]
    if found:
        raise RuntimeError("; ".join(found))


def first_result(scope: Scope) -> None:
    with ap.Device(scope.device):
        got = (ap.arange(5.0, dtype="float32") * 2).tolist()
    if got != [0.0, 2.0, 4.0, 6.0, 8.0]:
        raise AssertionError(f"arange(5) * 2 is {got}")


def operators() -> dict[str, Any]:
    from asnumpy.cann import operators as documented
    from asnumpy.cann._calls import find

    names = documented()
    lacking = [name for name in names if find(name) is None]
    if len(lacking) == len(names):
        raise RuntimeError("CANN's libraries have none of its operators")
    return {"operators": len(names) - len(lacking), "lacking": len(lacking)}


def cases(scope: Scope) -> list[Case]:
    """The start, what is missing, what an installation may lack."""
    missing = cann_search.search().missing
    return [
        ("CANN loads and starts", starts), ("installation", nothing_in_the_way),
        (f"{scope.device} is there", partial(device_is_there, scope)),
        *((name, partial(function_is_there, name)) for name in missing),
        ("operators", operators), ("a first result", partial(first_result, scope)),
    ]
