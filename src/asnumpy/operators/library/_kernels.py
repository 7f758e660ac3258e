"""Where the library's kernels are: one module of Ascend C a theme, compiled at its first launch."""

from __future__ import annotations

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


@cache
def _module(theme: str) -> RawModule:
    return RawModule((FOLDER / f"{theme}.cpp").read_text(), options=(f"-I{FOLDER}",))


def blocks(items: int, least: int) -> int:
    """How many cores share the work: `least` items each, as far as there are."""
    return min(CORES, -(-items // least))


def launch(theme: str, name: str, args: Sequence[Any], *, items: int, least: int = 2048) -> None:
    """Run a kernel of a theme, where there are items. Whole numbers are given as uint64, others as float32."""
    if not items:
        return
    kinds = {int: np.uint64, float: np.float32}
    given = [kinds[type(value)](value) if type(value) in kinds else value for value in args]
    _module(theme).get_function(name)(blocks(items, least), given)


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
