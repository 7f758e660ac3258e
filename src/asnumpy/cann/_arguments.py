"""Arguments of an operator, bound to its parameters and checked against what is documented, before CANN sees them."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from asnumpy.array.ndarray import ndarray
from asnumpy.cann import _devices, _facts
from asnumpy.cann._facts import Parameter, Signature
from asnumpy.cann._tensor import Tensor, of_array

MOST_AXES = 8
ABSENT = object()


def came(value: Any) -> str:
    """What an argument is, in few words."""
    if isinstance(value, Tensor):
        return f"a tensor {value.dtype.name}{list(value.shape)}"
    if isinstance(value, ndarray):
        return f"an array {value.dtype.name}{list(value.shape)} on {value.device}"
    if isinstance(value, np.ndarray):
        return f"a NumPy array {value.dtype.name}{list(value.shape)}"
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) < 40 else text[:36] + '...'}"


class Checker:
    """Checks the arguments of one operator. `documented`: whether dtypes and ranks are held to CANN's documentation."""

    def __init__(self, signature: Signature, documented: bool) -> None:
        self.signature, self.documented = signature, documented

    def refuse(
        self, kind: type[Exception], name: str, expected: str, value: Any = None, got: str = ""
    ) -> NoReturn:
        """Raises the exception with operator, parameter, what was expected and what came."""
        raise kind(f"{self.signature.name}: {name}: expected {expected}, got {got or came(value)}")

    def bind(self, positional: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        """The arguments by parameter, None for optional ones not given; TypeError for wrong counts or names."""
        signature = self.signature
        names = [one.name for one in signature.parameters]
        if len(positional) > len(names):
            raise TypeError(
                f"{signature.name}: expected {len(names)} arguments, got {len(positional)}: {signature.usage()}"
            )
        bound = dict(zip(names, positional, strict=False))
        for given, value in named.items():
            name = _facts.KEYWORDS.get(given, given)
            if name not in names:
                raise TypeError(
                    f"{signature.name}: there is no parameter {given!r}{_facts.close(given, names)}: "
                    f"{signature.usage()}"
                )
            if name in bound:
                raise TypeError(f"{signature.name}: {name}: given twice")
            bound[name] = value
        missing = [one.name for one in signature.parameters if one.name not in bound and not one.optional]
        if missing:
            raise TypeError(f"{signature.name}: {', '.join(missing)}: not given: {signature.usage()}")
        return {name: bound.get(name) for name in names}

    def check(self, bound: dict[str, Any]) -> dict[str, Any]:
        """The values as `_calls.Arguments` takes them."""
        checked: dict[str, Any] = {}
        for one in self.signature.parameters:
            if one.is_tensor:
                checked[one.name] = self.one(one, bound[one.name], None)
        reference = next((each.dtype for _, each in tensors_of(self.signature, checked)), None)
        for one in self.signature.parameters:
            if not one.is_tensor:
                checked[one.name] = self.one(one, bound[one.name], reference)
        self._agree(checked)
        return checked

    def one(self, parameter: Parameter, value: Any, reference: np.dtype | None) -> Any:
        """One checked value; `reference` is the dtype that a Python number takes where it can."""
        if value is None:
            if parameter.optional or parameter.written or not self.documented:
                return None
            self.refuse(TypeError, parameter.name, _facts.KINDS[parameter.kind], got="None")
        checked: Any = getattr(self, f"_{parameter.kind}")(parameter, value, reference)
        return checked

    def _tensor(self, parameter: Parameter, value: Any, _: Any = None, where: str = "") -> Tensor:
        name = parameter.name + where
        if isinstance(value, Tensor):
            tensor = value
        elif isinstance(value, ndarray):
            if str(value.device) == "cpu":
                self.refuse(ValueError, name, "an array on an Ascend device (to_device('ascend:0') moves it)", value)
            if parameter.written and not value._flags_writeable:
                self.refuse(ValueError, name, "an array that may be written", got=f"{came(value)}, read-only")
            try:
                tensor = of_array(value, written=parameter.written)
            except ValueError as error:
                raise ValueError(f"{self.signature.name}: {name}: {error}") from None
        elif isinstance(value, np.ndarray):
            self.refuse(TypeError, name, "memory of the device (cann.from_numpy copies an array there)", value)
        else:
            self.refuse(TypeError, name, "a tensor", value)
        if tensor.dtype.name not in _facts.dtype_numbers():
            self.refuse(TypeError, name, "a dtype that CANN has", got=tensor.dtype.name)
        if self.documented and parameter.dtypes and tensor.dtype.name not in parameter.dtypes:
            self.refuse(TypeError, name, f"one of {', '.join(parameter.dtypes)} (on the 910B)", got=tensor.dtype.name)
        low, high = parameter.ranks if self.documented else (0, MOST_AXES)
        if not low <= tensor.ndim <= high:
            count = f"{low} axes" if low == high else f"{low} to {high} axes"
            self.refuse(ValueError, name, count, got=f"{tensor.ndim}: {tensor.shape}")
        if self.documented and not parameter.may_be_empty and 0 in tensor.shape:
            self.refuse(ValueError, name, "at least one element", got=f"the shape {tensor.shape}")
        if parameter.written and 0 not in tensor.shape and any(
            not step and length > 1 for step, length in zip(tensor.strides, tensor.shape, strict=True)
        ):
            self.refuse(ValueError, name, "each element at a place of its own", got=f"strides {tensor.strides}")
        return tensor

    def _items(self, parameter: Parameter, value: Any) -> list[Any]:
        plain = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)
        if not plain or (isinstance(value, np.ndarray) and value.ndim != 1):
            self.refuse(TypeError, parameter.name, f"a {_facts.KINDS[parameter.kind]}", value)
        return list(value)

    def _tensors(self, parameter: Parameter, value: Any, _: Any) -> list[Tensor | None]:
        items = self._items(parameter, value)
        return [
            None if one is None and not self.documented else self._tensor(parameter, one, where=f"[{i}]")
            for i, one in enumerate(items)
        ]

    def _scalar(self, parameter: Parameter, value: Any, reference: np.dtype | None, where: str = "") -> np.generic:
        name, accepted = parameter.name + where, parameter.dtypes if self.documented else ()
        if isinstance(value, np.generic) and not isinstance(value, bool | int | float | complex):
            if value.dtype.name not in (accepted or _facts.dtype_numbers()):
                self.refuse(TypeError, name, f"a number of {', '.join(accepted) or 'a dtype that CANN has'}", value)
            return value
        if not isinstance(value, bool | int | float | complex):
            self.refuse(TypeError, name, "a number", value)
        for dtype in _dtypes_for(value, reference):
            if not accepted or dtype.name in accepted:
                with np.errstate(over="ignore"):
                    scalar: np.generic = dtype.type(value)
                    return scalar
        self.refuse(TypeError, name, f"a number that fits one of {', '.join(accepted or ('what CANN has',))}", value)

    def _scalars(self, parameter: Parameter, value: Any, reference: np.dtype | None) -> list[np.generic]:
        items = self._items(parameter, value)
        return [self._scalar(parameter, one, reference, f"[{i}]") for i, one in enumerate(items)]

    def _integer(self, parameter: Parameter, value: Any, _: Any = None, where: str = "") -> int:
        low, high = _facts.RANGES.get(parameter.ctype, _facts.RANGES["int64_t"])
        name = parameter.name + where
        if isinstance(value, bool | np.bool | ndarray):
            self.refuse(TypeError, name, "an integer", value)
        try:
            number = operator.index(value)
        except TypeError:
            self.refuse(TypeError, name, "an integer", value)
        if not low <= number <= high:
            self.refuse(ValueError, name, f"an integer from {low} to {high}", got=str(number))
        return number

    def _real(self, parameter: Parameter, value: Any, _: Any = None, where: str = "") -> float:
        if isinstance(value, bool | np.bool) or not isinstance(value, int | float | np.integer | np.floating):
            self.refuse(TypeError, parameter.name + where, "a number", value)
        return float(value)

    def _boolean(self, parameter: Parameter, value: Any, _: Any = None, where: str = "") -> bool:
        if not isinstance(value, bool | np.bool):
            self.refuse(TypeError, parameter.name + where, "True or False", value)
        return bool(value)

    def _ints(self, parameter: Parameter, value: Any, _: Any) -> list[int]:
        return [self._integer(parameter, one, where=f"[{i}]") for i, one in enumerate(self._items(parameter, value))]

    def _floats(self, parameter: Parameter, value: Any, _: Any) -> list[float]:
        return [self._real(parameter, one, where=f"[{i}]") for i, one in enumerate(self._items(parameter, value))]

    def _bools(self, parameter: Parameter, value: Any, _: Any) -> list[bool]:
        return [self._boolean(parameter, one, where=f"[{i}]") for i, one in enumerate(self._items(parameter, value))]

    def _text(self, parameter: Parameter, value: Any, _: Any) -> str:
        if not isinstance(value, str):
            self.refuse(TypeError, parameter.name, "text", value)
        if "\0" in value or not value.isascii():
            self.refuse(ValueError, parameter.name, "plain text", value)
        return value

    def _dtype(self, parameter: Parameter, value: Any, _: Any) -> np.dtype:
        try:
            dtype: np.dtype = np.dtype(value)
        except TypeError:
            self.refuse(TypeError, parameter.name, "a dtype", value)
        if value is None or dtype.name not in _facts.dtype_numbers():
            self.refuse(TypeError, parameter.name, "a dtype that CANN has", value)
        return dtype

    def _agree(self, checked: dict[str, Any]) -> None:
        """Tensors that must have another's shape or dtype, and one device for all."""
        first: tuple[str, Tensor] | None = None
        for name, each in tensors_of(self.signature, checked):
            first = first or (name, each)
            if each.device != first[1].device:
                self.refuse(
                    ValueError, name, f"an array on ascend:{first[1].device} as {first[0]}",
                    got=f"one on ascend:{each.device}",
                )
        if not self.documented:
            return
        for one in self.signature.parameters:
            value = checked[one.name]
            for what, other in (("shape", one.shape_of), ("dtype", one.dtype_of)):
                model = checked.get(other) if other else None
                if not isinstance(value, Tensor) or not isinstance(model, Tensor):
                    continue
                came_with, expected = getattr(value, what), getattr(model, what)
                if came_with != expected:
                    wrong = ValueError if what == "shape" else TypeError
                    self.refuse(wrong, one.name, f"the {what} of {other}, {expected}", got=str(came_with))


