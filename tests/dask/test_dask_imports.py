"""Dask learns of asnumpy when both are imported, in either order, and costs nothing where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import asnumpy as ap

ROOT = Path(__file__).resolve().parents[2]
USE = """
a = da.from_array(ap.arange(6.0), chunks=3)
for made in (a + ap.ones(6), ap.ones(6).sum() * a, a @ ap.ones(6), da.argwhere(a > 2)):
    assert isinstance(made.compute(), ap.ndarray), made
"""


def run(source: str, *, before: str = "", **environment: str) -> str:
    folders = [before, str(Path(ap.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, folders))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", source], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_dask_first() -> None:
    run("import dask.array as da\nimport asnumpy as ap" + USE)


def test_asnumpy_first() -> None:
    """Nothing is loaded before dask.array is, and nothing is left on the way of imports after it."""
    run("""
import sys, importlib.util, asnumpy as ap
from asnumpy.interop.arrivals import Waiting
assert importlib.util.find_spec("dask.array") is not None   # asking imports dask, not dask.array
assert "dask.array" not in sys.modules and "asnumpy.dask" not in sys.modules
waiting, = [one for one in sys.meta_path if isinstance(one, Waiting)]
assert waiting.ours["dask.array"] == "asnumpy.dask"
import dask.array as da, dask.array.chunk_types as kinds
assert "dask.array" not in waiting.ours
waiting.ours = {"colorsys": "keyword"}   # as if all the others had been imported
import colorsys
assert waiting not in sys.meta_path and not waiting.ours
assert kinds._HANDLED_CHUNK_TYPES.count(ap.ndarray) == 1
assert type(da.__loader__).__name__ == type(da.__spec__.loader).__name__ == "SourceFileLoader"
""" + USE)


def test_dask_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['dask'] = None\n")
    run("""
import asnumpy as ap
try:
    import dask.array
except ImportError:
    pass
else:
    raise AssertionError
assert ap.ones(3).sum() == 3
""", before=str(tmp_path))


def test_a_dask_that_asnumpy_does_not_know(tmp_path: Path) -> None:
    """Its import goes on, with a warning."""
    (tmp_path / "dask" / "array").mkdir(parents=True)
    (tmp_path / "dask" / "__init__.py").write_text("")
    (tmp_path / "dask" / "array" / "__init__.py").write_text("word = 7\n")
    run("""
import warnings, asnumpy as ap
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import dask.array
assert dask.array.word == 7
assert [one.category for one in told] == [RuntimeWarning] and "asnumpy.dask" in str(told[0].message), told
""", before=str(tmp_path))


def test_an_error_of_dasks_own_import_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "dask" / "array").mkdir(parents=True)
    (tmp_path / "dask" / "__init__.py").write_text("")
    (tmp_path / "dask" / "array" / "__init__.py").write_text("1 / 0\n")
    run("""
import sys, asnumpy as ap
for _ in range(2):
    try:
        import dask.array
    except ZeroDivisionError:
        assert "dask.array" not in sys.modules
    else:
        raise AssertionError
""", before=str(tmp_path))


def test_the_backend_brings_asnumpy(tmp_path: Path) -> None:
    """Dask finds the package by the entry point that pyproject.toml declares."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    folder = tmp_path / "asnumpy-0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: asnumpy\nVersion: 0\n")
    (folder / "entry_points.txt").write_text(
        "\n".join(line for group, entries in points.items()
                  for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))))
    run("""
import sys, dask, dask.array as da
assert "asnumpy" not in sys.modules
with dask.config.set({"array.backend": "asnumpy"}):
    made = da.ones((4, 4), chunks=2).sum() + da.random.default_rng(1).random(3)
assert type(made.compute()).__module__.startswith("asnumpy")
""", before=str(tmp_path))
