/* ops_wrong_options - options, expressions and shapes of inputs that an operation refuses: the
 * error with its values, and that nothing runs. Argument: the device. */
#include "ops_wrong.h"

/* Other tensors of the first input's memory, and of integers. */
static lw_buffer *integers;

static lw_tensor of(lw_buffer *b, int rank, ptrdiff_t e0, ptrdiff_t e1, ptrdiff_t e2, ptrdiff_t e3)
{
    return tensor(b, rank, e0, e1, e2, e3);
}

#define IN(k, rank, ...) c.in[k] = of(place.in[k], rank, __VA_ARGS__)
#define OUT(rank, ...) c.out = of(c.out.buffer, rank, __VA_ARGS__)

/* ---- axes ---- */

static void wrong_axes(const char *name)
{
    char text[80];

    snprintf(text, sizeof text, "%s: %s has no axis", name,
             !strcmp(name, "map_reduce") ? "the inputs" : "x");
    WRONG(name, c.axis = LW_AXIS(2), LW_E_ARG, " has no axis 2; its rank is 2");
    WRONG(name, c.axis = -3, LW_E_ARG, " has no axis -3; its rank is 2");
    WRONG(name, c.axis = INT_MAX, LW_E_ARG, " has no axis 2147483646; its rank is 2");
    WRONG(name, c.axis = INT_MIN, LW_E_ARG, " has no axis -2147483648; its rank is 2");
    WRONG(name, c.axis = LW_AXIS(2), LW_E_ARG, text);
}

static void axes_of_nothing(const char *name)
{
    WRONG(name, IN(0, 0, 0, 0, 0, 0); OUT(0, 0, 0, 0, 0);
          c.axis = LW_AXIS(0), LW_E_ARG, "x has no axis 0; its rank is 0");
}

/* ---- reductions ---- */

static void reductions(void)
{
    static const char *const names[] = {"sum", "prod", "max",    "min",   "mean",
                                        "any", "all",  "argmax", "argmin"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        wrong_axes(names[k]);
        axes_of_nothing(names[k]);
        WRONG(names[k], c.sum = (lw_sum_order)7, LW_E_ARG,
              "sum is 7; need LW_SUM_FIXED, _EXACT or _FREE");
        WRONG(names[k], c.sum = (lw_sum_order)-1, LW_E_ARG, "sum is -1; need");
        WRONG(names[k], c.axis = 0, LW_E_SHAPE, "out has shape (2,); need ()");
        WRONG(names[k], c.keepdims = true, LW_E_SHAPE, "out has shape (2,); need (2, 1)");
        WRONG(names[k], c.axis = LW_AXIS(0), LW_E_SHAPE, "out has shape (2,); need (3,)");
    }
    WRONG("dot", c.sum = (lw_sum_order)3, LW_E_ARG, "sum is 3; need");
    WRONG("prod", c.sum = LW_SUM_EXACT, LW_E_ARG, "sum is LW_SUM_EXACT");
}

static void reductions_of_nothing(void)
{
    static const char *const names[] = {"max", "min", "argmax", "argmin"};

    for (size_t k = 0; k < 4; k++) {
        WRONG(names[k], IN(0, 2, 2, 0, 0, 0), LW_E_SHAPE, "x of shape (2, 0) has nothing");
        WRONG(names[k], IN(0, 1, 0, 0, 0, 0); OUT(0, 0, 0, 0, 0);
              c.axis = 0, LW_E_SHAPE, "x of shape (0,) has nothing");
    }
    WRONG("argmax", c.out.buffer = place.out[LW_F32], LW_E_DTYPE, "out is of f32; need i64");
    WRONG("argmin", c.out.buffer = place.out[LW_U64], LW_E_DTYPE, "out is of u64; need i64");
}

static void vectors(void)
{
    WRONG("dot", IN(0, 2, 2, 3, 0, 0), LW_E_SHAPE, "x has rank 2; need 1");
    WRONG("dot", IN(0, 0, 0, 0, 0, 0), LW_E_SHAPE, "x has rank 0; need 1");
    WRONG("dot", IN(1, 1, 5, 0, 0, 0), LW_E_SHAPE, "x has shape (6,) and y has (5,)");
    WRONG("dot", IN(1, 2, 6, 1, 0, 0), LW_E_SHAPE, "x has shape (6,) and y has (6, 1)");
}

