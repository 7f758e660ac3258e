"""The page about dtypes says what the present build does, and names every dtype."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np

import asnumpy as ap
from asnumpy.dtypes.dtype import EXTENDED

TOOL = Path(__file__).resolve().parents[2] / "tools" / "dtype_table.py"


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dtype_table", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_current() -> None:
    module = tool()
    assert module.PAGE.read_text() == module.text(), "python tools/dtype_table.py --write"


def test_every_dtype_is_on_the_page() -> None:
    listed = {np.dtype(getattr(ap, name)) for name in tool().DTYPES}
    assert set(EXTENDED.values()) <= listed
    assert {np.dtype(code) for code in "?bhilqBHILQefdgFDG"} <= listed
