/* lw_map_many on the device that the argument names: outputs, names, numbers, C that comes before,
 * and inputs that are views of rows. */
#include "ops_test.h"

enum { ROWS = 5, ROW = 70, COUNT = ROWS * ROW };

static struct opened here;

static lw_buffer *counted(size_t count)
{
    float *x = malloc(count * sizeof *x);

    for (size_t i = 0; i < count; i++)
        x[i] = (float)i;
    lw_buffer *b = buffer_with(here.device, LW_F32, count, x);
    free(x);
    return b;
}

static lw_tensor matrix(lw_buffer *b, ptrdiff_t rows, ptrdiff_t columns)
{
    return (lw_tensor){.buffer = b, .rank = 2, .extent = {rows, columns}};
}

/* out[r][c], as a function of the same in C. */
static void expect(lw_buffer *out, float (*want)(size_t row, size_t column), int line)
{
    float got[COUNT];
    size_t wrong = 0;

    WORKS(lw_stream_wait(here.stream));
    WORKS(lw_buffer_read(out, 0, COUNT, got));
    for (size_t i = 0; i < COUNT; i++)
        wrong += !(got[i] == want(i / ROW, i % ROW));
    check(!wrong, "all elements are right", __FILE__, line);
}

static float sum_of_both(size_t row, size_t column)
{
    return (float)(row * ROW + column) + 3 * (float)column;
}

static float their_difference(size_t row, size_t column)
{
    return (float)(row * ROW + column) - (float)row;
}

static float turned_around(size_t row, size_t column)
{
    return (float)((ROWS - 1 - row) * ROW + column) + (float)(column * ROWS + row) + 0.5f;
}

static void two_outputs(lw_buffer *first, lw_buffer *second, lw_buffer *x)
{
    lw_buffer *line = counted(ROW), *side = counted(ROWS);
    const lw_tensor outs[] = {matrix(first, ROWS, ROW), matrix(second, ROWS, ROW)};
    const lw_tensor inputs[] = {matrix(x, ROWS, ROW), matrix(line, 1, ROW), matrix(side, ROWS, 1)};
    const lw_map_number three = {"times", lw_arg_real(3)};
    const lw_map_options options = {(const char *const[]){"it", "line", "side"}, &three, 1,
                                    "static float plus(float x, float y) { return x + y; }"};

    WORKS(lw_map_many(here.stream, outs,
                      (const char *const[]){"plus(it, (float)times * line)", "it - side"}, 2,
                      inputs, 3, &options));
    expect(first, sum_of_both, __LINE__);
    expect(second, their_difference, __LINE__);
    lw_buffer_destroy(line);
    lw_buffer_destroy(side);
}

/* Rows from the last on are read in place; columns are copied. */
static void views(lw_buffer *out, lw_buffer *x)
{
    const lw_tensor inputs[] = {
        {x, (ROWS - 1) * ROW, 2, {ROWS, ROW}, {-ROW, 1}, true},
        {x, 0, 2, {ROWS, ROW}, {1, ROWS}, true},
    };

    WORKS(lw_map(here.stream, matrix(out, ROWS, ROW), "a + b + 0.5f", inputs, 2));
    expect(out, turned_around, __LINE__);
}

static float of_short_rows(size_t row, size_t column)
{
    const size_t i = row * ROW + column; /* as rows of 7 */

    return (float)i + (float)(i % 7) * 2 - (float)(i / 7);
}

static void short_rows(lw_buffer *out, lw_buffer *x)
{
    lw_buffer *line = counted(7), *side = counted(COUNT / 7);
    const lw_tensor inputs[] = {matrix(x, COUNT / 7, 7), matrix(line, 1, 7),
                                matrix(side, COUNT / 7, 1)};

    WORKS(lw_map(here.stream, matrix(out, COUNT / 7, 7), "a + b * 2 - c", inputs, 3));
    expect(out, of_short_rows, __LINE__);
    lw_buffer_destroy(line);
    lw_buffer_destroy(side);
}

static void refuses(lw_status status, const char *text, int line)
{
    check(status == LW_E_ARG && strstr(lw_last_error(), text), text, __FILE__, line);
}

static void wrong_calls(lw_buffer *out, lw_buffer *x)
{
    const lw_tensor to[5] = {matrix(out, ROWS, ROW)}, in = matrix(x, ROWS, ROW);
    const char *const one[] = {"a", "a", "a", "a", "a"};
    const lw_map_number bytes = {"p", lw_arg_bytes(one, 8)};
    lw_map_options options = {.names = (const char *const[]){"2a"}};

    refuses(lw_map_many(here.stream, to, one, 0, &in, 1, NULL), "0 outputs; need 1 to 4", __LINE__);
    refuses(lw_map_many(here.stream, to, one, 5, &in, 1, NULL), "5 outputs", __LINE__);
    refuses(lw_map_many(here.stream, to, NULL, 1, &in, 1, NULL), "expressions is NULL", __LINE__);
    refuses(lw_map_many(here.stream, to, one, 1, &in, 1, &options), "the name '2a'", __LINE__);
    options = (lw_map_options){.numbers = &bytes, .number_count = 1};
    refuses(lw_map_many(here.stream, to, one, 1, &in, 1, &options), "the number p is", __LINE__);
    options.number_count = 17;
    refuses(lw_map_many(here.stream, to, one, 1, &in, 1, &options), "17 numbers", __LINE__);
    const lw_tensor same[] = {to[0], to[0]};
    refuses(lw_map_many(here.stream, same, one, 2, &in, 1, NULL), "overlaps", __LINE__);
}

int main(int argc, char **argv)
{
    const struct setting setting = {argc > 1 ? argv[1] : "cpu", NULL, "2"};

    open_device(&setting, &here);
    if (!here.device) {
        printf("skipped: %s\n", lw_last_error());
        return 77;
    }
    lw_buffer *x = counted(COUNT), *first = counted(COUNT), *second = counted(COUNT);
    two_outputs(first, second, x);
    views(first, x);
    short_rows(first, x);
    wrong_calls(first, x);
    lw_buffer_destroy(x);
    lw_buffer_destroy(first);
    lw_buffer_destroy(second);
    close_device(&here);
    printf("%d failures\n", failures);
    return failures != 0;
}