/* ---- elements that are selected ---- */

/* Of indices of two axes: the next row. */
#define TAKE_TWO(change, status, text)                                                             \
    WRONG("take", good_call(&place, operation_of("take") + 1, &c); change, status, text)

static void selections(void)
{
    WRONG("take", c.axis = LW_AXIS(2), LW_E_ARG, "x has no axis 2; its rank is 2");
    WRONG("take", c.axis = LW_AXIS(-3), LW_E_ARG, "x has no axis -3; its rank is 2");
    WRONG("take", IN(0, 0, 0, 0, 0, 0), LW_E_ARG, "x has no axis 0; its rank is 0");
    WRONG("take", c.in[1].buffer = place.in[1], LW_E_DTYPE,
          "indices are of f32; need an integer type");
    WRONG("take", c.in[1].buffer = place.out[LW_BOOL], LW_E_DTYPE, "indices are of bool; need");
    WRONG("take", IN(0, 4, 1, 1, 1, 1);
          c.in[1] = of(c.in[1].buffer, 2, 1, 2, 0, 0), LW_E_SHAPE,
          "x of shape (1, 1, 1, 1) and indices of (1, 2) give rank 5; need at most 4");
    WRONG("take", c.in[1] = of(c.in[1].buffer, 1, 3, 0, 0, 0), LW_E_SHAPE,
          "out has shape (2, 2); need (3, 2)");
    WRONG("take", c.axis = LW_AXIS(1), LW_E_SHAPE, "out has shape (2, 2); need (4, 2)");
    TAKE_TWO(c.axis = LW_AXIS(1), LW_E_SHAPE, "x of shape (4, 4) has no 2 axes from axis 1 on");
    TAKE_TWO(c.in[2] = of(c.in[2].buffer, 1, 3, 0, 0, 0), LW_E_SHAPE, "out has shape (2, 2); need");
    TAKE_TWO(c.in[1] = of(c.in[1].buffer, 1, 3, 0, 0, 0), LW_E_SHAPE,
             "indices of shape (3,) and (1, 2) do not broadcast");
    WRONG("take_along_axis", c.axis = LW_AXIS(2), LW_E_ARG, "x has no axis 2; its rank is 2");
    WRONG("take_along_axis", IN(0, 0, 0, 0, 0, 0), LW_E_ARG, "x has no axis -1; its rank is 0");
    WRONG("take_along_axis", c.in[1].buffer = place.in[1], LW_E_DTYPE,
          "indices are of f32; need an integer type");
    WRONG("take_along_axis", IN(0, 2, 3, 5, 0, 0), LW_E_SHAPE,
          "x has shape (3, 5) and the indices (2, 2); need the same rank, and extents that");
    WRONG("take_along_axis", IN(0, 1, 5, 0, 0, 0), LW_E_SHAPE,
          "x has shape (5,) and the indices (2, 2); need the same rank");
    WRONG("take_along_axis", OUT(2, 2, 3, 0, 0), LW_E_SHAPE, "out has shape (2, 3); need (2, 2)");
    WRONG("scatter", c.axis = LW_AXIS(2), LW_E_ARG, "x has no axis 2; its rank is 2");
    WRONG("scatter", c.in[1].buffer = place.in[1], LW_E_DTYPE,
          "indices are of f32; need an integer type");
    WRONG("scatter", IN(2, 2, 2, 3, 0, 0), LW_E_SHAPE,
          "values of shape (2, 3) do not broadcast to (2, 2)");
    WRONG("scatter", IN(2, 3, 1, 2, 2, 0), LW_E_SHAPE,
          "values of shape (1, 2, 2) do not broadcast to (2, 2)");
    WRONG("scatter", OUT(2, 4, 3, 0, 0), LW_E_SHAPE, "out has shape (4, 3) and x has (4, 2)");
    WRONG("scatter_add", c.out.buffer = place.out[LW_I32], LW_E_DTYPE,
          "out is of i32 and the values of f32; need integers for both");
    WRONG("searchsorted", IN(0, 2, 2, 2, 0, 0), LW_E_SHAPE, "sorted has shape (2, 2); need rank 1");
    WRONG("searchsorted", OUT(2, 3, 2, 0, 0), LW_E_SHAPE, "out has shape (3, 2) and values has");
    WRONG("searchsorted", c.out.buffer = place.out[LW_I32], LW_E_DTYPE, "out is of i32; need i64");
    WRONG("compact", IN(0, 2, 3, 1, 0, 0), LW_E_SHAPE, "x has shape (3, 1); need rank 1");
    WRONG("compact", IN(1, 1, 2, 0, 0, 0), LW_E_SHAPE, "x has shape (3,) and mask has (2,)");
    WRONG("compact", OUT(1, 2, 0, 0, 0), LW_E_SHAPE, "x has shape (3,) and out has (2,)");
    WRONG("compact", c.second.rank = 1;
          c.second.extent[0] = 1, LW_E_SHAPE, "count has shape (1,); need ()");
    WRONG("compact", c.second.buffer = place.out[LW_I32], LW_E_DTYPE, "count is of i32; need i64");
    WRONG("compact", c.second.buffer = NULL, LW_E_ARG, "count has no buffer");
    WRONG("compact", c.out.buffer = c.second.buffer, LW_E_ARG,
          "the output count, from element 0 on, overlaps out, from 0 on");
}

