// Making, reading and destroying the objects of the operator interface.
#include "aclnn/objects.hpp"

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <type_traits>

#include "runtime/abi.hpp"
#include "base/immortal.hpp"
#include "runtime/report.hpp"

namespace cannsim {
namespace {

using asnumpy::DType;

std::array<std::atomic<std::int64_t>, 8> live{};
std::size_t kind_index(Object::Type type) {
    return type == Object::Type::tensor ? 0 : type == Object::Type::scalar ? 1 : static_cast<std::size_t>(type) - static_cast<std::size_t>(Object::Type::scalar) + 1;
}

// Destroyed objects rest here for a while, so that a later use of their handle is seen for what it is.
struct Graveyard {
    std::mutex mutex;
    std::deque<const Object*> resting;
};
Graveyard& graveyard() {
    static asnumpy::Immortal<Graveyard> instance;
    return *instance;
}

}  // namespace

Object::Object(Type type) : magic_(type) { live[kind_index(type)].fetch_add(1, std::memory_order_relaxed); }
Object::~Object() { magic_ = Type{}; }

void Object::drop() const {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    live[kind_index(magic_)].fetch_sub(1, std::memory_order_relaxed);
    destroyed_ = true;
    const_cast<Object*>(this)->let_go();
    const Object* oldest = nullptr;
    {
        const std::scoped_lock lock(graveyard().mutex);
        graveyard().resting.push_back(this);
        if (graveyard().resting.size() > 1024) {
            oldest = graveyard().resting.front();
            graveyard().resting.pop_front();
        }
    }
    delete oldest;
}

std::optional<DType> dtype_of_acl(int acl) {
    const int letter = letter_of_acl(acl);
    return letter < 0 || letter == 13 ? std::nullopt : dtype_of_number(acl);
}

Live live_objects() {
    const auto n = [](std::size_t i) { return static_cast<std::uint64_t>(live[i].load()); };
    return {n(0), n(1), n(2) + n(3) + n(4), n(5) + n(6), n(7)};
}

namespace {

template <class T> int destroy(const char* function, const T* object, Object::Type type) {
    return entry(function, {{"object", object}}, [&] {
        if (!object) return 0;
        if (!object->was(type) || !object->destroy()) {
            finding(Fault::object_misuse, text("expected a live object, got ", static_cast<const void*>(object), ", which is none or destroyed"), ACLNN_ERR_PARAM_INVALID);
            return 0;
        }
        object->drop();
        return 0;
    });
}

template <class List, class Value> List* make_list(const char* function, const Value* values, std::uint64_t size) {
    return making<List>(function, [&] {
        if (!values && size) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, text("expected ", size, " values, got null")};
        auto made = std::make_unique<List>();
        made->values.assign(values, values + size);
        return made;
    });
}

template <class T> int size_of(const char* function, const T* object, Object::Type type, std::uint64_t* size) {
    return entry(function, {{"object", object}}, [&] {
        if (!object || !size) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, "expected an object and a place for the size, got null"};
        if (!object->is(type)) finding(Fault::object_misuse, text(static_cast<const void*>(object), " is destroyed or of another kind"), ACLNN_ERR_PARAM_INVALID);
        *size = object->values.size();
        return 0;
    });
}

const aclTensor& live_tensor(const aclTensor* tensor) {
    if (!tensor) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, "expected an aclTensor, got null"};
    if (!tensor->is(Object::Type::tensor)) {
        finding(Fault::object_misuse, text("expected an aclTensor, got ", static_cast<const void*>(tensor), ", which is destroyed or of another kind"), ACLNN_ERR_PARAM_INVALID);
        throw Refusal{ACLNN_ERR_PARAM_INVALID, "the aclTensor is destroyed"};
    }
    return *tensor;
}

template <class T> void expect_place(const T* place) {
    if (!place) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, "expected a place for the result, got null"};
}

