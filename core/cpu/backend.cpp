// Memory from the kernel, the executable of a program, and the dispatch of structured operations.
#include "cpu/backend.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/fork_mutex.hpp"
#include "base/immortal.hpp"
#include "cpu/executor.hpp"
#include "cpu/host_memory.hpp"
#include "cpu/lines.hpp"
#include "cpu/rounds.hpp"
#include "cpu/structured.hpp"
#include "cpu/threads.hpp"
#include "cpu/ways.hpp"
#include "device/trace.hpp"
#include "kernels/kernels.hpp"
#include "ops/random.hpp"
#include "ops/structured.hpp"

namespace asnumpy::cpu {
namespace {

constexpr std::size_t huge_page = 2 * 1024 * 1024;

class PlanExecutable final : public Executable {
public:
    explicit PlanExecutable(const Program& program) : plan_(program) {}
    void run(const Launch& launch) const override { plan_.run(launch); }
    std::unique_ptr<PreparedLaunch> prepare(const Launch& launch) const override { return plan_.prepare(launch); }
    void look_at(const Launch& launch) const override { plan_.look_at(launch); }
    bool awaits_code(bool asked) const override { return plan_.awaits_code(asked); }
    const Plan& plan() const { return plan_; }

private:
    Plan plan_;
};

using StructuredFunction = void (*)(const StructuredCall&);
constexpr std::array<std::pair<std::string_view, StructuredFunction>, 24> structured_functions{{
    {"matmul", matmul}, {"scan", scan}, {"argmax", argmax}, {"argmin", argmin}, {"take", take}, {"scatter", scatter},
    {"compress", compress}, {"flatnonzero", flatnonzero}, {"bincount", bincount}, {"add_at", add_at}, {"add_runs", add_runs},
    {"sparse_product", sparse_product}, {"sparse_sums", sparse_sums}, {"matrix_inverse", matrix_inverse}, {"matrix_solve", matrix_solve},
    {"bin_places", bin_places}, {"in_range", in_range}, {"deviations", deviations}, {"overlapping_copy", overlapping_copy}, {"sort", sort}, {"search", search},
    {"random_choice", random_choice}, {"random_multinomial", random_multinomial},
    {"random_multivariate_hypergeometric", random_multivariate_hypergeometric},
}};

class CpuBackend final : public Backend {
public:
    CpuBackend() : functions_(rows().size(), nullptr) {
        for (const auto& [name, function] : structured_functions) functions_[find_row(name)] = function;
        for (const RandomRow& row : random_rows) functions_[find_row(row.name)] = random_draw;
    }

    std::string name() const override { return "cpu"; }
    bool host_visible() const override { return true; }
    ContiguousLoop contiguous_loop(RowId id, int index) const override { return loop(id, index); }
    ContiguousFold contiguous_fold(RowId id, int index) const override { return fold(id, index); }
    HostProduct host_product(DType dtype) const override { return product_of(MatrixProduct{dtype, false}); }
    bool run_without_launch(RowId id, int index, const Launch& launch) const override { return run_lines(id, index, launch); }

    // Fresh pages come from the kernel when a kernel of ours first writes them, on the thread that writes.
    void* allocate(std::size_t bytes) override {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t length = (bytes + page - 1) / page * page;
        const bool huge = length >= huge_page;
        const std::size_t mapped = huge ? length + huge_page : length;  // room to align
        void* const raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (raw == MAP_FAILED) return nullptr;
        char* data = static_cast<char*>(raw);
        if (huge) {
            const auto address = reinterpret_cast<std::uintptr_t>(raw);
            const std::size_t before = (huge_page - address % huge_page) % huge_page;
            data += before;
            if (before) munmap(raw, before);
            if (huge_page - before) munmap(data + length, huge_page - before);
            madvise(data, length, MADV_HUGEPAGE);  // a hint: a kernel without huge pages refuses, which is no error
        }
        try {
            std::lock_guard guard(mutex_);
            untouched_.emplace(data, length);
        } catch (...) {
            munmap(data, length);
            throw;
        }
        return data;
    }

    void release(void* data, std::size_t bytes) noexcept override {
        const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        {
            std::lock_guard guard(mutex_);
            untouched_.erase(static_cast<char*>(data));
        }
        munmap(data, (bytes + page - 1) / page * page);
    }

