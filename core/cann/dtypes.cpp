// One table of element types; all else is a search in it.
#include "cann/dtypes.hpp"

#include <array>

#include "cann/abi.hpp"

namespace asnumpy::cann {
namespace {

struct Fact {
    int acl;
    const char* name;
    std::size_t size;
    std::optional<DType> dtype;
    int letter;
};
constexpr Fact listed(int acl, DType dtype) {
    return {acl, name(dtype).data(), itemsize(dtype), dtype, dtype == DType::complex32 ? 13 : static_cast<int>(dtype)};
}
constexpr Fact rare(int acl, DType dtype) { return {acl, name(dtype).data(), itemsize(dtype), dtype, -1}; }

constexpr std::array facts{
    listed(ACL_FLOAT, DType::float32), listed(ACL_FLOAT16, DType::float16), listed(ACL_INT8, DType::int8),
    listed(ACL_INT32, DType::int32), listed(ACL_UINT8, DType::uint8), listed(ACL_INT16, DType::int16),
    listed(ACL_UINT16, DType::uint16), listed(ACL_UINT32, DType::uint32), listed(ACL_INT64, DType::int64),
    listed(ACL_UINT64, DType::uint64), listed(ACL_DOUBLE, DType::float64), listed(ACL_BOOL, DType::boolean),
    listed(ACL_COMPLEX64, DType::complex64), listed(ACL_COMPLEX128, DType::complex128), listed(ACL_BF16, DType::bfloat16),
    listed(ACL_COMPLEX32, DType::complex32), Fact{ACL_STRING, "string", 0, std::nullopt, -1},
    rare(ACL_INT4, DType::int4), rare(ACL_UINT1, DType::uint1), rare(ACL_HIFLOAT8, DType::hifloat8),
    rare(ACL_FLOAT8_E5M2, DType::float8_e5m2), rare(ACL_FLOAT8_E4M3FN, DType::float8_e4m3fn), rare(ACL_FLOAT8_E8M0, DType::float8_e8m0fnu),
};

constexpr auto by_number = [] {
    std::array<std::int8_t, 64> table;
    table.fill(-1);
    for (std::size_t i = 0; i < facts.size(); ++i) table[static_cast<std::size_t>(facts[i].acl)] = static_cast<std::int8_t>(i);
    return table;
}();
constexpr auto by_dtype = [] {
    std::array<std::int8_t, dtype_count> table;
    table.fill(-1);
    for (std::size_t i = 0; i < facts.size(); ++i)
        if (facts[i].dtype) table[static_cast<std::size_t>(*facts[i].dtype)] = static_cast<std::int8_t>(i);
    return table;
}();

const Fact* fact(int acl) {
    const int place = acl >= 0 && acl < 64 ? by_number[static_cast<std::size_t>(acl)] : -1;
    return place < 0 ? nullptr : &facts[static_cast<std::size_t>(place)];
}
const Fact* fact(DType dtype) {
    const int place = by_dtype[static_cast<std::size_t>(dtype)];
    return place < 0 ? nullptr : &facts[static_cast<std::size_t>(place)];
}

}  // namespace

std::optional<DType> dtype_of_number(int acl) {
    const Fact* const found = fact(acl);
    return found ? found->dtype : std::nullopt;
}
int acl_of_dtype(DType dtype) {
    const Fact* const found = fact(dtype);
    return found ? found->acl : -1;
}
std::size_t acl_size(int acl) {
    const Fact* const found = fact(acl);
    return found ? found->size : 0;
}
std::string acl_name(int acl) {
    const Fact* const found = fact(acl);
    return found ? found->name : "the dtype number " + std::to_string(acl);
}
int letter_of_acl(int acl) {
    const Fact* const found = fact(acl);
    return found ? found->letter : -1;
}
int letter_of(DType dtype) {
    const Fact* const found = fact(dtype);
    return found ? found->letter : -1;
}

}  // namespace asnumpy::cann
