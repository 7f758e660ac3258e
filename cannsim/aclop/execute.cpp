// Descriptions of tensors and attributes, and the operators that are started with them.
#include "aclop/call.hpp"

#include <cstring>
#include <memory>

#include "api/place.hpp"
#include "base/immortal.hpp"
#include "runtime/config.hpp"
#include "runtime/device.hpp"
#include "runtime/memory.hpp"
#include "runtime/statistics.hpp"

namespace cannsim {
namespace {

std::map<std::string_view, NamedOperator>& named_table() {
    static asnumpy::Immortal<std::map<std::string_view, NamedOperator>> instance;
    return *instance;
}

}  // namespace

NamedOperators::NamedOperators(std::initializer_list<NamedOperator> list) {
    for (const NamedOperator& one : list)
        if (!named_table().emplace(one.type, one).second) {
            std::fprintf(stderr, "cannsim: two tables define the named operator %s\n", one.type);
            std::abort();
        }
}
const NamedOperator* find_named(std::string_view type) {
    const auto found = named_table().find(type);
    return found == named_table().end() ? nullptr : &found->second;
}

void NamedCall::expect(bool holds, std::string_view what, std::string_view expected) const {
    if (!holds) throw Refusal{ACL_ERROR_INVALID_PARAM, cannsim::text(type, ": ", what, ": expected ", expected)};
}
void NamedCall::expect_shape(const Tensor& tensor, const Dims& shape, std::string_view what) const {
    expect(tensor.shape() == shape, what, cannsim::text("shape ", shape, ", got ", tensor.shape()));
}
Tensor NamedCall::input(std::size_t place) const {
    expect(place < ins_.size() && ins_[place], cannsim::text("input ", place), "a tensor, got none");
    return *ins_[place];
}
Tensor NamedCall::output(std::size_t place) const {
    expect(place < outs_.size() && outs_[place], cannsim::text("output ", place), "a tensor, got none");
    return *outs_[place];
}

namespace {

// The tensors of one side of a call; what lies in the host's memory is read at once.
struct Side {
    std::vector<std::optional<Tensor>> tensors;
    std::vector<void*> addresses;
    std::vector<std::shared_ptr<std::byte[]>> copies;
    std::vector<std::size_t> sizes;

