// Random programs over random layouts, with an interpreter that visits one element at a time to compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "program/program.hpp"

namespace asnumpy::testing {

inline std::mt19937_64 generator;

inline int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); }
inline bool chance(int percent) { return pick(1, 100) <= percent; }
template <class T> const T& pick(const std::vector<T>& from) { return from[static_cast<std::size_t>(pick(0, static_cast<int>(from.size()) - 1))]; }

inline int failures = 0;
inline void expect(bool condition, const std::string& what) {
    if (condition) return;
    if (++failures <= 3) std::fprintf(stderr, "failed: %s\n", what.c_str());
}

inline Signature signature(std::vector<DType> in, std::vector<DType> out) {
    Signature s;
    s.nin = static_cast<std::uint8_t>(in.size());
    s.nout = static_cast<std::uint8_t>(out.size());
    std::copy(in.begin(), in.end(), s.in.begin());
    std::copy(out.begin(), out.end(), s.out.begin());
    return s;
}

inline std::uint16_t loop_of(RowId id, const Signature& s) {
    const int index = find_loop(id, s);
    if (index < 0) throw std::runtime_error("no loop for " + std::string(row(id).name));
    return static_cast<std::uint16_t>(index);
}

// One operand with memory of its own, exactly as long as it must be, so that a sanitizer sees every stray access.
struct Memory {
    std::vector<char> bytes;
    std::int64_t offset = 0;
    Dims strides;
    char* data() { return bytes.data() + offset; }
};

struct LayoutChoice {
    bool broadcast = false, contiguous = false, misalign = false;
};

inline Memory random_memory(const Dims& shape, DType dtype, LayoutChoice choice, std::uint64_t constant_axes = 0) {
    Memory m;
    const int ndim = shape.size();
    m.strides = Dims(ndim);
    std::vector<int> order(static_cast<std::size_t>(ndim));
    std::iota(order.begin(), order.end(), 0);
    if (!choice.contiguous && chance(30)) std::shuffle(order.begin(), order.end(), generator);
    const bool all_constant = choice.broadcast && chance(15);
    const auto item = static_cast<std::int64_t>(itemsize(dtype));
    std::int64_t running = item, low = 0, high = 0;
    for (int i = ndim - 1; i >= 0; --i) {
        const int axis = order[static_cast<std::size_t>(i)];
        if (((constant_axes >> axis) & 1u) || all_constant || (choice.broadcast && chance(20))) continue;
        std::int64_t stride = running;
        if (!choice.contiguous) {
            if (chance(15)) stride *= pick(2, 3);
            if (chance(10)) stride += item;
        }
        running = stride * shape[axis];
        if (!choice.contiguous && chance(15)) stride = -stride;
        m.strides[axis] = stride;
        (stride < 0 ? low : high) += stride * (shape[axis] - 1);
    }
    m.offset = -low + (choice.misalign ? 1 : 0);
    m.bytes.resize(static_cast<std::size_t>(m.offset + high + item));
    return m;
}

template <class F> void for_each_index(const Dims& shape, F f) {
    Dims index(shape.size());
    for (std::int64_t i = 0, n = count(shape); i < n; ++i) {
        f(index);
        for (int axis = shape.size() - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis) index[axis] = 0;
    }
}

inline std::int64_t position(const Dims& index, const Dims& strides) {
    std::int64_t p = 0;
    for (int i = 0; i < index.size(); ++i) p += index[i] * strides[i];
    return p;
}

inline void fill(Memory& m, const Dims& shape, DType dtype) {
    for_each_index(shape, [&](const Dims& index) {
        char* p = m.data() + position(index, m.strides);
        const int value = pick(-4, 4);
        dispatch(dtype, [&]<class T>() {
            T t;
            if constexpr (is_complex_v<T>)
                t = T(static_cast<typename T::value_type>(value), static_cast<typename T::value_type>(pick(-4, 4)));
            else if constexpr (is_half_v<T>)
                t = T(static_cast<float>(value));
            else
                t = static_cast<T>(value);
            std::memcpy(p, &t, sizeof t);
        });
    });
}

template <class T> bool same(const T& a, const T& b) {
    if constexpr (is_complex_v<T>)
        return same(a.real(), b.real()) && same(a.imag(), b.imag());
    else
        return a == b || (a != a && b != b);
}

