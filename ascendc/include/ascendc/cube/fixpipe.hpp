// Fixpipe: from L0C to global memory or L1, row by row or in fractals, narrowed and quantised on the way.
#pragma once

#include <vector>

#include "ascendc/cube/quantise.hpp"
#include "ascendc/cube/unit_flag.hpp"

namespace ascendc {

// Parameters of quantisation, a word of 64 bits a column, in FB or L1.
inline std::vector<Quantiser> quantisers_of(Instruction& at, const Place& place, std::uint32_t columns) {
    LocalMemory& memory = local_side(at, place, "the quantisation's parameters", 1, std::uint64_t{columns} * 8, 0);
    at.uses(memory, place.address, columns * 8, false);
    std::vector<Quantiser> found;
    for (std::uint32_t c = 0; c < columns; ++c) {
        const std::uint32_t address = place.address + c * 8;
        if (memory.any_unwritten(address, 8))
            at.fail(Rule::uninitialised, "takes the quantisation's parameters of column ", c, " from ", name_of(place.memory), " at byte ", address,
                    ", which nobody wrote");
        found.emplace_back(bits_as<std::uint64_t>(*reinterpret_cast<const std::array<std::byte, 8>*>(memory.at(address))));
    }
    return found;
}

// Where results go: pieces of rows.
struct GlobalTarget {
    std::uintptr_t address;
};
struct LocalTarget {
    Place place;
};

// One form for all calls. `row_major`: rows of nSize elements; else columns of fractals.
template <class T, class U>
class Fixing {
public:
    Fixing(Instruction& at, const Place& source, const AscendC::FixpipeParamsV220& p, bool row_major, const Place* parameters)
        : at_(at), p_(p), row_major_(row_major), place_(source) {
        if (!converts<T, U>(p.quantPre))
            at.fail(Rule::type, "is given quantPre ", quantisation_names[p.quantPre], ", which does not make the result's type of the source's");
        check_memory(at, source, "src", {AscendC::Hardware::L0C});
        check_between(at, "nSize", p.nSize, 1, 4095);
        check_between(at, "mSize", p.mSize, 1, row_major ? 8192 : 65535);
        if (!row_major && p.nSize % lanes()) at.fail(Rule::count, "is given nSize ", p.nSize, "; in fractals it must be a multiple of ", lanes());
        if (p.isChannelSplit && (row_major || !std::is_same_v<T, float>)) at.fail(Rule::type, "splits channels of float in fractals alone");
        if (row_major) check_between(at, "ndNum", p.ndNum, 1, 65535);
        const std::uint64_t columns = (p.nSize + result_lanes - 1u) / result_lanes, matrices = row_major ? p.ndNum : 1;
        memory_ = &local_side(at, source, "src", 1,
                              (matrices - 1) * p.srcNdStride * result_fractal_bytes + (columns - 1) * p.srcStride * row_bytes + p.mSize * row_bytes,
                              0, 64);
        if (by_column(p.quantPre)) {
            if (!parameters) at.fail(Rule::state, "quantises by columns before SetFixPipeConfig named the parameters");
            quantisers_ = quantisers_of(at, *parameters, p.nSize);
        } else {
            quantisers_.assign(1, p.quantPre == QuantMode_t::NoQuant ? Quantiser() : Quantiser(p.deqScalar));
        }
        for (std::uint64_t i = 0; i < matrices; ++i)
            for (std::uint64_t c = 0; c < columns; ++c)
                at.uses(*memory_, source_address(static_cast<std::uint32_t>(i), 0, static_cast<std::uint32_t>(c * result_lanes)),
                        p.mSize * row_bytes, false);
        at.takes(static_cast<double>(matrices * p.mSize * p.nSize * sizeof(T)) / global_rate);
    }

