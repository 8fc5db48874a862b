/* npy.c - NumPy's file format, as NEP 1 and numpy.lib.format describe it.
 *
 *     \x93NUMPY  major minor  header length (2 bytes in version 1, 4 in 2 and 3)  header  data
 *     header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } blanks newline
 *
 * A file is not trusted: the header must be exactly such a dictionary, and its numbers must fit.
 * The file must have as many bytes of data as the header says. Every size is compared with the
 * file's before it is allocated.
 */
#include "cli/run/run.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[6] = "\x93NUMPY";

struct source {
    const char *path;
    FILE *file;
    size_t left; /* bytes not yet read */
};

/* What a header says. */
struct header {
    lw_dtype dtype;
    bool is_swapped; /* big-endian */
    bool is_fortran;
    bool has_dtype, has_order, has_shape;
    int rank;
    size_t extent[CLI_MAX_RANK];
};

static int take(struct source *source, void *to, size_t bytes, const char *what)
{
    if (bytes > source->left)
        return cli_fail(CLI_USAGE, "%s: cut short: %s needs %zu bytes, %zu are left", source->path,
                        what, bytes, source->left);
    if (bytes > 0 && fread(to, 1, bytes, source->file) != bytes)
        return cli_fail(CLI_USAGE, "%s: %s", source->path,
                        ferror(source->file) ? strerror(errno) : "it became shorter");
    source->left -= bytes;
    return CLI_DONE;
}

/* ---- the header's dictionary ----------------------------------------------------------------- */

/* fail_header - the header is wrong at its byte `at`. */
static int fail_header(const char *path, const char *at, const char *expected)
{
    int shown = (int)strcspn(at, "\n");
    return cli_fail(CLI_USAGE, "%s: bad NumPy header at '%.*s': %s", path, shown < 24 ? shown : 24,
                    at, expected);
}

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t");
}

static bool accept(const char **at, char c)
{
    skip_blanks(at);
    if (**at != c)
        return false;
    ++*at;
    skip_blanks(at);
    return true;
}

/* read_string - a quoted text without escapes; at most size - 1 characters. */
static bool read_string(const char **at, char *to, size_t size)
{
    char quote = **at;
    if (quote != '\'' && quote != '"')
        return false;
    const char *begin = *at + 1, *end = strchr(begin, quote);
    if (!end || (size_t)(end - begin) >= size)
        return false;
    memcpy(to, begin, (size_t)(end - begin));
    to[end - begin] = '\0';
    *at = end + 1;
    return true;
}

/* find_descr - the dtype of a description such as "<f4", kind and bytes; false: there is none. */
static bool find_descr(const char *descr, struct header *header)
{
    if (!descr[0] || !strchr("<>=|", descr[0]) || strlen(descr) != 3)
        return false;
    for (int d = 0; d < LW_DTYPE_COUNT; d++)
        if (lw__dtype_is_numpy((lw_dtype)d) && lw__dtypes[d].kind == descr[1] &&
            lw__dtypes[d].bytes == descr[2] - '0') {
            header->dtype = (lw_dtype)d;
            header->is_swapped = descr[0] == '>';
            return descr[0] != '|' || lw__dtypes[d].bytes == 1;
        }
    return false;
}

static int read_descr(const char *path, const char **at, struct header *header)
{
    char descr[16];
    if (**at == '[')
        return cli_fail(CLI_USAGE, "%s: holds structured elements; save them as u8", path);
    if (!read_string(at, descr, sizeof descr))
        return fail_header(path, *at, "a type such as '<f4' is needed");
    if (!find_descr(descr, header))
        return cli_fail(CLI_USAGE, "%s: holds elements of type '%s', which is none of ours", path,
                        descr);
    header->has_dtype = true;
    return CLI_DONE;
}

static int read_order(const char *path, const char **at, struct header *header)
{
    if (strncmp(*at, "True", 4) == 0)
        header->is_fortran = true, *at += 4;
    else if (strncmp(*at, "False", 5) == 0)
        header->is_fortran = false, *at += 5;
    else
        return fail_header(path, *at, "True or False is needed");
    header->has_order = true;
    return CLI_DONE;
}

/* read_shape - "()", "(8,)", "(3, 4)", "(3, 4,)", "(3L, 4L)". */
static int read_shape(const char *path, const char **at, struct header *header)
{
    if (!accept(at, '('))
        return fail_header(path, *at, "a shape such as (3, 4) is needed");
    bool comma = true;
    while (**at >= '0' && **at <= '9') {
        if (!comma)
            return fail_header(path, *at, "',' is needed");
        if (header->rank == CLI_MAX_RANK)
            return cli_fail(CLI_USAGE, "%s: more than %d axes", path, CLI_MAX_RANK);
        errno = 0;
        char *end;
        size_t extent = strtoull(*at, &end, 10);
        if (errno == ERANGE || extent > PTRDIFF_MAX)
            return fail_header(path, *at, "the extent is too large");
        header->extent[header->rank++] = extent;
        *at = end + (*end == 'L'); /* Python 2 wrote 3L */
        comma = accept(at, ',');
    }
    if (!accept(at, ')'))
        return fail_header(path, *at, "an extent or ')' is needed");
    if (header->rank == 1 && !comma)
        return fail_header(path, *at, "a shape of one axis is written (n,)");
    header->has_shape = true;
    return CLI_DONE;
}

