/* keywords.h - CUDA's words for functions, variables and types.
 *
 * clang's CUDA mode sees attributes, in both of its passes; a host compiler sees nothing. The
 * device pass marks kernels and shared memory for Lanewise's front end. A kernel has the convention
 * ms_abi there: it gives one IR parameter for each C++ parameter.
 */
#ifndef LANEWISE_CUDA_KEYWORDS_H
#define LANEWISE_CUDA_KEYWORDS_H

#define CUDART_VERSION 12040
#define CUDA_VERSION 12040
#define __CUDART_API_VERSION CUDART_VERSION

#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#if defined(__CUDA__) && defined(__clang__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 131
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDA_ARCH_LIST__ 800

#ifdef __CUDA_ARCH__
#ifdef LW_KERNEL_CONVENTION /* the clang in Lanewise sets it by itself */
#define __global__ __attribute__((global, annotate("lw.kernel")))
#else
#define __global__ __attribute__((global, annotate("lw.kernel"), ms_abi))
#endif
#define __shared__ __attribute__((shared, annotate("lw.shared")))
#else
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device, annotate("lw.managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

/* For Lanewise's own headers: code of the device alone, and of both. */
#define LW_DEVICE static __device__ __inline__ __attribute__((always_inline, unused, nodebug))
#define LW_BOTH                                                                                    \
    static __host__ __device__ __inline__ __attribute__((always_inline, unused, nodebug))
#define LW_MEMBER __device__ __inline__ __attribute__((always_inline, nodebug))
#define LW_BOTH_MEMBER __host__ __device__ __inline__ __attribute__((always_inline, nodebug))
#else
#define __host__
#define __device__
#define __constant__
#define __managed__
#define __shared__
#define __global__
#define __launch_bounds__(...)
#define __noinline__ __attribute__((noinline))
#define LW_BOTH static __inline__ __attribute__((unused))
#define LW_BOTH_MEMBER inline
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __thread__ __thread
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __grid_constant__
#define __cluster_dims__(...)
#define __nv_pure__ __attribute__((pure))
#define __maxnreg__(...)
#define __import__
#define __export__
#ifndef __location__
#define __location__(a) __attribute__((a))
#define __specialization_static static
#endif
#define nv_weak weak

#endif