    void run(const GlobalTarget& to) {
        const bool atomic = check_atomic(at_, element_of<T>());
        const std::uint64_t pieces = row_major_ ? p_.ndNum : (p_.nSize + width() - 1) / width();
        for (std::uint32_t piece = 0; piece < pieces; ++piece) {
            const std::uint64_t lanes = row_major_ ? p_.nSize : std::min<std::uint64_t>(width(), p_.nSize - piece * width());
            const std::uint64_t pitch = row_major_ ? std::uint64_t{p_.dstStride} * sizeof(T) : width() * sizeof(T);
            std::byte* const target = at_.uses_global({to.address + piece_offset(piece), lanes * sizeof(T), p_.mSize, pitch}, true, atomic);
            const auto write = [&](std::uint32_t row, std::uint32_t address, const T* values, std::uint32_t n, std::uint32_t first) {
                check_written(at_, *memory_, address, n * 4);
                store(at_, target + row * pitch + first * sizeof(T), reinterpret_cast<const std::byte*>(values), n * sizeof(T));
            };
            rows_of(piece, static_cast<std::uint32_t>(lanes), write);
        }
    }
    void run(const LocalTarget& to) {
        check_memory(at_, to.place, "dst", {AscendC::Hardware::L1});
        const std::uint32_t pieces = row_major_ ? p_.ndNum : (p_.nSize + width() - 1) / width();
        for (std::uint32_t piece = 0; piece < pieces; ++piece) {
            const std::uint32_t lanes = row_major_ ? p_.nSize : std::min<std::uint32_t>(width(), p_.nSize - piece * width());
            const std::uint64_t pitch = row_major_ ? std::uint64_t{p_.dstStride} * sizeof(T) : width() * sizeof(T);
            LocalMemory& memory = local_side(at_, to.place, "dst", 1, piece_offset(piece) + (p_.mSize - 1) * pitch + lanes * sizeof(T), 0);
            const std::uint64_t begin = to.place.address + piece_offset(piece);
            uses_pieces(at_, memory, begin, p_.mSize, lanes * sizeof(T), pitch, true);
            rows_of(piece, lanes, [&](std::uint32_t row, std::uint32_t address, const T* values, std::uint32_t n, std::uint32_t first) {
                const auto target = static_cast<std::uint32_t>(begin + row * pitch + first * sizeof(T));
                std::memcpy(memory.at(target), values, n * sizeof(T));
                memory.set_written(target, n * static_cast<std::uint32_t>(sizeof(T)));
                if (!memory_->any_unwritten(address, n * 4)) return;
                for (std::uint32_t i = 0; i < n; ++i)
                    if (memory_->any_unwritten(address + i * 4, 4)) memory.set_unwritten(target + i * sizeof(T), sizeof(T));
            });
        }
    }

private:
    static constexpr std::uint32_t row_bytes = result_lanes * 4;

    // Elements of a row of a target's fractal, and what nSize must be a multiple of.
    std::uint32_t width() const { return p_.isChannelSplit ? 8 : sizeof(T) == 1 ? 32 : result_lanes; }
    std::uint32_t lanes() const { return p_.isChannelSplit ? 8 : result_lanes; }
    std::uint64_t piece_offset(std::uint32_t piece) const {
        return row_major_ ? std::uint64_t{piece} * p_.dstNdStride * sizeof(T) : std::uint64_t{piece} * p_.dstStride * block_bytes;
    }
    std::uint32_t source_address(std::uint32_t matrix, std::uint32_t row, std::uint32_t column) const {
        return place_.address + matrix * p_.srcNdStride * result_fractal_bytes + column / result_lanes * p_.srcStride * row_bytes + row * row_bytes +
               column % result_lanes * 4;
    }

    // write(row, address of the sums, results, how many, their first in the row), for pieces of a row that lie side by side in L0C.
    template <class Write>
    void rows_of(std::uint32_t piece, std::uint32_t count, Write write) {
        const bool keeps_infinity = at_.core.registers.keeps_infinity;
        const std::uint32_t first_column = row_major_ ? 0 : piece * width();
        for (std::uint32_t first = 0; first < count;) {
            const std::uint32_t column = first_column + first;
            const std::uint32_t n = std::min(count - first, result_lanes - column % result_lanes);
            for (std::uint32_t row = 0; row < p_.mSize; ++row) {
                const std::uint32_t address = source_address(row_major_ ? piece : 0, row, column);
                U sums[result_lanes];
                T values[result_lanes];
                std::memcpy(sums, memory_->at(address), n * sizeof(U));
                for (std::uint32_t i = 0; i < n; ++i)
                    values[i] = quantised<T, U>(sums[i], quantisers_[quantisers_.size() > 1 ? column + i : 0], keeps_infinity, p_.reluEn);
                write(row, address, values, n, first);
            }
            first += n;
        }
    }

