// Sizes and reaches of views, checked.
#include "base/checked.hpp"

namespace asnumpy {

std::optional<std::int64_t> checked_bytes(std::span<const std::int64_t> shape, std::int64_t itemsize) {
    Checked bytes = itemsize;
    bool empty = false;
    for (const std::int64_t length : shape) {
        if (length < 0) return std::nullopt;
        if (length == 0) empty = true;
        else bytes *= length;
    }
    if (!bytes.fits()) return std::nullopt;
    return empty ? 0 : *bytes.value();
}

std::optional<Extent> checked_extent(const View& v, std::int64_t itemsize) {
    const std::optional<std::int64_t> bytes = checked_bytes(v.shape, itemsize);
    if (!bytes) return std::nullopt;
    if (*bytes == 0) return Extent{v.offset, v.offset};
    Checked low = v.offset, high = v.offset;
    for (int i = 0; i < v.ndim(); ++i) {
        const Checked reach = Checked(v.shape[i] - 1) * v.strides[i];
        if (!reach.fits()) return std::nullopt;
        (*reach.value() < 0 ? low : high) += reach;
    }
    high += itemsize;
    // Their distance, too, is a number that others compute.
    if (!low.fits() || !high.fits() || !(high - low).fits()) return std::nullopt;
    return Extent{*low.value(), *high.value()};
}

}  // namespace asnumpy
