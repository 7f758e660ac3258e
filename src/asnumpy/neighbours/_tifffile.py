"""tifffile reads into arrays of ours (`imread(name, out=a)`) and takes Numbers: it asks for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.keys import by_numpys_keys
from asnumpy.host.passing import giving_ours, taking_numpys
from asnumpy.interop.arrivals import change, change_methods

_files: Any = importlib.import_module("tifffile.tifffile")
change("tifffile", _files, ["imread"], giving_ours)
for _kind in (_files.TiffFile, _files.TiffPage, _files.TiffPageSeries):
    change_methods(_kind, ["asarray"], giving_ours)
for _kind in (_files.TiffPages, _files.TiffPageSeries):
    change_methods(_kind, ["__getitem__"], by_numpys_keys)
change_methods(_files.TiffWriter, ["write"], taking_numpys)
