/* driver.h - the NVIDIA driver, as far as the device `cuda` uses it.
 *
 * A build needs no toolkit and no header of NVIDIA's. The functions that we call are declared here,
 * by the names that the driver's library exports; the library is searched for them at run time.
 */
#ifndef LW_CUDA_DRIVER_H
#define LW_CUDA_DRIVER_H

#include "run/gpu/gpu.h"

struct cu_module;

/* CUresult, those that we tell apart. Values are the driver's, for ever. */
enum lw__cu_result {
    LW_CU_OK = 0,
    LW_CU_INVALID_VALUE = 1,
    LW_CU_OUT_OF_MEMORY = 2,
    LW_CU_NO_DEVICE = 100,
    LW_CU_ECC_UNCORRECTABLE = 214,
    LW_CU_INVALID_CONTEXT = 201,
    LW_CU_INVALID_PTX = 218,
    LW_CU_NVLINK_UNCORRECTABLE = 220,
    LW_CU_UNSUPPORTED_PTX_VERSION = 222,
    LW_CU_NOT_FOUND = 500,
    LW_CU_NOT_READY = 600,
    LW_CU_ILLEGAL_ADDRESS = 700,
    LW_CU_LAUNCH_OUT_OF_RESOURCES = 701,
    LW_CU_LAUNCH_TIMEOUT = 702,
    LW_CU_CONTEXT_IS_DESTROYED = 709,
    LW_CU_ASSERT = 710,
    LW_CU_HARDWARE_STACK_ERROR = 714, /* up to LAUNCH_FAILED: exceptions of a kernel */
    LW_CU_LAUNCH_FAILED = 719,
};

enum lw__cu_device_attribute {
    LW_CU_PROCESSORS = 16,
    LW_CU_CAPABILITY_MAJOR = 75,
    LW_CU_CAPABILITY_MINOR = 76,
    LW_CU_BLOCK_SHARED_BYTES = 97, /* that a kernel can ask for */
};

enum lw__cu_function_attribute {
    LW_CU_FUNCTION_THREADS = 0, /* of a block */
    LW_CU_FUNCTION_STATIC_BYTES = 1,
    LW_CU_FUNCTION_DYNAMIC_BYTES = 8, /* how many a launch may ask for */
};

/* Where kernels of the current context can access it; an error where they cannot. */
enum lw__cu_pointer_attribute { LW_CU_POINTER_DEVICE_ADDRESS = 3 };

enum lw__cu_jit_option { LW_CU_JIT_ERROR_LOG = 5, LW_CU_JIT_ERROR_LOG_BYTES = 6 };

/* CUlaunchConfig with its attributes, of which we know one: lw__gpu_start.follows. */
enum { LW_CU_LAUNCH_PROGRAMMATIC = 6 };

struct cu_launch_attribute {
    int id;
    char pad[4];
    union {
        int is_on;
        char room[64];
    } value;
};

struct cu_launch_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_bytes;
    struct gpu_stream *stream;
    struct cu_launch_attribute *attributes;
    unsigned attribute_count;
};

/* CUDA_KERNEL_NODE_PARAMS, the first version. */
struct cu_node_params {
    struct gpu_function *function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_bytes;
    void **parameters, **extra;
};

/* X(slot, symbol): the driver's functions that are slots of lw__gpu_driver as they are. Those of
 * graphs came with CUDA 11.4; older drivers lack them. */