    Instruction& at_;
    const AscendC::FixpipeParamsV220& p_;
    bool row_major_;
    Place place_;
    LocalMemory* memory_;
    std::vector<Quantiser> quantisers_;
};

template <class T, class U, class Target>
void fix(const char* name, const Target& to, const AscendC::LocalTensor<U>& src, const AscendC::FixpipeParamsV220& p, bool row_major,
         const Place* parameters, Where where) {
    static_assert(one_of<U, float, std::int32_t>, "Fixpipe takes float or int32_t out of L0C");
    Core& core = current();
    const auto again = [=, parameters = parameters ? std::optional<Place>(*parameters) : std::nullopt] {
        fix<T>(name, to, src, p, row_major, parameters ? &*parameters : nullptr, where);
    };
    if (postponed_by_unit(Pipe::FIX, Pipe::M, p.unitFlag, name, again, where)) return;
    UnitTile* const tile = p.unitFlag ? &wait_for_filled(core, src.place().address, where) : nullptr;
    {
        Instruction at(name, Pipe::FIX, where);
        Fixing<T, U>(at, src.place(), p, row_major, parameters).run(to);
    }
    if (tile && p.unitFlag == 3) drain_unit(core, *tile, (p.mSize + 15u) / 16 * ((p.nSize + 15u) / 16) * (row_major ? p.ndNum : 1u));
}

// The parameters that SetFixPipeConfig named.
inline const Place* quantisation_place(Place& place) {
    const Registers& registers = current().registers;
    if (!registers.quantisation_vector_set) return nullptr;
    const std::uint32_t size = current().memory(AscendC::Hardware::FIXBUF).size();
    place = {AscendC::Hardware::FIXBUF, static_cast<std::uint32_t>(registers.quantisation_vector), 0, size, 0, 0};
    return &place;
}

inline AscendC::FixpipeParamsV220 fixpipe_of(const AscendC::DataCopyCO12DstParams& p) {
    const Registers& registers = current().registers;
    AscendC::FixpipeParamsV220 full;
    full.nSize = p.nSize;
    full.mSize = p.mSize;
    full.srcStride = p.srcStride;
    full.dstStride = p.dstStride;
    full.reluEn = p.reluPre != 0;
    full.quantPre = p.quantPre;
    full.deqScalar = registers.quantisation;
    full.unitFlag = p.unitFlag;
    full.isChannelSplit = p.channelSplit;
    if (p.nz2ndEn) {
        full.ndNum = static_cast<std::uint16_t>(registers.nd_count);
        full.srcNdStride = static_cast<std::uint16_t>(registers.nd_source_stride);
        full.dstNdStride = static_cast<std::uint16_t>(registers.nd_target_stride);
    }
    return full;
}

template <class T, class U>
AscendC::FixpipeParamsV220 fixpipe_of(const AscendC::FixpipeParams<U>& p) {
    AscendC::FixpipeParamsV220 full;
    const bool row_major = p.nz2ndParams.nz2ndEn;
    full.mSize = static_cast<std::uint16_t>(p.burstLen * block_bytes / (result_lanes * sizeof(U)));
    full.nSize = row_major && p.nz2ndParams.originalNSize ? p.nz2ndParams.originalNSize : static_cast<std::uint16_t>(p.cburstNum * result_lanes);
    full.srcStride = static_cast<std::uint16_t>((full.mSize + fractal_rows - 1) / fractal_rows * fractal_rows + p.srcStride * fractal_rows);
    full.dstStride = row_major ? p.dstStride : full.mSize * static_cast<std::uint32_t>(result_lanes * sizeof(T)) / block_bytes + p.dstStride;
    full.reluEn = p.reluEn;
    full.quantPre = p.quantParams.quantPre;
    full.deqScalar = p.quantParams.deqScalar;
    full.ndNum = p.nz2ndParams.ndNum;
    full.srcNdStride = p.nz2ndParams.srcNdStride;
    full.dstNdStride = p.nz2ndParams.dstNdStride;
    full.unitFlag = p.unitFlag;
    return full;
}

}  // namespace ascendc

