// Transcendental functions of complex numbers, with NumPy's special cases. Compiled once, for every machine.
#pragma once

#include <complex>

namespace asnumpy::ops {

#define ASNUMPY_COMPLEX(name)                          \
    std::complex<float> name(std::complex<float>);     \
    std::complex<double> name(std::complex<double>);
ASNUMPY_COMPLEX(complex_sqrt)
ASNUMPY_COMPLEX(complex_exp)
ASNUMPY_COMPLEX(complex_exp2)
ASNUMPY_COMPLEX(complex_expm1)
ASNUMPY_COMPLEX(complex_log)
ASNUMPY_COMPLEX(complex_log2)
ASNUMPY_COMPLEX(complex_log10)
ASNUMPY_COMPLEX(complex_log1p)
ASNUMPY_COMPLEX(complex_sin)
ASNUMPY_COMPLEX(complex_cos)
ASNUMPY_COMPLEX(complex_tan)
ASNUMPY_COMPLEX(complex_asin)
ASNUMPY_COMPLEX(complex_acos)
ASNUMPY_COMPLEX(complex_atan)
ASNUMPY_COMPLEX(complex_sinh)
ASNUMPY_COMPLEX(complex_cosh)
ASNUMPY_COMPLEX(complex_tanh)
ASNUMPY_COMPLEX(complex_asinh)
ASNUMPY_COMPLEX(complex_acosh)
ASNUMPY_COMPLEX(complex_atanh)
#undef ASNUMPY_COMPLEX

std::complex<float> complex_power(std::complex<float>, std::complex<float>);
std::complex<double> complex_power(std::complex<double>, std::complex<double>);

}  // namespace asnumpy::ops
