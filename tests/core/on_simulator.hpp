// The Ascend backend on two simulated devices: the simulator's own interface, memory of the devices, and a small program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "ascend/backend.hpp"
#include "ascend/library/cann.hpp"
#include "random_programs.hpp"

namespace asnumpy::testing {

// Before anything asks for CANN.
inline void choose_simulator() {
    setenv("ASNUMPY_CANN", "sim", 1);
    setenv("ASNUMPY_CANNSIM_LIB", CANNSIM_FOLDER, 1);
    setenv("CANNSIM_STRICT", "abort", 1);
    setenv("CANNSIM_DEVICES", "2", 1);
    setenv("CANNSIM_MEMORY", "1G", 1);
}

// The simulator's own interface.
template <class F> F simulator(const char* name) { return reinterpret_cast<F>(ascend::cann().find(name)); }
inline void set(const char* name, const char* value) { simulator<int (*)(const char*, const char*)>("cannsim_set")(name, value); }
inline void plan_failure(const char* function, std::uint64_t nth, int code) {
    simulator<int (*)(const char*, std::uint64_t, std::int32_t)>("cannsim_fail")(function, nth, code);
}
inline void clear_faults() { simulator<int (*)()>("cannsim_clear_faults")(); }
inline void clear() { simulator<int (*)()>("cannsim_clear")(); }
inline int calls_of(const std::string& function) {
    const std::string log = simulator<const char* (*)()>("cannsim_log_json")();
    const std::string quoted = "\"" + function + "\"";
    int n = 0;
    for (std::size_t at = log.find(quoted); at != std::string::npos; at = log.find(quoted, at + 1)) ++n;
    return n;
}

inline std::string failure_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& failure) {
        return failure.what();
    }
    return {};
}
inline bool says(const std::string& text, std::initializer_list<const char*> parts) {
    return std::ranges::all_of(parts, [&](const char* part) { return text.find(part) != std::string::npos; });
}

// Host bytes that also lie on a device.
class Mirror {
public:
    Mirror(Pool& pool, const std::vector<char>& bytes, std::size_t offset = 0) : pool_(pool), bytes_(bytes.size() + offset) {
        data_ = static_cast<char*>(pool.allocate(bytes_));
        try {
            pool.backend().upload(data_ + offset, bytes.data(), bytes.size());
        } catch (...) {
            pool.deallocate(data_, bytes_);
            throw;
        }
    }
    ~Mirror() { pool_.deallocate(data_, bytes_); }
    Mirror(const Mirror&) = delete;
    Mirror& operator=(const Mirror&) = delete;
    char* data() const { return data_; }

private:
    Pool& pool_;
    std::size_t bytes_;
    char* data_;
};

struct Vectors {  // float32 in device memory
    Pool& pool;
    std::vector<std::unique_ptr<Mirror>> all;
    char* add(std::size_t n, float value) {
        std::vector<float> values(n, value);
        std::vector<char> bytes(n * sizeof(float));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        all.push_back(std::make_unique<Mirror>(pool, bytes));
        return all.back()->data();
    }
    float at(const char* data, std::size_t i) {
        float value = 0;
        pool.backend().download(&value, data + i * sizeof(float), sizeof value);
        return value;
    }
};

inline Program addition() {
    const RowId add = find_row("add");
    Program p;
    p.inputs = {DType::float32, DType::float32};
    p.steps = {{add, loop_of(add, signature({DType::float32, DType::float32}, {DType::float32})), {0, 1, 0}, 2}};
    p.stores = {{2}};
    return p;
}

inline Launch over(std::int64_t n, std::initializer_list<char*> data) {
    Launch launch;
    launch.shape = {n};
    for (char* const one : data) launch.operands.push_back({one, {4}});
    return launch;
}

}  // namespace asnumpy::testing
