/* launches - launches DEVICE: nanoseconds that a launch of an empty kernel takes, of many back to
 * back, the wait for the last one counted in; the median of seven rounds.
 */
#include <lanewise/lanewise.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 7, LAUNCHES = 20000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static lw_status run(const char *name, double *ns)
{
    const lw_build_options options = {.source = "#include <lanewise/kernel.h>\n"
                                                "KERNEL void empty(void) {}\n"};
    lw_device *device;
    lw_program *program;
    lw_kernel *kernel;
    lw_stream *stream;
    lw_status status = lw_device_open(name, &device);
    status = status ? status : lw_program_build(device, NULL, &options, &program);
    status = status ? status : lw_program_kernel(program, "empty", &kernel);
    status = status ? status : lw_stream_create(device, &stream);
    for (int r = -1; r < ROUNDS && !status; r++) { /* the first warms up */
        double begin = now();
        for (int i = 0; i < LAUNCHES && !status; i++)
            status = lw_stream_launch(stream, kernel, lw_dim_1(1), lw_dim_1(32), NULL, NULL, 0);
        status = status ? status : lw_stream_wait(stream);
        ns[r < 0 ? 0 : r] = (now() - begin) / LAUNCHES;
    }
    return status; /* what was made goes with the process */
}

int main(int argc, char **argv)
{
    double ns[ROUNDS];
    if (run(argc > 1 ? argv[1] : "cuda", ns)) {
        fprintf(stderr, "launches: %s\n", lw_last_error());
        return 1;
    }
    qsort(ns, ROUNDS, sizeof *ns, by_size);
    printf("%.1f\n", ns[ROUNDS / 2]);
    return 0;
}
