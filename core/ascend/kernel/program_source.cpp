// A program's values get tiles by how long they live; what is around its steps is written here.
#include "ascend/kernel/program_source.hpp"

#include <algorithm>
#include <cstring>

#include "ascend/kernel/program_writer.hpp"
#include "base/error.hpp"
#include "base/float16.hpp"
#include "base/itemsize.hpp"

namespace asnumpy::ascend {

extern const std::string_view program_source;  // the text of program.asc, put there by the build

namespace {

constexpr std::uint32_t core_memory = 184 << 10;  // a vector core has 192 KB, of which Select takes the last 8
constexpr std::uint32_t least_tile = 512, most_tile = 16384, tile_unit = 256;
constexpr std::string_view axes[] = {"first", "second", "line"};

std::string number_text(std::size_t n) { return std::to_string(n); }

// Tiles of floats serve for integers of their width.
std::string as_held(std::string tile, Held held) { return held == Held::ints ? std::move(tile) + ".ReinterpretCast<int32_t>()" : std::move(tile); }

std::size_t fingerprint(std::string_view text) {
    std::size_t h = 0xcbf29ce484222325u;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

}  // namespace

Held held_as(DType d) {
    switch (d) {
        case DType::float32: case DType::float16: case DType::bfloat16: return Held::floats;
        case DType::int32: return Held::ints;
        case DType::int16: return Held::shorts;
        case DType::boolean: return Held::bits;
        default: throw Unwritten("vector cores do not compute in " + std::string(name(d)));
    }
}

std::string_view type_of_tile(Held held) {
    constexpr std::string_view names[] = {"Floats", "Ints", "Shorts", "Bits"};
    return names[static_cast<std::size_t>(held)];
}

std::string_view type_in_memory(DType d) {
    switch (d) {
        case DType::float32: return "float";
        case DType::float16: return "half";
        case DType::bfloat16: return "bfloat16_t";
        case DType::int32: return "int32_t";
        case DType::int16: return "int16_t";
        case DType::boolean: return "uint8_t";
        default: throw Unwritten(std::string(name(d)) + " has no type on a core");
    }
}

std::string Tiles::take() {
    const auto free = std::ranges::find(taken_, false);
    if (free == taken_.end()) return fresh();
    *free = true;
    return letter_ + number_text(static_cast<std::size_t>(free - taken_.begin()));
}
std::string Tiles::fresh() {
    taken_.push_back(true);
    return letter_ + number_text(taken_.size() - 1);
}
void Tiles::give(const std::string& name) { taken_[std::stoul(name.substr(1))] = false; }

std::vector<ValueId> results_of(const Program& program) {
    std::vector<ValueId> results;
    for (const Store& store : program.stores) results.push_back(store.value);
    for (const Reduction& reduction : program.reductions)
        if (reduction.value >= program.inputs.size() && std::ranges::find(results, reduction.value) == results.end()) results.push_back(reduction.value);
    return results;
}

ProgramWriter::ProgramWriter(const Program& program, std::span<const Reach> inputs) : program_(program), reaches_(inputs), results_(results_of(program)) {
    for (std::size_t k = 0; k < program.inputs.size(); ++k) {
        const DType d = program.inputs[k];
        const bool number = inputs[k] == Reach::constant || inputs[k] == Reach::single;
        values_.push_back({.dtype = d, .held = held_as(d), .number = number, .tile = {}});
    }
    for (const Step& step : program.steps) {
        const Signature& s = row(step.row).loops[step.loop];
        if (s.nout != 1) throw Unwritten(std::string(row(step.row).name) + " has two results");
        values_.push_back({.dtype = s.out[0], .held = held_as(s.out[0]), .tile = {}});
    }
    find_lives();
    place_memory();
}

void ProgramWriter::find_lives() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
        for (std::size_t k = 0; k < row(program_.steps[i].row).nin; ++k) values_[program_.steps[i].in[k]].last = i;
    for (const ValueId v : results_) values_[v].last = program_.steps.size();
}

// Operands that are tiles as they lie in memory, and results that leave so, need no tile besides.
void ProgramWriter::place_memory() {
    for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
        in_at_.push_back(in_bytes_);
        if (reaches_[k] != Reach::line) continue;
        Value& value = values_[k];
        if (value.held != Held::bits && itemsize(value.dtype) == (value.held == Held::shorts ? 2u : 4u)) {
            value.tile = "i" + number_text(k);
            value.kept = true;
        }
        in_bytes_ += itemsize(value.dtype);
    }
    for (std::size_t r = 0; r < results_.size(); ++r) {
        out_at_.push_back(out_bytes_);
        Value& value = values_[results_[r]];
        out_bytes_ += itemsize(value.dtype);
        const bool own = results_[r] >= program_.inputs.size() && value.tile.empty() && value.held != Held::bits &&
                         itemsize(value.dtype) == (value.held == Held::shorts ? 2u : 4u);
        if (!own) continue;
        value.tile = "o" + number_text(r);
        value.kept = true;
    }
}

