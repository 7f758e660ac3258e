// Rows that are not elementwise. Their dtypes are checked by the callers in core/runtime; each comment is the contract.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>

#include "ops/row.hpp"

namespace asnumpy {

struct Structured {
    std::string_view name;
    std::uint8_t nin, nout;
};

// All operands of one call may have any strides (0 and negative included); outputs never overlap inputs. What follows an
// index checks it as it reads it, whatever was checked before: the memory may be somebody else's too.
// Elements of an output do not overlap each other where nothing else is said.

// Functions of real arrays that devices may offer as one operation; where they do not, the parts are composed (asnumpy.nn).
// n and m are the call's numbers.
inline constexpr std::array activations{
    Structured{"softmax", 1, 1},      // along `axis`
    Structured{"log_softmax", 1, 1},  // likewise
    Structured{"sigmoid", 1, 1},
    Structured{"log_sigmoid", 1, 1},
    Structured{"silu", 1, 1},        // 0 at minus infinity
    Structured{"gelu", 1, 1},        // likewise; option 1: with tanh
    Structured{"softplus", 1, 1},    // n: beta, m: threshold
    Structured{"elu", 1, 1},         // n: the factor of the exponential
    Structured{"leaky_relu", 1, 1},  // n: the slope
};

// Likewise offered. x of which the last `axis` axes are normalised, then weight (option & 1) and bias (option & 2) of these
// axes' shape; n is added to the variance, or mean square.
inline constexpr std::array normalisations{
    Structured{"layer_norm", 3, 1},
    Structured{"rms_norm", 2, 1},
};

// Functions of whole arrays that devices may offer, asked for at the call (runtime: offered_at_once); where they do not, the caller
// has another way: a composition of other rows, or NumPy. The shapes of the outputs are the caller's.
inline constexpr std::array whole_rows{
    // along `axis`, in rising order, NaN last, equal elements in their order; out: the elements, and the int64 place of each;
    // option 1: no places (the second output holds nothing), 2: no elements (the first one holds anything)
    Structured{"sort", 1, 2},
    // in: a line in rising order, NaN last, and a line of its dtype; out: int64, how many elements of the first are less than
    // each of the second; option 1: or equal to it
    Structured{"search", 2, 1},
    // in: (n,) int64 within [0, size of out), and (n,) float64; out: float64, for each place the sum of the numbers that have it, in any order
    Structured{"weighted_counts", 2, 1},
};

// Likewise, of matrices in the last two axes; all operands of a call have one dtype.
inline constexpr std::array algebra_rows{
    Structured{"inverse", 1, 1},           // not finite where one is singular
    Structured{"qr", 1, 2},                // option 0: reduced, 1: complete, 2: R alone (the first output holds nothing)
    Structured{"slogdet", 1, 2},           // sign and logarithm of the determinant
    Structured{"svd", 1, 3},               // values (falling), left and right vectors in columns; option 1: all of them, 2: vectors (else the two hold nothing)
    Structured{"triangular_solve", 2, 1},  // x of matrix @ x = right side, of the same leading axes; option 1: the upper triangle is read, else the lower one
};

// What every device computes, by itself or on the host.
inline constexpr std::array common_rows{
    // (..., m, k) x (..., k, n) -> (..., m, n); one dtype, batch axes already broadcast (stride 0); every dtype.
    // option 1: out += a @ b, rounded once. option 2, where a device offers it: out = n * (a @ b) + m * c of the numbers and a
    // third input of out's shape, which may be out itself
    Structured{"matmul", 2, 1},
    // inclusive scan of `op` (add, multiply, maximum, minimum, logical_and, ...) along `axis`; in.dtype == out.dtype
    Structured{"scan", 1, 1},
    // int64 index of the first maximum / minimum along `axis`, NaN first, as np.argmax; out has the shape without `axis`
    Structured{"argmax", 1, 1},
    Structured{"argmin", 1, 1},
    // out[..., i, ...] = in[..., index[i], ...] along `axis`; index is 1-d int64, within [-n, n), else IndexError
    Structured{"take", 2, 1},
    // out[..., index[i], ...] = in[..., i, ...]; the last of equal indices wins (in order, one thread
    // per equal index); elements of out may overlap each other, and are written in C order of `in` then
    Structured{"scatter", 2, 1},
    // in: (n,) array and (n,) bool mask, both 1-d; out: the elements where the mask is true, in order
    Structured{"compress", 2, 1},
    // in: (n,) bool; out: (count,) int64 positions of the true elements
    Structured{"flatnonzero", 1, 1},
    // in: (n,) int64, in range [0, size of out), else IndexError; out[i] = number of times i occurs; out is int64. option 1: a count whose
    // length was fixed before there were values (under jit): ValueError for a negative one, TracingError for one that is too large
    Structured{"bincount", 1, 1},
    // in: (n,) of out's dtype and 1-d int64 indices within [-size of out, size of out), else IndexError, and nothing is written;
    // out[index[i]] += in[i] for one i after the other. option 1: they are counts, as above
    Structured{"add_at", 2, 1},
    // in: (n,) float32, float64 or int64, and (m,) int64 within [0, n), else IndexError; out[k] = the sum of in[start[k] : start[k + 1]] as
    // np.add.reduceat makes it, to the bit
    Structured{"add_runs", 2, 1},
    // A compressed sparse array times a dense one. in: (m + 1,) rising pointers and (n,) indices, both int32 or int64, (n,) values, all C-contiguous,
    // and a dense vector, or matrix whose last axis is contiguous, of the values' dtype. Line i has the values from pointer[i] to pointer[i + 1].
    // out[i] = the sum of value * dense[index] over line i. option 1: out[index] += value * dense[i] for one line after the other, from zeros on.
    // Out is C-contiguous, its elements are added in the order of the values. IndexError where a pointer or an index leads outside
    Structured{"sparse_product", 4, 1},
    // in: pointers as above, and (n,) values of a float, a complex or a 64-bit integer dtype, both C-contiguous; out: (m,), the sum of each line as
    // np.add.reduceat makes it, to the bit; 0 where a line is empty
    Structured{"sparse_sums", 2, 1},
    // in: (m, m) float64 or complex128; out: its inverse, as NumPy's; LinAlgError where it is singular
    Structured{"matrix_inverse", 1, 1},
    // in: such a matrix, and (m,) or (m, n) of its dtype; out: the x of matrix @ x = that; LinAlgError likewise
    Structured{"matrix_solve", 2, 1},
    // in: (n,) float32 or float64, and m + 1 rising numbers of its dtype at equal distances; out: (n,) int64, between which of them
    // each lies, the last one in the last bin; m where in no bin
    Structured{"bin_places", 2, 1},
    // in: 1-d int64 indices and length in `option`; out: 0-d bool, true when all lie in [-option, option)
    Structured{"in_range", 1, 1},
    // in: an array of out's shape and dtype; out: the same elements, written one after the other in C order: they may overlap each
    // other, and the last one wins
    Structured{"overlapping_copy", 1, 1},
    // in: (n,) float32 or float64, n >= 1; out: 0-d, the sum of the squares of the differences from the mean, the mean not
    // rounded to the dtype. A device that has none computes it in the two passes of NumPy
    Structured{"deviations", 1, 1},
    // The joint random draws (those of single numbers are rows of ops/random.hpp). Row r of the last axis of out, which is
    // int64 and C-contiguous, is drawn from the stream of its own that word r of the call's stream has (ops/philox.hpp).
    // out[r]: distinct numbers below `option`, in random order: the head of Fisher and Yates' shuffle
    Structured{"random_choice", 0, 1},
    // in: numbers of trials (int64) and probabilities (float64), of out's shape; out[r]: how many fall to each category
    Structured{"random_multinomial", 2, 1},
    // in: how many there are of each kind (int64), of out's shape; out[r]: how many of each `option` drawn ones are
    Structured{"random_multivariate_hypergeometric", 1, 1},
};

inline constexpr auto structured_rows = [] {
    std::array<Structured, common_rows.size() + activations.size() + normalisations.size() + whole_rows.size() + algebra_rows.size()> all{};
    auto end = std::ranges::copy(common_rows, all.begin()).out;
    end = std::ranges::copy(activations, end).out;
    end = std::ranges::copy(normalisations, end).out;
    end = std::ranges::copy(whole_rows, end).out;
    std::ranges::copy(algebra_rows, end);
    return all;
}();

inline bool is_activation(std::string_view name) { return std::ranges::find(activations, name, &Structured::name) != activations.end(); }
inline bool is_algebra_row(std::string_view name) { return std::ranges::find(algebra_rows, name, &Structured::name) != algebra_rows.end(); }
inline bool is_whole_row(std::string_view name) { return std::ranges::find(whole_rows, name, &Structured::name) != whole_rows.end(); }
inline bool is_normalisation(std::string_view name) { return std::ranges::find(normalisations, name, &Structured::name) != normalisations.end(); }

}  // namespace asnumpy
