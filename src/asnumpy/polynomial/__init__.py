"""asnumpy.polynomial: power, Chebyshev, Legendre, Laguerre and Hermite series over arrays of ours."""

from numpy.polynomial import set_default_printstyle

from asnumpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils
from asnumpy.polynomial.chebyshev import Chebyshev
from asnumpy.polynomial.hermite import Hermite
from asnumpy.polynomial.hermite_e import HermiteE
from asnumpy.polynomial.laguerre import Laguerre
from asnumpy.polynomial.legendre import Legendre
from asnumpy.polynomial.polynomial import Polynomial

__all__ = [
    "set_default_printstyle",
    "polynomial", "Polynomial",
    "chebyshev", "Chebyshev",
    "legendre", "Legendre",
    "hermite", "Hermite",
    "hermite_e", "HermiteE",
    "laguerre", "Laguerre",
    "polyutils",
]
