"""A pytest plugin that notes how each test ends, and runs a share: `pytest -p oracle.noting --outcomes FILE`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest
from oracle import parameters

import asnumpy as ap

_file: list[TextIO] = []


def _short(test: str) -> str:
    """Its name without the folder of its file."""
    file, separator, name = test.partition("::")
    return file.rpartition("/")[2] + separator + name


def _write(test: str, outcome: str, error: str = "") -> None:
    """A line at once: a test that takes the process with it is the last that started."""
    _file[0].write(json.dumps([_short(test), outcome, error]) + "\n")
    _file[0].flush()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--outcomes", required=True, help="the file that gets how each test ended, a line of JSON each")
    parser.addoption("--without", default="", help="a file with the names of tests that are left out")
    parser.addoption("--share", default="0/1", help="I/N: of N shares of the tests the one with the number I")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, count = map(int, config.getoption("--share").split("/"))
    items[:] = items[number::count]
    if config.getoption("--without"):
        left_out = set(Path(config.getoption("--without")).read_text().splitlines())
        items[:] = [item for item in items if _short(item.nodeid) not in left_out]


def pytest_configure(config: pytest.Config) -> None:
    _file.append(open(config.getoption("--outcomes"), "a"))


@pytest.fixture(autouse=True)
def nothing_left_pending() -> Iterator[None]:
    yield
    ap.synchronize()


def _error(call: pytest.CallInfo[Any], path: Path) -> str:
    if call.excinfo is None:
        return ""
    value = call.excinfo.value
    chain = [value]
    while (below := chain[-1].__cause__ or chain[-1].__context__) is not None and below not in chain:
        chain.append(below)
    lines = [f"{type(one).__name__}: {one}" for one in chain]
    own = [entry for entry in call.excinfo.traceback if Path(entry.path) == path]
    return "\n".join(lines + [f"at line {own[-1].lineno + 1}: {str(own[-1].statement).strip()}" for _ in own[:1]])


def pytest_runtest_logstart(nodeid: str, location: Any) -> None:
    _write(nodeid, "started")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
    report = yield
    if report.skipped and hasattr(report, "wasxfail"):
        _write(item.nodeid, "xfailed", report.wasxfail)
    elif report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = reason.removeprefix("Skipped: ")
        unmade = reason.startswith(parameters.UNMADE)
        _write(item.nodeid, "failed" if unmade else "skipped", reason.removeprefix(parameters.UNMADE))
    elif report.failed:
        _write(item.nodeid, "failed", _error(call, item.path))
    elif call.when == "call":
        _write(item.nodeid, "passed")
    return report


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _write(report.nodeid + "::(collection)", "failed", str(report.longrepr))


def pytest_sessionfinish(session: pytest.Session) -> None:
    _write("", "finished")
