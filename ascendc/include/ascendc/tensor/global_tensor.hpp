// GlobalTensor: a typed piece of global memory. The scalar unit reaches it through a data cache, copies do not.
#pragma once

#include "ascendc/tensor/local_tensor.hpp"

namespace AscendC {

template <class T>
class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(T* address, std::uint64_t elements) {
        address_ = reinterpret_cast<std::uintptr_t>(address);
        elements_ = elements;
    }
    void SetGlobalBuffer(T* address) { SetGlobalBuffer(address, 0); }

    GlobalTensor operator[](std::uint64_t offset) const {
        GlobalTensor part = *this;
        part.address_ += ascendc::bytes_of<T>(offset);
        part.elements_ = offset < elements_ ? elements_ - offset : 0;
        return part;
    }
    template <class U>
    GlobalTensor<U> ReinterpretCast() const {
        GlobalTensor<U> other;
        other.SetGlobalBuffer(reinterpret_cast<U*>(address_), elements_ * ascendc::size_in_bits<T> / ascendc::size_in_bits<U>);
        return other;
    }

    const T* GetPhyAddr() const { return reinterpret_cast<const T*>(address_); }
    T* GetPhyAddr() { return reinterpret_cast<T*>(address_); }
    T* GetPhyAddr(std::uint64_t offset) const { return reinterpret_cast<T*>(address_ + ascendc::bytes_of<T>(offset)); }
    std::uintptr_t address() const { return address_; }
    std::uint64_t GetSize() const { return elements_; }

    T GetValue(std::uint64_t i, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        ascendc::Instruction at("GetValue", ascendc::Pipe::S, where);
        const std::byte* const bytes = at.uses_global({address_ + ascendc::bytes_of<T>(i), sizeof(T), 1, 0}, false);
        at.takes(40);
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
    void SetValue(std::uint64_t i, T value, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        ascendc::Instruction at("SetValue", ascendc::Pipe::S, where);
        const std::uintptr_t address = address_ + ascendc::bytes_of<T>(i);
        std::memcpy(at.uses_global({address, sizeof(T), 1, 0}, true), &value, sizeof(T));
        at.core.dirty_lines().insert(address / ascendc::Core::cache_line * ascendc::Core::cache_line);
        at.takes(4);
    }

    using Element = ascendc::ElementProxy<GlobalTensor>;
    Element operator()(std::uint64_t i, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const { return {*this, i, where}; }

    void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
    ShapeInfo GetShapeInfo() const { return shape_; }
    // A wish about the L2 cache: no effect on values.
    template <CacheRwMode = CacheRwMode::RW>
    void SetL2CacheHint(CacheMode mode) { cache_mode_ = mode; }
    CacheMode cache_mode() const { return cache_mode_; }

private:
    std::uintptr_t address_ = 0;
    std::uint64_t elements_ = 0;
    ShapeInfo shape_;
    CacheMode cache_mode_ = CacheMode::CACHE_MODE_NORMAL;
};

// Writes the data cache's line that holds the tensor's first element (or all of it) back, and drops it.
template <class T, CacheLine line, DcciDst = DcciDst::CACHELINE_ALL>
void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Instruction at("DataCacheCleanAndInvalid", ascendc::Pipe::S, where);
    if constexpr (line == CacheLine::ENTIRE_DATA_CACHE) at.core.dirty_lines().clear();
    else at.core.dirty_lines().erase(tensor.address() / ascendc::Core::cache_line * ascendc::Core::cache_line);
    at.takes(100);
}

}  // namespace AscendC
