"""The examples print, save and draw with asnumpy what they do with NumPy: on the CPU and on simulated NPUs."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import one_import
import pytest
from failing import reason_to_fail

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py") if one_import.LINE in path.read_text())
CONFIGURATIONS = [name for name in one_import.CONFIGURATIONS if name != "numpy"]

pytest.importorskip("matplotlib", reason="the examples draw with matplotlib, which is not installed")


@functools.cache
def run_all(configuration: str) -> tuple[Path, dict[str, dict[str, Any]]]:
    """All programs with one library: the folder of what they saved, and what they said."""
    folder = Path(tempfile.mkdtemp(prefix="asnumpy-examples-"))
    programs = {
        name: {
            "source": (EXAMPLES / name).read_text(), "path": str(EXAMPLES / name),
            "arguments": ["--output", str(folder / name)],
        }
        for name in PROGRAMS
    }
    return folder, one_import.outcomes(programs, configuration)


def assert_same_data(got: Path, expected: Path) -> None:
    with np.load(got) as mine, np.load(expected) as plain:
        assert mine.files == plain.files
        for name in plain.files:
            assert mine[name].dtype == plain[name].dtype, name
            if plain[name].dtype.kind in "fc":
                rounding = np.finfo(plain[name].dtype).eps
                small = 1e3 * rounding * np.nanmax(np.abs(plain[name]))
                np.testing.assert_allclose(mine[name], plain[name], rtol=1e5 * rounding, atol=small, err_msg=name)
            else:
                np.testing.assert_array_equal(mine[name], plain[name], err_msg=name)


def assert_same_picture(got: Path, expected: Path) -> None:
    """All but a few pixels are the same: a line may fall on the other side of one."""
    from matplotlib import image

    mine, plain = image.imread(got), image.imread(expected)
    assert mine.shape == plain.shape
    assert plain.std() > 0.02, "the picture shows nothing"
    assert np.mean(np.abs(mine - plain) > 0.02) < 0.001


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_same_as_with_numpy(program: str, configuration: str, request: pytest.FixtureRequest) -> None:
    if reason := reason_to_fail(program, "cpu" if configuration == "cpu" else "npu"):
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))
    folder, plain = run_all("numpy")
    assert not plain[program]["error"], plain[program]["error"]
    assert not plain[program]["warnings"], plain[program]["warnings"]
    mine_folder, mine = run_all(configuration)
    assert not mine[program]["error"], mine[program]["error"]
    expected = plain[program]["printed"].replace(str(folder), "")
    assert mine[program]["printed"].replace(str(mine_folder), "") == expected
    saved = sorted(path.name for path in (folder / program).iterdir())
    assert sorted(path.name for path in (mine_folder / program).iterdir()) == saved
    assert any(name.endswith(".png") for name in saved) and any(name.endswith(".npz") for name in saved)
    for name in saved:
        compare = assert_same_data if name.endswith(".npz") else assert_same_picture
        compare(mine_folder / program / name, folder / program / name)
    if configuration == "cpu":
        assert not mine[program]["warnings"]
    else:  # work that leaves the device is reported, nothing else
        assert not [said for said in mine[program]["warnings"] if not said.startswith("FallbackWarning")]
