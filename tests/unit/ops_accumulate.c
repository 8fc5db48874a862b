/* The type that operations compute in follows the output's dtype, too (docs/order.md, terms). From
 * f32 or integers to f64, and wherever a floating type meets an integer, results have the bits of
 * the same call on inputs that lw_copy has made f64: of rows and of what is strided, of one leaf
 * and of several. Arguments: the device; "small" where it is slow; "few" for a sixth of the calls.
 */
#include "ops_values.h"

enum { INPUTS = 3 };

/* A call by name: the extents of its inputs, of the long one `n`, where n is LONG. */
enum { LONG = -1 };
struct form {
    int rank;
    ptrdiff_t extent[3];
};
static const struct {
    const char *name, *parameters;
    bool floats_alone, gives_integers; /* inputs are; the output may */
    size_t inputs;
    struct form of[INPUTS];
} calls[] = {
    {"sum", "{}", false, true, 1, {{1, {LONG}}}},
    {"sum", "{\"axis\": 0}", false, true, 1, {{2, {LONG, 5}}}},
    {"sum", "{\"axis\": 0}", false, true, 1, {{2, {LONG, 40}}}},
    {"sum", "{\"axis\": 1}", false, true, 1, {{2, {LONG, 9}}}},
    {"sum", "{\"axis\": 1, \"sum\": \"exact\"}", false, true, 1, {{2, {3, LONG}}}},
    {"prod", "{\"axis\": -1}", false, true, 1, {{2, {2, LONG}}}},
    {"mean", "{\"axis\": 1}", false, true, 1, {{2, {3, LONG}}}},
    {"mean", "{\"axis\": 0}", false, true, 1, {{3, {LONG, 2, 3}}}},
    {"dot", "{}", false, true, 2, {{1, {LONG}}, {1, {LONG}}}},
    {"dot", "{\"sum\": \"exact\"}", false, true, 2, {{1, {LONG}}, {1, {LONG}}}},
    {"matmul", "{}", false, true, 2, {{2, {7, LONG}}, {2, {LONG, 5}}}},
    {"matmul", "{}", false, true, 3, {{2, {40, 30}}, {2, {30, 50}}, {1, {50}}}},
    {"conv1d", "{}", false, true, 2, {{1, {LONG}}, {1, {9}}}},
    {"conv2d", "{\"pad\": \"1\"}", false, true, 2, {{2, {9, 40}}, {2, {3, 3}}}},
    {"scan", "{}", false, true, 1, {{2, {2, LONG}}}},
    {"scan", "{\"exclusive\": true, \"axis\": 0}", false, true, 1, {{2, {LONG, 3}}}},
    {"scan", "{\"op\": \"mul\"}", false, true, 1, {{1, {LONG}}}},
    {"scan", "{\"op\": \"max\"}", false, true, 1, {{1, {LONG}}}},
    {"difference", "{}", false, true, 1, {{2, {2, LONG}}}},
    {"moving_average", "{\"window\": 9}", false, true, 1, {{2, {2, LONG}}}},
    {"mean_normalize", "{}", true, false, 1, {{2, {2, LONG}}}},
    {"rms_norm", "{}", true, false, 2, {{2, {20, LONG}}, {1, {LONG}}}},
    {"layer_norm", "{}", true, false, 3, {{2, {3, LONG}}, {1, {LONG}}, {1, {LONG}}}},
    {"layer_norm", "{\"axis\": 0}", true, false, 1, {{2, {LONG, 4}}}},
    {"softmax", "{}", true, false, 1, {{2, {3, LONG}}}},
    {"log_softmax", "{\"axis\": 0}", true, false, 1, {{2, {LONG, 2}}}},
    {"attention", "{}", true, false, 3, {{2, {5, 8}}, {2, {LONG, 8}}, {2, {LONG, 6}}}},
    {"map_reduce",
     "{\"map\": \"a\", \"combine\": \"x + y\", \"identity\": 0}",
     true,
     false,
     1,
     {{2, {3, LONG}}}},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* ---- one call ---- */

static lw_op *find(size_t call)
{
    lw_op *op = NULL;

    WORKS(lw_op_find(calls[call].name, &op));
    return op;
}

/* Random inputs of a dtype; of every second call each second element of the last axis. */
static void make(size_t call, lw_dtype dtype, ptrdiff_t n, bool strided, struct array *x,
                 lw_tensor *views)
{
    for (size_t k = 0; k < calls[call].inputs; k++) {
        struct form f = calls[call].of[k];

        for (int axis = 0; axis < f.rank; axis++)
            f.extent[axis] = f.extent[axis] == LONG ? n : f.extent[axis];
        f.extent[f.rank - 1] *= 1 + strided;
        x[k] = random_array(dtype, f.rank, f.extent);
        WORKS(lw_tensor_slice(x[k].t, -1, 0, f.extent[f.rank - 1], 1 + strided, &views[k]));
    }
}

static struct array result_of(size_t call, const lw_tensor *inputs, lw_dtype dtype)
{
    lw_shape shapes[INPUTS] = {0}, out = {0};

    for (size_t k = 0; k < calls[call].inputs; k++) {
        shapes[k].dtype = lw_buffer_dtype(inputs[k].buffer);
        shapes[k].rank = inputs[k].rank;
        memcpy(shapes[k].extent, inputs[k].extent, sizeof shapes[k].extent);
    }
    WORKS(lw_op_infer(find(call), calls[call].parameters, shapes, calls[call].inputs, &out, 1));
    struct array result = new_array(dtype, out.rank, out.extent);
    WORKS(lw_op_run(find(call), stream, calls[call].parameters, &result.t, 1, inputs,
                    calls[call].inputs));
    receive(&result);
    return result;
}

/* True if both have the same elements; a NaN is a NaN. */
static bool are_alike(const struct array *a, const struct array *b)
{
    const size_t size = lw_dtype_size(a->dtype);

    for (size_t i = 0; i < a->count; i++)
        if (memcmp((char *)a->memory + i * size, (char *)b->memory + i * size, size) &&
            !(isnan(as_real(a->memory, a->dtype, i)) && isnan(as_real(b->memory, b->dtype, i))))
            return false;
    return true;
}

static void try_call(size_t call, lw_dtype in, lw_dtype out, ptrdiff_t n, bool strided)
{
    struct array x[INPUTS], doubles[INPUTS], got, need;
    lw_tensor views[INPUTS], whole[INPUTS];

    make(call, in, n, strided, x, views);
    for (size_t k = 0; k < calls[call].inputs; k++) {
        doubles[k] = new_array(LW_F64, views[k].rank, views[k].extent);
        whole[k] = doubles[k].t;
        WORKS(lw_copy(stream, whole[k], views[k]));
    }
    got = result_of(call, views, out);
    need = result_of(call, whole, out);
    if (!are_alike(&got, &need)) {
        failures++;
        printf("%s %s of %td %s%s to %s: not as of f64\n", calls[call].name, calls[call].parameters,
               n, lw_dtype_name(in), strided ? ", strided," : "", lw_dtype_name(out));
    }
    for (size_t k = 0; k < calls[call].inputs; k++) {
        drop(&x[k]);
        drop(&doubles[k]);
    }
    drop(&got);
    drop(&need);
}

/* ---- all of them ---- */

/* True if this call takes these dtypes, and is to be computed in f64. */
static bool is_in_double(size_t call, lw_dtype in, lw_dtype out)
{
    if (is_float(in) && is_float(out))
        return out == LW_F64;
    return is_float(in) ? calls[call].gives_integers : is_float(out) && !calls[call].floats_alone;
}

int main(int count, char **arguments)
{
    static const ptrdiff_t lengths[] = {100, 1500, 70000};
    static const size_t one_in[] = {1, 7, 29};
    const bool small = count > 2;
    size_t number = 0;

    if (!open_device(count, arguments))
        return 77;
    for (size_t call = 0; call < CALLS; call++)
        for (size_t k = 0; k < (small ? 2 : 3); k++)
            for (int in = 0; in < LW_DTYPE_COUNT; in++)
                for (int out = 0; out < LW_DTYPE_COUNT; out++)
                    if (is_in_double(call, (lw_dtype)in, (lw_dtype)out) &&
                        number++ % (count > 3 ? 6 * one_in[k] : one_in[k]) == 0)
                        try_call(call, (lw_dtype)in, (lw_dtype)out, lengths[k], random_below(2));
    return done();
}
