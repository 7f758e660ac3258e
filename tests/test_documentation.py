"""The Python blocks of README and the pages in docs run and show what the pages say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import documented
import pytest

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = [page for where in ("README*.md", "docs/*.md", "docs/zh/*.md") for page in ROOT.glob(where)]
PAGES = [page for page in sorted(WRITTEN) if documented.blocks(page)]
# what stands in a page for users of other libraries; test_torch_*.py and test_jax.py run it where they are installed
OF_OTHERS = {"docs/simulator.md: torch", "docs/frameworks.md: torch", "docs/frameworks.md: jax"}
# values that a page promises, at least: a change to the runner that sees fewer would go unnoticed
PROMISES = {
    "docs/cann.md": 6, "docs/devices.md": 3, "docs/from-cupy.md": 8, "docs/from-numpy.md": 9,
    "docs/from-torch-npu.md": 7, "docs/quick-start-npu.md": 7, "docs/zh/from-cupy.md": 8,
    "docs/zh/from-numpy.md": 9, "docs/zh/from-torch-npu.md": 7, "docs/zh/quick-start-npu.md": 7,
}


def test_the_pages_are_found() -> None:
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert names >= {"README.md", "README.zh.md"}
    assert names >= {f"docs/{name}.md" for name in ("guide", "devices", "cann", "simulator")}


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_page(page: str) -> None:
    """In a process of its own, where CANN is not at hand on two simulated devices."""
    environment = {"ASNUMPY_CANN": "sim", "CANNSIM_DEVICES": "2", **os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for name in ("ASNUMPY_DEVICE", "ASNUMPY_FALLBACK", "ASNUMPY_IMPLICIT_COPIES"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "documented", page], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=False, timeout=250,
    )
    assert done.returncode == 0, done.stderr
    kept, _, left_out = done.stdout.strip().partition(" ")
    assert int(kept) >= PROMISES.get(page, 0)
    assert {f"{page}: {name}" for name in left_out.replace(",", " ").split()} <= OF_OTHERS


def written(tmp_path: Path, *blocks: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n" + "\n".join(f"```python\n{block}```\ntext\n" for block in blocks))
    return page


@pytest.mark.parametrize(
    ("blocks", "kept"),
    [
        (["x = 1\n", "x + 1  # 2; a reason\n"], 1),
        (["y = [3]   # [3]\n"], 1),
        (["print('# no comment')\n# # no comment\n"], 1),
        (["# says what follows\nx = 2\nx    # the value\n"], 0),
        (["for n in range(2):\n    print(n)\n# 0\n# ...\n\nx = 3\n"], 1),
        (["print({'a': 1}, 5)   # and so on\n# {...} 5\n"], 1),
    ],
)
def test_what_a_page_shows(tmp_path: Path, blocks: list[str], kept: int) -> None:
    assert documented.run(written(tmp_path, *blocks)) == (kept, [])


@pytest.mark.parametrize(
    ("block", "error", "said"),
    [
        ("x = 1\nx + 1  # 3\n", AssertionError, r"page\.md:5: .*'3'.*\n2"),
        ("y = [3]   # [4]\n", AssertionError, r"\[3\]"),
        ("print(1)\n# 2\n", AssertionError, "'2'"),
        ("print(1)\n", None, ""),
        ("unknown\n", NameError, "unknown"),
        ("1 / 0  # nan\n", ZeroDivisionError, "zero"),
    ],
)
def test_what_is_wrong_fails(tmp_path: Path, block: str, error: type[Exception] | None, said: str) -> None:
    page = written(tmp_path, block)
    if error is None:
        assert documented.run(page) == (0, [])
        return
    with pytest.raises(error, match=said):
        documented.run(page)


def test_a_block_of_an_absent_library_is_named(tmp_path: Path) -> None:
    page = written(tmp_path, "import no_such_library_at_all\nx\n", "1 + 1  # 2\n")
    assert documented.run(page) == (1, ["no_such_library_at_all"])
