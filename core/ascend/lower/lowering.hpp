// How rows run on a 910B: for each row and loop the operator calls that compute it there, or the reason why none do.
//
// A loop runs natively where the row's own operator accepts its dtypes; else with the dtypes reinterpreted or widened where
// that gives the very same bits; else by a decomposition into operators that exist; else the host computes it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ascend/launch/emitter.hpp"
#include "device/backend.hpp"
#include "device/demotion.hpp"
#include "ops/row.hpp"

namespace asnumpy::ascend {

enum class Path : std::uint8_t { native, reinterpreted, wider, decomposed, host };
std::string_view name(Path);

struct Explanation {
    Path path = Path::host;
    std::string text;  // the operators in their order, or why the host computes
    bool aicpu = false;  // whether one of them is known to run on the device's AICPU
};

struct Recipe;

// One loop of an elementwise row. Immutable to its users; what depends on which operands are scalars is made when first needed.
class Lowering {
public:
    Lowering(RowId, int loop);
    ~Lowering();
    Lowering(const Lowering&) = delete;
    Lowering& operator=(const Lowering&) = delete;

    bool possible() const { return explanation_.path != Path::host; }
    const Explanation& explanation() const { return explanation_; }
    std::uint64_t made_in() const { return made_in_; }  // the generation (device/demotion.hpp)
    // Inputs have the shape of the outputs (strides may be 0) or are 0-d; an output may coincide exactly with an input.
    void run(Emitter&, std::span<const Tensor> in, std::span<const Tensor> out) const;

private:
    const Recipe& recipe(unsigned constants) const;  // a bit per input that the host knows

    const std::uint64_t made_in_ = generation();
    RowId row_;
    int loop_;
    Explanation explanation_;
    mutable std::array<std::atomic<const Recipe*>, 8> recipes_{};
};

// Both are for this generation, and stay valid in later ones.
const Lowering* elementwise(RowId, int loop);  // null: the host computes
const Lowering& expect_elementwise(RowId, int loop);  // NoWay where there is none
const Explanation& explain(RowId, int loop);

// One loop of a reducible row along axes.
class Folding {
public:
    explicit Folding(RowId, int loop);
    bool possible() const { return explanation_.path != Path::host; }
    const Explanation& explanation() const { return explanation_; }
    std::uint64_t made_in() const { return made_in_; }
    // Bit i of `reduced`: axis i of the input, whose length is not 0, is reduced; there the output has stride 0.
    void run(Emitter&, const Tensor& in, std::uint64_t reduced, const Tensor& out) const;
    // Whether the operator itself casts from this dtype to the loop's: then the input may be of it.
    bool casts_from(DType) const;

private:
    using Run = void (*)(const Folding&, Emitter&, const Tensor&, const std::vector<int>&, const Tensor&);
    friend struct Folds;

    const std::uint64_t made_in_ = generation();
    RowId row_;
    int loop_;
    std::string_view call_;  // the operator's call string
    DType as_{};             // the dtype in which it runs
    Run run_ = nullptr;
    Explanation explanation_;
};

const Folding* reduction(RowId, int loop);  // null: the host computes
const Explanation& explain_reduction(RowId, int loop);

// What the host computes when CANN refused all other ways: the names under which demotions have it.
std::string operation_of(RowId, int loop);
std::string reduction_of(RowId, int loop);
std::string operation_of(const StructuredCall&);

// Structured rows; what they read of a call besides the tensors' dtypes is the row, `op` and `option`.
Explanation explain(const StructuredCall&);
inline bool structured(const StructuredCall& call) { return explain(call).path != Path::host; }
bool quicker_on_host(const StructuredCall&);  // what the device would do, too
void prepare(const StructuredCall&);          // before an Emitter is made: what may take long, compiling a kernel
void run(Emitter&, const StructuredCall&);  // only where structured() says so
void run_fitted(Emitter&, const StructuredCall&);  // the same for tensors of any strides, addresses and number of axes

}  // namespace asnumpy::ascend
