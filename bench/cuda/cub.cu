/* cub.cu - NVIDIA's CUB behind functions of C, for operations.py, which has nvcc build it.
 *
 * As in CUB a call with `temporary` NULL gives how many bytes it needs. Each returns a cudaError_t.
 */
#include <cub/cub.cuh>
#include <cstddef>

extern "C" {

int cub_sort_u32(void *temporary, size_t *bytes, const unsigned *in, unsigned *out, int count,
                 cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortKeys(temporary, *bytes, in, out, count, 0, 32, stream);
}

int cub_sort_f32(void *temporary, size_t *bytes, const float *in, float *out, int count,
                 cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortKeys(temporary, *bytes, in, out, count, 0, 32, stream);
}

int cub_argsort_f32(void *temporary, size_t *bytes, const float *in, float *keys,
                    const long long *indices, long long *out, int count, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortPairs(temporary, *bytes, in, keys, indices, out, count, 0, 32,
                                           stream);
}

int cub_compact_f32(void *temporary, size_t *bytes, const float *in, const unsigned char *mask,
                    float *out, long long *selected, int count, cudaStream_t stream)
{
    return cub::DeviceSelect::Flagged(temporary, *bytes, in, mask, out, selected, count, stream);
}

int cub_histogram_f32(void *temporary, size_t *bytes, const float *in, int *counts, int bins,
                      float low, float high, int count, cudaStream_t stream)
{
    return cub::DeviceHistogram::HistogramEven(temporary, *bytes, in, counts, bins + 1, low, high,
                                               count, stream);
}
}
