"""Where pandas decides by an array's class, and silently does something else than with NumPy's array.

pandas asks for NumPy's own class in its C code and in Python: no array can see that it was asked. So while a profile
records, the methods of pandas' that such values come through are replaced by ones that look at them first. Keys in
brackets are not among them: `asnumpy.neighbours` gives pandas NumPy's.
"""

from __future__ import annotations

import functools
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

from asnumpy import _core

OBJECTS = ("pandas makes dtype object of asnumpy's numbers in pd.Series([...]): use float(x) or int(x) for each,"
           " or .astype(float) afterwards")
# What is looked at, for who reads a profile.
LOOKED_AT = "pd.Series([...])"


class PandasWarning(RuntimeWarning):
    """pandas has decided by an array's class, and its result is another than with NumPy's array."""


def _numbers(data: Any) -> bool:
    return type(data) in (list, tuple) and len(data) > 0 and _core.is_number(data[0])


class Watch:
    """Looks until `end`, if pandas has been imported; `found` has each thing that was seen."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], int] = {}  # by line and text: how often
        self.replaced: list[tuple[type, str, Any, Any]] = []
        self.within = threading.local()
        self.on = "pandas" in sys.modules
        if not self.on:
            return
        pandas: Any = sys.modules["pandas"]
        self._look(pandas.Series, "__init__", _numbers, OBJECTS)

    def _look(self, kind: type, name: str, decides: Callable[[Any], bool], text: str) -> None:
        theirs = getattr(kind, name)

        @functools.wraps(theirs)
        def looked(itself: Any, *given: Any, **named: Any) -> Any:
            if not given or getattr(self.within, "pandas", False) or not decides(given[0]):
                return theirs(itself, *given, **named)
            self._tell(text)
            self.within.pandas = True  # what it hands on to itself is told
            try:
                return theirs(itself, *given, **named)
            finally:
                self.within.pandas = False

        self.replaced.append((kind, name, kind.__dict__.get(name), looked))
        setattr(kind, name, looked)

    def _tell(self, text: str) -> None:
        depth, frame = 3, sys._getframe(2)  # that called pandas
        while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "pandas":
            depth, frame = depth + 1, frame.f_back
        key = f"{frame.f_code.co_filename}:{frame.f_lineno}", text
        self.found[key] = self.found.get(key, 0) + 1
        warnings.warn(text, PandasWarning, stacklevel=depth)

    def end(self) -> None:
        """Puts pandas' own methods back."""
        while self.replaced:
            kind, name, theirs, looked = self.replaced.pop()
            if kind.__dict__.get(name) is not looked:
                continue  # somebody else has replaced it since
            if theirs is None:
                delattr(kind, name)
            else:
                setattr(kind, name, theirs)
