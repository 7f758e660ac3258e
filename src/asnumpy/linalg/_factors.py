"""Factors of matrices: by a device that offers them, else by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy._public import public_in
from asnumpy._types import ArrayLike
from asnumpy.host.whole import door
from asnumpy.linalg._offered import matrices_there, qr_there, regular

_qr = door(np.linalg.qr, "asnumpy.linalg")
_QRResult: Any = type(np.linalg.qr(np.eye(1)))
_QR_OPTIONS = {"reduced": 0, "complete": 1, "r": 2}


@public_in(np.linalg)
def qr(a: ArrayLike, mode: Any = "reduced") -> Any:
    x = matrices_there(a) if isinstance(mode, str) and mode in _QR_OPTIONS else None
    made = None if x is None else qr_there(x, _QR_OPTIONS[mode])
    if made is None or not regular(made[1]):  # of columns that depend on each other NumPy has to choose the vectors
        return _qr(a, mode)
    return made[1] if mode == "r" else _QRResult(*made)
