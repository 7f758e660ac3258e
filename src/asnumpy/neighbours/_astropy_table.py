"""astropy's tables take rows and masks of ours in brackets: they ask for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.keys import by_numpys_keys
from asnumpy.interop.arrivals import change_methods

_table: Any = importlib.import_module("astropy.table.table").Table
change_methods(_table, ["__getitem__", "__setitem__"], by_numpys_keys)
