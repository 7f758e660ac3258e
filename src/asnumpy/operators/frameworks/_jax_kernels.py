"""Kernels of the CPU that XLA's handler calls without Python: which of an operator's calls they do."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from asnumpy.dtypes.dtype import can_cast
from asnumpy.operators import _rules
from asnumpy.operators._compiler import compile_cpu
from asnumpy.operators._declaration import Attribute
from asnumpy.operators._expressions import KINDS, Condition, attribute_type
from asnumpy.operators._launch import Launch
from asnumpy.operators._operator import Operator
from asnumpy.operators.frameworks import _native
from asnumpy.operators.frameworks._outline import Outline, Outliner

_SOURCE = """\
{prelude}
{kernels}
{compute}
extern "C" __attribute__((visibility("default")))
int asnumpy_compute(const asnumpy_native::Given* given, const void* attributes, char* told, int64_t size) {{
    try {{
        asnumpy_native::compute(given, *static_cast<const asnumpy_native::Attributes*>(attributes), nullptr);
        return 0;
    }} catch (const std::exception& error) {{
        std::snprintf(told, static_cast<size_t>(size), "%s", error.what());
        return 1;
    }}
}}
"""
_C_TYPES: dict[str, Any] = {
    "int": ctypes.c_int64, "float": ctypes.c_double, "bool": ctypes.c_bool, "str": ctypes.c_char_p,
}


class _Ints(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_int64)), ("count", ctypes.c_int64)]


class _Floats(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("count", ctypes.c_int64)]


_TUPLES: dict[str, Any] = {"ints": (_Ints, ctypes.c_int64), "floats": (_Floats, ctypes.c_double)}


def _field(one: Attribute) -> Any:
    kind = attribute_type(one)
    return _TUPLES[kind][0] if one.kind == "tuple" else _C_TYPES[kind]


def _value(one: Attribute, value: Any) -> Any:
    if one.kind == "str":
        return value.encode()
    if one.kind != "tuple":
        return value
    structure, item = _TUPLES[attribute_type(one)]
    return structure((item * len(value))(*value), len(value))


class Kernels:
    """Those of one operator; compiled when the first call needs them."""

    def __init__(self, operator: Operator, outliner: Outliner) -> None:
        self._operator, self._outliner = operator, outliner
        self._structure = type("Attributes", (ctypes.Structure,), {
            "_fields_": [(one.name, _field(one)) for one in operator.declaration.attributes if one.kind in KINDS],
        })  # fmt: skip
        self._compiled: dict[str, Any] = {}
        self._attributes: dict[str, ctypes.Structure] = {}
        self._lock = threading.Lock()

    def inputs(self, given: Sequence[Outline | None], attributes: dict[str, Any]) -> list[Outline] | None:
        """What a kernel is to get for such inputs; None where the call is not one for a kernel that C launches."""
        operator = self._operator
        if _native.why_not(operator, "cpu") or any(
            rule.kind == "operator" and rule.names(operator.name) for rule in _rules.current()
        ):
            return None
        wanted, letters = self._outliner.kernel_inputs(given, attributes)
        if any(one is None or not can_cast(one.dtype, other.dtype) for one, other in zip(given, wanted, strict=True)):
            return None
        for one in operator.implementations:
            if one.kind != "cpu" or any(letters[letter] not in accepted for letter, accepted in one.dtypes.items()):
                continue
            if isinstance(one.when, Condition):
                if not one.when(*wanted, **attributes):
                    continue
            elif one.when is not None:
                return None
            return wanted if isinstance(one.function, Launch) else None
        return None

    def addresses(self, attributes: Mapping[str, Any]) -> tuple[int, int]:
        """Those of the function and of its attributes, which stay."""
        made = _native.native(self._operator, "cpu", {})
        source = _SOURCE.format(prelude=_native.prelude("cpu"), kernels=made.kernels, compute=made.compute)
        options = ["-fvisibility=hidden", "-pthread", *made.options]
        with self._lock:
            if source not in self._compiled:
                self._compiled[source] = compile_cpu(source, None, options, ["asnumpy_compute"])
            function = ctypes.cast(self._compiled[source].function("asnumpy_compute"), ctypes.c_void_p).value or 0
            kept = self._attributes.get(repr(attributes))
            if kept is None:
                given = {one.name: _value(one, attributes[one.name]) for one in self._operator.declaration.attributes}
                kept = self._attributes[repr(attributes)] = self._structure(**given)
            return function, ctypes.addressof(kept)
