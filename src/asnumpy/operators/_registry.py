"""The operators that there are: those of this process, and those of installed packages, found when asked for."""

from __future__ import annotations

import difflib
import threading
import warnings
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from asnumpy.operators._operator import Operator

GROUP = "asnumpy.operators"
LIBRARY = "asnumpy.operators.library"  # the project's own, behind those of packages

_operators: dict[str, Operator] = {}
_pending: dict[str, Any] | None = None  # entry points that nobody has loaded so far
_lock = threading.RLock()


def add(operator: Operator) -> None:
    """Under its name; one that had it before is not found any more."""
    with _lock:
        _operators[operator.name] = operator


def _entries() -> dict[str, Any]:
    global _pending
    if _pending is None:
        own = metadata.EntryPoint(LIBRARY, LIBRARY, GROUP)
        _pending = {one.name: one for one in [*metadata.entry_points(group=GROUP), own]}
    return _pending


def _load(name: str) -> None:
    """A package that fails is told and passed over: the others' operators work without it. Names that were there stay
    those of what was there."""
    entry, before = _entries().pop(name), dict(_operators)
    try:
        entry.load()  # whose import declares the operators
    except Exception as error:
        warnings.warn(f"asnumpy.operators: the entry point {name} = {entry.value} could not be loaded: "
                      f"{type(error).__name__}: {error}", RuntimeWarning, stacklevel=4)
    _operators.update(before)


def registered() -> dict[str, Operator]:
    """Every operator by its name: those of this process, those of installed packages, and the library's own.

    A package names its modules in the entry points' group ``asnumpy.operators``; they are imported now.

    Returns
    -------
    dict
        In the order of the names.
    """
    with _lock:
        for name in list(_entries()):
            _load(name)
        return dict(sorted(_operators.items()))


def get(name: str) -> Operator:
    """The operator of that name.

    Parameters
    ----------
    name : str
        As it is declared. Where no operator of this process has it, packages are searched: first the entry point of
        that name, then all of the group ``asnumpy.operators``.

    Returns
    -------
    Operator

    Raises
    ------
    LookupError
        If there is none, with what may have been meant.
    """
    with _lock:
        if name not in _operators and name in _entries():
            _load(name)
        found = _operators.get(name) or registered().get(name)
        if found is None:
            near = difflib.get_close_matches(name, _operators, 3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise LookupError(f"asnumpy.operators.get: there is no operator {name!r}{hint}")
        return found
