/* block.c - the transformer block of block.py in C, with the same operations in the same order.
 *
 *     block FOLDER [DEVICE]     reads x and the weights that block.py left there, writes out_of_c
 *
 * Build: cc block.c $(pkg-config --cflags --libs lanewise-ops)
 */
#include <lanewise/ops.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOKENS = 48, WIDTH = 64, HEADS = 4, HIDDEN = 256, DEPTH = WIDTH / HEADS };

static lw_device *device;
static const char *folder;

static void need(lw_status status)
{
    if (status == LW_OK)
        return;
    fprintf(stderr, "%s\n", lw_last_error());
    exit(1);
}

static lw_tensor matrix(ptrdiff_t rows, ptrdiff_t columns)
{
    lw_buffer *b;

    need(lw_buffer_create(device, LW_F32, (size_t)(rows * columns), &b));
    return (lw_tensor){.buffer = b, .rank = 2, .extent = {rows, columns}};
}

static lw_tensor row(lw_tensor t)
{
    return (lw_tensor){.buffer = t.buffer, .rank = 1, .extent = {t.extent[1]}};
}

static FILE *open_file(const char *name, const char *mode)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file)
        perror(path), exit(1);
    return file;
}

static lw_tensor given(const char *name, ptrdiff_t rows, ptrdiff_t columns)
{
    static float values[WIDTH * HIDDEN];
    const size_t count = (size_t)(rows * columns);
    lw_tensor t = matrix(rows, columns);
    FILE *file = open_file(name, "rb");

    if (fread(values, sizeof *values, count, file) != count)
        fprintf(stderr, "%s is too short\n", name), exit(1);
    fclose(file);
    need(lw_buffer_write(t.buffer, 0, count, values));
    return t;
}

/* Part `k` of three side by side, as 1 x heads x tokens x depth. */
static lw_tensor heads(lw_tensor qkv, int k)
{
    lw_tensor part, split;

    need(lw_tensor_slice(qkv, 1, k * WIDTH, (k + 1) * WIDTH, 1, &part));
    need(lw_tensor_reshape(part, 4, (ptrdiff_t[]){1, TOKENS, HEADS, DEPTH}, &split));
    need(lw_tensor_permute(split, (int[]){0, 2, 1, 3}, &split));
    return split;
}

int main(int argc, char **argv)
{
    static float values[TOKENS * WIDTH];
    lw_stream *s;

    if (argc < 2)
        return fprintf(stderr, "need the folder that block.py has written\n"), 2;
    folder = argv[1];
    need(lw_device_open(argc > 2 ? argv[2] : "cpu", &device));
    need(lw_stream_create(device, &s));
    const lw_tensor x = given("x", TOKENS, WIDTH), qkv_of = given("qkv", WIDTH, 3 * WIDTH);
    const lw_tensor out_of = given("out", WIDTH, WIDTH), up = given("up", WIDTH, HIDDEN);
    const lw_tensor down = given("down", HIDDEN, WIDTH), up_bias = given("up_bias", 1, HIDDEN);
    const lw_tensor scale1 = row(given("scale1", 1, WIDTH)),
                    shift1 = row(given("shift1", 1, WIDTH));
    const lw_tensor scale2 = row(given("scale2", 1, WIDTH)),
                    shift2 = row(given("shift2", 1, WIDTH));
    const lw_tensor normed = matrix(TOKENS, WIDTH), qkv = matrix(TOKENS, 3 * WIDTH);
    const lw_tensor joined = matrix(TOKENS, WIDTH), added = matrix(TOKENS, WIDTH);
    const lw_tensor y = matrix(TOKENS, WIDTH), hidden = matrix(TOKENS, HIDDEN);
    lw_tensor seen;

    need(lw_layer_norm(s, normed, x, &(lw_norm_options){.weight = &scale1, .bias = &shift1}));
    need(lw_matmul(s, qkv, normed, qkv_of, NULL));
    need(lw_tensor_reshape(joined, 4, (ptrdiff_t[]){1, TOKENS, HEADS, DEPTH}, &seen));
    need(lw_tensor_permute(seen, (int[]){0, 2, 1, 3}, &seen));
    need(lw_attention(s, seen, heads(qkv, 0), heads(qkv, 1), heads(qkv, 2),
                      &(lw_attention_options){.scale = 0.25, .causal = true}));
    need(lw_matmul(s, y, joined, out_of, NULL));
    need(lw_map(s, added, "a + b", (lw_tensor[]){x, y}, 2));
    need(lw_layer_norm(s, normed, added, &(lw_norm_options){.weight = &scale2, .bias = &shift2}));
    need(lw_matmul(s, hidden, normed, up, NULL));
    need(lw_map(s, hidden,
                "({ const float x = a + b;\n"
                "   0.5f * x * (1 + tanh(0.7978845608f * (x + 0.044715f * x * x * x))); })",
                (lw_tensor[]){hidden, row(up_bias)}, 2));
    need(lw_matmul(s, y, hidden, down, NULL));
    need(lw_map(s, y, "a + b", (lw_tensor[]){added, y}, 2));
    need(lw_stream_wait(s));
    need(lw_buffer_read(y.buffer, 0, TOKENS * WIDTH, values));
    FILE *file = open_file("out_of_c", "wb");
    const size_t written = fwrite(values, sizeof *values, TOKENS * WIDTH, file);
    return fclose(file) != 0 || written != TOKENS * WIDTH;
}
