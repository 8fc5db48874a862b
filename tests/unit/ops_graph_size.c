/* Graphs of many launches: what recording, planning and drawing look at grows as the launches do;
 * plans take as little memory as there can be, or nearly. Device `null`: nothing runs. */
#include "ops/graph.h"
#include "ops_test.h"

static struct opened d;
static lw_program *program;
static lw_kernel *scale;

static const char kernels[] = "#include <lanewise/kernel.h>\n"
                              "KERNEL void scale(float *out, const float *a, float k)\n"
                              "{ out[global_idx.x] = a[global_idx.x] * k; }\n";

static uint64_t seed = 1;

static size_t draw(size_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % below;
}

static lw_tensor temporary(lw_graph *g, size_t count)
{
    lw_tensor t = {0};

    WORKS(lw_graph_temporary(g, LW_F32, 1, (ptrdiff_t[]){(ptrdiff_t)count}, &t));
    return t;
}

static void launch(lw_graph *g, lw_tensor out, lw_tensor in)
{
    WORKS(LW_LAUNCH(lw_graph_stream(g), scale, 1, 1, out, in, 2.0));
}

static lw_tensor begin(lw_graph **g)
{
    lw_tensor in = {0};

    WORKS(lw_graph_create(d.device, g));
    WORKS(lw_graph_input(*g, "in", LW_F32, 1, (ptrdiff_t[]){64}, &in));
    return in;
}

/* ---- shapes of graphs, of so many launches ---- */

static void chain(lw_graph *g, lw_tensor in, size_t launches)
{
    for (size_t k = 0; k < launches; k++) {
        const lw_tensor out = temporary(g, 16 + draw(1000));

        launch(g, out, in);
        in = out;
    }
}

/* Each is read twice: by the next one, and on the way back. */
static void forth_and_back(lw_graph *g, lw_tensor in, size_t launches)
{
    const size_t forth = launches / 2;
    lw_tensor *t = calloc(forth + 1, sizeof *t), gradient = temporary(g, 64);

    t[0] = in;
    for (size_t k = 1; k <= forth; k++) {
        t[k] = temporary(g, 16 + draw(1000));
        launch(g, t[k], t[k - 1]);
    }
    for (size_t k = forth; k > 0; k--) {
        const lw_tensor next = temporary(g, 16 + draw(1000));

        launch(g, next, t[k]);
        gradient = next;
    }
    (void)gradient;
    free(t);
}

/* A few are kept for some time. */
static void tangle(lw_graph *g, lw_tensor in, size_t launches)
{
    lw_tensor kept[8];

    for (size_t k = 0; k < 8; k++)
        kept[k] = in;
    for (size_t k = 0; k < launches; k++) {
        const lw_tensor out = temporary(g, 16 + draw(1000));

        launch(g, out, kept[draw(8)]);
        kept[draw(8)] = out;
    }
}

/* Each launch writes an output of its own. */
static void outputs(lw_graph *g, lw_tensor in, size_t launches)
{
    char name[32];

    for (size_t k = 0; k < launches; k++) {
        const lw_tensor out = temporary(g, 64);

        launch(g, out, in);
        snprintf(name, sizeof name, "out%zu", k);
        WORKS(lw_graph_output(g, name, out));
    }
}

/* ---- how much is looked at ---- */

typedef void build(lw_graph *g, lw_tensor in, size_t launches);

static uint64_t looks(build *shape, size_t launches)
{
    lw_executable *x = NULL;
    lw_graph *g = NULL;
    lw_tensor in = begin(&g);
    uint64_t count = 0;

    shape(g, in, launches);
    WORKS(lw_graph_compile(g, &x));
    if (x) /* its recording comes first in it */
        count = g->by_buffer.looks + g->by_name.looks + ((struct lw__recording *)(void *)x)->looks;
    lw_executable_destroy(x);
    lw_graph_destroy(g);
    return count;
}