def tensors_of(signature: Signature, checked: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """Every tensor among checked arguments, with its parameter."""
    for one in signature.parameters:
        value = checked.get(one.name) if one.is_tensor else None
        values: Iterable[Tensor | None] = value if isinstance(value, list) else (value,)
        for each in values:
            if each is not None:
                yield one.name, each


class Operands:
    """The tensors of one call, each with whether it is written, and the bytes that the call reads and writes."""

    def __init__(self, signature: Signature, checked: dict[str, Any]) -> None:
        self.values = checked
        self.tensors: list[tuple[Tensor, bool]] = []
        self.read: list[Tensor] = []         # also of those that are written
        self.overwritten: list[Tensor] = []  # whatever they held
        self.nbytes = 0
        for one in signature.parameters:
            if not one.is_tensor:
                continue
            value = checked[one.name]
            for tensor in value if isinstance(value, list) else (value,):
                if tensor is not None:
                    self.tensors.append((tensor, one.written))
                    (self.overwritten if one.direction == "out" else self.read).append(tensor)
                    self.nbytes += tensor.nbytes * (2 if one.direction == "inout" else 1)
        self.device = self.tensors[0][0].device if self.tensors else _devices.current_device()
        self.owners = [tensor.owner for tensor, _ in self.tensors if tensor.owner is not None]


def _dtypes_for(value: Any, reference: np.dtype | None) -> Iterator[np.dtype]:
    """The dtypes that a Python number may take, the best first: that of the operator's tensors, then its own."""
    kinds = "biufc" if isinstance(value, bool) else "iufc" if isinstance(value, int) else "fc"
    kinds = "c" if isinstance(value, complex) else kinds
    own = {
        "b": ("bool", "int64", "float32", "float64"), "i": ("int64", "float32", "float64"),
        "f": ("float32", "float64", "complex64"), "c": ("complex64", "complex128"),
    }[kinds[0]]
    tried = ([reference] if reference is not None else []) + [np.dtype(name) for name in own]
    for dtype in tried:
        kind = "f" if dtype.kind == "V" else dtype.kind  # bfloat16 and its like
        if kind not in kinds:
            continue
        if kind in "iu" and isinstance(value, int):
            bits = 8 * dtype.itemsize
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "i" else (0, (1 << bits) - 1)
            if not low <= value <= high:
                continue
        if isinstance(value, int) and kind in "fc" and not _holds(value, dtype):
            continue
        yield dtype


def _holds(value: int, dtype: np.dtype) -> bool:
    """Whether an integer is exact as this inexact dtype, or the dtype is that of the tensors and it is finite."""
    with np.errstate(over="ignore"):
        try:
            return math.isfinite(float(np.real(np.array(value, dtype))))
        except OverflowError:
            return False
