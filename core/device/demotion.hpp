// What a device was documented to do and has refused: from then on it is done in another way. One list for the process.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/error.hpp"

namespace asnumpy {

// What a device was asked to do, and finds that it does not: the runtime has the host do it. Never leaves the core but where
// the user does not allow that.
struct Uncomputed : RuntimeFailure { using RuntimeFailure::RuntimeFailure; };

// A call of the device's operators, "aclnnAdd(float32, float32, float32)": the dtypes of its tensors in their order; or, where
// no other call does the work, an operation that the host then computes, "add(float32, float32)".
struct Demotion {
    std::string what, device;
    bool operation = false;        // what the host computes; the call for which there is nothing else was reported
    int code = 0;          // 0: there is no such operator
    std::string reason;    // the code's name and what the device's own library said
    std::uint64_t count = 0;       // how often it was refused
    std::uint64_t since = 0;       // the generation that began with it
};

namespace detail {
inline std::atomic<std::uint64_t> generation{1};
inline std::atomic<bool> any_demoted{false}, any_unreported{false};
}  // namespace detail

// Whatever was derived from what devices do (lowerings, compiled programs) is good for one generation.
inline std::uint64_t generation() { return detail::generation.load(std::memory_order_acquire); }
void begin_generation();

inline bool any_demoted() { return detail::any_demoted.load(std::memory_order_acquire); }
bool is_demoted(const std::string& what);      // ask any_demoted() first, where this is asked often
std::string why_demoted(const std::string& what);
// Notes it, and begins a generation. False: it was known before the generation given, so that this does not help.
bool demote(Demotion, std::uint64_t before);

std::vector<Demotion> demotions();             // in their order
// What another process found out; nothing is reported.
void apply_demotions(const std::vector<Demotion>&);
void forget_demotions();
// Those that nobody was told of so far.
inline bool any_unreported() { return detail::any_unreported.load(std::memory_order_relaxed); }
std::vector<Demotion> unreported_demotions();

// "aclnnAdd" and the dtypes, as above.
class DemotionKey {
public:
    explicit DemotionKey(std::string_view name) : text_(name) { text_ += '('; }
    DemotionKey& add(DType dtype) {
        if (text_.back() != '(') text_ += ", ";
        text_ += name(dtype);
        return *this;
    }
    std::string text() const { return text_ + ")"; }

private:
    std::string text_;
};

}  // namespace asnumpy
