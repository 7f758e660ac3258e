"""Draws docs/images/profile.png: the page of a profile, as a headless browser shows it.

`python tools/profile_picture.py` needs pillow and Chromium or Chrome (`--browser` names another program that
takes its options). The times in it are this machine's.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "profile.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1300, 1290
COLOURS = 48  # of the palette, which keeps the file small; of fewer the rare ones become others

# What is profiled: two threads, fused programs, lines that run together, what NumPy computes.
PROGRAM = '''\
import threading

import numpy as np

import asnumpy as ap

rng = np.random.default_rng(1)
times = ap.asarray(rng.random(1_000_000))


def mix():
    sources = ap.asarray(rng.random((500, 500)))
    for _ in range(6):
        sources = ap.tanh(sources @ sources * 0.01)
    ap.eval(sources)


def look(steps):
    for _ in range(steps):
        heights = ap.sin(times) * 0.5 + ap.sqrt(abs(times))
        strongest = float(heights.max())
    chances = ap.exp(heights.reshape(1000, -1))
    chances = chances / chances.sum(axis=1, keepdims=True)
    order = ap.sort(heights)
    along = ap.cumsum(order)
    ap.eval(chances, along)
    np.linalg.svd(ap.asarray(rng.random((60, 60))))
    return strongest


mix()
look(12)
with ap.profile(save="profile.html"):
    mixing = threading.Thread(target=mix)
    mixing.start()
    look(6)
    mixing.join()
'''


def page(folder: Path) -> Path:
    """The page that the program saves."""
    (folder / "waves.py").write_text(PROGRAM, encoding="utf-8")
    environment = {**os.environ, "ASNUMPY_DEVICE": "cpu", "PYTHONWARNINGS": "ignore"}
    subprocess.run([sys.executable, "waves.py"], cwd=folder, env=environment, check=True)
    return folder / "profile.html"


def draw(browser: str, page: Path, picture: Path) -> None:
    """What the browser shows of the page, with as few colours as it has."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
             f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={picture}", page.as_uri()],
            check=True, capture_output=True, timeout=120,
        )
    shown = Image.open(picture).convert("RGB")
    shown.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(picture, optimize=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", help=f"the program (the first there is of {', '.join(BROWSERS)})")
    parser.add_argument("--output", type=Path, default=PICTURE, help="the picture (docs/images/profile.png)")
    options = parser.parse_args()
    browser = options.browser or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"profile_picture: expected one of {', '.join(BROWSERS)} on the path, or --browser", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        draw(browser, page(Path(folder)), options.output.resolve())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
