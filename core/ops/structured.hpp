// Rows that are not elementwise. Their dtypes are checked by the callers in core/runtime; each comment is the contract.
#pragma once

#include <tuple>

#include "ops/row.hpp"

namespace asnumpy {

struct Structured {
    std::string_view name;
    std::uint8_t nin, nout;
    std::string_view aclnn;
};

// All operands of one call may have any strides (0 and negative included); outputs never overlap inputs.
inline constexpr std::array structured_rows{
    // (..., m, k) x (..., k, n) -> (..., m, n); one dtype, batch axes already broadcast (stride 0); every dtype.
    // option 1: out += a @ b, rounded once. option 2, where a device offers it: out = n * (a @ b) + m * c of the numbers and a
    // third input of out's shape, which may be out itself
    Structured{"matmul", 2, 1, "aclnnMatmul x y -> out 0"},
    // inclusive scan of `op` (add, multiply, maximum, minimum, logical_and, ...) along `axis`; in.dtype == out.dtype
    Structured{"scan", 1, 1, ""},
    // int64 index of the first maximum / minimum along `axis`, NaN first, as np.argmax; out has the shape without `axis`
    Structured{"argmax", 1, 1, "aclnnArgMax x axis false -> out"},
    Structured{"argmin", 1, 1, "aclnnArgMin x axis false -> out"},
    // out[..., i, ...] = in[..., index[i], ...] along `axis`; index is 1-d int64, already within [-n, n) (checked before)
    Structured{"take", 2, 1, "aclnnIndexSelect x axis y -> out"},
    // out[..., index[i], ...] = in[..., i, ...]; the last of equal indices wins (in order, one thread per equal index)
    Structured{"scatter", 2, 1, "aclnnInplaceIndexCopy out axis y x"},
    // in: (n,) array and (n,) bool mask, both 1-d; out: the elements where the mask is true, in order
    Structured{"compress", 2, 1, "aclnnMaskedSelect x y -> out"},
    // in: (n,) bool; out: (count,) int64 positions of the true elements
    Structured{"flatnonzero", 1, 1, "aclnnNonzero x -> out"},
    // in: (n,) int64, in range [0, size of out); out[i] = number of times i occurs; out is int64
    Structured{"bincount", 1, 1, "aclnnBincount x null 0 -> out"},
    // in: 1-d int64 indices and length in `option`; out: 0-d bool, true when all lie in [-option, option)
    Structured{"in_range", 1, 1, ""},
    // The joint random draws (those of single numbers are rows of ops/random.hpp). Row r of the last axis of out, which is
    // int64 and C-contiguous, is drawn from the stream of its own that word r of the call's stream has (ops/philox.hpp).
    // out[r]: distinct numbers below `option`, in random order: the head of Fisher and Yates' shuffle
    Structured{"random_choice", 0, 1, ""},
    // in: numbers of trials (int64) and probabilities (float64), of out's shape; out[r]: how many fall to each category
    Structured{"random_multinomial", 2, 1, ""},
    // in: how many there are of each kind (int64), of out's shape; out[r]: how many of each `option` drawn ones are
    Structured{"random_multivariate_hypergeometric", 1, 1, ""},
};

}  // namespace asnumpy
