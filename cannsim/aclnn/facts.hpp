// What the data file says of every operator: its parameters in order, and what each accepts.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cannsim {

enum class Kind : std::uint8_t { tensor, tensors, scalar, scalars, ints, floats, bools, integer, real, boolean, text, dtype };
enum class Direction : std::uint8_t { in, out, inout };

struct Parameter {
    const char* name;
    Kind kind;
    Direction direction;
    std::uint16_t dtypes;        // a bit per asnumpy::DType (13: complex32); 0: not documented
    std::int8_t low_rank, high_rank;
    std::int8_t same_shape, same_dtype;  // the parameter with which it must agree, or -1
    bool optional;               // may be null, by its name
    bool may_be_empty;
};

struct OperatorFacts {
    const char* name;
    std::uint16_t first, count;
};

std::span<const OperatorFacts> operators();  // in the order of their names
std::span<const Parameter> parameters(const OperatorFacts&);
int find_operator(std::string_view name);    // -1: none of that name

inline constexpr int letters = 16;           // asnumpy::DType's numbers, with complex32 in the place of longdouble
extern const std::int8_t tensor_tensor[letters][letters];  // the promoted dtype, -1: none
extern const std::int8_t tensor_scalar[letters][letters];  // [of the scalar][of the tensor]

}  // namespace cannsim
