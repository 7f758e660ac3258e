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
// The same as a vector; so many zeros where there is no tensor.
std::vector<double> numbers(const Run& run, const std::optional<Tensor>& tensor, std::int64_t count) {
    std::vector<double> result(static_cast<std::size_t>(count));
    if (tensor) std::copy_n(doubles(run, *tensor).as<double>(), count, result.data());
    return result;
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

// Of input 0, x, and of input 1, weights with a column for each unit of each gate.
struct Sizes {
    std::int64_t gates, steps, batch, inputs, hidden;
    bool reversed;
    Dims all() const { return {steps, batch, hidden}; }
    std::int64_t state() const { return batch * hidden; }
    std::int64_t columns() const { return gates * hidden; }
    std::int64_t order(std::int64_t step) const { return reversed ? steps - 1 - step : step; }
    // Where (batch, gates, hidden) has a gate of what is element k of (batch, hidden).
    std::size_t place(std::int64_t k, std::int64_t gate) const { return static_cast<std::size_t>((k / hidden * gates + gate) * hidden + k % hidden); }
    // The state that a step begins with, of the first one and of those after each step.
    const double* before(std::int64_t step, const Owned& first, const Owned& after) const { return step ? after.as<double>() + order(step - 1) * state() : first.as<double>(); }

    Sizes(const NamedCall& call, const Tensor& x, std::int64_t gate_count, std::string_view weights) : gates(gate_count), reversed(call.text("direction", "UNIDIRECTIONAL") == "REDIRECTIONAL") {
        const Tensor weight = call.input(1);
        call.expect(weight.ndim() == 2, weights, text("two axes, got shape ", weight.shape()));
        hidden = weight.length(1) / gates;
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
    // Inputs or outputs with a number for each unit at each step.
    std::vector<Tensor> expect_all(const NamedCall& call, Tensor (NamedCall::*of)(std::size_t) const, std::string_view what, std::initializer_list<std::size_t> places) const {
        std::vector<Tensor> result;
        for (const std::size_t place : places) {
            result.push_back((call.*of)(place));
            const Dims& shape = result.back().shape();
            call.expect(shape == all() || (steps == 1 && shape == Dims{batch, hidden}), text(what, " ", place), text("shape ", all(), ", got ", shape));
        }
        return result;
    }
    // (batch, hidden) or (1, batch, hidden)
    void expect_state(const NamedCall& call, const Tensor& state, std::string_view what) const {
        call.expect(state.size() == this->state() && state.ndim() >= 2 && state.shape().back() == hidden, what, text("shape ", Dims{batch, hidden}, ", got ", state.shape()));
    }
    Work work(double operations_of_each) const {
        Work result;
        result.operations = operations_of_each * static_cast<double>(steps * state()) * static_cast<double>(inputs + hidden);
        result.engine = Engine::cube;
        return result;
    }
};

std::vector<Owned> read_all(const Run& run, const std::vector<Tensor>& tensors) {
    std::vector<Owned> result;
    for (const Tensor& one : tensors) result.push_back(doubles(run, one));
    return result;
}
void write_all(const Run& run, const std::vector<Owned>& values, const std::vector<Tensor>& outs) {
    for (std::size_t k = 0; k < outs.size(); ++k) copy(shaped(values[k], outs[k]), run[outs[k]]);
}

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
    Weights(const NamedCall& call, const Sizes& s, bool apart) : first(call.input(1)), second(apart ? std::optional(call.input(2)) : std::nullopt) {
        call.expect_shape(first, Dims{apart ? s.inputs : s.inputs + s.hidden, s.columns()}, "the weights of inputs");
        if (second) call.expect_shape(*second, Dims{s.hidden, s.columns()}, "the weights of states");
    }
    struct Read {
        Owned first, second;
        const double *inputs, *states;
    };
    Read read(const Run& run, const Sizes& s) const {
        Read result{doubles(run, first), {}, nullptr, nullptr};
        result.inputs = result.first.as<double>();
        if (second) result.second = doubles(run, *second);
        result.states = second ? result.second.as<double>() : result.inputs + s.inputs * s.columns();
        return result;
    }
};

// A bias in the place of each sequence's gates.
void begin_with(const std::vector<double>& bias, std::vector<double>& gates) {
    for (std::size_t k = 0; k < gates.size(); ++k) gates[k] = bias[k % bias.size()];
}

// Slopes of x and of the weights, to which each step adds what comes through its gates.
struct Slopes {
    Owned x, inputs, states;
    Slopes(const Tensor& of, const Sizes& s) : x(zero_doubles(of.shape())), inputs(zero_doubles(Dims{s.inputs, s.columns()})), states(zero_doubles(Dims{s.hidden, s.columns()})) {}
    // by_input, by_state: the slopes of the gates; h, dh: the state before the step, and its slope.
    void add(const Sizes& s, const Weights::Read& w, const Owned& in, std::int64_t step, const std::vector<double>& by_input, const std::vector<double>& by_state, const double* h, std::vector<double>& dh) const {
        const std::int64_t from = s.order(step) * s.batch * s.inputs;
        multiply_add(by_state.data(), w.states, dh.data(), s.batch, s.columns(), s.hidden, false, true);
        multiply_add(by_input.data(), w.inputs, x.as<double>() + from, s.batch, s.columns(), s.inputs, false, true);
        multiply_add(in.as<double>() + from, by_input.data(), inputs.as<double>(), s.inputs, s.batch, s.columns(), true, false);
        multiply_add(h, by_state.data(), states.as<double>(), s.hidden, s.batch, s.columns(), true, false);
    }
};
void add_to_bias(const std::vector<double>& gates, const Owned& bias) {
    for (std::size_t k = 0; k < gates.size(); ++k) bias.as<double>()[k % static_cast<std::size_t>(bias.size())] += gates[k];
}

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
    const Sizes s(call, x, 4, "w");
    const Weights weights(call, s, apart);
    const std::optional<Tensor> b = call.optional_input(bias), h0 = call.optional_input(bias + 2), c0 = call.optional_input(bias + 3);
    const Going going(call, bias + 1, s);
    if (b) call.expect_shape(*b, Dims{s.columns()}, "b");
    for (const auto* const state : {&h0, &c0})
        if (*state) s.expect_state(call, **state, "init_h and init_c");
    const std::vector<Tensor> outs = s.expect_all(call, &NamedCall::output, "output", {0, 1, 2, 3, 4, 5, 6, 7});
    const double forget = call.real("forget_bias", 0);
    Work work = s.work(8);
    work.compute = [=, places = gate_places(call)](const Run& run) {
        const Owned in = doubles(run, x);
        const auto w = weights.read(run, s);
        const std::vector<double> goes = going.read(run);
        std::vector<Owned> made(8);  // y, h, c, i, j, f, o, tanh c
        for (Owned& one : made) one = zero_doubles(s.all());
        const std::int64_t n = s.state();
        const std::vector<double> added = numbers(run, b, s.columns());
        std::vector<double> h = numbers(run, h0, n), c = numbers(run, c0, n), gates(h.size() * 4);
        for (std::int64_t step = 0; step < s.steps; ++step) {
            const std::int64_t t = s.order(step);
            begin_with(added, gates);
            multiply_add(in.as<double>() + t * s.batch * s.inputs, w.inputs, gates.data(), s.batch, s.inputs, s.columns(), false, false);
            multiply_add(h.data(), w.states, gates.data(), s.batch, s.hidden, s.columns(), false, false);
            for (std::int64_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto gate = [&](std::size_t which) { return gates[s.place(k, places[which])]; };
                const double i = logistic(gate(0)), j = std::tanh(gate(1)), f = logistic(gate(2) + forget), o = logistic(gate(3));
                const double next = c[at] * f + i * j, squashed = std::tanh(next), out = o * squashed, on = goes[static_cast<std::size_t>(t * n + k)];
                c[at] = on * next + (1 - on) * c[at];
                h[at] = on * out + (1 - on) * h[at];
                const std::array values{on * out, h[at], c[at], i, j, f, o, squashed};
                for (std::size_t which = 0; which < values.size(); ++which) made[which].as<double>()[t * n + k] = values[which];
            }
        }
        write_all(run, made, outs);
    };
    return work;
}

