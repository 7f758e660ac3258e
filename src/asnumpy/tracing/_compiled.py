"""A function recorded for one form of its arguments: running it, what it costs, keeping it in a file."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

import numpy as np

from asnumpy import _core, config
from asnumpy.creation import array
from asnumpy.random.bit_generator import BitGenerator
from asnumpy.runtime.explanation import Explanation
from asnumpy.runtime.tree import LEAF, unflatten
from asnumpy.tracing import _file
from asnumpy.tracing._call import Call, Parameters, Settings


class Cost(NamedTuple):
    """What one call takes, counted from what was recorded: a loop as one repetition, a choice as the costlier side."""

    programs: int
    operations: int
    """On elements: one for each element of an operation, two for each multiplication of a matrix product."""
    bytes_read: int
    """By programs, from memory."""
    bytes_written: int
    most_memory: int
    """Bytes of results and of what lies between, at a time; without the arguments."""


class Given(NamedTuple):
    """A leaf of the results that is the same object in every call, or an argument itself."""

    argument: int  # -1: `value`
    value: Any


class Compiled:
    """A function recorded for one form of its arguments.

    Calling it with other forms (shapes, dtypes, strides, devices, values of what is no array) is a TypeError.
    """

    def __init__(
        self, name: str, parameters: Parameters, call: Call, replay: _core.Replay,
        generators: list[tuple[BitGenerator, int]], structure: Any, leaves: list[Given | None], numbers: list[bool],
    ) -> None:
        self.__name__ = name
        self._parameters = parameters
        self._places = call.donated
        self._form = call.form
        self._pattern = call.pattern()
        self._arrays = call.arrays  # so many of the arguments are arrays, and the others floats
        self._replay = replay
        self._generators = generators
        self._structure = structure  # of the results
        self._leaves = leaves        # of the results: Given, or None: the next of those that are made
        self._numbers = numbers      # of those that are made: whether they are numbers

    def run(self, arguments: list[Any]) -> Any:
        """The results for these arrays."""
        streams = [generator.reserve(words) for generator, words in self._generators]
        made = self._replay.run(arguments, streams, self._numbers)
        if self._structure is LEAF and self._leaves[0] is None:
            return made[0]
        fresh = iter(made)
        leaves = (
            next(fresh) if one is None
            else one.value if one.argument < 0
            else arguments[one.argument] if one.argument < self._arrays
            else float(arguments[one.argument])
            for one in self._leaves
        )
        return unflatten(self._structure, leaves)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's results, for arguments of the form that was recorded."""
        call = self._parameters.call(args, kwargs)
        if call.form != self._form:
            raise TypeError(
                f"{self.__name__}: recorded for other shapes, dtypes, devices, settings or values of what is no array"
            )
        if not self.takes(call.arguments):
            raise ValueError(
                f"{self.__name__}: an argument shares memory with another one, or with an array of the function's own"
            )
        return self.run(call.arguments)

    def takes(self, arguments: list[Any]) -> bool:
        """Whether what was recorded is right for these arrays, which have the form."""
        return bool(self._replay.takes(arguments))

    def make_ready(self) -> None:
        """Makes machine code for what runs, where `asnumpy.config.machine_code` allows it; waits for the compiler."""
        self._replay.compile()

    def quicken(self, function: _core.JitFunction, args: tuple[Any, ...]) -> None:
        """Lets the core answer calls with such arguments."""
        if self._generators or any(leaf and leaf.argument >= self._arrays for leaf in self._leaves):
            return
        leaves = [leaf and ((leaf.value,) if leaf.argument < 0 else leaf.argument) for leaf in self._leaves]
        function._quicken(args, self, self._replay, self._numbers, leaves, self._structure)

    def explain(self) -> Explanation:
        """What runs at each call, as text; its method `svg()` draws it, and notebooks show that."""
        return Explanation(self._replay.text())

    def cost(self) -> Cost:
        """Programs, operations, and bytes of one call, counted from what was recorded."""
        return Cost(*self._replay.cost())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what was recorded to a file, which `asnumpy.load_compiled` reads, in another process too.

        Arrays from outside that the function reads are kept with their present values.

        Parameters
        ----------
        path : str or path
            Where to; what is there is replaced once all is written.

        Raises
        ------
        TypeError
            When an argument or result that is no array is neither a number, a string, a dtype nor a tuple of them.
        ValueError
            When the function changes arrays from outside or gives one of them back, draws random numbers, or calls
            functions that NumPy computes.
        """
        try:
            header, constants = self._content()
        except (TypeError, ValueError) as error:
            raise type(error)(f"save: {self.__name__}: {error}") from None
        _file.write(path, header, constants)

    def _content(self) -> tuple[dict[str, Any], list[bytes]]:
        structure, _, _, static, settings = self._form
        parameters = self._parameters
        for kind, one in self._pattern:
            if kind == "derived":
                raise TypeError("an argument is of a class derived from ndarray")
            if kind == "value":
                _file.encoded(one)
        if any(isinstance(leaf.value, (np.ndarray, _core.Array)) for leaf in self._leaves if leaf):
            raise ValueError("it gives back an array that was there before: give back a copy")
        buffers, recording = _core.saved_replay(self._replay)
        constants: list[bytes] = []
        held: list[Any] = []
        for device, length, content in buffers:
            held.append([device, length, None if content is None else len(constants)])
            if content is not None:
                constants.append(_core.to_numpy_view(content, None).tobytes())
        header = {
            "version": _version(), "name": self.__name__, "signature": _file.encoded_signature(parameters.signature),
            "static": sorted(parameters.static), "donated": sorted(parameters.donated), "places": self._places,
            "structure": _file.encoded_structure(structure),
            "pattern": [[kind, _file.encoded(one)] for kind, one in self._pattern],
            "static values": [[name, _file.encoded(value)] for name, _, value in static],
            "settings": {name: _file.encoded(value) for name, value in settings._asdict().items() if name != "passes"},
            "results": _file.encoded_structure(self._structure), "numbers": self._numbers,
            "leaves": [leaf and [leaf.argument, _file.encoded(leaf.value)] for leaf in self._leaves],
            "buffers": held, "recording": recording,
        }
        return header, constants


def load_compiled(path: str | os.PathLike[str]) -> Compiled:
    """A function that `Compiled.save` wrote, ready to be called; nothing of the function's Python is needed.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Compiled
        It takes arguments of the form that it was recorded for, on the devices of then.

    Raises
    ------
    ValueError
        When the file is damaged or none of `save`, was written by another version of asnumpy, or names a class whose
        module is not imported.

    Notes
    -----
    The file holds data alone: nothing in it is run or imported.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import asnumpy as ap
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "twice.asnp"
    >>> ap.jit(lambda x: x + x).compile(ap.empty(3)).save(path)
    >>> ap.load_compiled(path)(ap.arange(3.0))
    array([0., 2., 4.])
    """
    header, constants = _file.read(path)
    if header.get("version") != _version():
        raise ValueError(
            f"load_compiled: {os.fspath(path)} was saved by asnumpy {header.get('version')}, and this is {_version()}: "
            "record the function again"
        )
    try:
        return _restored(header, constants)
    except (KeyError, IndexError, TypeError, RuntimeError, ValueError) as error:
        raise ValueError(f"load_compiled: {os.fspath(path)}: {error}") from error


def _restored(header: dict[str, Any], constants: list[bytes]) -> Compiled:
    buffers = [
        (device, length, None if which is None else _on_device(constants[which], device))
        for device, length, which in header["buffers"]
    ]
    places = tuple(int(place) for place in header["places"])
    replay = _core.loaded_replay(buffers, header["recording"], places)
    pattern = [(kind, _file.decoded(value)) for kind, value in header["pattern"]]
    taken = [(kind == "number", kind == "number" or value) for kind, value in pattern if kind in ("array", "number")]
    arrays = iter(_core.forms_taken(replay, [number for number, _ in taken], [writeable for _, writeable in taken]))
    leaves = (
        next(arrays) if kind in ("array", "number") else 1.0 if kind == "float" else value for kind, value in pattern
    )
    given = unflatten(_file.decoded_structure(header["structure"]), leaves)
    values = [(name, _file.decoded(value)) for name, value in header["static values"]]
    static = tuple((name, type(value), value) for name, value in values)
    call = Call(given, static, _no_function, places)
    settings = {name: _file.decoded(one) for name, one in header["settings"].items()}
    call.form = (*call.form[:-1], Settings(**settings, passes=config.passes))  # by which the plan is made here
    parameters = Parameters(
        _no_function, _file.decoded_signature(header["signature"]), frozenset(header["static"]),
        frozenset(header["donated"]),
    )
    return Compiled(
        header["name"], parameters, call, replay, [], _file.decoded_structure(header["results"]),
        [leaf and Given(leaf[0], _file.decoded(leaf[1])) for leaf in header["leaves"]], header["numbers"],
    )


def _on_device(content: bytes, device: str) -> Any:
    return _core.to_device(array(np.frombuffer(content, np.uint8)), device) if content else None


def _no_function(*_args: Any, **_kwargs: Any) -> Any:
    raise TypeError("a function that was loaded has no Python")


def _version() -> str:
    return str(sys.modules["asnumpy"].__version__)
