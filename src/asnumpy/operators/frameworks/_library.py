"""An operator as a library of C: MindSpore's form of ahead-of-time custom operators, and a function with a header."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from asnumpy.operators import _registry
from asnumpy.operators._compiler import CompileError, compiler
from asnumpy.operators._declaration import REQUIRED, Attribute, Declaration
from asnumpy.operators._operator import Operator
from asnumpy.operators.frameworks import _forms, _native

# Of an attribute that C can give: its type, and how Python is built of it.
_TYPES = {"int": ("int64_t", "L"), "float": ("double", "d"), "bool": ("int", "i"), "str": ("const char*", "s"),
          "dtype": ("const char*", "s")}  # fmt: skip

# Words of C and C++ that Python leaves free.
_WORDS = frozenset(
    "alignas alignof asm auto bool case catch char const constexpr decltype default delete do double enum explicit "
    "export extern false float friend goto inline int long mutable namespace new noexcept nullptr operator private "
    "protected public register requires restrict short signed sizeof static struct switch template this throw true "
    "typedef typeid typename union unsigned using virtual void volatile".split()
)

def to_library(operator: Operator | str, folder: str | Path, *, device: str = "cpu", module: str = "",
               native: bool | None = None, options: Sequence[str] = (), **attributes: Any) -> list[Path]:  # fmt: skip
    """Write a library of C that computes an operator, for MindSpore and for programs in C and C++.

    ``lib<name>.so`` exports ``<name>`` in the form of MindSpore's ahead-of-time custom operators, and
    ``asnumpy_<name>``, which ``<name>.h`` declares. An operator whose kernels for the device are attached by `Launch`
    needs nothing else: the library holds the kernels, checks what it is given and launches them. Any other runs in
    asnumpy, in the process's Python or in one that the library starts. Memory is used where it lies.

    Parameters
    ----------
    operator : Operator or str
        The operator or its name. A point in the name becomes an underscore.
    folder : path
        Where the library, its header and its source are written.
    device : str
        Whose memory is given: ``"cpu"``, or ``"ascend"``, the NPU that the calling thread uses, in order with the
        stream that is given.
    module : str, optional
        The module that declares the operator, imported at the first call where that runs in Python. Operators of
        installed packages are found without.
    native : bool, optional
        Whether the library is to launch kernels itself. True refuses an operator for which it cannot, False is for the
        implementations that are not kernels; otherwise it does so where it can.
    options : sequence of str
        More options of the compiler, such as ``-march=native``.
    **attributes
        Those that MindSpore's form, which has none, is to use; defaults otherwise.

    Returns
    -------
    list of Path
        Library, header and source.

    Raises
    ------
    asnumpy.operators.CompileError
        If there is no C++ compiler, or it refuses.
    ValueError
        If `native` is True and the operator has no kernel that C can launch; the message says why.
    """
    found = _registry.get(operator) if isinstance(operator, str) else operator
    if not isinstance(found, Operator):
        raise TypeError(f"to_library: expected an operator or its name, got {type(operator).__name__}")
    if device not in ("cpu", "ascend"):
        raise ValueError(f'to_library: device: expected "cpu" or "ascend", got {device!r}')
    values = _values(found, attributes)
    why_not = "" if native is False else _native.why_not(found, device) or _native.unvalued(found, attributes)
    if native and why_not:
        raise ValueError(f"to_library: {found.name}: expected an operator whose kernels C can launch: {why_not}")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    name = found.name.replace(".", "_")
    header, source, library = place / f"{name}.h", place / f"{name}.cpp", place / f"lib{name}.so"
    texts = _texts(found.declaration, name, device)
    launched = None if native is False or why_not else _native.native(found, device, values, name)
    keeps = launched is not None and device != "cpu"
    header.write_text(_forms.HEADER.format(
        **texts, python=_forms.LINKED_TO_PYTHON * (launched is None),
        released=_forms.RELEASED.format(name=name) if keeps else "",
    ))  # fmt: skip
    command = [compiler(), "-std=c++17", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{place}"]
    if launched is None:
        baked = json.dumps(values, default=lambda value: np.dtype(value).name)
        source.write_text(_forms.BY_PYTHON.format(**texts, module=_quoted(module), baked=_quoted(baked)))
        _run([*command, "-O2", f"-I{sysconfig.get_paths()['include']}", *options, str(source), "-o", str(library)])
        return [library, header, source]
    kernels = launched.kernels if device == "cpu" else "".join(
        f'#include "aclrtlaunch_{each}.h"\n' for each in launched.names
    )  # fmt: skip
    missing = [one.name for one in found.declaration.attributes if one.name not in values]
    source.write_text(_forms.BY_KERNELS.format(
        **texts, prelude=_native.prelude(device), kernels=kernels, compute=launched.compute, full_name=found.name,
        count=_count(texts), release=_forms.RELEASE.format(name=name) if keeps else "",
        missing=_forms.MISSING.format(full_name=found.name, name=missing[0]) if missing else "",
    ))  # fmt: skip
    command += ["-O3", "-pthread", *launched.options, *options]
    if device == "cpu":
        _run([*command, str(source), "-o", str(library)])
    else:
        _link_with_kernels(command, launched, source, library)
    return [library, header, source]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompileError(done.stderr)


def _link_with_kernels(command: list[str], launched: _native.Native, source: Path, library: Path) -> None:
    """Kernels of an NPU: for the simulator, or by CANN's compiler where it is and the simulator is not asked for."""
    from asnumpy import ascendc, cannsim
    from asnumpy.runtime import cann_search

    home = "" if cann_search.simulated() or not shutil.which("bisheng") else os.environ.get("ASCEND_HOME_PATH", "")
    folder = Path(home) / "lib64" if home else cannsim.folder()
    with tempfile.TemporaryDirectory() as work:
        kernels, unit = Path(work) / "kernels.cpp", Path(work) / "kernels.o"
        kernels.write_text(launched.kernels)
        try:
            ascendc.build(kernels, unit, launched.options, bisheng=bool(home))
        except ascendc.BuildError as error:
            raise CompileError(str(error)) from None
        made = Path(work) / "unit.o"
        _run([*(word for word in command if word != "-shared"), f"-I{work}", "-c", str(source), "-o", str(made)])
        _run(["bisheng" if home else command[0], "-shared", "-pthread", str(made), str(unit), "-o", str(library),
              f"-L{folder}", "-lascendcl"])  # fmt: skip