#define LW_CUDA_CALLS_MAP(X)                                                                       \
    X(context_push, "cuCtxPushCurrent_v2")                                                         \
    X(context_pop, "cuCtxPopCurrent_v2")                                                           \
    X(context_reaches, "cuCtxEnablePeerAccess")                                                    \
    X(memory_info, "cuMemGetInfo_v2")                                                              \
    X(memory_create, "cuMemAlloc_v2")                                                              \
    X(memory_destroy, "cuMemFree_v2")                                                              \
    X(memory_fill, "cuMemsetD8Async")                                                              \
    X(memory_write, "cuMemcpyHtoDAsync_v2")                                                        \
    X(memory_read, "cuMemcpyDtoHAsync_v2")                                                         \
    X(memory_copy, "cuMemcpyPeerAsync")                                                            \
    X(host_create, "cuMemHostAlloc")                                                               \
    X(host_destroy, "cuMemFreeHost")                                                               \
    X(host_address, "cuMemHostGetDevicePointer_v2")                                                \
    X(function_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor")                              \
    X(stream_create, "cuStreamCreate")                                                             \
    X(stream_destroy, "cuStreamDestroy_v2")                                                        \
    X(stream_context, "cuStreamGetCtx")                                                            \
    X(stream_is_capturing, "cuStreamIsCapturing")                                                  \
    X(stream_query, "cuStreamQuery")                                                               \
    X(stream_wait, "cuStreamSynchronize")                                                          \
    X(stream_wait_event, "cuStreamWaitEvent")                                                      \
    X(event_create, "cuEventCreate")                                                               \
    X(event_destroy, "cuEventDestroy_v2")                                                          \
    X(event_record, "cuEventRecord")                                                               \
    X(event_query, "cuEventQuery")                                                                 \
    X(event_wait, "cuEventSynchronize")                                                            \
    X(event_elapsed, "cuEventElapsedTime")
#define LW_CUDA_GRAPH_CALLS_MAP(X)                                                                 \
    X(graph_create, "cuGraphCreate")                                                               \
    X(graph_destroy, "cuGraphDestroy")                                                             \
    X(graph_instantiate, "cuGraphInstantiateWithFlags")                                            \
    X(graph_exec_destroy, "cuGraphExecDestroy")                                                    \
    X(graph_launch, "cuGraphLaunch")

/* X(member, symbol, parameters): the other functions that we call; all return a CUresult. */
#define LW_CUDA_DRIVER_MAP(X)                                                                      \
    X(init, "cuInit", (unsigned flags))                                                            \
    X(version, "cuDriverGetVersion", (int *version))                                               \
    X(error_name, "cuGetErrorName", (int result, const char **name))                               \
    X(error_text, "cuGetErrorString", (int result, const char **text))                             \
    X(device_count, "cuDeviceGetCount", (int *count))                                              \
    X(device, "cuDeviceGet", (int *device, int ordinal))                                           \
    X(device_name, "cuDeviceGetName", (char *name, int room, int device))                          \
    X(device_bytes, "cuDeviceTotalMem_v2", (size_t *bytes, int device))                            \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))           \
    X(context_retain, "cuDevicePrimaryCtxRetain", (struct gpu_context * *context, int device))     \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                               \
    X(context_reset, "cuDevicePrimaryCtxReset_v2", (int device))                                   \
    X(pointer_attribute, "cuPointerGetAttribute", (void *value, int attribute, uint64_t memory))   \
    X(module_load, "cuModuleLoadDataEx",                                                           \
      (struct cu_module * *module, const void *image, unsigned count, const int *options,          \
       void **values))                                                                             \
    X(module_unload, "cuModuleUnload", (struct cu_module * module))                                \
    X(module_function, "cuModuleGetFunction",                                                      \
      (struct gpu_function * *function, struct cu_module * module, const char *name))              \
    X(module_global, "cuModuleGetGlobal_v2",                                                       \
      (uint64_t *address, size_t *bytes, struct cu_module *module, const char *name))              \
    X(function_attribute, "cuFuncGetAttribute",                                                    \
      (int *value, int attribute, struct gpu_function *function))                                  \
    X(function_set_attribute, "cuFuncSetAttribute",                                                \
      (struct gpu_function * function, int attribute, int value))                                  \
    X(launch, "cuLaunchKernel",                                                                    \
      (struct gpu_function * function, unsigned grid_x, unsigned grid_y, unsigned grid_z,          \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_bytes,               \
       struct gpu_stream *stream, void **parameters, void **extra))

/* The same, for what older drivers lack; NULL then. launch_with came with CUDA 12. */
#define LW_CUDA_NEW_DRIVER_MAP(X)                                                                  \
    X(graph_kernel, "cuGraphAddKernelNode",                                                        \
      (struct gpu_node * *node, struct gpu_graph * graph, struct gpu_node *const *after,           \
       size_t after_count, const struct cu_node_params *params))                                   \
    X(graph_set, "cuGraphExecKernelNodeSetParams",                                                 \
      (struct gpu_graph_exec * exec, struct gpu_node * node, const struct cu_node_params *params)) \
    X(launch_with, "cuLaunchKernelEx",                                                             \
      (const struct cu_launch_config *config, struct gpu_function *function, void **parameters,    \
       void **extra))

struct lw__cuda_driver {
#define LW_CUDA_DRIVER_MEMBER(member, symbol, parameters) int(*member) parameters;
    LW_CUDA_DRIVER_MAP(LW_CUDA_DRIVER_MEMBER)
    LW_CUDA_NEW_DRIVER_MAP(LW_CUDA_DRIVER_MEMBER)
#undef LW_CUDA_DRIVER_MEMBER
    struct lw__gpu_driver calls;
};

/* lw__cuda_driver - the driver, loaded and initialised; from then on it stays.
 * $LANEWISE_CUDA_DRIVER names its library; without it the system finds libcuda.so.1.
 * errors   LW_E_DEVICE there is none, it is too old, it finds no GPU; or this process was forked
 *          from one that had loaded it. thread: any, not locked */
lw_status lw__cuda_driver(const struct lw__cuda_driver **driver);

/* lw__cuda_is_forked - is this the child of a process that had begun to load the driver? Nothing
 * of it can be used then. Any thread. */
bool lw__cuda_is_forked(void);

/* lw__cuda_result_text - "CUDA_ERROR_X (what it means)", into text of LW_GPU_RESULT_ROOM bytes;
 * returns it. */
const char *lw__cuda_result_text(int result, char *text);
#endif
