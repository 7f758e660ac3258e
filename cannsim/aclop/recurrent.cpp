// Recurrent layers over a sequence (steps, batch, numbers): long short-term memory and gated units, and their gradients.
#include <algorithm>
#include <array>
#include <cmath>

#include "aclnn/strided.hpp"
#include "aclop/call.hpp"

namespace cannsim {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
Owned doubles(const Run& run, const Tensor& tensor) { return contiguous(run[tensor], DType::float64); }
Owned zero_doubles(const Dims& shape) {
    Owned made = make(DType::float64, shape);
    std::fill_n(made.as<double>(), made.size(), 0.0);
    return made;
}

// Values in C order, with the shape of a tensor of as many.
Array shaped(double* values, const Tensor& like) { return {reinterpret_cast<std::byte*>(values), DType::float64, like.shape(), asnumpy::contiguous(like.shape(), 8).strides}; }
Array shaped(const Owned& values, const Tensor& like) { return shaped(values.as<double>(), like); }
Array shaped(std::vector<double>& values, const Tensor& like) { return shaped(values.data(), like); }

// c (rows, columns) += a (rows, inner) @ b (inner, columns); of a or b the transposed one, where asked for.
void multiply_add(const double* a, const double* b, double* c, std::int64_t rows, std::int64_t inner, std::int64_t columns, bool transpose_a, bool transpose_b) {
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t k = 0; k < inner; ++k) {
            const double factor = transpose_a ? a[k * rows + i] : a[i * inner + k];
            for (std::int64_t j = 0; j < columns; ++j) c[i * columns + j] += factor * (transpose_b ? b[j * inner + k] : b[k * columns + j]);
        }
}

struct Sizes {
    std::int64_t steps, batch, inputs, hidden;
    bool reversed;
    Dims all() const { return {steps, batch, hidden}; }
    std::int64_t state() const { return batch * hidden; }
    std::int64_t order(std::int64_t step) const { return reversed ? steps - 1 - step : step; }

    Sizes(const NamedCall& call, const Tensor& x, std::int64_t hidden_size) : hidden(hidden_size), reversed(call.text("direction", "UNIDIRECTIONAL") == "REDIRECTIONAL") {
        const std::string direction = call.text("direction", "UNIDIRECTIONAL");
        call.expect(direction == "UNIDIRECTIONAL" || reversed, "direction", text("UNIDIRECTIONAL or REDIRECTIONAL, got ", direction));
        call.expect(call.flag("time_major", true), "time_major", "true");
        call.expect(x.ndim() == 3 || x.ndim() == 2, "x", text("shape (steps, batch, numbers), or of one step, got ", x.shape()));
        call.expect(x.dtype == DType::float32 || x.dtype == DType::float16, "x", text("float16 or float32, got ", asnumpy::name(x.dtype)));
        call.expect(hidden > 0, "b", "a number for each gate of each unit");
        steps = x.ndim() == 3 ? x.length(0) : 1;
        batch = x.length(x.ndim() - 2);
        inputs = x.length(x.ndim() - 1);
    }
    void expect_all(const NamedCall& call, const Tensor& tensor, std::string_view what) const {
        const bool one_step = steps == 1 && tensor.shape() == Dims{batch, hidden};
        call.expect(one_step || tensor.shape() == all(), what, text("shape ", all(), ", got ", tensor.shape()));
    }
    // (batch, hidden) or (1, batch, hidden)
    void expect_state(const NamedCall& call, const Tensor& state, std::string_view what) const {
        call.expect(state.size() == this->state() && state.ndim() >= 2 && state.shape().back() == hidden, what, text("shape ", Dims{batch, hidden}, ", got ", state.shape()));
    }
};

