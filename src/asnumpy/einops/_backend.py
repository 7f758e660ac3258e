"""What einops does with arrays of ours: it asks every class that is derived from a backend of its own."""

from __future__ import annotations

from typing import Any

from einops._backends import NumpyBackend

import asnumpy as ap


class AsnumpyBackend(NumpyBackend):
    """What einops does with arrays, by the functions of asnumpy."""

    framework_name = "asnumpy"

    def __init__(self) -> None:
        self.np = ap

    def is_appropriate_type(self, tensor: Any) -> bool:
        return isinstance(tensor, ap.ndarray)

    def from_numpy(self, x: Any) -> Any:
        return ap.asarray(x)

    def to_numpy(self, x: Any) -> Any:
        return ap.to_numpy(x)
