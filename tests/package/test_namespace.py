"""The namespaces: nothing of the inner workings shows, a star hides no builtin, everything has a signature."""

from __future__ import annotations

import builtins
import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, get_origin

import numpy as np
import pytest

import asnumpy as ap

# Every public module and package by its name, as a program imports it; what is in it that is private has an underscore.
PUBLIC = sorted(
    module.name.removeprefix("asnumpy.")
    for module in pkgutil.walk_packages(ap.__path__, "asnumpy.")
    if not any(part.startswith("_") for part in module.name.split(".")) and module.name != "asnumpy.array_api"
)  # array_api has all of the namespace's names
# Rooms: their modules are not imported by programs. The demonstration is a program itself.
ROOMS = {
    "array", "creation", "demo", "dtypes", "elementwise", "host", "indexing", "interop", "io", "manipulation",
    "reduction", "runtime", "sorting", "statistics", "ufunc",
}
SPACES = [name for name in PUBLIC if name.split(".")[0] not in ROOMS]


def public_names(space: Any) -> set[str]:
    return {name for name in vars(space) if not name.startswith("_")}


def test_nothing_else_is_in_the_namespace() -> None:
    """Besides what it exports: the rooms, which are modules, and what a star would put before Python's own."""
    rest = public_names(ap) - set(ap.__all__) - {"eval", "range"}
    assert {name for name in rest if not isinstance(getattr(ap, name), ModuleType)} == set()
    assert {name for name in rest if not getattr(ap, name).__name__.startswith("asnumpy.")} == set()
    # the last three are modules of NumPy's; a star would put `scipy` before SciPy
    assert set(dir(ap)) <= {*ap.__all__, "eval", "range", "array_api", "cann", "scipy", "ma", "matlib", "rec"}


@pytest.mark.parametrize("name", SPACES)
def test_modules_show_what_they_export(name: str) -> None:
    space = import_module(f"asnumpy.{name}")
    rest = public_names(space) - set(space.__all__)
    assert {one for one in rest if not isinstance(vars(space)[one], ModuleType)} == set()
    assert {one for one in rest if not vars(space)[one].__name__.startswith("asnumpy.")} == set()


@pytest.mark.parametrize("name", SPACES)
def test_what_is_exported_is_there(name: str) -> None:
    space = import_module(f"asnumpy.{name}")
    assert [one for one in space.__all__ if not hasattr(space, one)] == []
    assert [one for one in ap.__all__ if not hasattr(ap, one)] == []


def test_a_star_hides_no_builtin_that_numpy_leaves() -> None:
    hidden = {name for name in ap.__all__ if hasattr(builtins, name)}
    assert hidden == {name for name in np.__all__ if hasattr(builtins, name)}


def test_names_are_exported_once() -> None:
    assert len(ap.__all__) == len(set(ap.__all__))


@pytest.mark.parametrize("library", [
    "dask.array", "einops", "h5py", "pandas", "scipy.ndimage", "sklearn.decomposition", "sympy", "xarray", "zarr",
])
def test_what_goes_with_another_library_loads_without_a_word(library: str) -> None:
    """Where it does not, because a version of theirs is other than it expects, it warns, and nothing else stops."""
    pytest.importorskip(library)
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", f"import asnumpy, {library}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["ndarray", "ufunc", "flatiter"])
def test_classes_show_what_numpy_s_show(kind: str) -> None:
    own = {"ndarray": {"to_numpy"}, "ufunc": {"name", "row", "has_loop", "reducible"}}
    extra = public_names_of(getattr(ap, kind)) - public_names_of(getattr(np, kind))
    assert extra == own.get(kind, set())


def public_names_of(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


@pytest.mark.parametrize("name", ["", *SPACES])
def test_everything_has_a_signature(name: str) -> None:
    space = ap if not name else import_module(f"asnumpy.{name}")
    silent = []
    for one in space.__all__:
        value = getattr(space, one)
        calls = callable(value) and not isinstance(value, type) and get_origin(value) is None  # NDArray is an alias
        if calls and getattr(value, "__module__", "").startswith("asnumpy"):
            try:
                inspect.signature(value)
            except (TypeError, ValueError):
                silent.append(one)
    assert silent == []
    assert str(inspect.signature(ap.eval)) == "(*arrays: 'ndarray') -> 'None'"


def test_names_of_the_class() -> None:
    assert ap.NPUArray is ap.NPArray is ap.ndarray
    assert "NPUArray" in (ap.ndarray.__doc__ or "") and "NPArray" in (ap.ndarray.__doc__ or "")


@pytest.mark.parametrize("name", ["npu", "npu:0"])
def test_npu_is_another_name_of_ascend(name: str) -> None:
    """What PyTorch's users write; whether there is such a device is another question."""
    assert ap.Device(name) == ap.Device("ascend:0") == name
    with pytest.raises(ValueError, match="Device not understood"):
        ap.Device(name + "x")
