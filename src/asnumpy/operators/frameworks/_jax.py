"""An operator as a function of JAX's, by its foreign function interface, for arrays of the CPU."""

from __future__ import annotations

import ctypes
import importlib
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy import creation
from asnumpy.operators import _registry
from asnumpy.operators._compiler import compile_cpu
from asnumpy.operators._operator import Operator
from asnumpy.operators.frameworks import _native
from asnumpy.operators.frameworks._entry import Given, arrays_of, run, wait_for
from asnumpy.operators.frameworks._jax_kernels import Kernels
from asnumpy.operators.frameworks._outline import Outline, Outliner

TARGET = "asnumpy_operator"

# XLA calls the handler, which calls an operator's kernels by their address; or hands addresses to Python, where `call`
# says which operator with which attributes.
_HANDLER = """
{prelude}
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using Callback = int (*)(int64_t call, int64_t count, void** data, int64_t* ranks, const int64_t** shapes,
                         int64_t* types, char* told, int64_t size);
using Compute = int (*)(const asnumpy_native::Given* given, const void* attributes, char* told, int64_t size);
static Callback callback = nullptr;
extern "C" void set_callback(Callback given) {{ callback = given; }}

static const char* name_of(int64_t type) {{
    switch (type) {{
{names}    }}
    return "a type of XLA's";
}}

static ffi::Error run(int64_t call, int64_t compute, int64_t attributes, ffi::RemainingArgs arguments,
                      ffi::RemainingRets results) {{
    std::vector<void*> data;
    std::vector<int64_t> ranks, types;
    std::vector<const int64_t*> shapes;
    const auto add = [&](auto buffer) {{
        data.push_back(buffer.untyped_data());
        ranks.push_back(static_cast<int64_t>(buffer.dimensions().size()));
        shapes.push_back(buffer.dimensions().begin());
        types.push_back(static_cast<int64_t>(buffer.element_type()));
    }};
    for (size_t i = 0; i < arguments.size(); ++i) {{
        auto one = arguments.get<ffi::AnyBuffer>(i);
        if (one.has_error()) return one.error();
        add(*one);
    }}
    for (size_t i = 0; i < results.size(); ++i) {{
        auto one = results.get<ffi::AnyBuffer>(i);
        if (one.has_error()) return one.error();
        add(**one);
    }}
    char told[1000] = {{}};
    int failed = 0;
    if (compute) {{
        std::vector<asnumpy_native::Given> given;
        for (size_t i = 0; i < data.size(); ++i)
            given.push_back({{data[i], static_cast<int>(ranks[i]), shapes[i], name_of(types[i])}});
        failed = reinterpret_cast<Compute>(compute)(given.data(), reinterpret_cast<const void*>(attributes), told,
                                                    sizeof told);
    }} else {{
        const auto count = static_cast<int64_t>(data.size());
        failed = callback(call, count, data.data(), ranks.data(), shapes.data(), types.data(), told, sizeof told);
    }}
    return failed ? ffi::Error::Internal(told) : ffi::Error::Success();
}}
XLA_FFI_DEFINE_HANDLER_SYMBOL(asnumpy_operator, run,
                              ffi::Ffi::Bind()
                                  .Attr<int64_t>("call")
                                  .Attr<int64_t>("compute")
                                  .Attr<int64_t>("attributes")
                                  .RemainingArgs()
                                  .RemainingRets());
"""
# The names of XLA's numbers for types.
_TYPES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 15: "complex64", 16: "bfloat16", 18: "complex128",
}  # fmt: skip
_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int64),
    ctypes.POINTER(ctypes.POINTER(ctypes.c_int64)), ctypes.POINTER(ctypes.c_int64), ctypes.c_void_p, ctypes.c_int64,
)  # fmt: skip

Work = Callable[[list[Given]], None]
_calls: list[Work] = []
_numbers: dict[Any, int] = {}
_kept: list[Any] = []
_lock = threading.Lock()


