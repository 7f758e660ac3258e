// What the data file says of every operator of CANN's: its parameters in order, what each accepts, how it is called.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/dtype.hpp"

struct aclOpExecutor;

namespace asnumpy::cann {

enum class Kind : std::uint8_t { tensor, tensors, scalar, scalars, ints, floats, bools, integer, real, boolean, text, dtype };
enum class Direction : std::uint8_t { in, out, inout };

struct Parameter {
    const char* name;
    Kind kind;
    Direction direction;
    // A bit per letter (dtypes.hpp). 0 for dtypes: not documented, each is accepted.
    std::uint16_t dtypes;        // that the newest documents accept
    std::uint16_t later, doubted;    // of these: that 8.1's headers do not list; that the sources do not accept
    std::uint16_t headers, sources;  // besides these: that 8.1's headers list; that the sources accept
    std::int8_t low_rank, high_rank;
    std::int8_t same_shape, same_dtype;  // the parameter with which it must agree, or -1
    bool optional;               // may be null, by its name
    bool may_be_empty;
    bool contiguous;             // must lie in C order
};

struct OperatorFacts {
    const char* name;
    std::uint16_t first, count;
    std::uint16_t signature;     // operators of one signature have the same C types
    bool later;                  // 8.1 has it not
    // A bit per letter: the dtypes for which the AI cores have a kernel, those that the AICPU computes; of others it is unknown.
    std::uint16_t ai_core, aicpu;
};

std::span<const OperatorFacts> operators();  // in the order of their names
std::span<const Parameter> parameters(const OperatorFacts&);
int find_operator(std::string_view name);    // -1: none of that name

// Whether the 910B accepts the dtype in the version that is in use (versions.hpp), by all that is known: where documents, headers
// and sources differ, it does not. A parameter without documented dtypes accepts each that CANN has.
bool accepts(const Parameter&, DType);
// False for an operator or a parameter that does not exist.
bool accepts(std::string_view operator_name, std::string_view parameter, DType);
// Whether the operator is known to compute the dtype on the AICPU, the device's few host-like cores.
bool is_on_aicpu(const OperatorFacts&, DType);
// By the dtypes of its operands; a truth value beside numbers is a condition.
bool is_on_aicpu(const OperatorFacts&, std::span<const DType> operands);
bool exists(const OperatorFacts&);           // in the version that is in use
// What one of them says that the parameter takes in that version; `contested`, of these: of which another says otherwise.
struct Taken {
    unsigned dtypes, contested;
};
Taken taken(const Parameter&);

inline constexpr int letters = 16;           // asnumpy::DType's numbers, with complex32 in the place of longdouble
extern const std::int8_t tensor_tensor[letters][letters];  // the promoted dtype, -1: none
extern const std::int8_t tensor_scalar[letters][letters];  // [of the scalar][of the tensor]

// One argument of an operator's first phase; which member counts follows from the parameter's kind.
union Value {
    const void* pointer;
    std::int64_t integer;
    double real;
};
// Calls a first phase with the C types of the operator's signature; one value for each of its parameters.
int call_first_phase(const OperatorFacts&, void* function, const Value* arguments, std::uint64_t* workspace, aclOpExecutor** executor);

}  // namespace asnumpy::cann
