// One operator called by a call string with tensors; views of tensors that need no copy.
#pragma once

#include <array>
#include <string_view>

#include "ascend/launch/emitter.hpp"
#include "ascend/lower/calls.hpp"

namespace asnumpy::ascend {

// What the words of a call string stand for.
struct Named {
    const Tensor* x = nullptr;
    const Tensor* y = nullptr;
    const Tensor* out = nullptr;
    const Tensor* index = nullptr;  // index: int32, place: int64
    Dims axes{};
    std::int64_t axis = 0;
    std::int64_t option = 0;
    std::array<double, 2> numbers{};  // n and m
};
void call(Emitter&, std::string_view text, const Named&);
inline std::string_view text_of(const StructuredCall& c) { return calls_of(c.row).elementwise; }  // its call string
// Whether the operator of the call string is known to compute the dtype on the AICPU.
bool is_on_aicpu(std::string_view text, DType x);
// Whether there is the operator, and it accepts these dtypes as x, as y and as out.
bool accepts_dtypes(std::string_view text, DType x, DType y, DType out);
inline bool accepts_dtypes(std::string_view text, DType x, DType out) { return accepts_dtypes(text, x, x, out); }

// The loop of a row that joins two of this dtype to one; -1 where there is none.
int loop_for(RowId, DType);

// The row applied to whole tensors (a number where the row has a second input that the host knows); both throw NoWay
// where there is no lowering, which was so when the caller's own was made.
void apply_to(Emitter&, std::string_view row, std::initializer_list<Tensor> in, const Tensor& out);
Tensor cast_to(Emitter&, const Tensor&, DType);  // the tensor itself where it has that dtype
void copy_to(Emitter&, const Tensor& from, const Tensor& to);

Tensor viewed(Tensor, DType);                                                   // the same bits
Tensor sliced(Tensor, int axis, std::int64_t first, std::int64_t count);
Tensor word_of(Tensor, std::size_t word);                                       // int64 number `word` of each element
inline std::size_t words_in(DType d) { return itemsize(d) > 8 ? itemsize(d) / 8 : 1; }

}  // namespace asnumpy::ascend
