"""Nested containers taken apart into leaves, and put together again: lists, tuples, dicts and dataclasses."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

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
    """A value of this structure with the next of the leaves."""
    if structure is LEAF:
        return next(leaves)
    kind, detail, parts = structure
    made = [unflatten(part, leaves) for part in parts]
    if kind is list:
        return made
    if kind is tuple:
        return tuple(made)
    if kind is dict:
        return dict(zip(detail, made, strict=True))
    if detail is None:
        return kind._make(made)
    whole = object.__new__(kind)  # as it was, whatever its __init__ would compute
    for name, one in zip(detail, made, strict=True):
        object.__setattr__(whole, name, one)
    return whole
