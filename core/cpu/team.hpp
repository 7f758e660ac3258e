// Who takes part in one parallel_for, and which share of it each of them has.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "cpu/processors.hpp"
#include "cpu/threads.hpp"
#include "cpu/waking.hpp"

namespace asnumpy::cpu {

// A participant's own part of the index range. It starts there, so that it meets the same memory again in the next call, and then
// helps with the others' parts, around the ring.
struct alignas(64) Seat {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
    int participant = 0;
    int processor = 0;  // where it works in this call, as far as known; for the caller alone
    Seat* beside = this;
};

// One call: its work, and the ring of those who take part. The caller sits in the first seat.
class Team {
public:
    // prepare: has run on the caller; null: there is none.
    Team(const FunctionRef<void()>* prepare, const Body& body) : prepare_(prepare), body_(body) {}

    Seat& first() { return first_; }
    std::chrono::steady_clock::time_point begin() const { return begin_; }
    int participants() const { return last_->participant + 1; }

    void join(Seat& seat) {
        seat.participant = participants();
        seat.beside = &first_;
        last_->beside = &seat;
        last_ = &seat;
    }

    // Once all have joined. Parts are in the order of processors: what a processor's caches keep of the last call is of use in the
    // next one, whichever thread it then has.
    void divide(std::int64_t n, std::int64_t grain) {
        const Division division(n, grain, participants());
        chunk_ = division.chunk;
        std::array<Seat*, thread_limit> seats;  // as many as take part
        auto last = seats.begin();
        for (Seat* seat = &first_; last == seats.begin() || seat != &first_; seat = seat->beside) *last++ = seat;
        std::sort(seats.begin(), last, [](Seat* a, Seat* b) { return std::pair(a->processor, a->participant) < std::pair(b->processor, b->participant); });
        for (std::int64_t i = 0; i < division.participants; ++i) {
            Seat& seat = *seats[static_cast<std::size_t>(i)];
            seat.next.store(division.part_begin(i), std::memory_order_relaxed);
            seat.end = division.part_begin(i + 1);
        }
    }

    // How long it took.
    Waited work(Seat& own) {
        const auto start = std::chrono::steady_clock::now();
        take_chunks(own);
        return std::chrono::steady_clock::now() - start;
    }

    void rethrow() {
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    void take_chunks(Seat& own) {
        if (prepare_ && &own != &first_) {
            try {
                (*prepare_)();
            } catch (const std::bad_alloc&) {
                return;
            } catch (...) {
                return fail();
            }
        }
        Seat* seat = &own;
        do {
            while (!failed_.load(std::memory_order_relaxed)) {
                const std::int64_t begin = seat->next.fetch_add(chunk_, std::memory_order_relaxed);
                if (begin >= seat->end) break;
                try {
                    body_(begin, std::min(begin + chunk_, seat->end), own.participant);
                } catch (...) {
                    fail();
                }
            }
            seat = seat->beside;
        } while (seat != &own);
    }

    void fail() {
        if (!failed_.exchange(true)) error_ = std::current_exception();
    }

    const FunctionRef<void()>* prepare_;
    const Body& body_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::int64_t chunk_ = 1;
    std::atomic<bool> failed_{false};
    std::exception_ptr error_;
    Seat first_;
    Seat* last_ = &first_;
};

}  // namespace asnumpy::cpu
