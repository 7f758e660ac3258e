"""Power series: sums of powers of x."""

from asnumpy.polynomial._polynomial import (
    Polynomial,
    polyadd,
    polycompanion,
    polyder,
    polydiv,
    polydomain,
    polyfit,
    polyfromroots,
    polygrid2d,
    polygrid3d,
    polyint,
    polyline,
    polymul,
    polymulx,
    polyone,
    polypow,
    polyroots,
    polysub,
    polytrim,
    polyval,
    polyval2d,
    polyval3d,
    polyvalfromroots,
    polyvander,
    polyvander2d,
    polyvander3d,
    polyx,
    polyzero,
)

__all__ = [
    "polyzero", "polyone", "polyx", "polydomain", "polyline", "polyadd", "polysub", "polymulx", "polymul", "polydiv",
    "polypow", "polyval", "polyvalfromroots", "polyder", "polyint", "polyfromroots", "polyvander", "polyfit",
    "polytrim", "polyroots", "Polynomial", "polyval2d", "polyval3d", "polygrid2d", "polygrid3d", "polyvander2d",
    "polyvander3d", "polycompanion",
]
