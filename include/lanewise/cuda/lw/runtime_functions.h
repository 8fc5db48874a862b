/* runtime_functions.h - the functions of CUDA 12's runtime. C and C++.
 *
 * CUDA's manual of the runtime API describes each. In C++ the arguments that CUDA lets a program
 * leave out have their defaults.
 */
#ifndef LANEWISE_CUDA_RUNTIME_FUNCTIONS_H
#define LANEWISE_CUDA_RUNTIME_FUNCTIONS_H
#define __CUDA_RUNTIME_API_H__

#include "runtime_types.h"

#ifdef __cplusplus
#define LW_DEFAULT(value) = value
extern "C" {
#else
#define LW_DEFAULT(value)
#endif
#define LW_CUDA_API cudaError_t CUDARTAPI

/* ---- Errors, versions ---------------------------------------------------------------------- */

LW_CUDA_API cudaGetLastError(void);
LW_CUDA_API cudaPeekAtLastError(void);
const char *CUDARTAPI cudaGetErrorName(cudaError_t error);
const char *CUDARTAPI cudaGetErrorString(cudaError_t error);
LW_CUDA_API cudaDriverGetVersion(int *version);
LW_CUDA_API cudaRuntimeGetVersion(int *version);
LW_CUDA_API cudaProfilerStart(void);
LW_CUDA_API cudaProfilerStop(void);

/* ---- Devices ------------------------------------------------------------------------------- */

LW_CUDA_API cudaGetDeviceCount(int *count);
LW_CUDA_API cudaGetDevice(int *device);
LW_CUDA_API cudaSetDevice(int device);
LW_CUDA_API cudaSetValidDevices(int *devices, int count);
LW_CUDA_API cudaInitDevice(int device, unsigned deviceFlags, unsigned flags);
LW_CUDA_API cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
LW_CUDA_API cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
LW_CUDA_API cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
LW_CUDA_API cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source,
                                      int destination);
LW_CUDA_API cudaDeviceGetPCIBusId(char *text, int length, int device);
LW_CUDA_API cudaDeviceGetByPCIBusId(int *device, const char *text);
LW_CUDA_API cudaGetDeviceFlags(unsigned *flags);
LW_CUDA_API cudaSetDeviceFlags(unsigned flags);
LW_CUDA_API cudaDeviceSynchronize(void);
LW_CUDA_API cudaDeviceReset(void);
LW_CUDA_API cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
LW_CUDA_API cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
LW_CUDA_API cudaDeviceSetCacheConfig(enum cudaFuncCache config);
LW_CUDA_API cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
LW_CUDA_API cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
LW_CUDA_API cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
LW_CUDA_API cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
LW_CUDA_API cudaDeviceCanAccessPeer(int *can, int device, int peer);
LW_CUDA_API cudaDeviceEnablePeerAccess(int peer, unsigned flags);
LW_CUDA_API cudaDeviceDisablePeerAccess(int peer);
LW_CUDA_API cudaCtxResetPersistingL2Cache(void);
LW_CUDA_API cudaThreadSynchronize(void);
LW_CUDA_API cudaThreadExit(void);
LW_CUDA_API cudaThreadSetCacheConfig(enum cudaFuncCache config);

/* ---- Memory -------------------------------------------------------------------------------- */

LW_CUDA_API cudaMalloc(void **p, size_t bytes);
LW_CUDA_API cudaFree(void *p);
LW_CUDA_API cudaMallocHost(void **p, size_t bytes);
LW_CUDA_API cudaFreeHost(void *p);
LW_CUDA_API cudaHostAlloc(void **p, size_t bytes, unsigned flags);
LW_CUDA_API cudaHostRegister(void *p, size_t bytes, unsigned flags);
LW_CUDA_API cudaHostUnregister(void *p);
LW_CUDA_API cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
LW_CUDA_API cudaHostGetFlags(unsigned *flags, void *p);
LW_CUDA_API cudaMallocManaged(void **p, size_t bytes,
                              unsigned flags LW_DEFAULT(cudaMemAttachGlobal));
LW_CUDA_API cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
LW_CUDA_API cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent);
LW_CUDA_API cudaMemGetInfo(size_t *unused, size_t *total);
LW_CUDA_API cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *p);

LW_CUDA_API cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
LW_CUDA_API cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes);
LW_CUDA_API cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                                size_t bytes, cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind);
LW_CUDA_API cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters);
LW_CUDA_API cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters,
                              cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parameters);
LW_CUDA_API cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parameters,
                                  cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                               size_t offset LW_DEFAULT(0),
                               enum cudaMemcpyKind kind LW_DEFAULT(cudaMemcpyHostToDevice));
LW_CUDA_API cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset LW_DEFAULT(0),
                                 enum cudaMemcpyKind kind LW_DEFAULT(cudaMemcpyDeviceToHost));
LW_CUDA_API cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                    size_t offset, enum cudaMemcpyKind kind,
                                    cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaGetSymbolAddress(void **p, const void *symbol);
