"""SciPy's sample frequencies take a Number for the length of a window, for which NumPy's ask for an integer."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.neighbours._scipy import put_known

_helper: Any = importlib.import_module("scipy.fft._helper")
for _name in ("fftfreq", "rfftfreq"):
    _theirs = getattr(_helper, _name)
    put_known("scipy.fft", _name, _theirs, taking_numpys(_theirs))
