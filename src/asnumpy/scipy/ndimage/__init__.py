"""asnumpy.scipy.ndimage: the names of scipy.ndimage; common filters, morphology, interpolation are compositions."""

from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.ndimage._binary import (
    binary_closing, binary_dilation, binary_erosion, binary_hit_or_miss, binary_opening,
)
from asnumpy.scipy.ndimage._correlation import (
    convolve, convolve1d, correlate, correlate1d, gaussian_filter, gaussian_filter1d,
)
from asnumpy.scipy.ndimage._derivatives import (
    gaussian_gradient_magnitude, gaussian_laplace, generic_gradient_magnitude, generic_laplace, laplace, prewitt, sobel,
)
from asnumpy.scipy.ndimage._grey import (
    black_tophat, grey_closing, grey_dilation, grey_erosion, grey_opening, morphological_gradient,
    morphological_laplace, white_tophat,
)
from asnumpy.scipy.ndimage._interpolation import spline_filter, spline_filter1d
from asnumpy.scipy.ndimage._labels import (
    center_of_mass, histogram, maximum, mean, median, minimum, standard_deviation, sum, sum_labels, variance,
)
from asnumpy.scipy.ndimage._on_host import (
    affine_transform, map_coordinates, rotate, shift, uniform_filter, uniform_filter1d, zoom,
)
from asnumpy.scipy.ndimage._order import (
    maximum_filter, maximum_filter1d, median_filter, minimum_filter, minimum_filter1d, percentile_filter, rank_filter,
)

__all__ = [
    "affine_transform", "binary_closing", "binary_dilation", "binary_erosion", "binary_hit_or_miss",
    "binary_opening", "black_tophat", "center_of_mass", "convolve", "convolve1d", "correlate", "correlate1d",
    "gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace",
    "generic_gradient_magnitude", "generic_laplace", "grey_closing", "grey_dilation", "grey_erosion",
    "grey_opening", "histogram", "laplace", "map_coordinates", "maximum", "maximum_filter", "maximum_filter1d",
    "mean", "median", "median_filter", "minimum", "minimum_filter", "minimum_filter1d", "morphological_gradient",
    "morphological_laplace", "percentile_filter", "prewitt", "rank_filter", "rotate", "shift", "sobel",
    "spline_filter", "spline_filter1d", "standard_deviation", "sum", "sum_labels", "uniform_filter",
    "uniform_filter1d", "variance", "white_tophat", "zoom",
]
__getattr__, __dir__ = _names_of(globals())
