"""Nested containers taken apart into leaves, and put together again: lists, tuples, dicts and dataclasses."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from asnumpy import _core

LEAF = None  # the structure of everything that is no container


def flatten(value: Any, leaves: list[Any]) -> Any:
    """Appends the leaves of a value; returns its structure, which can be compared and hashed."""
    kind = type(value)
    if kind is tuple or kind is list:
        return (kind, len(value), tuple([flatten(one, leaves) for one in value]))
    if kind is dict:
        return (kind, tuple(value), tuple([flatten(one, leaves) for one in value.values()]))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return (kind, None, tuple([flatten(one, leaves) for one in value]))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(field.name for field in dataclasses.fields(value))
        return (kind, names, tuple([flatten(getattr(value, name), leaves) for name in names]))
    leaves.append(value)
    return LEAF


def unflatten(structure: Any, leaves: Iterator[Any]) -> Any:
    """A value of this structure with the next of the leaves; dataclasses as they were, without their `__init__`."""
    return _core.unflatten(structure, leaves)
