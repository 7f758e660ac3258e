// A device for the tests: the CPU backend behind memory that the host cannot touch, and that leaves some rows undone.
#pragma once

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/immortal.hpp"
#include "cpu/backend.hpp"
#include "device/pool.hpp"

namespace asnumpy::testing {

// Its memory may be touched only while one of these lives, so that a host that reads or writes it ends with a signal.
class GuardedMemory {
public:
    class Open {
    public:
        explicit Open(GuardedMemory& m) : lock_(m.mutex_), memory_(m) { if (memory_.depth_++ == 0) memory_.protect(PROT_READ | PROT_WRITE); }
        ~Open() { if (--memory_.depth_ == 0) memory_.protect(PROT_NONE); }
        Open(const Open&) = delete;

    private:
        std::lock_guard<std::recursive_mutex> lock_;
        GuardedMemory& memory_;
    };

    void* take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        bytes = (bytes + page - 1) / page * page;
        void* const data = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (data == MAP_FAILED) return nullptr;
        regions_.emplace(static_cast<char*>(data), bytes);
        return data;
    }
    void give(void* data) {
        const std::lock_guard lock(mutex_);
        const auto found = regions_.find(static_cast<char*>(data));
        munmap(found->first, found->second);
        regions_.erase(found);
    }
    bool owns(const void* p) const {
        const std::lock_guard lock(mutex_);
        auto after = regions_.upper_bound(static_cast<char*>(const_cast<void*>(p)));
        if (after == regions_.begin()) return false;
        --after;
        return static_cast<const char*>(p) < after->first + after->second;
    }
    void expect_inside(const void* p, bool inside, const char* what) const {
        if (owns(p) == inside) return;
        std::fprintf(stderr, "failed: %s: %p is %s\n", what, p, inside ? "an address of the host" : "an address of the device");
        std::abort();
    }

private:
    static constexpr std::size_t page = 4096;

    void protect(int how) {
        for (const auto& [data, bytes] : regions_) mprotect(data, bytes, how);
    }

    mutable std::recursive_mutex mutex_;
    std::map<char*, std::size_t> regions_;
    int depth_ = 0;
};

class GuardedBackend final : public Backend {
public:
    explicit GuardedBackend(std::string name) : name_(std::move(name)) {}

    std::string name() const override { return name_; }
    bool host_visible() const override { return false; }
    void* allocate(std::size_t bytes) override { return memory_.take(bytes); }
    void release(void* data, std::size_t) noexcept override { memory_.give(data); }
    std::size_t total_memory() const override { return std::size_t{8} << 30; }
    std::size_t available_memory() const override { return std::size_t{8} << 30; }
    std::unique_ptr<Executable> compile(const Program& program) override {
        return std::make_unique<Guarded>(cpu::cpu_backend().compile(program), memory_);
    }
    void run(const StructuredCall& call) override {
        for (const auto* side : {&call.in, &call.out})
            for (const Tensor& t : *side)
                if (count(t.shape) > 0) memory_.expect_inside(t.data, true, "an operand of a structured operation");
        const GuardedMemory::Open open(memory_);
        cpu::cpu_backend().run(call);
    }
    void upload(void* to, const void* host, std::size_t bytes) override {
        memory_.expect_inside(to, true, "the target of an upload");
        memory_.expect_inside(host, false, "the source of an upload");
        const GuardedMemory::Open open(memory_);
        std::memcpy(to, host, bytes);
    }
    void download(void* host, const void* from, std::size_t bytes) override {
        memory_.expect_inside(from, true, "the source of a download");
        memory_.expect_inside(host, false, "the target of a download");
        const GuardedMemory::Open open(memory_);
        std::memcpy(host, from, bytes);
    }
    // What an NPU might lack.
    bool computes(RowId id, int loop) const override {
        const Row& r = row(id);
        return r.name != "arctan2" && r.name != "sqrt" && !(r.name == "floor_divide" && r.loops[static_cast<std::size_t>(loop)].in[0] == DType::int64);
    }
    bool reduces(RowId id, int) const override { return row(id).name != "multiply"; }
    bool computes(const StructuredCall& call) const override {
        const std::string_view name = row(call.row).name;
        return name != "scatter" && name != "argmax" && !name.starts_with("random") && call.in[0].dtype != DType::int16;
    }

private:
    class Guarded final : public Executable {
    public:
        Guarded(std::unique_ptr<Executable> own, GuardedMemory& memory) : own_(std::move(own)), memory_(memory) {}
        void run(const Launch& launch) const override {
            for (const Operand& operand : launch.operands)
                if (count(launch.shape) > 0) memory_.expect_inside(operand.data, !operand.constant, "an operand of a program");
            const GuardedMemory::Open open(memory_);
            own_->run(launch);
        }

    private:
        std::unique_ptr<Executable> own_;
        GuardedMemory& memory_;
    };

    std::string name_;
    GuardedMemory memory_;
};

inline Pool& guarded_pool(int index) {
    static Immortal<GuardedBackend> backends[]{Immortal<GuardedBackend>("ascend:0"), Immortal<GuardedBackend>("ascend:1")};
    static Immortal<Pool> pools[]{Immortal<Pool>(*backends[0]), Immortal<Pool>(*backends[1])};
    return *pools[index];
}

}  // namespace asnumpy::testing
