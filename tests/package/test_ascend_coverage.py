"""What an Ascend 910B leaves to the host is listed, and the page about it says what the present build does."""

from __future__ import annotations

from pathlib import Path

import pytest
from device_marks import needs_built_simulator, needs_simulator

import ascend_coverage
import ascend_names
from asnumpy import _core

LISTED = Path(__file__).parent / "ascend_host.txt"


def left_to_the_host(version: str) -> set[str]:
    """Of the dtypes that CANN computes with."""
    return {
        f"{one.kind} {one.row} {' '.join(one.inputs)}"
        for one in ascend_coverage.entries(version) if one.path == "host" and one.has_columns
    }


def rows_left_to_the_host(version: str) -> set[str]:
    """Those of which no loop runs on the device, whatever the dtype; random numbers are listed as draws."""
    on_device = {one.row for one in ascend_coverage.entries(version) if one.path != "host"}
    on_device |= {"scan"}  # each listed as the operation that it repeats
    names = {row["name"] for row in _core.rows()}
    return {f"row {name}" for name in names - on_device if not name.startswith("random_")}


@needs_built_simulator
def test_page_is_current() -> None:
    assert ascend_coverage.PAGE.read_text() == ascend_coverage.text(), "python tools/ascend_coverage.py --write"


@needs_built_simulator
@pytest.mark.parametrize("older", [False, True])
def test_nothing_else_is_left_to_the_host(older: bool) -> None:
    lines = [line for line in LISTED.read_text().splitlines() if not line.startswith("#")]
    with_newest = {line for line in lines if not line.startswith("8: ")}
    listed = with_newest | {line.removeprefix("8: ") for line in lines if older}
    version = ascend_coverage.OLDEST if older else ascend_coverage.NEWEST
    found = left_to_the_host(version) | rows_left_to_the_host(version)
    assert not found - listed, "give these a call string or a rule (core/ascend/lower), or list them"
    assert not listed - found, f"these run on the device now: take them out of {LISTED.name}"


def test_dtypes_that_cann_lacks_are_moved_on_the_device() -> None:
    moved = {
        (row, inputs[0])
        for kind, row, inputs, _, path, *_ in _core.lowering()
        if kind == "structured" and row in ("take", "scatter", "compress") and path != "host"
    }
    dtypes = {inputs[0] for kind, row, inputs, *_ in _core.lowering() if row == "cast"}
    assert moved == {(row, dtype) for row in ("take", "scatter", "compress") for dtype in dtypes}


def test_call_strings_name_operators() -> None:
    """A row's text that no operator has would leave its loops to the host without a word."""
    wrong = [entry for entry in _core.lowering() if "is not among CANN's operators" in entry[5]]
    assert not wrong


@needs_simulator
def test_no_other_name_leaves_the_device() -> None:
    """Of calls with float32, int32 and bool arrays."""
    found, listed = ascend_names.leaving(), ascend_names.listed_names()
    more = {name: left for name, left in found.items() if name not in listed}
    assert not more, "compose these of what the device does, or list them with a reason in tools/ascend_names.toml"
    assert not listed - found.keys(), "these stay on the device now: take them out of tools/ascend_names.toml"
