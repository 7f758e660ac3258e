"""matplotlib over arrays and Numbers of ours, beside the same calls with NumPy's: where it asks for NumPy's class.

What else was tried with it is in tools/ecosystem_probes.py.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import asnumpy as ap

plt: Any = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
cm: Any = pytest.importorskip("matplotlib.cm")
colors: Any = pytest.importorskip("matplotlib.colors")
VALUES = np.arange(64.0).reshape(8, 8) / 64
COLOURS = np.array([[0.1, 0.2, 0.3], [0.9, 0.2, 0.1], [0.2, 0.7, 0.3]])
CORNERS = np.array([[0.1, 0.1], [0.8, 0.2], [0.5, 0.9]])


def drawn(xp: Any, draw: Callable[[Any, Any], None]) -> Any:
    """The pixels of a figure on which this was drawn."""
    figure = plt.figure(figsize=(2, 2))
    try:
        draw(xp, figure.add_subplot())
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba()).copy()
    finally:
        plt.close(figure)


def stream(xp: Any, axes: Any) -> None:
    values, places = xp.asarray(VALUES), xp.arange(8.0)
    axes.streamplot(places, places, values + 0.1, values.T + 0.1, color=values, linewidth=values * 3, density=0.3)


def stream_by_name(xp: Any, axes: Any) -> None:
    values = xp.asarray(VALUES)
    named = {"places": xp.arange(8.0), "across": values + 0.1, "up": values.T + 0.1}
    axes.streamplot("places", "places", "across", "up", linewidth=values, density=0.3, data=named)


def light(xp: Any, axes: Any) -> None:
    lit = colors.LightSource(xp.array([200.0])[0], 40).hillshade(xp.asarray(VALUES), dx=xp.array([0.5])[0])
    assert type(lit) is np.ndarray
    axes.imshow(lit)


def colours_of_lines(xp: Any, axes: Any) -> None:
    colours = xp.asarray(COLOURS)
    line, = axes.plot(xp.arange(4.0), "o--", color=colours[0], gapcolor=colours[1], ms=9, label="u")
    line.set_markerfacecolor(colours[1])
    line.set_markeredgecolor(colours[2])
    axes.plot(xp.arange(4.0) + 1, "o", fillstyle="left", markerfacecoloralt=colours[2], label="v")
    axes.tick_params(color=colours[1])
    axes.legend(labelcolor="mfc")


def markers(xp: Any, axes: Any) -> None:
    axes.scatter(xp.arange(4), xp.arange(4), s=xp.arange(4) * 90, marker=xp.asarray(CORNERS))
    axes.plot(xp.arange(4), marker=xp.asarray(CORNERS), ms=xp.arange(30)[20])


def limits(xp: Any, axes: Any) -> None:
    axes.set_xlim(xp.array([0.5]), xp.array([3.0]))


def spectra(xp: Any, axes: Any) -> None:
    count = xp.array([96, 128])
    axes.psd(np.sin(np.arange(600.0)), NFFT=count[0], pad_to=count[1])
    axes.specgram(xp.sin(xp.arange(600.0)), NFFT=count[0], noverlap=xp.array([3])[0])


@pytest.mark.parametrize("draw", [stream, stream_by_name, light, colours_of_lines, markers, limits, spectra])
def test_pixels_are_numpys(draw: Callable[[Any, Any], None]) -> None:
    pixels = drawn(np, draw)
    assert (pixels != drawn(np, lambda xp, axes: None)).any()
    np.testing.assert_array_equal(drawn(ap, draw), pixels)


def test_colours_are_no_values() -> None:
    """An array of colours is a picture already: by its class it would be values, silently."""
    mappable = cm.ScalarMappable(cmap="jet")
    for picture in (np.stack([VALUES] * 3, axis=-1), (np.stack([VALUES] * 4, axis=-1) * 255).astype("uint8")):
        coloured = mappable.to_rgba(ap.asarray(picture))
        assert type(coloured) is np.ndarray
        np.testing.assert_array_equal(coloured, mappable.to_rgba(picture))
    np.testing.assert_array_equal(mappable.to_rgba(ap.asarray(VALUES)), mappable.to_rgba(VALUES))


def test_layout_by_constraints() -> None:
    """Places and not pixels are compared: the solver's roundings are others each time."""

    def places(xp: Any) -> Any:
        widths = xp.array([0.1, 0.3])
        figure, axes = plt.subplots(layout="constrained")
        figure.get_layout_engine().set(w_pad=widths[0])
        figure.colorbar(axes.imshow(xp.asarray(VALUES)), pad=widths[1])
        figure.canvas.draw()
        plt.close(figure)
        return [one.get_position().bounds for one in figure.axes]

    np.testing.assert_allclose(places(ap), places(np), atol=1e-6)


def test_numbers_in_files() -> None:
    def written(xp: Any) -> bytes:
        file = io.BytesIO()
        figure = plt.figure()
        figure.add_subplot().plot([1, 2], lw=xp.array([2.5])[0], alpha=xp.array([0.5])[0])
        figure.savefig(file, format="pdf", metadata={"CreationDate": None})
        plt.close(figure)
        return file.getvalue()

    assert written(ap) == written(np)


def test_in_either_order_of_imports() -> None:
    lines = [
        "import warnings", "warnings.filterwarnings('error', 'asnumpy')",
        "import matplotlib", "matplotlib.use('Agg')", "{}",
        "x, a = ap.arange(8.0), ap.arange(64.0).reshape(8, 8) / 64",
        "plt.streamplot(x, x, a + 0.1, a.T + 0.1, color=a, linewidth=a, density=0.2)",
        "plt.psd(x, NFFT=ap.array([8])[0])",
    ]  # fmt: skip
    orders = ["import matplotlib.pyplot as plt, asnumpy as ap", "import asnumpy as ap, matplotlib.pyplot as plt"]
    for order in orders:
        code = "\n".join(lines).format(order)
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
        assert run.returncode == 0, run.stderr[-2000:]
