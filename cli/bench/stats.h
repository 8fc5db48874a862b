/* stats.h - what many times of the same work say.
 */
#ifndef LW_CLI_STATS_H
#define LW_CLI_STATS_H

#include <stddef.h>

struct cli_stats {
    size_t count;
    double min, median, mean, max;
    double deviation; /* of the sample, by count - 1; 0 for one */
};

/* cli_stats_of - count >= 1 values, which are put in order. */
void cli_stats_of(double *values, size_t count, struct cli_stats *stats);

enum { CLI_BINS = 60 };

/* Counts of equal bins from the least value to the 99th percentile, as Julia's BenchmarkTools; what
 * is above counts in the last one. The counts add up to the number of values. */
struct cli_histogram {
    double from, to;
    size_t counts[CLI_BINS];
    size_t most;  /* the largest count */
    size_t above; /* values above `to` */
};

/* cli_histogram_of - of count >= 1 values in order. */
void cli_histogram_of(const double *values, size_t count, struct cli_histogram *histogram);

#endif
