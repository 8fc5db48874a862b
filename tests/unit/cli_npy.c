/* cli_npy.c - NumPy files: what is read, what is written, what is refused.
 */
#include "cli_test.h"
#include <sys/stat.h>

static char folder[] = "/tmp/lanewise-npy-XXXXXX";
static char path[64];

static void put(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

/* put_file - a file of that version with this dictionary and these data. */
static void put_file(int version, const char *dictionary, const void *data, size_t count)
{
    char bytes[1024];
    size_t length = strlen(dictionary) + 1, at = version == 1 ? 10 : 12;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    bytes[7] = 0;
    bytes[8] = (char)length;
    bytes[9] = (char)(length >> 8);
    bytes[10] = bytes[11] = 0;
    memcpy(bytes + at, dictionary, length - 1);
    bytes[at + length - 1] = '\n';
    if (count > 0)
        memcpy(bytes + at + length, data, count);
    put(bytes, at + length + count);
}

static const float six[6] = {0, 1, 2, 3, 4, 5};

static void reads(void)
{
    struct cli_npy a;
    for (int version = 1; version <= 3; version++) {
        put_file(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   ", six,
                 24);
        CHECK(cli_npy_read(path, &a) == 0);
        CHECK(a.dtype == LW_F32 && a.rank == 2 && a.extent[0] == 2 && a.extent[1] == 3);
        CHECK(a.count == 6 && memcmp(a.data, six, 24) == 0);
        free(a.data);
    }
    put_file(1, "{\"shape\":(3,2),\"fortran_order\":True,\"descr\":\"<f4\"}", six, 24);
    static const float turned[6] = {0, 3, 1, 4, 2, 5};
    CHECK(cli_npy_read(path, &a) == 0 && memcmp(a.data, turned, 24) == 0);
    free(a.data);
    put_file(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }", "\1\2\3\4", 4);
    CHECK(cli_npy_read(path, &a) == 0 && memcmp(a.data, "\2\1\4\3", 4) == 0);
    CHECK(a.dtype == LW_I16);
    free(a.data);
    put_file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", "\5", 1);
    CHECK(cli_npy_read(path, &a) == 0 && a.rank == 0 && a.count == 1 && *(char *)a.data == 1);
    free(a.data);
    put_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }", six, 24);
    CHECK(cli_npy_read(path, &a) == 0 && a.rank == 2 && a.extent[1] == 3);
    free(a.data);
    put_file(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 3), }", "", 0);
    CHECK(cli_npy_read(path, &a) == 0 && a.count == 0);
    free(a.data);
}

/* Fortran order in three axes. */
static void transposes(void)
{
    int16_t data[24];
    for (int16_t i = 0; i < 24; i++)
        data[i] = i;
    put_file(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4), }", data, 48);
    struct cli_npy a;
    CHECK(cli_npy_read(path, &a) == 0);
    const int16_t *at = a.data;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                CHECK(*at++ == i + 2 * j + 6 * k);
    free(a.data);
}

static void refuses(void)
{
    static const struct {
        const char *dictionary;
        size_t bytes;
        const char *part;
    } rows[] = {
        {"", 0, "'{' is needed"},
        {"{}", 0, "descr, fortran_order and shape are needed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,)", 24, "',' is needed"},
        {"{'descr': '<f4', 'fortran_order': False}", 24, "shape are needed"},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (6,)}", 24, "once each"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}", 24, "once each"},
        {"{'descr': '<f4', 'fortran_order': No, 'shape': (6,)}", 24, "True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 6}", 24, "a shape such as"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6)}", 24, "written (n,)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-6,)}", 24, "an extent or ')'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}", 24, "',' is needed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x", 24, "end of the line"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", 24, "type '<c8'"},
        {"{'descr': '|f4', 'fortran_order': False, 'shape': (6,)}", 24, "type '|f4'"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,)}", 24, "structured"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (7,)}", 24,
         "cut short: its shape needs 28 bytes, 24 are left"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (5,)}", 24, "4 bytes more"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,4)}", 24,
         "larger than any memory"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000,)}", 24, "cut short"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 24,
         "too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775808)}", 0,
         "too large"},
    };
    struct cli_npy a;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        put_file(1, rows[i].dictionary, six, rows[i].bytes);
        CHECK_FAILS(cli_npy_read(path, &a), rows[i].part);
        CHECK(!a.data);
    }
    put("hello world", 11);
    CHECK_FAILS(cli_npy_read(path, &a), "not a NumPy file");
    put("\x93NUMPY\4\0\0\0", 10);
    CHECK_FAILS(cli_npy_read(path, &a), "NumPy format 4.0");
    put("\x93NUMPY\2\0\xff\xff\xff\xff{", 13);
    CHECK_FAILS(cli_npy_read(path, &a), "the header needs 4294967295 bytes, 1 are left");
    static const char zero[] = "\x93NUMPY\1\0\x3e\0"
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}     \0\n";
    put(zero, sizeof zero - 1);
    CHECK_FAILS(cli_npy_read(path, &a), "a zero byte in it");
    put("\x93NUM", 4);
    CHECK_FAILS(cli_npy_read(path, &a), "the start needs 8 bytes");
    CHECK_FAILS(cli_npy_read(folder, &a), "not a regular file");
    CHECK_FAILS(cli_npy_read("/dev/zero", &a), "not a regular file");
    CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    CHECK_FAILS(cli_npy_read(path, &a), "not a regular file"); /* and waits for no writer */
    CHECK(unlink(path) == 0);
    CHECK_FAILS(cli_npy_read("/nonexistent.npy", &a), "No such file");
}

/* What is written has its data at a multiple of 64, and reads back. */
static void writes(void)
{
    struct cli_npy a = {.dtype = LW_F32,
                        .rank = 2,
                        .extent = {3, 2},
                        .count = 6,
                        .data = (void *)six},
                   b;
    for (int rank = 0; rank <= CLI_MAX_RANK; rank++) {
        a.rank = rank;
        a.count = rank ? 6 : 1;
        for (int axis = 0; axis < rank; axis++)
            a.extent[axis] = axis == 0 ? 6 : 1;
        CHECK(cli_npy_write(path, &a) == 0);
        struct stat about;
        CHECK(stat(path, &about) == 0 && ((size_t)about.st_size - 4 * a.count) % 64 == 0);
        CHECK(cli_npy_read(path, &b) == 0);
        CHECK(b.dtype == LW_F32 && b.rank == rank && b.count == a.count);
        CHECK(memcmp(a.extent, b.extent, (size_t)rank * sizeof a.extent[0]) == 0);
        CHECK(memcmp(b.data, six, 4 * a.count) == 0);
        free(b.data);
    }
    a.dtype = LW_BF16;
    CHECK(cli_npy_write(path, &a) == 0 && cli_npy_read(path, &b) == 0 && b.dtype == LW_U16);
    free(b.data);
    CHECK_FAILS(cli_npy_write("/nonexistent/x.npy", &a), "/nonexistent/x.npy: No such file");
}

int main(void)
{
    if (!mkdtemp(folder))
        return 2;
    snprintf(path, sizeof path, "%s/a.npy", folder);
    reads();
    transposes();
    refuses();
    writes();
    unlink(path);
    CHECK(rmdir(folder) == 0); /* nothing else was left there */
    return failures != 0;
}
