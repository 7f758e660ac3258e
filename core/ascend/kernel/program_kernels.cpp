// All kernels of programs, and the thread that compiles them.
#include "ascend/kernel/program_kernels.hpp"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "ascend/launch/refused.hpp"

namespace asnumpy::ascend {
namespace {

constexpr std::size_t most_kernels = 512;
constexpr int most_refusals = 8;  // then there is no compiler that would do, and nothing is asked of it any more
std::atomic<int> refusals{0};

struct KnownPrograms {
    std::mutex mutex;
    std::unordered_map<std::string, std::unique_ptr<ProgramKernel>> by_name;
};
KnownPrograms& known_programs() {
    static KnownPrograms& instance = *new KnownPrograms;
    return instance;
}

// Belongs to the process that started it: a forked child has no such thread, and CANN does not work there.
class KernelBuilder {
public:
    void add(ProgramKernel& kernel) {
        const std::lock_guard lock(mutex_);
        if (stopped_ || getpid() != process_) return;
        waiting_.push_back(&kernel);
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        wake_.notify_one();
    }
    void stop() noexcept {
        if (getpid() != process_) return;
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
            waiting_.clear();
        }
        wake_.notify_one();
        if (thread_.joinable()) thread_.join();
    }

private:
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
            if (stopped_) return;
            ProgramKernel& next = *waiting_.front();
            waiting_.pop_front();
            lock.unlock();
            next.build();
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<ProgramKernel*> waiting_;
    bool stopped_ = false;
    const pid_t process_ = getpid();
    std::thread thread_;
};
KernelBuilder& builder() {
    static KernelBuilder& instance = *new KernelBuilder;
    return instance;
}

}  // namespace

void ProgramKernel::build() {
    const std::lock_guard lock(mutex_);
    const State state = state_.load(std::memory_order_acquire);
    if (state == State::built || state == State::refused || refusals.load() >= most_refusals) return;
    try {
        kernel_.prepare();
        state_.store(State::built, std::memory_order_release);
    } catch (const Refused& refused) {  // operators do the work, as before: nobody needs to be told
        why_not_ = refused.what();
        ++refusals;
        state_.store(State::refused, std::memory_order_release);
    }
}

std::string ProgramKernel::why_not() const {
    const std::lock_guard lock(mutex_);
    return why_not_;
}

void ProgramKernel::ask() {
    State cold = State::cold;
    if (state_.compare_exchange_strong(cold, State::asked)) builder().add(*this);
}

ProgramKernel* program_kernel(ProgramSource source) {
    const std::lock_guard lock(known_programs().mutex);
    const auto found = known_programs().by_name.find(source.name);
    if (found != known_programs().by_name.end()) return found->second->text() == source.text ? found->second.get() : nullptr;
    if (known_programs().by_name.size() >= most_kernels) return nullptr;
    const std::string name = source.name;
    return known_programs().by_name.emplace(name, std::make_unique<ProgramKernel>(std::move(source))).first->second.get();
}

std::vector<const ProgramKernel*> program_kernels() {
    const std::lock_guard lock(known_programs().mutex);
    std::vector<const ProgramKernel*> found;
    for (const auto& [name, kernel] : known_programs().by_name) found.push_back(kernel.get());
    return found;
}

void stop_building() noexcept { builder().stop(); }

}  // namespace asnumpy::ascend