    Side(std::string_view type, const char* kind, int count, const aclTensorDesc* const* descriptions, const aclDataBuffer* const* buffers, int first) {
        for (int i = 0; i < count; ++i) {
            const std::string what = text(type, ": ", kind, " ", i);
            if (!descriptions || !buffers || !descriptions[i] || !buffers[i]) throw Refusal{ACL_ERROR_INVALID_PARAM, what + ": expected a description and a buffer, got null"};
            const aclTensorDesc& d = *descriptions[i];
            auto& made = tensors.emplace_back();
            addresses.push_back(buffers[i]->data);
            copies.emplace_back();
            sizes.push_back(0);
            if (d.dtype == ACL_DT_UNDEFINED) continue;  // an optional one that is not given
            const auto dtype = dtype_of_acl(d.dtype);
            if (!dtype) throw Refusal{ACL_ERROR_INVALID_PARAM, text(what, ": expected a dtype that is simulated, got number ", d.dtype)};
            const Dims shape{std::span<const std::int64_t>(d.dims)};
            const auto item = static_cast<std::int64_t>(asnumpy::itemsize(*dtype));
            sizes.back() = static_cast<std::size_t>(asnumpy::count(shape) * item);
            if (sizes.back() > buffers[i]->size) throw Refusal{ACL_ERROR_INVALID_PARAM, text(what, ": expected a buffer of at least ", sizes.back(), " bytes, got ", buffers[i]->size)};
            made.emplace();
            made->slot = first + i;
            made->dtype = *dtype;
            made->view = asnumpy::contiguous(shape, item);
            made->name = kind;
            if (d.on_host && sizes.back()) {
                copies.back() = std::make_shared<std::byte[]>(sizes.back());
                std::memcpy(copies.back().get(), buffers[i]->data, sizes.back());
            }
        }
    }
};

int execute(const char* function, const char* type, int ins, const aclTensorDesc* const* in_descriptions, const aclDataBuffer* const* in_buffers, int outs,
            const aclTensorDesc* const* out_descriptions, const aclDataBuffer* const* out_buffers, const aclopAttr* attributes, void* handle) {
    const NamedOperator* const found = type ? find_named(type) : nullptr;
    const int code = entry(function, {{"opType", type}, {"stream", handle}}, [&] {
        expect_given(type, "opType");
        if (!found) throw Refusal{ACL_ERROR_OP_NOT_FOUND, text("the operator ", type, " of the single-operator interface is not simulated")};
        const Side in(type, "input", ins, in_descriptions, in_buffers, 0), out(type, "output", outs, out_descriptions, out_buffers, ins);
        const auto work = std::make_shared<const Work>(found->plan(NamedCall(found->type, in.tensors, out.tensors, attributes)));
        const std::shared_ptr<Stream> stream = stream_of(handle);
        Task task;
        task.name = found->type;
        std::vector<std::byte*> aliases(static_cast<std::size_t>(ins + outs));
        std::vector<std::shared_ptr<std::byte[]>> copies;
        double bytes = 0;
        for (const auto& [side, writes, first] : {std::tuple{&in, false, 0}, {&out, true, ins}})
            for (std::size_t i = 0; i < side->tensors.size(); ++i) {
                if (!side->tensors[i] || !side->sizes[i]) continue;
                std::byte*& place = aliases[static_cast<std::size_t>(first) + i];
                bytes += static_cast<double>(side->sizes[i]);
                if (side->copies[i]) {
                    place = side->copies[i].get();
                    copies.push_back(side->copies[i]);
                    continue;
                }
                const char* const what = writes ? "output" : "input";
                check_device_range(side->addresses[i], side->sizes[i], what);
                place = alias(side->addresses[i]);
                task.uses.push_back({side->addresses[i], side->sizes[i], writes, true, what});
            }
        task.cost = {bytes, work->operations, work->engine, work->product};
        if (config().compute)
            task.run = [work, aliases = std::move(aliases), copies = std::move(copies)] {
                work->compute(Run(aliases, {}));
                return 0;
            };
        stream->submit(std::move(task));
        return 0;
    });
    if (code) count_refusal(found ? found->type : function, code);
    return code;
}

template <class T> void destroy_made(const T* object) { const std::unique_ptr<const T> owned(object); }

template <class T> int attribute(aclopAttr* attr, const char* name, T value) {
    return entry("aclopSetAttr", {{"name", name}}, [&] {
        expect_given(attr, "attr");
        expect_given(name, "attrName");
        attr->values.insert_or_assign(name, aclopAttr::Value(std::move(value)));
        return 0;
    });
}
template <class To, class From> std::vector<To> listed(int count, const From* values) {
    if (!values) return {};
    return std::vector<To>(values, values + count);
}

}  // namespace
}  // namespace cannsim

using namespace cannsim;

extern "C" {

CANN_ABI aclTensorDesc* aclCreateTensorDesc(int32_t dataType, int numDims, const int64_t* dims, int32_t format) {
    if (numDims < 0 || (numDims && !dims)) return nullptr;
    std::vector<std::int64_t> lengths(dims, dims + numDims);
    return std::make_unique<aclTensorDesc>(aclTensorDesc{dataType, format, lengths, {}, lengths}).release();
}
CANN_ABI void aclDestroyTensorDesc(const aclTensorDesc* desc) { destroy_made(desc); }
CANN_ABI void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
    if (desc && name) desc->name = name;
}
CANN_ABI int32_t aclSetTensorFormat(aclTensorDesc* desc, int32_t format) { return desc ? (desc->format = format, 0) : ACL_ERROR_INVALID_PARAM; }
CANN_ABI int32_t aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {  // of its memory
    return desc && (dims || !numDims) ? (desc->storage.assign(dims, dims + numDims), 0) : ACL_ERROR_INVALID_PARAM;
}
CANN_ABI int32_t aclSetTensorPlaceMent(aclTensorDesc* desc, int32_t place) { return desc ? (desc->on_host = place != 0, 0) : ACL_ERROR_INVALID_PARAM; }
CANN_ABI int32_t aclGetTensorDescType(const aclTensorDesc* desc) { return desc ? desc->dtype : ACL_DT_UNDEFINED; }
CANN_ABI int32_t aclGetTensorDescFormat(const aclTensorDesc* desc) { return desc ? desc->format : ACL_FORMAT_UNDEFINED; }
CANN_ABI size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) { return desc ? desc->dims.size() : 0; }
CANN_ABI int32_t aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
    return desc && dimSize && index < desc->dims.size() ? (*dimSize = desc->dims[index], 0) : ACL_ERROR_INVALID_PARAM;
}

