/* npy.c - any bytes as a NumPy file. What is accepted has as many data bytes as its shape needs,
 * and they are the file's last ones: in another order where the file has another, but the same.
 */
#include "fuzz.h"

static void ensure_same_bytes(const uint8_t *file, const uint8_t *data, size_t count)
{
    long balance[256] = {0};
    for (size_t i = 0; i < count; i++)
        balance[file[i]]++, balance[data[i]]--;
    for (size_t value = 0; value < 256; value++)
        ENSURE(balance[value] == 0);
}

static void ensure_whole(const struct cli_npy *array, const uint8_t *bytes, size_t count)
{
    size_t elements = 1, size = lw_dtype_size(array->dtype);
    ENSURE(array->data && array->rank >= 0 && array->rank <= CLI_MAX_RANK && size > 0);
    for (int axis = 0; axis < array->rank; axis++)
        ENSURE(array->extent[axis] <= PTRDIFF_MAX);
    for (int axis = 0; axis < array->rank; axis++)
        elements *= array->extent[axis];
    ENSURE(elements == array->count && elements * size < count);
    if (array->dtype == LW_BOOL)
        for (size_t i = 0; i < elements; i++)
            ENSURE(((const uint8_t *)array->data)[i] <= 1);
    else
        ensure_same_bytes(bytes + count - elements * size, array->data, elements * size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *copy = exact(bytes, count);
    FILE *file = count ? fmemopen(copy, count, "rb") : fopen("/dev/null", "rb");
    ENSURE(file != NULL);
    struct cli_npy array;
    int failed = cli_npy_read_stream("in.npy", file, count, &array);
    ensure_told(failed);
    if (!failed)
        ensure_whole(&array, bytes, count);
    ENSURE(!failed || !array.data);
    free(array.data);
    fclose(file);
    free(copy);
    return 0;
}
