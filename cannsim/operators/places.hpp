// Indices that operators get as tensors, and memory in C order to which they lead.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aclnn/rows.hpp"
#include "aclnn/strided.hpp"

namespace cannsim {

inline std::int64_t product(std::span<const std::int64_t> lengths) { return asnumpy::count(lengths); }
inline std::int64_t product(const Dims& dims, int first, int last) {
    return asnumpy::count({dims.data() + first, static_cast<std::size_t>(last - first)});
}

// A 0-d array as one of one element, as CANN's operators with an axis take it.
inline Array at_least_1d(Array array) {
    if (array.ndim() == 0) {
        array.shape = Dims{1};
        array.strides = Dims{static_cast<std::int64_t>(asnumpy::itemsize(array.dtype))};
    }
    return array;
}
inline Dims at_least_1d(const Dims& shape) { return shape.empty() ? Dims{1} : shape; }

// The array in C order: itself where it is, else a copy; `store` puts a copy's values back.
class Dense {
public:
    explicit Dense(const Array&);
    std::byte* data() const { return array_.data; }
    const Array& array() const { return array_; }
    void store() const {
        if (copy_.memory) copy(array_, original_);
    }

private:
    Array original_, array_;
    Owned copy_;
};

// Memory in C order for what an operator writes: the array's own where it lies so, else some whose values `store` puts there.
class Written {
public:
    explicit Written(const Array& array) : original_(array), copied_(!Cursor(array).is_contiguous()) {
        if (copied_) copy_ = make(array.dtype, array.shape);
    }
    std::byte* data() const { return copied_ ? copy_.data : original_.data; }
    void store() const {
        if (copied_) copy(copy_, original_);
    }

private:
    Array original_;
    Owned copy_;
    bool copied_;
};

// What names a wrong index in a finding.
struct Indexed {
    std::string op;
    const char* parameter;
};
inline Indexed indexed(const Call& call, const Tensor& index) { return {std::string(call.facts.name), index.name}; }

// The indices in C order, negative ones counted from the end; one that is outside [-length, length) becomes -1 and the first
// such is a finding: a device would read or write memory that is not the tensor's.
std::vector<std::int64_t> places(const Array& index, std::int64_t length, const Indexed&);

// The same, some at a time, of an index broadcast to a shape.
class PlaceReader {
public:
    PlaceReader(const Array& index, const Dims& shape, std::int64_t length, const Indexed& indexed, std::atomic<bool>& noted);
    void seek(std::int64_t element);
    void read(std::int64_t* to, std::int64_t n);  // the next n, at most `most`
    static constexpr std::int64_t most = 1024;

private:
    Cursor cursor_;
    Loop convert_;
    std::size_t item_;
    std::int64_t length_, next_ = 0;
    const Indexed* indexed_;
    std::atomic<bool>* noted_;
};
// f(first, places) for pieces of the index in C order, on several threads.
void each_places(const Array& index, std::int64_t length, const Indexed&, const std::function<void(std::int64_t, std::span<std::int64_t>)>& f);

// Blocks of bytes in C order: to[i] = from[places[i]]; a place -1 is read as 0, `from` has at least one block.
void pick(std::byte* to, const std::byte* from, std::span<const std::int64_t> places, std::size_t block);

// to[i, j, ...] = from[tables[0][i] + tables[1][j] + ...]; the tables hold bytes from the array's first element, a table per axis.
using ByteTables = std::vector<std::vector<std::int64_t>>;
void copy_mapped(const Array& from, const ByteTables& tables, const Array& to);
// The table of an axis that is taken as it is.
std::vector<std::int64_t> steps(const Array&, int axis);

// How a value meets what is there.
enum class Meet : std::uint8_t { replace, add, multiply, largest, smallest };
// to[i] = to[i] (meet) from[i] for n neighbours.
using Combine = void (*)(std::byte* to, const std::byte* from, std::int64_t n);
Combine combiner(DType, Meet);

}  // namespace cannsim
