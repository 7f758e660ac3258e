"""Calls of operators from C: names, addresses, shapes and dtypes in, an error's text out."""

from __future__ import annotations

import ctypes
import importlib
import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from asnumpy import _core
from asnumpy.operators import _registry
from asnumpy.operators._declaration import KINDS, dtype_named
from asnumpy.operators._operator import Operator
from asnumpy.operators.frameworks._memory import array_at, between

# Address, lengths of axes, the dtype's name; None for an input that is left out.
Given = tuple[int, Sequence[int], str] | None


def call(module: str, name: str, device: str, baked: str, attributes: Mapping[str, Any], tensors: Sequence[Given],
         stream: int) -> str:  # fmt: skip
    """An operator of a module, which is imported first; attributes overwrite those in JSON. Returns "" or an error."""
    try:
        if module:
            importlib.import_module(module)
        operator, values = _registry.get(name), json.loads(baked) | dict(attributes)
        for one in operator.declaration.attributes:  # as JSON and C cannot have them
            if one.kind in ("tuple", "bool") and values.get(one.name) is not None:
                values[one.name] = KINDS[one.kind](values[one.name])
        run(operator, device, values, tensors, stream)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def run(operator: Operator, device: str, attributes: Mapping[str, Any], tensors: Sequence[Given],
        stream: int = 0) -> None:  # fmt: skip
    """Inputs and outputs by address; on an NPU in order with the stream. Optional inputs at the end may be missing."""
    outputs = len(operator.declaration.outputs)
    fewest = sum(not one.optional for one in operator.declaration.inputs) + outputs
    most = len(operator.declaration.inputs) + outputs
    if not fewest <= len(tensors) <= most:
        expected = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise TypeError(f"{operator.name}: expected {expected} tensors, inputs and outputs, got {len(tensors)}")
    number = None if device == "cpu" else _current_device()
    with nullcontext() if number is None else between(number, stream):
        arrays = arrays_of(operator, tensors, number)
        out = tuple(arrays[-outputs:])
        operator(*arrays[:-outputs], **attributes, out=out if outputs > 1 else out[0])
        wait_for(out)


def arrays_of(operator: Operator, tensors: Sequence[Given], device: int | None = None) -> list[Any]:
    """The memory as arrays."""
    return [_array(operator, each, device) for each in tensors]


def wait_for(arrays: Sequence[Any]) -> None:
    """Until the host's memory is written and nothing reads it any more; work of an NPU is launched."""
    _core.eval(*arrays)
    _core.flush()


def _array(operator: Operator, given: Given, device: int | None) -> Any:
    if given is None:
        return None
    address, shape, name = given
    dtype = dtype_named(name)
    if dtype is None:
        raise TypeError(f"{operator.name}: expected a dtype that arrays have, got {name!r}")
    return array_at(address, shape, dtype, device)


def _current_device() -> int:
    from asnumpy.cann import _calls, _devices

    _devices.init()
    number = ctypes.c_int32()
    _calls.call("aclrtGetDevice", ctypes.byref(number))
    return number.value