// A number for each unit of each sequence at each step, which says whether the sequence still goes on; or the sequences' lengths.
struct Going {
    std::optional<Tensor> given;
    Sizes sizes;
    Going(const NamedCall& call, std::size_t place, const Sizes& s) : given(call.optional_input(place)), sizes(s) {
        if (given && given->ndim() == 0) given.reset();  // what stands for none
        if (!given) return;
        const bool lengths = given->dtype == DType::int32;
        call.expect(given->shape() == (lengths ? Dims{s.batch} : s.all()), "seq_length", text("shape ", lengths ? Dims{s.batch} : s.all(), ", got ", given->shape()));
    }
    std::vector<double> read(const Run& run) const {
        std::vector<double> result(static_cast<std::size_t>(sizes.steps * sizes.state()), 1.0);
        if (!given) return result;
        const Owned values = doubles(run, *given);
        for (std::int64_t i = 0; i < sizes.steps * sizes.state(); ++i)
            result[static_cast<std::size_t>(i)] = given->dtype == DType::int32 ? static_cast<double>(i / sizes.state() < static_cast<std::int64_t>(values.as<double>()[i / sizes.hidden % sizes.batch]))
                                                                               : values.as<double>()[i];
        return result;
    }
};

// Weights of inputs and of states, one matrix above the other or two.
struct Weights {
    Tensor first;
    std::optional<Tensor> second;
    Weights(const NamedCall& call, const Sizes& s, std::int64_t gates, bool apart) : first(call.input(1)), second(apart ? std::optional(call.input(2)) : std::nullopt) {
        call.expect_shape(first, Dims{apart ? s.inputs : s.inputs + s.hidden, gates * s.hidden}, "the weights of inputs");
        if (second) call.expect_shape(*second, Dims{s.hidden, gates * s.hidden}, "the weights of states");
    }
    struct Read {
        Owned first, second;
        const double *inputs, *states;
    };
    Read read(const Run& run, const Sizes& s, std::int64_t gates) const {
        Read result{doubles(run, first), {}, nullptr, nullptr};
        result.inputs = result.first.as<double>();
        if (second) result.second = doubles(run, *second);
        result.states = second ? result.second.as<double>() : result.inputs + s.inputs * gates * s.hidden;
        return result;
    }
};

void expect_plain_lstm(const NamedCall& call) {
    call.expect(call.text("cell_type", "LSTM") == "LSTM", "cell_type", "LSTM");
    call.expect(!call.flag("use_peephole", false), "use_peephole", "false");
    call.expect(call.text("activation", "tanh") == "tanh", "activation", "tanh");
    const std::string order = call.text("gate_order", "ijfo");
    call.expect(order == "ifjo" || order == "ifco" || order == "ijfo", "gate_order", text("ijfo, ifjo or ifco, got ", order));
}
// Where the gates i, j, f and o stand among the columns.
std::array<std::int64_t, 4> gate_places(const NamedCall& call) {
    return call.text("gate_order", "ijfo") == "ijfo" ? std::array<std::int64_t, 4>{0, 1, 2, 3} : std::array<std::int64_t, 4>{0, 2, 1, 3};
}

