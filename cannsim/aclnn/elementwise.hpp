// Elementwise operators: pipelines of rows over broadcast operands, run tile by tile.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "aclnn/call.hpp"
#include "aclnn/rows.hpp"
#include "aclnn/strided.hpp"

namespace cannsim {

// Builds the Work of an elementwise operator:
//     Pipeline p(call);
//     const auto x = p.in(call.tensor("self")), y = p.in(call.tensor("other"));
//     p.out(p.apply("multiply", x, p.apply("logistic", y)), call.tensor("out"));
//     return p.work();
// Values have the dtypes of what made them. `apply` needs a loop for exactly these dtypes (16-bit floats compute as float32
// and round after each row), `cast` converts, `in` with a dtype converts at once. All inputs broadcast to the outputs' shape.
class Pipeline {
public:
    struct Value {
        std::uint8_t slot;
        DType dtype;
    };

    explicit Pipeline(const Call& call) : call_(call) {}
    Value in(const Tensor&);
    Value in(const Tensor& tensor, DType dtype) { return cast(in(tensor), dtype); }
    Value constant(double value, DType dtype);
    Value constant(const asnumpy::Scalar& value, DType dtype);
    Value cast(Value, DType dtype);
    template <class... V> Value apply(std::string_view row, V... values) { return applied(row, std::array{values...}); }
    bool has(std::string_view row, std::initializer_list<DType> inputs) const { return find_loop(find_row(row), inputs) >= 0; }
    // Converts to the output's dtype; refuses what CANN does not convert. The output has the broadcast shape of the inputs.
    void out(Value, const Tensor&);
    Work work();

private:
    struct Input {
        Tensor tensor;
        std::uint8_t slot;
    };
    struct Constant {
        asnumpy::Scalar value;
        std::uint8_t slot;
    };
    struct Step {
        Loop loop;
        std::uint8_t count;
        std::array<std::uint8_t, 3> in;
        std::uint8_t out;
    };
    struct Output {
        Tensor tensor;
        std::uint8_t slot;
    };
    struct Plan {
        std::vector<Input> inputs;
        std::vector<Constant> constants;
        std::vector<Step> steps;
        std::vector<Output> outputs;
        std::vector<DType> dtypes;       // of the slots
        std::vector<std::uint8_t> tiles;  // where each slot's values lie until their last use: slots take turns
        std::size_t tile_count = 0;
        void share_tiles();
        void run(const Run&) const;
        void run_part(std::vector<Cursor> reading, std::vector<Cursor> writing, std::int64_t first, std::int64_t size) const;
        bool is_input(std::uint8_t slot) const;
    };

    std::uint8_t slot(DType);
    Value applied(std::string_view row, std::span<const Value>);

    const Call& call_;
    Plan plan_;
};

// An operator that is one row: its tensors and scalars are the row's inputs in their order (an in-place operator's first operand
// is also its output), promoted by CANN's tables, integers to float32 where the row knows only floats. Nothing where CANN has no
// such operator or one with other parameters; what an Operators table has defined stays.
void add_elementwise(std::string_view aclnn, std::string_view row);
Work plan_elementwise(Call&, std::string_view row);

}  // namespace cannsim