static void convolutions(void)
{
    WRONG("conv1d", c.pad = -1, LW_E_ARG, "pad is -1 and stride 0; need at least 0 and 1");
    WRONG("conv2d", c.stride = -2, LW_E_ARG, "pad is 0 and stride -2; need at least 0 and 1");
    WRONG("conv1d", IN(0, 2, 2, 3, 0, 0), LW_E_SHAPE,
          "need (w) and (k), or (n, c, w) and (o, c, k)");
    WRONG("conv2d", IN(1, 1, 2, 0, 0, 0), LW_E_SHAPE,
          "x has shape (3, 3) and filter (2,); need (h,");
    WRONG("conv1d", IN(1, 1, 5, 0, 0, 0), LW_E_SHAPE, "filter of shape (5,) does not fit x of");
    WRONG("conv1d", IN(1, 1, 0, 0, 0, 0), LW_E_SHAPE, "filter of shape (0,) does not fit x of");
    WRONG("conv2d", IN(0, 4, 1, 2, 2, 2);
          IN(1, 4, 1, 3, 2, 2), LW_E_SHAPE,
          "filter of shape (1, 3, 2, 2) does not fit x of shape (1, 2, 2, 2)");
    WRONG("conv1d", c.stride = 2, LW_E_SHAPE, "out has shape (2,); need (1,)");
    WRONG("conv2d", c.pad = 1, LW_E_SHAPE, "out has shape (2, 2); need (2, 4)");
}

static void histograms(void)
{
    WRONG("histogram", c.high = -1, LW_E_ARG, "low is 0 and high -1; need finite ones, low below");
    WRONG("histogram", c.high = (double)NAN, LW_E_ARG, "low is 0 and high nan; need finite");
    WRONG("histogram", c.high = (double)INFINITY, LW_E_ARG, "low is 0 and high inf; need finite");
    WRONG("histogram", OUT(1, 0, 0, 0, 0), LW_E_SHAPE, "counts has shape (0,); need (bins,), at");
    WRONG("histogram", OUT(2, 1, 2, 0, 0), LW_E_SHAPE, "counts has shape (1, 2); need (bins,)");
    WRONG("histogram", c.out.buffer = place.out[LW_F32], LW_E_DTYPE, "counts is of f32; need i32");
}

static void sorts(void)
{
    wrong_axes("sort");
    wrong_axes("argsort");
    WRONG("top_k", c.axis = LW_AXIS(1), LW_E_ARG, "x has no axis 1; its rank is 1");
    WRONG("sort", IN(0, 2, 2, 4, 0, 0), LW_E_SHAPE, "out has shape (2, 3) and x has (2, 4)");
    WRONG("argsort", c.out.buffer = place.out[LW_I32], LW_E_DTYPE, "out is of i32; need i64");
    WRONG("top_k", c.second.buffer = place.out[LW_U64], LW_E_DTYPE, "indices is of u64; need i64");
    WRONG("top_k", c.out.extent[0] = 4, LW_E_SHAPE,
          "values has shape (4,) and x has (3,): there are no 4 largest");
    WRONG("top_k", c.out.extent[0] = 1, LW_E_SHAPE, "values has shape (1,) and indices has (2,)");
    WRONG("top_k", c.second.buffer = NULL, LW_E_ARG, "indices has no buffer");
}

