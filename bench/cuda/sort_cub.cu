// sort_cub.cu - CUB's radix sort, to compare with `lanewise bench op sort -d cuda`.
//
//     nvcc -O3 -o /tmp/sort_cub bench/cuda/sort_cub.cu && /tmp/sort_cub
//
// 2^24 keys from one buffer to another; the median of 21 runs between events, in milliseconds.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <vector>

enum { COUNT = 1 << 24, RUNS = 21 };

template <typename T> static T key(uint32_t bits)
{
    return static_cast<T>(bits);
}
template <> float key<float>(uint32_t bits)
{
    return static_cast<float>(bits >> 8) * 0x1p-24f;
}

template <typename T> static void measure(const char *name)
{
    std::vector<T> host(COUNT);
    uint64_t state = 1;
    for (T &k : host) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        k = key<T>(static_cast<uint32_t>(state >> 32));
    }
    T *in, *out;
    void *scratch = nullptr;
    size_t bytes = 0;
    cudaMalloc(&in, COUNT * sizeof(T));
    cudaMalloc(&out, COUNT * sizeof(T));
    cudaMemcpy(in, host.data(), COUNT * sizeof(T), cudaMemcpyHostToDevice);
    cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, COUNT);
    cudaMalloc(&scratch, bytes);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times(RUNS);
    for (float &ms : times) {
        cudaEventRecord(begin);
        cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, COUNT);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
    }
    cudaMemcpy(host.data(), out, COUNT * sizeof(T), cudaMemcpyDeviceToHost);
    std::sort(times.begin(), times.end());
    std::printf("%s: %.3f ms, %s, %s\n", name, times[RUNS / 2],
                std::is_sorted(host.begin(), host.end()) ? "sorted" : "WRONG",
                cudaGetErrorString(cudaGetLastError()));
    cudaFree(in);
    cudaFree(out);
    cudaFree(scratch);
}

int main()
{
    measure<uint32_t>("u32");
    measure<float>("f32");
}
