"""SciPy's sparse functions through the host door: ours go in as SciPy's over the same memory, and ours come out."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.door import host_result
from asnumpy.scipy._host import shown
from asnumpy.scipy.sparse._blocks import shared

# What an object of each format consists of besides its data; `coords` is a tuple of arrays.
INDEX_PARTS = {
    "csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "bsr": ("indices", "indptr"), "coo": ("coords",),
    "dia": ("offsets",),
}
_KNOWN = ("has_sorted_indices", "has_canonical_format")  # what SciPy's objects remember, under names that end so
_ours: dict[type, type[Held]] = {}


class Held:
    """A sparse array: its parts are arrays of ours that lie on one device, data first."""

    format: str
    _theirs: type
    _shape: tuple[int, ...]
    _parts: tuple[Any, ...]
    _known: dict[str, bool]  # of the indices: what SciPy has found out
    _groups: dict[Any, Any]  # of the indices: what products on a device have found out
    _frame: dict[str, Any] | None

    def _hold(self, shape: tuple[int, ...], parts: tuple[Any, ...], known: dict[str, bool]) -> None:
        self._shape, self._parts, self._known, self._groups, self._frame = shape, parts, known, {}, None

    @classmethod
    def _of(cls, shape: tuple[int, ...], parts: tuple[Any, ...], known: dict[str, bool]) -> Any:
        made = cls.__new__(cls)
        made._hold(shape, parts, known)
        return made


def stands_for(theirs: type) -> Callable[[type[Held]], type[Held]]:
    """Marks the class whose objects take the place of SciPy's of class `theirs`."""

    def mark(own: type[Held]) -> type[Held]:
        own._theirs = theirs
        _ours[theirs] = own
        return own

    return mark


def ours(theirs: type) -> type[Held]:
    """The class that stands for one of SciPy's."""
    return _ours[theirs]


def parts_of(theirs: Any) -> tuple[Any, ...]:
    return (theirs.data, *(getattr(theirs, name) for name in INDEX_PARTS[theirs.format]))


def known_of(theirs: Any) -> dict[str, bool]:
    return {name: value for name, value in vars(theirs).items() if name.endswith(_KNOWN)}


def _frame(held: Held) -> dict[str, Any]:
    """What SciPy's object has besides its arrays, found once: to make one takes longer than a small product."""
    if held._frame is None:
        options = {"blocksize": held._parts[0].shape[1:]} if held.format == "bsr" else {}
        left_out = ("data", *INDEX_PARTS[held.format], *_KNOWN)
        empty = vars(held._theirs(held._shape, **options))
        held._frame = {name: value for name, value in empty.items() if not name.endswith(left_out)}
    return held._frame


def scipys(held: Held, parts: tuple[Any, ...]) -> Any:
    """SciPy's object over these arrays, which are taken as they are."""
    kind: Any = held._theirs
    made = kind.__new__(kind)
    vars(made).update(_frame(held))
    made.data = parts[0]
    for name, part in zip(INDEX_PARTS[held.format], parts[1:], strict=True):
        setattr(made, name, part)
    vars(made).update({"has_canonical_format": False} if held.format == "coo" else {}, **held._known)
    return made


def same_parts(one: Any, other: Any) -> bool:
    if type(one) is tuple:
        return len(one) == len(other) and all(map(same_parts, one, other))
    return one is other


def _first(parts: Any) -> Any:
    """An array of ours among the parts, which says where the others are to lie."""
    for one in parts:
        found = _first(one) if type(one) is tuple else one
        if isinstance(found, ndarray):
            return found
    return None


def laid(part: Any, near: Any) -> Any:
    """A part as an array of ours: NumPy's arrays that were arguments come back as themselves."""
    if type(part) is tuple:
        return tuple(laid(one, near) for one in part)
    if isinstance(part, ndarray):
        return part
    return asarray(part) if near is None else asarray(part, device=near.device)


class _Place:
    """Stands for a sparse array while the door moves its arrays."""

    def __init__(self, number: int) -> None:
        self.number = number


