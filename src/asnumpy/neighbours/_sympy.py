"""`sympy.lambdify(..., modules="asnumpy")`: expressions as functions of arrays of ours."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any

from asnumpy.interop.arrivals import put

_NAME = "asnumpy"
_MODULES = {"numpy": "asnumpy", "scipy.special": "asnumpy.scipy.special", "scipy.linalg": "asnumpy.scipy.linalg"}


@functools.cache
def printer_class() -> type:
    """What writes expressions as code: as sympy does for SciPy and NumPy, by our names."""
    scipys: Any = importlib.import_module("sympy.printing.numpy").SciPyPrinter

    class AsnumpyPrinter(scipys):  # type: ignore[misc]
        def _module_format(self, fqn: str, register: bool = True) -> Any:
            module, _, name = fqn.rpartition(".")
            return super()._module_format(f"{_MODULES.get(module, module)}.{name}".lstrip("."), register)

    return AsnumpyPrinter


def _as_list(modules: Any) -> list[Any]:
    one = isinstance(modules, (str, dict)) or not hasattr(modules, "__iter__")
    return [modules] if one else list(modules)


def _printer(modules: Any) -> Any:
    """The printer for these modules where they name ours; None: sympy's choice."""
    given = _as_list(modules)
    if all(_NAME not in (one, getattr(one, "__name__", None)) for one in given if not isinstance(one, dict)):
        return None
    functions = {name: name for one in given if isinstance(one, dict) for name in one}
    return printer_class()({
        "fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True, "user_functions": functions,
    })


def _knowing(lambdify: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which knows of modules="asnumpy"."""

    @functools.wraps(lambdify)
    def knowing(args: Any, expr: Any, modules: Any = None, printer: Any = None, *more: Any, **named: Any) -> Any:
        return lambdify(args, expr, modules, _printer(modules) if printer is None else printer, *more, **named)

    return knowing


_lambdify: Any = sys.modules["sympy.utilities.lambdify"]
_COMMANDS = (f"from {_NAME}.scipy.special import *", f"import_module({_NAME!r})")  # what comes last hides the others
_lambdify.MODULES[_NAME] = ({"I": 1j}, {"I": 1j}, _lambdify.NUMPY_TRANSLATIONS, _COMMANDS)
put("sympy", "lambdify", _lambdify.lambdify, _knowing(_lambdify.lambdify))
