// Which layout a launch has, when its kernel is worth compiling, and the launch itself.
#include "ascend/lower/generated.hpp"

#include <algorithm>
#include <numeric>

#include "ascend/kernel/compiler.hpp"
#include "ascend/launch/caller.hpp"
#include "ascend/launch/device_state.hpp"
#include "ascend/launch/movement.hpp"
#include "device/demotion.hpp"
#include "device/machine_code.hpp"

namespace asnumpy::ascend {
namespace {

constexpr int most_axes_of_kernels = 4;
constexpr std::int64_t least_line = 32;            // shorter lines are more padding than elements
constexpr std::int64_t least_line_of_column = 64;  // a number for each line costs as much as this
// A program is worth a compiler's seconds when it recurs and has had some work.
constexpr std::uint64_t least_launches = 4, least_work = std::uint64_t{1} << 22;
constexpr std::uint64_t least_share = 1024;        // elements of a core

std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }
std::int64_t quotient(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

bool has_strides(const Operand& operand) { return std::ranges::any_of(operand.strides, [](std::int64_t s) { return s != 0; }); }

// Whether a kernel takes it as it lies.
bool fits(const Space& space, std::size_t k, DType d) {
    const std::int64_t inner = space.operands[k].strides[space.shape.size() - 1];
    return (inner == 0 || inner == static_cast<std::int64_t>(itemsize(d))) && is_direct(space.tensor(k, d));
}

Reach reach_of(const Space& space, std::size_t k, DType d) {
    if (space.operands[k].constant) return Reach::constant;
    if (!has_strides(space.operands[k])) return Reach::single;
    const bool column = space.operands[k].strides[space.shape.size() - 1] == 0;
    return column && is_direct(space.tensor(k, d)) ? Reach::column : Reach::line;
}

bool writable_at_all(const Program& program) {
    if (program.steps.size() < 2) return false;  // an operator does it as well
    const std::vector<Reach> lines(program.inputs.size(), Reach::line);
    return source_of(program, lines).has_value();
}

// How a space is cut: no more elements than a tile has, and as many tiles as there are cores to share them.
struct Cut {
    std::int64_t columns, outer0, outer1, lines, wide, high, pitch;
    std::int64_t tiles() const { return outer0 * outer1 * quotient(lines, high) * quotient(columns, wide); }
};
Cut cut_of(const Dims& shape, std::int64_t tile, std::int64_t cores) {
    const int n = shape.size();
    const auto axis = [&](int from_inner) { return n > from_inner ? shape[n - 1 - from_inner] : std::int64_t{1}; };
    Cut cut{axis(0), axis(3), axis(2), axis(1), 0, 1, 0};
    const std::int64_t all_lines = cut.outer0 * cut.outer1 * cut.lines, pitch = rounded_up(cut.columns, least_line);
    if (all_lines > 1 && 2 * pitch <= tile) {
        const std::int64_t most = std::min({tile / pitch, cut.lines, std::int64_t{4095}}), of_core = quotient(all_lines, cores);
        const std::int64_t least = quotient(static_cast<std::int64_t>(least_share), pitch);
        cut.high = std::clamp(quotient(of_core, quotient(of_core, most)), std::min(least, most), most);
        cut.wide = cut.columns;
        cut.pitch = pitch;
        return cut;
    }
    const std::int64_t of_core = std::max<std::int64_t>(quotient(cut.columns * all_lines, cores), least_share);
    const std::int64_t piece = quotient(of_core, quotient(of_core, tile)), pieces = quotient(cut.columns, piece);
    cut.wide = std::min(tile, rounded_up(quotient(cut.columns, pieces), 256));
    return cut;
}

class Parameters {
public:
    explicit Parameters(std::pmr::memory_resource& memory) : words_(&memory) {}
    void add(std::int64_t word) { words_.push_back(static_cast<std::uint64_t>(word)); }
    void add_bits(std::uint64_t bits) { words_.push_back(bits); }
    void add_address(const char* data) { words_.push_back(reinterpret_cast<std::uintptr_t>(data)); }
    void add_operand(const Tensor& t) {
        add_address(t.data);
        const int n = t.shape.size();
        for (int axis = n - most_axes_of_kernels; axis < n - 1; ++axis) add(axis < 0 ? 0 : t.strides[axis]);
    }
    const void* data() const { return words_.data(); }
    std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

private:
    std::pmr::vector<std::uint64_t> words_;
};

}  // namespace

Generated::Generated(const Program& program) : program_(program), results_(results_of(program)), writable_(writable_at_all(program)) {}

bool Generated::possible() const { return writable_ && machine_code.load(std::memory_order_relaxed) != MachineCode::off && why_no_kernels().empty(); }

// With the mutex.
Generated::Way& Generated::way_of(const Space& space) const {
    std::pmr::vector<Reach> reaches;
    for (std::size_t k = 0; k < space.inputs; ++k) reaches.push_back(reach_of(space, k, program_.inputs[k]));
    for (Way& way : ways_)
        if (way.reaches == reaches) return way;
    Way& way = ways_.emplace_back();
    if (auto source = source_of(program_, reaches)) way.kernel = program_kernel(std::move(*source));
    way.reaches = std::move(reaches);
    return way;
}

namespace {

bool has_room(const Space& space) {
    const int n = space.shape.size();
    if (n == 0 || n > most_axes_of_kernels) return false;
    const std::int64_t inner = space.shape[n - 1];
    if (n == 1) return true;
    if (inner < least_line) return false;
    const auto is_column = [&](const Operand& o) { return !o.constant && has_strides(o) && o.strides[n - 1] == 0; };
    return inner >= least_line_of_column || std::none_of(space.operands.begin(), space.operands.begin() + static_cast<std::ptrdiff_t>(space.inputs), is_column);
}

std::uint64_t elements_of(const Space& space) {
    return std::accumulate(space.shape.begin(), space.shape.end(), std::uint64_t{1}, [](std::uint64_t n, std::int64_t axis) { return n * static_cast<std::uint64_t>(axis); });
}

}  // namespace

void Generated::prepare(const Space& space) const {
    if (machine_code.load(std::memory_order_relaxed) != MachineCode::wait || !has_room(space)) return;
    ProgramKernel* kernel = nullptr;
    {
        const std::lock_guard lock(mutex_);
        kernel = way_of(space).kernel;
    }
    if (kernel) kernel->build();
}

const ProgramKernel* Generated::find(const Space& space) const {
    if (!has_room(space)) return nullptr;
    const std::lock_guard lock(mutex_);
    const ProgramKernel* const kernel = way_of(space).kernel;
    if (!kernel || !kernel->built()) return nullptr;
    return any_demoted() && is_demoted(kernel->kernel().call()) ? nullptr : kernel;
}

void Generated::count(const Space& space) const {
    if (!has_room(space)) return;
    const std::lock_guard lock(mutex_);
    Way& way = way_of(space);
    if (!way.kernel || way.kernel->built()) return;
    way.elements += elements_of(space);
    if (++way.launches >= least_launches && way.elements * program_.steps.size() >= least_work) way.kernel->ask();
}

void Generated::run(Emitter& emitter, const Space& space, const ProgramKernel& kernel, const Fold& fold) const {
    DeviceState& device = emitter.device();
    const void* const function = kernel.kernel().function(device);
    static_cast<void>(function);  // loaded before anything is enqueued
    Parameters parameters(emitter.memory());
    std::pmr::vector<Use> uses(&emitter.memory());
    for (std::size_t k = 0; k < space.inputs; ++k) {
        const DType d = program_.inputs[k];
        if (space.operands[k].constant) {
            parameters.add_bits(parameter_of(d, space.operands[k].data));
            continue;
        }
        Tensor t = space.tensor(k, d);
        if (!has_strides(space.operands[k])) {
            parameters.add_address(t.data);
        } else {
            if (!fits(space, k, d)) {
                const Tensor copy = emitter.temporary(t.shape, d);
                move(emitter, t, copy);
                t = copy;
            }
            parameters.add_operand(t);
        }
        uses.push_back(use_of(t, false));
    }
    // What lies where an input lies is written by the last call alone.
    const auto overwrites = [&](std::size_t operand) {
        for (std::size_t k = 0; k < space.inputs; ++k)
            if (!space.operands[k].constant && space.operands[k].data == space.operands[operand].data) return true;
        return false;
    };
    struct Late {
        Tensor from, to;
        bool last;
    };
    std::pmr::vector<Late> late(&emitter.memory());
    std::pmr::vector<Tensor> results(&emitter.memory());
    const std::size_t stores = program_.stores.size();
    bool alone = program_.reductions.empty();
    for (std::size_t s = 0; s < stores; ++s) alone = alone && fits(space, space.inputs + s, program_.dtype(results_[s]));
    for (std::size_t r = 0; r < results_.size(); ++r) {
        const DType d = program_.dtype(results_[r]);
        if (r < stores) {
            const std::size_t operand = space.inputs + r;
            const bool last = overwrites(operand);
            const Tensor there = space.tensor(operand, d);
            if (last) emitter.write_last(there.data);
            if (fits(space, operand, d) && (alone || !last)) {
                results.push_back(there);
            } else {
                results.push_back(emitter.temporary(there.shape, d));
                late.push_back({results.back(), there, last});
            }
        } else {
            results.push_back(emitter.temporary(space.shape, d));
        }
        parameters.add_operand(results.back());
        uses.push_back(use_of(results.back(), true));
    }
    const auto cores = static_cast<std::int64_t>(vector_cores(device));
    const Cut cut = cut_of(space.shape, kernel.tile(), cores);
    for (const std::int64_t size : {cut.columns, cut.outer0, cut.outer1, cut.lines, cut.wide, cut.high, cut.pitch}) parameters.add(size);
    const auto blocks = static_cast<std::uint32_t>(std::min(cores, cut.tiles()));
    emitter.launch(kernel.kernel().name(), uses, [&](void* stream) { kernel.kernel().launch(device, blocks, parameters.data(), parameters.bytes(), stream); });
    kernel.count_launch();
    for (std::size_t k = 0; k < program_.reductions.size(); ++k) {
        const ValueId value = program_.reductions[k].value;
        const auto found = std::ranges::find(results_, value);
        fold(k, found == results_.end() ? space.tensor(value, program_.inputs[value]) : results[static_cast<std::size_t>(found - results_.begin())]);
    }
    std::ranges::stable_partition(late, [](const Late& one) { return !one.last; });
    for (const Late& one : late) {
        if (one.last) overwrite(emitter, one.from, one.to);
        else move(emitter, one.from, one.to);
    }
}

}  // namespace asnumpy::ascend