def to_jax(operator: Operator | str) -> Callable[..., Any]:
    """Make an operator a function of JAX's, for arrays of the CPU.

    It can be called, compiled by `jax.jit`, mapped by `jax.vmap`, and with a gradient declared (`Operator.gradient`)
    differentiated. XLA's memory is used where it lies. A kernel that is attached by `Launch` is called without Python.

    Parameters
    ----------
    operator : Operator or str
        The operator or its name.

    Returns
    -------
    callable
        Takes the inputs, and the attributes by keyword; there is no ``out=``.

    Raises
    ------
    ImportError
        If jax is not installed.
    asnumpy.operators.CompileError
        If there is no C++ compiler for the handler, a page of C++ that is compiled once a process.
    """
    found = _registry.get(operator) if isinstance(operator, str) else operator
    if not isinstance(found, Operator):
        raise TypeError(f"to_jax: expected an operator or its name, got {type(operator).__name__}")
    try:
        jax = importlib.import_module("jax")
    except ImportError as error:
        raise ImportError(f"to_jax: expected JAX; install it with `pip install jax` ({error})") from None
    with _lock:
        if not _kept:
            _register(jax)
    return JaxOperator(found, jax)


def _register(jax: Any) -> None:
    names = "".join(f'        case {number}: return "{name}";\n' for number, name in _TYPES.items())
    handler = _HANDLER.format(prelude=_native.prelude("cpu"), names=names)
    library = compile_cpu(handler, None, [f"-I{jax.ffi.include_dir()}"], ["asnumpy_operator"])
    callback = _CALLBACK(_called)
    library.function("set_callback")(callback)
    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(library.function("asnumpy_operator")), platform="cpu")
    _kept.extend((library, callback))


def _called(call: int, count: int, data: Any, ranks: Any, shapes: Any, types: Any, told: int, size: int) -> int:
    try:
        tensors: list[Given] = [(data[i] or 0, tuple(shapes[i][axis] for axis in range(ranks[i])), _name(types[i]))
                                for i in range(count)]
        _calls[call](tensors)
    except BaseException as error:  # there is nobody above to raise it to
        words = f"{type(error).__name__}: {error}".encode()[: size - 1]
        ctypes.memmove(told, words, len(words))
        return 1
    return 0


def _name(number: int) -> str:
    if number not in _TYPES:
        raise TypeError(f"expected a dtype that arrays have, got number {number} of XLA's")
    return _TYPES[number]


def _number(key: Any, work: Work) -> int:
    """The number by which the handler finds the work."""
    with _lock:
        if key not in _numbers:
            _calls.append(work)
            _numbers[key] = len(_calls) - 1
        return _numbers[key]


