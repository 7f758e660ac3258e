"""The settings: what each takes, what it tells the core, its environment variable."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from asnumpy import _core

_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def _boolean(value: Any) -> bool:
    if isinstance(value, str) and value.strip().lower() in _WORDS:
        return _WORDS[value.strip().lower()]
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise ValueError("expected True or False")


def _count(value: Any) -> int:
    number = int(value) if isinstance(value, str) else value.__index__()
    if number < 0:
        raise ValueError("expected an integer of at least 0")
    return number


def _threads(value: Any) -> int:
    number = _count(value)
    if number < 1:
        raise ValueError("expected an integer of at least 1")
    return number


def _bytes(value: Any) -> int:
    if not isinstance(value, str):
        return _count(value)
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?i?)b?\s*", value.lower())
    if match is None or match[2] not in _UNITS:
        raise ValueError("expected a number of bytes such as 2000000000, '2GB' or '1.5GiB' (0: no limit)")
    return int(float(match[1]) * _UNITS[match[2]])


def _policy(value: Any) -> str:
    """What becomes of what leaves a device or deferral; fallbacks() counts it in any case."""
    if value not in ("count", "warn", "error"):
        raise ValueError("expected 'count', 'warn' or 'error'")
    return str(value)


_CUBE_MATH_TYPES = {"float32": 0, "float16": 2, "hf32": 3}  # values of CANN's parameter of that name


def _precision(value: Any) -> str:
    if value not in _CUBE_MATH_TYPES:
        raise ValueError("expected 'float32', 'hf32' or 'float16'")
    return str(value)


# CANN's aclrtMemMallocPolicy: huge pages (of 2 MB, of 1 GB) or normal ones, and memory that other devices reach (p2p).
_MEMORY_POLICIES = (
    "huge_first", "huge_only", "normal_only", "huge_first_p2p", "huge_only_p2p", "normal_only_p2p", "huge1g_only",
    "huge1g_only_p2p",
)


def _memory_policy(value: Any) -> str:
    if value not in _MEMORY_POLICIES:
        raise ValueError(f"expected one of {', '.join(_MEMORY_POLICIES)}")
    return str(value)


def _seconds(value: Any) -> float:
    number = float(value)
    if not 0 <= number < float("inf") or isinstance(value, bool):
        raise ValueError("expected a number of seconds of at least 0 (0: no limit)")
    return number


def _float(value: Any) -> str:
    if value not in ("float64", "float32"):
        raise ValueError("expected 'float64' or 'float32'")
    return str(value)


def _kernels(value: Any) -> str:
    if value not in ("background", "wait", "off"):
        raise ValueError("expected 'background', 'wait' or 'off'")
    return str(value)


_MACHINE_CODE = ("off", "background", "wait")  # in the core's order


_PASSES = tuple(name for name, _ in _core.passes())  # in the core's order


def _passes(value: Any) -> str:
    """Names of passes, or those to leave out: in the end 'all', 'none' or the names of those that run."""
    expected = (
        "expected 'all', 'none', passes such as 'equal,dead', or those to leave out such as '-equal'; "
        f"the passes are {', '.join(_PASSES)}"
    )
    if not isinstance(value, str):
        raise ValueError(expected)
    words = [word.strip() for word in value.split(",")]
    chosen = set(_PASSES) if words[0].startswith("-") else set()
    for word in words:
        names = {"all": set(_PASSES), "none": set()}.get(word, {word.removeprefix("-")})
        if not names <= set(_PASSES):
            raise ValueError(expected)
        if word == "none":
            chosen = set()
        elif word.startswith("-"):
            chosen -= names
        else:
            chosen |= names
    return "all" if len(chosen) == len(_PASSES) else ",".join(name for name in _PASSES if name in chosen) or "none"


def _set_passes(value: str) -> None:
    names = {"all": _PASSES, "none": ()}.get(value, tuple(value.split(",")))
    _core.set_passes(sum(1 << k for k, name in enumerate(_PASSES) if name in names))


class Precision:
    """What `config.float` says, for those who ask at every array: a plain attribute."""

    single = False


def _set_float(value: str) -> None:
    Precision.single = value == "float32"
    _core.set_default_float(Precision.single)


def _progress(value: Any) -> str:
    if value not in ("auto", "on", "off"):
        raise ValueError("expected 'auto', 'on' or 'off'")
    return str(value)


def _scalars(value: Any) -> str:
    if value not in ("number", "numpy"):
        raise ValueError("expected 'number' or 'numpy'")
    return str(value)


def _unsupported(value: Any) -> str:
    if value not in ("numpy", "error"):
        raise ValueError("expected 'numpy' or 'error'")
    return str(value)


def _device(value: Any) -> str:
    try:
        return str(_core.device_name(value))
    except ValueError:
        raise ValueError("expected 'cpu', 'ascend' or 'ascend:N'") from None


class Setting:
    """A checked attribute of this module; `apply` tells the core, `current` asks it."""

    def __init__(
        self, default: Any, check: Callable[[Any], Any], text: str,
        apply: Callable[[Any], Any] | None = None, current: Callable[[], Any] | None = None,
    ) -> None:
        self.check, self.apply, self.current, self.text = check, apply, current, text
        self.value, self.given = default, False

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.variable = name, f"ASNUMPY_{name.upper()}"

    def __get__(self, module: Any, owner: type) -> Any:
        if module is None:
            return self
        return self.value if self.current is None else self.current()

    def __set__(self, module: Any, value: Any) -> None:
        self.set(value, f"asnumpy.config.{self.name}")

    def checked(self, value: Any, where: str) -> Any:
        try:
            return self.check(value)
        except (ValueError, TypeError, AttributeError) as error:
            said = isinstance(error, ValueError) and "expected" in str(error)
            reason = str(error) if said else f"expected {self.text}"
            raise ValueError(f"{where}: {reason}, got {value!r}") from None

    def set(self, value: Any, where: str, given: bool = True) -> None:
        checked = self.checked(value, where)
        if self.apply is not None:
            try:
                self.apply(checked)
            except (ValueError, RuntimeError) as error:  # a device that is not there
                error.args = (f"{where}: {error}",)
                raise
        self.value, self.given = checked, given
        _core.settings_changed()


class MachineCode(Setting):
    """The default is of the CPU alone: an NPU gets kernels of programs where somebody asks for them."""

    def set(self, value: Any, where: str, given: bool = True) -> None:
        super().set(value, where, given)
        _core.set_machine_code(_MACHINE_CODE.index(self.value if given else "off"))


class Settings(ModuleType):
    """The class of the module `asnumpy.config`: its attributes are checked when they are set."""

    # As -ffp-contract of a compiler: on an NPU, a float product or quotient that is added at once (a * b + c,
    # 2 * a + c, a / b + c) becomes one operator, which may round once where NumPy rounds twice. Nothing else changes:
    # not what the CPU computes, and not integers, which are joined always because they stay exact.
    contract = Setting(
        False, _boolean, "True or False: on an NPU, a * b + c of floats may be rounded once", _core.set_contract,
        _core.contract,
    )
    device = Setting(
        None, _device, "the name of a device: where new arrays are made", _core.set_default_device,
        _core.default_device,
    )
    deterministic = Setting(
        False, _boolean, "True or False: an NPU's operators add up in the same order each time, if more slowly",
        _core.set_deterministic,
    )
    eager = Setting(False, _boolean, "True or False: run every operation at once", _core.set_eager, _core.eager)
    eager_size = Setting(
        None, _count, "an integer: arrays of up to so many elements run at once when nothing they need is pending",
        _core.set_eager_size, _core.eager_size,
    )
    fallback = Setting(
        "warn", _policy, "'count', 'warn' or 'error': what work does that its device leaves to the host",
        _core.set_fallback_policy,
    )
    # As torch.set_default_dtype: what has a dtype keeps it, and what is computed has NumPy's.
    float = Setting(
        "float64", _float,
        "'float64' or 'float32': the dtype of new arrays of Python's floats and of no values",
        _set_float,
    )
    # Off, because CANN's documents call captures a trial, until `python -m asnumpy check` has seen them work.
    graph_replay = Setting(
        False, _boolean, "True or False: programs that recur on an Ascend device are captured and replayed by one call",
        _core.set_graph_replay,
    )
    implicit_copies = Setting(
        "warn", _policy,
        "'count', 'warn' (where they are large) or 'error': what np.asarray and its like do with an array on a device",
        _core.set_implicit_copies,
    )
    jit = Setting(True, _boolean, "True or False: functions under asnumpy.jit are recorded")
    # The compiler takes seconds, where a call takes far less: it runs beside the program, which goes on as without it.
    kernels = Setting(
        "background", _kernels,
        "'background', 'wait' (for the compiler) or 'off': how NumPy's functions get kernels of the operator library",
    )
    machine_code = MachineCode(
        "background", _kernels,
        "'background', 'wait' (for the compiler) or 'off': how programs that recur become machine code",
        lambda value: _core.programs.set_mode(_MACHINE_CODE.index(value)),
    )
    # NumPy's own precision, unless a program says that it wants less.
    matmul_precision = Setting(
        "float32", _precision,
        "'float32', 'hf32' or 'float16': to what an NPU rounds factors of matrix products of float32 and complex64",
        lambda value: _core.set_matmul_precision(_CUBE_MATH_TYPES[value]),
    )
    passes = Setting(
        "all", _passes, "'all', 'none' or names of passes: how recorded operations are rewritten before they run",
        _set_passes,
    )
    progress = Setting(
        "auto", _progress, "'auto' (on a terminal), 'on' or 'off': whether work that takes longer shows how far it is"
    )
    scalars = Setting(
        "number", _scalars,
        "'number' or 'numpy': what stands for a scalar, an asnumpy.Number or, known at once, one of NumPy's own",
        lambda value: _core.set_numpy_scalars(value == "numpy"),
    )
    # The pixels are picked where the array lies: no more than these are read, however large the array is.
    thumbnail = Setting(
        128, _count, "an integer: how many pixels a notebook's picture of an array has at most each way (0: none)"
    )
    timeout = Setting(
        0.0, _seconds, "a number of at least 0: seconds for which a device is waited for before an error (0: no limit)",
        _core.set_timeout,
    )
    track_arrays = Setting(
        False, _boolean, "True or False: the line that makes an array is kept as long as the array lives",
        _core.living.set, _core.living.on,
    )
    unsupported = Setting(
        "numpy", _unsupported,
        "'numpy' or 'error': what work does with text, objects, dates and records, which no device holds",
    )
    num_threads = Setting(
        None, _threads, "an integer of at least 1: threads that share large work", _core.set_num_threads,
        _core.num_threads,
    )
    memory_limit = Setting(
        0, _bytes, "bytes that arrays may take together (0: no limit)", _core.set_memory_limit,
        lambda: _core.memory_info()["limit"],
    )
    memory_policy = Setting(
        "huge_first", _memory_policy, "the name of a policy: how an NPU's memory for arrays is allocated from now on",
        lambda value: _core.set_memory_policy(_MEMORY_POLICIES.index(value)),
    )
    host_calls = Setting(
        "count", _policy, "'count', 'warn' or 'error': what a call of NumPy's function on the host does",
        lambda value: _core.watch_host_calls("policy", value != "count"),
    )

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _NAMES and not name.startswith("__"):
            raise AttributeError(f"asnumpy.config has no setting '{name}'; its settings are {', '.join(_NAMES)}")
        super().__setattr__(name, value)

    def __reduce__(self) -> Any:
        """A function that is sent to another process, and names a setting, means that process's."""
        return importlib.import_module, (self.__name__,)