static int read_entry(const char *path, const char **at, struct header *header)
{
    char key[16];
    const char *begin = *at;
    if (!read_string(at, key, sizeof key))
        return fail_header(path, begin, "a key is needed");
    if (!accept(at, ':'))
        return fail_header(path, *at, "':' is needed");
    if (strcmp(key, "descr") == 0 && !header->has_dtype)
        return read_descr(path, at, header);
    if (strcmp(key, "fortran_order") == 0 && !header->has_order)
        return read_order(path, at, header);
    if (strcmp(key, "shape") == 0 && !header->has_shape)
        return read_shape(path, at, header);
    return fail_header(path, begin, "descr, fortran_order and shape are needed, once each");
}

static int parse_header(const char *path, const char *text, struct header *header)
{
    if (!accept(&text, '{'))
        return fail_header(path, text, "'{' is needed");
    for (bool comma = true; *text != '}'; comma = accept(&text, ',')) {
        if (!comma)
            return fail_header(path, text, "',' is needed");
        int failed = read_entry(path, &text, header);
        if (failed)
            return failed;
    }
    text++;
    text += strspn(text, " \t");
    if (text[0] != '\n' || text[1] != '\0')
        return fail_header(path, text, "the end of the line is needed");
    if (!header->has_dtype || !header->has_order || !header->has_shape)
        return fail_header(path, text, "descr, fortran_order and shape are needed, once each");
    return CLI_DONE;
}

/* read_header - magic, version, length, dictionary. */
static int read_header(struct source *source, struct header *header)
{
    unsigned char start[8], size[4] = {0};
    int failed = take(source, start, sizeof start, "the start");
    if (failed)
        return failed;
    if (memcmp(start, magic, sizeof magic) != 0)
        return cli_fail(CLI_USAGE, "%s: not a NumPy file (it does not begin with \\x93NUMPY)",
                        source->path);
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return cli_fail(CLI_USAGE, "%s: NumPy format %d.%d, 1.0 to 3.0 are read", source->path,
                        start[6], start[7]);
    failed = take(source, size, start[6] == 1 ? 2 : 4, "the header's length");
    if (failed)
        return failed;
    size_t length = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    if (length > source->left)
        return take(source, NULL, length, "the header");
    char *text = malloc(length + 1);
    if (!text)
        return cli_fail_memory(length + 1);
    failed = take(source, text, length, "the header");
    text[length] = '\0';
    if (!failed && strlen(text) != length)
        failed = cli_fail(CLI_USAGE, "%s: bad NumPy header: a zero byte in it", source->path);
    if (!failed)
        failed = parse_header(source->path, text, header);
    free(text);
    return failed;
}

/* ---- the data -------------------------------------------------------------------------------- */

static void swap_bytes(char *data, size_t count, size_t bytes)
{
    for (char *element = data; count-- > 0; element += bytes) {
        for (size_t i = 0; i < bytes / 2; i++) {
            char low = element[i];
            element[i] = element[bytes - 1 - i];
            element[bytes - 1 - i] = low;
        }
    }
}

/* transpose - Fortran order to C order. index counts in C order, last axis fastest; from follows it
 * with each axis' stride in Fortran order. */
static void transpose(const struct cli_npy *array, size_t bytes, const char *from, char *to)
{
    size_t index[CLI_MAX_RANK] = {0}, stride[CLI_MAX_RANK + 1] = {1}, at = 0;
    for (int axis = 0; axis < array->rank; axis++)
        stride[axis + 1] = stride[axis] * array->extent[axis];
    for (size_t i = 0; i < array->count; i++, to += bytes) {
        memcpy(to, from + at * bytes, bytes);
        for (int axis = array->rank - 1; axis >= 0; axis--) {
            at += stride[axis];
            if (++index[axis] < array->extent[axis])
                break;
            at -= stride[axis + 1];
            index[axis] = 0;
        }
    }
}

/* to_c_order - replace Fortran-ordered data. */
static int to_c_order(struct cli_npy *array, size_t bytes)
{
    if (array->rank < 2 || array->count < 2)
        return CLI_DONE;
    char *ordered = malloc(array->count * bytes);
    if (!ordered)
        return cli_fail_memory(array->count * bytes);
    transpose(array, bytes, array->data, ordered);
    free(array->data);
    array->data = ordered;
    return CLI_DONE;
}

