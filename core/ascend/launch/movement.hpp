// Moving elements within a device, whatever their dtype, strides and alignment.
#pragma once

#include "ascend/launch/emitter.hpp"

namespace asnumpy::ascend {

// Whether an operator can take the tensor as it is: at most 8 axes, strides and address in whole items, not negative.
bool is_direct(const char* data, DType, const Dims& shape, const Dims& strides);
inline bool is_direct(const Tensor& t) { return is_direct(t.data, t.dtype, t.shape, t.strides); }
// Whether the elements lie in C order without gaps.
bool is_dense(const Tensor&);
// Copies elements of one dtype; `from` is 0-d or has the shape of `to`. They do not overlap, unless both are the same.
void move(Emitter&, const Tensor& from, const Tensor& to);
// The same as the last step of a launch that has read `to`: all of it or nothing.
void overwrite(Emitter&, const Tensor& from, const Tensor& to);
// The tensor if it is direct, else a C-contiguous temporary copy.
Tensor direct(Emitter&, const Tensor&);

}  // namespace asnumpy::ascend
