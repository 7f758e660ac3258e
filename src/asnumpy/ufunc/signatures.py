"""How the ufuncs are called, for type checkers: a class for each number of inputs and outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

from asnumpy._types import Casting, Order, ndarray
from asnumpy.ufunc.ufunc import ufunc

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike


class Unary(ufunc):
    def __call__(  # type: ignore[empty-body]
        self, x: ArrayLike, /, out: ndarray | tuple[ndarray | None] | None = None, *, where: ArrayLike = True,
        casting: Casting = "same_kind", order: Order | None = "K", dtype: DTypeLike | None = None, subok: bool = True,
        signature: Any = None,
    ) -> ndarray: ...


class Binary(ufunc):
    def __call__(  # type: ignore[empty-body]
        self, x1: ArrayLike, x2: ArrayLike, /, out: ndarray | tuple[ndarray | None] | None = None, *,
        where: ArrayLike = True, casting: Casting = "same_kind", order: Order | None = "K",
        dtype: DTypeLike | None = None, subok: bool = True, signature: Any = None,
    ) -> ndarray: ...


class UnaryPair(ufunc):
    def __call__(  # type: ignore[empty-body]
        self, x: ArrayLike, out1: ndarray | None = None, out2: ndarray | None = None, /, *,
        out: tuple[ndarray | None, ndarray | None] | None = None, where: ArrayLike = True,
        casting: Casting = "same_kind", order: Order | None = "K", dtype: DTypeLike | None = None, subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...


class BinaryPair(ufunc):
    def __call__(  # type: ignore[empty-body]
        self, x1: ArrayLike, x2: ArrayLike, out1: ndarray | None = None, out2: ndarray | None = None, /, *,
        out: tuple[ndarray | None, ndarray | None] | None = None, where: ArrayLike = True,
        casting: Casting = "same_kind", order: Order | None = "K", dtype: DTypeLike | None = None, subok: bool = True,
        signature: Any = None,
    ) -> tuple[ndarray, ndarray]: ...


class Product(ufunc):
    """Of vectors and matrices: axes instead of a mask."""

    def __call__(  # type: ignore[empty-body]
        self, x1: ArrayLike, x2: ArrayLike, /, out: ndarray | tuple[ndarray | None] | None = None, *, axes: Any = ...,
        axis: SupportsIndex = ..., keepdims: bool = False, casting: Casting = "same_kind", order: Order | None = "K",
        dtype: DTypeLike | None = None, subok: bool = True, signature: Any = None,
    ) -> ndarray: ...
