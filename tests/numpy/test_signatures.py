"""Names and parameters equal NumPy's, in every namespace; what does not has its reason in tools/interface.toml."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import asnumpy as ap
import interface

FUNCTIONS = [(space, name) for space in interface.NAMESPACES for name in interface.comparable(space)]


@pytest.mark.parametrize(("namespace", "name"), FUNCTIONS, ids=[f"{space}.{name}" for space, name in FUNCTIONS])
def test_signature(namespace, name):
    expected, own = interface.signatures(namespace, name)
    if name in interface.reasons(namespace)[1]:
        assert not interface.agree(expected, own), "the signature agrees: take the reason off tools/interface.toml"
    else:
        assert interface.agree(expected, own), f"{namespace}.{name} has the parameters {own}, NumPy's are {expected}"


@pytest.mark.parametrize("namespace", interface.NAMESPACES)
def test_names(namespace):
    gone, listed = interface.missing(namespace), interface.reasons(namespace)[0]
    assert set(gone) == set(listed), "tools/interface.toml lists every missing name, and no other"
    assert all(len(why) > 20 for why in listed.values()), "a reason says why"


def test_share():
    have, total = interface.share()
    assert have >= interface.LEAST * total, f"{have} of {total} names"


def test_lists_name_namespaces_that_are_compared():
    known = {one.removeprefix("numpy.") for one in interface.COMPARED}
    assert set(interface.MISSING) | set(interface.DIFFERENT) <= known


def test_ufuncs():
    for name in np.__all__:  # not all that is in it: pandas puts in one of its own
        theirs = getattr(np, name)
        if isinstance(theirs, np.ufunc):
            own = getattr(ap, name)
            assert inspect.signature(own) == inspect.signature(theirs), name
            assert (own.nin, own.nout, own.nargs, own.types) == (theirs.nin, theirs.nout, theirs.nargs, theirs.types)


def _methods():
    for name in dir(np.ndarray):
        if not name.startswith("_") and inspect.isroutine(getattr(np.ndarray, name)) and hasattr(ap.ndarray, name):
            yield name


@pytest.mark.parametrize("name", sorted(_methods()))
def test_documented(name):
    assert getattr(ap.ndarray, name).__doc__


def test_every_function_has_a_docstring():
    missing = [name for name in ap.__all__ if callable(getattr(ap, name)) and not getattr(ap, name).__doc__]
    assert not missing


def test_functions_as_attributes_of_a_class() -> None:
    """Functions that NumPy has in C do not become methods, the others do."""
    differ = []
    for name in dir(ap):
        mine, theirs = getattr(ap, name), getattr(np, name, None)
        if type(mine) is not type(ap.array) or not callable(theirs) or isinstance(theirs, type):
            continue
        holder = type("Holder", (), {"mine": mine, "theirs": theirs})()
        if hasattr(holder.mine, "__self__") != (getattr(holder.theirs, "__self__", None) is holder):
            differ.append(name)
    assert not differ
    assert type("Holder", (), {"array": ap.array})().array([1], dtype="int8").dtype == np.int8
