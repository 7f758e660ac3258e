#!/usr/bin/env python3
"""Compares names and signatures with NumPy's. What is missing or different has its reason in interface.toml.

python tools/interface.py            the share of each namespace, what is missing, what differs
python tools/interface.py --strict   the same, and exit status 1 where something has no reason
"""

from __future__ import annotations

import argparse
import inspect
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import asnumpy as ap

LEAST = 0.98
_SERIES = ("Polynomial", "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre")
COMPARED = (
    "numpy", "numpy.linalg", "numpy.fft", "numpy.random", "numpy.random.Generator", "numpy.polynomial", "numpy.testing",
    *(f"numpy.polynomial.{kind.lower().replace('hermitee', 'hermite_e')}" for kind in _SERIES),
    *(f"numpy.polynomial.{kind}" for kind in _SERIES), "numpy.polynomial.polyutils", "numpy.poly1d",
    "numpy.emath", "numpy.exceptions", "numpy.dtypes", "numpy.typing",
    "numpy.char", "numpy.strings", "numpy.ctypeslib", "numpy.lib", "numpy.lib.array_utils", "numpy.lib.format",
    "numpy.lib.introspect", "numpy.lib.mixins", "numpy.lib.npyio", "numpy.lib.scimath", "numpy.lib.stride_tricks",
    "numpy.polynomial", "numpy.polynomial.polynomial", "numpy.polynomial.chebyshev", "numpy.polynomial.legendre",
    "numpy.polynomial.laguerre", "numpy.polynomial.hermite", "numpy.polynomial.hermite_e", "numpy.polynomial.polyutils",
    "numpy.polynomial.Polynomial", "numpy.polynomial.Chebyshev", "numpy.testing", "numpy.poly1d",
    "numpy.ndarray", "numpy.ufunc", "numpy.flatiter",
)
_LISTS = tomllib.loads(Path(__file__).with_name("interface.toml").read_text())
MISSING: dict[str, dict[str, str]] = _LISTS["missing"]
DIFFERENT: dict[str, dict[str, str]] = _LISTS["different"]


class Pair(NamedTuple):
    """A namespace (module or class) of NumPy's and ours."""

    name: str
    theirs: Any
    ours: Any


def pair(namespace: str) -> Pair:
    theirs: Any = np
    ours: Any = ap
    for part in namespace.split(".")[1:]:
        theirs, ours = getattr(theirs, part), getattr(ours, part, None)
    return Pair(namespace, theirs, ours)


def _exists(namespace: str) -> bool:
    try:
        return pair(namespace).ours is not None
    except AttributeError:
        return False


# One that is not there is missing from the namespace above it.
NAMESPACES = tuple(one for one in dict.fromkeys(COMPARED) if _exists(one))


def names(theirs: Any) -> list[str]:
    """The public names: a module's `__all__`, a class's attributes with the special methods that are its own."""
    if isinstance(theirs, type):
        special = [name for name in dir(theirs) if name.startswith("__") and _own(theirs, name)]
        return sorted(special + [name for name in dir(theirs) if not name.startswith("_")])
    return sorted(getattr(theirs, "__all__", None) or [name for name in dir(theirs) if not name.startswith("_")])


def _own(kind: type, name: str) -> bool:
    return any(name in vars(one) for one in kind.__mro__[:-1])


def missing(namespace: str) -> list[str]:
    _, theirs, ours = pair(namespace)
    return [name for name in names(theirs) if not hasattr(ours, name)]


def parameters(function: Any) -> list[tuple[Any, ...]]:
    """Names, kinds and defaults; ValueError or TypeError where there is no signature to read."""
    found = []
    for one in inspect.signature(function).parameters.values():
        default = one.default
        if default is not inspect.Parameter.empty and not isinstance(default, (int, str, tuple, type(None))):
            default = "0x" if " at 0x" in repr(default) else repr(default)
        found.append((one.name, one.kind, default))
    return found


def agree(theirs: list[tuple[Any, ...]], ours: list[tuple[Any, ...]]) -> bool:
    """Whether calls that NumPy's signature allows mean the same to ours."""
    if theirs and theirs[-1][1] is inspect.Parameter.VAR_KEYWORD:  # C functions that name only the first parameters
        open_ended = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
        fixed = [one for one in theirs if one[1] not in open_ended]
        return ours[: len(fixed)] == fixed or ours == theirs
    return theirs == ours


def comparable(namespace: str) -> Iterator[str]:
    """The functions and methods of both whose signature NumPy tells."""
    _, theirs, ours = pair(namespace)
    for name in names(theirs):
        function, own = getattr(theirs, name, None), getattr(ours, name, None)
        if function is own or not callable(function) or not callable(own) or isinstance(function, (type, np.ufunc)):
            continue
        if isinstance(theirs, type) and name in ("__new__", "__init__", "__init_subclass__", "__subclasshook__"):
            continue
        try:
            parameters(function)
        except (ValueError, TypeError):
            continue
        yield name


def signatures(namespace: str, name: str) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """NumPy's parameters and ours; of a method those behind `self`."""
    _, theirs, ours = pair(namespace)
    expected = parameters(getattr(theirs, name))
    try:
        own = parameters(getattr(ours, name))
    except (ValueError, TypeError):
        return expected, [("no signature",)]
    if isinstance(theirs, type) and not isinstance(inspect.getattr_static(theirs, name), (classmethod, staticmethod)):
        # the core's methods show none, as bound ones do
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        first = own[:1] and own[0][1] in positional and own[0][0] in ("self", "a", "array", expected[0][0])
        expected, own = expected[1:], own[1:] if first else own
    return expected, own


def different(namespace: str) -> list[str]:
    return [name for name in comparable(namespace) if not agree(*signatures(namespace, name))]


def _listed(table: dict[str, dict[str, str]], namespace: str) -> dict[str, str]:
    return table.get(namespace.removeprefix("numpy.") if namespace != "numpy" else "numpy", {})


def reasons(namespace: str) -> tuple[dict[str, str], dict[str, str]]:
    """The listed reasons: of missing names, of different signatures."""
    return _listed(MISSING, namespace), _listed(DIFFERENT, namespace)


def share() -> tuple[int, int]:
    """Over all namespaces: the names that we have, and all names."""
    counts = [(len(missing(one)), len(names(pair(one).theirs))) for one in NAMESPACES]
    return sum(total - gone for gone, total in counts), sum(total for _, total in counts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strict", action="store_true", help="fail where something has no reason")
    strict = parser.parse_args().strict
    silent = 0
    for namespace in NAMESPACES:
        total = len(names(pair(namespace).theirs))
        gone, other = missing(namespace), different(namespace)
        print(f"{namespace:<26} {total - len(gone):>4} of {total:>4}  {100 * (total - len(gone)) / total:5.1f} %")
        why_missing, why_different = reasons(namespace)
        for what, found, why in (("missing", gone, why_missing), ("differs", other, why_different)):
            for name in found:
                print(f"    {what}: {name}: {why.get(name, 'NO REASON')}")
                silent += name not in why
    have, total = share()
    print(f"{'all':<26} {have:>4} of {total:>4}  {100 * have / total:5.1f} %")
    return int(strict and (silent > 0 or have < LEAST * total))


if __name__ == "__main__":
    raise SystemExit(main())
