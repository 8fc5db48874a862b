/* ops_wrong_names - what is wrong with calls by name: parameters, numbers of tensors, shapes. The
 * error with its values, and that nothing runs. Argument: the device. */
#include "ops_wrong.h"

static lw_op *find(const char *name)
{
    lw_op *op;

    WORKS(lw_op_find(name, &op));
    return op;
}

/* The good call's tensors by name. */
static void refuse_json(const char *name, const char *json, lw_status status, const char *text,
                        int line)
{
    unsigned char before[BYTES] = {0}, after[BYTES] = {0};

    struct call c;
    good_call(&place, operation_of(name), &c);
    take_bytes(c.out.buffer, before);
    lw_status got = run_by_name(&c, find(name), json);
    if (got != status || !strstr(lw_last_error(), name) || !strstr(lw_last_error(), text)) {
        complain(c.op, "another answer", __FILE__, line);
        printf("    got  %d \"%s\"\n    need %d \"... %s ...\"\n", got, got ? lw_last_error() : "",
               status, text);
    }
    WORKS(lw_stream_wait(place.stream));
    take_bytes(c.out.buffer, after);
    CHECK(!memcmp(before, after, sizeof before));
    CHECK(is_good(&place, c.op));
}
#define JSON(name, json, status, text) refuse_json(name, json, status, text, __LINE__)

/* Numbers as JSON has them. */
static void numbers_of_json(void)
{
    static const char *const good[] = {"1E+2", "0.5e-3", "0", "-0", "10", "1e1", "\"inf\"", "null"};
    char json[40];
    struct call c;

    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        good_call(&place, operation_of("rms_norm"), &c);
        snprintf(json, sizeof json, "{\"eps\": %s}", good[k]);
        WORKS(run_by_name(&c, find("rms_norm"), json));
    }
    WORKS(lw_stream_wait(place.stream));
    fill_out(&place, LW_F32);
}

static void texts(void)
{
    JSON("sum", "[1]", LW_E_ARG, "the parameters are no JSON object of plain values, at '[1]'");
    JSON("sum", "{\"axis\": 0", LW_E_ARG, "no JSON object of plain values, at ''");
    JSON("sum", "{\"axis\": 0} x", LW_E_ARG, "no JSON object of plain values, at 'x'");
    JSON("sum", "{axis: 0}", LW_E_ARG, "no JSON object of plain values, at 'axis: 0}'");
    JSON("sum", "{\"axes\": 0}", LW_E_ARG, "sum has no parameter 'axes'; it has axis, keepdims");
    JSON("sum", "{\"axis\": 0.5}", LW_E_ARG, "parameter 'axis' is 0.5; need an int");
    JSON("sum", "{\"axis\": +1}", LW_E_ARG, "parameter 'axis' is +1; need an int");
    JSON("sum", "{\"axis\": 01}", LW_E_ARG, "parameter 'axis' is 01; need an int");
    JSON("sum", "{\"axis\": -}", LW_E_ARG, "parameter 'axis' is -; need an int");
    JSON("sum", "{\"axis\": 0, }", LW_E_ARG, "no JSON object of plain values, at '}'");
    JSON("sum", "{\"axis\": 0, \"axis\": 1}", LW_E_ARG, "parameter 'axis' comes twice");
    JSON("sum", "{\"axis\": 2147483648}", LW_E_ARG, "x has no axis 2147483648; its rank is 2");
    JSON("scan", "{\"axis\": 2147483648}", LW_E_ARG, "no axis 2147483648; its rank is 2");
    JSON("softmax", "{\"axis\": -2147483649}", LW_E_ARG, "no axis -2147483649; its rank is 2");
    JSON("rms_norm", "{\"eps\": .5}", LW_E_ARG, "parameter 'eps' is .5; need a real");
    JSON("rms_norm", "{\"eps\": 1.}", LW_E_ARG, "parameter 'eps' is 1.; need a real");
    JSON("rms_norm", "{\"eps\": 1e}", LW_E_ARG, "parameter 'eps' is 1e; need a real");
    JSON("rms_norm", "{\"eps\": -01e-5}", LW_E_ARG, "parameter 'eps' is -01e-5; need a real");
    JSON("rms_norm", "{\"eps\": 0x1}", LW_E_ARG, "parameter 'eps' is 0x1; need a real");
    JSON("rms_norm", "{\"eps\": NaN}", LW_E_ARG, "parameter 'eps' is NaN; need a real");
    JSON("rms_norm", "{\"eps\": inf}", LW_E_ARG, "parameter 'eps' is inf; need a real");
    JSON("rms_norm", "{\"eps\": \"-.5\"}", LW_E_ARG, "parameter 'eps' is \"-.5\"; need a real");
    JSON("sum", "{\"axis\": \"x\"}", LW_E_ARG, "parameter 'axis' is \"x\"; need an int");
    JSON("sum", "{\"axis\": all}", LW_E_ARG, "parameter 'axis' is all; need an int");
    JSON("sum", "{\"axis\": -9223372036854775808}", LW_E_ARG, "'axis' is -9223372036854775808;");
    JSON("sum", "{\"axis\": 99999999999999999999}", LW_E_ARG, "is 99999999999999999999; need an");
    JSON("sum", "{\"keepdims\": 1}", LW_E_ARG, "parameter 'keepdims' is 1; need a bool");
    JSON("sum", "{\"dtype\": \"f33\"}", LW_E_ARG, "parameter 'dtype' is \"f33\"; need a dtype");
    JSON("sum", "{\"dtype\": 3}", LW_E_ARG, "parameter 'dtype' is 3; need a dtype");
    JSON("rms_norm", "{\"eps\": \"1\"}", LW_E_ARG, "parameter 'eps' is \"1\"; need a real");
    JSON("map", NULL, LW_E_ARG, "map needs the parameter 'expression' (string)");
    JSON("map_reduce", "{\"map\": \"a\", \"combine\": \"x\"}", LW_E_ARG,
         "map_reduce needs the parameter 'identity' (real)");
}

