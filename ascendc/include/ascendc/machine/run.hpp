// Running a launch on the host's threads: as many cores at a time as the host has, more where some wait for others.
#pragma once

#include <exception>

#include "ascendc/machine/core.hpp"
#include "ascendc/machine/guard.hpp"

namespace ascendc {

// Cores are large; those of ended launches are used again.
class CorePool {
public:
    std::unique_ptr<Core> take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<Core>();
        auto core = std::move(free_.back());
        free_.pop_back();
        return core;
    }
    void give(std::unique_ptr<Core> core) {
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(core));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Core>> free_;
};

inline CorePool& core_pool() {
    static CorePool pool;
    return pool;
}

inline const char* signal_text(int signal) {
    switch (signal) {
        case SIGSEGV: case SIGBUS: return "touches memory that is not there";
        case SIGFPE: return "divides an integer by zero";
        case SIGILL: return "ran into an invalid instruction, or the end of a function that gives no value";
        default: return "ran past its time";
    }
}

// Runs one core's kernel; a signal of its own making ends it.
inline bool Launch::guarded(Core& core, const Entry& entry) {
    Guard mine;
    core.guard = &mine;
    if (sigsetjmp(mine.back, 1) == 0) {
        guard = &mine;
        const int ended = entry(core);
        guard = nullptr;
        return ended == 0;
    }
    guard = nullptr;
    const bool late = mine.signal == time_signal;
    const std::uintptr_t address = mine.address;
    report({late ? Rule::time : Rule::crash, kernel, core.text(), {"", 0},
            join("the kernel ", signal_text(mine.signal),
                 late ? join(" (", options.seconds, " s)") : address ? join(" (at ", reinterpret_cast<void*>(address), ")") : "")});
    return false;
}

inline void Launch::run_core(const CoreName& as) {
    std::unique_ptr<Core> core = core_pool().take();
    core->begin(*this, as);
    guarded(*core, as.cube ? *cube_entry_ : *vector_entry_);
    core->forget_postponed();
    core->drain();
    const std::lock_guard lock(mutex_);
    cycles = std::max(cycles, core->scalar_time);
    std::move(core->events.begin(), core->events.end(), std::back_inserter(events));
    if (uses.size() + core->global_uses.size() <= options.global_uses)
        std::move(core->global_uses.begin(), core->global_uses.end(), std::back_inserter(uses));
    else if (notes.empty())
        notes.push_back(join("more than ", options.global_uses, " uses of global memory: the later ones were not compared"));
    core_pool().give(std::move(core));
}

// Begins threads while the host has room and cores may begin.
inline void Launch::begin_threads() {
    while (!stopped() && begun_ + starting_ < cores.size() && may_begin() && alive_ - waiting_.size() < options.threads) {
        ++alive_;
        ++starting_;
        threads_.emplace_back([this] { work(); });
    }
}

inline void Launch::work() {
    std::unique_lock lock(mutex_);
    --starting_;
    while (!stopped() && may_begin()) {
        const CoreName core = cores[begun_++];
        ++running_;
        lock.unlock();
        run_core(core);
        lock.lock();
        --running_;
        ++ended_;
        begin_more();
    }
    // Also of a thread that found nothing left to begin: while it was starting nobody could say that the others are stuck.
    end_when_stuck();
    --alive_;
    changed_.notify_all();
}

inline void Launch::search_races() {
    if (!options.races || !findings.empty()) return;
    const auto race = find_race(std::move(uses));
    if (!race) return;
    const auto text = [&](const GlobalUse& use) {
        return join(text_of(cores[use.core]), "'s ", use.record.name, use.write ? " (writes, " : " (reads, ",
                    name_of(use.pipe), ") at ", use.record.where.file, ":", use.record.where.line);
    };
    const GlobalUse &first = race->first, &second = race->second;
    findings.push_back({Rule::race, kernel, text_of(cores[second.core]), second.record.where,
                        join("global memory at ", reinterpret_cast<void*>(std::max(first.range.begin, second.range.begin)),
                             " is used in no certain order: by ", text(first), " and by ", text(second),
                             "; a flag, a barrier or another division of the work between cores is missing")});
}

// Flags between cores must be as the next launch expects them.
inline void Launch::check_flags() {
    for (std::uint32_t core = 0; core < cores.size(); ++core)
        for (unsigned id = 0; id < cross_flags; ++id) {
            const auto& pending = crossing_.flag(core, id).pending;
            if (!pending.empty())
                findings.push_back({Rule::flag, kernel, text_of(cores[core]), pending.front().where,
                                    join("the kernel ends with flag ", id, " between cores set (", pending.size(),
                                         " times); CrossCoreWaitFlag is missing")});
        }
    for (const auto& [key, meeting] : crossing_.meetings())
        for (const auto& [core, brought] : meeting.brought)
            if (!brought.empty())
                findings.push_back({Rule::flag, kernel, text_of(cores[core]), brought.front().where,
                                    join("the kernel ends with flag ", std::get<2>(key), " set by some cores of a group in mode ",
                                         std::get<0>(key), " and not by all; nobody can have waited for it")});
}

inline void Launch::run(const Entry& vector_entry, const Entry& cube_entry) {
    install_guard();
    vector_entry_ = &vector_entry;
    cube_entry_ = &cube_entry;
    begin_threads_ = [](Launch& launch) { launch.begin_threads(); };
    std::unique_lock lock(mutex_);
    begin_more();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
    const auto over = [&] { return alive_ == 0; };
    if (!changed_.wait_until(lock, std::chrono::time_point_cast<std::chrono::steady_clock::duration>(deadline), over)) {
        stopped_.store(true);
        changed_.notify_all();
        // A kernel that issues instructions ends at the next one; one that computes alone is taken out by a signal.
        while (!changed_.wait_for(lock, std::chrono::milliseconds(200), over))
            for (std::thread& thread : threads_) pthread_kill(thread.native_handle(), time_signal);
        if (findings.empty())
            findings.push_back({Rule::time, kernel, "", {"", 0}, join("the kernel ran past its time (", options.seconds, " s)")});
    }
    lock.unlock();
    for (std::thread& thread : threads_) thread.join();
    search_races();
    if (findings.empty()) check_flags();
}

}  // namespace ascendc