Work plan_lstm(const NamedCall& call, bool apart) {
    const std::size_t bias = apart ? 3 : 2;
    const Tensor x = call.input(0);
    expect_plain_lstm(call);
    const Tensor weight = call.input(1);
    call.expect(weight.ndim() == 2, "w", text("two axes, got shape ", weight.shape()));
    const Sizes s(call, x, weight.length(1) / 4);
    const Weights weights(call, s, 4, apart);
    const std::optional<Tensor> b = call.optional_input(bias), h0 = call.optional_input(bias + 2), c0 = call.optional_input(bias + 3);
    const Going going(call, bias + 1, s);
    if (b) call.expect_shape(*b, Dims{4 * s.hidden}, "b");
    for (const auto* const state : {&h0, &c0})
        if (*state) s.expect_state(call, **state, "init_h and init_c");
    std::vector<Tensor> outs;
    for (std::size_t k = 0; k < 8; ++k) {
        outs.push_back(call.output(k));
        s.expect_all(call, outs.back(), text("output ", k));
    }
    const double forget = call.real("forget_bias", 0);
    Work work;
    work.operations = 8.0 * static_cast<double>(s.steps * s.state()) * static_cast<double>(s.inputs + s.hidden);
    work.engine = Engine::cube;
    work.compute = [=, places = gate_places(call)](const Run& run) {
        const Owned in = doubles(run, x);
        const auto w = weights.read(run, s, 4);
        const std::vector<double> goes = going.read(run);
        std::array<Owned, 8> made;  // y, h, c, i, j, f, o, tanh c
        for (Owned& one : made) one = zero_doubles(s.all());
        const std::int64_t n = s.state();
        std::vector<double> h(static_cast<std::size_t>(n)), c(h), gates(h.size() * 4);
        if (h0) std::copy_n(doubles(run, *h0).as<double>(), n, h.data());
        if (c0) std::copy_n(doubles(run, *c0).as<double>(), n, c.data());
        const Owned added = b ? doubles(run, *b) : zero_doubles(Dims{4 * s.hidden});
        for (std::int64_t step = 0; step < s.steps; ++step) {
            const std::int64_t t = s.order(step);
            for (std::int64_t i = 0; i < s.batch; ++i) std::copy_n(added.as<double>(), 4 * s.hidden, gates.data() + i * 4 * s.hidden);
            multiply_add(in.as<double>() + t * s.batch * s.inputs, w.inputs, gates.data(), s.batch, s.inputs, 4 * s.hidden, false, false);
            multiply_add(h.data(), w.states, gates.data(), s.batch, s.hidden, 4 * s.hidden, false, false);
            for (std::int64_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto gate = [&](std::size_t which) { return gates[static_cast<std::size_t>((k / s.hidden * 4 + places[which]) * s.hidden + k % s.hidden)]; };
                const double i = logistic(gate(0)), j = std::tanh(gate(1)), f = logistic(gate(2) + forget), o = logistic(gate(3));
                const double next = c[at] * f + i * j, squashed = std::tanh(next), out = o * squashed, on = goes[static_cast<std::size_t>(t * n + k)];
                c[at] = on * next + (1 - on) * c[at];
                h[at] = on * out + (1 - on) * h[at];
                const std::array values{on * out, h[at], c[at], i, j, f, o, squashed};
                for (std::size_t which = 0; which < values.size(); ++which) made[which].as<double>()[t * n + k] = values[which];
            }
        }
        for (std::size_t which = 0; which < made.size(); ++which) copy(shaped(made[which], outs[which]), run[outs[which]]);
    };
    return work;
}

