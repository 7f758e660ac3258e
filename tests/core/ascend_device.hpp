// The first device of the Ascend backend for tests: tensors on it, launches, and their values.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "ascend/backend.hpp"
#include "ascend/launch/emitter.hpp"
#include "ascend_values.hpp"

namespace asnumpy::testing {

class TestDevice {
public:
    ~TestDevice() { clear(); }

    Tensor empty(DType d, const Dims& shape) {
        Tensor t{nullptr, d, shape, contiguous(shape, static_cast<std::int64_t>(itemsize(d))).strides};
        const std::size_t bytes = static_cast<std::size_t>(count(shape)) * itemsize(d);
        t.data = static_cast<char*>(pool_.allocate(bytes));
        blocks_[t.data] = bytes;
        return t;
    }
    Tensor upload(const Bytes& values, DType d, const Dims& shape) {
        const Tensor t = empty(d, shape);
        pool_.backend().upload(t.data, values.data(), values.size());
        return t;
    }
    // The elements in C order, of a tensor that begins where its memory does.
    Bytes download(const Tensor& t) {
        Bytes memory(blocks_.at(t.data));
        pool_.backend().download(memory.data(), t.data, memory.size());
        const std::size_t item = itemsize(t.dtype);
        Bytes result(static_cast<std::size_t>(count(t.shape)) * item);
        std::vector<std::int64_t> index(static_cast<std::size_t>(t.shape.size()), 0);
        for (std::size_t to = 0; to < result.size(); to += item) {
            std::int64_t from = 0;
            for (int axis = 0; axis < t.shape.size(); ++axis) from += index[static_cast<std::size_t>(axis)] * t.strides[axis];
            std::memcpy(result.data() + to, memory.data() + from, item);
            for (int axis = t.shape.size() - 1; axis >= 0 && ++index[static_cast<std::size_t>(axis)] == t.shape[axis]; --axis) index[static_cast<std::size_t>(axis)] = 0;
        }
        return result;
    }
    template <class F> void launch(F f) {
        ascend::Emitter emitter(ascend::device(0));
        f(emitter);
    }
    void clear() {
        for (const auto& [data, bytes] : blocks_) pool_.deallocate(data, bytes);
        blocks_.clear();
    }

private:
    Pool& pool_ = ascend::pool(0);
    std::map<char*, std::size_t> blocks_;
};

}  // namespace asnumpy::testing
