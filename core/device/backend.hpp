// What a device implements. One folder per backend; the runtime sees nothing but this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/philox.hpp"
#include "program/program.hpp"

namespace asnumpy {

// A program made ready for one device; immutable, kept in the program cache.
class Executable {
public:
    virtual ~Executable() = default;
    virtual void run(const Launch&) const = 0;
};

// An array as a structured operation sees it: the address of element (0, ..., 0), shape, byte strides.
struct Tensor {
    char* data = nullptr;
    DType dtype{};
    Dims shape;
    Dims strides;
};

// One structured operation. Which attributes a row reads is said where the row is defined (ops/structured.hpp).
struct StructuredCall {
    RowId row{};
    std::vector<Tensor> in, out;
    std::int64_t axis = 0;
    RowId op{};              // scan: the elementwise row; else unused
    std::int64_t option = 0;
    Stream stream;           // random draws
};

// Applies an elementwise row to n contiguous elements; an output may be exactly an input.
using ContiguousLoop = void (*)(void* const* out, const void* const* in, std::size_t n);
// Reduces n >= 1 contiguous elements to one.
using ContiguousFold = void (*)(void* out, const void* in, std::size_t n);

// Memory of the pool that a backend keeps for speed, and gives up when it is asked to.
struct Kept {
    std::uint64_t bytes = 0, blocks = 0;
};

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;  // "cpu", "ascend:0"
    // Raw memory for the pool, at least 64-byte aligned; nullptr when the device has none left.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* data, std::size_t bytes) noexcept = 0;
    virtual std::size_t padding() const { return 0; }  // bytes after the end of each block of the pool that belong to it
    virtual std::size_t total_memory() const = 0;
    virtual std::size_t available_memory() const = 0;
    virtual std::unique_ptr<Executable> compile(const Program&) = 0;
    virtual void run(const StructuredCall&) = 0;
    virtual bool host_visible() const = 0;  // the host may dereference its memory

    // What follows concerns devices whose memory the host may not touch, and whose work runs later; the defaults are
    // those of a device on which everything is done when a call returns. Any of these may be called by several threads
    // at the same time.

    // Bytes from the host, in order with the device's work; the source may change when the call returns.
    virtual void upload(void* to, const void* host, std::size_t bytes);
    // Bytes to the host, after the work that was launched before.
    virtual void download(void* host, const void* from, std::size_t bytes);
    // Bytes from another device, in order with the work of both. By way of the host unless the device knows better.
    virtual void copy_from(Backend& source, void* to, const void* from, std::size_t bytes);
    // What it keeps of the pool's memory; and giving it all back, false when that is nothing. Called without the pool's lock.
    virtual Kept kept() const { return {}; }
    virtual bool give_up_kept() noexcept { return false; }
    // Waits for all work that was launched. What failed on the device meanwhile is thrown here.
    virtual void synchronize() {}
    // Whether the device itself computes this, whatever the shapes and strides. Where it does not, the runtime runs the
    // instruction on the host, counts it and says so. Copies and casts between all dtypes that it stores must be computed.
    virtual bool computes(RowId, int /*loop*/) const { return true; }   // elementwise
    virtual bool reduces(RowId, int /*loop*/) const { return true; }    // as a program's reduction
    virtual bool computes(const StructuredCall&) const { return true; } // looks at rows, dtypes and attributes only
    // Why it does not, in a few words.
    virtual std::string why_not_computed(RowId, int /*loop*/) const { return {}; }
    virtual std::string why_not_reduced(RowId, int /*loop*/) const { return {}; }
    virtual std::string why_not_computed(const StructuredCall&) const { return {}; }
    // For arrays so small that a launch would cost more than their elements; nullptr where the host must not compute.
    virtual ContiguousLoop contiguous_loop(RowId, int) const { return nullptr; }
    virtual ContiguousFold contiguous_fold(RowId, int) const { return nullptr; }
};

}  // namespace asnumpy