/* ---- expressions ---- */

static void expressions(const char *name, const char *what)
{
    static char text[1 << 17];
    char begin[80];

    snprintf(begin, sizeof begin, "%s: the %s is ", name, what);
    WRONG(name, c.expression = NULL, LW_E_ARG, strcat(begin, "NULL"));
    WRONG(name, c.expression = "", LW_E_ARG, " is empty");
    WRONG(name, c.expression = " \t\n", LW_E_ARG, " is empty");
    WRONG(name, c.expression = "a) + (a", LW_E_ARG, " 'a) + (a' has a ')' too many, at 2");
    WRONG(name, c.expression = "a}; {a", LW_E_ARG, "a '}' too many, at 2");
    WRONG(name, c.expression = "a + (b]", LW_E_ARG, "a ']' too many, at 7");
    WRONG(name, c.expression = "(a + b[0]", LW_E_ARG, "lacks a ')'");
    memset(text, '1', sizeof text - 1);
    WRONG(name, c.expression = text, LW_E_ARG, "the expression is too long");
    WRONG(name, c.count = 9, LW_E_ARG, "there are 9 inputs; need at most 8");
    WRONG(name, c.count = SIZE_MAX, LW_E_ARG, "there are 18446744073709551615 inputs");
    WRONG(name, c.list = NULL, LW_E_ARG, "the list of 2 inputs is NULL");
}

/* Brackets in literals and comments are none. */
static void other_brackets(void)
{
    const float result = 'a' - '(' + 1;
    struct call c;

    good_call(&place, operation_of("map"), &c);
    c.expression = "a + 'a' /* :-) it's */ - '(' + 0 * \")\\\"]\"[0]";
    WORKS(c.op->run(&c));
    WORKS(lw_stream_wait(place.stream));
    float got;
    WORKS(lw_buffer_read(c.out.buffer, 0, 1, &got));
    CHECK(got == result);
    CHECK(is_good(&place, c.op));
}

/* What does not compile; its message begins with the place, not with the operation. */
static void does_not_compile(const char *name, const char *expression, const char *text)
{
    struct call c;

    good_call(&place, operation_of(name), &c);
    c.expression = expression;
    CHECK(c.op->run(&c) == LW_E_COMPILE && strstr(lw_last_error(), text) == lw_last_error());
    CHECK(is_good(&place, c.op));
}

static void maps(void)
{
    expressions("map", "expression");
    expressions("map_reduce", "map");
    other_brackets();
    does_not_compile("map", "a + '", "expression:1:5: expected expression");
    does_not_compile("map", "a +",
                     "expression:1:4: expected expression\n    1 | a +\n      |    ^");
    does_not_compile("map", "a + // 2)", "expression:2:1: expected expression");
    does_not_compile("map", "a + zz", "expression:1:5: use of undeclared identifier 'zz'");
    does_not_compile("map_reduce", "zz", "map:1:1: use of undeclared identifier 'zz'");
    WRONG("map_reduce", c.combine = NULL, LW_E_ARG, "the combine is NULL");
    WRONG("map_reduce", c.combine = " ", LW_E_ARG, "the combine is empty");
    WRONG("map_reduce", c.combine = "x + y)", LW_E_ARG, "a ')' too many, at 6");
    WRONG("map", IN(1, 1, 4, 0, 0, 0), LW_E_SHAPE, "b has shape (4,), which does not broadcast to");
    WRONG("map", IN(1, 3, 1, 2, 3, 0), LW_E_SHAPE, "b has shape (1, 2, 3), which does not");
    WRONG("map_reduce", IN(1, 1, 4, 0, 0, 0), LW_E_SHAPE,
          "b has shape (4,), which does not fit (2, 3)");
    wrong_axes("map_reduce");
    WRONG("map_reduce", c.axis = 0, LW_E_SHAPE, "out has shape (2,); need ()");
    WRONG("map_reduce", c.keepdims = true, LW_E_SHAPE, "out has shape (2,); need (2, 1)");
}

