// The framework of simulated operators: what one call of phase one looks like, and what it hands to phase two.
//
// An operator is an entry of an `Operators` table: CANN's name and a function that looks at the call, refuses what CANN refuses,
// and gives the Work. Before it is called every parameter has passed what the data file documents: not null (161001), dtype,
// rank, view within its storage, shape and dtype equal to another parameter's where that is documented (161002).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclnn/entry.hpp"
#include "aclnn/objects.hpp"
#include "base/dtype.hpp"
#include "base/view.hpp"
#include "cann/dtypes.hpp"
#include "cann/operators.hpp"
#include "runtime/abi.hpp"
#include "runtime/model.hpp"
#include "runtime/report.hpp"

namespace cannsim {

using asnumpy::Dims;
using asnumpy::DType;

// A tensor of the call, without its memory: strides and offset in bytes.
struct Tensor {
    int slot = -1;  // its place in the executor's table of addresses
    DType dtype = DType::float32;
    asnumpy::View view;
    const char* name = "";

    const Dims& shape() const { return view.shape; }
    int ndim() const { return view.ndim(); }
    std::int64_t size() const { return view.size(); }
    std::int64_t length(int axis) const { return view.shape[axis]; }
};

// The same while it runs: memory that may be read and written. Plain, cheap to copy.
struct Array {
    std::byte* data = nullptr;
    DType dtype = DType::float32;
    Dims shape, strides;  // bytes

    std::int64_t size() const { return asnumpy::count(shape); }
    int ndim() const { return shape.size(); }
    template <class T> T* as() const { return reinterpret_cast<T*>(data); }
};

// What `compute` gets.
class Run {
public:
    Run(std::span<std::byte* const> addresses, std::span<const Ref<aclTensor>> tensors) : addresses_(addresses), tensors_(tensors) {}
    Array operator[](const Tensor&) const;
    std::byte* address(int slot) const { return addresses_[static_cast<std::size_t>(slot)]; }
    // The true shape of an output whose shape depends on data; only in operators that set Work::late_shapes.
    void set_shape(const Tensor&, const Dims&) const;

private:
    std::span<std::byte* const> addresses_;
    std::span<const Ref<aclTensor>> tensors_;
};

class Call;

struct Work {
    std::function<void(const Run&)> compute;
    double operations = 0;            // for the model; bytes follow from the tensors
    Engine engine = Engine::vector;
    Product product = Product::half;
    std::uint64_t workspace = 0;      // what phase one asks for
    bool elementwise = false;         // needs no memory of its own
    bool late_shapes = false;         // compute calls Run::set_shape
    bool repeatable = true;

    // So many multiplications and additions of products of the dtype: on the cube as its parameter cubeMathType has it,
    // on the vector units where the cube lacks the dtype (ESTIMATE: some of these a chip leaves to its own CPU).
    void multiply(const Call&, DType, double count);
};

class Call {
public:
    Call(int op, std::span<const Argument> arguments);

    const OperatorFacts& facts;
    std::span<const Parameter> params;

    // Parameters by name; the program is wrong where there is none of that name.
    Tensor tensor(std::string_view name) const;                  // in, out or both
    std::optional<Tensor> optional(std::string_view name) const; // nullopt for null
    std::vector<Tensor> tensors(std::string_view name) const;    // of an aclTensorList
    std::vector<std::optional<Tensor>> optional_tensors(std::string_view name) const;
    const asnumpy::Scalar& scalar(std::string_view name) const;  // aclScalar
    bool given(std::string_view name) const;                     // a pointer that is not null
    double real(std::string_view name) const;                    // double, float or aclScalar
    std::int64_t integer(std::string_view name) const;           // any integer or aclScalar
    bool flag(std::string_view name) const;
    std::span<const std::int64_t> ints(std::string_view name) const;
    std::vector<bool> bools(std::string_view name) const;
    std::string text(std::string_view name) const;
    DType dtype(std::string_view name) const;                    // aclDataType

    // By position, for tables of operators that share one plan.
    int index(std::string_view name) const;
    Tensor tensor_at(int parameter, int element = 0) const;
    const Argument& argument(int parameter) const { return arguments_[static_cast<std::size_t>(parameter)]; }

    // Refusals: code 161002 and a message that names operator, parameter, expectation and what came.
    [[noreturn]] void refuse(std::string_view parameter, std::string_view expected, int code = ACLNN_ERR_PARAM_INVALID) const;
    void expect(bool holds, std::string_view parameter, std::string_view expected) const {
        if (!holds) refuse(parameter, expected);
    }
    void expect_shape(const Tensor&, const Dims&) const;
    void expect_dtype(const Tensor&, DType) const;
    // An axis in [-ndim, ndim), 0-d tensors counting as 1-d; gives [0, ndim).
    int axis(std::string_view parameter, std::int64_t value, int ndim) const;
    std::vector<int> axes(std::string_view parameter, int ndim) const;  // of an aclIntArray; none given: all; no duplicates
    Dims broadcast(std::initializer_list<const Tensor*>) const;
    // CANN's rule which results may be stored in which outputs: not complex in real, not float in bool...
    void expect_castable(DType result, const Tensor& out) const;
    DType promote(DType a, DType b, std::string_view parameter) const;
    DType promote_scalar(DType scalar, DType tensor, std::string_view parameter) const;

    // --- what the framework itself uses
    struct Slot {
        Ref<aclTensor> tensor;
        int parameter;
        int element;
        asnumpy::Extent extent;  // bytes from the tensor's address
        bool dense;
    };
    // A scalar, array or list of the call; tensors are slots.
    struct Other {
        Ref<const Object> object;
        int parameter;
    };
    std::vector<Other> take_others() { return std::move(others_); }
    std::span<const Slot> slots() const { return slots_; }
    std::vector<Slot> take_slots() { return std::move(slots_); }
    void validate(std::span<const std::string_view> nullable);

private:
    Tensor made(int slot) const;
    int slot_of(int parameter, int element) const;
    void check_dtype(const Parameter&, int letter, bool refused) const;
    void check_tensor(int parameter, int element, const aclTensor*, bool may_be_null);

    std::span<const Argument> arguments_;
    std::vector<Slot> slots_;
    std::vector<Other> others_;
};

struct Operator {
    std::string_view name;
    std::function<Work(Call&)> plan;
    std::vector<std::string_view> nullable{};  // parameters, or members of lists, that may be null besides those named ...Optional
};

// A table of operators; made as a constant of a source file, it is there when the library is loaded.
class Operators {
public:
    Operators(std::initializer_list<Operator>);
};
const Operator* simulated(int op);  // null: not simulated
bool defined(int op);               // by a table so far

bool castable(DType from, DType to);  // CANN's rule

}  // namespace cannsim