LW_CUDA_API cudaGetSymbolSize(size_t *bytes, const void *symbol);
LW_CUDA_API cudaMemset(void *p, int byte, size_t bytes);
LW_CUDA_API cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemset2D(void *p, size_t pitch, int byte, size_t width, size_t height);
LW_CUDA_API cudaMemset2DAsync(void *p, size_t pitch, int byte, size_t width, size_t height,
                              cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemset3D(struct cudaPitchedPtr p, int byte, struct cudaExtent extent);
LW_CUDA_API cudaMemset3DAsync(struct cudaPitchedPtr p, int byte, struct cudaExtent extent,
                              cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemPrefetchAsync(const void *p, size_t bytes, int device,
                                 cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device);
LW_CUDA_API cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *p, size_t bytes);

LW_CUDA_API cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream);
LW_CUDA_API cudaFreeAsync(void *p, cudaStream_t stream);
LW_CUDA_API cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
LW_CUDA_API cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
LW_CUDA_API cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
LW_CUDA_API cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
LW_CUDA_API cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
LW_CUDA_API cudaMemPoolDestroy(cudaMemPool_t pool);
LW_CUDA_API cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
LW_CUDA_API cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
LW_CUDA_API cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
LW_CUDA_API cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t count);
LW_CUDA_API cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location);

/* ---- Arrays, textures, surfaces ------------------------------------------------------------ */

LW_CUDA_API cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height LW_DEFAULT(0),
                            unsigned flags LW_DEFAULT(0));
LW_CUDA_API cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags LW_DEFAULT(0));
LW_CUDA_API cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                     const struct cudaChannelFormatDesc *format,
                                     struct cudaExtent extent, unsigned levels,
                                     unsigned flags LW_DEFAULT(0));
LW_CUDA_API cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmap,
                                       unsigned level);
LW_CUDA_API cudaFreeArray(cudaArray_t array);
LW_CUDA_API cudaFreeMipmappedArray(cudaMipmappedArray_t array);
LW_CUDA_API cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array);
LW_CUDA_API cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind);
LW_CUDA_API cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind);
LW_CUDA_API cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind);
LW_CUDA_API cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
LW_CUDA_API cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from,
                                     size_t fromX, size_t fromY, size_t width, size_t height,
                                     enum cudaMemcpyKind kind LW_DEFAULT(cudaMemcpyDeviceToDevice));
LW_CUDA_API cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array);
struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                             enum cudaChannelFormatKind kind);
LW_CUDA_API cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *what,
                                    const struct cudaTextureDesc *how,
                                    const struct cudaResourceViewDesc *view);
LW_CUDA_API cudaDestroyTextureObject(cudaTextureObject_t texture);
LW_CUDA_API cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *what,
                                             cudaTextureObject_t texture);
LW_CUDA_API cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *how,
                                            cudaTextureObject_t texture);
LW_CUDA_API cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *what);
LW_CUDA_API cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

/* ---- Streams and events -------------------------------------------------------------------- */

LW_CUDA_API cudaStreamCreate(cudaStream_t *stream);
LW_CUDA_API cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
LW_CUDA_API cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
LW_CUDA_API cudaStreamGetPriority(cudaStream_t stream, int *priority);
LW_CUDA_API cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
LW_CUDA_API cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
LW_CUDA_API cudaStreamDestroy(cudaStream_t stream);
LW_CUDA_API cudaStreamSynchronize(cudaStream_t stream);
LW_CUDA_API cudaStreamQuery(cudaStream_t stream);
LW_CUDA_API cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags LW_DEFAULT(0));
LW_CUDA_API cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags);
LW_CUDA_API cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes LW_DEFAULT(0),
                                     unsigned flags LW_DEFAULT(cudaMemAttachSingle));
LW_CUDA_API cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value);
LW_CUDA_API cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue *value);
LW_CUDA_API cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
LW_CUDA_API cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
LW_CUDA_API cudaEventCreate(cudaEvent_t *event);
LW_CUDA_API cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
LW_CUDA_API cudaEventRecord(cudaEvent_t event, cudaStream_t stream LW_DEFAULT(0));
LW_CUDA_API cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream LW_DEFAULT(0),
                                     unsigned flags LW_DEFAULT(0));
LW_CUDA_API cudaEventQuery(cudaEvent_t event);
LW_CUDA_API cudaEventSynchronize(cudaEvent_t event);
LW_CUDA_API cudaEventDestroy(cudaEvent_t event);
LW_CUDA_API cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);

/* ---- Kernels ------------------------------------------------------------------------------- */

LW_CUDA_API cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes, cudaStream_t stream);
LW_CUDA_API cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments);
LW_CUDA_API cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes, cudaStream_t stream);
LW_CUDA_API cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
LW_CUDA_API cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
LW_CUDA_API cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config);
LW_CUDA_API cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig config);
LW_CUDA_API cudaFuncGetName(const char **name, const void *kernel);
LW_CUDA_API cudaGetFuncBySymbol(cudaFunction_t *function, const void *kernel);
LW_CUDA_API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int blockSize, size_t sharedBytes);
LW_CUDA_API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                   int blockSize,
                                                                   size_t sharedBytes,
                                                                   unsigned flags);
LW_CUDA_API cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks,
                                                      int blockSize);

/* What clang's code for `kernel<<<grid, block>>>(...)` calls on either side. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes LW_DEFAULT(0),
                                     void *stream LW_DEFAULT(0));
LW_CUDA_API __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedBytes, void *stream);
LW_CUDA_API cudaConfigureCall(dim3 grid, dim3 block, size_t sharedBytes LW_DEFAULT(0),
                              cudaStream_t stream LW_DEFAULT(0));

#ifdef __cplusplus
}
#endif

#include "runtime_graphs.h"

#endif
