"""The names of annotations; below `array`, `ndarray` is at run time the base in the core of which all arrays are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, SupportsIndex

    from numpy.typing import ArrayLike, DTypeLike

    from asnumpy.array.ndarray import ndarray

    Shape = SupportsIndex | Sequence[SupportsIndex]
    Axes = SupportsIndex | Sequence[SupportsIndex]
    Casting = Literal["no", "equiv", "safe", "same_kind", "same_value", "unsafe"]
    Order = Literal["C", "F", "A", "K"]
else:
    from typing import Any

    from asnumpy._core import Array as ndarray

    ArrayLike = DTypeLike = Shape = Axes = Casting = Order = Any

__all__ = ["EXACT", "ArrayLike", "Axes", "Casting", "DTypeLike", "Order", "Shape", "ndarray"]

# The classes of arrays that answer as NumPy's own class does; a user's subclass may override. `array` enters them.
EXACT: set[type] = set()