/* More places than there are numbers for: each input has few elements, which repeat. */
static void endless_places(void)
{
    const lw_tensor rows = {
        .buffer = place.in[0], .rank = 3, .extent = {(ptrdiff_t)1 << 40, 1, 1}, .strided = true};
    lw_tensor columns = rows;

    columns.extent[0] = 1;
    columns.extent[1] = (ptrdiff_t)1 << 40;
    WRONG("map_reduce", c.in[0] = rows; c.in[1] = columns; c.axis = 0;
          OUT(0, 0, 0, 0, 0), LW_E_SHAPE, "shape (1099511627776, 1099511627776, 1)");
}

/* ---- rows and windows ---- */

static void scans(void)
{
    wrong_axes("scan");
    axes_of_nothing("scan");
    WRONG("scan", c.scan = (lw_scan_op)4, LW_E_ARG, "op is 4; need LW_SCAN_ADD, _MUL, _MAX or");
    WRONG("scan", c.scan = (lw_scan_op)-1, LW_E_ARG, "op is -1; need");
    WRONG("scan", IN(0, 2, 3, 2, 0, 0), LW_E_SHAPE, "out has shape (2, 3) and x has (3, 2)");
}

static void windows(void)
{
    wrong_axes("difference");
    wrong_axes("moving_average");
    axes_of_nothing("difference");
    axes_of_nothing("moving_average");
    WRONG("difference", c.edge = LW_EDGE_SHRINK, LW_E_ARG, "edge is 2; need LW_EDGE_VALID or");
    WRONG("difference", c.edge = (lw_edge)-1, LW_E_ARG, "edge is -1; need");
    WRONG("difference", c.edge = LW_EDGE_ZERO, LW_E_SHAPE, "out has shape (2, 2); need (2, 3)");
    WRONG("moving_average", c.edge = LW_EDGE_ZERO, LW_E_ARG, "edge is 1; need LW_EDGE_VALID or");
    WRONG("moving_average", c.edge = (lw_edge)3, LW_E_ARG, "edge is 3; need");
    WRONG("moving_average", c.edge = LW_EDGE_SHRINK, LW_E_SHAPE, "has shape (2, 2); need (2, 3)");
    WRONG("moving_average", c.window = -1, LW_E_ARG, "window is -1; need at least 1");
    WRONG("moving_average", c.window = INT_MIN, LW_E_ARG, "window is -2147483648; need at least");
    WRONG("moving_average", c.window = INT_MAX, LW_E_SHAPE, "out has shape (2, 2); need (2, 0)");
    WRONG("moving_average", c.window = 0, LW_E_SHAPE, "out has shape (2, 2); need (2, 1)");
}

static void norms(void)
{
    static const char *const names[] = {"mean_normalize", "layer_norm", "rms_norm", "softmax",
                                        "log_softmax"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        wrong_axes(names[k]);
        axes_of_nothing(names[k]);
        WRONG(names[k], c.in[0].buffer = integers, LW_E_DTYPE,
              "x is of i32; need f16, bf16, f32 or f64");
        WRONG(names[k], c.in[0].buffer = place.out[LW_BOOL], LW_E_DTYPE, "x is of bool; need");
        WRONG(names[k], c.out.buffer = place.out[LW_U16], LW_E_DTYPE, "out is of u16; need");
        WRONG(names[k], IN(0, 2, 2, 4, 0, 0), LW_E_SHAPE, "has shape (2, 3) and x has (2, 4)");
    }
}