/* count_elements - the product of the extents, unless it or its size in bytes overflows. */
static int count_elements(const char *path, struct cli_npy *array, size_t bytes)
{
    array->count = 1;
    for (int axis = 0; axis < array->rank; axis++) {
        if (array->extent[axis] == 0) {
            array->count = 0;
            return CLI_DONE;
        }
    }
    for (int axis = 0; axis < array->rank; axis++) {
        if (array->extent[axis] > SIZE_MAX / bytes / array->count)
            return cli_fail(CLI_USAGE, "%s: its shape is larger than any memory", path);
        array->count *= array->extent[axis];
    }
    return CLI_DONE;
}

static int read_data(struct source *source, const struct header *header, struct cli_npy *array)
{
    size_t element = lw_dtype_size(array->dtype), bytes = array->count * element;
    if (bytes > source->left)
        return take(source, NULL, bytes, "its shape");
    if (bytes < source->left)
        return cli_fail(CLI_USAGE, "%s: %zu bytes more than its shape needs (%zu)", source->path,
                        source->left - bytes, bytes);
    array->data = malloc(bytes ? bytes : 1);
    if (!array->data)
        return cli_fail_memory(bytes);
    int failed = take(source, array->data, bytes, "its shape");
    if (failed)
        return failed;
    char *data = array->data;
    if (header->is_swapped)
        swap_bytes(data, array->count, element);
    for (size_t i = 0; array->dtype == LW_BOOL && i < array->count; i++)
        data[i] = data[i] != 0;
    return header->is_fortran ? to_c_order(array, element) : CLI_DONE;
}

static int read_array(struct source *source, struct cli_npy *array)
{
    struct header header = {0};
    int failed = read_header(source, &header);
    if (failed)
        return failed;
    array->dtype = header.dtype;
    array->rank = header.rank;
    memcpy(array->extent, header.extent, sizeof header.extent);
    failed = count_elements(source->path, array, lw_dtype_size(header.dtype));
    return failed ? failed : read_data(source, &header, array);
}

int cli_npy_read_stream(const char *path, FILE *file, size_t size, struct cli_npy *array)
{
    struct source source = {.path = path, .file = file, .left = size};
    memset(array, 0, sizeof *array);
    int failed = read_array(&source, array);
    if (failed) {
        free(array->data);
        array->data = NULL;
    }
    return failed;
}

/* open_regular - path for reading; a pipe or device is refused without waiting for its other end.
 */
static int open_regular(const char *path, FILE **file, size_t *size)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    *size = 0;
    if (!*file) {
        int error = errno;
        if (descriptor >= 0)
            close(descriptor);
        return cli_fail_file(error, path);
    }
    struct stat about;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        *size = (size_t)about.st_size;
        return CLI_DONE;
    }
    fclose(*file);
    return cli_fail(CLI_USAGE, "%s: not a regular file", path);
}

int cli_npy_read(const char *path, struct cli_npy *array)
{
    memset(array, 0, sizeof *array);
    FILE *file;
    size_t size;
    int failed = open_regular(path, &file, &size);
    if (failed)
        return failed;
    failed = cli_npy_read_stream(path, file, size, array);
    fclose(file);
    return failed;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The first bytes of a file, up to the data. */
struct npy_start {
    char text[128 + CLI_MAX_RANK * 22 + 128];
    size_t length;
};

/* make_start - version 1.0, padded so that the data begins at a multiple of 64. */
static void make_start(const struct cli_npy *array, struct npy_start *start)
{
    const struct lw__dtype *dtype = &lw__dtypes[array->dtype];
    const char kind = lw__dtype_is_numpy(array->dtype) ? dtype->kind : 'u'; /* else its bits */
    enum { BEFORE = sizeof magic + 4 };
    char *text = start->text + BEFORE;
    size_t size = sizeof start->text - BEFORE;
    int length = snprintf(text, size, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
                          dtype->bytes > 1 ? '<' : '|', kind, dtype->bytes);
    for (int axis = 0; axis < array->rank; axis++)
        length +=
            snprintf(text + length, size - (size_t)length, "%s%zu%s", axis > 0 ? " " : "",
                     array->extent[axis], axis + 1 < array->rank || array->rank == 1 ? "," : "");
    length += snprintf(text + length, size - (size_t)length, "), }");
    while ((BEFORE + length + 1) % 64 != 0)
        text[length++] = ' ';
    text[length++] = '\n';
    const unsigned char version[4] = {1, 0, (unsigned char)length, (unsigned char)(length >> 8)};
    memcpy(start->text, magic, sizeof magic);
    memcpy(start->text + sizeof magic, version, sizeof version);
    start->length = BEFORE + (size_t)length;
}

int cli_npy_write(const char *path, const struct cli_npy *array)
{
    struct npy_start start;
    make_start(array, &start);
    const struct lw__part parts[] = {{start.text, start.length},
                                     {array->data, array->count * lw_dtype_size(array->dtype)}};
    return cli_save(path, parts, 2);
}
