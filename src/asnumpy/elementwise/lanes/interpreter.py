"""A scalar function's statements on all lanes at once: both ways of a choice are computed, masks choose between."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from asnumpy.elementwise.lanes.arithmetic import binary, compare, unary
from asnumpy.elementwise.lanes.functions import called, conjugate, imag, real, spread_truth
from asnumpy.elementwise.lanes.loops import Loop, joined, run_loop
from asnumpy.elementwise.lanes.source import Source, source_of
from asnumpy.elementwise.lanes.values import (
    UNBOUND,
    Fallback,
    Lanes,
    Mixed,
    Value,
    both,
    constant,
    either,
    from_numpy,
    merge,
    negated,
    spread,
    truths,
)

DEEPEST = 12  # calls within calls: recursion that depends on values never ends when all lanes are computed
_PARTS: dict[str, Callable[[Value], Value]] = {"real": real, "imag": imag}


class Frame:
    """One call of a function: its variables, and what lanes have returned so far."""

    def __init__(self, function: FunctionType, source: Source, depth: int) -> None:
        self.function, self.source, self.depth = function, source, depth
        self.variables: dict[str, Any] = {}
        self.result: Any = None
        self.loops: list[Loop] = []

    def outside(self, name: str) -> Any:
        """What a name that is no local variable stands for."""
        code = self.function.__code__
        if name in code.co_freevars:
            try:
                return (self.function.__closure__ or ())[code.co_freevars.index(name)].cell_contents
            except ValueError:
                raise Fallback from None
        missing = object()
        found = self.function.__globals__.get(name, missing)
        found = getattr(builtins, name, missing) if found is missing else found
        if found is missing:
            raise Fallback
        return found


def call(
    lanes: Lanes, function: Any, values: tuple[Any, ...], depth: int = 0, named: dict[str, Any] | None = None,
) -> Any:
    """What a function returns for these values in the live lanes."""
    source = source_of(function)
    if source is None or depth > DEEPEST:
        raise Fallback
    if function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise Fallback
    bound = inspect.signature(function, follow_wrapped=False).bind(*values, **(named or {}))
    bound.apply_defaults()
    frame = Frame(function, source, depth)
    frame.variables = {name: _value(one) for name, one in bound.arguments.items()}
    live = lanes.live
    Run(lanes, frame).block(source.body)
    if lanes.live is not False:
        frame.result = UNBOUND if frame.result is None else merge(lanes.live, UNBOUND, frame.result)
    lanes.live = live
    return UNBOUND if frame.result is None else frame.result


def _value(one: Any) -> Any:
    return one if isinstance(one, (Value, Mixed, tuple)) else constant(one)


class Run:
    """Statements and expressions of one frame on some lanes; `lanes.live` are those that have come to this place."""

    def __init__(self, lanes: Lanes, frame: Frame) -> None:
        self.lanes, self.frame = lanes, frame

    # statements

    def block(self, statements: Any) -> None:
        for statement in statements:
            if self.lanes.live is False:
                return
            method = getattr(self, f"_{type(statement).__name__}", None)
            if method is None:
                raise Fallback
            method(statement)

    def _Return(self, node: ast.Return) -> None:
        value = UNBOUND if node.value is None else self.value(node.value)
        frame = self.frame
        frame.result = value if frame.result is None else merge(self.lanes.live, value, frame.result)
        self.lanes.live = False

    def _Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.bind(target, value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.bind(node.target, self.value(node.value))

    def _AugAssign(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            raise Fallback
        before = self._local(node.target.id)
        self.bind(node.target, self._operation(node.op, before, self.value(node.value)))

    def bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name) and target.id in self.frame.source.local:
            self.frame.variables[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(value) == len(target.elts):
            for one, part in zip(target.elts, value, strict=True):
                self.bind(one, part)
        else:
            raise Fallback

    def _If(self, node: ast.If) -> None:
        mask = spread_truth(self.lanes, self.value(node.test))
        live, before = self.lanes.live, self.frame.variables
        ends = []
        for here, body in ((mask, node.body), (negated(mask), node.orelse)):
            self.lanes.live = both(live, here)
            self.frame.variables = dict(before)
            self.block(body)
            ends.append((self.lanes.live, self.frame.variables))
        (one, then), (other, otherwise) = ends
        self.lanes.live = either(one, other)
        if one is False or other is False:
            self.frame.variables = otherwise if one is False else then
        else:
            self.frame.variables = joined(mask, then, otherwise)

    def _While(self, node: ast.While) -> None:
        run_loop(self, node, None)

    def _For(self, node: ast.For) -> None:
        run_loop(self, node, self._range(node.iter))

    def _range(self, node: ast.expr) -> Iterator[int]:
        if not isinstance(node, ast.Call) or node.keywords or self._meant(node.func) is not range:
            raise Fallback
        bounds = [self.value(one) for one in node.args]
        if any(not isinstance(one, Value) or not one.scalar or one.kind not in "bi" for one in bounds):
            raise Fallback
        return iter(range(*(one.data for one in bounds)))

    def _Break(self, node: ast.Break) -> None:
        self.frame.loops[-1].leave(self.lanes.live, self.frame.variables)
        self.lanes.live = False

    def _Continue(self, node: ast.Continue) -> None:
        self.frame.loops[-1].skipped.append((self.lanes.live, self.frame.variables))
        self.lanes.live = False

    def _Raise(self, node: ast.Raise) -> None:
        self.lanes.fail()
        self.lanes.live = False

    def _Assert(self, node: ast.Assert) -> None:
        if not __debug__:
            return
        mask = spread_truth(self.lanes, self.value(node.test))
        self.lanes.require(mask)
        self.lanes.live = both(self.lanes.live, mask)

    def _Expr(self, node: ast.Expr) -> None:
        self.value(node.value) if not isinstance(node.value, ast.Constant) else None

    def _Pass(self, node: ast.Pass) -> None:
        pass

    # expressions

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return constant(node.value)
        if isinstance(node, ast.Name):
            return self._local(node.id) if node.id in self.frame.source.local else constant(self.frame.outside(node.id))
        if isinstance(node, ast.BinOp):
            return self._operation(node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.UnaryOp):
            name = type(node.op).__name__
            return spread(self.lanes, lambda lanes, a: unary(lanes, name, a), self.value(node.operand))
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.BoolOp):
            return self._chain(node)
        if isinstance(node, ast.IfExp):
            mask = spread_truth(self.lanes, self.value(node.test))
            return self._either(mask, lambda: self.value(node.body), lambda: self.value(node.orelse))
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, ast.Tuple):
            return tuple(self.value(one) for one in node.elts)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        raise Fallback

    def _local(self, name: str) -> Any:
        value = self.frame.variables.get(name, UNBOUND)
        if value is UNBOUND:
            self.lanes.fail()
        return value

    def _operation(self, op: ast.operator, left: Any, right: Any) -> Any:
        name = type(op).__name__
        return spread(self.lanes, lambda lanes, a, b: binary(lanes, name, a, b), left, right)

    def _either(self, mask: Any, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
        """Two expressions, each for its own lanes."""
        live = self.lanes.live
        made = []
        for here, expression in ((mask, first), (negated(mask), second)):
            self.lanes.live = both(live, here)
            made.append(None if self.lanes.live is False else expression())
        self.lanes.live = live
        one, other = made
        if one is None or other is None:
            return one if other is None else other
        return merge(mask, one, other)

    def _chain(self, node: ast.BoolOp) -> Any:
        def rest(place: int) -> Any:
            value = self.value(node.values[place])
            if place + 1 == len(node.values):
                return value
            mask = spread_truth(self.lanes, value)
            if isinstance(node.op, ast.And):
                return self._either(mask, lambda: rest(place + 1), lambda: value)
            return self._either(mask, lambda: value, lambda: rest(place + 1))

        return rest(0)

    def _compared(self, node: ast.Compare) -> Value:
        live, found, numpy = self.lanes.live, True, False
        left = self.value(node.left)
        for op, expression in zip(node.ops, node.comparators, strict=True):
            right, name = self.value(expression), type(op).__name__
            value = spread(self.lanes, lambda lanes, a, b, name=name: compare(lanes, name, a, b), left, right)
            found = both(found, spread_truth(self.lanes, value))
            numpy = numpy or from_numpy(value)
            self.lanes.live = both(live, found)
            left = right
            if self.lanes.live is False:
                break
        self.lanes.live = live
        made = truths(found)
        made.numpy = numpy
        return made

    def _meant(self, node: ast.expr) -> Any:
        """The object outside the function that a name, or an attribute of a module, stands for."""
        if isinstance(node, ast.Name) and node.id not in self.frame.source.local:
            return self.frame.outside(node.id)
        if isinstance(node, ast.Attribute):
            module = self._meant(node.value)
            if module is math or module is np:
                return getattr(module, node.attr, None)
        raise Fallback

    def _attribute(self, node: ast.Attribute) -> Any:
        root = node.value
        if isinstance(root, ast.Name) and root.id not in self.frame.source.local:
            return constant(self._meant(node))
        if node.attr not in _PARTS:
            raise Fallback
        return spread(self.lanes, lambda lanes, a: _PARTS[node.attr](a), self.value(root))

    def _called(self, node: ast.Call) -> Any:
        if node.keywords:
            raise Fallback
        method = node.func
        if isinstance(method, ast.Attribute) and method.attr == "conjugate" and not node.args:
            return spread(self.lanes, lambda lanes, a: conjugate(a), self.value(method.value))
        function = self._meant(method)
        values = tuple(self.value(one) for one in node.args)
        if isinstance(function, FunctionType):
            return call(self.lanes, function, values, self.frame.depth + 1)
        return called(self.lanes, function, values)
