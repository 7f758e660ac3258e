"""Runs the demonstration: every workload on both libraries, then the table, the plot and the pictures."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.demo import workloads
from asnumpy.demo.measure import as_numpy, interleave, settle
from asnumpy.demo.report import Outcome, about_fallbacks, about_simulation, save_pictures, save_plot, table
from asnumpy.runtime import cann_search

ENOUGH_SECONDS = 4.0  # a workload whose rounds take longer gets fewer of them
SHORT_SECONDS = 0.002  # a round of small arrays repeats the call until it lasts this long


class Wrong(Exception):
    """Some result differs from NumPy's."""


def modelled(run: Callable[[], Any]) -> float:
    """Return the modelled seconds of a simulated device from launching what `run` does until it is done."""
    ap.synchronize()
    before = cannsim.modelled_seconds()
    run()
    return cannsim.modelled_seconds() - before


def left_to_host() -> int:
    return sum(one["count"] for one in ap.fallbacks() if one["device"] != "cpu")


def measure(workload: workloads.Workload, quick: bool, simulated: bool, pictures: list[Any]) -> Outcome:
    """Check and time one workload; on a simulated device ask its clock, too."""
    left = left_to_host()
    inputs = workload.inputs
    arrays = [ap.from_numpy(x) for x in inputs]

    def on_numpy() -> Any:
        return workload.work(np, *inputs)

    def on_asnumpy() -> Any:
        return settle(workload.work(ap, *arrays))

    expected, got = on_numpy(), on_asnumpy()
    agrees, agreement = workload.check(expected, got)
    if workload.name == "whole pipeline":
        pictures.extend([inputs[0], *as_numpy(got)])
    del expected, got
    numpy_timing, asnumpy_timing = interleave([on_numpy, on_asnumpy], 1)
    once = numpy_timing.median + asnumpy_timing.median
    rounds = max(1, min(5 if quick else 11, int(ENOUGH_SECONDS / (2 if quick else 1) / once)))
    if rounds > 1:
        numpy_timing, asnumpy_timing = interleave([on_numpy, on_asnumpy], rounds, SHORT_SECONDS)
    return Outcome(
        workload.group, workload.name, workload.size, numpy_timing.median, asnumpy_timing.median, agrees, agreement,
        modelled(on_asnumpy) if simulated else None, left_to_host() > left,
    )


def demonstrate(quick: bool, folder: Path) -> None:
    """Run all workloads, print the table, and save the plot and the pictures in `folder`."""
    from tqdm import tqdm

    device = ap.Device()
    simulated = device.kind == "ascend" and cann_search.search().simulated
    folder.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    pictures: list[Any] = []
    # What falls back is told in one line at the end, unless it was to be an error.
    quiet = "error" if ap.config.fallback == "error" else "count"
    with (
        ap.config.using(fallback=quiet),
        tqdm(total=workloads.count(quick), unit="workload", leave=False) as bar,
    ):
        for workload in workloads.workloads(quick):
            bar.set_description(f"{workload.name}, {workload.size}")
            outcomes.append(measure(workload, quick, simulated, pictures))
            bar.update()
            del workload
            gc.collect()
            ap.free_all_blocks()
    where = f"{ap.config.num_threads} threads" if device.kind == "cpu" else str(device)
    if simulated:
        where += f" (a simulated {cann_search.search().chip})"
    title = f"asnumpy {ap.__version__}, {where}, beside NumPy {np.__version__}"
    print(title)
    print(table(outcomes))
    if simulated:
        print("\n" + about_simulation(cann_search.search().chip))
    if device.kind != "cpu":
        print("\n" + about_fallbacks(ap.fallbacks()))
    files = []
    if not simulated:  # its time beside NumPy's would be a claim
        files.append(folder / "ratios.png")
        save_plot(outcomes, files[0], title)
    before, after, edges = pictures
    files += save_pictures(before, after, edges, folder)
    print("\nsaved: " + ", ".join(str(file) for file in files))
    if not all(outcome.agrees for outcome in outcomes):
        raise Wrong("a result differs from NumPy's; see the column 'agreement'")
