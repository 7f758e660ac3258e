// Random draws: kernels of our own, whose numbers are the CPU's to the bit.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ascend/kernel/compiler.hpp"
#include "ascend/kernel/kernels.hpp"
#include "ascend/lower/whole.hpp"
#include "ops/random.hpp"

namespace asnumpy::ascend {
namespace {

// Fewer numbers are drawn and copied by the host in the time of a launch. Fewer than the second are where a compiler would have to run
// for seconds first: the host takes milliseconds for so many.
constexpr std::int64_t fewest = std::int64_t{1} << 14, fewest_to_compile = std::int64_t{1} << 20;

constexpr std::uint64_t words_32 = std::uint64_t{1} << 32;

struct Choice {
    std::optional<DrawKernel> kernel{};
    std::string_view why_not{};
    std::uint64_t bottom = 0;
    std::uint32_t bound = 0;
    std::uint32_t whole = 0;
};

std::optional<DrawKernel> integers_of(DType d) {
    if (!is_integer(d) && d != DType::boolean) return std::nullopt;
    switch (itemsize(d)) {
        case 1: return DrawKernel::integers_8;
        case 2: return DrawKernel::integers_16;
        case 4: return DrawKernel::integers_32;
        case 8: return DrawKernel::integers_64;
        default: return std::nullopt;
    }
}

std::uint64_t word_at(const Tensor& t) {
    std::uint64_t word = 0;
    std::copy_n(t.data, sizeof word, reinterpret_cast<char*>(&word));
    return word;
}

Choice choice_of_integers(const StructuredCall& c) {
    const std::optional<DrawKernel> kernel = integers_of(c.out[0].dtype);
    if (!kernel) return {.why_not = "there is no kernel of that dtype"};
    if (c.in.size() != 2 || !c.in[0].constant || !c.in[1].constant) return {.why_not = "bounds that are arrays are the host's"};
    const std::uint64_t bottom = word_at(c.in[0]), count = word_at(c.in[1]);
    if (count == 0) {  // all words
        if (kernel != DrawKernel::integers_64) return {.why_not = "integers of less than 64 bits have fewer values"};
        return {.kernel = kernel, .bottom = bottom, .whole = 1};
    }
    if (count > words_32) return {.why_not = "more than 2**32 values would take products of 128 bits"};
    return {.kernel = kernel, .bottom = bottom, .bound = static_cast<std::uint32_t>(count)};  // 2**32 as 0
}

Choice choice_of(const StructuredCall& c) {
    const std::string_view name = row(c.row).name;
    const DType d = c.out[0].dtype;
    if (name == draws::RandomSingle::name && d == DType::float32) return {.kernel = DrawKernel::float32};
    if (name == draws::Random::name && d == DType::float64) return {.kernel = DrawKernel::float64};
    if (name == draws::Integers::name) return choice_of_integers(c);
    return {.why_not = "the numbers are made by arithmetic of float64, which the vector cores lack"};
}

Explanation explain_draw(const StructuredCall& c) {
    const Choice choice = choice_of(c);
    if (!choice.kernel) return {Path::host, "drawn on the host, the same numbers as on every device: " + std::string(choice.why_not)};
    if (!why_no_kernels().empty()) return {Path::host, "drawn on the host, the same numbers as on every device: " + why_no_kernels()};
    const Kernel& kernel = kernel_of(*choice.kernel);
    if (any_demoted() && is_demoted(kernel.call())) return {Path::host, why_demoted(kernel.call())};
    return {Path::native, kernel.call()};
}

// The parameters of every kernel in draw.asc.
struct DrawArguments {
    char* out;
    std::uint64_t count, first_low, first_high, key, bottom;
    std::uint32_t bound, whole;
};

void run_draw(Emitter& emitter, const StructuredCall& c) {
    const Choice choice = choice_of(c);
    const Kernel& kernel = kernel_of(*choice.kernel);
    const Tensor& out = c.out[0];
    const auto numbers = static_cast<std::uint64_t>(count(out.shape));
    const DrawArguments arguments{out.data, numbers, c.stream.low, c.stream.high, c.stream.key, choice.bottom, choice.bound, choice.whole};
    constexpr std::uint64_t tile = 2048;  // words that a core makes at a time
    const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(vector_cores(emitter.device()), (numbers + tile - 1) / tile));
    kernel.function(emitter.device());
    emitter.write_all(kernel.name(), out, [&](void* stream) { kernel.launch(emitter.device(), blocks, &arguments, sizeof arguments, stream); });
}

}  // namespace

const Way draw_way{"", explain_draw, run_draw};

bool quicker_on_host(const StructuredCall& c) {
    if (!row(c.row).name.starts_with("random_")) return false;
    const Choice choice = choice_of(c);
    const std::int64_t numbers = count(c.out[0].shape);
    return numbers < fewest || (numbers < fewest_to_compile && choice.kernel && !kernel_of(*choice.kernel).at_hand());
}

void prepare(const StructuredCall& c) {
    if (!row(c.row).name.starts_with("random_")) return;
    if (const Choice choice = choice_of(c); choice.kernel) kernel_of(*choice.kernel).prepare();
}

}  // namespace asnumpy::ascend
