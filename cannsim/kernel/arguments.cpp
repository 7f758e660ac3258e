// aclrtKernelArgs*: arguments one after the other, where the kernel's parameters lie.
#include "kernel/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "api/place.hpp"
#include "base/immortal.hpp"

using namespace cannsim;

namespace cannsim {
namespace {

struct MadeArguments {
    std::mutex mutex;
    std::set<void*> handles;
};
MadeArguments& made_arguments() {
    static asnumpy::Immortal<MadeArguments> instance;
    return *instance;
}

// The place of a parameter; its handle is its number, from 1.
const ascendc::ParameterPlace& place_of(const KernelArguments& arguments, std::size_t number, std::size_t bytes) {
    const KernelFunction& function = *arguments.function;
    if (number >= function.parameters)
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("the kernel ", function.name, " has ", function.parameters, " parameters, and this is argument ", number + 1)};
    const ascendc::ParameterPlace& place = function.places[number];
    if (bytes != place.bytes)
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("paramSize: parameter ", number, " of the kernel ", function.name, " has ", place.bytes, " bytes, got ", bytes)};
    return place;
}
std::size_t number_of_parameter(const KernelArguments& arguments, void* handle) {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number == 0 || number > arguments.given)
        throw Refusal{ACL_ERROR_INVALID_PARAM, text("paramHandle: expected one that aclrtKernelArgsAppend gave, got ", static_cast<const void*>(handle))};
    return number - 1;
}

void expect_open(const KernelArguments& arguments) {
    if (arguments.finalized) throw Refusal{ACL_ERROR_INVALID_PARAM, "argsHandle: it was finalized; no argument can be added"};
}

KernelArguments& make_arguments(void* function_handle) {
    KernelFunction& function = function_of(function_handle);
    auto made = std::make_unique<KernelArguments>();
    made->function = &function;
    made->bytes.resize(function.bytes());
    KernelArguments& result = *made;
    {
        const std::scoped_lock lock(function.binary->mutex);
        function.binary->arguments.push_back(std::move(made));
    }
    const std::scoped_lock lock(made_arguments().mutex);
    made_arguments().handles.insert(&result);
    return result;
}

constexpr std::size_t handle_bytes = 64;

}  // namespace

KernelArguments& arguments_of(void* handle) {
    // Memory of the client's own holds the address of ours.
    MadeArguments& all = made_arguments();
    const std::scoped_lock lock(all.mutex);
    if (all.handles.contains(handle)) return *static_cast<KernelArguments*>(handle);
    void* inner = nullptr;
    if (handle) std::memcpy(&inner, handle, sizeof(inner));
    if (inner && all.handles.contains(inner)) return *static_cast<KernelArguments*>(inner);
    throw Refusal{ACL_ERROR_INVALID_PARAM, text("argsHandle: expected one of aclrtKernelArgsInit, got ", static_cast<const void*>(handle))};
}

}  // namespace cannsim

