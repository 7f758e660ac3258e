"""Built-in operations by the user's rules: sent to the host, or computed by an operator of one's own.

A ufunc that a rule names leaves the core's fast path and asks here; a function is given another body, which asks
here. Without a rule neither costs anything.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array import ndarray
from asnumpy.host.door import host_result
from asnumpy.operators import _dispatch, _registry, _rules, _served
from asnumpy.operators._declaration import Declaration
from asnumpy.operators._implementations import HOST
from asnumpy.operators._rules import Rule
from asnumpy.reduction.reductions import REDUCTIONS, redirect
from asnumpy.runtime.kernels import ITSELF, find, without
from asnumpy.ufunc import ufunc
from asnumpy.ufunc.ufunc import redirected_folds, redirects, ufuncs


@dataclass(frozen=True)
class Choice:
    """One that may compute a call of a built-in operation: its name, why, and why it cannot."""

    name: str
    why: str
    why_not: str = ""


OWN = "builtin"  # the word for the built-in operation itself
_SPACES = ("", "linalg", "fft", "nn")
_local = threading.local()  # .busy: the names that this thread computes in another way just now
_bodies: list[tuple[Any, Any]] = []  # functions with another body, and what they had
_not_quick: list[str] = []  # names of functions whose plain calls the core does not answer by itself meanwhile


@dataclass(frozen=True, eq=False)
class Fold:
    """A method of a ufunc as an operation of its own: add.reduce, maximum.accumulate."""

    ufunc: ufunc
    method: str

    @property
    def name(self) -> str:
        """As rules call it."""
        return f"{self.ufunc.name}.{self.method}"

    @property
    def numpy(self) -> Any:
        """NumPy's own."""
        return getattr(self.ufunc.numpy, self.method)

    @property
    def body(self) -> Callable[..., Any]:
        """What computes it where no rule does."""
        return getattr(self.ufunc, f"_{self.method}")  # type: ignore[no-any-return]


@functools.cache
def operations() -> dict[str, Any]:
    """Every built-in operation that can be redirected: ufuncs and functions by name, linalg.svd; add.reduce."""
    found: dict[str, Any] = {}
    folds: dict[tuple[str, str], Fold] = {}
    for space in _SPACES:
        module = importlib.import_module(f"asnumpy.{space}" if space else "asnumpy")
        for name in module.__all__:
            value = getattr(module, name)
            if type(value) is ufunc or isinstance(value, _core.Beside):
                found[f"{space}.{name}" if space else name] = value
            if type(value) is ufunc and (value.nin, value.nout, value.signature) == (2, 1, None):
                for method in ("reduce", "accumulate"):
                    found[f"{name}.{method}"] = folds.setdefault((value.name, method), Fold(value, method))
    return found


def use(rules: Iterable[Rule]) -> None:
    """Redirects what these rules name, and nothing else from now on; ValueError for a name that there is not."""
    rules = [rule for rule in rules if rule.kind == "builtin"]
    for rule in rules:
        if not any(map(rule.names, operations())):
            raise ValueError(f"{rule}: there is no built-in operation with a name like {' or '.join(rule.patterns)}")
    _restore()
    names: dict[int, list[str]] = {}  # of each: some have several
    for name, operation in operations().items():
        names.setdefault(id(operation), []).append(name)
    for aliases in names.values():
        own = [rule for rule in rules if any(map(rule.names, aliases))]
        if not own:
            continue
        operation = operations()[aliases[0]]
        theirs = getattr(operation, "numpy", None)
        for rule in own:
            if HOST in rule.order and theirs is None:
                raise ValueError(f"{rule}: {aliases[0]} is no function of NumPy's, so that the host has none of it")
        asked = functools.partial(_ask, aliases, own, theirs)
        for name in aliases:
            _core.answer_quickly(name, False)
            _not_quick.append(name)
        if isinstance(operation, ufunc):
            redirects[operation.name] = asked
            operation._redirected = True
        elif isinstance(operation, Fold):
            redirected_folds[operation.name] = _asking(operation.body, asked)
        elif of_function := [REDUCTIONS[name] for name in aliases if name in REDUCTIONS]:
            redirect(of_function[0], functools.partial(_asking, asked=asked))  # the method, too
        else:
            _bodies.append((operation, operation._function))
            operation._function = _asking(operation._function, asked)


def _restore() -> None:
    while _not_quick:
        _core.answer_quickly(_not_quick.pop(), True)
    for name in list(redirects):
        ufuncs[name]._redirected = False
        del redirects[name]
    redirected_folds.clear()
    for each in REDUCTIONS.values():
        redirect(each, None)
    while _bodies:
        operation, body = _bodies.pop()
        operation._function = body