class JaxOperator:
    """A function of JAX's arrays."""

    def __init__(self, operator: Operator, jax: Any) -> None:
        self.operator, self.jax, self.outliner = operator, jax, Outliner(operator.declaration)
        self.kernels = Kernels(operator, self.outliner)
        self.__name__ = self.__qualname__ = operator.__name__
        self.__doc__ = operator.__doc__

    def __repr__(self) -> str:
        return f"<operator {self.operator.declaration} of JAX>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The outputs for these inputs."""
        declaration = self.operator.declaration
        try:
            bound = declaration.signature().bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.operator.name}: {error}; it is {declaration}") from None
        if bound.arguments.pop("out", None) is not None:
            raise TypeError(f"{self.operator.name}: out: a function of JAX's gives new arrays; leave it out")
        bound.apply_defaults()
        values = bound.arguments
        attributes = {one.name: values[one.name] for one in declaration.attributes}
        given = [values[one.name] for one in declaration.inputs]
        places = [place for place, one in enumerate(given) if one is not None]
        arrays = [self.jax.numpy.asarray(given[place]) for place in places]
        return self._function(places, attributes)(*arrays)

    def _function(self, places: list[int], attributes: dict[str, Any]) -> Callable[..., Any]:
        """Of the inputs that came."""

        def forward(*arrays: Any) -> Any:
            return self._run(places, attributes, arrays)

        if self.operator.gradient_function is None:
            return forward
        made = self.jax.custom_vjp(forward)

        def kept(*arrays: Any) -> Any:
            outputs = forward(*arrays)
            return outputs, (arrays, outputs)

        def backward(residuals: Any, gradients: Any) -> Any:
            arrays, outputs = residuals
            return self._gradients(places, attributes, arrays, outputs, gradients)

        made.defvjp(kept, backward)
        return made  # type: ignore[no-any-return]

    def _results(self, outlines: list[Outline]) -> list[Any]:
        return [self.jax.ShapeDtypeStruct(one.shape, one.dtype) for one in outlines]

    def _called(self, kind: str, attributes: dict[str, Any], places: list[int], work: Work, results: Any,
                arrays: Any) -> Any:  # fmt: skip
        number = _number((id(self.operator), kind, repr(attributes), tuple(places)), work)
        return self._handled(results, arrays, call=number)

    def _handled(self, results: Any, arrays: Any, call: int = 0, compute: int = 0, attributes: int = 0) -> Any:
        """By the handler, which gets either the number of a call to Python or the addresses of kernels."""
        function = self.jax.ffi.ffi_call(TARGET, results, vmap_method="sequential")
        return function(*arrays, call=np.int64(call), compute=np.int64(compute), attributes=np.int64(attributes))

    def _inputs(self, places: list[int], given: Any) -> list[Any]:
        """With None for what was left out."""
        found: list[Any] = [None] * len(self.operator.declaration.inputs)
        for place, one in zip(places, given, strict=True):
            found[place] = one
        return found

    def _run(self, places: list[int], attributes: dict[str, Any], arrays: Any) -> Any:
        given = self._inputs(places, [Outline(one.shape, np.dtype(one.dtype)) for one in arrays])
        checked = self.outliner.attributes(attributes)
        results = self._results(self.outliner.outputs(given, checked))
        several = len(results) > 1
        wanted = self.kernels.inputs(given, checked)
        if wanted is not None:
            numpy = self.jax.numpy
            whole = [numpy.broadcast_to(one.astype(to.dtype), to.shape) for one, to in zip(arrays, wanted, strict=True)]
            compute, address = self.kernels.addresses(checked)
            made = self._handled(results if several else results[0], whole, compute=compute, attributes=address)
            return tuple(made) if several else made

        def work(tensors: list[Given]) -> None:
            inputs = self._inputs(places, tensors[: len(places)])
            run(self.operator, "cpu", attributes, [*inputs, *tensors[len(places) :]])

        made = self._called("run", attributes, places, work, results if several else results[0], arrays)
        return tuple(made) if several else made

    def _gradients(self, places: list[int], attributes: dict[str, Any], arrays: Any, outputs: Any,
                   gradients: Any) -> Any:  # fmt: skip
        several = len(self.operator.declaration.outputs) > 1
        outputs, gradients = (outputs, gradients) if several else ((outputs,), (gradients,))
        floats = [place for place, one in enumerate(arrays) if self.jax.numpy.issubdtype(one.dtype, np.inexact)]
        results = [self.jax.ShapeDtypeStruct(arrays[place].shape, arrays[place].dtype) for place in floats]
        count = len(outputs)
        # an output of integers has a gradient without values
        filled = [one if self.jax.numpy.issubdtype(output.dtype, np.inexact) else self.jax.numpy.zeros_like(output)
                  for output, one in zip(outputs, gradients, strict=True)]

        def work(tensors: list[Given]) -> None:
            made = arrays_of(self.operator, tensors)
            inputs, rest = made[: len(places)], made[len(places) :]
            found = self.operator.gradients(
                self._inputs(places, inputs), rest[:count], rest[count : 2 * count], **attributes
            )
            targets = rest[2 * count :]
            for target, place in zip(targets, floats, strict=True):
                gradient = found[places[place]]
                target[...] = 0 if gradient is None else creation.asarray(gradient)
            wait_for(targets)

        made: Any = ()
        if floats:
            made = self._called("gradient", attributes, places, work, results, (*arrays, *outputs, *filled))
        answer: list[Any] = [np.zeros(one.shape, self.jax.dtypes.float0) for one in arrays]
        for place, one in zip(floats, made, strict=True):
            answer[place] = one
        return tuple(answer)