_NAMES = tuple(name for name, value in vars(Settings).items() if isinstance(value, Setting))


def settings() -> dict[str, Any]:
    """Every setting with its present value, as a dict by name; None where a device is named that cannot be used."""
    module = sys.modules["asnumpy.config"]
    found = {}
    for name in _NAMES:
        try:
            found[name] = getattr(module, name)
        except (ValueError, RuntimeError):  # ASNUMPY_DEVICE names no device, or one that is not there
            found[name] = None
    return found


def suppose(name: str, value: Any) -> None:
    """Another default, found out about the machine; what the program or its environment has set stays."""
    setting = vars(Settings)[name]
    if not setting.given:
        setting.set(value, f"asnumpy.config.{name}", given=False)


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return str(vars(Settings)[name].variable)


@contextlib.contextmanager
def using(**values: Any) -> Iterator[None]:
    """Other settings for the time of a `with` block.

    Parameters: the settings by name, as in `using(num_threads=1, host_calls="error")`. ValueError for a value that the
    setting does not take, AttributeError for a name that is none.
    """
    module = sys.modules["asnumpy.config"]
    before = {name: getattr(module, name) for name in values}
    given = {name: vars(Settings)[name].given for name in values}
    try:
        for name, value in values.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            if value is not None:
                vars(Settings)[name].set(value, f"asnumpy.config.{name}", given[name])


def read_environment() -> None:
    for name in _NAMES:
        setting = vars(Settings)[name]
        given = os.environ.get(setting.variable)
        origin = f"environment variable {setting.variable}"
        if given and name == "device" and given != "cpu":  # no device is asked for before one is needed
            _core.set_default_device_later(given, origin)
        elif given and name == "memory_limit" and os.environ.get("ASNUMPY_DEVICE") != "cpu":  # nor for its memory
            _core.set_memory_limit_later(setting.checked(given, origin))
        elif given:
            setting.set(given, origin)


settings.__module__ = using.__module__ = variable.__module__ = "asnumpy.config"
