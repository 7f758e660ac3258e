"""Recorded functions as files: JSON and the bytes of constants in one archive, read without running anything in it."""

from __future__ import annotations

import inspect
import json
import os
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from asnumpy.runtime.tree import LEAF

_FORMAT = "asnumpy function"
_HEADER = "function.json"
_PLAIN = (type(None), bool, int, float, str)


def encoded(value: Any) -> Any:
    """A value as JSON has it.

    Raises
    ------
    TypeError
        When the value is none of None, truths, numbers, strings, bytes, dtypes, slices and tuples of them.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is complex:
        return {"complex": [value.real, value.imag]}
    if kind is bytes:
        return {"bytes": value.hex()}
    if kind is tuple:
        return {"tuple": [encoded(one) for one in value]}
    if kind is slice:
        return {"slice": [encoded(one) for one in (value.start, value.stop, value.step)]}
    if value is Ellipsis:
        return {"ellipsis": True}
    if isinstance(value, np.dtype) and value.isbuiltin == 1:
        return {"dtype": value.str}
    if isinstance(value, type) and issubclass(value, np.generic):
        return {"scalar": value.__name__}
    raise TypeError(
        f"a value of type {kind.__name__} cannot be saved: expected numbers, strings, dtypes, slices and tuples of them"
    )


def decoded(value: Any) -> Any:
    """What `encoded` made JSON of."""
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "complex":
        return complex(*content)
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind == "tuple":
        return tuple(decoded(one) for one in content)
    if kind == "slice":
        return slice(*(decoded(one) for one in content))
    if kind == "ellipsis":
        return Ellipsis
    if kind == "dtype":
        return np.dtype(content)
    scalar = getattr(np, content)
    if kind != "scalar" or not issubclass(scalar, np.generic):
        raise ValueError(f"an unknown kind of value: {kind}")
    return scalar


def encoded_structure(structure: Any) -> Any:
    """A structure of `flatten` as JSON has it: classes by their modules and names."""
    if structure is LEAF:
        return None
    kind, detail, parts = structure
    names = [encoded(one) for one in detail] if isinstance(detail, tuple) else None
    built_in = kind in (tuple, list, dict)
    return [
        kind.__name__ if built_in else f"{kind.__module__}:{kind.__qualname__}", names,
        [encoded_structure(part) for part in parts],
    ]


def decoded_structure(content: Any) -> Any:
    """What `encoded_structure` made JSON of; a class is looked for among the modules that are there.

    Raises
    ------
    ValueError
        When its module was not imported, or has no such class.
    """
    if content is None:
        return LEAF
    name, names, parts = content
    inner = tuple(decoded_structure(part) for part in parts)
    if name in ("tuple", "list"):
        return ({"tuple": tuple, "list": list}[name], len(inner), inner)
    detail = None if names is None else tuple(decoded(one) for one in names)
    return (dict if name == "dict" else _class(name), detail, inner)


def _class(name: str) -> type:
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise ValueError(f"it takes or gives back {name}: import the module {module}, which has that class, first")
    return found


def encoded_signature(signature: inspect.Signature | None) -> Any:
    """The parameters' names, kinds and defaults."""
    if signature is None:
        return None
    empty = inspect.Parameter.empty
    return [
        [one.name, int(one.kind), None if one.default is empty else [encoded(one.default)]]
        for one in signature.parameters.values()
    ]


def decoded_signature(content: Any) -> inspect.Signature | None:
    """What `encoded_signature` made JSON of."""
    if content is None:
        return None
    kinds = {int(kind): kind for kind in (
        inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD,
    )}
    empty = inspect.Parameter.empty
    return inspect.Signature([
        inspect.Parameter(name, kinds[kind], default=decoded(default[0]) if default else empty)
        for name, kind, default in content
    ])


def write(path: str | os.PathLike[str], header: dict[str, Any], constants: Sequence[bytes]) -> None:
    """Writes a file whole, or leaves what was there."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as archive:
            text = json.dumps({"format": _FORMAT, **header}, default=lambda one: {"bytes": one.hex()})
            archive.writestr(_HEADER, text, zipfile.ZIP_DEFLATED)
            for k, constant in enumerate(constants):
                archive.writestr(f"constants/{k}", constant)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[bytes]]:
    """The header and the constants of a file.

    Raises
    ------
    ValueError
        When it is none that `write` wrote, or damaged.
    """
    def bytes_again(content: dict[str, Any]) -> Any:
        return bytes.fromhex(content["bytes"]) if content.keys() == {"bytes"} else content

    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read(_HEADER), object_hook=bytes_again)
            if header.pop("format", None) != _FORMAT:
                raise ValueError("another kind of file")
            count = sum(name.startswith("constants/") for name in archive.namelist())
            return header, [archive.read(f"constants/{k}") for k in range(count)]
    except (zipfile.BadZipFile, KeyError, ValueError, AttributeError, NotImplementedError) as error:
        name = os.fspath(path)
        raise ValueError(f"{name} is not a file that Compiled.save wrote, or it is damaged: {error}") from None
