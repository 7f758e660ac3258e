"""In the user's own modules `import numpy` is asnumpy: their imports are rewritten before they are compiled.

Libraries, found elsewhere, keep NumPy. Only statements change: `importlib.import_module("numpy")` gives NumPy.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.machinery
import importlib.util
import os
import site
import sys
import sysconfig
import types
from collections.abc import Sequence
from typing import Any

import numpy

import asnumpy

STARRED = "asnumpy.running._names"  # in the place of numpy, for `from numpy import *`


@functools.cache
def counterpart(name: str) -> types.ModuleType | None:
    """What stands in asnumpy where NumPy has this module: one of its own, or NumPy's, which it passes on."""
    found: Any = asnumpy
    parts = name.split(".")[1:]
    for part in parts:
        found = getattr(found, part, None)
        if not isinstance(found, types.ModuleType):
            return None
    return found  # type: ignore[no-any-return]


def _own(name: str) -> str | None:
    """The name of asnumpy's module for one of NumPy's; None where there is none, and NumPy's is meant."""
    module = counterpart(name)
    return module.__name__ if module is not None and module.__name__.partition(".")[0] == "asnumpy" else None


def _is_numpys(name: str) -> bool:
    return name.partition(".")[0] == "numpy"


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


class Imports(ast.NodeTransformer):
    """Rewrites the statements that import NumPy; what it makes has the places of what was there."""

    def visit_Import(self, node: ast.Import) -> Any:
        if not any(_is_numpys(alias.name) for alias in node.names):
            return node
        made: list[ast.stmt] = []
        for alias in node.names:
            for name, bound in self._imported(alias):
                made.append(self._placed(ast.Import([ast.copy_location(ast.alias(name, bound), alias)]), node))
        return made

    def _imported(self, alias: ast.alias) -> list[tuple[str, str | None]]:
        name = alias.name
        if not _is_numpys(name) or (name != "numpy" and not _exists(name)):
            return [(name, alias.asname)]
        if alias.asname is None:  # binds the package, whichever of its modules is named
            loaded = [(name, None)] if counterpart(name) is None else []
            return [*loaded, ("asnumpy", "numpy")]
        return [(_own(name) or name, alias.asname)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        name = node.module or ""
        if node.level or not _is_numpys(name):
            return node
        own = _own(name)
        if own is None:
            return node
        if node.names[0].name == "*":
            return self._placed(ast.ImportFrom(STARRED if name == "numpy" else own, node.names, 0), node)
        numpys = sys.modules.get(name) or (importlib.import_module(name) if _exists(name) else None)
        for alias in node.names:
            if not hasattr(counterpart(name), alias.name) and hasattr(numpys, alias.name):
                text = (f"cannot import name {alias.name!r} from {name!r}: asnumpy, which stands in its place, has no "
                        f"{own}.{alias.name}; importlib.import_module({name!r}) gives NumPy's own")
                error = ast.Call(ast.Name("ImportError", ast.Load()), [ast.Constant(text)], [])
                return self._placed(ast.Raise(error), node)
        return self._placed(ast.ImportFrom(own, node.names, 0), node)

    @staticmethod
    def _placed(made: ast.stmt, node: ast.stmt) -> ast.stmt:
        ast.copy_location(made, node)
        return ast.fix_missing_locations(made)


def compiled(source: bytes, path: str) -> types.CodeType:
    """The code of a module whose imports of NumPy are rewritten."""
    if b"numpy" not in source:
        return compile(source, path, "exec", dont_inherit=True)
    tree = compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    return compile(Imports().visit(tree), path, "exec", dont_inherit=True)


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles anew: what lies in `__pycache__` imports NumPy, and what is compiled here must not lie there."""

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        return compiled(self.get_data(path), path)


def _libraries() -> list[str]:
    folders = [os.path.dirname(asnumpy.__file__), os.path.dirname(numpy.__file__), site.getusersitepackages()]
    folders += [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return [os.path.realpath(folder) for folder in folders]


class Finder:
    """Stands before Python's finder of paths and gives what that one finds, the user's own modules with a loader."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.libraries = _libraries()

    def is_users(self, path: str) -> bool:
        """Whether a file lies beside the program or under the working directory, and is no library's."""
        real = os.path.realpath(path)
        if {"site-packages", "dist-packages"}.intersection(real.split(os.sep)):
            return False
        return _below(real, self.folders) and not _below(real, self.libraries)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader and spec.origin is not None:
            if self.is_users(spec.origin):
                spec.loader = _Loader(name, spec.origin)
        return spec


def _below(path: str, folders: Sequence[str]) -> bool:
    return any(path.startswith(os.path.join(folder, "")) for folder in folders)


def install(*folders: str) -> Finder:
    """From now on the modules in these folders and under the working directory get asnumpy for numpy."""
    finder = Finder([*(folder for folder in folders if folder), os.getcwd()])
    path_finder: Any = importlib.machinery.PathFinder
    where = sys.meta_path.index(path_finder) if path_finder in sys.meta_path else len(sys.meta_path)
    sys.meta_path.insert(where, finder)
    return finder
