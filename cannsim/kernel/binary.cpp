// aclrtBinary*: compiled kernels and what they are.
#include <cstring>
#include <memory>

#include "api/place.hpp"
#include "kernel/module.hpp"

using namespace cannsim;

namespace {

// What aclrtCreateBinary makes: bytes that the client keeps.
struct BinaryData {
    const void* data;
    std::size_t bytes;
};

}  // namespace

extern "C" {

CANN_ABI void* aclrtCreateBinary(const void* data, size_t dataLen) {
    return making<BinaryData>("aclrtCreateBinary", [&] {
        expect_given(data, "data");
        return std::make_unique<BinaryData>(BinaryData{data, dataLen});
    });
}
int32_t aclrtDestroyBinary(void* binary) {
    return entry("aclrtDestroyBinary", {{"binary", binary}}, [&] {
        expect_given(binary, "binary");
        const std::unique_ptr<BinaryData> owned(static_cast<BinaryData*>(binary));
        return 0;
    });
}
int32_t aclrtBinaryLoad(void* binary, void** binHandle) {
    return entry("aclrtBinaryLoad", {{"binary", binary}}, [&] {
        expect_given(binary, "binary");
        expect_given(binHandle, "binHandle");
        const BinaryData& data = *static_cast<const BinaryData*>(binary);
        *binHandle = load_kernels(data.data, data.bytes);
        return 0;
    });
}
int32_t aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions*, void** binHandle) {
    return entry("aclrtBinaryLoadFromFile", {{"binPath", binPath}}, [&] {
        expect_given(binPath, "binPath");
        expect_given(binHandle, "binHandle");
        *binHandle = load_kernels(std::string(binPath));
        return 0;
    });
}
int32_t aclrtBinaryLoadFromData(const void* data, size_t length, const aclrtBinaryLoadOptions*, void** binHandle) {
    return entry("aclrtBinaryLoadFromData", {{"data", data}, {"length", length}}, [&] {
        expect_given(data, "data");
        expect_given(binHandle, "binHandle");
        *binHandle = load_kernels(data, length);
        return 0;
    });
}
int32_t aclrtBinaryUnLoad(void* binHandle) {
    return entry("aclrtBinaryUnLoad", {{"binHandle", binHandle}}, [&] { return unload_kernels(binHandle), 0; });
}
int32_t aclrtBinaryGetFunction(void* binHandle, const char* kernelName, void** funcHandle) {
    return entry("aclrtBinaryGetFunction", {{"binHandle", binHandle}, {"kernelName", kernelName}}, [&] {
        expect_given(kernelName, "kernelName");
        expect_given(funcHandle, "funcHandle");
        *funcHandle = &function_named(binHandle, kernelName);
        return 0;
    });
}
int32_t aclrtBinaryGetFunctionByEntry(void* binHandle, uint64_t funcEntry, void** funcHandle) {
    return entry("aclrtBinaryGetFunctionByEntry", {{"binHandle", binHandle}, {"funcEntry", funcEntry}}, [&] {
        expect_given(funcHandle, "funcHandle");
        *funcHandle = &function_of_entry(binHandle, funcEntry);
        return 0;
    });
}
int32_t aclrtFunctionGetBinary(void* funcHandle, void** binHandle) {
    return entry("aclrtFunctionGetBinary", {{"funcHandle", funcHandle}}, [&] {
        expect_given(binHandle, "binHandle");
        *binHandle = function_of(funcHandle).binary;
        return 0;
    });
}
int32_t aclrtGetFunctionName(void* funcHandle, uint32_t maxLen, char* name) {
    return entry("aclrtGetFunctionName", {{"funcHandle", funcHandle}, {"maxLen", maxLen}}, [&] {
        expect_given(name, "name");
        const std::string& known = function_of(funcHandle).name;
        if (known.size() + 1 > maxLen) throw Refusal{ACL_ERROR_INVALID_PARAM, text("maxLen: expected at least ", known.size() + 1, ", got ", maxLen)};
        std::memcpy(name, known.c_str(), known.size() + 1);
        return 0;
    });
}
int32_t aclrtFunctionGetParamCount(const void* func, size_t* paramCount) {
    return entry("aclrtFunctionGetParamCount", {{"func", func}}, [&] {
        expect_given(paramCount, "paramCount");
        *paramCount = function_of(const_cast<void*>(func)).parameters;
        return 0;
    });
}
int32_t aclrtFunctionGetParamInfo(const void* func, size_t paramIndex, size_t* paramOffset, size_t* paramSize) {
    return entry("aclrtFunctionGetParamInfo", {{"func", func}, {"paramIndex", paramIndex}}, [&] {
        const KernelFunction& function = function_of(const_cast<void*>(func));
        if (paramIndex >= function.parameters) throw Refusal{ACL_ERROR_INVALID_PARAM, text("paramIndex: expected less than ", function.parameters, ", got ", paramIndex)};
        if (paramOffset) *paramOffset = function.places[paramIndex].offset;
        if (paramSize) *paramSize = function.places[paramIndex].bytes;
        return 0;
    });
}

}  // extern "C"