    std::size_t total_memory() const override { return host_memory().total; }

    // Memory that was handed out and not yet written is spoken for, though the kernel still counts it as free.
    std::size_t available_memory() const override {
        const std::uint64_t available = host_memory().available, promised = promised_bytes();
        return available - std::min(available, promised);
    }

    std::unique_ptr<Executable> compile(const Program& program) override {
        return std::make_unique<PlanExecutable>(program);
    }

    std::shared_ptr<const StagesWay> way_of(const Stages& stages) const override {
        Plans plans;
        for (const Stages::Stage& stage : stages.stages) plans.push_back(&plan_of(stage).resolved());
        return cpu::way_of(stages, std::move(plans));
    }
    std::uint64_t ways_known() const override { return std::uint64_t{plan_changes()} << 32 | static_cast<std::uint32_t>(thread_count()); }
    void run_stages(const Stages& stages, const StagesWay& way) override {
        // Of each plan the stages run alike, and of two of them one at a time is compared: what is timed is the whole.
        struct Turn {
            const Plan* plan;
            Plan::Turn next;
            std::int64_t points, stages;
        };
        std::vector<Turn> turns;
        Plans plans;
        for (const Stages::Stage& stage : stages.stages) {
            const Plan& plan = plan_of(stage);
            auto turn = std::ranges::find(turns, &plan, &Turn::plan);
            if (turn == turns.end()) {
                const bool comparing = std::ranges::any_of(turns, [](const Turn& other) { return other.next.compared; });
                turn = turns.insert(turns.end(), {&plan, comparing ? Plan::Turn{&plan.resolved(), false} : plan.next(), 0, 0});
            }
            turn->points += count(stage.launch.shape);
            ++turn->stages;
            plans.push_back(turn->next.plan);
        }
        const auto begin = std::chrono::steady_clock::now();
        cpu::run(stages, plans, static_cast<const ChosenWay&>(way));
        const auto each = (std::chrono::steady_clock::now() - begin) / static_cast<std::int64_t>(stages.stages.size());
        for (const Turn& turn : turns)
            if (turn.next.timed) turn.plan->note(turn.next, turn.points, turn.stages * each);
    }

    bool computes(const StructuredCall& call) const override { return function_of(call) != nullptr; }
    using Backend::computes;
    bool offers(const StructuredCall& call) const override {
        const StructuredFunction function = function_of(call);
        return (function == sort && sorts(call.in[0].dtype)) || (function == search && searches(call.in[0].dtype));
    }
    void run(const StructuredCall& call) override {
        const StructuredFunction function = function_of(call);
        if (!function)
            throw RuntimeFailure("cpu backend: expected a structured row, got " + std::string(row(call.row).name));
        trace::Span span(row(call.row).name, "run");
        describe(span, call);
        function(call);
    }

private:
    StructuredFunction function_of(const StructuredCall& call) const { return call.row < functions_.size() ? functions_[call.row] : nullptr; }

    static const Plan& plan_of(const Stages::Stage& stage) { return static_cast<const PlanExecutable*>(stage.executable)->plan(); }

    // Asks the kernel for one page in each huge page of the allocations not yet seen fully written.
    std::uint64_t promised_bytes() const {
        std::lock_guard guard(mutex_);
        std::uint64_t promised = 0;
        for (auto it = untouched_.begin(); it != untouched_.end();) {
            std::uint64_t missing = 0;
            for (std::size_t at = 0; at < it->second; at += huge_page) {
                unsigned char present = 0;
                const bool known = mincore(it->first + at, 1, &present) == 0;
                if (known && !(present & 1)) missing += std::min(huge_page, it->second - at);
            }
            promised += missing;
            it = missing ? std::next(it) : untouched_.erase(it);
        }
        return promised;
    }

    std::vector<StructuredFunction> functions_;  // by row id
    mutable ForkMutex mutex_{60};                // above the pool's
    mutable std::map<char*, std::size_t> untouched_;
};

}  // namespace

Backend& cpu_backend() {
    static Immortal<CpuBackend> backend;
    return *backend;
}

bool recomputes(RowId id, int loop) { return is_plain(id, loop); }

}  // namespace asnumpy::cpu
