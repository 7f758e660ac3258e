"""The page in docs/images/profile.png: the program behind it shows what docs/profile.md says is on one."""

from __future__ import annotations

import re
from pathlib import Path

import profile_picture


def test_the_page_has_what_the_picture_is_to_show(tmp_path: Path) -> None:
    page = profile_picture.page(tmp_path).read_text(encoding="utf-8")
    assert "numpy.linalg.svd" in page and "<canvas" in page
    rows = [re.sub(r"<[^>]*>", " ", row).split() for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL)]
    (fused,) = [row for row in rows if "reduce:maximum" in row and row[0] == "program"]
    assert "6" in fused and "96.00" in fused  # calls, and the megabytes of 6 x 2 arrays of a million doubles


def test_the_picture_is_small() -> None:
    assert profile_picture.PICTURE.stat().st_size < 60_000
