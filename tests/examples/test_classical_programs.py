"""The classical programs that are measured: each gives NumPy's results unchanged; and the script that measures them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy.demo.measure import as_numpy, close, settle
from programs import FAMILIES, SIZES, Program, inputs
from programs.causes import CAUSES
from programs.contest import Result, Work, ours
from programs.report import markdown, summary

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {program.name: program for programs in FAMILIES.values() for program in programs}


def leaves(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_numpys(name: str) -> None:
    program = PROGRAMS[name]
    given = inputs(program, "small")
    expected = program.work(np, *given)
    arrays = ours(given)
    got = settle(program.work(ap, *arrays))
    same, how = close(program.agreement.tolerance)(expected, got)
    assert same, how
    for one, other in zip(leaves(expected), leaves(got), strict=True):
        assert isinstance(other, ap.ndarray) or not isinstance(one, np.ndarray)
    for before, array, after in zip(inputs(program, "small"), arrays, given, strict=True):
        if isinstance(before, np.ndarray):  # as given, on both libraries
            np.testing.assert_array_equal(after, before)
            np.testing.assert_array_equal(as_numpy(array)[0], before)


def test_every_program_is_there_once_and_grows() -> None:
    assert len(PROGRAMS) == sum(len(programs) for programs in FAMILIES.values()) >= 40
    for program in PROGRAMS.values():
        counts = [int(np.prod([float(n) for n in size])) for size in program.sizes]
        assert len(counts) == len(SIZES) and counts == sorted(counts), program.name
        assert program.agreement.reason


def entry(state: str, size: str, name: str, numpy_ms: float, asnumpy_ms: float) -> Result:
    times = {"numpy": numpy_ms, "asnumpy": asnumpy_ms}
    warm = times | {"asnumpy": asnumpy_ms / 2}
    return Result(name, "dense", size, [4], state, times, warm, 0.0, True, "equal", Work())


def test_means_are_geometric_and_what_loses_is_named() -> None:
    results = [
        entry("kept", "small", "one", 2, 1), entry("kept", "small", "two", 8, 1), entry("kept", "large", "two", 1, 4),
        entry("fresh", "large", "two", 8, 4),
    ]
    means = {line[:4]: line[4:] for line in summary(results)[1:]}
    assert means["small", "kept", "warm", "asnumpy"] == ("2", "8.00", "0", "0", "one (4.00)")
    assert means["small", "kept", "after a pause", "asnumpy"] == ("2", "4.00", "0", "0", "one (2.00)")
    assert means["large", "kept", "after a pause", "asnumpy"] == ("1", "0.25", "1", "1", "two (0.25)")
    assert means["large", "fresh", "after a pause", "asnumpy"] == ("1", "2.00", "0", "0", "two (2.00)")
    shown = [line for line in markdown(results).splitlines() if "| dense |" in line]
    assert len(shown) == 1 and "| two | dense | large: 4 | 1 | 4 | 0.25 | 0.50 | 2.00 |" in shown[0]


def test_a_program_is_measured_in_both_states_of_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benches.programs", "--only", "bounded integers", "--size", "small"]
    done = subprocess.run([*command, "--rounds", "3", "--json", str(tmp_path / "all.json")], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads((tmp_path / "all.json").read_text())
    assert [entry["state"] for entry in found] == ["kept", "fresh"]
    for result in found:
        assert result["agrees"] and result["agreement"] == "equal"
        assert min(min(result[start].values()) for start in ("ms", "warm_ms")) > 0
    assert "bounded integers" in done.stdout and "geometric mean" in done.stdout


def test_a_wrong_result_is_seen() -> None:
    program: Program = PROGRAMS["bounded integers"]
    given = inputs(program, "small")
    same, _ = close(program.agreement.tolerance)(program.work(np, *given), program.work(np, given[0] + 1, given[1]))
    assert not same


def test_causes_name_programs() -> None:
    assert {name for programs in CAUSES.values() for name in programs} <= set(PROGRAMS)
    assert len([name for programs in CAUSES.values() for name in programs]) == len(set().union(*CAUSES.values()))
