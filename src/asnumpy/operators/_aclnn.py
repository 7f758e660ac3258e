"""Operators of CANN's, or of packages installed beside it, as implementations: called by the declared order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asnumpy.operators._declaration import Attribute, Declaration

# Of an attribute: the kind and C's type of the parameter that it is given to.
_PARAMETERS = {
    "int": ("integer", "int64_t"), "float": ("real", "double"), "bool": ("boolean", "bool"), "str": ("text", "char*"),
    "dtype": ("dtype", "aclDataType"),
}
_LISTS = {bool: ("bools", "aclBoolArray*"), int: ("ints", "aclIntArray*"), float: ("floats", "aclFloatArray*")}


def launcher(declaration: Declaration, name: str) -> tuple[Callable[..., None], Callable[[], str]]:
    """What calls the operator, and what says why it is not there."""

    def launch(*arrays: Any, **attributes: Any) -> None:
        from asnumpy import cann
        from asnumpy.cann import _facts

        inputs, outputs = arrays[: len(declaration.inputs)], arrays[len(declaration.inputs) :]
        if name in _facts.signatures():
            cann.op(name)(*inputs, *attributes.values(), *outputs)
        else:
            _call(declaration, name, arrays, attributes)

    def missing() -> str:
        from asnumpy.cann import _calls

        if _calls.find(name) is None or _calls.find(f"{name}GetWorkspaceSize") is None:
            return f"no library of this CANN, nor of a package that is installed beside it, has {name}"
        return ""

    return launch, missing


def _call(declaration: Declaration, name: str, arrays: tuple[Any, ...], attributes: dict[str, Any]) -> None:
    """One that no facts describe: by parameters that follow from the declaration."""
    from asnumpy.cann import _facts
    from asnumpy.cann._arguments import Operands
    from asnumpy.cann._launch import launch
    from asnumpy.cann._tensor import of_array

    def tensor(name: str, direction: str) -> _facts.Parameter:
        return _facts.Parameter(name, "tensor", "aclTensor*", direction, (), (0, 8), None, None, True, True)

    parameters = [tensor(one.name, "in") for one in declaration.inputs]
    parameters += [_facts.Parameter(one.name, *_kind(one, attributes[one.name], name), "in", (), (0, 8), None, None,
                                    one.default is None, True) for one in declaration.attributes]
    parameters += [tensor(one.name, "out") for one in declaration.outputs]
    given = zip((*declaration.inputs, *declaration.outputs), arrays, strict=True)
    values: dict[str, Any] = {one.name: None if array is None else of_array(array, written=one in declaration.outputs)
              for one, array in given}
    values |= {key: list(value) if isinstance(value, tuple) else value for key, value in attributes.items()}
    signature = _facts.Signature(name, tuple(parameters))
    launch(signature, Operands(signature, values))


def _kind(attribute: Attribute, value: Any, name: str) -> tuple[str, str]:
    if attribute.kind != "tuple":
        if value is None and attribute.kind != "str":
            raise TypeError(f"{name}: {attribute.name}: expected a {attribute.kind}, which C can be given, got None")
        return _PARAMETERS[attribute.kind]
    for kind, parameter in _LISTS.items():
        if all(isinstance(item, kind) for item in value or ()):
            if value or kind is int:
                return parameter
    raise TypeError(f"{name}: {attribute.name}: expected a tuple of ints, floats or bools alone, got {value!r}")
