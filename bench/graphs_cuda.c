/* graphs_cuda.c - a CUDA graph by hand, with the driver's functions and nothing of Lanewise's. The
 * kernel is in PTX, what a compiler makes of `if (i < n) out[i] = a[i] * k`.
 */
#include "graphs.h"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, LINKS_MAX = 16 };

static const char ptx[] =
    ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry scale(\n"
    ".param .u64 po,\n.param .u64 pa,\n.param .u32 pn,\n.param .f32 pk\n)\n{\n"
    ".reg .pred %p<2>;\n.reg .f32 %f<4>;\n.reg .b32 %r<6>;\n.reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [po];\nld.param.u64 %d2, [pa];\nld.param.u32 %r1, [pn];\n"
    "ld.param.f32 %f1, [pk];\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r3, %r2, 8;\n"
    "mov.u32 %r4, %tid.x;\nor.b32 %r5, %r3, %r4;\nsetp.ge.s32 %p1, %r5, %r1;\n"
    "@%p1 bra $L__done;\ncvta.to.global.u64 %d3, %d2;\nmul.wide.s32 %d4, %r5, 4;\n"
    "add.s64 %d5, %d3, %d4;\nld.global.f32 %f2, [%d5];\nmul.rn.f32 %f3, %f2, %f1;\n"
    "cvta.to.global.u64 %d6, %d1;\nadd.s64 %d7, %d6, %d4;\nst.global.f32 [%d7], %f3;\n"
    "$L__done:\nret;\n}\n";

/* CUDA_KERNEL_NODE_PARAMS as it was first. */
struct node_params {
    void *function;
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
};

#define DRIVER(X)                                                                                  \
    X(init, "cuInit", (unsigned))                                                                  \
    X(device, "cuDeviceGet", (int *, int))                                                         \
    X(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                          \
    X(push, "cuCtxPushCurrent_v2", (void *))                                                       \
    X(load, "cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **))               \
    X(find, "cuModuleGetFunction", (void **, void *, const char *))                                \
    X(memory, "cuMemAlloc_v2", (uint64_t *, size_t))                                               \
    X(stream, "cuStreamCreate", (void **, unsigned))                                               \
    X(wait, "cuStreamSynchronize", (void *))                                                       \
    X(graph, "cuGraphCreate", (void **, unsigned))                                                 \
    X(node, "cuGraphAddKernelNode",                                                                \
      (void **, void *, void *const *, size_t, const struct node_params *))                        \
    X(instantiate, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long))           \
    X(launch, "cuGraphLaunch", (void *, void *))

struct bench_hand {
#define MEMBER(name, symbol, parameters) int(*name) parameters;
    DRIVER(MEMBER)
#undef MEMBER
    void *function, *queue, *executable, *context;
};

static const char *find_all(struct bench_hand *h)
{
    const char *path = getenv("LANEWISE_CUDA_DRIVER");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW), *address;

    if (!library)
        return "the driver";
#define FIND(name, symbol, parameters)                                                             \
    address = dlsym(library, symbol);                                                              \
    if (!address)                                                                                  \
        return symbol;                                                                             \
    memcpy(&h->name, &address, sizeof address);
    DRIVER(FIND)
#undef FIND
    return NULL;
}

/* Each kernel waits for the one before. */
static int make_graph(struct bench_hand *h, int links, int n)
{
    uint64_t memory[LINKS_MAX + 1];
    void *graph, *nodes[LINKS_MAX];
    float k = 1;
    int result = h->graph(&graph, 0);

    for (int i = 0; i <= links && !result; i++)
        result = h->memory(&memory[i], (size_t)n * sizeof(float));
    for (int i = 0; i < links && !result; i++) {
        void *parameters[] = {&memory[i + 1], &memory[i], &n, &k};
        const struct node_params p = {.function = h->function,
                                      .grid = {(unsigned)n / BLOCK, 1, 1},
                                      .block = {BLOCK, 1, 1},
                                      .parameters = parameters};

        result = h->node(&nodes[i], graph, i ? &nodes[i - 1] : NULL, i ? 1 : 0, &p);
    }
    return result ? result : h->instantiate(&h->executable, graph, 0);
}

static int set_up(struct bench_hand *h, const char *name, int links, int n)
{
    const char *colon = strchr(name, ':');
    int device, result = h->init(0);

    result = result ? result : h->device(&device, colon ? atoi(colon + 1) : 0);
    result = result ? result : h->retain(&h->context, device);
    result = result ? result : h->push(h->context);
    void *module;
    result = result ? result : h->load(&module, ptx, 0, NULL, NULL);
    result = result ? result : h->find(&h->function, module, "scale");
    result = result ? result : h->stream(&h->queue, 1);
    return result ? result : make_graph(h, links, n);
}

struct bench_hand *bench_hand_make(const char *device, int links, int n)
{
    struct bench_hand *h = calloc(1, sizeof *h);
    const char *missing = h && links <= LINKS_MAX ? find_all(h) : "memory";
    const int result = missing ? 0 : set_up(h, device, links, n);

    if (!missing && !result)
        return h;
    if (missing)
        printf("no CUDA graph by hand: %s is missing\n", missing);
    else
        printf("no CUDA graph by hand: the driver's error %d\n", result);
    free(h);
    return NULL;
}

double bench_hand_time(struct bench_hand *h, int calls)
{
    const double begin = bench_now();
    int result = 0;

    for (int k = 0; k < calls && !result; k++)
        result = h->launch(h->executable, h->queue);
    result = result ? result : h->wait(h->queue);
    if (result)
        printf("the CUDA graph by hand: the driver's error %d\n", result);
    return (bench_now() - begin) / calls;
}
