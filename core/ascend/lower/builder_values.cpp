// The values of a recipe in the making: storages, numbers, parts of complex ones, and copies where no step writes in place.
#include <algorithm>
#include <cstring>
#include <utility>

#include "ascend/lower/term.hpp"
#include "base/error.hpp"
#include "cann/operators.hpp"
#include "device/demotion.hpp"

namespace asnumpy::ascend {
namespace {

// The dtype as which elements are copied: their own, or integers of their width, or narrower ones.
DType copied_as(DType dtype) {
    const auto offered = [](DType d) {
        return cann::accepts("aclnnInplaceCopy", "src", d) && !(any_demoted() && is_demoted(DemotionKey("aclnnInplaceCopy").add(d).add(d).text()));
    };
    if (offered(dtype)) return dtype;
    for (const DType d : {DType::int64, DType::int32, DType::int16, DType::int8})
        if (itemsize(d) <= itemsize(dtype) && offered(d)) return d;
    throw Unlowerable("CANN refuses to copy " + std::string(name(dtype)));
}

}  // namespace

std::size_t Builder::add_storage(Recipe::Storage memory) {
    if (state_.storages.size() == 250) throw Unlowerable("too many steps");
    state_.storages.push_back({memory});
    return state_.storages.size() - 1;
}

Term Builder::made(std::size_t storage, DType dtype, std::uint8_t offset) {
    Term t;
    t.builder_ = this;
    t.storage_ = static_cast<std::int16_t>(storage);
    t.offset_ = offset;
    t.dtype_ = dtype;
    return t;
}

Term Builder::temporary(DType dtype, bool single) {
    const std::size_t storage = add_storage({Recipe::Place::temporary, 0, static_cast<std::uint8_t>(itemsize(dtype)), single});
    state_.storages[storage].made = true;
    return made(storage, dtype);
}

bool Builder::single(const Term& t) const {
    return t.is_number() || state_.storages[static_cast<std::size_t>(t.storage_)].memory.single;
}

Term Builder::add_number(Recipe::Number number, DType dtype) {
    const auto found = std::ranges::find(state_.numbers, number);
    Term t;
    t.builder_ = this;
    t.number_ = static_cast<std::int16_t>(found - state_.numbers.begin());
    if (found == state_.numbers.end()) state_.numbers.push_back(std::move(number));
    t.dtype_ = dtype;
    return t;
}

Term Builder::reinterpreted(Term t, DType to) {
    if (itemsize(t.dtype_) != itemsize(to)) throw RuntimeFailure("only dtypes of one width have the same bits");
    if (t.is_number()) return t.dtype_ == to ? t : t.computed(reinterpret_number, to);
    t.dtype_ = to;
    return t;
}

Term Builder::part(Term t, int which) {
    const DType half = half_of(t.dtype_);
    if (t.is_number()) {
        if (which == 0) return t.computed(cast_number, half);
        return t.computed([](const Scalar& value, DType to) {
            Scalar result;
            result.dtype = to;
            std::memcpy(result.bytes.data(), value.bytes.data() + itemsize(to), itemsize(to));
            return result;
        }, half);
    }
    t.offset_ = static_cast<std::uint8_t>(t.offset_ + static_cast<std::size_t>(which) * itemsize(half));
    t.dtype_ = half;
    return t;
}

Term Builder::join(Term real, Term imaginary) {
    const DType whole = real.dtype_ == DType::float32 ? DType::complex64 : DType::complex128;
    const Term result = temporary(whole, single(real) && single(imaginary));
    int which = 0;
    for (const Term& t : {real, imaginary}) {
        const auto storage = static_cast<std::size_t>(result.storage_);
        const auto offset = static_cast<std::uint8_t>(static_cast<std::size_t>(which++) * itemsize(t.dtype_));
        if (!take_place(t, storage, offset)) copy(t, storage, offset);
    }
    return result;
}

// Makes the storage of a term, which a step of its own wrote, part of another storage. False where it is something else.
bool Builder::take_place(Term t, std::size_t storage, std::uint8_t offset) {
    if (t.is_number()) return false;
    Storage& own = state_.storages[static_cast<std::size_t>(t.storage_)];
    if (own.memory.place != Recipe::Place::temporary || own.alias >= 0 || !own.made || t.offset_ != 0 || own.memory.item != itemsize(t.dtype_)) return false;
    if (own.memory.single != state_.storages[storage].memory.single) return false;
    own.alias = static_cast<int>(storage);
    own.alias_offset = offset;
    return true;
}

void Builder::copy(Term t, std::size_t storage, std::uint8_t offset) {
    const auto offered = [&](const Recipe::Step& step) {
        return !any_demoted() || !is_demoted(call_of(step, state_.numbers));
    };
    if (t.is_number()) {
        const auto filled = [&](std::string_view op, bool tensor) {
            return Recipe::Step{op, {ref(storage, offset, t.dtype_), Recipe::NumberRef{static_cast<std::uint8_t>(t.number_), tensor}}, 1};
        };
        Recipe::Step step = filled("aclnnInplaceFillScalar", false);
        if (!offered(step)) expect_offered(step = filled("aclnnInplaceCopy", true), state_.numbers);
        state_.steps.push_back(std::move(step));
        return;
    }
    const DType dtype = copied_as(t.dtype_);
    for (std::size_t word = 0; word < itemsize(t.dtype_); word += itemsize(dtype)) {
        const auto at = [&](std::size_t start) { return static_cast<std::uint8_t>(start + word); };
        state_.steps.push_back({"aclnnInplaceCopy", {ref(storage, at(offset), dtype), ref(static_cast<std::size_t>(t.storage_), at(t.offset_), dtype)}, 1});
    }
}

Recipe::Ref Builder::ref(std::size_t storage, std::uint8_t offset, DType dtype) const {
    return {static_cast<std::uint8_t>(storage), offset, dtype};
}

Recipe::Part Builder::part_of(Term t, bool tensor) {
    if (t.is_number()) {
        if (state_.numbers.size() > 250) throw Unlowerable("too many numbers");
        return Recipe::NumberRef{static_cast<std::uint8_t>(t.number_), tensor};
    }
    return ref(static_cast<std::size_t>(t.storage_), t.offset_, t.dtype_);
}

}  // namespace asnumpy::ascend
