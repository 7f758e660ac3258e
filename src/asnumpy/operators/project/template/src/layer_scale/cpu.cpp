// y = x / sqrt(mean(x * x) + eps) * gamma over the last axis, for the CPU. The function is called once for each block, on several
// threads; each block takes its part of the rows.
#include <cmath>
#include <cstdint>

extern "C" void layer_scale(int64_t block, int64_t blocks, const float* x, const float* gamma, float* y, int64_t rows, int64_t n,
                            float eps) {
    for (int64_t row = rows * block / blocks; row < rows * (block + 1) / blocks; ++row) {
        const float* from = x + row * n;
        float sums[16] = {};  // several at a time, in one vector
        int64_t at = 0;
        for (; at + 16 <= n; at += 16)
            for (int64_t lane = 0; lane < 16; ++lane) sums[lane] += from[at + lane] * from[at + lane];
        float sum = 0;
        for (; at < n; ++at) sum += from[at] * from[at];
        for (float part : sums) sum += part;
        const float factor = 1 / std::sqrt(sum / static_cast<float>(n) + eps);
        for (int64_t i = 0; i < n; ++i) y[row * n + i] = from[i] * factor * gamma[i];
    }
}
