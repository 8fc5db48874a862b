/* runtime_cpp.h - the C++ side of CUDA's runtime: typed pointers, symbols and kernels by name. */
#ifndef LANEWISE_CUDA_RUNTIME_CPP_H
#define LANEWISE_CUDA_RUNTIME_CPP_H
#define __CUDA_RUNTIME_H__

#include "runtime_functions.h"

#define LW_HOST static __host__ inline

/* ---- Values of C structs ------------------------------------------------------------------- */

LW_HOST cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t xsize, size_t ysize)
{
    cudaPitchedPtr value = {p, pitch, xsize, ysize};
    return value;
}
LW_HOST cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    cudaPos value = {x, y, z};
    return value;
}
LW_HOST cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    cudaExtent value = {width, height, depth};
    return value;
}

/* ---- Typed pointers ------------------------------------------------------------------------ */

template <class T> LW_HOST cudaError_t cudaMalloc(T **p, size_t bytes)
{
    return ::cudaMalloc((void **)(void *)p, bytes);
}
template <class T> LW_HOST cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T> LW_HOST cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned flags)
{
    return ::cudaHostAlloc((void **)(void *)p, bytes, flags);
}
template <class T> LW_HOST cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)p, host, flags);
}
template <class T>
LW_HOST cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)p, bytes, flags);
}
template <class T>
LW_HOST cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T> LW_HOST cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)p, bytes, stream);
}
template <class T>
LW_HOST cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream);
}
template <class T>
LW_HOST cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool,
                                            cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream);
}
template <class T>
LW_HOST cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t bytes = 0,
                                             unsigned flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)p, bytes, flags);
}

/* ---- Variables of the device --------------------------------------------------------------- */

template <class T>
LW_HOST cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                       size_t offset = 0,
                                       cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
LW_HOST cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                         size_t offset = 0,
                                         cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
LW_HOST cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                            size_t offset = 0,
                                            cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                            cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
LW_HOST cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                              size_t offset = 0,
                                              cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                              cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> LW_HOST cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
    return ::cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class P, class T> LW_HOST cudaError_t cudaGetSymbolAddress(P **p, const T &symbol)
{
    return ::cudaGetSymbolAddress((void **)(void *)p, (const void *)&symbol);
}
template <class T> LW_HOST cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}

/* ---- Kernels by their name ----------------------------------------------------------------- */

template <class F>
LW_HOST cudaError_t cudaLaunchKernel(F *kernel, dim3 grid, dim3 block, void **arguments,
                                     size_t sharedBytes = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)kernel, grid, block, arguments, sharedBytes, stream);
}
template <class F>
LW_HOST cudaError_t cudaLaunchCooperativeKernel(F *kernel, dim3 grid, dim3 block,
                                                void **arguments, size_t sharedBytes = 0,
                                                cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments,
                                         sharedBytes, stream);
}
/* The arguments convert to the kernel's parameters, as in a call. In the device pass a kernel has a
 * convention of its own, and no host code is made. */
#ifdef __CUDA_ARCH__
template <class F, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, F *kernel, Arguments &&...);
#else
template <class... Parameters, class... Arguments>
LW_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                       void (*kernel)(Parameters...), Arguments &&...arguments)
{
    return [&](Parameters... values) {
        void *list[] = {(void *)&values..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, list);
    }(static_cast<Arguments &&>(arguments)...);
}
#endif
template <class F>
LW_HOST cudaError_t cudaFuncSetAttribute(F *kernel, cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class F> LW_HOST cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, F *kernel)
{
    return ::cudaFuncGetAttributes(a, (const void *)kernel);
}
template <class F> LW_HOST cudaError_t cudaFuncSetCacheConfig(F *kernel, cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class F>
LW_HOST cudaError_t cudaFuncSetSharedMemConfig(F *kernel, cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <class F> LW_HOST cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, F *kernel)
{
    return ::cudaGetFuncBySymbol(function, (const void *)kernel);
}
template <class F>
LW_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F kernel,
                                                                  int blockSize,
                                                                  size_t sharedBytes)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel,
                                                           blockSize, sharedBytes);
}
template <class F>
LW_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, F kernel, int blockSize, size_t sharedBytes, unsigned flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)kernel, blockSize, sharedBytes, flags);
}

/* The block size that keeps most threads resident; of several the largest. */
template <class Bytes, class F>
LW_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *gridSize, int *blockSize,
                                                                   F kernel, Bytes sharedBytes,
                                                                   int limit = 0)
{
    int device = 0, processors = 0, most = 0;
    cudaFuncAttributes attributes;
    cudaError_t error = ::cudaGetDevice(&device);
    if (!error)
        error = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (!error)
        error = ::cudaFuncGetAttributes(&attributes, (const void *)kernel);
    if (error)
        return error;
    int largest = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < largest)
        largest = limit;
    *gridSize = *blockSize = 0;
    for (int size = largest; size > 0; size = size % 32 ? size - size % 32 : size - 32) {
        int blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel,
                                                                size, sharedBytes(size));
        if (error)
            return error;
        if (blocks * size > most)
            most = blocks * size, *blockSize = size, *gridSize = blocks * processors;
    }
    return cudaSuccess;
}
template <class F>
LW_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, F kernel,
                                                       size_t sharedBytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        gridSize, blockSize, kernel, [=](int) { return sharedBytes; }, limit);
}

LW_HOST cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}
/* CUDA 11's form of the call, which CUDA 12 still takes in C++. */
LW_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                         cudaGraphNode_t *, char *, size_t)
{
    return ::cudaGraphInstantiate(exec, graph, 0);
}

/* ---- Formats of arrays --------------------------------------------------------------------- */

template <class T> struct lw_channel {
    static cudaChannelFormatDesc format() { return {0, 0, 0, 0, cudaChannelFormatKindNone}; }
};
#define LW_CHANNEL(T, bits, count, kind)                                                           \
    template <> struct lw_channel<T> {                                                             \
        static cudaChannelFormatDesc format()                                                      \
        {                                                                                          \
            return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,        \
                    cudaChannelFormatKind##kind};                                                  \
        }                                                                                          \
    };
#define LW_CHANNELS(T, name, bits, kind)                                                           \
    LW_CHANNEL(T, bits, 1, kind)                                                                   \
    LW_CHANNEL(name##1, bits, 1, kind)                                                             \
    LW_CHANNEL(name##2, bits, 2, kind)                                                             \
    LW_CHANNEL(name##3, bits, 3, kind)                                                             \
    LW_CHANNEL(name##4, bits, 4, kind)
LW_CHANNEL(char, 8, 1, Signed)
LW_CHANNELS(signed char, char, 8, Signed)
LW_CHANNELS(unsigned char, uchar, 8, Unsigned)
LW_CHANNELS(short, short, 16, Signed)
LW_CHANNELS(unsigned short, ushort, 16, Unsigned)
LW_CHANNELS(int, int, 32, Signed)
LW_CHANNELS(unsigned, uint, 32, Unsigned)
LW_CHANNELS(float, float, 32, Float)
#undef LW_CHANNELS
#undef LW_CHANNEL
template <class T> LW_HOST cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return lw_channel<T>::format();
}

#endif
