// A stack of few long rows is divided between threads as each of its rows is: every element once, and as far along each row.
#include <numeric>
#include <set>

#include "cpu/executor.hpp"
#include "cpu/frame.hpp"
#include "cpu/threads.hpp"
#include "random_programs.hpp"

namespace asnumpy::testing {
namespace {

Program sum_of_two() {
    const RowId add = find_row("add");
    constexpr DType kind = DType::float64;
    return {{kind, kind}, {{add, loop_of(add, signature({kind, kind}, {kind})), {0, 1}, 2}}, {{2}}, {}};
}

struct Stack {
    Dims shape;
    Dims strides_of_second;     // in elements; 0 where it is broadcast
    std::int64_t apart = 1;     // elements from one of the first and the output to the next, along the last axis
    bool in_turn;

    std::int64_t size() const { return contiguous(shape, 1).size(); }
    Dims strides() const {
        Dims made(shape.size());
        std::int64_t step = apart * 8;
        for (int i = shape.size(); i-- > 0; step *= shape[i]) made[i] = step;
        return made;
    }
    Dims second() const {
        Dims made(shape.size());
        for (int i = 0; i < shape.size(); ++i) made[i] = strides_of_second[i] * 8;
        return made;
    }
    std::string name() const { return "rows of " + to_string(shape) + (apart > 1 ? ", apart" : ""); }
};

void is_computed_once(const Stack& stack, int threads) {
    cpu::oversubscribe(threads);
    std::vector<double> x(static_cast<std::size_t>(stack.size() * stack.apart)), y(static_cast<std::size_t>(stack.size()), 0.0), out(x.size(), -1.0);
    std::iota(x.begin(), x.end(), 1.0);
    std::iota(y.begin(), y.end(), 0.5);
    const auto at = [](std::vector<double>& v) { return reinterpret_cast<char*>(v.data()); };
    const cpu::Plan plan(sum_of_two());
    plan.run({stack.shape, 0, {{at(x), stack.strides()}, {at(y), stack.second()}, {at(out), stack.strides()}}});
    bool right = true;
    std::vector<std::int64_t> place(static_cast<std::size_t>(stack.shape.size()));
    for (std::int64_t flat = 0; flat < stack.size(); ++flat) {
        std::int64_t rest = flat, other = 0;
        for (int i = stack.shape.size(); i-- > 0; rest /= stack.shape[i]) other += rest % stack.shape[i] * stack.strides_of_second[i];
        const auto here = static_cast<std::size_t>(flat * stack.apart);
        right = right && out[here] == x[here] + y[static_cast<std::size_t>(other)];
    }
    expect(right, stack.name() + " on " + std::to_string(threads) + " threads");
    std::vector<double> doubled = x;  // an input that is the output
    plan.run({stack.shape, 0, {{at(doubled), stack.strides()}, {at(doubled), stack.strides()}, {at(doubled), stack.strides()}}});
    for (std::int64_t i = 0; i < stack.size(); ++i) right = right && doubled[static_cast<std::size_t>(i * stack.apart)] == 2 * x[static_cast<std::size_t>(i * stack.apart)];
    expect(right, stack.name() + ", in place");
}

void is_divided_along_rows(const Stack& stack) {
    std::vector<double> memory(static_cast<std::size_t>(stack.size() * stack.apart));
    char* const data = reinterpret_cast<char*>(memory.data());
    const cpu::Resolved plan(sum_of_two());
    cpu::Frame frame;
    const Launch launch{stack.shape, 0, {{data, stack.strides()}, {data, stack.second()}, {data, stack.strides()}}};
    frame.prepare(plan, launch, cpu::Arrangement::natural);
    expect((frame.in_turn == stack.shape[0]) == stack.in_turn, stack.name() + " are taken in turn, or not");
    std::set<std::int64_t> tiles;
    const std::int64_t row = stack.size() / stack.shape[0], first = frame.units / 2 / stack.shape[0] * stack.shape[0];
    std::int64_t farthest = 0, nearest = row;
    for (std::int64_t unit = 0; unit < frame.units; ++unit) {
        const std::int64_t tile = frame.tile_of(unit);
        tiles.insert(tile);
        const std::int64_t along = frame.tiling.start(tile) % row;
        if (unit < first) farthest = std::max(farthest, along);
        else nearest = std::min(nearest, along);
    }
    expect(std::ssize(tiles) == frame.units && *tiles.begin() == 0 && *tiles.rbegin() == frame.units - 1, stack.name() + ": each tile once");
    if (stack.in_turn) expect(farthest < nearest, stack.name() + ": the first units are the beginnings of all rows");
}

}  // namespace
}  // namespace asnumpy::testing

int main() {
    using namespace asnumpy::testing;
    const std::vector<Stack> stacks{
        {{3, 40000}, {40000, 1}, 1, true}, {{3, 40001}, {0, 1}, 1, true}, {{2, 40000}, {1, 0}, 1, true}, {{16, 20000}, {20000, 1}, 1, true},
        {{3, 40, 1000}, {0, 0, 1}, 1, true}, {{3, 40000}, {40000, 1}, 2, true}, {{17, 20000}, {20000, 1}, 1, false},
        {{3, 1000}, {1000, 1}, 1, false}, {{3, 200, 100}, {0, 0, 1}, 1, false}, {{60000, 3}, {3, 1}, 1, false}, {{120000}, {1}, 1, false},
    };
    for (const Stack& stack : stacks) {
        is_divided_along_rows(stack);
        for (const int threads : {1, 2, 3}) is_computed_once(stack, threads);
    }
    return failures != 0;
}