extern "C" {

int32_t aclrtKernelArgsInit(void* funcHandle, void** argsHandle) {
    return entry("aclrtKernelArgsInit", {{"funcHandle", funcHandle}}, [&] {
        expect_given(argsHandle, "argsHandle");
        *argsHandle = &make_arguments(funcHandle);
        return 0;
    });
}
int32_t aclrtKernelArgsGetHandleMemSize(void* funcHandle, size_t* memSize) {
    return entry("aclrtKernelArgsGetHandleMemSize", {{"funcHandle", funcHandle}}, [&] {
        expect_given(memSize, "memSize");
        function_of(funcHandle);
        *memSize = handle_bytes;
        return 0;
    });
}
int32_t aclrtKernelArgsGetMemSize(void* funcHandle, size_t userArgsSize, size_t* actualArgsSize) {
    return entry("aclrtKernelArgsGetMemSize", {{"funcHandle", funcHandle}, {"userArgsSize", userArgsSize}}, [&] {
        expect_given(actualArgsSize, "actualArgsSize");
        *actualArgsSize = std::max<std::size_t>(userArgsSize, function_of(funcHandle).bytes());
        return 0;
    });
}
int32_t aclrtKernelArgsInitByUserMem(void* funcHandle, void* argsHandle, void* userHostMem, size_t actualArgsSize) {
    return entry("aclrtKernelArgsInitByUserMem", {{"funcHandle", funcHandle}, {"argsHandle", argsHandle}, {"actualArgsSize", actualArgsSize}}, [&] {
        expect_given(argsHandle, "argsHandle");
        expect_given(userHostMem, "userHostMem");
        void* const made = &make_arguments(funcHandle);
        std::memcpy(argsHandle, &made, sizeof(made));
        return 0;
    });
}
int32_t aclrtKernelArgsAppend(void* argsHandle, void* param, size_t paramSize, void** paramHandle) {
    return entry("aclrtKernelArgsAppend", {{"argsHandle", argsHandle}, {"paramSize", paramSize}}, [&] {
        expect_given(param, "param");
        KernelArguments& arguments = arguments_of(argsHandle);
        expect_open(arguments);
        const ascendc::ParameterPlace& place = place_of(arguments, arguments.given, paramSize);
        std::memcpy(arguments.bytes.data() + place.offset, param, paramSize);
        ++arguments.given;
        if (paramHandle) *paramHandle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(arguments.given));
        return 0;
    });
}
int32_t aclrtKernelArgsAppendPlaceHolder(void* argsHandle, void** paramHandle) {
    return entry("aclrtKernelArgsAppendPlaceHolder", {{"argsHandle", argsHandle}}, [&] {
        expect_given(paramHandle, "paramHandle");
        KernelArguments& arguments = arguments_of(argsHandle);
        expect_open(arguments);
        arguments.placeholders.push_back({place_of(arguments, arguments.given, sizeof(void*)).offset, {}});
        *paramHandle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(++arguments.given));
        return 0;
    });
}
int32_t aclrtKernelArgsGetPlaceHolderBuffer(void* argsHandle, void* paramHandle, size_t dataSize, void** bufferAddr) {
    return entry("aclrtKernelArgsGetPlaceHolderBuffer", {{"argsHandle", argsHandle}, {"dataSize", dataSize}}, [&] {
        expect_given(bufferAddr, "bufferAddr");
        KernelArguments& arguments = arguments_of(argsHandle);
        const std::size_t at = arguments.function->places[number_of_parameter(arguments, paramHandle)].offset;
        const auto found = std::ranges::find(arguments.placeholders, at, &Placeholder::at);
        if (found == arguments.placeholders.end()) throw Refusal{ACL_ERROR_INVALID_PARAM, "paramHandle: expected one of aclrtKernelArgsAppendPlaceHolder"};
        found->data.resize(dataSize);
        *bufferAddr = found->data.data();
        return 0;
    });
}
int32_t aclrtKernelArgsParaUpdate(void* argsHandle, void* paramHandle, void* param, size_t paramSize) {
    return entry("aclrtKernelArgsParaUpdate", {{"argsHandle", argsHandle}, {"paramSize", paramSize}}, [&] {
        expect_given(param, "param");
        KernelArguments& arguments = arguments_of(argsHandle);
        const ascendc::ParameterPlace& place = place_of(arguments, number_of_parameter(arguments, paramHandle), paramSize);
        std::memcpy(arguments.bytes.data() + place.offset, param, paramSize);
        return 0;
    });
}
int32_t aclrtKernelArgsFinalize(void* argsHandle) {
    return entry("aclrtKernelArgsFinalize", {{"argsHandle", argsHandle}}, [&] {
        KernelArguments& arguments = arguments_of(argsHandle);
        if (arguments.given != arguments.function->parameters)
            throw Refusal{ACL_ERROR_INVALID_PARAM, text("argsHandle: the kernel ", arguments.function->name, " has ", arguments.function->parameters,
                                                        " parameters, got ", arguments.given, " arguments")};
        arguments.finalized = true;
        return 0;
    });
}

}  // extern "C"
