// The libraries of one CANN, opened.
#include "ascend/library/libraries.hpp"

#include <dlfcn.h>

#include <array>

#include "ascend/library/places.hpp"

namespace asnumpy::ascend {
namespace {

// In the order in which other programs look for an operator. Versions differ in which they have: 8.x some of the first group,
// 8.5 and later those of the last, and each has libopapi.so or what it was divided into.
constexpr std::array operator_libraries{
    "libaclnn_ops_infer.so", "libaclnn_ops_train.so", "libaclnn_math.so", "libaclnn_sparse.so", "libaclnn_fft.so", "libaclnn_rand.so",
    "libopapi.so",
    "libopapi_math.so", "libopapi_nn.so", "libopapi_cv.so", "libopapi_transformer.so", "libopapi_legacy.so", "libopapi_oam.so",
};
// The one that the message names where there is none.
constexpr const char* usual_operators = "libopapi.so";

std::string loader_message() {
    const char* const message = dlerror();
    return message ? message : "the loader gave no reason";
}

}  // namespace

void* Libraries::open_one(const std::string& path, bool by_the_loader, int mode) {
    if (!by_the_loader && !exists(path)) return nullptr;
    void* const handle = dlopen(path.c_str(), mode);
    const std::string outcome = handle ? "opened" : loader_message();
    const bool absent = by_the_loader && outcome.find("cannot open shared object file") != std::string::npos;
    if (!absent) outcomes_.emplace_back(path, outcome);
    return handle;
}

std::string Libraries::open(const std::string& folder, const std::vector<std::string>& vendors) {
    *this = {};
    const std::string prefix = folder.empty() ? "" : folder + "/";
    // Operators of CANN load plug-ins that take symbols from what is loaded already.
    constexpr int all = RTLD_NOW | RTLD_GLOBAL;
    void* const runtime = dlopen((prefix + runtime_library).c_str(), all);
    if (!runtime) return loader_message();
    outcomes_.emplace_back(prefix + runtime_library, "opened");
    libraries_ = {runtime};
    if (void* const base = open_one(prefix + "libnnopbase.so", folder.empty(), all)) libraries_.push_back(base);
    const std::size_t before = libraries_.size();
    for (const char* const name : operator_libraries)
        if (void* const handle = open_one(prefix + name, folder.empty(), all)) libraries_.push_back(handle);
    if (libraries_.size() == before) {
        dlopen((prefix + usual_operators).c_str(), all);
        return std::string(runtime_library) + " was opened, but " + loader_message();
    }
    for (const std::string& path : vendors)
        if (void* const handle = open_one(path, false, RTLD_LAZY | RTLD_LOCAL)) vendors_.push_back(handle);
    return {};
}

void* Libraries::find(const char* name) const {
    for (void* const library : libraries_)
        if (void* const found = dlsym(library, name)) return found;
    return nullptr;
}

void* Libraries::find_operator(const char* name) const {
    for (void* const library : vendors_)
        if (void* const found = dlsym(library, name)) return found;
    return find(name);
}

}  // namespace asnumpy::ascend
