"""A call's arguments by the declaration: which dtype each letter is, how long each symbol, what the outputs are."""

from __future__ import annotations

import operator as arithmetic
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from asnumpy import creation
from asnumpy.array import ndarray
from asnumpy.dtypes.dtype import can_cast, real_kind, result_type
from asnumpy.operators._call import Call, Form, full_shape
from asnumpy.operators._cuda_arrays import CudaArray, cuda_array
from asnumpy.operators._declaration import (
    KINDS,
    REQUIRED,
    Attribute,
    Declaration,
    Tensor,
    axis_text,
    dtype_named,
    length,
)

_ORDER = "buifc"  # kinds of dtypes; a number of Python's fits in what comes after its own
_KIND = {bool: "b", int: "u", float: "f", complex: "c"}
_WEAK = tuple(_KIND)
_MOST_FORMS = 1024


class Binder:
    """What checks the calls of one declaration."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration, self.name = declaration, declaration.name
        self.signature = declaration.signature()
        self._positional = tuple(one.name for one in declaration.inputs)
        self._names = frozenset(self.signature.parameters)
        self._defaults = {name: one.default for name, one in self.signature.parameters.items()
                          if one.default is not REQUIRED}
        # attributes on which shapes and dtypes may depend
        self._deciding = tuple(one.name for one in declaration.attributes if one.kind in ("int", "bool", "dtype"))
        self._keywords = frozenset(one.name for one in declaration.attributes) | {"out"}
        self._forms: dict[Any, Form] = {}

    def refuse(self, kind: type[Exception], name: str, expected: str, got: str) -> NoReturn:
        """Raises the exception with operator, parameter, what was expected and what came."""
        raise kind(f"{self.name}: {name}: expected {expected}, got {got}")

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Call:
        """All of a call; TypeError, ValueError."""
        raw, attributes, out = self._split(args, kwargs)
        key = self._key(raw, attributes)
        form = self._forms.get(key) if key is not None else None
        if form is None:
            form, given = self._bound(raw, attributes)
            if key is not None:
                if len(self._forms) >= _MOST_FORMS:  # shapes that never recur: what did comes back by itself
                    self._forms.clear()
                self._forms[key] = form
        else:
            given = list(raw)
            device = form.device
            for place, (value, array) in enumerate(zip(raw, form.inputs, strict=True)):
                if array is not None and not (
                    isinstance(value, ndarray) and value.dtype is array[1] and value._device_name == device
                ):
                    given[place] = self._array(self.declaration.inputs[place], value, form.letters, device)
        return Call(form, given, attributes, None if out is None else self._out(out, form.outputs, form.device))

    def _split(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any], Any]:
        """The inputs as they came, the attributes checked, and `out`."""
        if len(args) == len(self._positional) and kwargs.keys() <= self._keywords:
            values = kwargs  # the usual call
            raw = args
        else:
            values = {**self._defaults, **dict(zip(self._positional, args, strict=False)), **kwargs}
            if values.keys() != self._names or len(args) > len(self._positional) or not kwargs.keys().isdisjoint(
                self._positional[: len(args)]
            ):
                self._refuse_call(args, kwargs)
            raw = [values[name] for name in self._positional]
        attributes = {}
        for one in self.declaration.attributes:
            value = values.get(one.name, one.default)
            if value is REQUIRED:
                self._refuse_call(args, kwargs)
            kind = KINDS[one.kind]
            attributes[one.name] = value if type(value) is kind else self._attribute(one, value)
        return raw, attributes, values.get("out")

    def _refuse_call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """TypeError for arguments that are not those of the signature."""
        try:
            self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}; it is {self.declaration}") from None

    def _bound(self, raw: Sequence[Any], attributes: dict[str, Any]) -> tuple[Form, list[Any]]:
        """What follows from the inputs, and the arrays that they become."""
        came = [self._came(*each) for each in zip(self.declaration.inputs, raw, strict=True)]
        letters = self._letters(came, attributes)
        device = self._device(came)
        given = [self._array(*each, letters, device) for each in zip(self.declaration.inputs, came, strict=True)]
        sizes, batch = self._sizes(given, attributes)
        outputs = tuple(self._outputs(batch, sizes, letters, attributes))
        inputs = tuple(None if value is None else (tuple(value.shape), value.dtype) for value in given)
        return Form(self.declaration, device, letters, sizes, batch, outputs, inputs), given

    def _key(self, raw: Sequence[Any], attributes: dict[str, Any]) -> tuple[Any, ...] | None:
        """On what a call's form depends; None where that is more than can be said before the inputs are converted."""
        key: list[Any] = []
        ours = False
        for value in raw:
            if isinstance(value, ndarray):
                key.append((value.dtype, value.shape, value._device_name))
                ours = True
            elif value is None or type(value) in _WEAK:
                key.append(type(value))
            elif isinstance(value, np.ndarray | np.generic):
                key.append((value.dtype, value.shape))
            else:
                return None
        if not ours:
            return None  # new arrays lie where the thread's are made
        for name in self._deciding:
            key.append(attributes[name])
        return tuple(key)

    # --- inputs

    def _came(self, tensor: Tensor, value: Any) -> Any:
        """An array, a number of NumPy's or a Python number; None for an optional input that is left out."""
        if value is None:
            if tensor.optional:
                return None
            self.refuse(TypeError, tensor.name, "an array", "None")
        if isinstance(value, ndarray | np.ndarray | np.generic) or type(value) in _WEAK:
            return value
        found = cuda_array(value)
        if found is not None:
            return found
        try:
            return creation.asarray(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{self.name}: {tensor.name}: expected an array, got {type(value).__name__}: {error}"
                              ) from None

    def _device(self, raw: list[Any]) -> str:
        cuda = [value for value in raw if isinstance(value, CudaArray)]
        ours = [value for value in raw if isinstance(value, ndarray)]
        if cuda and ours:
            raise ValueError(f"{self.name}: expected arrays of one device, got some of CUDA and some of "
                             f"{ours[0].device}")
        if cuda:
            return "cuda"
        # an array of the CPU without axes stands for its number beside those of a device
        there = [value for value in ours if str(value.device) != "cpu" or value.ndim] or ours
        names = list(dict.fromkeys(str(value.device) for value in there))
        if len(names) > 1:
            raise ValueError(f"{self.name}: its arrays lie on two devices, {names[0]} and {names[1]}; move one to the "
                             f'other: a.to_device("{names[0]}")')
        return names[0] if names else str(creation.empty(0).device)

    def _letters(self, raw: list[Any], attributes: dict[str, Any]) -> dict[str, np.dtype]:
        found = {}
        for letter, allowed in self.declaration.letters.items():
            pairs = zip(self.declaration.inputs, raw, strict=True)
            named = [(tensor, value) for tensor, value in pairs if tensor.type == letter and value is not None]
            if named:
                found[letter] = self._letter(letter, allowed, named)
        return found

    def _letter(self, letter: str, allowed: tuple[np.dtype, ...], named: list[tuple[Tensor, Any]]) -> np.dtype:
        strong = [value for _, value in named if type(value) not in _WEAK]
        weak = [value for _, value in named if type(value) in _WEAK]
        if not strong:
            return self._of_numbers(named, allowed)
        dtypes: list[np.dtype] = [value.dtype for value in strong]
        if not weak and dtypes[0] in allowed and all(dtype is dtypes[0] for dtype in dtypes):
            return dtypes[0]  # the usual call
        if any(isinstance(value, CudaArray) for value in strong) and len(set(dtypes)) > 1:
            raise TypeError(f"{self.name}: expected arrays of one dtype for {letter}, got "
                            f"{' and '.join(dict.fromkeys(d.name for d in dtypes))}; convert them")
        unfit = [(tensor, value) for tensor, value in named if type(value) not in _WEAK
                 and not any(can_cast(value.dtype, dtype) for dtype in allowed)]
        wanted = dtypes[0]
        if not unfit:
            wanted = result_type(*dtypes)
            order = _ORDER.index(real_kind(wanted))
            wider = [value for value in weak if _ORDER.index(_KIND[type(value)]) > order]
            if wider:  # numbers of the same kind, or a lower one, change nothing
                wanted = result_type(wanted, *wider)
            if wanted in allowed:
                return wanted
            for dtype in allowed:
                if can_cast(wanted, dtype) and not isinstance(strong[0], CudaArray):
                    return dtype
        # the parameter that does not fit by itself, else the last, which makes it too wide
        tensor, value = (unfit or named[-1:])[0]
        came = value.dtype.name if type(value) not in _WEAK else f"{type(value).__name__} {value!r}"
        together = "" if unfit else f" (with the others {wanted.name})"
        self.refuse(TypeError, tensor.name, f"{_either(allowed)} ({letter})", came + together)

    def _of_numbers(self, named: list[tuple[Tensor, Any]], allowed: tuple[np.dtype, ...]) -> np.dtype:
        """Numbers alone: the dtype that an array of them has, else the widest that is declared."""
        wanted = result_type(*(creation.asarray(value).dtype for _, value in named))
        if wanted in allowed:
            return wanted
        for dtype in allowed:
            if can_cast(wanted, dtype):
                return dtype
        kinds = max((_KIND[type(value)] for _, value in named), key=_ORDER.index)
        kinds = {"b": "biufc", "u": "iufc", "f": "fc", "c": "c"}[kinds]
        fits = [dtype for dtype in allowed if real_kind(dtype) in kinds]
        if not fits:
            tensor, value = named[0]
            self.refuse(TypeError, tensor.name, _either(allowed), f"{type(value).__name__} {value!r}")
        first = min(kinds.index(real_kind(dtype)) for dtype in fits)
        return max((dtype for dtype in fits if kinds.index(real_kind(dtype)) == first), key=lambda d: d.itemsize)

    def _array(self, tensor: Tensor, value: Any, letters: Mapping[str, np.dtype], device: str) -> Any:
        if value is None:
            return None
        dtype = letters[tensor.type] if tensor.type in letters else dtype_named(tensor.type)
        assert dtype is not None
        if isinstance(value, CudaArray):
            if value.dtype != dtype:
                self.refuse(TypeError, tensor.name, f"{dtype.name}, CUDA arrays are not converted", value.dtype.name)
            return value
        if type(value) in _WEAK:
            return self._number(tensor, value, dtype, device)
        if value.dtype != dtype and not can_cast(value.dtype, dtype):
            self.refuse(TypeError, tensor.name, dtype.name, value.dtype.name)
        if device == "cuda":
            if value.ndim:
                self.refuse(TypeError, tensor.name, "an array of a CUDA device", f"one of {type(value).__name__}")
            return np.asarray(value, dtype)
        if not isinstance(value, ndarray) or str(value.device) != device:
            value = creation.asarray(value, device=device)
        return value if value.dtype == dtype else value.astype(dtype)

    def _number(self, tensor: Tensor, value: Any, dtype: np.dtype, device: str) -> Any:
        if _ORDER.index(_KIND[type(value)]) > _ORDER.index(real_kind(dtype)):
            self.refuse(TypeError, tensor.name, dtype.name, f"{type(value).__name__} {value!r}")
        try:
            made = np.asarray(value) if dtype.kind in "V" else np.asarray(value, dtype)
        except OverflowError as error:
            raise OverflowError(f"{self.name}: {tensor.name}: {error}") from None
        return made if device == "cuda" else creation.asarray(made, dtype=dtype, device=device)

    # --- shapes

    def _sizes(self, given: list[Any], attributes: dict[str, Any]) -> tuple[dict[str, int], tuple[int, ...]]:
        sizes = {name: value for name, value in attributes.items() if isinstance(value, int)}
        told: dict[str, str] = {}  # by which input
        batches: list[tuple[Tensor, tuple[int, ...]]] = []
        pairs = [(tensor, value.shape) for tensor, value in zip(self.declaration.inputs, given, strict=True)
                 if value is not None]
        cores = {tensor.name: self._core(tensor, shape, batches) for tensor, shape in pairs}
        for tensor, shape in pairs:
            for axis, n in zip(tensor.core, cores[tensor.name], strict=True):
                if isinstance(axis, str) and sizes.setdefault(axis, n) != n:
                    where = f" as that of {told[axis]}" if axis in told else ""
                    self.refuse(ValueError, tensor.name, f"{axis} = {sizes[axis]}{where} in {_axes(tensor)}",
                                f"{n} in the shape {shape}")
                if isinstance(axis, str):
                    told.setdefault(axis, tensor.name)
        for tensor, shape in pairs:
            for axis, n in zip(tensor.core, cores[tensor.name], strict=True):
                if not isinstance(axis, str) and length(axis, sizes) != n:
                    self.refuse(ValueError, tensor.name, f"{_equals(axis, sizes)} in {_axes(tensor)}",
                                f"{n} in the shape {shape}")
        return sizes, self._batch(batches)

    def _core(self, tensor: Tensor, shape: tuple[int, ...], batches: list[tuple[Tensor, tuple[int, ...]]]) -> Any:
        """The lengths of the declared axes; what `...` stands for is added to the batches."""
        count = len(tensor.core)
        if len(shape) < count or (len(shape) > count and not tensor.batched):
            axes = f"{'at least ' * tensor.batched}{count} ax{'is' if count == 1 else 'es'}"
            self.refuse(ValueError, tensor.name, f"{axes}, {_axes(tensor)}", f"the shape {shape}")
        if not tensor.batched:
            return shape
        before = tensor.shape.index(...)
        after = before + len(shape) - count
        batches.append((tensor, shape[before:after]))
        return shape[:before] + shape[after:]

    def _batch(self, batches: list[tuple[Tensor, tuple[int, ...]]]) -> tuple[int, ...]:
        made: tuple[int, ...] = ()
        for place, (tensor, axes) in enumerate(batches):
            try:
                made = np.broadcast_shapes(made, axes)
            except ValueError:
                others = ", ".join(each.name for each, _ in batches[:place])
                self.refuse(ValueError, tensor.name, f"axes that broadcast with {made} of {others}", f"{axes}")
        return made

    # --- attributes and outputs

    def _attribute(self, one: Attribute, given: Any) -> Any:
        if given is None and one.default is None:
            return None
        number = isinstance(given, ndarray) and given.ndim == 0 and one.kind in ("int", "float", "bool")
        value: Any = given.item() if number and given is not None else given
        got = f"{type(given).__name__} {given!r}"
        if one.kind == "int" and not isinstance(value, bool | np.bool):
            try:
                return arithmetic.index(value)
            except TypeError:
                pass
        if one.kind == "float" and isinstance(value, int | float | np.integer | np.floating):
            return float(value)
        if one.kind == "bool" and isinstance(value, bool | np.bool):
            return bool(value)
        if one.kind == "str" and isinstance(value, str):
            return str(value)
        if one.kind == "tuple" and isinstance(value, tuple | list):
            return tuple(value)
        if one.kind == "dtype" and given is not None:
            try:
                return (dtype_named(given) if isinstance(given, str) else None) or np.dtype(given)
            except TypeError:
                pass
        article = "an" if one.kind == "int" else "a"
        self.refuse(TypeError, one.name, f"{article} {one.kind}", got)

    def _outputs(self, batch: tuple[int, ...], sizes: dict[str, int], letters: dict[str, np.dtype],
                 attributes: dict[str, Any]) -> list[tuple[tuple[int, ...], np.dtype]]:  # fmt: skip
        made = []
        for tensor in self.declaration.outputs:
            dtype = letters.get(tensor.type) or dtype_named(tensor.type) or attributes.get(tensor.type)
            if dtype is None:
                raise TypeError(f"{self.name}: no argument tells the dtype {tensor.type} of {tensor.name}")
            shape = full_shape(tensor, batch, sizes)
            if any(n < 0 for n in shape):
                self.refuse(ValueError, tensor.name, f"axes of at least 0 in {_axes(tensor)}", f"the shape {shape}")
            made.append((shape, dtype))
        return made

    def _out(self, out: Any, outputs: Sequence[tuple[tuple[int, ...], np.dtype]], device: str) -> tuple[Any, ...]:
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(outputs):
            self.refuse(ValueError, "out", f"{len(outputs)} arrays, one for each output", f"{len(given)}")
        declared = self.declaration.outputs
        return tuple(self._one_out(*each, device) for each in zip(declared, given, outputs, strict=True))

    def _one_out(self, tensor: Tensor, value: Any, output: tuple[tuple[int, ...], np.dtype], device: str) -> Any:
        shape, dtype = output
        if value is None or (isinstance(value, ndarray) and value.dtype is dtype and value.shape == shape
                             and value._device_name == device and value._flags_writeable):  # fmt: skip
            return value  # the usual call
        name = "out" if len(self.declaration.outputs) == 1 else f"out, {tensor.name}"
        target: Any = cuda_array(value) if device == "cuda" else value
        if device == "cuda" and target is None:
            self.refuse(TypeError, name, "an array of a CUDA device", type(value).__name__)
        if device != "cuda" and not isinstance(value, ndarray):
            self.refuse(TypeError, name, "an asnumpy array", type(value).__name__)
        if target.shape != shape:
            self.refuse(ValueError, name, f"the shape {shape}", f"{target.shape}")
        same = target.dtype is dtype or target.dtype == dtype
        if not same and (device == "cuda" or not can_cast(dtype, target.dtype, "same_kind")):
            self.refuse(TypeError, name, f"an array that takes {dtype.name}", target.dtype.name)
        if device != "cuda" and value._device_name != device:
            self.refuse(ValueError, name, f"an array on {device}", f"one on {value.device}")
        if device != "cuda" and not value._flags_writeable:
            raise ValueError(f"{self.name}: {name}: output array is read-only")
        return target


def _either(dtypes: Sequence[np.dtype]) -> str:
    return " or ".join(dtype.name for dtype in dtypes)


def _axes(tensor: Tensor) -> str:
    return "[" + str(tensor).removesuffix(" = None").partition("[")[2]


def _equals(axis: Any, sizes: dict[str, int]) -> str:
    value = length(axis, sizes)
    return str(value) if isinstance(axis, int) else f"{axis_text(axis)} = {value}"