std::string ProgramWriter::spare(Tiles& tiles) {
    spares_.emplace_back(&tiles, tiles.take());
    return spares_.back().second;
}
std::string ProgramWriter::spare_bytes() {
    scratch_ = true;
    return "scratch";
}
std::string ProgramWriter::one_floats() {
    if (ones_floats_.empty()) {
        ones_floats_ = floats_.fresh();
        once_ += "    Duplicate(" + ones_floats_ + ", 1.0f, TILE);\n";
    }
    return ones_floats_;
}
std::string ProgramWriter::one_halves() {
    if (ones_halves_.empty()) {
        ones_halves_ = shorts_.fresh();
        once_ += "    Duplicate(" + ones_halves_ + ".ReinterpretCast<half>(), half(1), TILE);\n";
    }
    return ones_halves_ + ".ReinterpretCast<half>()";
}

void ProgramWriter::call(std::string_view name, std::initializer_list<std::string_view> arguments) {
    std::string text(name);
    text += '(';
    for (const std::string_view argument : arguments) {
        text += argument;
        text += ", ";
    }
    line(text + "t.count);");
}

void ProgramWriter::round(ValueId v) {
    if (dtype(v) == DType::float16 || dtype(v) == DType::bfloat16) call("Rounded<" + std::string(type_in_memory(dtype(v))) + ">", {values_[v].tile, spare_shorts() + ".ReinterpretCast<half>()"});
}

const std::string& ProgramWriter::tile(ValueId v) {
    if (values_[v].tile.empty()) is_number(v) ? spread_number(v) : bring(v);
    return values_[v].tile;
}

const std::string& ProgramWriter::target(ValueId v) {
    Value& value = values_[v];
    if (value.tile.empty()) value.tile = as_held(tiles_of(value.held).take(), value.held);
    return value.tile;
}

// A number beside tiles where no instruction takes one: a tile of it for the whole kernel.
void ProgramWriter::spread_number(ValueId v) {
    Value& value = values_[v];
    value.tile = as_held(tiles_of(value.held).fresh(), value.held);
    value.kept = true;
    once_ += "    " + std::string(value.held == Held::bits ? "FillBits" : "Duplicate") + "(" + value.tile + ", " + number(v) + ", TILE);\n";
}

// An operand in the form in which the core holds it.
void ProgramWriter::bring(ValueId v) {
    Value& value = values_[v];
    const std::string memory(type_in_memory(value.dtype)), operand = "p" + number_text(v);
    value.tile = as_held(tiles_of(value.held).take(), value.held);
    if (reaches_[v] == Reach::column) {
        if (value.held == Held::bits) {
            const std::string wide = spare_floats();
            line("Spread<uint8_t>(" + wide + ", " + operand + ", t);");
            call("CompareScalar", {value.tile, wide, "0.0f", "CMPMODE::NE"});
        } else {
            line("Spread<" + memory + ">(" + value.tile + ", " + operand + ", t);");
        }
        return;
    }
    const std::string part = "Part<" + memory + ">(in, " + number_text(in_at_[v]) + " * TILE)";
    if (value.held == Held::bits) call("FromBytes", {value.tile, part, spare_shorts() + ".ReinterpretCast<half>()"});
    else call("Cast", {value.tile, part, "RoundMode::CAST_NONE"});
}

void ProgramWriter::end_step(std::size_t step, const Step& s) {
    for (const auto& [tiles, name] : spares_) tiles->give(name);
    spares_.clear();
    const auto release = [&](ValueId v) {
        Value& value = values_[v];
        if (value.kept || value.tile.empty() || value.last > step) return;
        tiles_of(value.held).give(value.tile);
        value.kept = true;  // once
    };
    for (std::size_t k = 0; k < row(s.row).nin; ++k) release(s.in[k]);
    if (values_[s.out].last == 0) release(s.out);  // nothing uses it
}

