"""astropy writes arrays of ours into FITS files: it asks for NumPy's class."""

from __future__ import annotations

import importlib
from typing import Any

from asnumpy.host.passing import taking_numpys
from asnumpy.interop.arrivals import change, change_methods

_fits: Any = importlib.import_module("astropy.io.fits")
_convenience: Any = importlib.import_module("astropy.io.fits.convenience")
change("astropy", _convenience, ["writeto", "append", "update"], taking_numpys)
_image: Any = importlib.import_module("astropy.io.fits.hdu.image")._ImageBaseHDU
_image.data = _image.data.setter(taking_numpys(_image.data.fset))
for _kind in (_fits.PrimaryHDU, _fits.ImageHDU, _fits.CompImageHDU, _fits.Column):
    change_methods(_kind, ["__init__"], taking_numpys)
