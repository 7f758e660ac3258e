"""matplotlib draws arrays and Numbers of ours as NumPy's also where it asks for NumPy's class.

Colours and widths of `streamplot`, pictures for `to_rgba`, arrays as markers and limits of one element; Numbers as
lengths of spectra, in layouts by constraints and in PDF files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from asnumpy.host.keys import numpys
from asnumpy.host.passing import changing_arguments, taking_numpys
from asnumpy.interop.arrivals import change, change_methods, together

# By modules, whose classes have these methods in some versions.
_METHODS: dict[str, dict[str, tuple[str, ...]]] = {
    "matplotlib._layoutgrid": {"LayoutGrid": ("edit_margin",)},
    "matplotlib.axes._axes": {"Axes": ("streamplot",)},
    "matplotlib.axes._base": {"_AxesBase": ("_validate_converted_limits",)},
    "matplotlib.cm": {"ScalarMappable": ("to_rgba",)},
    "matplotlib.colorizer": {"Colorizer": ("to_rgba",)},
    "matplotlib.colors": {"LightSource": ("hillshade",)},
    "matplotlib.lines": {
        # A line keeps its colours as they are, and a legend asks for their class.
        "Line2D": (
            "set_color", "set_gapcolor", "set_markeredgecolor", "set_markerfacecolor", "set_markerfacecoloralt",
        ),
    },
    "matplotlib.markers": {"MarkerStyle": ("__init__",)},
}  # fmt: skip
_FUNCTIONS = {
    "matplotlib.backends.backend_pdf": ("pdfRepr", changing_arguments(numpys)),  # called for each number in a file
    "matplotlib.mlab": ("_spectral_helper", taking_numpys),
    "matplotlib.streamplot": ("streamplot", taking_numpys),
}


def _letting_in(module: str) -> Callable[[], None]:
    def let_in() -> None:
        for kind, methods in _METHODS.get(module, {}).items():
            theirs = getattr(sys.modules[module], kind)
            change_methods(theirs, [name for name in methods if name in vars(theirs)], taking_numpys)
        if module in _FUNCTIONS:
            function, how = _FUNCTIONS[module]
            change("matplotlib", sys.modules[module], [function], how)

    return let_in


for _module in (*_METHODS, *_FUNCTIONS):
    together(_module, _letting_in(_module))
