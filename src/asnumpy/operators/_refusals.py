"""Wrong arguments, drawn from right ones by the declaration: each must be refused with the operator's name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from asnumpy import creation
from asnumpy.operators._declaration import Tensor
from asnumpy.operators._drawing import Drawing
from asnumpy.operators._findings import Check, Failure
from asnumpy.operators._operator import Operator


def look(op: Operator, drawing: Drawing, result: Check) -> None:
    """Tries them; what is not refused is a failure."""
    case = drawing.case(0)
    for what, args, kwargs in _wrong(op, *case.arguments("cpu")):
        try:
            op.bind(*args, **kwargs)
            told = "was taken"
        except (TypeError, ValueError) as error:
            if str(error).startswith(f"{op.name}: "):
                result.refusals += 1
                continue
            told = f"was refused without the operator's name: {error}"
        except Exception as error:
            told = f"raised {type(error).__name__}: {error}"
        result.failures.append(Failure(case.number, "arguments", "cpu", f"{what} {told}", str(case)))


def _wrong(op: Operator, given: list[Any],
           attributes: dict[str, Any]) -> Iterator[tuple[str, list[Any], dict[str, Any]]]:  # fmt: skip
    declaration = op.declaration
    yield "a keyword that is none", given, {**attributes, "no_such_keyword": 1}
    yield "an argument too many", [*given, *given, 1], attributes
    if any(not one.optional for one in declaration.inputs):
        yield "no argument", [], attributes
    for place, tensor in enumerate(declaration.inputs):
        def with_value(value: Any, place: int = place) -> list[Any]:
            return [*given[:place], value, *given[place + 1:]]

        yield f"{tensor.name} of text", with_value(np.array(["a"])), attributes
        if not tensor.optional:
            yield f"{tensor.name} = None", with_value(None), attributes
        if given[place] is None:
            continue
        value = creation.asarray(given[place], device="cpu")
        if not tensor.batched:
            yield f"{tensor.name} with an axis too many", with_value(value[None]), attributes
        if tensor.core:
            yield f"{tensor.name} without axes", with_value(creation.zeros((), value.dtype)), attributes
        longer = _longer(op, tensor, value)
        if longer is not None:
            yield f"{tensor.name} with an axis too long", with_value(longer), attributes
    for attribute in declaration.attributes:
        yield f"{attribute.name} of no type", given, {**attributes, attribute.name: object()}
    first = op.bind(*given, **attributes).outputs[0]
    wrong = [creation.zeros((*first[0], 2), first[1], device="cpu")] * len(declaration.outputs)
    yield "out of another shape", given, {**attributes, "out": tuple(wrong)}


def _longer(op: Operator, tensor: Tensor, value: Any) -> Any:
    """The array with one of its declared axes longer than another input, or the declaration, says."""
    for k, axis in enumerate(tensor.core):
        elsewhere = any(axis in other.core and other is not tensor and not other.optional
                        for other in op.declaration.inputs)
        if isinstance(axis, int) or (isinstance(axis, str) and elsewhere):
            before = tensor.shape.index(...) if tensor.batched else len(tensor.shape)
            place = k if k < before else k - len(tensor.core)
            shape = list(value.shape)
            shape[place] += 1
            return creation.zeros(tuple(shape), value.dtype, device="cpu")
    return None
