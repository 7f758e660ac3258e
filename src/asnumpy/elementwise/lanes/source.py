"""The syntax tree of a function, found again in the file that it came from and compared with its code."""

from __future__ import annotations

import ast
import collections
import functools
import inspect
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

# What the interpreter knows; a function with anything else is called for each element.
_KNOWN = (
    ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign,
    ast.For, ast.While, ast.If, ast.Raise, ast.Assert, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.BoolOp,
    ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.Constant, ast.Attribute, ast.Name, ast.Tuple,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
)
_CHOOSING = (ast.For, ast.While, ast.If, ast.BoolOp, ast.IfExp, ast.Call, ast.Not, ast.Raise, ast.Assert)


@dataclass(frozen=True)
class Source:
    """A function's body; for each of its loops the names that are read within it, and after it."""

    body: tuple[ast.stmt, ...]
    known: bool    # nothing in it that the interpreter does not know
    chooses: bool  # it is more than the arithmetic that stand-ins record
    remembers: bool  # it writes outer variables, or goes on after an exception: stand-ins do not show what it does
    within: dict[ast.AST, frozenset[str]]
    after: dict[ast.AST, frozenset[str]]
    local: frozenset[str]


_kept: weakref.WeakKeyDictionary[CodeType, Source | None] = weakref.WeakKeyDictionary()


def source_of(function: Any) -> Source | None:
    """The source of a plain function, if it is found and has nothing but what the interpreter knows."""
    source = _found(function)
    return source if source is not None and source.known else None


def traceable(function: Any) -> bool:
    """Whether a function may be called with stand-ins to see what it does, as far as its source tells."""
    source = _found(function)
    return source is None or not source.remembers


def _found(function: Any) -> Source | None:
    if type(function) is not FunctionType:
        return None
    code = function.__code__
    if code not in _kept:
        _kept[code] = _read_source(code)
    return _kept[code]


def _read_source(code: CodeType) -> Source | None:
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return None
    try:
        lines, _ = inspect.findsource(code)
        node = _node("".join(lines), code)
    except (OSError, TypeError, SyntaxError, ValueError, IndexError, RecursionError):
        return None
    if node is None:
        return None
    body = tuple(node.body) if isinstance(node, ast.FunctionDef) else (ast.Return(node.body),)
    inside = [child for statement in body for child in _executed(statement)]
    known = all(isinstance(child, _KNOWN) for child in inside)
    remembers = any(isinstance(child, (ast.Try, ast.TryStar, ast.Global, ast.Nonlocal)) for child in inside)
    chooses = any(isinstance(one, _CHOOSING) or (isinstance(one, ast.Compare) and len(one.ops) > 1) for one in inside)
    within, after = _loops(body)
    local = frozenset(code.co_varnames) | frozenset(code.co_cellvars)
    return Source(body, known, chooses, remembers, within, after, local)


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that matter for what is computed: annotations, and texts that stand alone, do not."""
    yield node
    for name, field in ast.iter_fields(node):
        if name == "annotation" or (isinstance(node, ast.Raise) and name in ("exc", "cause")):
            continue
        if isinstance(node, ast.Assert) and name == "msg":
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST):
                yield from _executed(child)


def _read(node: ast.AST) -> Iterator[str]:
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
            yield child.id
        elif isinstance(child, ast.AugAssign) and isinstance(child.target, ast.Name):
            yield child.target.id


def _loops(
    body: tuple[ast.stmt, ...],
) -> tuple[dict[ast.AST, frozenset[str]], dict[ast.AST, frozenset[str]]]:
    """For each loop the names that are read in it, and those after it: inside another loop any, for it comes again."""
    every = collections.Counter(name for statement in body for name in _read(statement))
    within: dict[ast.AST, frozenset[str]] = {}
    after: dict[ast.AST, frozenset[str]] = {}

    def visit(node: ast.AST, again: bool) -> None:
        if isinstance(node, (ast.For, ast.While)):
            turns = [*node.body, *([node.test] if isinstance(node, ast.While) else [])]
            read = collections.Counter(name for one in turns for name in _read(one))
            within[node] = frozenset(read)
            after[node] = frozenset(every if again else every - read)
            again = True
        for child in ast.iter_child_nodes(node):
            visit(child, again)

    for statement in body:
        visit(statement, False)
    return within, after


@functools.lru_cache(maxsize=4)
def _module(text: str) -> tuple[ast.Module, tuple[CodeType, ...]]:
    tree = ast.parse(text)

    def codes(code: CodeType) -> Iterator[CodeType]:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from codes(constant)

    return tree, tuple(codes(compile(tree, "<source>", "exec", dont_inherit=True)))


def _alike(one: CodeType, other: CodeType) -> bool:
    """Whether two codes do the same; constants are compared by text, which tells 0 from 0.0 and -0.0."""
    return (
        one.co_code == other.co_code and one.co_names == other.co_names and one.co_varnames == other.co_varnames
        and one.co_freevars == other.co_freevars and one.co_cellvars == other.co_cellvars
        and [repr(c) for c in one.co_consts if not isinstance(c, CodeType)]
        == [repr(c) for c in other.co_consts if not isinstance(c, CodeType)]
    )


def _node(text: str, code: CodeType) -> ast.FunctionDef | ast.Lambda | None:
    """The definition whose code this is. The file may have changed since, so its own code has to be alike."""
    tree, codes = _module(text)
    places = list(code.co_positions())
    mine = [
        one for one in codes if one.co_name == code.co_name and one.co_firstlineno == code.co_firstlineno
        and _alike(one, code) and list(one.co_positions()) == places
    ]
    if not mine:
        return None
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Lambda) and not (isinstance(node, ast.FunctionDef) and node.name == code.co_name):
            continue
        if isinstance(node, ast.Lambda) != (code.co_name == "<lambda>"):
            continue
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        if first == code.co_firstlineno and (isinstance(node, ast.FunctionDef) or _covers(node.body, places)):
            found.append(node)
    return found[-1] if len(found) == 1 or (found and isinstance(found[0], ast.Lambda)) else None


def _covers(body: ast.expr, places: list[Any]) -> bool:
    """Whether the instructions of a lambda come from this body: of several in one line each has its own place."""
    start, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    known = [
        ((line, column), (last, last_column)) for line, last, column, last_column in places
        if None not in (line, column, last, last_column) and column != last_column
    ]
    return bool(known) and all(start <= one and other <= end for one, other in known)
