"""SciPy's functions that put values elsewhere, on a device: SciPy moves their places, which are gathered by then."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import ravel
from asnumpy.scipy.sparse._door import Held, Passage, extent, flat, known_of, ours, parts_of, walked
from asnumpy.scipy.sparse._patterns import Pattern, Places, copied, host_indices, is_there, kept, one_each, stays

_ORDINARY = (bool, int, str, type(None))


class _Added(Exception):
    """Values of one place were added: their places do not tell which."""


class _Move(Passage):
    """A call of SciPy's function in which places stand for values.

    Each carries a one as its imaginary part: what is added shows there.
    """

    def __init__(self, theirs: Callable[..., Any], writes: bool) -> None:
        super().__init__(theirs, "", "")
        self.writes = writes
        self.own: dict[int, ndarray] = {}  # ours, by the host array that stands for it

    def place(self, value: Any) -> Any:
        if isinstance(value, ndarray):  # an index
            return _core.numpy_copy(value)
        return super().place(value)

    def fitting(self) -> bool:
        """Whether all is there that is needed: a sparse array of ours on a device, and none elsewhere."""
        where = {held._parts[0]._device_name for held in self.given}
        return len(where) == 1 and not self.foreign and all(map(stays, self.given))

    def standing(self, held: Held, at: int) -> tuple[Any, ...]:
        shape = held._parts[0].shape
        places = np.arange(at, at + math.prod(shape)).reshape(shape) + 1j
        indices = host_indices(held)
        if self.writes:
            return places, *copied(indices)
        self.tell((places, *indices), held._parts)
        return places, *indices

    def tell(self, host: Any, own: Any) -> None:
        """What stands for which array; a host array that is no copy of ours stands for none."""
        if type(host) is not tuple:
            if isinstance(own, ndarray):
                self.own[id(host)] = own
            return
        for one, other in zip(host, own, strict=True):
            self.tell(one, other)

    def laid(self, part: Any) -> Any:
        if type(part) is tuple:
            return tuple(map(self.laid, part))
        own = self.own.get(id(part))
        return asarray(part, device=self.near.device) if own is None else own

    def numbers(self, places: Any) -> np.ndarray:
        if places.size and places.imag.max() > 1:
            raise _Added
        return np.asarray(places.real).astype(np.intp)

    def values(self, places: Any) -> ndarray:
        own = self.own.get(id(places))
        if own is not None:
            return own
        return Places(self.numbers(places), self.near).of(self.source)

    def whole(self, kind: type[Held], shape: Any, parts: Any, known: Any) -> Any:
        made = kind._of(shape, (self.values(parts[0]), *map(self.laid, parts[1:])), known)
        made._groups = {"host": kept(parts[1:])}
        return made

    def build(self, parts: Any, args: Any, kwargs: Any) -> Any:
        """An array from values and indices that are no array yet."""
        self.near = parts[0]
        host = np.arange(1, 1 + self.near.size).reshape(self.near.shape) + 1j, *walked(parts[1:], self.index)
        self.tell(host, parts)
        self.source = ravel(self.near)
        made = self.theirs(host, *args, **kwargs)
        for part in flat(host):
            if isinstance(part, np.ndarray):
                self.views[extent(part)] = part
        return self.whole(ours(type(made)), made.shape, self.kept(parts_of(made)), known_of(made))

    def index(self, value: Any) -> Any:
        return _core.numpy_copy(value) if isinstance(value, ndarray) else value

    def move(self, args: Any, kwargs: Any) -> Any:
        args, kwargs = walked(args, self.place), walked(kwargs, self.place)
        if not self.fitting():
            return NotImplemented
        each = [held._parts[0] for held in self.given]
        self.near, ends = each[0], np.cumsum([1, *(one.size for one in each)])
        standing = [self.standing(held, int(at)) for held, at in zip(self.given, ends[:-1], strict=True)]
        dtype = np.result_type(*(one.dtype for one in each))
        lines = [ravel(one.astype(dtype, copy=False)) for one in each]
        self.source = lines[0] if len(lines) == 1 else concatenate(lines)
        result, parts, _ = self(standing, args, kwargs)
        if isinstance(result, np.matrix):
            return NotImplemented
        if self.writes:
            held, theirs = self.given[0], self.built[0]
            written = self.whole(type(held), theirs.shape, parts_of(theirs), known_of(theirs))
            held._hold(written._shape, written._parts, written._known)
        made = [
            self.whole(ours(type(theirs)), theirs.shape, its, known_of(theirs))
            for theirs, its in zip(self.made, parts, strict=True)
        ]
        known = [*self.given, *made]

        def back(value: Any) -> Any:
            if not isinstance(value, (np.ndarray, np.generic)):
                return known[value.number] if hasattr(value, "number") else value
            return self.values(np.asarray(value))

        return walked(result, back)


def _each_once(value: Any) -> Any:
    return one_each(value) if isinstance(value, Held) and len(value._shape) == 2 else value


def moved(theirs: Callable[..., Any], *args: Any, writes: bool = False, **kwargs: Any) -> Any:
    """SciPy's function of ours, that puts their values elsewhere; NotImplemented where this is not to be done."""
    try:
        return _Move(theirs, writes).move(args, kwargs)
    except _Added:
        args, kwargs = walked(args, _each_once), walked(kwargs, _each_once)
    try:
        return _Move(theirs, writes).move(args, kwargs)
    except _Added:
        return NotImplemented


def converted(held: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """moved() of a method whose result follows from the pattern and plain arguments: found out once."""
    theirs = getattr(held._theirs, method)
    given = (*args, *kwargs.values())
    if not stays(held) or not all(type(one) in _ORDINARY for one in given):
        return moved(theirs, held, *args, **kwargs)
    key = method, args, tuple(kwargs.items())
    found = held._groups.get(key)
    if found is None:
        move = _Move(theirs, False)
        try:
            made = move.move((held, *args), kwargs)
        except _Added:
            once = _each_once(held)
            return NotImplemented if once is held else converted(once, method, *args, **kwargs)
        if made is held or not isinstance(made, Held) or len(move.made) != 1:
            return made
        parts = parts_of(move.made[0])
        if any(one is other for one in flat(made._parts) for other in flat(held._parts)):
            return made  # it shares
        held._groups[key] = Pattern(move.made[0], made._parts[0]), Places(move.numbers(parts[0]), made._parts[0])
        return made
    pattern, places = found
    return pattern.array(places.of(ravel(held._parts[0])))


def built(kind: Any, arg1: Any, *args: Any, **kwargs: Any) -> Any:
    """The array of SciPy's class `kind` from one on a device, or from values on one and indices; NotImplemented: SciPy
    is to make it.
    """
    if kwargs.get("dtype") is not None or len(args) > 1:
        return NotImplemented
    if isinstance(arg1, Held):
        return moved(kind, arg1, *args, **kwargs) if stays(arg1) else NotImplemented
    if type(arg1) is not tuple or len(arg1) < 2 or not isinstance(arg1[0], ndarray) or not is_there(arg1[0]):
        return NotImplemented
    format = ours(kind).format
    pairs = len(arg1) == 2 and format in ("csr", "csc")  # coordinates, of which some may be there twice
    name = kind.__name__.replace(format, "coo") if pairs else kind.__name__
    made = _Move(getattr(scipy.sparse, name), False).build(arg1, args, kwargs)
    return moved(kind, made) if pairs else made
