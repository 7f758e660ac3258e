"""What the statements that import NumPy become."""

from __future__ import annotations

import ast
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy.running import _imports


def executed(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(_imports.compiled(text.encode(), "program.py"), names)
    return names


@pytest.mark.parametrize(
    ("statement", "name", "value"),
    [
        ("import numpy", "numpy", ap),
        ("import numpy as np", "np", ap),
        ("import os, numpy as np", "np", ap),
        ("import numpy.linalg", "numpy", ap),
        ("import numpy.linalg as la", "la", ap.linalg),
        ("import numpy.lib.stride_tricks as tricks", "tricks", ap.lib.stride_tricks),
        ("import numpy.random as draws", "draws", ap.random),
        ("from numpy import linalg", "linalg", ap.linalg),
        ("from numpy import add as plus, array", "plus", ap.add),
        ("from numpy.fft import fft", "fft", ap.fft.fft),
        ("from numpy import *", "sin", ap.sin),
        ("from numpy.linalg import *", "svd", ap.linalg.svd),
        # what asnumpy passes on is NumPy's
        ("import numpy.ma as ma", "ma", np.ma),
        ("import numpy.ma", "numpy", ap),
        ("from numpy.exceptions import AxisError", "AxisError", np.exceptions.AxisError),
        ("from numpy.dtypes import Float64DType", "Float64DType", np.dtypes.Float64DType),
        # what is no statement of NumPy's stays
        ("import importlib; np = importlib.import_module('numpy')", "np", np),
        ("import math as np", "np", sys.modules["math"]),
        ("def f():\n    import numpy as np\n    return np\nfound = f()", "found", ap),
        ("class A:\n    from numpy import pi\nfound = A.pi", "found", ap.pi),
    ],
)
def test_what_a_name_is(statement: str, name: str, value: Any) -> None:
    assert executed(statement)[name] is value


def test_a_star_gives_numpys_names_and_no_others() -> None:
    names = {name for name in executed("from numpy import *") if not name.startswith("__")}
    assert names == {name for name in np.__all__ if hasattr(ap, name) and not name.startswith("__")}


def test_what_is_lacking_is_named_at_its_line() -> None:
    with pytest.raises(ImportError, match=r"cannot import name 'core' from 'numpy': asnumpy.*import_module") as caught:
        executed("x = 1\n\nfrom numpy import (\n    array, core)\n")
    assert caught.traceback[-1].lineno == 2  # counted from 0
    executed("try:\n    from numpy import core\nexcept ImportError:\n    pass\n")
    with pytest.raises(ImportError, match="no_such_name"):
        executed("from numpy import no_such_name")
    with pytest.raises(ModuleNotFoundError, match=r"numpy\.no_such_module"):
        executed("import numpy.no_such_module")


def test_places_and_docstrings_stay() -> None:
    text = '"""Says."""\nfrom __future__ import annotations\nimport os, numpy as np\n\n\n'
    text += "def f(a: no_such_name):\n    return np.sum(a)\n"
    tree = _imports.Imports().visit(ast.parse(text))
    before = {(node.lineno, node.col_offset) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)}
    assert {(node.lineno, node.col_offset) for node in ast.walk(tree) if isinstance(node, ast.stmt)} == before
    names = executed(text)
    assert names["__doc__"] == "Says."
    assert names["f"].__code__.co_firstlineno == 6
    assert names["f"](ap.arange(4)) == 6


def test_whose_a_module_is(tmp_path: Path) -> None:
    finder = _imports.Finder([str(tmp_path)])
    assert finder.is_users(str(tmp_path / "mine.py"))
    assert finder.is_users(str(tmp_path / "package" / "deep.py"))
    library = tmp_path / "env/lib/python3/site-packages/x.py"
    for path in (library, ast.__file__, np.__file__, ap.__file__, "/elsewhere/x.py"):
        assert not finder.is_users(str(path))


def test_modules_are_found_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled anew: neither NumPy's bytecode is used nor is there any of ours to be used without asnumpy."""
    (tmp_path / "part_of_program.py").write_text("import numpy as np\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    before: types.ModuleType = __import__("part_of_program")
    assert before.np is np
    _imports.install(str(tmp_path))
    for _ in range(2):
        del sys.modules["part_of_program"]
        module = __import__("part_of_program")
        assert module.np is ap
        assert module.__file__ == str(tmp_path / "part_of_program.py")
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(tmp_path))
    del sys.modules["part_of_program"]
    assert __import__("part_of_program").np is np
    del sys.modules["part_of_program"]
