/* run_cuda.h - for the tests of the device `cuda`: the double of the driver (fake_cuda.c), the
 * double of the compiler, and kernels that are functions of the test.
 *
 * A kernel's code is loaded at its first launch: launch() tells the double before each one what
 * the code is.
 */
#include "base/cuda_abi.h"
#include "fake_cuda.h"
#include "run_test.h"
#include <dlfcn.h>
#include <time.h>

#define CUDA_ROW(name, shared)                                                                     \
    "kernel\t" name "\tvoid " name "(int *out, int n)\t1\t0\t0\t0\t" shared                        \
    "\t0\t12\nparam\tout\tint *\tp(i32)\t0\t8\t0\nparam\tn\tint\ti32\t8\t4\t0\n"

/* A kernel of the test. */
struct kernel {
    const char *name;
    uint32_t uses;
    int (*run)(const struct fake_launch *launch, int *out, int n);
};

static struct fake_cuda *fake;
static char text_path[] = "/tmp/lanewise-ptx-XXXXXX";

static int run_kernel(const struct fake_launch *launch)
{
    const struct kernel *k = launch->user;
    int *out, n;

    memcpy(&out, launch->args, sizeof out);
    memcpy(&n, launch->args + 8, sizeof n);
    return k->run ? k->run(launch, out, n) : 0;
}

/* False where the double is not there. */
static inline bool fake_set_up(void)
{
    static const char text[] = "// fake\n";
    int file = mkstemp(text_path);
    void *library = dlopen(getenv("LANEWISE_CUDA_DRIVER"), RTLD_NOW);

    fake = library ? dlsym(library, "fake_cuda") : NULL;
    CHECK(fake && file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    setenv("LW_FAKE_PAYLOAD", getenv("LW_UNIT_CPU_PAYLOAD"), 1);
    setenv("LW_FAKE_SECOND_PAYLOAD", text_path, 1);
    if (!fake)
        return false;
    fake->run = run_kernel;
    fake->args_bytes = 12;
    return true;
}

static inline void fake_tear_down(void)
{
    unlink(text_path);
}

/* Nothing of the double's is left. */
static inline void check_empty(void)
{
    CHECK(!fake->contexts && !fake->memories && !fake->pinned && !fake->modules && !fake->streams &&
          !fake->events);
}

static inline lw_kernel *find_kernel(lw_program *p, const char *name)
{
    lw_kernel *k = NULL;

    WORKS(lw_program_kernel(p, name, &k));
    return k;
}

static inline lw_status launch(lw_stream *s, lw_program *p, const struct kernel *k, lw_dim3 grid,
                               uint32_t block, lw_buffer *out, int n)
{
    __atomic_store_n(&fake->user, (void *)(uintptr_t)k, __ATOMIC_RELAXED);
    __atomic_store_n(&fake->uses, k->uses, __ATOMIC_RELAXED);
    return LAUNCH(s, find_kernel(p, k->name), grid, block, out, n);
}