inline bool same_element(const char* a, const char* b, DType dtype) {
    return dispatch(dtype, [&]<class T>() {
        T x, y;
        std::memcpy(&x, a, sizeof x);
        std::memcpy(&y, b, sizeof y);
        return same(x, y);
    });
}

using Wide = std::complex<long double>;

inline Wide widen(const char* p, DType dtype) {
    return dispatch(dtype, [&]<class T>() {
        T x;
        std::memcpy(&x, p, sizeof x);
        if constexpr (std::is_same_v<T, complex32>) {
            const complex32::wide value = x;
            return Wide(value.real(), value.imag());
        } else if constexpr (is_complex_v<T>) {
            return Wide(x.real(), x.imag());
        } else {
            return Wide(static_cast<long double>(x), 0);
        }
    });
}

inline double magnitude(Wide x) { return static_cast<double>(std::abs(x.real()) + std::abs(x.imag())); }

inline double epsilon(DType dtype) {
    switch (dtype) {
    case DType::float32: case DType::complex64: return 6e-8;
    case DType::float16: return 5e-4;
    default: return kind(dtype) == 'f' || kind(dtype) == 'c' ? 1.2e-16 : 0;
    }
}

// Elements of 32 aligned bytes each, whatever the dtype.
struct alignas(32) Element { char bytes[32]; };

struct Case {
    Program program;
    Dims shape;
    std::uint64_t reduced = 0;
    std::vector<Memory> memory;       // by operand; empty when it shares another's
    std::vector<int> shared_with;     // by operand; -1 when it has memory of its own
    std::string description;

    DType operand_dtype(std::size_t i) const {
        if (i < program.inputs.size()) return program.inputs[i];
        i -= program.inputs.size();
        if (i < program.stores.size()) return program.dtype(program.stores[i].value);
        return program.dtype(program.reductions[i - program.stores.size()].value);
    }
    Memory& of(std::size_t i) { return memory[shared_with[i] < 0 ? i : static_cast<std::size_t>(shared_with[i])]; }
    Launch launch() {
        Launch l;
        l.shape = shape;
        l.reduced = reduced;
        for (std::size_t i = 0; i < memory.size(); ++i) l.operands.push_back({of(i).data(), of(i).strides});
        return l;
    }
};

struct Expectation {
    std::vector<std::vector<Element>> stores, sums;  // in index order of the space, of the kept space
    std::vector<std::vector<Wide>> exact;            // of a sum, in more precision than any dtype's
    std::vector<std::vector<double>> magnitudes;     // of what a sum adds
};

inline Dims kept_shape(const Case& c) {
    Dims kept = c.shape;
    for (int i = 0; i < kept.size(); ++i)
        if ((c.reduced >> i) & 1u) kept[i] = 1;
    return kept;
}

inline Expectation interpret(Case& c) {
    const Program& p = c.program;
    Expectation e;
    e.stores.resize(p.stores.size());
    const Dims kept = kept_shape(c);
    const auto nkept = static_cast<std::size_t>(count(kept));
    e.sums.assign(p.reductions.size(), std::vector<Element>(nkept));
    e.exact.assign(p.reductions.size(), std::vector<Wide>(nkept));
    e.magnitudes.assign(p.reductions.size(), std::vector<double>(nkept, 0.0));
    std::vector<bool> started(nkept, false);
    std::vector<Element> values(static_cast<std::size_t>(p.value_count()));
    for_each_index(c.shape, [&](const Dims& index) {
        for (std::size_t i = 0; i < p.inputs.size(); ++i)
            std::memcpy(values[i].bytes, c.of(i).data() + position(index, c.of(i).strides), itemsize(p.inputs[i]));
        for (const Step& step : p.steps) {
            const Row& r = row(step.row);
            void* const out[2] = {values[step.out].bytes, r.nout > 1 ? values[step.out + 1u].bytes : nullptr};
            const void* const in[3] = {values[step.in[0]].bytes, values[step.in[1]].bytes, values[step.in[2]].bytes};
            cpu::loop(step.row, step.loop)(out, in, 1);
        }
        for (std::size_t s = 0; s < p.stores.size(); ++s) e.stores[s].push_back(values[p.stores[s].value]);
        std::size_t k = 0;
        for (int i = 0; i < kept.size(); ++i) k = k * static_cast<std::size_t>(kept[i]) + (kept[i] > 1 ? static_cast<std::size_t>(index[i]) : 0);
        for (std::size_t r = 0; r < p.reductions.size(); ++r) {
            const Element& value = values[p.reductions[r].value];
            const Wide wide = widen(value.bytes, p.dtype(p.reductions[r].value));
            e.exact[r][k] += wide;
            e.magnitudes[r][k] += magnitude(wide);
            Element& sum = e.sums[r][k];
            if (!started[k]) {
                sum = value;
                continue;
            }
            void* const out[2] = {sum.bytes, nullptr};
            const void* const in[3] = {sum.bytes, value.bytes, nullptr};
            cpu::loop(p.reductions[r].row, p.reductions[r].loop)(out, in, 1);
        }
        started[k] = true;
    });
    return e;
}