static void weights(void)
{
    WRONG("softmax", c.in[1] = c.in[0]; c.count = 2, LW_E_ARG, "softmax takes no weight");
    WRONG("log_softmax", c.in[1] = c.in[0]; c.count = 2, LW_E_ARG, "takes no weight");
    WRONG("mean_normalize", c.in[1] = c.in[0]; c.count = 2, LW_E_ARG, "takes no weight");
    WRONG("rms_norm", c.in[2] = c.in[1]; c.count = 3, LW_E_ARG, "rms_norm takes no bias");
    WRONG("layer_norm", IN(1, 1, 2, 0, 0, 0), LW_E_SHAPE, "weight has shape (2,); need (3,)");
    WRONG("layer_norm", IN(2, 2, 1, 3, 0, 0), LW_E_SHAPE, "bias has shape (1, 3); need (3,)");
    WRONG("rms_norm", IN(1, 0, 0, 0, 0, 0), LW_E_SHAPE, "weight has shape (); need (3,)");
    WRONG("rms_norm", c.in[1].buffer = integers, LW_E_DTYPE, "weight is of i32; need");
    WRONG("layer_norm", c.in[2].buffer = integers, LW_E_DTYPE, "bias is of i32; need");
    WRONG("layer_norm", c.eps = -1e-5, LW_E_ARG, "eps is -1e-05; need at least 0");
    WRONG("rms_norm", c.eps = (double)NAN, LW_E_ARG, "eps is nan; need at least 0");
}

/* ---- copies ---- */

static void copies(void)
{
    WRONG("copy", IN(0, 2, 3, 2, 0, 0), LW_E_SHAPE, "out has shape (2, 3) and x has (3, 2)");
    WRONG("permute", c.axes = ((const int[]){0, 0}), LW_E_ARG, "axes[1] is 0; need each axis");
    WRONG("permute", c.axes = ((const int[]){1, 2}), LW_E_ARG, "axes[1] is 2; need each axis");
    WRONG("permute", c.axes = ((const int[]){-3, 0}), LW_E_ARG, "axes[0] is -3; need each axis");
    WRONG("permute", c.axes = ((const int[]){INT_MAX, 0}), LW_E_ARG, "axes[0] is 2147483647;");
    WRONG("permute", c.axes = ((const int[]){INT_MIN, 0}), LW_E_ARG, "axes[0] is -2147483648;");
    WRONG("permute", c.axes = ((const int[]){0, 1}), LW_E_SHAPE,
          "out has shape (3, 2) and x has (2, 3)");
    WRONG("permute", IN(0, 3, 2, 3, 1, 0);
          c.axes = NULL, LW_E_SHAPE, "out has shape (3, 2) and x has (1, 3, 2)");
}

/* ---- contractions ---- */

static void contractions(void)
{
    static const char *const names[] = {"matmul", "attention", "conv1d", "conv2d"};

    for (int i = 0; i < 4; i++) {
        WRONG(names[i], c.sum = LW_SUM_EXACT, LW_E_ARG,
              "sum is LW_SUM_EXACT; need LW_SUM_FIXED or _FREE");
        WRONG(names[i], c.sum = 3, LW_E_ARG, "sum is 3; need LW_SUM_FIXED or _FREE");
    }
}

static void matmuls(void)
{
    WRONG("matmul", IN(1, 2, 2, 2, 0, 0), LW_E_SHAPE, "x has shape (2, 3) and y has (2, 2)");
    WRONG("matmul", IN(0, 0, 0, 0, 0, 0), LW_E_SHAPE, "x has shape () and y has (3, 2)");
    WRONG("matmul", IN(1, 0, 0, 0, 0, 0), LW_E_SHAPE, "x has shape (2, 3) and y has ()");
    WRONG("matmul", IN(1, 1, 2, 0, 0, 0), LW_E_SHAPE, "x has shape (2, 3) and y has (2,)");
    WRONG("matmul", IN(0, 3, 2, 2, 3, 0);
          IN(1, 3, 3, 3, 2, 0), LW_E_SHAPE, "x has shape (2, 2, 3) and y has (3, 3, 2)");
    WRONG("matmul", IN(0, 3, 2, 2, 3, 0), LW_E_SHAPE, "out has shape (2, 2); need (2, 2, 2)");
    WRONG("matmul", IN(0, 1, 3, 0, 0, 0), LW_E_SHAPE, "out has shape (2, 2); need (2,)");
    WRONG("matmul", IN(2, 1, 3, 0, 0, 0), LW_E_SHAPE, "bias has shape (3,); need one that");
    WRONG("matmul", IN(2, 3, 1, 2, 2, 0), LW_E_SHAPE, "bias has shape (1, 2, 2); need one that");
}

