/* cli_stats.c - minimum, median, mean, deviation and histogram of known numbers.
 */
#include "cli/bench/stats.h"
#include "cli_test.h"
#include <math.h>

static bool is_close(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void known_numbers(void)
{
    double values[] = {9, 2, 4, 5, 4, 7, 4, 5};
    struct cli_stats stats;
    cli_stats_of(values, 8, &stats);
    CHECK(stats.count == 8);
    CHECK(stats.min == 2 && stats.max == 9);
    CHECK(stats.median == 4.5 && stats.mean == 5);
    CHECK(is_close(stats.deviation, sqrt(32.0 / 7)));
    CHECK(values[0] == 2 && values[7] == 9); /* in order */
}

static void odd_and_one(void)
{
    double three[] = {3, 1, 8}, one[] = {2.5};
    struct cli_stats stats;
    cli_stats_of(three, 3, &stats);
    CHECK(stats.median == 3 && stats.mean == 4);
    CHECK(is_close(stats.deviation, sqrt(13.0)));
    cli_stats_of(one, 1, &stats);
    CHECK(stats.min == 2.5 && stats.median == 2.5 && stats.mean == 2.5 && stats.max == 2.5);
    CHECK(stats.deviation == 0);
}

/* The same times a million: what is subtracted must not cancel. */
static void far_from_zero(void)
{
    double values[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
    struct cli_stats stats;
    cli_stats_of(values, 3, &stats);
    CHECK(stats.deviation == 1);
}

static size_t sum_of(const struct cli_histogram *histogram)
{
    size_t sum = 0;
    for (int i = 0; i < CLI_BINS; i++)
        sum += histogram->counts[i];
    return sum;
}

/* 0 ... 999 and one far away: the axis ends at the 99th percentile, the last bin has the rest. */
static void bins(void)
{
    double values[1000];
    for (int i = 0; i < 1000; i++)
        values[i] = i;
    values[999] = 1e6;
    struct cli_histogram histogram;
    cli_histogram_of(values, 1000, &histogram);
    CHECK(sum_of(&histogram) == 1000);
    CHECK(histogram.from == 0 && histogram.to == 989);
    CHECK(histogram.above == 10);
    CHECK(histogram.counts[0] == 17); /* 989 / 60 is 16.5: 0 ... 16 */
    CHECK(histogram.counts[CLI_BINS - 1] == 16 + 11);
    CHECK(histogram.most == 27);
}

static void equal_values(void)
{
    double values[] = {4, 4, 4};
    struct cli_histogram histogram;
    cli_histogram_of(values, 3, &histogram);
    CHECK(sum_of(&histogram) == 3 && histogram.counts[0] == 3);
    CHECK(histogram.from == 4 && histogram.to == 4 && histogram.above == 0);
    cli_histogram_of(values, 1, &histogram);
    CHECK(sum_of(&histogram) == 1);
}

int main(void)
{
    known_numbers();
    odd_and_one();
    far_from_zero();
    bins();
    equal_values();
    return failures > 0;
}
