"""What the array API standard asks of a namespace besides its functions: its edition and an inspection object."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from asnumpy.runtime.devices import Device, devices

# Editions only add names and keywords, so the namespace serves all of them.
_EDITIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
_MOST_DIMENSIONS = 64

_KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class ArrayNamespaceInfo:
    """The array API's inspection of a namespace: devices, dtypes, their defaults, and what it can do."""

    __slots__ = ()

    def capabilities(self) -> dict[str, Any]:
        """What depends on data or is limited: boolean masks, shapes that depend on values, most dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": _MOST_DIMENSIONS}

    def default_device(self) -> Device:
        """Where arrays are made when no device is named."""
        return Device()

    def devices(self) -> list[Device]:
        """The devices that `device=` and `to_device()` take."""
        return devices()

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype]:
        """The dtypes of arrays made from Python numbers."""
        Device(device)
        indices = np.dtype(np.intp)
        return {"real floating": np.dtype(np.float64), "complex floating": np.dtype(np.complex128),
                "integral": indices, "indexing": indices}

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, np.dtype]:
        """The standard's dtypes by name: all of them, or those of one kind or of several.

        asnumpy has more dtypes than the standard names, float16 and bfloat16 among them; they are not listed.
        """
        Device(device)
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        unknown = [one for one in kinds if one not in _KINDS]
        if unknown:
            raise ValueError(
                f"__array_namespace_info__.dtypes: unsupported kind: {unknown[0]!r}, expected one of "
                + ", ".join(_KINDS)
            )
        return {name: np.dtype(name) for one in kinds for name in _KINDS[one]}


ArrayNamespaceInfo.__module__ = "asnumpy"
__array_namespace_info__ = ArrayNamespaceInfo
__array_api_version__ = _EDITIONS[-1]


def namespace(api_version: str | None) -> ModuleType:
    """The standard's namespace, whose functions take our arrays: `asnumpy.array_api`."""
    if api_version is not None and api_version not in _EDITIONS:
        raise ValueError(
            f'__array_namespace__: Version "{api_version}" of the Array API Standard is not supported; use one '
            f"of {', '.join(_EDITIONS)}"
        )
    edition: ModuleType = import_module("asnumpy.array_api._editions").of_edition(api_version or _EDITIONS[-1])
    return edition


def __array_namespace__(*, api_version: str | None = None) -> ModuleType:
    """The array API standard's namespace for asnumpy's arrays, the module `asnumpy.array_api`.

    Parameters: api_version, an edition such as "2024.12" (None: the latest). Returns a module. ValueError for an
    edition that it does not hold to.
    """
    return namespace(api_version)
