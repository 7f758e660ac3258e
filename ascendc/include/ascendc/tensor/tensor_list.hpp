// A list of tensors in global memory: their shapes, then the addresses of their data.
#pragma once

#include "ascendc/tensor/global_tensor.hpp"

namespace AscendC {

template <class T>
class TensorDesc {
public:
    // Where GetDesc writes the extents.
    void SetShapeAddr(std::uint64_t* shape) { shape_ = shape; }
    std::uint64_t GetDim() const { return dims_; }
    std::uint64_t GetIndex() const { return index_; }
    std::uint64_t GetShape(std::uint32_t axis) const { return shape_[axis]; }
    T* GetDataPtr() const { return data_; }
    GlobalTensor<T> GetDataObj() const {
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(data_);
        return tensor;
    }

private:
    friend class ListTensorDesc;

    std::uint64_t* shape_ = nullptr;
    std::uint64_t dims_ = 0;
    std::uint64_t index_ = 0;
    T* data_ = nullptr;
};

// In words of 64 bits: the addresses' offset in bytes; for each tensor how many dimensions (low half) and its number (high
// half), then its extents; the addresses.
class ListTensorDesc {
public:
    ListTensorDesc() = default;
    explicit ListTensorDesc(void* data, std::uint32_t length = ~0u, std::uint32_t shapes = ~0u) { Init(data, length, shapes); }
    void Init(void* data, std::uint32_t = ~0u, std::uint32_t = ~0u) { words_.SetGlobalBuffer(static_cast<std::uint64_t*>(data)); }

    std::uint32_t GetSize(ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        const std::uint64_t end = words_.GetValue(0, where) / sizeof(std::uint64_t);
        std::uint32_t count = 0;
        for (std::uint64_t at = 1; at < end; at += 1 + (words_.GetValue(at, where) & 0xffffffffu)) ++count;
        return count;
    }
    template <class T>
    T* GetDataPtr(std::uint32_t i, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        check(i, where);
        return reinterpret_cast<T*>(words_.GetValue(words_.GetValue(0, where) / sizeof(std::uint64_t) + i, where));
    }
    template <class T>
    void GetDesc(TensorDesc<T>& desc, std::uint32_t i, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) const {
        check(i, where);
        std::uint64_t at = 1;
        for (std::uint32_t k = 0; k < i; ++k) at += 1 + (words_.GetValue(at, where) & 0xffffffffu);
        const std::uint64_t head = words_.GetValue(at, where);
        desc.dims_ = head & 0xffffffffu;
        desc.index_ = head >> 32;
        desc.data_ = GetDataPtr<T>(i, where);
        if (desc.shape_)
            for (std::uint64_t axis = 0; axis < desc.dims_; ++axis) desc.shape_[axis] = words_.GetValue(at + 1 + axis, where);
    }

private:
    void check(std::uint32_t i, ascendc::Where where) const {
        const std::uint32_t count = GetSize(where);
        if (i >= count)
            ascendc::current().fail(ascendc::Rule::bounds, where, ascendc::join("tensor ", i, " of a list of ", count, " tensors"));
    }

    GlobalTensor<std::uint64_t> words_;
};

}  // namespace AscendC
