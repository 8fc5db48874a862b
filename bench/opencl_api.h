/* opencl_api.h - the part of OpenCL 1.2 that the benchmark calls, so that it builds without
 * OpenCL's headers; the library is found at run time. Names, types and values are those of the
 * standard.
 */
#ifndef LW_BENCH_OPENCL_API_H
#define LW_BENCH_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct platform *cl_platform;
typedef struct device *cl_device;
typedef struct context *cl_context;
typedef struct queue *cl_queue;
typedef struct program *cl_program;
typedef struct kernel *cl_kernel;
typedef struct memory *cl_memory;

enum {
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_TYPE_CPU = 2,
    CL_MEM_READ_WRITE = 1,
    CL_MEM_USE_HOST_PTR = 8,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_MAP_READ = 1
};

/* X(result, name, parameters) */
#define OPENCL_CALLS(X)                                                                            \
    X(int32_t, GetPlatformIDs, (uint32_t, cl_platform *, uint32_t *))                              \
    X(int32_t, GetPlatformInfo, (cl_platform, uint32_t, size_t, void *, size_t *))                 \
    X(int32_t, GetDeviceIDs, (cl_platform, uint64_t, uint32_t, cl_device *, uint32_t *))           \
    X(cl_context, CreateContext,                                                                   \
      (const intptr_t *, uint32_t, const cl_device *, void *, void *, int32_t *))                  \
    X(cl_queue, CreateCommandQueue, (cl_context, cl_device, uint64_t, int32_t *))                  \
    X(cl_program, CreateProgramWithSource,                                                         \
      (cl_context, uint32_t, const char **, const size_t *, int32_t *))                            \
    X(int32_t, BuildProgram,                                                                       \
      (cl_program, uint32_t, const cl_device *, const char *, void *, void *))                     \
    X(int32_t, GetProgramBuildInfo, (cl_program, cl_device, uint32_t, size_t, void *, size_t *))   \
    X(cl_kernel, CreateKernel, (cl_program, const char *, int32_t *))                              \
    X(int32_t, SetKernelArg, (cl_kernel, uint32_t, size_t, const void *))                          \
    X(cl_memory, CreateBuffer, (cl_context, uint64_t, size_t, void *, int32_t *))                  \
    X(int32_t, EnqueueNDRangeKernel,                                                               \
      (cl_queue, cl_kernel, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,    \
       const void *, void *))                                                                      \
    X(void *, EnqueueMapBuffer,                                                                    \
      (cl_queue, cl_memory, uint32_t, uint64_t, size_t, size_t, uint32_t, const void *, void *,    \
       int32_t *))                                                                                 \
    X(int32_t, EnqueueUnmapMemObject,                                                              \
      (cl_queue, cl_memory, void *, uint32_t, const void *, void *))                               \
    X(int32_t, Finish, (cl_queue))                                                                 \
    X(int32_t, ReleaseMemObject, (cl_memory))                                                      \
    X(int32_t, ReleaseKernel, (cl_kernel))                                                         \
    X(int32_t, ReleaseProgram, (cl_program))                                                       \
    X(int32_t, ReleaseCommandQueue, (cl_queue))                                                    \
    X(int32_t, ReleaseContext, (cl_context))

struct opencl_api {
#define OPENCL_MEMBER(result, name, parameters) result(*name) parameters;
    OPENCL_CALLS(OPENCL_MEMBER)
#undef OPENCL_MEMBER
};

#endif
