"""What a test module cannot make of asnumpy when it is imported (arrays of objects, times, text) is left out by itself.

`@pytest.mark.parametrize("x", [np.array([1]), np.array([None], dtype=object)])` runs at the import: its second element
would take every test of the module with it. Each element, and each assignment outside of functions, is tried by itself.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

# What the rewritten module calls, under names that no test module has.
NAMES: dict[str, Any] = {}
TYPE_OF = "_oracle_type_of"
# how the reason for leaving out a parameter begins that could not be made: its test has failed
UNMADE = "a parameter could not be made: "


def _named(function: T) -> T:
    NAMES[f"_oracle_{function.__name__}"] = function
    return function


@_named
class Unmade:
    """Stands for a value that could not be made: whoever uses it gets the error that its making gave."""

    def __init__(self, error: Exception) -> None:
        self.__dict__["error"] = error

    def _raise(self, *args: Any, **kwargs: Any) -> Any:
        raise self.__dict__["error"]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("pytestmark", "parametrize"):  # what pytest asks of everything it collects
            raise AttributeError(name)
        return self._raise()

    __call__ = __iter__ = __getitem__ = __array__ = __len__ = __add__ = __enter__ = _raise


@_named
def left_out(error: Exception, count: int) -> Any:
    return pytest.param(*[None] * count, marks=pytest.mark.skip(reason=f"{UNMADE}{type(error).__name__}: {error}"))


@_named
def taken(parameters: Iterable[Any], count: int) -> list[Any]:
    """The parameters up to the one that could not be made."""
    made: list[Any] = []
    try:
        made.extend(parameters)
    except Exception as error:
        made.append(left_out(error, count))
    return made


def _is_parametrize(node: ast.expr) -> bool:
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parametrize"
            and len(node.args) >= 2)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(f"_oracle_{name}", ast.Load()), list(arguments), [])


def _error() -> ast.expr:
    return ast.Name("_oracle_error", ast.Load())


def _attempt(statement: ast.stmt, otherwise: ast.stmt) -> ast.stmt:
    handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), "_oracle_error", [otherwise])
    return ast.copy_location(ast.Try([statement], [handler], [], []), statement)


class _Guard(ast.NodeTransformer):
    """Visits modules and classes, not the bodies of functions."""

    def __init__(self) -> None:
        self.count = 0

    def _kept(self, value: ast.expr, otherwise: ast.expr, before: list[ast.stmt]) -> ast.expr:
        """A name that stands for the value, assigned beforehand: a class's own names are seen only from there."""
        self.count += 1
        name = f"_oracle_{self.count}"
        assign = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), value)
        before.append(_attempt(assign, ast.Assign([ast.Name(name, ast.Store())], otherwise)))
        return ast.Name(name, ast.Load())

    def _decorated(self, node: Any) -> Any:
        before: list[ast.stmt] = []
        for decorator in node.decorator_list:
            if not _is_parametrize(decorator):
                continue
            names, values = decorator.args[:2]
            several = names.elts if isinstance(names, (ast.List, ast.Tuple)) else str(names.value).split(",")
            count = ast.Constant(len(several))
            without = _call("left_out", _error(), count)
            if isinstance(values, (ast.List, ast.Tuple)):
                values.elts = [one if isinstance(one, (ast.Constant, ast.Starred)) else self._kept(one, without, before)
                               for one in values.elts]
            else:
                made = _call("taken", values, count)
                decorator.args[1] = self._kept(made, ast.List([without], ast.Load()), before)
        return [*before, node]

    visit_FunctionDef = _decorated

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        self.generic_visit(node)
        return self._decorated(node)

    def visit_With(self, node: ast.With) -> Any:
        return _attempt(node, ast.Pass())

    def visit_Assign(self, node: ast.Assign) -> Any:
        return _attempt(node, ast.Assign(node.targets, _call("Unmade", _error())))

    def visit_Expr(self, node: ast.Expr) -> Any:
        return node if isinstance(node.value, ast.Constant) else _attempt(node, ast.Pass())


class _TypesOfScalars(ast.NodeTransformer):
    """`type(x)` becomes a call of TYPE_OF, for which asnumpy's 0-d results are the scalars that they stand for."""

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1 and not node.keywords:
            node.func = ast.copy_location(ast.Name(TYPE_OF, ast.Load()), node.func)
        return node


def compiled(source: str, filename: str) -> types.CodeType:
    tree = _TypesOfScalars().visit(_Guard().visit(ast.parse(source, filename)))
    return compile(ast.fix_missing_locations(tree), filename, "exec")
