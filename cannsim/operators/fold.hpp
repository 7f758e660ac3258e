// Reductions as one function of a line of values: the reduced axes are brought to the end, each line gives one element of each output.
#pragma once

#include <complex>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "aclnn/strided.hpp"

namespace cannsim {

template <class T> inline constexpr bool real_or_complex = std::is_floating_point_v<T> || asnumpy::is_complex_v<T>;

// The dtype in which 16-bit floats are computed; others stay.
inline DType widened_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16 ? DType::float32 : dtype; }
// The dtype in which sums and products for this result are computed.
inline DType wide(DType dtype) { return dtype == DType::boolean ? DType::int64 : widened_half(dtype); }

inline std::vector<int> call_all(const Call& call) {
    std::vector<int> axes(static_cast<std::size_t>(call.tensor("self").ndim()));
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}
// The axis `dim`; none for a 0-d tensor.
inline std::vector<int> one_axis(const Call& call) {
    const int ndim = call.tensor("self").ndim(), axis = call.axis("dim", call.integer("dim"), ndim);
    return ndim == 0 ? std::vector<int>() : std::vector<int>{axis};
}

// Where a line's results go: sink(k, value) is the element of output k; the value has the type of its declared dtype.
class Sink {
public:
    explicit Sink(std::span<Owned> results) : results_(results) {}
    template <class V> void operator()(std::size_t k, V value) const {
        std::memcpy(results_[k].data + line_ * static_cast<std::int64_t>(sizeof(V)), &value, sizeof(V));
    }

private:
    friend class Fold;
    std::span<Owned> results_;
    std::int64_t line_ = 0;
};

class Fold {
public:
    Fold(Call& call, std::vector<int> axes, bool keep, std::string_view in = "self")
        : call_(call), self_(call.tensor(in)), axes_(std::move(axes)), keep_(keep) {
        for (int axis = 0; axis < self_.ndim(); ++axis) {
            const bool reduced = std::ranges::find(axes_, axis) != axes_.end();
            if (!reduced) {
                kept_.push_back(axis);
                kept_shape_.push_back(self_.length(axis));
            }
            if (!reduced || keep_) out_shape_.push_back(reduced ? 1 : self_.length(axis));
        }
    }

    // The next output; its values are computed in `dtype` and converted. Some operators take any shape of one element for one.
    void out(const Tensor& tensor, DType dtype, bool any_of_one = false) {
        if (!any_of_one || asnumpy::count(out_shape_) != 1 || tensor.size() != 1) call_.expect_shape(tensor, out_shape_);
        call_.expect_castable(dtype, tensor);
        outs_.emplace_back(tensor, dtype);
    }
    // For reductions that have no value without elements.
    void not_empty() const {
        for (const int axis : axes_)
            call_.expect(self_.length(axis) > 0 || self_.size() != 0 || asnumpy::count(kept_shape_) == 0,
                         self_.name, text("at least one element along the reduced axes, got ", self_.shape()));
    }

    // line.template operator()<T>(values, sink) for each line, whose values have the dtype `inner` and may be overwritten.
    // `Only` names the type where it is always the same.
    template <class... Only, class F> Work work(DType inner, F line) {
        return over_lines(inner, [inner, line](const Lines& lines, Sink sink) {
            const auto each = [&]<class T>() {
                for (sink.line_ = 0; sink.line_ < lines.count; ++sink.line_)
                    line.template operator()<T>(std::span<T>(lines.values->as<T>() + sink.line_ * lines.length, static_cast<std::size_t>(lines.length)), sink);
            };
            if constexpr (sizeof...(Only) != 0) {
                (..., each.template operator()<Only>());
            } else {
                cannsim::dispatch(inner, [&]<class T>() {
                    if constexpr (!asnumpy::is_half_v<T>) each.template operator()<T>();  // lines are never computed in 16 bits
                });
            }
        });
    }

private:
    struct Lines {
        const Owned* values;  // one line after the other
        std::int64_t count, length;
    };
    // What all reductions have in common, compiled once: the lines, and the way of the results to the outputs.
    Work over_lines(DType inner, std::function<void(const Lines&, Sink)> compute) const;

    Call& call_;
    Tensor self_;
    std::vector<int> axes_, kept_;
    Dims kept_shape_, out_shape_;
    bool keep_;
    std::vector<std::pair<Tensor, DType>> outs_;
};

}  // namespace cannsim