// Into its part of the queue's tensor, where it is not there already.
void ProgramWriter::finish_result(std::size_t r) {
    const ValueId v = results_[r];
    const std::string part = "Part<" + std::string(type_in_memory(dtype(v))) + ">(out, " + number_text(out_at_[r]) + " * TILE)";
    const std::string& from = tile(v);
    if (from == "o" + number_text(r)) return;
    if (held(v) == Held::bits) call("ToBytes", {part, from, one_halves(), spare_shorts() + ".ReinterpretCast<half>()"});
    else if (held(v) == Held::floats && dtype(v) != DType::float32) call("Cast", {part, from, "RoundMode::CAST_RINT"});
    else call("Same", {part, from});
    for (const auto& [tiles, name] : spares_) tiles->give(name);
    spares_.clear();
}

std::uint32_t ProgramWriter::bits_an_element() const {
    const std::size_t bytes = 2 * (in_bytes_ + out_bytes_) + 4 * floats_.count() + 2 * shorts_.count() + (scratch_ ? 12 : 0);
    return static_cast<std::uint32_t>(8 * bytes + bits_.count());
}

std::string ProgramWriter::parameters() const {
    std::string all;
    const auto operand = [&](const std::string& name) {
        all += "GM_ADDR " + name;
        for (const std::string_view axis : axes) all += ", int64_t " + name + "_" + std::string(axis);
        all += ", ";
    };
    for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
        if (reaches_[k] == Reach::constant) all += "uint64_t a" + number_text(k) + ", ";
        else if (reaches_[k] == Reach::single) all += "GM_ADDR a" + number_text(k) + ", ";
        else operand("a" + number_text(k));
    }
    for (std::size_t r = 0; r < results_.size(); ++r) operand("r" + number_text(r));
    return all + "uint64_t columns, uint64_t outer0, uint64_t outer1, uint64_t lines, uint64_t wide, uint64_t high, uint64_t pitch";
}

std::string ProgramWriter::before_tiles() const {
    std::string all = "    const Space space{columns, outer0, outer1, lines, wide, high, static_cast<uint32_t>(pitch)};\n";
    const auto operand = [&](const std::string& name, const std::string& from) {
        all += "    const Operand " + name + "{" + from;
        for (const std::string_view axis : axes) all += ", " + from + "_" + std::string(axis);
        all += "};\n";
    };
    for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
        const std::string n = number_text(k), memory(type_in_memory(program_.inputs[k]));
        if (!is_number(static_cast<ValueId>(k))) {
            operand("p" + n, "a" + n);
            continue;
        }
        const bool here = reaches_[k] == Reach::constant;
        constexpr std::string_view types[] = {"float", "int32_t", "int16_t", "bool"};
        all += "    const " + std::string(types[static_cast<std::size_t>(values_[k].held)]) + " c" + n + " = ";
        switch (values_[k].held) {
            case Held::floats: all += here ? "FloatOf(a" + n + ")" : "Wide(NumberAt<" + memory + ">(a" + n + "))"; break;
            case Held::bits: all += here ? "a" + n + " != 0" : "NumberAt<uint8_t>(a" + n + ") != 0"; break;
            default: all += here ? "static_cast<" + memory + ">(a" + n + ")" : "NumberAt<" + memory + ">(a" + n + ")";
        }
        all += ";\n";
    }
    for (std::size_t r = 0; r < results_.size(); ++r) operand("q" + number_text(r), "r" + number_text(r));
    return all;
}