Work plan_lstm_gradient(const NamedCall& call, bool apart) {
    const Tensor x = call.input(0);
    expect_plain_lstm(call);
    const Sizes s(call, x, 4, "w");
    const Weights weights(call, s, apart);
    const Tensor h0 = call.input(4), c0 = call.input(5), dh_last = call.input(9), dc_last = call.input(10);
    for (const Tensor* const state : {&h0, &c0, &dh_last, &dc_last}) s.expect_state(call, *state, "a state");
    const std::vector<Tensor> ins = s.expect_all(call, &NamedCall::input, "input", {6, 7, 8, 11, 12, 13, 14, 15});  // h, c, dy; i, j, f, o, tanh c
    const Going going(call, 16, s);
    std::vector<Tensor> outs;  // of the weights, the bias, x, the first states
    for (std::size_t k = 0; k < (apart ? 6u : 5u); ++k) outs.push_back(call.output(k));
    const std::size_t bias = apart ? 2 : 1;
    call.expect_shape(outs[0], weights.first.shape(), "output 0");
    if (apart) call.expect_shape(outs[1], weights.second->shape(), "output 1");
    call.expect_shape(outs[bias], Dims{s.columns()}, "the gradient of the bias");
    call.expect_shape(outs[bias + 1], x.shape(), "the gradient of x");
    for (const std::size_t k : {bias + 2, bias + 3}) s.expect_state(call, outs[k], "the gradient of a state");
    Work work = s.work(16);
    work.compute = [=, places = gate_places(call)](const Run& run) {
        const Owned in = doubles(run, x), first_h = doubles(run, h0), first_c = doubles(run, c0);
        const auto w = weights.read(run, s);
        const std::vector<double> goes = going.read(run);
        const std::vector<Owned> given = read_all(run, ins);
        const std::int64_t n = s.state();
        std::vector<double> dh = numbers(run, dh_last, n), dc = numbers(run, dc_last, n), gates(dh.size() * 4), passed(dh.size());
        const Slopes slopes(x, s);
        const Owned db = zero_doubles(Dims{s.columns()});
        for (std::int64_t step = s.steps - 1; step >= 0; --step) {
            const std::int64_t t = s.order(step);
            const double *const h_before = s.before(step, first_h, given[0]), *const c_before = s.before(step, first_c, given[1]);
            for (std::int64_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto of = [&](std::size_t which) { return given[which].as<double>()[t * n + k]; };
                const double i = of(3), j = of(4), f = of(5), o = of(6), squashed = of(7), on = goes[static_cast<std::size_t>(t * n + k)];
                const double slope = on * (dh[at] + of(2)), through = on * dc[at] + slope * o * (1 - squashed * squashed);
                passed[at] = (1 - on) * dh[at];
                const std::array parts{through * j * i * (1 - i), through * i * (1 - j * j), through * c_before[k] * f * (1 - f), slope * squashed * o * (1 - o)};
                for (std::size_t which = 0; which < 4; ++which) gates[s.place(k, places[which])] = parts[which];
                dc[at] = through * f + (1 - on) * dc[at];
            }
            dh = passed;
            slopes.add(s, w, in, step, gates, gates, h_before, dh);
            add_to_bias(gates, db);
        }
        if (apart) {
            copy(slopes.inputs, run[outs[0]]);
            copy(slopes.states, run[outs[1]]);
        } else {
            const Owned both = make(DType::float64, weights.first.shape());
            std::copy_n(slopes.states.as<double>(), slopes.states.size(), std::copy_n(slopes.inputs.as<double>(), slopes.inputs.size(), both.as<double>()));
            copy(both, run[outs[0]]);
        }
        copy(db, run[outs[bias]]);
        copy(slopes.x, run[outs[bias + 1]]);
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
// Where r stands among the columns; z is the other one of the first two, n the third.
std::int64_t reset_place(const NamedCall& call) { return call.text("gate_order", "zrh") == "rzh" ? 0 : 1; }

Work plan_gru(const NamedCall& call) {
    const Tensor x = call.input(0);
    expect_plain_gru(call);
    const Sizes s(call, x, 3, "weight_input");
    const Weights weights(call, s, true);
    const std::optional<Tensor> of_input = call.optional_input(3), of_hidden = call.optional_input(4), h0 = call.optional_input(6);
    const Going going(call, 5, s);
    for (const auto* const bias : {&of_input, &of_hidden})
        if (*bias) call.expect_shape(**bias, Dims{s.columns()}, "a bias");
    if (h0) s.expect_state(call, *h0, "init_h");
    const std::vector<Tensor> outs = s.expect_all(call, &NamedCall::output, "output", {0, 1, 2, 3, 4, 5});
    Work work = s.work(6);
    work.compute = [=, reset = reset_place(call)](const Run& run) {
        const Owned in = doubles(run, x);
        const std::vector<double> bias_in = numbers(run, of_input, s.columns()), bias_hidden = numbers(run, of_hidden, s.columns());
        const auto w = weights.read(run, s);
        const std::vector<double> goes = going.read(run);
        std::vector<Owned> made(6);  // y, h, z, r, n, the state's part of n before r
        for (Owned& one : made) one = zero_doubles(s.all());
        const std::int64_t n = s.state();
        std::vector<double> h = numbers(run, h0, n), from_input(h.size() * 3), from_state(from_input);
        for (std::int64_t step = 0; step < s.steps; ++step) {
            const std::int64_t t = s.order(step);
            begin_with(bias_in, from_input);
            begin_with(bias_hidden, from_state);
            multiply_add(in.as<double>() + t * s.batch * s.inputs, w.inputs, from_input.data(), s.batch, s.inputs, s.columns(), false, false);
            multiply_add(h.data(), w.states, from_state.data(), s.batch, s.hidden, s.columns(), false, false);
            for (std::int64_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const std::size_t of_r = s.place(k, reset), of_z = s.place(k, 1 - reset), of_n = s.place(k, 2);
                const double r = logistic(from_input[of_r] + from_state[of_r]), z = logistic(from_input[of_z] + from_state[of_z]);
                const double part = from_state[of_n], fresh = std::tanh(from_input[of_n] + r * part), next = (1 - z) * fresh + z * h[at];
                const double on = goes[static_cast<std::size_t>(t * n + k)];
                h[at] = on * next + (1 - on) * h[at];
                const std::array values{on * next, h[at], z, r, fresh, part};
                for (std::size_t which = 0; which < values.size(); ++which) made[which].as<double>()[t * n + k] = values[which];
            }
        }
        write_all(run, made, outs);
    };
    return work;
}

Work plan_gru_gradient(const NamedCall& call) {
    const Tensor x = call.input(0);
    expect_plain_gru(call);
    const Sizes s(call, x, 3, "weight_input");
    const Weights weights(call, s, true);
    const Tensor h0 = call.input(4), dh_last = call.input(7);
    for (const Tensor* const state : {&h0, &dh_last}) s.expect_state(call, *state, "a state");
    const std::vector<Tensor> ins = s.expect_all(call, &NamedCall::input, "input", {5, 6, 8, 9, 10, 11});  // h, dy; z, r, n, the state's part of n
    std::vector<Tensor> outs;  // of both weights, both biases, x, the first state
    for (std::size_t k = 0; k < 6; ++k) outs.push_back(call.output(k));
    call.expect_shape(outs[0], weights.first.shape(), "output 0");
    call.expect_shape(outs[1], weights.second->shape(), "output 1");
    for (const std::size_t k : {2, 3}) call.expect_shape(outs[k], Dims{s.columns()}, "the gradient of a bias");
    call.expect_shape(outs[4], x.shape(), "the gradient of x");
    s.expect_state(call, outs[5], "the gradient of init_h");
    Work work = s.work(12);
    work.compute = [=, reset = reset_place(call)](const Run& run) {
        const Owned in = doubles(run, x), first_h = doubles(run, h0);
        const auto w = weights.read(run, s);
        const std::vector<Owned> given = read_all(run, ins);
        const std::int64_t n = s.state();
        std::vector<double> dh = numbers(run, dh_last, n), kept(dh.size()), by_input(dh.size() * 3), by_state(by_input);
        const Slopes slopes(x, s);
        const Owned dbx = zero_doubles(Dims{s.columns()}), dbh = zero_doubles(Dims{s.columns()});
        for (std::int64_t step = s.steps - 1; step >= 0; --step) {
            const std::int64_t t = s.order(step);
            const double* const h_before = s.before(step, first_h, given[0]);
            for (std::int64_t k = 0; k < n; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto of = [&](std::size_t which) { return given[which].as<double>()[t * n + k]; };
                const std::size_t of_r = s.place(k, reset), of_z = s.place(k, 1 - reset), of_n = s.place(k, 2);
                const double z = of(2), r = of(3), fresh = of(4), part = of(5), slope = dh[at] + of(1);
                const double dn = slope * (1 - z) * (1 - fresh * fresh), dz = slope * (h_before[k] - fresh) * z * (1 - z), dr = dn * part * r * (1 - r);
                by_input[of_n] = dn;
                by_state[of_n] = dn * r;
                by_input[of_r] = by_state[of_r] = dr;
                by_input[of_z] = by_state[of_z] = dz;
                kept[at] = slope * z;
            }
            dh = kept;
            slopes.add(s, w, in, step, by_input, by_state, h_before, dh);
            add_to_bias(by_input, dbx);
            add_to_bias(by_state, dbh);
        }
        for (const auto& [from, to] : {std::pair{&slopes.inputs, &outs[0]}, {&slopes.states, &outs[1]}, {&dbx, &outs[2]}, {&dbh, &outs[3]}, {&slopes.x, &outs[4]}}) copy(*from, run[*to]);
        copy(shaped(dh, outs[5]), run[outs[5]]);
    };
    return work;
}

const NamedOperators gated{{"DynamicGRUV2", plan_gru}, {"DynamicGRUV2Grad", plan_gru_gradient}};

}  // namespace
}  // namespace cannsim