static void attentions(void)
{
    WRONG("attention", IN(1, 2, 3, 3, 0, 0), LW_E_SHAPE, "q has shape (2, 2), k has (3, 3)");
    WRONG("attention", IN(2, 2, 4, 2, 0, 0), LW_E_SHAPE, "and v has (4, 2); need");
    WRONG("attention", IN(0, 0, 0, 0, 0, 0), LW_E_SHAPE, "q has shape (), k has (3, 2)");
    WRONG("attention", IN(0, 3, 1, 2, 2, 0), LW_E_SHAPE, "q has shape (1, 2, 2), k has (3, 2)");
    WRONG("attention", IN(1, 1, 2, 0, 0, 0), LW_E_SHAPE, "k has (2,) and v has (3, 2)");
    WRONG("attention", IN(0, 4, 1, 3, 1, 2); IN(1, 4, 1, 2, 3, 2);
          IN(2, 4, 1, 2, 3, 2), LW_E_SHAPE, "q has shape (1, 3, 1, 2), k has (1, 2, 3, 2)");
    WRONG("attention", IN(0, 4, 1, 2, 1, 2); IN(1, 4, 1, 0, 3, 2);
          IN(2, 4, 1, 0, 3, 2), LW_E_SHAPE, "k has (1, 0, 3, 2)");
    WRONG("attention", IN(0, 4, 2, 2, 1, 2); IN(1, 4, 1, 2, 3, 2);
          IN(2, 4, 1, 2, 3, 2), LW_E_SHAPE, "q has shape (2, 2, 1, 2), k has (1, 2, 3, 2)");
    WRONG("attention", c.in[1].buffer = place.out[LW_F64], LW_E_DTYPE, "are f32, f64 and f32");
    WRONG("attention", for (int k = 0; k < 3; k++) c.in[k].buffer = integers, LW_E_DTYPE,
          "are i32, i32 and i32; need one floating type");
    WRONG("attention", c.window = -1, LW_E_ARG, "window is -1; need 0 (all keys) or more");
    WRONG("attention", c.window = INT_MIN, LW_E_ARG, "window is -2147483648; need 0");
}

/* The second output. */
static void attention_weights(void)
{
    lw_buffer *b = place.in[3];

#define WEIGHTS(...) c.has_weights = true, c.weights = __VA_ARGS__
    WRONG("attention", WEIGHTS(of(b, 2, 2, 2, 0, 0)), LW_E_SHAPE,
          "weights has shape (2, 2); need (2, 3)");
    WRONG("attention", WEIGHTS(of(b, 1, 6, 0, 0, 0)), LW_E_SHAPE,
          "weights has shape (6,); need (2, 3)");
    WRONG("attention", WEIGHTS(of(NULL, 2, 2, 3, 0, 0)), LW_E_ARG, "weights has no buffer");
    WRONG("attention", WEIGHTS(of(place.in[2], 2, 2, 3, 0, 0)), LW_E_ARG,
          "the output weights, from element 0 on, overlaps v");
    WRONG("attention", WEIGHTS(of(c.out.buffer, 2, 2, 3, 0, 0)), LW_E_ARG, "overlaps weights");
    WRONG("attention", WEIGHTS(of(b, 2, 2, 3, 0, 0));
          c.weights.strided = true, LW_E_ARG,
          "the output weights share memory: strides 0, 0, 0, 0");
    WRONG("attention", WEIGHTS(of(other.in[0], 2, 2, 3, 0, 0)), LW_E_DEVICE, "weights is on");
#undef WEIGHTS
}

int main(int count, char **arguments)
{
    open_places(count, arguments);
    integers = numbers(place.device, LW_I32);
    reductions();
    reductions_of_nothing();
    vectors();
    selections();
    convolutions();
    histograms();
    sorts();
    maps();
    endless_places();
    scans();
    windows();
    norms();
    weights();
    copies();
    contractions();
    matmuls();
    attentions();
    attention_weights();
    lw_buffer_destroy(integers);
    return close_places();
}
