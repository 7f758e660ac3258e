"""What NumPy tells about itself, told about this package: info, show_runtime, get_include."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public
from asnumpy._types import ndarray
from asnumpy.runtime.control import show_config


@public
def info(object: Any = None, maxwidth: int = 76, output: Any = None, toplevel: str = "numpy") -> None:
    """Differs from NumPy: a name is looked up in asnumpy first."""
    stream = sys.stdout if output is None else output
    if isinstance(object, ndarray):
        np.info(_core.to_numpy_view(object, None), maxwidth, stream, toplevel)
        return
    if isinstance(object, str):
        object = vars(sys.modules["asnumpy"]).get(object, object)
    np.info(object, maxwidth, stream, toplevel)


@public
def show_runtime() -> None:
    """Prints what this process computes with: versions, instruction set, BLAS, threads, memory."""
    import pprint  # only here: it brings in dataclasses

    report = show_config("dicts")
    libraries = {"numpy_include": get_include(), "pid": os.getpid(), "python_executable": sys.executable}
    pprint.pprint([report, libraries], sort_dicts=False)


@public
def get_include() -> str:
    """The folder of NumPy's C headers: extensions reach arrays through the buffer protocol, DLPack or `np.asarray`."""
    return np.get_include()
