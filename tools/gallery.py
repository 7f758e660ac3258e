"""Runs the pages of docs/gallery and draws their pictures.

`python tools/gallery.py` writes those of all pages beside them, `python tools/gallery.py kmeans heat --output pictures`
those of two pages to another folder. A page runs as tests/documented.py runs it, on the default device, and leaves what
is to be drawn in `figure`.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import documented

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "gallery"
DPI = 90
COLOURS = 96  # of a picture's palette, which keeps files small
THUMBNAIL = (240, 150)  # the box into which a thumbnail fits


def pages() -> list[Path]:
    return [page for page in sorted(FOLDER.glob("*.md")) if page.stem != "index"]


def draw(page: Path, folder: Path) -> int:
    """Runs a page and saves its picture and a thumbnail; how many of its promises were kept."""
    names: dict[str, Any] = {}
    with matplotlib.style.context("default"):
        kept, absent = documented.run(page, names)
        if absent:
            raise ModuleNotFoundError(f"{page.name} needs {', '.join(absent)}")
        large = folder / f"{page.stem}.png"
        names["figure"].savefig(large, dpi=DPI, metadata={"Software": None})  # nothing that names a version
        plt.close("all")
    picture = Image.open(large).convert("RGB")
    small = picture.copy()
    small.thumbnail(THUMBNAIL, Image.Resampling.LANCZOS)
    for image, path in ((picture, large), (small, folder / f"{page.stem}-small.png")):
        image.quantize(COLOURS, method=Image.Quantize.MEDIANCUT).save(path, optimize=True)
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="names of pages, without .md (all)")
    parser.add_argument("--output", type=Path, default=FOLDER / "images", help="folder for the pictures")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    failed = 0
    for page in [FOLDER / f"{name}.md" for name in options.pages] or pages():
        start = time.perf_counter()
        try:
            kept = draw(page, options.output)
        except Exception:
            traceback.print_exc()
            print(f"{page.stem}: failed", flush=True)
            failed += 1
        else:
            seconds = time.perf_counter() - start
            print(f"{page.stem}: {kept} results as the page shows them, {seconds:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