static void values(void)
{
    JSON("sum", "{\"sum\": \"fast\"}", LW_E_ARG, "sum is 'fast'; need one of fixed, exact, free");
    JSON("matmul", "{\"sum\": \"exact\"}", LW_E_ARG, "sum is 'exact'; need one of fixed, free");
    JSON("attention", "{\"sum\": \"fast\"}", LW_E_ARG, "sum is 'fast'; need one of fixed, free");
    JSON("sum", "{\"axis\": 2}", LW_E_ARG, "no axis 2; its rank is 2");
    JSON("sum", "{\"axis\": 5000000000}", LW_E_ARG, "no axis 5000000000");
    JSON("sum", "{\"axis\": -5000000000}", LW_E_ARG, "no axis -5000000000");
    JSON("softmax", "{\"axis\": \"all\"}", LW_E_ARG, "parameter 'axis' is \"all\"; need an int");
    JSON("scan", "{\"op\": \"sub\"}", LW_E_ARG, "op is 'sub'; need one of add, mul, max, min");
    JSON("difference", "{\"edge\": \"shrink\"}", LW_E_ARG,
         "edge is 'shrink'; need one of valid, zero");
    JSON("moving_average", "{\"edge\": \"zero\"}", LW_E_ARG,
         "edge is 'zero'; need one of valid, shrink");
    JSON("moving_average", "{\"window\": 0}", LW_E_ARG, "window is 0; need 1 to 2147483647");
    JSON("moving_average", "{\"window\": -2}", LW_E_ARG, "window is -2; need 1 to 2147483647");
    JSON("moving_average", "{\"window\": 5000000000}", LW_E_ARG, "window is 5000000000; need 1 to");
    JSON("moving_average", "{\"window\": \"all\"}", LW_E_ARG, "'window' is \"all\"; need an int");
    JSON("attention", "{\"window\": -2}", LW_E_ARG, "window is -2; need 0 to 2147483647");
    JSON("attention", "{\"window\": 5000000000}", LW_E_ARG, "window is 5000000000; need 0 to");
    JSON("attention", "{\"seq_len\": 4}", LW_E_SHAPE, "seq_len is 4, k has 3 keys");
    JSON("attention", "{\"seq_len\": -1}", LW_E_SHAPE, "seq_len is -1, k has 3 keys");
    JSON("attention", "{\"d\": 3}", LW_E_SHAPE, "d is 3, k has depth 2");
    JSON("take", "{\"axis\": 2}", LW_E_ARG, "x has no axis 2; its rank is 2");
    JSON("conv1d", "{\"pad\": \"x\"}", LW_E_ARG, "pad is 'x'; need a number from 0 on, or two");
    JSON("conv2d", "{\"stride\": \"1,\"}", LW_E_ARG, "stride is '1,'; need a number from 1 on");
    JSON("conv2d", "{\"stride\": \"0\"}", LW_E_ARG, "stride is '0'; need a number from 1 on");
    JSON("histogram", "{\"bins\": 0}", LW_E_ARG, "bins is 0; need 1 to 2147483647");
    JSON("histogram", "{\"bins\": 3}", LW_E_SHAPE, "counts has extent 2; need bins, which is 3");
    JSON("histogram", "{\"bins\": 2, \"low\": 1}", LW_E_ARG, "low is 1 and high 0; need finite");
    JSON("sort", "{\"axis\": 2}", LW_E_ARG, "x has no axis 2; its rank is 2");
    JSON("top_k", NULL, LW_E_ARG, "top_k needs the parameter 'k' (int)");
    JSON("top_k", "{\"k\": 4}", LW_E_ARG, "k is 4; need 0 to 3, the extent of the axis");
    JSON("top_k", "{\"k\": -1}", LW_E_ARG, "k is -1; need 0 to 3");
    JSON("top_k", "{\"k\": 1}", LW_E_SHAPE, "values has extent 2 in axis 0; need k, which is 1");
    JSON("permute", "{\"axes\": \"0,2\"}", LW_E_ARG, "axes is '0,2'; need");
    JSON("permute", "{\"axes\": \"0,0\"}", LW_E_ARG, "axes is '0,0'; need");
    JSON("permute", "{\"axes\": \"1,-1\"}", LW_E_ARG, "axes is '1,-1'; need");
    JSON("permute", "{\"axes\": \"4294967297,0\"}", LW_E_ARG, "axes is '4294967297,0'; need");
    JSON("permute", "{\"axes\": \"1\"}", LW_E_ARG, "axes is '1'; need `reversed` or 2 axes");
    JSON("permute", "{\"axes\": \"1,0,2\"}", LW_E_ARG, "axes is '1,0,2'; need");
    JSON("permute", "{\"axes\": \"\"}", LW_E_ARG, "axes is ''; need `reversed` or 2 axes");
}

