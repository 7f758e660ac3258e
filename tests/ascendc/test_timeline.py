"""What the pipes did when, by the model: rows, waits, conflicts of UB's banks."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from host_compiler import needs_compiler

from .harness import HERE, Kernel, Probes, Ran

pytestmark = needs_compiler

# Where the operands of an addition lie in UB, and their strides; 16 repeats of float.
HEAD = """
template <uint32_t b, uint32_t c>
void add(GM_ADDR x, BinaryRepeatParams strides) {
    LocalTensor<float> all(TPosition::VECCALC, 0, 49152);
    Duplicate(all, 1.0f, 16384);
    Add(all[c / 4], all, all[b / 4], (uint64_t)64, 16, strides);
}
"""
PLACES = {
    # name: bytes of the second source and of the result, strides of blocks and repeats, cycles of a repeat
    "apart": ((256, 65536), "1, 1, 1, 8, 8, 8", 1),
    "two_reads": ((512 * 17, 65536 + 256), "1, 1, 1, 8, 8, 8", 2),  # both sources begin in one group of banks
    "one_bank": ((256, 512 * 40), "1, 1, 1, 8, 8, 8", 2),  # a source and the result lie in the same bank
    "in_place": ((256, 0), "1, 1, 1, 8, 8, 8", 1),
    "every_16th": ((0, 65536 + 256), "1, 16, 16, 8, 1, 1", 8),  # documented: eight times as long
    "every_8th": ((0, 65536 + 256), "1, 8, 8, 8, 1, 1", 4),  # four times
}
PROBES = Probes(
    HEAD,
    **{
        name: f"add<{places[0]}, {places[1]}>(x, BinaryRepeatParams({strides}));"
        for name, (places, strides, _) in PLACES.items()
    },
)


def spans(path, ran: Ran) -> list[dict]:
    """The spans of a trace with their rows' names."""
    assert ran.findings == []
    events = json.loads(path.read_text())["traceEvents"]
    rows = {each["tid"]: each["args"]["name"] for each in events if each["name"] == "thread_name"}
    return [{**each, "row": rows[each["tid"]]} for each in events if each["ph"] == "X"]


@pytest.mark.parametrize("name", PLACES)
def test_conflicts_of_banks_take_cycles(name, tmp_path):
    x = np.zeros(64, np.float32)
    ran = PROBES(name, 1, x, x, trace=tmp_path / "trace")
    one, = (each for each in spans(tmp_path / "trace", ran) if each["name"] == "Add")  # fmt: skip
    cycles = PLACES[name][2]
    assert one["args"]["bank_conflicts"] == 16 * (cycles - 1)
    assert one["args"]["cycles"] > 16 * cycles
    assert ("cname" in one) == (cycles > 1)
    assert one["args"]["at"].split(":")[-1].isdigit()


def test_rows_are_pipes_of_cores(tmp_path):
    kernel = Kernel((HERE / "kernels" / "ping_pong.cpp").read_text(), ["ping_pong"])
    n = 4 * 2048 * 3
    x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
    ran = kernel("ping_pong", 4, x, y, n, trace=tmp_path / "trace")
    all_spans = spans(tmp_path / "trace", ran)
    assert {each["row"] for each in all_spans} == {
        f"AIV {core} {pipe}" for core in range(4) for pipe in ("V", "MTE2", "MTE3")
    }
    work = [each for each in all_spans if each["cat"] == "work"]
    names = [each["name"] for each in work]
    assert names.count("Exp") == names.count("Muls") == 12 and names.count("DataCopyPad") == 24
    # One pipe does one thing at a time, and waits in between; the last end is the launch's.
    for row in {each["row"] for each in all_spans}:
        mine = sorted((each["ts"], each["ts"] + each["dur"]) for each in all_spans if each["row"] == row)
        assert all(before[1] <= after[0] + 1e-6 for before, after in itertools.pairwise(mine))
    assert max(each["ts"] + each["dur"] for each in all_spans) * 1800 == pytest.approx(ran.cycles, rel=1e-3)
    waits = [each for each in all_spans if each["cat"] == "stall"]
    assert any(each["row"].endswith(" V") for each in waits)  # the first tile is on its way
    assert {each["name"] for each in waits} == {"waits"}
