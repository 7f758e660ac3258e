// A kernel's source to a library: the source step around the host's compiler, once or twice, with a cache on disk.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "step.hpp"

namespace ascendc::source {

struct Request {
    std::string text;
    std::string name;                                           // under which findings and errors name the text
    std::vector<std::pair<std::string, std::string>> headers;   // given with the text: name and text
    std::vector<std::string> instances;                         // of templates that launches will ask for
    std::vector<std::string> options;                           // of the compiler
    std::filesystem::path include;                              // the folder of this library's headers
    std::vector<std::string> link;                              // options of the linker, for units that launch kernels
    bool launchers = false;                                     // aclrtlaunch_<name> for each kernel
    bool portable = false;                                      // for other machines than this one
    bool object = false;                                        // in place of a library: what a library of one's own is linked from
    std::function<void(const std::string&)> progress;
};

struct Compiled {
    bool done = false;
    bool cached = false;
    std::filesystem::path library;
    std::string log;
    std::vector<KernelFunction> kernels;  // none where the result was cached
};

Compiled compile(const Request&);

// $CXX, or the first of g++, c++ and clang++ that there is; empty: none.
std::vector<std::string> compiler();
// $ASCENDC_CACHE, or a folder of this library in the user's cache.
std::filesystem::path cache_folder();

// The header by which C and C++ call a kernel's launcher.
std::string launcher_header(const KernelFunction&);

}  // namespace ascendc::source