def walked(value: Any, change: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([walked(one, change) for one in value])
    if kind is dict:
        return {key: walked(one, change) for key, one in value.items()}
    return change(value)


def flat(parts: Any) -> list[Any]:
    return [one for part in parts for one in (part if type(part) is tuple else (part,))]


def extent(view: np.ndarray) -> tuple[Any, ...]:
    return view.__array_interface__["data"][0], view.shape, view.strides, view.dtype


class Passage:
    """One call of a function of SciPy's, by way of the door."""

    def __init__(self, theirs: Callable[..., Any], module: str, name: str) -> None:
        self.theirs, self.__module__, self.__name__ = theirs, module, name
        self.given: list[Held] = []
        self.built: list[Any] = []
        self.made: list[Any] = []
        self.foreign: list[Any] = []
        self.views: dict[tuple[Any, ...], np.ndarray] = {}

    def place(self, value: Any) -> Any:
        if not isinstance(value, Held):
            if type(value) in _ours:
                self.foreign.append(value)
            return value
        for number, one in enumerate(self.given):
            if one is value:
                return _Place(number)
        self.given.append(value)
        return _Place(len(self.given) - 1)

    def fill(self, value: Any) -> Any:
        if type(value) is np.ndarray:
            self.views[extent(value)] = value
        return self.built[value.number] if isinstance(value, _Place) else value

    def kept(self, part: Any) -> Any:
        """A part of a result: the argument itself where it is one, which the door knows; no other memory of SciPy's."""
        if type(part) is tuple:
            return tuple(map(self.kept, part))
        if any(np.may_share_memory(part, one) for held in self.foreign for one in flat(parts_of(held))):
            return part.copy()
        return self.views.get(extent(part), part)

    def take(self, value: Any) -> Any:
        """A sparse result as a place: of an argument, or behind these of what was made."""
        for number, one in enumerate(self.built):
            if one is value:
                return _Place(number)
        if type(value) not in _ours:
            return value
        self.made.append(value)
        return _Place(len(self.built) + len(self.made) - 1)

    def __call__(self, parts: list[Any], args: Any, kwargs: Any) -> Any:
        self.built = list(map(scipys, self.given, parts))
        for view in flat(part for its in parts for part in its):
            self.views[extent(view)] = view
        result = self.theirs(*walked(args, self.fill), **walked(kwargs, self.fill))
        result = walked(result, self.take)
        # What a function writes into the arrays is written to ours; it may also put others in their place.
        changed = [
            None if same_parts(parts_of(one), before) else self.kept(parts_of(one))
            for one, before in zip(self.built, parts, strict=True)
        ]
        return result, [self.kept(parts_of(one)) for one in self.made], changed

    def run(self, args: Any, kwargs: Any) -> Any:
        if _core.tracing():  # it would run on samples of the arrays, where indices must be indices
            raise _core.TracingError(
                f"{self.__module__}.{self.__name__}: SciPy computes it from values, which are not there while the "
                "function is traced; compute this outside of the function"
            )
        args, kwargs = walked(args, self.place), walked(kwargs, self.place)
        result, parts, changed = host_result(self, [one._parts for one in self.given], args, kwargs)
        for held, theirs, its in zip(self.given, self.built, changed, strict=True):
            if its is not None or theirs.shape != held._shape:
                held._hold(theirs.shape, held._parts if its is None else laid(its, _first(its)), {})
            if held._known != known_of(theirs):  # what was put in order
                held._known, held._groups = known_of(theirs), {}
        whole = [
            _ours[type(theirs)]._of(theirs.shape, laid(its, _first(its)), known_of(theirs))
            for theirs, its in zip(self.made, parts, strict=True)
        ]
        known = [*self.given, *whole]
        return walked(result, lambda one: known[one.number] if isinstance(one, _Place) else one)


def through(theirs: Callable[..., Any], name: str) -> Callable[..., Any]:
    """SciPy's function, counted under `name`, for sparse arrays of ours and others."""
    module, _, short = name.rpartition(".")
    function = shared(theirs, short)

    def call(*args: Any, **kwargs: Any) -> Any:
        return Passage(function, module, short).run(args, kwargs)

    return call


def on_host(theirs: Any, name: str) -> Any:
    """What a program gets for a public name: functions by `through`, classes and constants as they are."""
    if isinstance(theirs, type) or not callable(theirs):
        return shown(theirs, name)
    call: Any = functools.update_wrapper(through(theirs, name), theirs)
    try:
        inspect.signature(theirs)
    except (TypeError, ValueError):
        del call.__wrapped__
    module, _, short = name.rpartition(".")
    call.__module__, call.__name__, call.__qualname__ = f"asnumpy.{module}", short, short
    return beside(call, theirs)
