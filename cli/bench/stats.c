/* stats.c - minimum, median, mean, deviation and histogram.
 */
#include "cli/bench/stats.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Two passes: what is squared is small. */
void cli_stats_of(double *values, size_t count, struct cli_stats *stats)
{
    double sum = 0, squares = 0;
    qsort(values, count, sizeof *values, compare_doubles);
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    *stats = (struct cli_stats){.count = count,
                                .min = values[0],
                                .median = (values[(count - 1) / 2] + values[count / 2]) / 2,
                                .mean = mean,
                                .max = values[count - 1],
                                .deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0};
}

void cli_histogram_of(const double *values, size_t count, struct cli_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->from = values[0];
    histogram->to = values[(count - 1) * 99 / 100];
    double width = (histogram->to - histogram->from) / CLI_BINS;
    for (size_t i = 0; i < count; i++) {
        double place = width > 0 ? (values[i] - histogram->from) / width : 0;
        size_t bin = place < CLI_BINS ? (size_t)place : CLI_BINS - 1;
        histogram->above += values[i] > histogram->to;
        if (++histogram->counts[bin] > histogram->most)
            histogram->most = histogram->counts[bin];
    }
}
