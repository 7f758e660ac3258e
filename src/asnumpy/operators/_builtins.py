"""Built-in operations by the user's rules: sent to the host, or computed by an operator of one's own.

A ufunc that a rule names leaves the core's fast path and asks here; a function is given another body, which asks
here. Without a rule neither costs anything.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.array import ndarray
from asnumpy.host.door import host_result
from asnumpy.operators import _dispatch, _registry
from asnumpy.operators._implementations import HOST
from asnumpy.operators._rules import Rule
from asnumpy.ufunc import ufunc
from asnumpy.ufunc.ufunc import redirects, ufuncs

OWN = "builtin"  # the word for the built-in operation itself
_SPACES = ("", "linalg", "fft", "nn")
_local = threading.local()  # .busy: the names that this thread computes in another way just now
_bodies: list[tuple[Any, Any]] = []  # functions with another body, and what they had


@functools.cache
def operations() -> dict[str, Any]:
    """Every built-in operation that can be redirected: ufuncs and functions by name, linalg.svd."""
    found = {}
    for space in _SPACES:
        module = importlib.import_module(f"asnumpy.{space}" if space else "asnumpy")
        for name in module.__all__:
            value = getattr(module, name)
            if type(value) is ufunc or isinstance(value, _core.Beside):
                found[f"{space}.{name}" if space else name] = value
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
        if isinstance(operation, ufunc):
            redirects[operation.name] = asked
            operation._redirected = True
        else:
            _bodies.append((operation, operation._function))
            operation._function = _asking(operation._function, asked)


def _restore() -> None:
    for name in list(redirects):
        ufuncs[name]._redirected = False
        del redirects[name]
    while _bodies:
        operation, body = _bodies.pop()
        operation._function = body


def _asking(body: Callable[..., Any], asked: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(body)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = asked(args, kwargs)
        return body(*args, **kwargs) if made is NotImplemented else made

    return call


def _ask(aliases: list[str], rules: list[Rule], theirs: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a rule makes of a call; NotImplemented where the built-in operation computes it."""
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
            made = host_result(theirs, *args, **kwargs) if word == HOST else _by_operator(word, rule, args, kwargs)
        finally:
            busy.discard(name)
        if made is not NotImplemented:
            _dispatch.count(name, word, device, str(rule))
            return made
    _dispatch.count(name, OWN, device, str(rule))
    return NotImplemented


def _by_operator(word: str, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """By the operator of that name; NotImplemented where its declaration does not take the call."""
    try:
        found = _registry.get(word)
    except LookupError:
        raise ValueError(f"{rule}: order: expected {OWN}, {HOST} or the name of an operator, got {word!r}, which no "
                         f"operator has") from None
    try:
        call = found.bind(*args, **kwargs)
    except (TypeError, ValueError):
        return NotImplemented
    return _dispatch.run(found.implementations, call)


def _arrays(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, ndarray | np.ndarray):
            if isinstance(value, ndarray) and not _core.is_number(value):  # numbers are computed as they are called
                yield value
        elif isinstance(value, tuple | list):
            yield from _arrays(value)
