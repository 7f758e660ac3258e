// y = x / sqrt(mean(x * x) + eps) * gamma over the last axis, for a GPU. One block takes a row; its threads stride over it.
extern "C" __global__ void layer_scale(const float* x, const float* gamma, float* y, long long n, float eps) {
    __shared__ float sums[32];
    const float* from = x + blockIdx.x * n;
    float sum = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += from[i] * from[i];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
        for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
        if (threadIdx.x == 0) sums[0] = rsqrtf(sum / n + eps);
    }
    __syncthreads();
    for (long long i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = from[i] * sums[0] * gamma[i];
}