inline void compare(Case& c, const Expectation& e, const std::string& what) {
    const Program& p = c.program;
    const auto describe = [&](const char* kind_of, std::size_t i, std::size_t at) {
        return what + ": " + kind_of + " " + std::to_string(i) + " element " + std::to_string(at) + " of " + c.description;
    };
    for (std::size_t s = 0; s < p.stores.size(); ++s) {
        Memory& m = c.of(p.inputs.size() + s);
        std::size_t at = 0;
        for_each_index(c.shape, [&](const Dims& index) {
            expect(same_element(m.data() + position(index, m.strides), e.stores[s][at].bytes, p.dtype(p.stores[s].value)), describe("store", s, at));
            ++at;
        });
    }
    const Dims kept = kept_shape(c);
    for (std::size_t r = 0; r < p.reductions.size(); ++r) {
        Memory& m = c.of(p.inputs.size() + p.stores.size() + r);
        const DType dtype = p.dtype(p.reductions[r].value);
        std::size_t at = 0;
        for_each_index(kept, [&](const Dims& index) {
            const char* got = m.data() + position(index, m.strides);
            const bool sum = epsilon(dtype) > 0 && row(p.reductions[r].row).name == "add";
            const double bound = 100 * epsilon(dtype) * e.magnitudes[r][at];
            expect(sum ? !std::isfinite(bound) || magnitude(widen(got, dtype) - e.exact[r][at]) <= bound : same_element(got, e.sums[r][at].bytes, dtype),
                   describe("reduction", r, at));
            ++at;
        });
    }
}

inline const std::vector<DType> dtypes{DType::float32, DType::float32, DType::float64, DType::int32, DType::int64, DType::uint8, DType::int16, DType::complex128, DType::longdouble};

inline Program random_program() {
    Program p;
    const DType main = pick(dtypes);
    for (int i = pick(1, 4); i > 0; --i) p.inputs.push_back(chance(75) ? main : pick(dtypes));
    std::vector<DType> values = p.inputs;
    static const std::vector<std::string> names{"add", "subtract", "multiply", "maximum", "minimum", "add", "multiply"};
    const auto recent = [&] { return static_cast<ValueId>(chance(50) ? static_cast<int>(values.size()) - 1 : pick(0, static_cast<int>(values.size()) - 1)); };
    for (int i = pick(0, 7); i > 0; --i) {
        Step step;
        step.in[0] = recent();
        const DType d = values[step.in[0]];
        step.out = static_cast<ValueId>(values.size());
        if (chance(15)) {
            DType to = pick(dtypes);
            if (is_complex(d) && !is_complex(to)) to = d;
            if (kind(d) == 'f' && is_integer(to)) to = DType::float64;  // out of range is not defined
            step.row = find_row("cast");
            step.loop = static_cast<std::uint16_t>(cast_loop(d, to));
            values.push_back(to);
        } else if (chance(15) && (is_integer(d) || d == DType::float64)) {
            step.row = find_row("divmod");
            step.loop = loop_of(step.row, signature({d, d}, {d, d}));
            step.in[1] = step.in[0];
            for (ValueId v = 0; v < values.size(); ++v)
                if (values[v] == d && chance(40)) step.in[1] = v;
            values.insert(values.end(), 2, d);
        } else {
            step.row = find_row(pick(names));
            const int loop = find_loop(step.row, signature({d, d}, {d}));
            if (loop < 0) continue;  // long double is only copied and cast
            step.loop = static_cast<std::uint16_t>(loop);
            step.in[1] = step.in[0];
            for (ValueId v = 0; v < values.size(); ++v)
                if (values[v] == d && chance(40)) step.in[1] = v;
            values.push_back(d);
        }
        p.steps.push_back(step);
    }
    for (int i = pick(0, 2); i > 0; --i) p.stores.push_back({recent()});
    for (int i = chance(60) ? pick(1, 2) : 0; i > 0; --i) {
        const ValueId v = recent();
        static const std::vector<std::string> reducers{"add", "add", "maximum", "minimum"};
        const RowId id = find_row(pick(reducers));
        const int loop = find_loop(id, signature({values[v], values[v]}, {values[v]}));
        if (loop >= 0) p.reductions.push_back({v, id, static_cast<std::uint16_t>(loop)});
    }
    if (p.stores.empty() && p.reductions.empty()) p.stores.push_back({static_cast<ValueId>(values.size() - 1)});
    check(p);
    return p;
}

