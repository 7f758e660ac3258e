"""One device, initialised once; findings are of the test that made them. Without a simulator nothing is collected."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest


def built() -> bool:
    spec = importlib.util.find_spec("asnumpy")
    places = spec.submodule_search_locations if spec else None
    folder = os.environ.get("ASNUMPY_CANNSIM_LIB") or (Path(next(iter(places))) / "cannsim" / "lib" if places else "")
    return (Path(folder) / "libcannsim.so").exists()


collect_ignore_glob = [] if built() else ["test_*.py"]


def pytest_report_header() -> str:
    return "" if built() else "tests/cannsim: left out, this build has no simulator"


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    from cannsim import acl

    acl.start()
    acl.sim.cannsim_clear()
    yield
    acl.sim.cannsim_clear_faults()
    acl.sim.cannsim_clear()


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has torch for the CPU and torch_npu, and nothing of ours."""
    from cannsim import torch_environment

    return torch_environment.torch_python(tmp_path_factory)
