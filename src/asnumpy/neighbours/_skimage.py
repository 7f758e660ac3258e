"""scikit-image's functions that ask for NumPy's class take arrays and Numbers of ours; what they give stays NumPy's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from asnumpy.host.passing import changing_arguments, numpys_within
from asnumpy.interop.arrivals import put, together

# By modules, which the package imports when their names are first asked for.
_ASKING = {
    "skimage.feature._fisher_vector": ("learn_gmm", "fisher_vector"),
    "skimage.measure._marching_cubes_lewiner": ("marching_cubes",),
    "skimage.morphology.footprints": ("ball", "octahedron"),  # a grid of a Number of points had none
    "skimage.segmentation._watershed": ("watershed",),
    "skimage.transform._warps": ("warp",),
    "skimage.transform.hough_transform": ("hough_line", "hough_line_peaks", "hough_circle", "hough_circle_peaks"),
    "skimage.util.shape": ("view_as_blocks", "view_as_windows"),
}


@changing_arguments
def _taking_numpys(value: Any) -> Any:
    """What a device has is read-only on the host, and compiled loops refuse that though they only read: a copy."""
    made = numpys_within(value)
    return made.copy() if made is not value and type(made) is np.ndarray and not made.flags.writeable else made


def _letting_in(name: str, functions: tuple[str, ...]) -> Callable[[], None]:
    def let_in() -> None:
        for function in functions:
            theirs = getattr(sys.modules[name], function)
            put("skimage", function, theirs, _taking_numpys(theirs))

    return let_in


for _name, _functions in _ASKING.items():
    together(_name, _letting_in(_name, _functions))
