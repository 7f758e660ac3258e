// Questions about types that kernels ask, and the parts of the standard library that they know as AscendC::Std.
#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

namespace AscendC {

template <class A, class B>
struct IsSameType {
    static constexpr bool value = std::is_same_v<A, B>;
};

namespace Std {
using std::conditional;
using std::conditional_t;
using std::decay_t;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::get;
using std::index_sequence;
using std::integral_constant;
using std::is_convertible;
using std::is_convertible_v;
using std::is_integral_v;
using std::is_same;
using std::is_same_v;
using std::make_index_sequence;
using std::make_tuple;
using std::max;
using std::min;
using std::move;
using std::remove_cv_t;
using std::remove_reference_t;
using std::true_type;
using std::tuple;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::void_t;
}  // namespace Std

}  // namespace AscendC
