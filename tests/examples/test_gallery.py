"""The gallery: each page shows what it says, has its picture, compares with NumPy, and is in the index."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import documented
import numpy as np
import one_import
import pytest

ROOT = Path(__file__).resolve().parents[2]
GALLERY = ROOT / "docs" / "gallery"
PAGES = sorted(page.stem for page in GALLERY.glob("*.md") if page.stem != "index")
LINK = re.compile(r"\]\(([^)#]+)")
NOT_THERE = "no_such_page"

pytest.importorskip("matplotlib", reason="the gallery draws with matplotlib, which is not installed")


@functools.cache
def drawn(configuration: str) -> tuple[Path, str, str]:
    """All pages in one process: the folder of their pictures, what the tool printed, and its errors."""
    environment = {
        name: value for name, value in os.environ.items()
        if not name.startswith(("ASNUMPY_", "CANNSIM_")) or name in ("ASNUMPY_EAGER", "ASNUMPY_CANNSIM_LIB")
    }
    folder = Path(tempfile.mkdtemp(prefix="asnumpy-gallery-"))
    done = subprocess.run(
        [sys.executable, "tools/gallery.py", *PAGES, NOT_THERE, "--output", str(folder)], cwd=ROOT, capture_output=True,
        env={**environment, **one_import.CONFIGURATIONS[configuration]}, text=True, check=False, timeout=280,
    )
    assert done.returncode == 1 and f"{NOT_THERE}: failed" in done.stdout, done.stderr  # a page that fails is told
    return folder, done.stdout, done.stderr


def results_shown(page: str, configuration: str) -> int:
    """How many results were as the page shows them."""
    _, printed, errors = drawn(configuration)
    found = re.search(rf"^{page}: (\d+) results", printed, re.MULTILINE)
    assert found, errors
    return int(found[1])


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_it_says(page: str) -> None:
    assert results_shown(page, "cpu") >= 2


@pytest.mark.thorough
@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_the_same_on_a_simulated_npu(page: str) -> None:
    assert results_shown(page, "npu") == results_shown(page, "cpu")


@pytest.mark.parametrize("name", [f"{page}{suffix}.png" for page in PAGES for suffix in ("", "-small")])
def test_the_picture_is_what_the_page_draws(name: str) -> None:
    """But for letters, whose shapes depend on the version of matplotlib."""
    from matplotlib import image

    assert (GALLERY / "images" / name).stat().st_size < 60_000
    kept, now = image.imread(GALLERY / "images" / name), image.imread(drawn("cpu")[0] / name)
    assert kept.shape == now.shape and kept.std() > 0.02
    assert np.abs(kept - now).mean() < 0.02


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole(page: str) -> None:
    text = (GALLERY / f"{page}.md").read_text()
    blocks = [block for _, block in documented.blocks(GALLERY / f"{page}.md")]
    assert blocks[0].startswith("import asnumpy as ap\n")
    assert text.count(f"](images/{page}.png)") == 1 and text.count("](images/") == 1
    assert "figure" in blocks[-1] and "\n**On an NPU** " in text
    compared = [line for line in text.splitlines() if re.search(r"(np\.allclose|np\.isclose|==).*# \(?True", line)]
    assert compared and "NumPy" in text
    assert all((GALLERY / link).exists() for link in LINK.findall(text) if "://" not in link)


def test_the_index_has_every_page_with_its_thumbnail() -> None:
    text = (GALLERY / "index.md").read_text()
    assert len(PAGES) >= 15
    for page in PAGES:
        title = (GALLERY / f"{page}.md").read_text().splitlines()[0].removeprefix("# ")
        assert f"| [![{title}](images/{page}-small.png)]({page}.md) | [{title}]({page}.md) |" in text
    assert all((GALLERY / link).exists() for link in LINK.findall(text))
    assert "](gallery/index.md)" in (ROOT / "docs" / "index.md").read_text()


def test_no_picture_is_left_over() -> None:
    names = {f"{page}{suffix}.png" for page in PAGES for suffix in ("", "-small")}
    assert {path.name for path in (GALLERY / "images").iterdir()} == names