// The client frees it with delete[].
void hand_out(const asnumpy::Dims& dims, std::int64_t** values, std::uint64_t* size) {
    expect_place(values);
    expect_place(size);
    auto copy = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(dims.size()));
    std::copy(dims.begin(), dims.end(), copy.get());
    *size = static_cast<std::uint64_t>(dims.size());
    *values = copy.release();
}

}  // namespace
}  // namespace cannsim

using namespace cannsim;

void aclTensor::set(const std::int64_t* dims, std::uint64_t n, int type, const std::int64_t* stride, std::int64_t first, int layout,
                    const std::int64_t* storage_dims, std::uint64_t storage_n, void* address) {
    shape = asnumpy::Dims(std::span(dims, n));
    strides = asnumpy::Dims(static_cast<int>(n));
    std::int64_t step = 1;
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
        strides[axis] = stride ? stride[axis] : step;
        step *= shape[axis];
    }
    storage = asnumpy::Dims(std::span(storage_dims, storage_n));
    dtype = type;
    format = layout;
    offset = first;
    data = address;
}

bool aclTensor::in_c_order() const {
    std::int64_t next = 1;
    for (int i = shape.size() - 1; i >= 0; --i) {
        if (shape[i] != 1 && strides[i] != next) return false;
        next *= shape[i];
    }
    return true;
}

extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, int32_t dataType, const int64_t* stride, int64_t offset,
                           int32_t format, const int64_t* storageDims, uint64_t storageDimsNum, void* tensorData) {
    return making<aclTensor>("aclCreateTensor", [&] {
        constexpr std::uint64_t most = 25;  // what CANN's own container holds
        if ((!viewDims && viewDimsNum) || (!storageDims && storageDimsNum) || viewDimsNum > most || storageDimsNum > most)
            throw Refusal{ACLNN_ERR_PARAM_NULLPTR, text("expected dims of at most 25 lengths, got ", viewDimsNum, " at ", static_cast<const void*>(viewDims), " and ", storageDimsNum, " at ", static_cast<const void*>(storageDims))};
        for (std::uint64_t i = 0; i < viewDimsNum; ++i)
            if (viewDims[i] < 0 || (stride && stride[i] < 0))
                throw Refusal{ACLNN_ERR_PARAM_INVALID, text("expected lengths and strides that are not negative, got length ", viewDims[i], " and stride ", stride ? stride[i] : 0, " at axis ", i)};
        if (offset < 0) throw Refusal{ACLNN_ERR_PARAM_INVALID, text("expected an offset that is not negative, got ", offset)};
        auto tensor = std::make_unique<aclTensor>();
        tensor->set(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, tensorData);
        return tensor;
    });
}

int32_t aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum, int32_t dataType, const int64_t* stride,
                      int64_t offset, int32_t format, const int64_t* storageDims, uint64_t storageDimsNum, void* tensorDataAddr) {
    return entry("aclInitTensor", {{"tensor", tensor}}, [&] {
        live_tensor(tensor);
        if ((!viewDims && viewDimsNum) || (!storageDims && storageDimsNum)) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, "expected dims, got null"};
        tensor->set(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims, storageDimsNum, tensorDataAddr);
        return 0;
    });
}

aclScalar* aclCreateScalar(void* value, int32_t dataType) {
    return making<aclScalar>("aclCreateScalar", [&] {
        const std::size_t size = acl_size(dataType);
        if (!value || !size) throw Refusal{ACLNN_ERR_PARAM_NULLPTR, text("expected a value, got ", value, " of ", acl_name(dataType))};
        auto scalar = std::make_unique<aclScalar>();
        scalar->dtype = dataType;
        if (const auto dtype = dtype_of_acl(dataType)) scalar->value.dtype = *dtype;
        std::memcpy(scalar->value.bytes.data(), value, size);
        return scalar;
    });
}
aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) { return make_list<aclIntArray>("aclCreateIntArray", value, size); }
aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) { return make_list<aclFloatArray>("aclCreateFloatArray", value, size); }
aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) { return make_list<aclBoolArray>("aclCreateBoolArray", value, size); }
aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) { return make_list<aclTensorList>("aclCreateTensorList", value, size); }
aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) { return make_list<aclScalarList>("aclCreateScalarList", value, size); }