def _asking(body: Callable[..., Any], asked: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(body)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = asked(args, kwargs)
        if made is ITSELF:
            with without():
                return body(*args, **kwargs)
        return body(*args, **kwargs) if made is NotImplemented else made

    return call


def _ask(aliases: list[str], rules: list[Rule], theirs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a rule makes of a call; ITSELF where it leaves that to the operation, NotImplemented where none fits."""
    name, busy = aliases[0], vars(_local).setdefault("busy", set())
    arrays = list(_arrays((*args, *kwargs.values())))
    if name in busy or not arrays:
        return NotImplemented
    device, dtypes = str(arrays[0].device), [array.dtype for array in arrays]
    size = max(array.size for array in arrays)
    rule = next((rule for rule in rules if rule.holds(device, dtypes, size)), None)
    if rule is None:
        return NotImplemented
    for word in rule.order:
        if word == OWN:
            break
        busy.add(name)  # an operator may be made of the operation that it stands for
        try:
            made = (host_result(theirs, *args, **kwargs) if word == HOST
                    else _by_operator(name, word, rule, args, kwargs))
        finally:
            busy.discard(name)
        if made is not NotImplemented:
            _dispatch.count(name, word, device, str(rule))
            return made
    _dispatch.count(name, OWN, device, str(rule))
    return ITSELF


def _by_operator(name: str, word: str, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """By the operator of that name; NotImplemented where its declaration does not take the call."""
    try:
        found = _registry.get(word)
    except LookupError:
        raise ValueError(f"{rule}: order: expected {OWN}, {HOST} or the name of an operator, got {word!r}, which no "
                         f"operator has") from None
    for given, keywords in _as_declared(name, found.declaration, args, kwargs):
        try:
            call = found.bind(*given, **keywords)
        except (TypeError, ValueError):
            continue
        return _dispatch.run(found.implementations, call)
    return NotImplemented


def _as_declared(
    name: str, declaration: Declaration, args: tuple[Any, ...], kwargs: dict[str, Any],
) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """A call of a built-in operation as an operator may take it: its inputs by place, the rest by keyword.

    First with all that the operator declares, then without what is the operation's default: methods give all of it.
    """
    signature = _signature(name)
    try:
        bound = None if signature is None else signature.bind(*args, **kwargs)
    except TypeError:
        bound = None
    if signature is None or bound is None:
        yield list(args), kwargs
        return
    declared = {*(one.name for one in declaration.inputs), *(one.name for one in declaration.attributes), "out"}
    tried = 0
    for kept in (declared, frozenset[str]()):
        given: list[Any] = []
        keywords: dict[str, Any] = {}
        for key, value in bound.arguments.items():
            parameter = signature.parameters[key]
            if value is parameter.default and key not in kept:
                continue
            if len(given) < len(declaration.inputs) and not keywords and parameter.kind is not parameter.KEYWORD_ONLY:
                given.append(value)
            else:
                keywords[key] = value
        if kept or len(given) + len(keywords) != tried:
            yield given, keywords
        tried = len(given) + len(keywords)


@functools.cache
def _signature(name: str) -> inspect.Signature | None:
    """Of a function or a method; None of ufuncs, whose calls are operators' as they are."""
    operation = operations()[name]
    if isinstance(operation, ufunc):
        return None
    try:
        found = inspect.signature(operation.body if isinstance(operation, Fold) else operation)
    except (TypeError, ValueError):
        return None
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return None if any(one.kind in several for one in found.parameters.values()) else found


def candidates(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, list[Choice]]:
    """The device of a call of the built-in operation of that name, and what would compute it, in order."""
    operation = operations()[name]
    aliases = [other for other, one in operations().items() if one is operation]
    arrays = list(_arrays((*args, *kwargs.values())))
    if not arrays:
        return "cpu", [Choice(OWN, "no array is among its arguments")]
    device, dtypes = str(arrays[0].device), [array.dtype for array in arrays]
    size = max(array.size for array in arrays)
    mine = (rule for rule in _rules.current() if rule.kind == "builtin" and any(map(rule.names, aliases)))
    rule = next((rule for rule in mine if rule.holds(device, dtypes, size)), None)
    if rule is not None:
        return device, [Choice(word, str(rule)) for word in dict.fromkeys((*rule.order, OWN))]
    rows = filter(None, (find(one, dtypes[0], size) for one in aliases)) if device.startswith("ascend") else ()
    found = [Choice(row.operator, _served.because(row), _served.why_not(row, device)) for row in rows]
    return device, [*found, Choice(OWN, "it computes what nothing else does")]


def _arrays(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, ndarray | np.ndarray):
            if isinstance(value, ndarray) and not _core.is_number(value):  # numbers are computed as they are called
                yield value
        elif isinstance(value, tuple | list):
            yield from _arrays(value)
