"""Other libraries do with arrays of ours what docs/ecosystem.md says, and the page is current."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys

import pytest
from one_import import CONFIGURATIONS, plain_environment

import asnumpy as ap
import ecosystem_table
from ecosystem_probes import SECTIONS, Probe, missing

NAMES = [(section, probe.tried) for section, probes in SECTIONS.items() for probe in probes]


@functools.cache
def outcomes() -> dict[str, str]:
    """All in one process, since the imports take longest; on the CPU, by default settings."""
    environment = {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, ecosystem_table.__file__, "--run"], capture_output=True, text=True, timeout=600,
        env={**plain_environment(), **CONFIGURATIONS["cpu"], **environment},
    )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.parametrize(("section", "tried"), NAMES)
def test_as_the_page_says(section: str, tried: str) -> None:
    if package := missing(section):
        pytest.skip(f"{package} is not installed")
    found = outcomes()[f"{section}: {tried}"]
    assert not found, found


def test_the_page_is_current() -> None:
    assert ecosystem_table.PAGE.read_text() == ecosystem_table.text(), "python tools/ecosystem_table.py --write"


@pytest.mark.parametrize(
    "probe",
    [
        Probe("another result", "result = np.__name__"),
        Probe("another class", "result = x", "NumPy"),
        Probe("another dtype", "result = x.astype('f4' if np is numpy else 'f8')"),
        Probe("no error", "result = x", fails="TypeError"),
        Probe("another error", "result = x[1, 1] if np is not numpy else x", fails="TypeError"),
        Probe("a result in place of an error", "result = np.__name__", fails="TypeError"),
        Probe("no remedy", "result = np.__name__", fails="silently", remedy="result = np.__name__"),
    ],
    ids=lambda one: one.tried,
)
def test_a_row_that_is_wrong_is_seen(probe: Probe) -> None:
    with pytest.raises(AssertionError):
        ecosystem_table.judge(probe, ap)