/* Of 20 times as many launches 30 times as much at most: the rest is chance. */
static void grows_as_launches(build *shape, const char *name)
{
    const uint64_t few = looks(shape, 500), many = looks(shape, 10000);

    CHECK(few > 0);
    if (many <= 30 * few)
        return;
    failures++;
    printf("%s: %llu looks for 500 launches, %llu for 10000\n", name, (unsigned long long)few,
           (unsigned long long)many);
}

/* ---- how good plans are ---- */

/* A temporary is alive up to its last launch: what is alive at one time needs that much. */
static void check_plan(lw_graph *g, const char *name, double most)
{
    lw_executable *x = NULL;
    lw_executable_info info = {0};
    size_t needed = 0;

    WORKS(lw_graph_compile(g, &x));
    WORKS(lw_executable_get_info(x, &info));
    for (size_t launch = 0; launch < info.launches; launch++) {
        size_t alive = 0;

        for (size_t k = 0; k < info.temporaries; k++)
            if (info.placements[k].first_launch <= launch &&
                launch <= info.placements[k].last_launch)
                alive += (info.placements[k].bytes + 63) / 64 * 64;
        needed = alive > needed ? alive : needed;
    }
    for (size_t a = 0; a < info.temporaries; a++)
        for (size_t b = 0; b < a; b++) {
            const lw_placement *p = &info.placements[a], *q = &info.placements[b];

            CHECK(p->last_launch < q->first_launch || q->last_launch < p->first_launch ||
                  p->offset + p->bytes <= q->offset || q->offset + q->bytes <= p->offset);
        }
    if ((double)info.bytes_planned > most * (double)needed) {
        failures++;
        printf("%s: %zu bytes planned, %zu alive at one time\n", name, info.bytes_planned, needed);
    }
    lw_executable_destroy(x);
}

static void plans(build *shape, const char *name, double most)
{
    for (size_t launches = 2; launches < 200; launches = launches * 3 / 2) {
        lw_graph *g = NULL;
        lw_tensor in = begin(&g);

        shape(g, in, launches);
        check_plan(g, name, most);
        lw_graph_destroy(g);
    }
}

/* Chains of given sizes: growing, shrinking, and one where the largest first is not the least. */
static void given_chains(void)
{
    static const size_t sizes[][6] = {{16, 32, 48, 64, 80, 96},
                                      {96, 80, 64, 48, 32, 16},
                                      {80, 64, 48, 80, 16, 16},
                                      {0, 64, 0, 64, 64, 0}};

    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        lw_graph *g = NULL;
        lw_tensor in = begin(&g);

        for (size_t k = 0; k < 6; k++) {
            const lw_tensor out = temporary(g, sizes[n][k]);

            launch(g, out, in);
            in = out;
        }
        check_plan(g, "a given chain", 1);
        lw_graph_destroy(g);
    }
}

/* ---- drawing ---- */

static void draws_many(void)
{
    char path[] = "/tmp/lanewise-graph-XXXXXX";
    const int file = mkstemp(path);
    lw_graph *g = NULL;
    lw_tensor in = begin(&g);

    CHECK(file >= 0);
    chain(g, in, 10000);
    WORKS(lw_graph_draw(g, "svg", path));
    lw_graph_destroy(g);
    remove(path);
}

int main(void)
{
    const struct setting setting = {.device = "null"};
    const lw_build_options options = {.source = kernels};

    open_device(&setting, &d);
    WORKS(lw_program_build(d.device, "size.c", &options, &program));
    WORKS(lw_program_kernel(program, "scale", &scale));
    if (!failures) {
        grows_as_launches(chain, "a chain");
        grows_as_launches(forth_and_back, "forth and back");
        grows_as_launches(tangle, "a tangle");
        grows_as_launches(outputs, "outputs");
        plans(chain, "a chain", 1);
        plans(forth_and_back, "forth and back", 1.1);
        plans(tangle, "a tangle", 1.25);
        given_chains();
        draws_many();
    }
    lw_program_destroy(program);
    close_device(&d);
    return failures != 0;
}