std::string ProgramWriter::text(std::uint32_t tile) const {
    std::string all(program_source);
    all += "\nconstexpr uint32_t TILE = " + number_text(tile) + ";\n";
    all += "extern \"C\" __global__ __aicore__ void NAME(" + parameters() + ") {\n" + before_tiles();
    all += "    TPipe pipe;\n    TQue<TPosition::VECOUT, 1> leaving;\n    pipe.InitBuffer(leaving, 2, " + number_text(out_bytes_) + " * TILE);\n";
    if (in_bytes_) all += "    TQue<TPosition::VECIN, 1> coming;\n    pipe.InitBuffer(coming, 2, " + number_text(in_bytes_) + " * TILE);\n";
    const std::size_t whole = 4 * floats_.count() + 2 * shorts_.count() + (scratch_ ? 12 : 0);
    if (whole || bits_.count())
        all += "    TBuf<TPosition::VECCALC> own;\n    pipe.InitBuffer(own, " + number_text(whole) + " * TILE + " + number_text(bits_.count()) + " * TILE / 8);\n";
    std::size_t at = 0;
    const auto declare = [&](std::string_view type, std::string_view of, const std::string& name, std::size_t bytes) {
        all += "    const " + std::string(type) + " " + name + " = own.GetWithOffset<" + std::string(of) + ">(TILE, " + number_text(at) + " * TILE);\n";
        at += bytes;
    };
    for (std::size_t i = 0; i < floats_.count(); ++i) declare("Floats", "float", "f" + number_text(i), 4);
    for (std::size_t i = 0; i < shorts_.count(); ++i) declare("Shorts", "int16_t", "h" + number_text(i), 2);
    if (scratch_) {
        all += "    const Bits scratch = own.GetWithOffset<uint8_t>(12 * TILE, " + number_text(at) + " * TILE);\n";
        at += 12;
    }
    for (std::size_t i = 0; i < bits_.count(); ++i)
        all += "    const Bits b" + number_text(i) + " = own.GetWithOffset<uint8_t>(TILE / 8, " + number_text(at) + " * TILE + " + number_text(i) + " * TILE / 8);\n";
    if (in_bytes_ && bits_.count()) all += "    Clear(coming, " + number_text(in_bytes_) + " * TILE, space);\n";
    all += once_;
    all += "    const uint64_t tiles = Tiles(space), cores = GetBlockNum(), core = GetBlockIdx();\n"
           "    for (uint64_t number = tiles * core / cores; number < tiles * (core + 1) / cores; ++number) {\n"
           "        const Tile t = TileAt(space, number);\n";
    if (in_bytes_) {
        all += "        LocalTensor<uint8_t> in = coming.AllocTensor<uint8_t>();\n";
        for (std::size_t k = 0; k < program_.inputs.size(); ++k)
            if (reaches_[k] == Reach::line)
                all += "        Load(Part<" + std::string(type_in_memory(program_.inputs[k])) + ">(in, " + number_text(in_at_[k]) + " * TILE), p" + number_text(k) + ", t);\n";
        all += "        coming.EnQue(in);\n        in = coming.DeQue<uint8_t>();\n";
        for (std::size_t k = 0; k < program_.inputs.size(); ++k)
            if (values_[k].tile == "i" + number_text(k))
                all += "        const " + std::string(type_of_tile(values_[k].held)) + " i" + number_text(k) + " = Part<" + std::string(type_in_memory(program_.inputs[k])) + ">(in, " + number_text(in_at_[k]) + " * TILE);\n";
    }
    all += "        LocalTensor<uint8_t> out = leaving.AllocTensor<uint8_t>();\n";
    for (std::size_t r = 0; r < results_.size(); ++r)
        if (values_[results_[r]].tile == "o" + number_text(r))
            all += "        const " + std::string(type_of_tile(values_[results_[r]].held)) + " o" + number_text(r) + " = Part<" + std::string(type_in_memory(values_[results_[r]].dtype)) + ">(out, " + number_text(out_at_[r]) + " * TILE);\n";
    all += body_;
    if (in_bytes_) all += "        coming.FreeTensor(in);\n";
    all += "        leaving.EnQue(out);\n        out = leaving.DeQue<uint8_t>();\n";
    for (std::size_t r = 0; r < results_.size(); ++r)
        all += "        Store(q" + number_text(r) + ", Part<" + std::string(type_in_memory(values_[results_[r]].dtype)) + ">(out, " + number_text(out_at_[r]) + " * TILE), t);\n";
    return all + "        leaving.FreeTensor(out);\n    }\n}\n";
}

ProgramSource ProgramWriter::write() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
        write_step(*this, program_.steps[i]);
        end_step(i, program_.steps[i]);
    }
    for (std::size_t r = 0; r < results_.size(); ++r) finish_result(r);
    const std::uint32_t tile = std::min(most_tile, core_memory * 8 / bits_an_element() / tile_unit * tile_unit);
    if (tile < least_tile) throw Unwritten("more values live at a time than a core has memory for");
    ProgramSource source{.name = {}, .text = text(tile), .tile = tile};
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016zx", fingerprint(source.text));
    source.name = std::string("program_") + digits;
    source.text.replace(source.text.rfind("void NAME(") + 5, 4, source.name);
    return source;
}

std::optional<ProgramSource> source_of(const Program& program, std::span<const Reach> inputs) {
    try {
        return ProgramWriter(program, inputs).write();
    } catch (const Unwritten&) {
        return std::nullopt;
    }
}

std::uint64_t parameter_of(DType d, const char* bytes) {
    std::uint64_t bits = 0;
    if (d == DType::float16 || d == DType::bfloat16) {
        float16 half;
        bfloat16 upper;
        std::memcpy(&half.bits, bytes, sizeof half.bits);
        upper.bits = half.bits;
        const float wide = d == DType::float16 ? static_cast<float>(half) : static_cast<float>(upper);
        std::memcpy(&bits, &wide, sizeof wide);
    } else {
        std::memcpy(&bits, bytes, itemsize(d));
    }
    return bits;
}

}  // namespace asnumpy::ascend
