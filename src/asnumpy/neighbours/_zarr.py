"""zarr takes Numbers among the lengths of an array: it asks for Python's and NumPy's integers."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from asnumpy.host.keys import numpys
from asnumpy.interop.arrivals import put


def _of_numpys(before: Callable[[Any], tuple[int, ...]]) -> Callable[[Any], tuple[int, ...]]:
    @functools.wraps(before)
    def parse(shape: Any) -> tuple[int, ...]:
        return before(tuple(map(numpys, shape)) if isinstance(shape, tuple | list) else numpys(shape))

    return parse


_common: Any = importlib.import_module("zarr.core.common")
put("zarr", "parse_shapelike", _common.parse_shapelike, _of_numpys(_common.parse_shapelike))
