"""Every snippet prints with asnumpy what it prints with NumPy, on the CPU and a simulated NPU, by default settings."""

from __future__ import annotations

import functools
import importlib.util
import sys
from typing import Any

import one_import
import pytest
from failing import reason_to_fail
from snippets import LIMITS, PREAMBLE, SNIPPETS

CONFIGURATIONS = ("cpu", "npu")


def missing(name: str) -> list[str]:
    return [package for package in SNIPPETS[name].needs if importlib.util.find_spec(package) is None]


@functools.cache
def run_all(configuration: str) -> dict[str, dict[str, Any]]:
    programs = {
        name: {"source": PREAMBLE + one.code, "path": name, "arguments": []}
        for name, one in SNIPPETS.items() if not missing(name)
    }
    return one_import.outcomes(programs, configuration)


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
@pytest.mark.parametrize("name", SNIPPETS)
def test_same_as_with_numpy(name: str, configuration: str, request: pytest.FixtureRequest) -> None:
    if packages := missing(name):
        pytest.skip(f"{', '.join(packages)} is not installed")
    if reason := reason_to_fail(name, configuration):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    plain, mine = run_all("numpy")[name], run_all(configuration)[name]
    assert not plain["error"], plain["error"]
    assert not mine["error"], mine["error"]
    assert mine["printed"] == plain["printed"]


def test_limits_are_class_tests() -> None:
    """What stays different is no value: each of these asks for NumPy's or Python's own class."""
    for name in LIMITS:
        assert reason_to_fail(f"limits: {name}", "cpu") and reason_to_fail(f"limits: {name}", "npu")


if __name__ == "__main__":  # the snippets that fail now, with the end of what is wrong
    for configuration in sys.argv[1:] or CONFIGURATIONS:
        for name, one in run_all(configuration).items():
            if one["error"] or one["printed"] != run_all("numpy")[name]["printed"]:
                print(f"{configuration} | {name} | {one['error'].strip().splitlines()[-1:] or one['printed']}")
