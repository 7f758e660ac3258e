"""Where the library's kernels are: one module of Ascend C a theme, compiled at its first launch."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from asnumpy.operators._operator import Operator
from asnumpy.operators._raw import RawModule

F = TypeVar("F", bound=Callable[..., Any])

FOLDER = Path(__file__).resolve().parent / "kernels"
CORES = 48  # vector cores of a 910B; where there are fewer, blocks run in turn


_KERNEL = re.compile(r'^(?:LIBRARY_[A-Z]+\(|extern "C" __global__ __aicore__ void )(\w+)', re.MULTILINE)
_INCLUDE = re.compile(r'^#include "(\w+\.h)"$', re.MULTILINE)


@cache
def _text(name: str) -> str:
    """A source with the library's own headers in their places, so that what it is compiled to is known by it alone."""
    found: set[str] = set()

    def header(match: re.Match[str]) -> str:
        other = match[1]
        if not (FOLDER / other).exists():  # Ascend C's
            return match[0]
        if other in found:
            return ""
        found.add(other)
        return _INCLUDE.sub(header, (FOLDER / other).read_text().replace("#pragma once\n", ""))

    return _INCLUDE.sub(header, (FOLDER / name).read_text())


@cache
def module(theme: str, device: str) -> RawModule:
    """The kernels of a theme as a device has loaded them."""
    return RawModule(_text(f"{theme}.cpp"))


os.register_at_fork(after_in_child=module.cache_clear)


def any_kernel(theme: str) -> str:
    """The name of one of a theme's kernels."""
    return str(_KERNEL.findall((FOLDER / f"{theme}.cpp").read_text())[0])


def blocks(items: int, least: int, cores: int = CORES) -> int:
    """How many cores share the work: `least` items each, as far as there are."""
    return min(cores, -(-items // least))


def launch(
    theme: str, name: str, args: Sequence[Any], *, items: int, least: int = 2048, cores: int = CORES,
) -> None:
    """Run a kernel of a theme, where there are items. Whole numbers are given as uint64, others as float32."""
    if not items:
        return
    kinds = {int: np.uint64, float: np.float32}
    given = [kinds[type(value)](value) if type(value) in kinds else value for value in args]
    module(theme, str(args[0].device)).get_function(name)(blocks(items, least, cores), given)


def kernel_of(operator: Operator, *, when: Callable[..., bool] | None = None) -> Callable[[F], F]:
    """Attach the function below to an operator: it launches on an NPU."""

    def attach(function: F) -> F:
        operator.ascend(function, when=when)
        return function

    return attach


def element_by_element(operator: Operator, theme: str, kernel: str = "", *, per: int = 1, dtypes: Any = None) -> None:
    """Attach a kernel of the inputs, the output and the number of items, of which each is `per` elements of the output.

    Without a name the kernel is called as the operator is, with the dtype of the first input behind it.
    """

    def run(*arrays: Any) -> None:
        name = kernel or f"{operator.__name__}_{arrays[0].dtype.name}"
        items = arrays[-1].size // per
        launch(theme, name, [*arrays, items], items=items)

    operator.ascend(run, dtypes=dtypes)