namespace AscendC {

template <class T, class U>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParams<U>& p,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Place place;
    ascendc::fix<T, U>("Fixpipe", ascendc::GlobalTarget{dst.address()}, src, ascendc::fixpipe_of<T>(p), p.nz2ndParams.nz2ndEn,
                       ascendc::quantisation_place(place), where);
}
template <class T, class U>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParams<U>& p,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Place place;
    ascendc::fix<T, U>("Fixpipe", ascendc::LocalTarget{dst.place()}, src, ascendc::fixpipe_of<T>(p), p.nz2ndParams.nz2ndEn,
                       ascendc::quantisation_place(place), where);
}
template <class T, class U>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<std::uint64_t>& parameters, const FixpipeParams<U>& p,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::fix<T, U>("Fixpipe", ascendc::GlobalTarget{dst.address()}, src, ascendc::fixpipe_of<T>(p), p.nz2ndParams.nz2ndEn,
                       &parameters.place(), where);
}
template <class T, class U>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<std::uint64_t>& parameters, const FixpipeParams<U>& p,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::fix<T, U>("Fixpipe", ascendc::LocalTarget{dst.place()}, src, ascendc::fixpipe_of<T>(p), p.nz2ndParams.nz2ndEn,
                       &parameters.place(), where);
}

template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& p,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Place place;
    ascendc::fix<T, U>("Fixpipe", ascendc::GlobalTarget{dst.address()}, src, p, config.format == CO2Layout::ROW_MAJOR,
                       ascendc::quantisation_place(place), where);
}
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& p,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Place place;
    ascendc::fix<T, U>("Fixpipe", ascendc::LocalTarget{dst.place()}, src, p, config.format == CO2Layout::ROW_MAJOR,
                       ascendc::quantisation_place(place), where);
}
// The parameters of columns lie in L1.
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<std::uint64_t>& parameters, const FixpipeParamsV220& p,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::fix<T, U>("Fixpipe", ascendc::GlobalTarget{dst.address()}, src, p, config.format == CO2Layout::ROW_MAJOR, &parameters.place(),
                       where);
}
template <class T, class U, const FixpipeConfig& config = CFG_ROW_MAJOR>
void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const LocalTensor<std::uint64_t>& parameters, const FixpipeParamsV220& p,
             ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::fix<T, U>("Fixpipe", ascendc::LocalTarget{dst.place()}, src, p, config.format == CO2Layout::ROW_MAJOR, &parameters.place(), where);
}

// The older form; what quantises and how many matrices there are, the Set functions below say.
template <class T, class U>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Place place;
    ascendc::fix<T, U>("DataCopy", ascendc::GlobalTarget{dst.address()}, src, ascendc::fixpipe_of(p), p.nz2ndEn,
                       ascendc::quantisation_place(place), where);
}
template <class T, class U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    ascendc::Place place;
    ascendc::fix<T, U>("DataCopy", ascendc::LocalTarget{dst.place()}, src, ascendc::fixpipe_of(p), p.nz2ndEn,
                       ascendc::quantisation_place(place), where);
}

// Where in FB the parameters of columns lie, from now on.
template <class T, bool setRelu = false>
void SetFixPipeConfig(const LocalTensor<T>& parameters, bool = false, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    static_assert(!setRelu, "this device has no relu by columns");
    ascendc::Core& core = ascendc::current();
    if (parameters.place().memory != Hardware::FIXBUF)
        core.fail(ascendc::Rule::address, where,
                  ascendc::join("SetFixPipeConfig takes parameters in ", ascendc::name_of(parameters.place().memory), "; they must be in FB"));
    core.registers.quantisation_vector = parameters.place().address;
    core.registers.quantisation_vector_set = true;
}
inline void SetFixpipeNz2ndFlag(std::uint16_t ndNum, std::uint16_t srcNdStride, std::uint16_t dstNdStride) {
    ascendc::Registers& registers = ascendc::current().registers;
    registers.nd_count = ndNum;
    registers.nd_source_stride = srcNdStride;
    registers.nd_target_stride = dstNdStride;
}
inline void SetFixpipePreQuantFlag(std::uint64_t config) { ascendc::current().registers.quantisation = config; }

}  // namespace AscendC
