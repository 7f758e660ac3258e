// What the rows of a generated kernel are written with: values, the tiles that hold them, lines of text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ascend/kernel/program_source.hpp"
#include "program/program.hpp"

namespace asnumpy::ascend {

// How a core holds values: 16-bit floats as the floats that they are, bools as bits of a comparison.
enum class Held : std::uint8_t { floats, ints, shorts, bits };

// There are no instructions for this.
struct Unwritten : std::runtime_error { using std::runtime_error::runtime_error; };

Held held_as(DType);                 // Unwritten
std::string_view type_of_tile(Held); // "Floats"
std::string_view type_in_memory(DType);

// Tiles of one width that values take and give back.
class Tiles {
public:
    explicit Tiles(char letter) : letter_(letter) {}
    std::string take();
    std::string fresh();  // one that nothing has had before
    void give(const std::string& name);
    std::size_t count() const { return taken_.size(); }

private:
    char letter_;
    std::vector<bool> taken_;
};

class ProgramWriter {
public:
    ProgramWriter(const Program&, std::span<const Reach> inputs);
    ProgramSource write();

    // --- for rows (program_rows.cpp) ---

    DType dtype(ValueId v) const { return values_[v].dtype; }
    Held held(ValueId v) const { return values_[v].held; }
    bool is_number(ValueId v) const { return values_[v].number; }
    std::string number(ValueId v) const { return "c" + std::to_string(v); }
    const std::string& tile(ValueId);     // the value as a tile, whatever it is
    const std::string& target(ValueId v); // where a step's result goes
    std::string spare_floats() { return spare(floats_); }  // until the step ends; also for ints
    std::string spare_shorts() { return spare(shorts_); }  // also for halves
    std::string spare_bits() { return spare(bits_); }
    std::string spare_bytes();            // as much as three tiles of floats, for functions made of instructions
    std::string one_floats();             // tiles of ones, for the whole kernel
    std::string one_halves();
    void line(std::string_view text) { body_ += "        " + std::string(text) + "\n"; }
    // name(arguments, t.count);
    void call(std::string_view name, std::initializer_list<std::string_view> arguments);
    void round(ValueId v);                // a 16-bit float's tile after arithmetic

private:
    struct Value {
        DType dtype{};
        Held held{};
        bool number = false;        // of the launch, or single
        std::string tile;           // empty: none yet
        std::size_t last = 0;       // the step that uses it last
        bool kept = false;          // its tile is not given back: an operand's or a result's own memory
    };

    Tiles& tiles_of(Held held) { return held == Held::bits ? bits_ : held == Held::shorts ? shorts_ : floats_; }
    std::string spare(Tiles&);
    void find_lives();
    void place_memory();
    void bring(ValueId);
    void spread_number(ValueId);
    void finish_result(std::size_t);
    void end_step(std::size_t step, const Step&);
    std::string parameters() const;
    std::string before_tiles() const;
    std::string text(std::uint32_t tile) const;
    std::uint32_t bits_an_element() const;

    const Program& program_;
    const std::span<const Reach> reaches_;
    const std::vector<ValueId> results_;
    std::vector<Value> values_;
    Tiles floats_{'f'}, shorts_{'h'}, bits_{'b'};
    std::vector<std::pair<Tiles*, std::string>> spares_;
    std::vector<std::size_t> in_at_, out_at_;  // bytes an element before this operand's part of a queue's tensor
    std::size_t in_bytes_ = 0, out_bytes_ = 0;
    std::string ones_floats_, ones_halves_;
    bool scratch_ = false;
    std::string once_;   // before the tiles
    std::string body_;   // of a tile
};

void write_step(ProgramWriter&, const Step&);  // Unwritten

}  // namespace asnumpy::ascend