Work plan_lstm_gradient(const NamedCall& call, bool apart) {
    const Tensor x = call.input(0);
    expect_plain_lstm(call);
    const Tensor weight = call.input(1);
    call.expect(weight.ndim() == 2, "w", text("two axes, got shape ", weight.shape()));
    const Sizes s(call, x, weight.length(1) / 4);
    const Weights weights(call, s, 4, apart);
    const Tensor h0 = call.input(4), c0 = call.input(5), dh_last = call.input(9), dc_last = call.input(10);
    for (const Tensor* const state : {&h0, &c0, &dh_last, &dc_last}) s.expect_state(call, *state, "a state");
    std::vector<Tensor> ins;  // h, c, dy; i, j, f, o, tanh c
    for (const std::size_t place : {6, 7, 8, 11, 12, 13, 14, 15}) {
        ins.push_back(call.input(place));
        s.expect_all(call, ins.back(), text("input ", place));
    }
    const Going going(call, 16, s);
    std::vector<Tensor> outs;  // of the weights, the bias, x, the first states
    for (std::size_t k = 0; k < (apart ? 6u : 5u); ++k) outs.push_back(call.output(k));
    const std::size_t bias = apart ? 2 : 1;
    call.expect_shape(outs[0], weights.first.shape(), "output 0");
    if (apart) call.expect_shape(outs[1], weights.second->shape(), "output 1");
    call.expect_shape(outs[bias], Dims{4 * s.hidden}, "the gradient of the bias");
    call.expect_shape(outs[bias + 1], x.shape(), "the gradient of x");
    for (const std::size_t k : {bias + 2, bias + 3}) s.expect_state(call, outs[k], "the gradient of a state");
    Work work;
    work.operations = 16.0 * static_cast<double>(s.steps * s.state()) * static_cast<double>(s.inputs + s.hidden);
    work.engine = Engine::cube;
    work.compute = [=, places = gate_places(call)](const Run& run) {
        const Owned in = doubles(run, x), first_h = doubles(run, h0), first_c = doubles(run, c0), dh_end = doubles(run, dh_last), dc_end = doubles(run, dc_last);
        const auto w = weights.read(run, s, 4);
        const std::vector<double> goes = going.read(run);
        std::array<Owned, 8> given;
        for (std::size_t k = 0; k < given.size(); ++k) given[k] = doubles(run, ins[k]);
        const std::int64_t n = s.state(), columns = 4 * s.hidden;
        std::vector<double> dh(dh_end.as<double>(), dh_end.as<double>() + n), dc(dc_end.as<double>(), dc_end.as<double>() + n), gates(static_cast<std::size_t>(4 * n)), passed(dh.size());
        const Owned dwx = zero_doubles(Dims{s.inputs, columns}), dwh = zero_doubles(Dims{s.hidden, columns}), db = zero_doubles(Dims{columns}), dx = zero_doubles(x.shape());
        for (std::int64_t step = s.steps - 1; step >= 0; --step) {
            const std::int64_t t = s.order(step), before = step ? s.order(step - 1) : 0;
            const double* const h_before = step ? given[0].as<double>() + before * n : first_h.as<double>();
            const double* const c_before = step ? given[1].as<double>() + before * n : first_c.as<double>();
            for (std::int64_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto of = [&](std::size_t which) { return given[which].as<double>()[t * n + k]; };
                const double i = of(3), j = of(4), f = of(5), o = of(6), squashed = of(7), on = goes[static_cast<std::size_t>(t * n + k)];
                const double slope = on * (dh[at] + of(2)), through = on * dc[at] + slope * o * (1 - squashed * squashed);
                passed[at] = (1 - on) * dh[at];
                const std::array parts{through * j * i * (1 - i), through * i * (1 - j * j), through * c_before[k] * f * (1 - f), slope * squashed * o * (1 - o)};
                for (std::size_t which = 0; which < 4; ++which) gates[static_cast<std::size_t>((k / s.hidden * 4 + places[which]) * s.hidden + k % s.hidden)] = parts[which];
                dc[at] = through * f + (1 - on) * dc[at];
            }
            dh = passed;
            multiply_add(gates.data(), w.states, dh.data(), s.batch, columns, s.hidden, false, true);
            multiply_add(gates.data(), w.inputs, dx.as<double>() + t * s.batch * s.inputs, s.batch, columns, s.inputs, false, true);
            multiply_add(in.as<double>() + t * s.batch * s.inputs, gates.data(), dwx.as<double>(), s.inputs, s.batch, columns, true, false);
            multiply_add(h_before, gates.data(), dwh.as<double>(), s.hidden, s.batch, columns, true, false);
            for (std::int64_t k = 0; k < 4 * n; ++k) db.as<double>()[k % columns] += gates[static_cast<std::size_t>(k)];
        }
        if (apart) {
            copy(dwx, run[outs[0]]);
            copy(dwh, run[outs[1]]);
        } else {
            const Owned both = make(DType::float64, weights.first.shape());
            std::copy_n(dwh.as<double>(), dwh.size(), std::copy_n(dwx.as<double>(), dwx.size(), both.as<double>()));
            copy(both, run[outs[0]]);
        }
        copy(db, run[outs[bias]]);
        copy(dx, run[outs[bias + 1]]);
        for (const auto& [state, to] : {std::pair{&dh, &outs[bias + 2]}, {&dc, &outs[bias + 3]}}) copy(shaped(*state, *to), run[*to]);
    };
    return work;
}

const NamedOperators memories{
    {"DynamicRNN", [](const NamedCall& call) { return plan_lstm(call, false); }},
    {"DynamicRNNGrad", [](const NamedCall& call) { return plan_lstm_gradient(call, false); }},
    {"DynamicRNNV2", [](const NamedCall& call) { return plan_lstm(call, true); }},
    {"DynamicRNNV2Grad", [](const NamedCall& call) { return plan_lstm_gradient(call, true); }},
};

// --- gated units: r opens the state for the new value n, z keeps the old one

void expect_plain_gru(const NamedCall& call) {
    const std::string order = call.text("gate_order", "zrh");
    call.expect(order == "rzh" || order == "zrh", "gate_order", text("rzh or zrh, got ", order));
    call.expect(call.flag("reset_after", true), "reset_after", "true");
    call.expect(call.text("activation", "tanh") == "tanh", "activation", "tanh");
}

