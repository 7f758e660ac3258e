// Lines in the order in which they recorded, each once.
#include "runtime/recorded_at.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace asnumpy {

std::string line_of(const Origin& origin) { return origin.file ? std::string(origin.file) + ":" + std::to_string(origin.line) : std::string(); }

std::string lines_of(std::span<const Instruction> list, std::span<const std::uint32_t> members) {
    std::vector<Origin> seen;
    std::string text;
    for (const std::uint32_t member : members) {
        const Origin& at = list[member].origin;
        const auto is_this = [&](const Origin& other) { return other.line == at.line && std::string_view(other.file) == at.file; };
        if (!at.file || std::ranges::any_of(seen, is_this)) continue;
        const bool same_file = !seen.empty() && std::string_view(seen.back().file) == at.file;
        text += same_file ? "," + std::to_string(at.line) : (seen.empty() ? "" : "; ") + line_of(at);
        seen.push_back(at);
    }
    return text;
}

std::exception_ptr told_where(std::exception_ptr failure, std::span<const Instruction> list, std::span<const std::uint32_t> members) {
    const std::string lines = lines_of(list, members);
    if (lines.empty()) return failure;
    const auto told = [&](const std::exception& e) { return e.what() + ("; recorded at " + lines); };
    try {
        std::rethrow_exception(failure);
    } catch (const DeviceFailure& e) {
        return std::make_exception_ptr(DeviceFailure(told(e), e.function, e.code, e.message));
    } catch (const MemoryError& e) {
        return std::make_exception_ptr(MemoryError(told(e)));
    } catch (...) {
        return failure;
    }
}

}  // namespace asnumpy
