/* rows.c - kernels of bench/kernels, at sizes of 2^16 to 2^20 elements or steps.
 */
#include "check.h"

#define K (1 << 10)
#define D1(x) {x, 1, 1}
#define D2(x, y) {x, y, 1}

const struct row rows[] = {
    {"dot", "oABn", 256 * K, 0, 0, D1(256), D1(1)},
    {"dot_tree", "oABn", 256 * K, 0, 0, D1(256), D1(K)},
    {"difference", "oAn", 256 * K, 0, 0, D1(256), D1(K)},
    {"average", "oAn", 256 * K, 0, 0, D1(256), D1(K)},
    {"normalise", "oAn", 256 * K, 0, 0, D1(128), D1(2 * K)},
    {"softmax", "rcoA", 256 * K, 256, K, D1(256), D1(256)},
    {"layernorm", "rcoA", 256 * K, 256, K, D1(256), D1(256)},
    {"transpose", "rcoA", 256 * K, 512, 512, D2(32, 8), D2(16, 16)},
    {"scan", "oAn", 256 * K, 0, 0, D1(256), D1(K)},
    {"matmul", "roAB", 64 * K, 256, 256, D2(16, 16), D2(16, 16)},
    {"matmul_4x4", "roAB", 64 * K, 256, 256, D2(16, 16), D2(4, 4)},
    {"mandelbrot", "rco", 64 * K, 256, 256, D2(16, 16), D2(16, 16)},
    {"nbody", "coA", 4 * K, 4, K, D1(256), D1(4)},
    {"stencil", "rcoA", 256 * K, 512, 512, D2(16, 16), D2(32, 32)},
    {"attention_one", "roAB", 256 * K, 2 * K, 128, D1(128), D1(1)},
    {"attention", "roABX", 16 * K, 256, 64, D1(64), D1(4)},
    {"bitonic", "oA", 64 * K, 0, 0, D1(1024), D1(64)},
    {"histogram", "HYn", 256 * K, 0, 0, D1(256), D1(1)},
    {"compact", "oCAn", 256 * K, 0, 0, D1(256), D1(K)},
    {"csr", "roAKXS", 256 * K, 16 * K, 16, D1(256), D1(2 * K)},
    {"barriers", "oAn", 512, 0, 0, D1(256), D1(1)},
};
const size_t row_count = sizeof rows / sizeof *rows;

size_t row_elements(const struct row *row, char letter)
{
    const size_t least = 4 * K; /* barriers has 4 x 256 of them, and n is another number */
    switch (letter) {
    case 'o':
    case 'A':
    case 'B':
    case 'X':
    case 'K':
    case 'Y': return row->n < least ? least : row->n;
    case 'S': return row->rows + 1;
    case 'C': return 1;
    case 'H': return 256;
    default: return 0;
    }
}

lw_dtype row_dtype(char letter)
{
    switch (letter) {
    case 'Y': return LW_U8;
    case 'K':
    case 'S':
    case 'C':
    case 'H': return LW_U32;
    default: return LW_F32;
    }
}

double row_value(const struct row *row, char letter, size_t i)
{
    const size_t mixed = i * 2654435761u >> 7;
    switch (letter) {
    case 'A':
    case 'B':
    case 'X': return (double)(mixed % 1024) / 1024;
    case 'K': return (double)(mixed % row->n);
    case 'Y': return (double)(mixed % 256);
    case 'S': return (double)(i * row->cols);
    default: return 0;
    }
}

size_t row_number(const struct row *row, char letter)
{
    return letter == 'r' ? row->rows : letter == 'c' ? row->cols : row->n;
}

bool row_is_result(char letter)
{
    return letter == 'o' || letter == 'C' || letter == 'H';
}