CANN_ABI aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) { return std::make_unique<aclDataBuffer>(aclDataBuffer{data, size}).release(); }
CANN_ABI int32_t aclDestroyDataBuffer(const aclDataBuffer* buffer) { return destroy_made(buffer), 0; }
CANN_ABI void* aclGetDataBufferAddr(const aclDataBuffer* buffer) { return buffer ? buffer->data : nullptr; }
CANN_ABI size_t aclGetDataBufferSizeV2(const aclDataBuffer* buffer) { return buffer ? buffer->size : 0; }

CANN_ABI aclopAttr* aclopCreateAttr() { return std::make_unique<aclopAttr>().release(); }
CANN_ABI void aclopDestroyAttr(const aclopAttr* attr) { destroy_made(attr); }
CANN_ABI int32_t aclopSetAttrBool(aclopAttr* attr, const char* name, uint8_t value) { return attribute(attr, name, value != 0); }
CANN_ABI int32_t aclopSetAttrInt(aclopAttr* attr, const char* name, int64_t value) { return attribute(attr, name, value); }
CANN_ABI int32_t aclopSetAttrFloat(aclopAttr* attr, const char* name, float value) { return attribute(attr, name, static_cast<double>(value)); }
CANN_ABI int32_t aclopSetAttrString(aclopAttr* attr, const char* name, const char* value) { return attribute(attr, name, std::string(value ? value : "")); }
CANN_ABI int32_t aclopSetAttrDataType(aclopAttr* attr, const char* name, int32_t value) { return attribute(attr, name, static_cast<std::int64_t>(value)); }
CANN_ABI int32_t aclopSetAttrListBool(aclopAttr* attr, const char* name, int count, const uint8_t* values) { return attribute(attr, name, listed<std::int64_t>(count, values)); }
CANN_ABI int32_t aclopSetAttrListInt(aclopAttr* attr, const char* name, int count, const int64_t* values) { return attribute(attr, name, listed<std::int64_t>(count, values)); }
CANN_ABI int32_t aclopSetAttrListFloat(aclopAttr* attr, const char* name, int count, const float* values) { return attribute(attr, name, listed<double>(count, values)); }
CANN_ABI int32_t aclopSetAttrListListInt(aclopAttr* attr, const char* name, int count, const int* lengths, const int64_t* const* values) {
    std::vector<std::vector<std::int64_t>> lists;
    for (int i = 0; lengths && values && i < count; ++i) lists.push_back(listed<std::int64_t>(lengths[i], values[i]));
    return attribute(attr, name, std::move(lists));
}
CANN_ABI int32_t aclopCompileAndExecute(const char* opType, int numInputs, const aclTensorDesc* const* inputDesc, const aclDataBuffer* const* inputs, int numOutputs,
                                           const aclTensorDesc* const* outputDesc, aclDataBuffer* const* outputs, const aclopAttr* attr, int32_t, int32_t, const char*, void* stream) {
    return execute("aclopCompileAndExecute", opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream);
}
CANN_ABI int32_t aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc** inputDesc, aclDataBuffer** inputs, int numOutputs, aclTensorDesc** outputDesc,
                                             aclDataBuffer** outputs, aclopAttr* attr, int32_t, int32_t, const char*, void* stream) {
    return execute("aclopCompileAndExecuteV2", opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, stream);
}

}  // extern "C"
