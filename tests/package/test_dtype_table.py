"""The page about dtypes says what the present build does, and names every dtype."""

from __future__ import annotations

import numpy as np

import asnumpy as ap
import dtype_table
from asnumpy.dtypes.dtype import EXTENDED


def test_page_is_current() -> None:
    assert dtype_table.PAGE.read_text() == dtype_table.text(), "python tools/dtype_table.py --write"


def test_every_dtype_is_on_the_page() -> None:
    listed = {np.dtype(getattr(ap, name)) for name in dtype_table.DTYPES}
    assert set(EXTENDED.values()) <= listed
    assert {np.dtype(code) for code in "?bhilqBHILQefdgFDG"} <= listed