Work plan_gru(const NamedCall& call) {
    const Tensor x = call.input(0);
    expect_plain_gru(call);
    const Tensor weight = call.input(1);
    call.expect(weight.ndim() == 2, "weight_input", text("two axes, got shape ", weight.shape()));
    const Sizes s(call, x, weight.length(1) / 3);
    const Weights weights(call, s, 3, true);
    const std::optional<Tensor> of_input = call.optional_input(3), of_hidden = call.optional_input(4), h0 = call.optional_input(6);
    const Going going(call, 5, s);
    for (const auto* const bias : {&of_input, &of_hidden})
        if (*bias) call.expect_shape(**bias, Dims{3 * s.hidden}, "a bias");
    if (h0) s.expect_state(call, *h0, "init_h");
    std::vector<Tensor> outs;
    for (std::size_t k = 0; k < 6; ++k) {
        outs.push_back(call.output(k));
        s.expect_all(call, outs.back(), text("output ", k));
    }
    const std::int64_t reset = call.text("gate_order", "zrh") == "rzh" ? 0 : 1;
    Work work;
    work.operations = 6.0 * static_cast<double>(s.steps * s.state()) * static_cast<double>(s.inputs + s.hidden);
    work.engine = Engine::cube;
    work.compute = [=](const Run& run) {
        const Owned in = doubles(run, x), bias_in = of_input ? doubles(run, *of_input) : zero_doubles(Dims{3 * s.hidden}), bias_hidden = of_hidden ? doubles(run, *of_hidden) : zero_doubles(Dims{3 * s.hidden});
        const auto w = weights.read(run, s, 3);
        const std::vector<double> goes = going.read(run);
        std::array<Owned, 6> made;  // y, h, z, r, n, the state's part of n before r
        for (Owned& one : made) one = zero_doubles(s.all());
        const std::int64_t n = s.state(), columns = 3 * s.hidden;
        std::vector<double> h(static_cast<std::size_t>(n)), from_input(h.size() * 3), from_state(from_input);
        if (h0) std::copy_n(doubles(run, *h0).as<double>(), n, h.data());
        for (std::int64_t step = 0; step < s.steps; ++step) {
            const std::int64_t t = s.order(step);
            for (std::int64_t i = 0; i < s.batch; ++i) {
                std::copy_n(bias_in.as<double>(), columns, from_input.data() + i * columns);
                std::copy_n(bias_hidden.as<double>(), columns, from_state.data() + i * columns);
            }
            multiply_add(in.as<double>() + t * s.batch * s.inputs, w.inputs, from_input.data(), s.batch, s.inputs, columns, false, false);
            multiply_add(h.data(), w.states, from_state.data(), s.batch, s.hidden, columns, false, false);
            for (std::int64_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto place = [&](std::int64_t gate) { return static_cast<std::size_t>((k / s.hidden * 3 + gate) * s.hidden + k % s.hidden); };
                const double r = logistic(from_input[place(reset)] + from_state[place(reset)]), z = logistic(from_input[place(1 - reset)] + from_state[place(1 - reset)]);
                const double part = from_state[place(2)], fresh = std::tanh(from_input[place(2)] + r * part), next = (1 - z) * fresh + z * h[at];
                const double on = goes[static_cast<std::size_t>(t * n + k)];
                h[at] = on * next + (1 - on) * h[at];
                const std::array values{on * next, h[at], z, r, fresh, part};
                for (std::size_t which = 0; which < values.size(); ++which) made[which].as<double>()[t * n + k] = values[which];
            }
        }
        for (std::size_t which = 0; which < made.size(); ++which) copy(shaped(made[which], outs[which]), run[outs[which]]);
    };
    return work;
}

