// Views: offset, shape and byte strides over a buffer. Plain values; nothing here touches memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace asnumpy {

inline constexpr int max_ndim = 64;

// A short list of integers: inline up to `inline_size`, on the heap beyond it.
class Dims {
public:
    static constexpr int inline_size = 5;

    Dims() = default;
    Dims(std::initializer_list<std::int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
    explicit Dims(std::span<const std::int64_t> values) : Dims(static_cast<int>(values.size())) {
        std::copy(values.begin(), values.end(), data());
    }
    explicit Dims(int n, std::int64_t value = 0) : size_(n) {
        if (n > inline_size) heap_ = std::make_unique<std::int64_t[]>(max_ndim);
        if (value != 0) std::fill_n(data(), n, value);
    }
    Dims(const Dims& o) : inline_(o.inline_), size_(o.size_) {
        if (o.heap_) move_to_heap(o);
    }
    Dims(Dims&& o) noexcept : inline_(o.inline_), heap_(std::move(o.heap_)), size_(std::exchange(o.size_, 0)) {}
    Dims& operator=(const Dims& o) {
        if (o.heap_) {
            if (this != &o) move_to_heap(o);
        } else {
            heap_.reset();
            inline_ = o.inline_;
        }
        size_ = o.size_;
        return *this;
    }
    Dims& operator=(Dims&& o) noexcept {
        inline_ = o.inline_;
        heap_ = std::move(o.heap_);
        size_ = std::exchange(o.size_, 0);
        return *this;
    }

    int size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::int64_t* data() { return heap_ ? heap_.get() : inline_.data(); }
    const std::int64_t* data() const { return heap_ ? heap_.get() : inline_.data(); }
    std::int64_t& operator[](int i) { return data()[i]; }
    std::int64_t operator[](int i) const { return data()[i]; }
    std::int64_t& back() { return data()[size_ - 1]; }
    std::int64_t back() const { return data()[size_ - 1]; }
    const std::int64_t* begin() const { return data(); }
    const std::int64_t* end() const { return data() + size_; }
    std::int64_t* begin() { return data(); }
    std::int64_t* end() { return data() + size_; }

    void push_back(std::int64_t value) {
        if (!heap_ && size_ == inline_size) move_to_heap(*this);
        data()[size_++] = value;
    }
    bool operator==(const Dims& o) const { return size_ == o.size_ && std::equal(begin(), end(), o.begin()); }

private:
    void move_to_heap(const Dims& values);  // rare: of its own, so that copies of a list are short where they are inlined

    std::array<std::int64_t, inline_size> inline_{};
    std::unique_ptr<std::int64_t[]> heap_;
    int size_ = 0;
};

struct View {
    std::int64_t offset = 0;  // bytes from the start of the buffer to element (0, ..., 0)
    Dims shape;
    Dims strides;  // bytes

    int ndim() const { return shape.size(); }
    std::int64_t size() const;
    bool operator==(const View&) const = default;
};

// The half-open range of bytes [low, high) of the buffer that the view can touch; empty views give {offset, offset}.
struct Extent { std::int64_t low, high; };

std::int64_t count(std::span<const std::int64_t> shape);  // product of the lengths
View contiguous(Dims shape, std::int64_t itemsize);       // C order, offset 0
bool is_c_contiguous(const View&, std::int64_t itemsize);
bool is_f_contiguous(const View&, std::int64_t itemsize);
Extent extent(const View&, std::int64_t itemsize);

// True unless it is certain that no byte belongs to both: by their extents, by what their strides have in common, exactly for
// equal strides that nest.
bool may_overlap(const View& a, std::int64_t itemsize_a, const View& b, std::int64_t itemsize_b);
// Two index tuples of one view that name the same element (a stride of 0 over a length above 1, as_strided windows).
bool has_internal_overlap(const View&, std::int64_t itemsize);

// NumPy's broadcasting; ValueError names `function` and the shapes.
// The shape becomes that of its array beside one of the other shape; false where they do not fit.
bool broadcast_with(const Dims& other, Dims& shape);
Dims broadcast_shapes(std::span<const Dims* const> shapes, const char* function);
View broadcast_to(const View&, const Dims& shape);  // the caller has checked that it fits
View transpose(const View&, std::span<const int> axes);
// The view with another shape if no copy is needed, as NumPy decides it.
std::optional<View> reshape(const View&, const Dims& shape, std::int64_t itemsize);

std::string to_string(std::span<const std::int64_t> shape);  // "(2, 3)", "(4,)", "()"

}  // namespace asnumpy