/* ---- lists of tensors ---- */

#define FAILS(call, status, text)                                                                  \
    CHECK((call) == (status) && strstr(lw_last_error(), text) == lw_last_error())

static void lists(void)
{
    lw_op *sum = find("sum"), *layer_norm = find("layer_norm"), *op;
    struct call c;

    good_call(&place, operation_of("sum"), &c);
    FAILS(lw_op_run(NULL, c.stream, NULL, &c.out, 1, c.in, 1), LW_E_ARG, "the operation is NULL");
    FAILS(lw_op_run(sum, NULL, NULL, &c.out, 1, c.in, 1), LW_E_ARG, "sum: the stream is NULL");
    FAILS(lw_op_run(sum, c.stream, NULL, NULL, 1, c.in, 1), LW_E_ARG,
          "sum: the list of outputs is NULL");
    FAILS(lw_op_run(sum, c.stream, NULL, &c.out, 1, NULL, 1), LW_E_ARG,
          "sum: the list of 1 inputs is NULL");
    FAILS(lw_op_run(sum, c.stream, NULL, &c.out, 2, c.in, 1), LW_E_ARG, "sum has 1 outputs, not 2");
    FAILS(lw_op_run(sum, c.stream, NULL, &c.out, 1, c.in, 0), LW_E_ARG, "sum takes 1 inputs, not");
    FAILS(lw_op_run(find("compact"), c.stream, NULL, &c.out, 1, c.in, 2), LW_E_ARG,
          "compact has 2 outputs, not 1");
    FAILS(lw_op_run(layer_norm, c.stream, NULL, &c.out, 1, c.in, 4), LW_E_ARG,
          "layer_norm takes 1 to 3 inputs, not 4");
    FAILS(lw_op_find(NULL, &op), LW_E_ARG, "the name is NULL");
    FAILS(lw_op_find("sum", NULL), LW_E_ARG, "the place for the operation is NULL");
    FAILS(lw_op_find("summ", &op), LW_E_ARG, "there is no operation 'summ'; the nearest are sum");
    CHECK(is_good(&place, c.op));
}

/* A tensor that no operation can look into. */
static void beyond_ranks(void)
{
    struct call c;

    for (size_t k = 0; k < OPERATIONS; k++) {
        const struct operation *op = &operations[k];
        const char *json = op->run == run_permute     ? "{\"axes\": \"6,5,4,3,2,1,0\"}"
                           : op->run == run_map       ? "{\"expression\": \"a\"}"
                           : op->run == run_top_k     ? "{\"k\": 1}"
                           : op->run == run_histogram ? "{\"bins\": 2}"
                           : op->run != run_map_reduce
                               ? NULL
                               : "{\"map\": \"a\", \"combine\": \"x + y\", \"identity\": 0}";

        good_call(&place, op, &c);
        c.in[0].rank = 7;
        CHECK(run_by_name(&c, find(op->name), json) == LW_E_SHAPE);
        CHECK(strstr(lw_last_error(), op->name) && strstr(lw_last_error(), "has rank 7; need 0"));
        CHECK(is_good(&place, op));
    }
}

