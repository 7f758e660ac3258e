"""astropy's tables take rows and masks of ours in brackets: they ask for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.keys import by_numpys_keys

_table: Any = importlib.import_module("astropy.table.table").Table
for _name in ("__getitem__", "__setitem__"):
    setattr(_table, _name, by_numpys_keys(getattr(_table, _name)))
