"""bokeh writes a Number into its documents as the number that it is, which it would write as an array."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.array.number import BoolNumber, ComplexNumber, FloatNumber, IntegerNumber

_serializer: Any = importlib.import_module("bokeh.core.serialization").Serializer


def _encoded(number: Any, serializer: Any) -> Any:
    return serializer.encode(number.item())


for _kind in (BoolNumber, ComplexNumber, FloatNumber, IntegerNumber):
    _serializer.register(_kind, _encoded)
