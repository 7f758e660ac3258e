"""An operator as one of torch's: for tensors of the CPU and of NPUs, traced, and with its gradient."""

from __future__ import annotations

import importlib
import json
import math
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from asnumpy import _core, creation
from asnumpy.operators import _registry
from asnumpy.operators._declaration import REQUIRED, Attribute, dtype_named
from asnumpy.operators._operator import Operator
from asnumpy.operators.frameworks._memory import between
from asnumpy.operators.frameworks._outline import Outline, Outliner

NAMESPACE = "asnumpy"
_TYPES = {"int": "int", "float": "float", "bool": "bool", "str": "str", "dtype": "ScalarType"}

_made: dict[str, TorchOperator] = {}
_lock = threading.Lock()


def to_torch(operator: Operator | str) -> Any:
    """Make an operator one of PyTorch's, ``torch.ops.asnumpy.<name>``.

    It takes tensors of the CPU and of NPUs (torch_npu's), where they lie, and runs on torch_npu's current stream, in
    order with torch's work. Shapes of fake tensors follow from the declaration, so that `torch.compile` traces it; with
    a gradient declared (`Operator.gradient`) it can be differentiated.

    Parameters
    ----------
    operator : Operator or str
        The operator or its name. A point in the name becomes an underscore.

    Returns
    -------
    torch._ops.OpOverloadPacket
        The function. Inputs are tensors, attributes keywords; it has no ``out=``.

    Raises
    ------
    ImportError
        If torch is not installed.
    TypeError
        If an attribute has a type that torch's operators cannot take.

    Examples
    --------
    >>> import asnumpy as ap, torch                                                    # doctest: +SKIP
    >>> twice = ap.operator("twice(x: T[...]) -> y: T[...]", T="f4")                    # doctest: +SKIP
    >>> twice.composed(lambda x: x * 2)                                                # doctest: +SKIP
    >>> ap.operators.to_torch(twice)(torch.ones(3))                                    # doctest: +SKIP
    tensor([2., 2., 2.])
    """
    found = _registry.get(operator) if isinstance(operator, str) else operator
    if not isinstance(found, Operator):
        raise TypeError(f"to_torch: expected an operator or its name, got {type(operator).__name__}")
    with _lock:
        before = _made.get(found.name)
        if before is None or before.operator is not found:
            if before is not None:
                before.library._destroy()
            _made[found.name] = TorchOperator(found)
        return _made[found.name].packet


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise ImportError(f"to_torch: expected PyTorch; install it with `pip install torch` ({error})") from None


def _numpy_dtype(dtype: Any) -> np.dtype:
    name = str(dtype).removeprefix("torch.")
    found = dtype_named(name)
    if found is None:
        raise TypeError(f"expected a tensor of a dtype that arrays have, got {name}")
    return found


@dataclass(frozen=True)
class Parameter:
    """An attribute as torch's schema has it, and back. `stands_for` is what None means where torch has no default."""

    attribute: Attribute
    text: str
    stands_for: Any = None

    def value(self, given: Any) -> Any:
        """What the operator gets."""
        if given is None:
            return self.stands_for
        if self.attribute.kind == "dtype":
            return _numpy_dtype(given)
        return tuple(given) if self.attribute.kind == "tuple" else given


def _parameter(operator: str, one: Attribute) -> Parameter:
    kind = _TYPES.get(one.kind) or _list_of(operator, one)
    if one.default is REQUIRED:
        return Parameter(one, f"{kind} {one.name}")
    if one.default is None:
        return Parameter(one, f"{kind}? {one.name}=None")
    if one.kind == "dtype" or (one.kind == "float" and not math.isfinite(one.default)):
        return Parameter(one, f"{kind}? {one.name}=None", one.default)
    if one.kind == "tuple":
        return Parameter(one, f"{kind} {one.name}=[{', '.join(map(str, one.default))}]", one.default)
    default = json.dumps(one.default) if one.kind == "str" else str(one.default)
    return Parameter(one, f"{kind} {one.name}={default}")


