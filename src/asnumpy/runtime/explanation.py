"""What `explain` returns: a text that a notebook shows as a picture. What draws is loaded when somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

# `look` gives the package that draws (asnumpy.look). The package says it.
offered: dict[str, Callable[[], ModuleType]] = {}


def look() -> ModuleType:
    """The package that draws."""
    return offered["look"]()


class Explanation(str):
    """The text of programs, which notebooks show as a graph.

    `programs` is the part of the text that says what runs, without code.
    """

    programs: str

    def __new__(cls, programs: str, code: str = "") -> Explanation:
        made = super().__new__(cls, programs + code)
        made.programs = programs
        return made

    def svg(self) -> str:
        """The graph as a picture: operations with dtypes and shapes, arrays and constants, what runs together.

        Returns a str with an SVG that needs nothing beside it, empty where nothing is pending.
        """
        drawing = look()
        return str(drawing.svg(drawing.read(self.programs)))

    def _repr_svg_(self) -> str | None:
        return self.svg() or None
