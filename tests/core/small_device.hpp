// What the tests of the pool are written with: a device, and a check that counts what fails.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "device/backend.hpp"

namespace asnumpy::testing {

inline int failures = 0;

inline void expect(bool ok, const char* what) {
    if (ok) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

// A device with a given amount of memory that knows what it has handed out.
class SmallDevice final : public Backend {
public:
    explicit SmallDevice(std::size_t total) : total_(total) {}
    std::string name() const override { return "small"; }
    void* allocate(std::size_t bytes) override {
        std::lock_guard guard(mutex_);
        if (used_ + bytes > total_) return nullptr;
        void* data = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
        blocks_[data] = bytes;
        used_ += bytes;
        ++calls;
        return data;
    }
    void release(void* data, std::size_t bytes) noexcept override {
        std::lock_guard guard(mutex_);
        const auto it = blocks_.find(data);
        wrong_release |= it == blocks_.end() || it->second != bytes;
        used_ -= bytes;
        blocks_.erase(data);
        std::free(data);
    }
    std::size_t total_memory() const override { return total_; }
    std::size_t available_memory() const override { return total_ - used_; }
    std::unique_ptr<Executable> compile(const Program&) override { return nullptr; }
    void run(const StructuredCall&) override {}
    bool host_visible() const override { return false; }
    std::size_t used() const { return used_; }

    bool wrong_release = false;
    int calls = 0;

private:
    std::size_t total_, used_ = 0;
    std::map<void*, std::size_t> blocks_;
    std::mutex mutex_;
};

}  // namespace asnumpy::testing