def _list_of(operator: str, one: Attribute) -> str:
    """A tuple's type follows from its default; without one it is of ints."""
    items = () if one.default in (REQUIRED, None) else one.default
    for kind in (bool, int, float):
        if all(type(item) is kind for item in items):
            return "int[]" if not items else f"{kind.__name__}[]"
    raise TypeError(
        f"to_torch: {operator}: {one.name}: expected a tuple of bools, ints or floats alone, got {one.default!r}"
    )


class TorchOperator:
    """Two of torch's operators: an operator, and what computes its gradients."""

    def __init__(self, operator: Operator) -> None:
        self.operator, self.torch = operator, _torch()
        declaration = operator.declaration
        self.name, self.inputs = operator.name.replace(".", "_"), declaration.inputs
        self.several = len(declaration.outputs) > 1
        self.parameters = [_parameter(operator.name, one) for one in declaration.attributes]
        self.outliner = Outliner(declaration, self.torch.broadcast_shapes)
        self.library = self.torch.library.Library(NAMESPACE, "FRAGMENT")
        tensors = [f"Tensor? {one.name}=None" if one.optional else f"Tensor {one.name}" for one in self.inputs]
        results = ["Tensor"] * len(declaration.outputs)
        self._define(self.name, tensors, f"({', '.join(results)})" if self.several else "Tensor", self._fake, self._run)
        if operator.gradient_function is not None:
            self._define_gradient()
        self.packet = getattr(self.torch.ops.asnumpy, self.name)

    def _define(self, name: str, tensors: Sequence[str], results: str, fake: Any, run: Any) -> None:
        keywords = ["*", *(one.text for one in self.parameters)] if self.parameters else []
        schema = f"{name}({', '.join([*tensors, *keywords])}) -> {results}"
        self.library.define(schema, tags=(self.torch.Tag.pt2_compliant_tag,))
        for key in ("CPU", "PrivateUse1"):  # the latter is what torch_npu names npu
            self.library.impl(name, run, key)
        self.torch.library.register_fake(f"{NAMESPACE}::{name}", fake, lib=self.library)

    def _attributes(self, given: dict[str, Any]) -> dict[str, Any]:
        """By name, with the values that torch leaves out because they are its defaults."""
        return {one.attribute.name: one.value(given[one.attribute.name]) if one.attribute.name in given
                else one.attribute.default for one in self.parameters}

    # --- the operator itself

    def _inputs(self, given: Sequence[Any]) -> list[Any]:
        return [*given, *[None] * (len(self.inputs) - len(given))]

    def _outlines(self, tensors: Sequence[Any], attributes: dict[str, Any]) -> list[Outline]:
        given = [None if one is None else Outline(tuple(one.shape), _numpy_dtype(one.dtype)) for one in tensors]
        return self.outliner.outputs(given, attributes)

    def _empty(self, outlines: Sequence[Outline], device: Any) -> list[Any]:
        return [self.torch.empty(one.shape, dtype=getattr(self.torch, one.dtype.name), device=device)
                for one in outlines]

    def _fake(self, *given: Any, **keywords: Any) -> Any:
        tensors = self._inputs(given)
        made = self._empty(self._outlines(tensors, self._attributes(keywords)), _device_of(tensors))
        return tuple(made) if self.several else made[0]

    def _run(self, *given: Any, **keywords: Any) -> Any:
        tensors, attributes = self._inputs(given), self._attributes(keywords)
        device = _device_of(tensors)
        made = self._empty(self._outlines(tensors, attributes), device)
        with self._on(device):
            out = tuple(map(_array, made))
            self.operator(*map(_array, tensors), **attributes, out=out if self.several else out[0])
            _core.eval(*out)
        return tuple(made) if self.several else made[0]

    def _on(self, device: Any) -> AbstractContextManager[None]:
        if device.type == "cpu":
            return nullcontext()
        # asking for the handle hands what torch_npu holds back to CANN
        return between(device.index, self.torch.npu.current_stream(device).npu_stream)

    # --- its gradients

    def _define_gradient(self) -> None:
        outputs = self.operator.declaration.outputs
        tensors = [f"Tensor? {one.name}" if one.optional else f"Tensor {one.name}" for one in self.inputs]
        tensors += [f"Tensor {one.name}" for one in outputs] + [f"Tensor d{one.name}" for one in outputs]
        self._define(f"{self.name}_backward", tensors, "Tensor[]", self._fake_gradients, self._run_gradients)
        self.torch.library.register_autograd(
            f"{NAMESPACE}::{self.name}", self._backward, setup_context=self._setup, lib=self.library
        )

    def _differentiable(self, tensors: Sequence[Any]) -> list[int]:
        """The inputs that can have gradients, by number."""
        return [place for place, one in enumerate(tensors[: len(self.inputs)])
                if one is not None and (one.is_floating_point() or one.is_complex())]

    def _fake_gradients(self, *tensors: Any, **_: Any) -> list[Any]:
        return [self.torch.empty(tensors[place].shape, dtype=tensors[place].dtype, device=tensors[place].device)
                for place in self._differentiable(tensors)]

    def _run_gradients(self, *tensors: Any, **keywords: Any) -> list[Any]:
        made, count = self._fake_gradients(*tensors), len(self.operator.declaration.outputs)
        with self._on(_device_of(tensors)):
            arrays = [_array(one) for one in tensors]
            inputs, rest = arrays[: len(self.inputs)], arrays[len(self.inputs) :]
            found = self.operator.gradients(inputs, rest[:count], rest[count:], **self._attributes(keywords))
            targets = [_array(one) for one in made]
            for target, place in zip(targets, self._differentiable(tensors), strict=True):
                self._store(target, found[place], self.inputs[place].name)
            _core.eval(*targets)
        return made

    def _store(self, target: Any, gradient: Any, name: str) -> None:
        if gradient is None:
            target[...] = 0
            return
        gradient = creation.asarray(gradient, device=target.device)
        if gradient.shape != target.shape:
            raise ValueError(
                f"{self.operator.name}: gradient of {name}: expected its shape {target.shape}, got {gradient.shape}; "
                "sum over axes that were broadcast"
            )
        target[...] = gradient

    def _setup(self, ctx: Any, inputs: Any, keyword_only_inputs: Any = None, output: Any = None) -> None:
        tensors = [*self._inputs(inputs), *(output if self.several else (output,))]
        ctx.save_for_backward(*tensors)
        ctx.keywords = dict(keyword_only_inputs or {})

    def _backward(self, ctx: Any, *gradients: Any) -> Any:
        tensors = ctx.saved_tensors
        outputs = tensors[len(self.inputs) :]
        given = [self.torch.zeros_like(output) if one is None else one
                 for output, one in zip(outputs, gradients, strict=True)]
        function = getattr(self.torch.ops.asnumpy, f"{self.name}_backward")
        made = function(*tensors, *given, **ctx.keywords)
        found: list[Any] = [None] * len(self.inputs)
        for place, one in zip(self._differentiable(tensors), made, strict=True):
            found[place] = one if ctx.needs_input_grad[place] else None
        return found[0] if len(found) == 1 else tuple(found)


def _device_of(tensors: Sequence[Any]) -> Any:
    """The device of all tensors; numbers of the CPU may stand beside those of an NPU."""
    given = [one for one in tensors if one is not None]
    there = [one.device for one in given if one.device.type != "cpu" or one.dim()] or [one.device for one in given]
    return there[0]


def _array(tensor: Any) -> Any:
    """A tensor's memory as an array."""
    if tensor is None:
        return None
    return creation.from_dlpack(tensor.detach().resolve_conj().resolve_neg())

