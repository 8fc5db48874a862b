/* Inputs in read-only memory, on the device that the argument names: every operation takes them,
 * and those that sort at each length that has kernels of its own. "small" leaves out the lengths
 * at which processors sort by parts. */
#include "ops_calls.h"

static struct place place;

/* The buffer's memory once more, read-only. */
static lw_buffer *read_only(lw_buffer *b)
{
    lw_buffer *wrapped = NULL;

    WORKS(lw_buffer_wrap(place.device, lw_buffer_dtype(b), lw_buffer_count(b), lw_buffer_address(b),
                         true, NULL, NULL, &wrapped));
    return wrapped;
}

static void good_calls(void)
{
    struct place writable = place;

    for (int k = 0; k < INPUTS; k++) {
        place.in[k] = read_only(writable.in[k]);
        place.integers[k] = read_only(writable.integers[k]);
    }
    for (size_t k = 0; k < OPERATIONS; k++)
        if (!is_good(&place, &operations[k])) {
            failures++;
            printf("%s: %s\n", operations[k].name, lw_last_error());
        }
    for (int k = 0; k < INPUTS; k++) {
        lw_buffer_destroy(place.in[k]);
        lw_buffer_destroy(place.integers[k]);
        place.in[k] = writable.in[k];
        place.integers[k] = writable.integers[k];
    }
}

/* n falling numbers of a dtype; those of the results are found by their indices. */
static void sorts(lw_dtype dtype, ptrdiff_t n)
{
    const size_t count = (size_t)n;
    uint8_t *const falling = calloc(count + 1, 8);
    int64_t *const indices = calloc(count + 1, 8);
    bool is_right = true;

    for (size_t i = 0; i < count; i++)
        if (dtype == LW_F64)
            ((double *)(void *)falling)[i] = (double)(count - i);
        else
            ((int16_t *)(void *)falling)[i] = (int16_t)(count - i);
    lw_buffer *memory;
    WORKS(lw_buffer_create(place.device, dtype, count, &memory));
    lw_buffer *to;
    WORKS(lw_buffer_create(place.device, dtype, count, &to));
    lw_buffer *places;
    WORKS(lw_buffer_create(place.device, LW_I64, count, &places));
    WORKS(lw_buffer_write(memory, 0, count, falling));
    lw_buffer *x = read_only(memory);
    for (int what = 0; what < 3; what++) {
        const lw_tensor in = tensor(x, 1, n, 0, 0, 0), out = tensor(to, 1, n, 0, 0, 0),
                        of = tensor(places, 1, n, 0, 0, 0);

        const lw_top_k_options smallest = {.smallest = true};
        const lw_status status = what == 0   ? lw_sort(place.stream, out, in, NULL)
                                 : what == 1 ? lw_argsort(place.stream, of, in, NULL)
                                             : lw_top_k(place.stream, out, of, in, &smallest);

        WORKS(status);
        WORKS(lw_stream_wait(place.stream));
        WORKS(lw_buffer_read(places, 0, count, indices));
        for (size_t i = 0; what && i < count; i++)
            is_right = is_right && indices[i] == (int64_t)(count - 1 - i);
    }
    if (!is_right) {
        failures++;
        printf("the order of %td %s\n", n, lw_dtype_name(dtype));
    }
    lw_buffer_destroy(x);
    lw_buffer_destroy(memory);
    lw_buffer_destroy(to);
    lw_buffer_destroy(places);
    free(falling);
    free(indices);
}

int main(int count, char **arguments)
{
    static const ptrdiff_t lengths[] = {0, 1, 2, 48, 49, 2048, 2049, 30000};
    const bool small = count > 2;

    open_place(count > 1 ? arguments[1] : "cpu", &place);
    good_calls();
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths - small; k++) {
        sorts(LW_I16, lengths[k]);
        sorts(LW_F64, lengths[k]);
    }
    if (!small)
        sorts(LW_F64, 70000);
    close_place(&place);
    return failures != 0;
}
