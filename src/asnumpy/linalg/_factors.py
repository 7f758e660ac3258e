"""Factors of matrices: by a device that offers them, else by NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy._public import public_in
from asnumpy._types import ArrayLike
from asnumpy.host.whole import door
from asnumpy.linalg._offered import lies_there, qr_there

_qr = door(np.linalg.qr, "asnumpy.linalg")
_QRResult: Any = type(np.linalg.qr(np.eye(1)))
_QR_OPTIONS = {"reduced": 0, "complete": 1, "r": 2}


@public_in(np.linalg)
def qr(a: ArrayLike, mode: Any = "reduced") -> Any:
    made = None
    if lies_there(a) and isinstance(mode, str) and mode in _QR_OPTIONS:
        made = qr_there(a, _QR_OPTIONS[mode])
    if made is None:
        return _qr(a, mode)
    return made[1] if mode == "r" else _QRResult(*made)
