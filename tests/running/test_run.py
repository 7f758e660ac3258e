"""`python -m asnumpy run`: a program is as it is without asnumpy, but for the arrays."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from user_programs import python, run, written

WHOLE = '''
import inspect, json, multiprocessing, os, pickle, sys
import numpy as np
import beside
import library
from package import deep


class Kept:
    def __init__(self, x):
        self.x = x


def doubled(x):
    return (np.__name__, float((np.arange(3) * x).sum()))


if __name__ == "__main__":
    found = {
        "np": np.__name__, "beside": beside.numpy.__name__, "deep": deep.np.__name__, "library": library.np.__name__,
        "name": __name__, "file": __file__, "argv": sys.argv, "path": sys.path[0], "package": __package__,
        "source": inspect.getsource(doubled), "main": sys.modules["__main__"].doubled is doubled,
        "pickled": float(pickle.loads(pickle.dumps(Kept(np.ones(3)))).x.sum()),
    }
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            found[method] = pool.map(doubled, [2, 3])
    print(json.dumps(found))
    sys.exit(7)
'''


def test_a_program(tmp_path: Path) -> None:
    written(tmp_path, whole=WHOLE, beside="import numpy.linalg\nimport numpy\n", package__in____init__="",
            package__in__deep="import numpy as np\n")
    library = written(tmp_path.parent / f"{tmp_path.name}-library", library="import numpy as np\n")
    done = run("whole.py", "--report", "-x", "--", "a b", cwd=tmp_path, PYTHONPATH=str(library),
               ASNUMPY_CANN="off")  # a forked process has no device
    assert done.returncode == 7, done.stderr
    found = json.loads(done.stdout)
    assert done.stderr == ""
    source = found.pop("source")
    assert source == "def doubled(x):\n    return (np.__name__, float((np.arange(3) * x).sum()))\n"
    assert found == {
        "np": "asnumpy", "beside": "asnumpy", "deep": "asnumpy", "library": "numpy", "name": "__main__",
        "file": str(tmp_path / "whole.py"), "argv": ["whole.py", "--report", "-x", "--", "a b"], "path": str(tmp_path),
        "package": None, "main": True, "pickled": 3.0, "fork": [["asnumpy", 6.0], ["asnumpy", 9.0]],
        "spawn": [["asnumpy", 6.0], ["asnumpy", 9.0]],
    }


RAISES = {
    "in_the_script": "import numpy as np\n\n\ndef f(x):\n    return 1 / x\n\n\nf(len(np.zeros(0)))\n",
    "in_a_module": "import numpy as np\nimport beside\n\ntry:\n    beside.f(0)\nexcept ZeroDivisionError as e:\n"
                   "    raise ValueError('caught') from e\n",
    "in_an_import": "import numpy as np\nimport wrong\n",
    "in_its_syntax": "import numpy as np\nx = = 1\n",
    "by_exit": "import numpy, sys\nsys.exit('a reason')\n",
}


@pytest.mark.parametrize("name", RAISES)
def test_what_nobody_catches_looks_the_same(tmp_path: Path, name: str) -> None:
    written(tmp_path, beside="import numpy\n\n\ndef f(x):\n    return 1 / x\n", wrong="import numpy\n\nx = (1\n",
            **{name: RAISES[name]})
    plain, ours = python(f"{name}.py", cwd=tmp_path), run(f"{name}.py", cwd=tmp_path)
    assert plain.returncode == ours.returncode == 1
    assert ours.stderr == plain.stderr
    assert ours.stdout == plain.stdout == ""


def test_a_module_and_the_standard_input(tmp_path: Path) -> None:
    written(tmp_path, package__in____init__="", package__in__other="import numpy as np\n",
            package__in____main__="import sys\nfrom .other import np\n"
                                  "print(np.__name__, __package__, sys.argv[1:], __spec__.parent)\n")
    done = run("-m", "package", "-v", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "asnumpy package ['-v'] package\n"), done.stderr
    done = run("-", "1", cwd=tmp_path, given="import numpy, sys\nprint(numpy.__name__, sys.argv)\n")
    assert (done.returncode, done.stdout) == (0, "asnumpy ['-', '1']\n"), done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["absent.py"], 2, "can't open file"),
        (["-m", "absent"], 1, "No module named absent"),
        ([], 2, "expected a script"),
        (["--compare", "-"], 2, "read once"),
    ],
)
def test_what_cannot_be_run(tmp_path: Path, arguments: list[str], status: int, said: str) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == status
    assert said in done.stderr and "Traceback" not in done.stderr


def test_help(tmp_path: Path) -> None:
    done = run("--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "--compare" in done.stdout and "script.py" in done.stdout


LATE = """import numpy as np

a = np.ones(3_000_000)
b = a * 2.0
c = np.sqrt(b)
print("recorded")
print(b[0], c[0], (a + b + c)[1])
"""


def test_a_late_failure_names_the_lines_that_recorded(tmp_path: Path) -> None:
    written(tmp_path, late=LATE)
    done = run("late.py", cwd=tmp_path, ASNUMPY_MEMORY_LIMIT="40MB", ASNUMPY_EAGER="0", ASNUMPY_CANN="off")
    assert done.returncode == 1
    assert "MemoryError" in done.stderr
    assert f"recorded at {tmp_path / 'late.py'}:" in done.stderr
    lines = done.stderr.rpartition("late.py:")[2].strip().split(",")
    assert set(map(int, lines)) <= {3, 4, 5, 7}
    assert os.fspath(tmp_path / "late.py") in done.stderr
