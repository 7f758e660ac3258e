"""asnumpy.scipy.special: the functions of scipy.special, those that are compositions of array operations fused."""

from asnumpy.elementwise.functions import sinc
from asnumpy.scipy._names import names_of as _names_of
from asnumpy.scipy.special._axes import log_softmax, logsumexp, softmax
from asnumpy.scipy.special._bessel import i0, i0e
from asnumpy.scipy.special._entropy import entr, huber, kl_div, pseudo_huber, rel_entr, xlog1py, xlogy
from asnumpy.scipy.special._exponential import (
    boxcox, boxcox1p, cbrt, cosm1, exp10, exp2, expit, expm1, exprel, inv_boxcox, inv_boxcox1p, log1p, log_expit,
    logit,
)
from asnumpy.scipy.special._normal import erf, erfc, erfcinv, erfinv, ndtr, ndtri

__all__ = [
    "boxcox", "boxcox1p", "cbrt", "cosm1", "entr", "erf", "erfc", "erfcinv", "erfinv", "exp10", "exp2", "expit",
    "expm1", "exprel", "huber", "i0", "i0e", "inv_boxcox", "inv_boxcox1p", "kl_div", "log1p", "log_expit",
    "log_softmax", "logit", "logsumexp", "ndtr", "ndtri", "pseudo_huber", "rel_entr", "sinc", "softmax", "xlog1py",
    "xlogy",
]
__getattr__, __dir__ = _names_of(globals())