def _values(operator: Operator, given: dict[str, Any]) -> dict[str, Any]:
    """The attributes of MindSpore's form; those without a value are missing there."""
    known = {one.name: one for one in operator.declaration.attributes}
    strangers = sorted(set(given) - set(known))
    if strangers:
        raise TypeError(f"to_library: {operator.name} has no attribute {strangers[0]!r}; it is {operator.declaration}")
    values = {name: given.get(name, one.default) for name, one in known.items()}
    return {name: value for name, value in values.items() if value is not REQUIRED}


def _parameters(declaration: Declaration) -> list[Attribute]:
    """The attributes that C gives; lists and what may be None have the values that the library was made with."""
    return [one for one in declaration.attributes if one.kind in _TYPES and one.default is not None]


def _texts(declaration: Declaration, name: str, device: str) -> dict[str, Any]:
    """What the header and the sources say of the declaration."""
    tensors = [_c_name(one.name) for one in (*declaration.inputs, *declaration.outputs)]
    attributes = _parameters(declaration)
    parameters = [f"const asnumpy_tensor* {tensor}" for tensor in tensors]
    parameters += [f"{_TYPES[one.kind][0]} {_c_name(one.name)}" for one in attributes]
    stored = {"bool": " != 0"}
    return {
        "declaration": str(declaration), "name": name, "parameters": ", ".join([*parameters, "void* stream__"]),
        "memory": "the host" if device == "cpu" else "the NPU that the calling thread uses",
        "operator": _quoted(declaration.name), "device": _quoted(device),
        "given": ", ".join(tensors), "most": len(tensors), "outputs": len(declaration.outputs),
        "least": len(tensors) - sum(one.optional for one in declaration.inputs),
        "form": ", ".join(f"s:{_TYPES[one.kind][1]}" for one in attributes),
        "values": "".join(f', "{one.name}", {_c_name(one.name)}' for one in attributes),
        "stores": "".join(f"    attributes__.{one.name}_ = {_c_name(one.name)}{stored.get(one.kind, '')};\n"
                          for one in attributes),
    }  # fmt: skip


def _count(texts: dict[str, Any]) -> str:
    """How many tensors there are, in MindSpore's form."""
    return str(texts["most"]) if texts["least"] == texts["most"] else f"{texts['least']} to {texts['most']}"


def _c_name(name: str) -> str:
    """A parameter's name in C and in C++."""
    return f"{name}_" if name in _WORDS else name


def _quoted(text: str) -> str:
    """As a literal of C."""
    return json.dumps(text)
