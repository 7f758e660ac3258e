"""Parameters of tests that asnumpy cannot make (arrays of objects, times, text) become parameters that are left out.

`@pytest.mark.parametrize("x", [np.array([1]), np.array([None], dtype=object)])` runs when the module is imported: its second
element would take every test of the module with it. Each element is therefore evaluated by itself.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

import pytest

GUARD = "_guarded_parameter"


def guarded(make: Callable[[], Any], count: int) -> Any:
    """The parameter, or one that is skipped for the reason why it could not be made."""
    try:
        return make()
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return pytest.param(*[None] * max(count, 1), marks=pytest.mark.skip(reason=text))


def _is_parametrize(node: ast.expr) -> bool:
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parametrize"
            and len(node.args) >= 2)


class _Guard(ast.NodeTransformer):
    def _decorated(self, node: Any) -> Any:
        for decorator in node.decorator_list:
            if _is_parametrize(decorator) and isinstance(decorator.args[1], (ast.List, ast.Tuple)):
                names, values = decorator.args[:2]
                listed = names.elts if isinstance(names, (ast.List, ast.Tuple)) else str(names.value).split(",")
                values.elts = [self._guard(one, len(listed)) for one in values.elts]
        self.generic_visit(node)
        return node

    visit_FunctionDef = visit_ClassDef = _decorated

    @staticmethod
    def _guard(element: ast.expr, count: int) -> ast.expr:
        if isinstance(element, (ast.Starred, ast.Constant)):
            return element
        make = ast.Lambda(ast.arguments([], [], None, [], [], None, []), element)
        call = ast.Call(ast.Name(GUARD, ast.Load()), [make, ast.Constant(count)], [])
        return ast.copy_location(call, element)


def compiled(source: str, filename: str) -> types.CodeType:
    tree = _Guard().visit(ast.parse(source, filename))
    return compile(ast.fix_missing_locations(tree), filename, "exec")
