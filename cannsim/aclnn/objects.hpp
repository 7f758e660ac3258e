// The objects behind aclTensor*, aclScalar* and the lists.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/view.hpp"
#include "cann/dtypes.hpp"
#include "runtime/abi.hpp"

namespace cannsim {

// Counted, because an executor holds on to what a client may destroy before the work has run.
class Object {
public:
    enum class Type : std::uint32_t { tensor = 0x6e736574, scalar = 0x6c616373, ints, floats, bools, tensors, scalars, executor };
    explicit Object(Type type);
    virtual ~Object();
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    bool is(Type type) const { return magic_ == type && !destroyed_.load(std::memory_order_relaxed); }
    bool was(Type type) const { return magic_ == type; }
    bool is_destroyed() const { return destroyed_.load(std::memory_order_relaxed); }
    void keep() const { references_.fetch_add(1, std::memory_order_relaxed); }
    void drop() const;
    bool destroy() const { return !destroyed_.exchange(true); }  // by the client; false: a second time

    // Gives back what it holds, when nobody needs it any more; the object itself rests for a while.
    virtual void let_go() {}

private:
    Type magic_;
    mutable std::atomic<int> references_{1};
    mutable std::atomic<bool> destroyed_{false};
};

// A counted reference.
template <class T> class Ref {
public:
    Ref() = default;
    explicit Ref(T* object) : object_(object) { if (object_) object_->keep(); }
    Ref(const Ref& o) : Ref(o.object_) {}
    Ref(Ref&& o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
    Ref& operator=(Ref o) noexcept { std::swap(object_, o.object_); return *this; }
    ~Ref() { if (object_) object_->drop(); }
    T* get() const { return object_; }
    T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }

private:
    T* object_ = nullptr;
};

// The dtype of CANN's number. nullopt: one that the simulator does not compute with.
std::optional<asnumpy::DType> dtype_of_acl(int acl);

struct Live {
    std::uint64_t tensors, scalars, arrays, lists, executors;
};
Live live_objects();

}  // namespace cannsim

struct aclTensor : cannsim::Object {
    aclTensor() : Object(Type::tensor) {}
    int dtype = -1, format = 2;
    asnumpy::Dims shape, strides, storage;  // in elements
    std::int64_t offset = 0;                // in elements
    void* data = nullptr;
    bool in_c_order() const;
    void set(const std::int64_t* dims, std::uint64_t n, int type, const std::int64_t* stride, std::int64_t first, int layout,
             const std::int64_t* storage_dims, std::uint64_t storage_n, void* address);
};
struct aclScalar : cannsim::Object {
    aclScalar() : Object(Type::scalar) {}
    int dtype = -1;
    asnumpy::Scalar value;
};
struct aclIntArray : cannsim::Object {
    aclIntArray() : Object(Type::ints) {}
    std::vector<std::int64_t> values;
};
struct aclFloatArray : cannsim::Object {
    aclFloatArray() : Object(Type::floats) {}
    std::vector<float> values;
};
struct aclBoolArray : cannsim::Object {
    aclBoolArray() : Object(Type::bools) {}
    std::vector<unsigned char> values;
};
struct aclTensorList : cannsim::Object {
    aclTensorList() : Object(Type::tensors) {}
    std::vector<const aclTensor*> values;
};
struct aclScalarList : cannsim::Object {
    aclScalarList() : Object(Type::scalars) {}
    std::vector<const aclScalar*> values;
};
