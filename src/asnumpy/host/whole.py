"""NumPy functions called whole, through the host door: their signature and docstring, and errors that say who came."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from asnumpy import _core
from asnumpy._public import beside
from asnumpy.host.door import function_name, host_result

_PLAIN_ERRORS = (np.linalg.LinAlgError, TypeError, ValueError, IndexError)


def _came(value: Any) -> str | None:
    if isinstance(value, (_core.Array, np.ndarray)):
        return f"{value.dtype} of shape {value.shape}"
    return None


def name_error(error: Exception, function: str, args: tuple[Any, ...]) -> None:
    """Puts the function's name and the arrays that came into the message of an error that is about to rise further."""
    plain = type(error) in _PLAIN_ERRORS and len(error.args) == 1 and isinstance(error.args[0], str)
    if plain and not error.args[0].startswith(function):
        given = ", ".join(text for text in map(_came, args) if text)
        error.args = (f"{function}: {error.args[0]}" + (f" (came {given})" if given else ""),)


def door(function: Callable[..., Any], module: str = "asnumpy") -> Callable[..., Any]:
    """The NumPy function of this name, called on arrays of ours."""
    short = function_name(function).removeprefix("numpy.")

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return host_result(function, *args, **kwargs)
        except Exception as error:
            name_error(error, short, args)
            raise

    shown: Any = beside(call, function)
    shown.__module__ = module
    return cast("Callable[..., Any]", shown)