Work plan_gru_gradient(const NamedCall& call) {
    const Tensor x = call.input(0);
    expect_plain_gru(call);
    const Tensor weight = call.input(1);
    call.expect(weight.ndim() == 2, "weight_input", text("two axes, got shape ", weight.shape()));
    const Sizes s(call, x, weight.length(1) / 3);
    const Weights weights(call, s, 3, true);
    const Tensor h0 = call.input(4), dh_last = call.input(7);
    for (const Tensor* const state : {&h0, &dh_last}) s.expect_state(call, *state, "a state");
    std::vector<Tensor> ins;  // h, dy; z, r, n, the state's part of n
    for (const std::size_t place : {5, 6, 8, 9, 10, 11}) {
        ins.push_back(call.input(place));
        s.expect_all(call, ins.back(), text("input ", place));
    }
    std::vector<Tensor> outs;  // of both weights, both biases, x, the first state
    for (std::size_t k = 0; k < 6; ++k) outs.push_back(call.output(k));
    call.expect_shape(outs[0], weights.first.shape(), "output 0");
    call.expect_shape(outs[1], weights.second->shape(), "output 1");
    for (const std::size_t k : {2, 3}) call.expect_shape(outs[k], Dims{3 * s.hidden}, "the gradient of a bias");
    call.expect_shape(outs[4], x.shape(), "the gradient of x");
    s.expect_state(call, outs[5], "the gradient of init_h");
    const std::int64_t reset = call.text("gate_order", "zrh") == "rzh" ? 0 : 1;
    Work work;
    work.operations = 12.0 * static_cast<double>(s.steps * s.state()) * static_cast<double>(s.inputs + s.hidden);
    work.engine = Engine::cube;
    work.compute = [=](const Run& run) {
        const Owned in = doubles(run, x), first_h = doubles(run, h0), dh_end = doubles(run, dh_last);
        const auto w = weights.read(run, s, 3);
        std::array<Owned, 6> given;
        for (std::size_t k = 0; k < given.size(); ++k) given[k] = doubles(run, ins[k]);
        const std::int64_t n = s.state(), columns = 3 * s.hidden;
        std::vector<double> dh(dh_end.as<double>(), dh_end.as<double>() + n), kept(dh), by_input(static_cast<std::size_t>(3 * n)), by_state(by_input);
        const Owned dwx = zero_doubles(Dims{s.inputs, columns}), dwh = zero_doubles(Dims{s.hidden, columns}), dbx = zero_doubles(Dims{columns}), dbh = zero_doubles(Dims{columns}), dx = zero_doubles(x.shape());
        for (std::int64_t step = s.steps - 1; step >= 0; --step) {
            const std::int64_t t = s.order(step), before = step ? s.order(step - 1) : 0;
            const double* const h_before = step ? given[0].as<double>() + before * n : first_h.as<double>();
            for (std::int64_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto of = [&](std::size_t which) { return given[which].as<double>()[t * n + k]; };
                const auto place = [&](std::int64_t gate) { return static_cast<std::size_t>((k / s.hidden * 3 + gate) * s.hidden + k % s.hidden); };
                const double z = of(2), r = of(3), fresh = of(4), part = of(5), slope = dh[at] + of(1);
                const double dn = slope * (1 - z) * (1 - fresh * fresh), dz = slope * (h_before[k] - fresh) * z * (1 - z), dr = dn * part * r * (1 - r);
                by_input[place(2)] = dn;
                by_state[place(2)] = dn * r;
                by_input[place(reset)] = by_state[place(reset)] = dr;
                by_input[place(1 - reset)] = by_state[place(1 - reset)] = dz;
                kept[at] = slope * z;
            }
            dh = kept;
            multiply_add(by_state.data(), w.states, dh.data(), s.batch, columns, s.hidden, false, true);
            multiply_add(by_input.data(), w.inputs, dx.as<double>() + t * s.batch * s.inputs, s.batch, columns, s.inputs, false, true);
            multiply_add(in.as<double>() + t * s.batch * s.inputs, by_input.data(), dwx.as<double>(), s.inputs, s.batch, columns, true, false);
            multiply_add(h_before, by_state.data(), dwh.as<double>(), s.hidden, s.batch, columns, true, false);
            for (std::int64_t k = 0; k < 3 * n; ++k) {
                dbx.as<double>()[k % columns] += by_input[static_cast<std::size_t>(k)];
                dbh.as<double>()[k % columns] += by_state[static_cast<std::size_t>(k)];
            }
        }
        for (const auto& [from, to] : {std::pair{&dwx, &outs[0]}, {&dwh, &outs[1]}, {&dbx, &outs[2]}, {&dbh, &outs[3]}, {&dx, &outs[4]}}) copy(*from, run[*to]);
        copy(shaped(dh, outs[5]), run[outs[5]]);
    };
    return work;
}

const NamedOperators gated{{"DynamicGRUV2", plan_gru}, {"DynamicGRUV2Grad", plan_gru_gradient}};

}  // namespace
}  // namespace cannsim
