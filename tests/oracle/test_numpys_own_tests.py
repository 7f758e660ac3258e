"""NumPy's own tests pass on asnumpy, those that do not have their reason; and the runner can say otherwise."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from oracle import parameters, reasons, running, stand_in

import asnumpy as ap

# Seconds each; the others are for ASNUMPY_THOROUGH=1 and tools/numpy_tests.py.
_QUICK = ("index_tricks", "stride_tricks", "twodim_base", "histograms", "ufunclike")


@pytest.mark.parametrize(
    "module", [name if name in _QUICK else pytest.param(name, marks=pytest.mark.thorough) for name in running.MODULES]
)
def test_module(module: str) -> None:
    (result,) = running.run_all([module])
    assert result.passed
    assert result.failed == {}


def outcomes(tmp_path: Path, source: str) -> dict[str, list[str]]:
    """How the tests of a module end that imports numpy and gets asnumpy."""
    file = tmp_path / "test_written.py"
    file.write_text(textwrap.dedent(source))
    return running.ended(file, tmp_path)


def test_a_test_module_sees_asnumpy(tmp_path: Path) -> None:
    ended = outcomes(tmp_path, """
        import numpy as np
        from numpy import sin
        from numpy._core import umath
        import numpy.linalg as la

        def test_functions():
            assert np.__name__ == "numpy" and type(np.ones(3)).__module__ == "asnumpy"
            for made in (sin(np.ones(3)), umath.sqrt(np.ones(3)), la.norm(np.ones((2, 2)), axis=0)):
                assert type(made) is np.ndarray and type(made).__module__ == "asnumpy"

        def test_inside_a_function():
            import numpy
            assert numpy.ndarray.__module__ == "asnumpy"

        def test_scalars():
            total = np.ones(3).sum()
            assert isinstance(total, np.floating) and type(total) is np.float64
    """)
    assert {test: how[0] for test, how in ended.items()} == {
        "test_written.py::test_functions": "passed", "test_written.py::test_inside_a_function": "passed",
        "test_written.py::test_scalars": "passed",
    }


def test_what_is_wrong_fails(tmp_path: Path) -> None:
    ended = outcomes(tmp_path, """
        import os

        import numpy as np
        import pytest
        from numpy._core.multiarray import _reconstruct
        from numpy.testing import assert_array_equal

        def test_values():
            assert_array_equal(np.arange(3), [0, 1, 3])

        def test_private():
            assert _reconstruct(np.ndarray, (0,), b"b").shape == (1,)

        @pytest.mark.parametrize("x", [np.ones(2), np.ones(-2)])
        def test_parameters(x):
            assert x.size == 2

        def test_crash():
            os.abort()

        def test_after_the_crash():
            pass
    """)
    how = {test.partition("::")[2]: outcome for test, (outcome, _) in ended.items()}
    assert how["test_values"] == "failed"
    assert how["test_private"] == "failed"
    assert sorted(how[test] for test in how if test.startswith("test_parameters")) == ["failed", "passed"]
    assert how["test_crash"] == "failed"
    assert how["test_after_the_crash"] == "passed"
    result = running.classify("written", ended, reasons.read())
    assert len(result.passed) == 2
    assert set(result.failed) >= {"written::test_values", "written::test_crash", "written::test_private"}
    assert len(result.failed) == 4  # and the parameter that cannot be made


def test_what_hangs_fails(tmp_path: Path) -> None:
    file = tmp_path / "test_written.py"
    file.write_text("import time\n\ndef test_hangs():\n    time.sleep(60)\n\ndef test_other():\n    pass\n")
    ended = running.ended(file, tmp_path, limit=8)
    assert ended["test_written.py::test_hangs"][0] == "failed"
    assert ended["test_written.py::test_other"] == ["passed", ""]


def test_what_is_not_collected_fails() -> None:
    cases = Counter({"f::lost": 3, "f::whole": 1, "f::empty": 2})
    ended = {"f::lost[0]": ["passed", ""], "f::whole": ["passed", ""],
             "f::empty[NOTSET]": ["skipped", "got empty parameter set for (x)"]}
    result = running.classify("m", running.complete(ended, cases), [])
    assert len(result.passed) == 2 and not result.not_run
    assert sorted(result.failed) == [
        "m::empty[not collected 0]", "m::empty[not collected 1]", "m::lost[not collected 1]", "m::lost[not collected 2]"
    ]


def test_numpys_cases_are_counted() -> None:
    counted = running.cases_of(["ufunclike", "seed_sequence"])
    assert counted["ufunclike"]["test_ufunclike.py::TestUfunclike::test_isposinf"] == 1
    assert set(counted["seed_sequence"].values()) == {1}


def test_shares_are_all_of_it(tmp_path: Path) -> None:
    file = tmp_path / "test_written.py"
    file.write_text("import pytest\n\n@pytest.mark.parametrize('x', range(5))\ndef test_x(x):\n    assert x != 3\n")
    shares = [running.ended(file, tmp_path, ["--share", f"{number}/2"]) for number in range(2)]
    assert [len(share) for share in shares] == [3, 2]
    assert len(shares[0] | shares[1]) == 5


def test_names_that_asnumpy_lacks_are_not_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(ap, "sinc")
    with pytest.raises(stand_in.Lacking, match=r"asnumpy has no numpy\.sinc"):
        stand_in.resolve("numpy.sinc", np.sinc)
    private = stand_in.stand_in("numpy._core.shape_base")
    assert private._block_setup is np._core.shape_base._block_setup  # type: ignore[attr-defined]
    assert private.hstack is ap.hstack
    assert "sinc" not in stand_in.stand_in("numpy").__dict__
    assert stand_in.stand_in("numpy.lib._index_tricks_impl").mgrid is ap.mgrid
    assert stand_in.stand_in("numpy._core.umath").__dict__["add"] is ap.add
    assert stand_in.resolve("numpy._core.numeric.ones", np.ones) is ap.ones
    assert stand_in.resolve("numpy.float32", np.float32) is np.float32


def test_what_cannot_be_made_is_left_out() -> None:
    code = parameters.compiled("class A:\n    a = 1\n    b = missing_name\n    c = a + 1\n", "written.py")
    names: dict[str, object] = dict(parameters.NAMES)
    exec(code, names)
    made = names["A"]
    assert made.c == 2  # type: ignore[attr-defined]
    with pytest.raises(NameError, match="missing_name"):
        made.b()  # type: ignore[attr-defined]


def test_reasons_are_read(tmp_path: Path) -> None:
    file = tmp_path / "reasons.toml"
    one = '[[differs]]\nreason = "one"\ntests = ["a::T::*_x"]\n'
    file.write_text(one + '[[differs]]\nreason = "two"\nerror = "^Type"\n')
    rules = reasons.read(file)
    first = reasons.explain(rules, "a::T::test_x[1-f]", "ValueError")
    second = reasons.explain(rules, "b::u", "TypeError")
    assert first is not None and (first[0].reason, first[1]) == ("one", "a::T::*_x")
    assert second is not None and (second[0].reason, second[1]) == ("two", "")
    assert reasons.explain(rules, "b::u", "ValueError: Type") is None
    file.write_text('[[differs]]\ntests = ["a"]\n')
    with pytest.raises(ValueError, match="has a reason"):
        reasons.read(file)


def test_complaints() -> None:
    rules = [reasons.Rule("r", ("m::used", "m::unused"), None), reasons.Rule("no such error", (), "^Nothing")]
    outcome = {"f::used": ["failed", "E"], "f::odd": ["failed", "E"], "f::fine": ["passed", ""]}
    result = running.classify("m", outcome, rules)
    assert result.percent == pytest.approx(100 / 3)
    said = running.complaints([result])
    assert len(said) == 2
    assert all(word in line for word, line in zip(("m::odd", "1 of 3 pass"), said, strict=True))
    assert running.unused([result], rules) == ["'m::unused': r", "'^Nothing': no such error"]


def test_the_command(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / "tools" / "numpy_tests.py"
    command = [sys.executable, str(script), "--module", "seed_sequence", "--check", "--json", str(tmp_path / "x")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((tmp_path / "x").read_text())["seed_sequence"]["percent"] >= running.TARGET