int32_t aclDestroyTensor(const aclTensor* tensor) { return destroy("aclDestroyTensor", tensor, Object::Type::tensor); }
int32_t aclDestroyScalar(const aclScalar* scalar) { return destroy("aclDestroyScalar", scalar, Object::Type::scalar); }
int32_t aclDestroyIntArray(const aclIntArray* array) { return destroy("aclDestroyIntArray", array, Object::Type::ints); }
int32_t aclDestroyFloatArray(const aclFloatArray* array) { return destroy("aclDestroyFloatArray", array, Object::Type::floats); }
int32_t aclDestroyBoolArray(const aclBoolArray* array) { return destroy("aclDestroyBoolArray", array, Object::Type::bools); }
int32_t aclDestroyTensorList(const aclTensorList* list) {
    if (list && list->is(Object::Type::tensors))  // the list owns its members
        for (const aclTensor* tensor : list->values) aclDestroyTensor(tensor);
    return destroy("aclDestroyTensorList", list, Object::Type::tensors);
}
int32_t aclDestroyScalarList(const aclScalarList* list) {
    if (list && list->is(Object::Type::scalars))
        for (const aclScalar* scalar : list->values) aclDestroyScalar(scalar);
    return destroy("aclDestroyScalarList", list, Object::Type::scalars);
}

int32_t aclGetIntArraySize(const aclIntArray* array, uint64_t* size) { return size_of("aclGetIntArraySize", array, Object::Type::ints, size); }
int32_t aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) { return size_of("aclGetFloatArraySize", array, Object::Type::floats, size); }
int32_t aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) { return size_of("aclGetBoolArraySize", array, Object::Type::bools, size); }
int32_t aclGetTensorListSize(const aclTensorList* list, uint64_t* size) { return size_of("aclGetTensorListSize", list, Object::Type::tensors, size); }
int32_t aclGetScalarListSize(const aclScalarList* list, uint64_t* size) { return size_of("aclGetScalarListSize", list, Object::Type::scalars, size); }

int32_t aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
    return entry("aclGetViewShape", {{"tensor", tensor}}, [&] { return hand_out(live_tensor(tensor).shape, viewDims, viewDimsNum), 0; });
}
int32_t aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
    return entry("aclGetStorageShape", {{"tensor", tensor}}, [&] { return hand_out(live_tensor(tensor).storage, storageDims, storageDimsNum), 0; });
}
int32_t aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
    return entry("aclGetViewStrides", {{"tensor", tensor}}, [&] { return hand_out(live_tensor(tensor).strides, stridesValue, stridesNum), 0; });
}
int32_t aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    return entry("aclGetViewOffset", {{"tensor", tensor}}, [&] { return expect_place(offset), *offset = live_tensor(tensor).offset, 0; });
}
int32_t aclGetFormat(const aclTensor* tensor, int32_t* format) {
    return entry("aclGetFormat", {{"tensor", tensor}}, [&] { return expect_place(format), *format = live_tensor(tensor).format, 0; });
}
int32_t aclGetDataType(const aclTensor* tensor, int32_t* dataType) {
    return entry("aclGetDataType", {{"tensor", tensor}}, [&] { return expect_place(dataType), *dataType = live_tensor(tensor).dtype, 0; });
}
int32_t aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
    return entry("aclGetRawTensorAddr", {{"tensor", tensor}}, [&] { return expect_place(addr), *addr = live_tensor(tensor).data, 0; });
}
int32_t aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
    return entry("aclSetRawTensorAddr", {{"tensor", tensor}, {"addr", addr}}, [&] { return live_tensor(tensor), tensor->data = addr, 0; });
}
size_t aclDataTypeSize(int32_t dataType) { return acl_size(dataType); }
uint16_t aclFloatToFloat16(float value) { return asnumpy::float16::from_float(value); }
float aclFloat16ToFloat(uint16_t value) { return asnumpy::float16::to_float(value); }

}  // extern "C"
