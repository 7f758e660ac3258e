"""What the rooms below `array` call an array: for type checkers the class, at run time its base, of which all are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from asnumpy.array.ndarray import ndarray

    Shape = SupportsIndex | Sequence[SupportsIndex]
    Axes = SupportsIndex | Sequence[SupportsIndex]
else:
    from asnumpy._core import Array as ndarray

__all__ = ["EXACT", "ndarray"]

# The classes of arrays that answer as NumPy's own class does; a user's subclass may override. `array` enters them.
EXACT: set[type] = set()
