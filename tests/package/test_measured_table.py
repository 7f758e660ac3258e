"""The READMEs' table is a short choice from the performance page, the same in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def rows(path: Path) -> dict[tuple[str, str], list[str]]:
    """The rows of a measured table by work and size."""
    text = path.read_text()
    if "<!-- measured -->" in text:
        text = text.split("<!-- measured -->")[1].split("<!-- /measured -->")[0]
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    return {(work, size): rest for work, size, *rest in table[2:] if rest}


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_few_rows_that_the_performance_page_has(name: str) -> None:
    shown, all_rows = rows(ROOT / name), rows(ROOT / "docs" / "performance.md")
    assert 5 <= len(shown) <= 10
    for key, (numpy_ms, asnumpy_ms, ratio) in shown.items():
        measured = [cell.split()[0] for cell in all_rows[key][:3]]  # a ratio that is missed says so behind it
        for exact, rounded in zip(measured, (numpy_ms, asnumpy_ms), strict=False):  # four digits there, three here
            assert float(rounded) == pytest.approx(float(exact), rel=0.006)
        assert measured[2] == ratio


def test_both_languages_show_the_same() -> None:
    assert rows(ROOT / "README.md") == rows(ROOT / "README.zh.md")
