// The list of all rows, gathered from the tables, and the look-ups in it.
#include <deque>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/immortal.hpp"
#include "ops/arithmetic.hpp"
#include "ops/bitwise.hpp"
#include "ops/cast.hpp"
#include "ops/comparison.hpp"
#include "ops/division.hpp"
#include "ops/exponential.hpp"
#include "ops/extremum.hpp"
#include "ops/logic.hpp"
#include "ops/random.hpp"
#include "ops/rounding.hpp"
#include "ops/structured.hpp"
#include "ops/trigonometric.hpp"

namespace asnumpy {
namespace {

// A signature of a row as one number.
std::uint64_t key(RowId id, const Signature& signature) {
    std::uint64_t result = id;
    const auto append = [&](std::uint64_t value) { result = result << 6 | value; };
    append(signature.nin);
    append(signature.nout);
    for (int i = 0; i < signature.nin && i < 3; ++i) append(static_cast<std::uint64_t>(signature.in[static_cast<std::size_t>(i)]));
    for (int i = 0; i < signature.nout && i < 2; ++i) append(static_cast<std::uint64_t>(signature.out[static_cast<std::size_t>(i)]));
    return result;
}

struct Registry {
    std::vector<Row> rows;
    std::vector<ops::Neutral> neutrals;
    std::unordered_map<std::string_view, RowId> by_name;
    std::unordered_map<std::uint64_t, int> by_signature;
    std::array<std::array<int, dtype_count>, dtype_count> casts{};

    Registry() {
        add_table(ops::arithmetic);
        add_table(ops::division);
        add_table(ops::comparison);
        add_table(ops::logic);
        add_table(ops::extremum);
        add_table(ops::bitwise);
        add_table(ops::rounding);
        add_table(ops::exponential);
        add_table(ops::trigonometric);
        add_table(ops::cast);
        for (const Structured& s : structured_rows)
            add({s.name, RowKind::structured, s.nin, s.nout, {}, false, Bits::values, false, false, {}}, ops::Neutral::none);
        for (const RandomRow& r : random_rows)
            add({r.name, RowKind::structured, static_cast<std::uint8_t>(r.parameters.size()), 1, {}, false, Bits::values, false, false, {}}, ops::Neutral::none);
        for (auto& from : casts) from.fill(-1);
        const RowId cast = by_name.at("cast");
        for (int index = 0; const Signature& signature : rows[cast].loops)
            casts[static_cast<std::size_t>(signature.in[0])][static_cast<std::size_t>(signature.out[0])] = index++;
    }

    template <class Table> void add_table(const Table& table) {
        std::apply([this](const auto&... definition) { (this->add_definition(definition), ...); }, table);
    }

    template <class Definition> void add_definition(const Definition& d) {
        static constexpr auto& signatures = ops::SignaturesOf<typename Definition::loops>::value;
        const ops::Options& o = d.options;
        add({d.name, RowKind::elementwise, signatures[0].nin, signatures[0].nout, o.symbol, o.neutral != ops::Neutral::none, o.bits, o.low_bits, o.storage, signatures},
            o.neutral);
    }

    void add(Row row, ops::Neutral neutral) {
        const RowId id = static_cast<RowId>(rows.size());
        for (int index = 0; const Signature& signature : row.loops) by_signature.emplace(key(id, signature), index++);
        by_name.emplace(row.name, id);
        rows.push_back(row);
        neutrals.push_back(neutral);
    }
};

const Registry& registry() {
    static Immortal<const Registry> instance;  // threads may still compute while the process ends
    return *instance;
}

template <class T> T lowest() {
    if constexpr (is_complex_v<T>) return {lowest<typename T::value_type>(), lowest<typename T::value_type>()};
    else if constexpr (is_half_v<T>) return T(-std::numeric_limits<float>::infinity());
    else if constexpr (std::numeric_limits<T>::has_infinity) return -std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::lowest();
}
template <class T> T highest() {
    if constexpr (is_complex_v<T>) return {highest<typename T::value_type>(), highest<typename T::value_type>()};
    else if constexpr (is_half_v<T>) return T(std::numeric_limits<float>::infinity());
    else if constexpr (std::numeric_limits<T>::has_infinity) return std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::max();
}
template <class T> T not_a_number() {
    if constexpr (is_complex_v<T>) return {not_a_number<typename T::value_type>(), 0};
    else if constexpr (is_half_v<T>) return T(std::numeric_limits<float>::quiet_NaN());
    else return std::numeric_limits<T>::quiet_NaN();
}

}  // namespace

std::span<const Row> rows() { return registry().rows; }
const Row& row(RowId id) { return registry().rows[id]; }

RowId find_row(std::string_view name) {
    const auto found = registry().by_name.find(name);
    if (found == registry().by_name.end()) throw ValueError("find_row: expected the name of an operation, got '" + std::string(name) + "'");
    return found->second;
}

int find_loop(RowId id, const Signature& signature) {
    const auto found = registry().by_signature.find(key(id, signature));
    return found == registry().by_signature.end() ? -1 : found->second;
}

int cast_loop(DType from, DType to) {
    return registry().casts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

DType cast_step(DType from, DType to) {
    if (cast_loop(from, to) >= 0) return to;
    return dispatch(is_narrow(from) ? from : to, []<class T>() {
        if constexpr (is_narrow_v<T>) return dtype_of_v<typename T::wide>;
        else return dtype_of_v<T>;
    });
}

bool begins_with_identity(RowId id, DType dtype) {
    const ops::Neutral which = registry().neutrals[id];
    return (which == ops::Neutral::zero && (is_float(dtype) || is_complex(dtype))) || (which == ops::Neutral::one && is_complex(dtype));
}

Scalar neutral(RowId id, DType dtype) {
    const ops::Neutral which = registry().neutrals[id];
    if (which == ops::Neutral::none)
        throw ValueError("neutral: expected a reducible operation, got '" + std::string(row(id).name) + "'");
    return dispatch(dtype, [&]<class T>() -> Scalar {
        if constexpr (is_narrow_v<T>) throw ValueError("neutral: " + std::string(name(dtype)) + " has no arithmetic");
        else switch (which) {
            case ops::Neutral::one: return Scalar::of(static_cast<T>(1.0f));
            case ops::Neutral::lowest: return Scalar::of(lowest<T>());
            case ops::Neutral::highest: return Scalar::of(highest<T>());
            case ops::Neutral::all_bits:
                if constexpr (std::is_integral_v<T>) return Scalar::of(static_cast<T>(-1));
                break;
            case ops::Neutral::nan_or_lowest:
                if constexpr (std::is_integral_v<T>) return Scalar::of(lowest<T>());
                else return Scalar::of(not_a_number<T>());
            case ops::Neutral::nan_or_highest:
                if constexpr (std::is_integral_v<T>) return Scalar::of(highest<T>());
                else return Scalar::of(not_a_number<T>());
            default: break;
        }
        if constexpr (is_narrow_v<T>) return {};
        else return Scalar::of(static_cast<T>(0.0f));
    });
}

}  // namespace asnumpy
