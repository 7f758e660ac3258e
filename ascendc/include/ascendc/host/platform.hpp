// What a host asks about the chip before it divides the work: cores and memories.
#pragma once

#include <cstdint>

extern "C" __attribute__((weak)) int aclrtGetDeviceInfo(std::uint32_t device, int attribute, std::int64_t* value);

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6 };
enum class SocVersion { ASCEND910 = 0, ASCEND910B, ASCEND310P, ASCEND310B, RESERVED_VERSION = 99999 };

class PlatformAscendC {
public:
    // What an operator's host hands in says nothing here: there is one chip.
    explicit PlatformAscendC(const void* = nullptr) {}

    std::uint32_t GetCoreNumAic() const { return cores(cube_attribute, 24); }
    std::uint32_t GetCoreNumAiv() const { return cores(vector_attribute, 48); }
    std::uint32_t GetCoreNum() const { return GetCoreNumAic(); }
    // Blocks of a kernel that takes both kinds of cores, `vectors` and `cubes` of them at work.
    std::uint32_t CalcTschBlockDim(std::uint32_t slices, std::uint32_t cubes, std::uint32_t vectors) const {
        if (!cubes || !vectors || cubes >= vectors) return slices;
        const std::uint32_t of_a_cube = vectors / cubes;
        return (slices + of_a_cube - 1) / of_a_cube;
    }
    void GetCoreMemSize(const CoreMemType& memory, std::uint64_t& bytes) const {
        switch (memory) {
            case CoreMemType::L0_A: case CoreMemType::L0_B: bytes = 65536; break;
            case CoreMemType::L0_C: bytes = 131072; break;
            case CoreMemType::L1: bytes = 524288; break;
            case CoreMemType::L2: bytes = std::uint64_t{192} << 20; break;
            case CoreMemType::UB: bytes = 196608; break;
            default: bytes = std::uint64_t{64} << 30;
        }
    }
    std::uint32_t GetLibApiWorkSpaceSize() const { return 16u << 20; }
    std::uint32_t GetResCubeGroupWorkSpaceSize() const { return 16u << 20; }
    SocVersion GetSocVersion() const { return SocVersion::ASCEND910B; }

private:
    static constexpr int cube_attribute = 102, vector_attribute = 201;

    // Of the device that the process has, where it has a runtime; of a usual chip otherwise.
    static std::uint32_t cores(int attribute, std::uint32_t usual) {
        std::int64_t number = 0;
        return aclrtGetDeviceInfo && aclrtGetDeviceInfo(0, attribute, &number) == 0 && number > 0 ? static_cast<std::uint32_t>(number) : usual;
    }
};

class PlatformAscendCManager {
public:
    static PlatformAscendC* GetInstance() {
        static PlatformAscendC chip;
        return &chip;
    }
    static PlatformAscendC* GetInstance(const char*) { return GetInstance(); }
};

}  // namespace platform_ascendc