/* ---- shapes alone ---- */

static void refuse_shapes(const char *name, const char *json, const lw_shape *in, size_t count,
                          lw_status status, const char *text, int line)
{
    lw_shape out = {.rank = 77};
    const lw_status got = lw_op_infer(find(name), json, in, count, &out, 1);

    if (got == status && strstr(lw_last_error(), text) && strstr(lw_last_error(), name))
        return;
    complain(operation_of(name), "another answer", __FILE__, line);
    printf("    got  %d \"%s\"\n    need %d \"... %s ...\"\n", got, got ? lw_last_error() : "",
           status, text);
}
#define INFER(name, json, status, text, ...)                                                       \
    refuse_shapes(name, json, (const lw_shape[]){__VA_ARGS__},                                     \
                  sizeof((const lw_shape[]){__VA_ARGS__}) / sizeof(lw_shape), status, text,        \
                  __LINE__)
#define S(rank, ...)                                                                               \
    {                                                                                              \
        LW_F32, rank,                                                                              \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void shapes(void)
{
    INFER("sum", NULL, LW_E_SHAPE, "input 0 has rank 7; need 0 to 4", S(7, 1, 2, 3, 4));
    INFER("sum", NULL, LW_E_SHAPE, "input 0 has rank -1; need 0 to 4", S(-1, 1));
    INFER("sum", NULL, LW_E_SHAPE, "input 0 has extent -3 in axis 1; need at least", S(2, 4, -3));
    INFER("sum", NULL, LW_E_ARG, "input 0 is of dtype 99", {(lw_dtype)99, 1, {2}});
    INFER("sum", "{\"axis\": 1}", LW_E_ARG, "no axis 1; its rank is 1", S(1, 2));
    INFER("dot", NULL, LW_E_SHAPE, "input 1 has rank 5", S(1, 2), S(5, 2));
    INFER("map", "{\"expression\": \"a\"}", LW_E_SHAPE, "extents 2 and 3 do not", S(1, 2), S(1, 3));
    INFER("matmul", NULL, LW_E_SHAPE, "ranks are 0 and 2", S(0, 0), S(2, 3, 4));
    INFER("attention", NULL, LW_E_SHAPE, "q, k, v have ranks 2, 1, 2", S(2, 1, 2), S(1, 2),
          S(2, 3, 2));
    INFER("moving_average", "{\"window\": 0}", LW_E_ARG, "window is 0; need 1 to", S(1, 4));
    INFER("moving_average", "{\"window\": -9223372036854775807}", LW_E_ARG,
          "window is -9223372036854775807; need 1 to", S(1, 4));
    INFER("take", "{\"axis\": -3}", LW_E_ARG, "x has no axis -3; its rank is 2", S(2, 3, 4),
          S(1, 2));
    INFER("take", NULL, LW_E_SHAPE, "x of rank 4 and indices of 2 give rank 5; need at most 4",
          S(4, 1, 1, 1, 1), S(2, 1, 1));
    INFER("take", "{\"axis\": 1}", LW_E_SHAPE, "x of rank 2 has no 2 axes from axis 1 on",
          S(2, 3, 4), S(1, 2), S(1, 2));
    INFER("take", NULL, LW_E_SHAPE, "extents 2 and 3 do not", S(2, 3, 4), S(1, 2), S(1, 3));
    INFER("take_along_axis", NULL, LW_E_SHAPE, "x has rank 2 and the indices 1; need the same",
          S(2, 3, 4), S(1, 2));
    INFER("take_along_axis", "{\"axis\": 1}", LW_E_SHAPE, "extents 3 and 2 do not", S(2, 3, 4),
          S(2, 2, 4));
    INFER("permute", "{\"axes\": \"1\"}", LW_E_ARG, "axes is '1'; need `reversed`", S(0, 0));
    INFER("permute", "{\"axes\": \"0,0\"}", LW_E_ARG, "axes is '0,0'; need", S(2, 3, 4));
}

int main(int count, char **arguments)
{
    open_places(count, arguments);
    texts();
    numbers_of_json();
    values();
    lists();
    beyond_ranks();
    shapes();
    return close_places();
}
