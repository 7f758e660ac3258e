"""What the demonstration leaves behind: the table on the terminal, the plot, and the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = ("work", "size", "NumPy ms", "asnumpy ms", "ratio", "agreement")
SIMULATED = (
    "work", "size", "NumPy ms (measured)", "host ms (measured, simulated device)", "device ms (modelled)", "agreement"
)


@dataclass
class Outcome:
    """One measured workload."""

    group: str
    name: str
    size: str
    numpy_seconds: float
    asnumpy_seconds: float
    agrees: bool
    agreement: str
    modelled_seconds: float | None = None  # on a simulated device: its clock's
    left: bool = False  # some of it ran on the host in the device's stead

    @property
    def ratio(self) -> float:
        return self.numpy_seconds / self.asnumpy_seconds

    def cells(self) -> tuple[str, ...]:
        # A simulator's time says nothing about a device's, so there is no ratio of it to NumPy's.
        if self.modelled_seconds is None:
            last = f"{self.ratio:.2f}"
        else:
            last = f"{self.modelled_seconds * 1e3:.3f}{'*' if self.left else ' '}"
        return (
            self.name,
            self.size,
            f"{self.numpy_seconds * 1e3:.3f}",
            f"{self.asnumpy_seconds * 1e3:.3f}",
            last,
            self.agreement if self.agrees else f"WRONG: {self.agreement}",
        )


def table(outcomes: Sequence[Outcome]) -> str:
    """Return the outcomes as aligned text."""
    simulated = any(outcome.modelled_seconds is not None for outcome in outcomes)
    lines = [SIMULATED if simulated else COLUMNS, *(outcome.cells() for outcome in outcomes)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    text = []
    for line in lines:
        cells = [c.rjust(w) if 2 <= i <= 4 else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))]
        text.append("  ".join(cells).rstrip())
    text.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(text)


def about_simulation(chip: str) -> str:
    """Return what the figures in the table of a simulated device are."""
    return (
        "Nothing ran on hardware. NumPy ms and host ms are measured on this host, whose processor computes for the\n"
        f"simulator. Device ms is modelled, from the first launch to the end of the last task: an {chip} by its\n"
        "published bandwidth and peak rates, with estimates of what a launch, a call and a copy to the host cost.\n"
        "Matrix products count at the rate of their dtype; float64 counts at the vector units' rate for float32,\n"
        "faster than the chip. It is not measured, and nothing here says how fast a device is beside NumPy.\n"
        "With a *: some of it ran on the host instead; the model has the copies there and back, not the work."
    )


def about_fallbacks(fallbacks: Sequence[dict[str, Any]]) -> str:
    """Return one line on what a device left to the host."""
    counts: dict[str, int] = {}
    for one in fallbacks:
        if one["device"] == "cpu":
            continue
        work = f"{one['function']} ({one['dtypes']})"
        counts[work] = counts.get(work, 0) + one["count"]
    return "left to the host: " + (", ".join(f"{work} {n} times" for work, n in counts.items()) or "nothing")


def save_plot(outcomes: Sequence[Outcome], path: Path, title: str) -> None:
    """Draw how many times faster than NumPy each workload ran."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 0.42 * len(outcomes) + 1.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    groups = list(dict.fromkeys(o.group for o in outcomes))
    places = np.arange(len(outcomes))
    ratios = [o.ratio for o in outcomes]
    axes.barh(places, ratios, color=[f"C{groups.index(o.group)}" for o in outcomes])
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(places, [f"{o.name}\n{o.size}" for o in outcomes], fontsize=7)
    axes.invert_yaxis()
    for place, outcome in zip(places, outcomes, strict=True):
        axes.annotate(
            f" {outcome.ratio:.2f}  ({outcome.numpy_seconds * 1e3:.3g} ms to {outcome.asnumpy_seconds * 1e3:.3g} ms)",
            (outcome.ratio, place), va="center", fontsize=7,
        )
    axes.set_xlim(0, max(ratios) * 1.35)
    axes.set_xlabel("times as fast as NumPy (the line: as fast)")
    axes.set_title(title, fontsize=9)
    figure.savefig(path, dpi=120)


def save_pictures(before: np.ndarray, after: np.ndarray, edges: np.ndarray, folder: Path) -> list[Path]:
    """Save the first picture of a batch: as it was, equalised, and its edges; return the files."""
    from matplotlib import image

    def as_bytes(picture: Any) -> np.ndarray:
        made: np.ndarray = (np.clip(picture, 0, 1) * 255 + 0.5).astype(np.uint8)
        return made

    pictures = {
        "photograph.png": as_bytes(before[0]),
        "equalised.png": as_bytes(after[0]),
        "edges.png": np.repeat(as_bytes(edges[0].astype(np.float32))[:, :, None], 3, axis=2),
    }
    for name, pixels in pictures.items():
        image.imsave(folder / name, pixels)
    return [folder / name for name in pictures]
