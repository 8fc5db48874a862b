/* run_cuda.h - for the tests of the device `cuda`: the double of the driver (fake_cuda.c), the
 * double of the compiler, and kernels that are functions of the test.
 *
 * A kernel's code is loaded at its first launch: launch() tells the double before each one what
 * the code is.
 */
#include "base/cuda_abi.h"
#include "base/ref_abi.h"
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
    int *out;

    memcpy(&out, launch->args, sizeof out);
    int n;
    memcpy(&n, launch->args + 8, sizeof n);
    return k->run ? k->run(launch, out, n) : 0;
}

/* ---- guarded launches, of a kernel with two parameters ---- */

/* Programs that are built from now on are guarded, or not; text: has what refuse() tells of. */
static inline void set_guarded(bool is_guarded)
{
    const struct lw_bounds_object object = {.kind = LW_REF_ARGUMENT, .place = 0};

    fake->args_bytes = is_guarded ? 16 + lw_bounds_bytes(2) : 12;
    memcpy(fake->text + 1, &object, sizeof object);
    if (is_guarded)
        setenv("LANEWISE_BOUNDS", "1", 1);
    else
        unsetenv("LANEWISE_BOUNDS");
}

/* Thread 3 of block 2 writes behind its first argument, which the code knows by name (n is 0), by
 * address (1), or not at all (2). */
static inline int refuse(const struct fake_launch *l, int *out, int n)
{
    struct lw_cuda_launch *r = l->record;
    const uint64_t k = r->failure_count++;
    struct lw_bounds b = {0};

    memcpy(&b, l->args + 16, lw_bounds_bytes(2));
    CHECK(b.rows[0].address == (uint64_t)(uintptr_t)out && !b.rows[1].address && !b.rows[1].bytes);
    CHECK(b.live_count == 1 && b.live_step == 1 && !memcmp(b.rows, b.rows + 2, sizeof *b.rows));
    r->said[k][LW_REFUSED_KIND] = LW_REFUSED_WRITE;
    r->said[k][LW_REFUSED_OBJECT] = n ? 0 : l->text_address + 1;
    r->said[k][LW_REFUSED_OFFSET] = b.rows[0].bytes + 4;
    r->said[k][LW_REFUSED_BYTES] = 4;
    r->said[k][LW_REFUSED_SIZE] = n < 2 ? b.rows[0].bytes : 0;
    r->said[k][LW_REFUSED_BASE] = n < 2 ? b.rows[0].address : 0;
    r->failures[k] = (struct lw_cuda_failure){2, 3, LW_CUDA_REFUSED, LW_CUDA_NO_TEXT};
    return 0;
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
