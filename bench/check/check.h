/* check.h - what the checker costs on the kernels of bench/kernels.
 *
 *     speed       the program: `cpu` and `check` in turns, the table
 *     rows        kernels, shapes, arguments
 *     oclgrind    the peer: the same kernels in OpenCL under `oclgrind-kernel --data-races`
 */
#ifndef LW_BENCH_CHECK_H
#define LW_BENCH_CHECK_H

#include <lanewise/lanewise.h>
#include <stdbool.h>

enum { ARGS_MAX = 8 };

/* Parameters: o floats, one for each element, A and B and X floats that are given, K columns, Y
 * bytes, S where a row begins, C a counter that is 0, H 256 counters; n r c the shape. */
struct row {
    const char *name, *params;
    size_t n, rows, cols;
    lw_dim3 block, grid;
};
extern const struct row rows[];
extern const size_t row_count;

/* The elements of a buffer, 0: the letter is a number; of which type; what is in element i. */
size_t row_elements(const struct row *row, char letter);
lw_dtype row_dtype(char letter);
double row_value(const struct row *row, char letter, size_t i);
size_t row_number(const struct row *row, char letter);

bool row_is_result(char letter); /* the kernel writes the buffer */

/* Seconds of a processor for the row, without the time to start and to compile; negative: it is not
 * there, failed, or found something. `results` has room for the elements of each buffer that the
 * kernel writes, at the number of its parameter. */
double oclgrind_seconds(const struct row *row, const char *kernels, double **results);
#endif