inline Dims random_shape(std::int64_t limit) {
    static const std::vector<std::vector<int>> shapes{{}, {1}, {10}, {1000}, {5000}, {20000}, {3, 700}, {700, 3}, {40, 300}, {300, 40}, {2, 5000},
        {5000, 2}, {16, 16, 16}, {30, 1, 70}, {7, 200, 3}, {200, 7, 3}, {3, 7, 200}, {300, 20}, {20, 300}, {2, 2, 2, 2, 300}, {60, 2, 3, 4, 5}, {5, 4, 3, 2, 60},
        {2, 2, 2, 2, 2, 2, 2, 2, 2}, {260, 70}, {70, 260}, {3, 3000}, {3000, 3}, {3, 270, 20}, {120, 20, 6}};
    if (chance(70)) {
        const std::vector<int>& s = pick(shapes);
        Dims shape;
        for (const int n : s) shape.push_back(n);
        if (count(shape) <= limit) return shape;
    }
    Dims shape;
    std::int64_t size = 1;
    for (int i = pick(1, 5); i > 0; --i) {
        const std::int64_t n = chance(20) ? 1 : pick(1, static_cast<int>(std::min<std::int64_t>(limit / size, chance(50) ? 600 : 12)));
        shape.push_back(n);
        size *= n;
    }
    return shape;
}

inline Case random_case(std::int64_t limit) {
    Case c;
    c.program = random_program();
    c.shape = random_shape(limit);
    if (!c.program.reductions.empty())
        for (int i = 0; i < c.shape.size(); ++i)
            if (chance(50)) c.reduced |= std::uint64_t{1} << i;
    const std::size_t ninputs = c.program.inputs.size(), nstores = c.program.stores.size();
    const std::size_t noperands = ninputs + nstores + c.program.reductions.size();
    const bool plain = chance(30);
    for (std::size_t i = 0; i < noperands; ++i) {
        const bool input = i < ninputs;
        LayoutChoice choice{input && (!plain || chance(30)), plain || chance(30), chance(5)};
        Memory m = random_memory(c.shape, c.operand_dtype(i), choice, i >= ninputs + nstores ? c.reduced : 0);
        fill(m, i >= ninputs + nstores ? kept_shape(c) : c.shape, c.operand_dtype(i));
        c.memory.push_back(std::move(m));
        c.shared_with.push_back(-1);
    }
    // Some outputs are an input: the same address and strides. An input is shared with one output at most.
    std::vector<bool> taken(ninputs, false);
    for (std::size_t i = ninputs; i < noperands; ++i)
        for (std::size_t k = 0; k < ninputs; ++k) {
            if (taken[k] || c.operand_dtype(k) != c.operand_dtype(i) || chance(40)) continue;
            bool fits = c.shared_with[i] < 0;
            for (int axis = 0; axis < c.shape.size(); ++axis) {
                const bool must_be_constant = i >= ninputs + nstores && ((c.reduced >> axis) & 1u);
                if (c.shape[axis] > 1 && (c.memory[k].strides[axis] == 0) != must_be_constant) fits = false;
            }
            if (!fits) continue;
            taken[k] = true;
            c.shared_with[i] = static_cast<int>(k);
        }
    c.description = "shape " + to_string(c.shape) + " reduced " + std::to_string(c.reduced) + "\n" + to_string(c.program);
    for (std::size_t i = 0; i < noperands; ++i)
        c.description += "  operand " + std::to_string(i) + ": strides " + to_string(c.of(i).strides) +
                         (c.shared_with[i] >= 0 ? " is operand " + std::to_string(c.shared_with[i]) : "") + "\n";
    return c;
}

}  // namespace asnumpy::testing
