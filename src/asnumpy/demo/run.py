"""Runs the demonstration: every workload on both libraries, then the table, the plot and the pictures."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.demo import workloads
from asnumpy.demo.measure import as_numpy, interleave, settle
from asnumpy.demo.report import Outcome, save_pictures, save_plot, table

ENOUGH_SECONDS = 4.0  # a workload whose rounds take longer gets fewer of them
SHORT_SECONDS = 0.002  # a round of small arrays repeats the call until it lasts this long


class Wrong(Exception):
    """Some result differs from NumPy's."""


def measure(workload: workloads.Workload, quick: bool, pictures: list[Any]) -> Outcome:
    """Check and time one workload."""
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
        workload.group, workload.name, workload.size, numpy_timing.median, asnumpy_timing.median, agrees, agreement
    )


def demonstrate(quick: bool, folder: Path) -> None:
    """Run all workloads, print the table, and save the plot and the pictures in `folder`."""
    from tqdm import tqdm

    folder.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    pictures: list[Any] = []
    with tqdm(total=workloads.count(quick), unit="workload", leave=False) as bar:
        for workload in workloads.workloads(quick):
            bar.set_description(f"{workload.name}, {workload.size}")
            outcomes.append(measure(workload, quick, pictures))
            bar.update()
            del workload
            gc.collect()
            ap.free_all_blocks()
    title = f"asnumpy {ap.__version__}, {ap.config.num_threads} threads, beside NumPy {np.__version__}"
    print(title)
    print(table(outcomes))
    plot = folder / "ratios.png"
    save_plot(outcomes, plot, title)
    before, after, edges = pictures
    files = [plot, *save_pictures(before, after, edges, folder)]
    print("\nsaved: " + ", ".join(str(file) for file in files))
    if not all(outcome.agrees for outcome in outcomes):
        raise Wrong("a result differs from NumPy's; see the column 'agreement'")
