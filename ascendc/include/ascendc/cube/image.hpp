// LoadData with LoadData3DParamsV2: an image in L1, as the matrix whose rows are the windows of a filter.
#pragma once

#include "ascendc/cube/load_data.hpp"

namespace ascendc {

// An image of height x width pixels, 32 bytes of channels after 32 bytes, as windows of a filter see it.
struct Windows {
    std::uint32_t height, width;
    std::array<std::uint8_t, 4> padding;  // left, right, top, bottom
    std::uint32_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;

    std::int64_t out(std::uint32_t extent, std::uint32_t before, std::uint32_t behind, std::uint32_t filter, std::uint32_t dilation,
                     std::uint32_t stride) const {
        const std::int64_t room = std::int64_t{extent} + before + behind - std::int64_t{dilation} * (filter - 1) - 1;
        return room < 0 ? 0 : room / stride + 1;
    }
    std::int64_t out_width() const { return out(width, padding[0], padding[1], filter_w, dilation_w, stride_w); }
    std::int64_t out_height() const { return out(height, padding[2], padding[3], filter_h, dilation_h, stride_h); }

    // The pixel of a window's row `m` and filter column `k`, counted in pixels of the image from the first channels on.
    // -1: beyond the image, where the padding is; -2: there is no such window.
    std::int64_t pixel(std::uint32_t m, std::uint32_t k) const {
        const auto wide = static_cast<std::uint32_t>(out_width());
        if (!wide || m >= wide * out_height()) return -2;
        const std::uint32_t filter = filter_w * filter_h, channel = k / filter, inside = k % filter;
        const std::int64_t y = std::int64_t{m / wide} * stride_h + inside / filter_w * dilation_h - padding[2];
        const std::int64_t x = std::int64_t{m % wide} * stride_w + inside % filter_w * dilation_w - padding[0];
        if (y < 0 || y >= height || x < 0 || x >= width) return -1;
        return (std::int64_t{channel} * height + y) * width + x;
    }
};

struct Extent {
    std::uint32_t m_start, m, k_start, k;
};

// L0A: rows are windows (with `turned`, columns); L0B: windows are the rows of k.
template <class T>
void load_windows(Instruction& at, const Place& to, const Place& from, const Windows& windows, const Extent& extent, std::uint32_t channels,
                  bool turned) {
    using H = AscendC::Hardware;
    check_memory(at, from, "src", {H::L1});
    check_memory(at, to, "dst", {H::L0A, H::L0B});
    if (!windows.filter_w || !windows.filter_h || !windows.stride_w || !windows.stride_h || !windows.dilation_w || !windows.dilation_h)
        at.fail(Rule::count, "is given a filter, stride or dilation of 0");
    if (!windows.height || !windows.width) at.fail(Rule::count, "is given an image without pixels");
    constexpr std::uint32_t lanes = block_elements<T>;
    if (extent.k_start % lanes) at.fail(Rule::count, "is given kStartPt ", extent.k_start, "; it must be a multiple of ", lanes);
    const std::uint32_t groups = (channels + lanes - 1) / lanes, filter = windows.filter_w * windows.filter_h;
    const std::uint64_t image = std::uint64_t{groups} * windows.height * windows.width * block_bytes;
    LocalMemory& source = local_side(at, from, "src", 1, image, 0);
    at.uses(source, from.address, static_cast<std::uint32_t>(image), false);

    // The matrix as it lies in L0: `lines` of 32 bytes of `depth`, lines beside each other.
    const bool left = to.memory == H::L0A, windows_are_lines = left && !turned;
    const std::uint32_t lines = windows_are_lines ? extent.m : extent.k, depth = windows_are_lines ? extent.k : extent.m;
    const std::uint32_t line_fractals = (lines + 15) / 16, depth_fractals = (depth + lanes - 1) / lanes;
    const std::uint32_t line_step = left ? depth_fractals * fractal_bytes : fractal_bytes;
    const std::uint32_t depth_step = left ? fractal_bytes : line_fractals * fractal_bytes;
    const std::uint32_t bytes = line_fractals * depth_fractals * fractal_bytes;
    if (!bytes) return;
    LocalMemory& target = local_side(at, to, "dst", 1, bytes, 0, fractal_bytes);
    at.uses(target, to.address, bytes, true);
    target.set_unwritten(to.address, bytes);

    constexpr std::uint32_t element = std::max(1u, size_in_bits<T> / 8);
    const std::uint64_t padding = at.core.registers.load_padding;
    // One element, or the row of channels of one pixel.
    const auto place = [&](std::uint32_t line, std::uint32_t d, std::uint32_t m, std::uint32_t k, std::uint32_t count) {
        const std::uint32_t address = to.address + line / 16 * line_step + d / lanes * depth_step + line % 16 * block_bytes + d % lanes * element;
        if ((extent.k_start + k) / lanes >= groups * filter) return;
        const std::int64_t pixel = windows.pixel(extent.m_start + m, (extent.k_start + k) / lanes);
        if (pixel == -2) return;
        target.set_written(address, count * element);
        if (pixel == -1) {
            for (std::uint32_t i = 0; i < count; ++i) std::memcpy(target.at(address + i * element), &padding, element);
            return;
        }
        const auto begin = static_cast<std::uint32_t>(from.address + pixel * block_bytes + k % lanes * element);
        std::memcpy(target.at(address), source.at(begin), count * element);
        target.pass_unwritten(source, begin, address, count * element, element);
    };
    for (std::uint32_t m = 0; m < extent.m; ++m)
        for (std::uint32_t k = 0; k < extent.k; k += windows_are_lines ? lanes : 1) {
            if (windows_are_lines) place(m, k, m, k, lanes);
            else place(k, m, m, k, 1);
        }
    at.takes(bytes / load_rate(to.memory));
}

inline void set_matrix(bool right, std::uint16_t height, std::uint16_t width, const std::uint8_t padding[4]) {
    Registers& registers = current().registers;
    registers.matrix_height[right] = height;
    registers.matrix_width[right] = width;
    registers.matrix_padding[right] = {padding[0], padding[1], padding[2], padding[3]};
}

template <class T>
std::uint64_t padding_bits(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

}  // namespace ascendc

namespace AscendC {

inline void SetFmatrix(std::uint16_t l1H, std::uint16_t l1W, const std::uint8_t padList[4], const FmatrixMode& mode) {
    ascendc::set_matrix(mode == FmatrixMode::FMATRIX_RIGHT, l1H, l1W, padList);
}
inline void Load3DSetFMatrixCal(std::uint16_t l1H, std::uint16_t l1W, const std::uint8_t padList[4]) { ascendc::set_matrix(false, l1H, l1W, padList); }
template <class T>
void SetLoadDataPaddingValue(const T value) { ascendc::current().registers.load_padding = ascendc::padding_bits(value); }
// How often a load of windows is repeated.
inline void SetLoadDataRepeat(const LoadDataRepeatParam& p, ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    if (p.repeatTime > 1)
        ascendc::current().fail(ascendc::Rule::unsupported, where, ascendc::join("SetLoadDataRepeat asks for ", int{p.repeatTime},
                                "; loads of windows that repeat are not modelled, so issue one LoadData each"));
}
// The end of L1 after which the device reads from its beginning on; 0: none.
inline void SetLoadDataBoundary(std::uint32_t) {}

template <class T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG, class U = T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<U>& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    static_assert(!is_int4<T>, "LoadData of windows takes elements of whole bytes");
    if constexpr (config.isSetFMatrix) set_matrix(p.fMatrixCtrl, p.l1H, p.l1W, p.padList);
    if constexpr (config.isSetPadding) SetLoadDataPaddingValue(p.padValue);
    if (held(Pipe::MTE1)) return postpone(Pipe::MTE1, [=] { LoadData<T, config, U>(dst, src, p, where); });
    Instruction at("LoadData", Pipe::MTE1, where);
    if (p.enTranspose && sizeof(T) != 2) at.fail(Rule::type, "transposes elements of 16 bits alone");
    const Registers& registers = at.core.registers;
    const unsigned side = p.fMatrixCtrl;
    load_windows<T>(at, dst.place(), src.place(),
                    {registers.matrix_height[side], registers.matrix_width[side], registers.matrix_padding[side], p.strideW, p.strideH,
                     p.filterW + 256u * p.filterSizeW, p.filterH + 256u * p.filterSizeH, p.dilationFilterW, p.dilationFilterH},
                    {p.mStartPt, p.mExtension, p.kStartPt, p.kExtension}, p.channelSize, p.enTranspose);
}

// The image is the registers', the extensions and the filter come packed.
template <class T>
void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2Pro& p,
              ascendc::Where where = {__builtin_FILE(), __builtin_LINE()}) {
    using namespace ascendc;
    static_assert(!is_int4<T>, "LoadData of windows takes elements of whole bytes");
    if (held(Pipe::MTE1)) return postpone(Pipe::MTE1, [=] { LoadData<T>(dst, src, p, where); });
    Instruction at("LoadData", Pipe::MTE1, where);
    if (p.enTranspose && sizeof(T) != 2) at.fail(Rule::type, "transposes elements of 16 bits alone");
    const Registers& registers = at.core.registers;
    const unsigned side = p.fMatrixCtrl;
    const auto extent = [&](unsigned shift) { return static_cast<std::uint32_t>(p.extConfig >> shift & 0xffffu); };
    const auto filter = [&](unsigned shift) { return static_cast<std::uint32_t>(p.filterConfig >> shift & 0xffu); };
    load_windows<T>(at, dst.place(), src.place(),
                    {registers.matrix_height[side], registers.matrix_width[side], registers.matrix_padding[side], filter(0), filter(8),
                     filter(16) + 256u * p.filterSizeW, filter(24) + 256u * p.filterSizeH, filter(32), filter(40)},
                    {extent(48), extent(16), extent(32), extent(0)}, p.channelSize, p.enTranspose);
}

}  // namespace AscendC
