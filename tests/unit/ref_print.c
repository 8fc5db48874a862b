/* The text of printf on `ref`: every conversion, from 64-bit slots. */
#include "ref_machine.h"
#include <math.h>

static void expect(int line, const char *expected, const char *format, uint32_t count,
                   const uint64_t *slots)
{
    static struct lw__output output;
    struct lw_ref_thread thread = {.block_idx = {1, 2, 3}, .thread_idx = {4, 5, 6}};
    output.text[0] = '\0';
    CHECK(lw__print(&output, thread.block_idx, thread.thread_idx, format, count, slots));
    const char *text = strchr(output.text, '|');
    CHECK(!text || strncmp(output.text, "1,2,3 4,5,6|", 12) == 0);
    check_text(__FILE__, line, text ? text + 1 : "", expected);
}

/* The first slot is of no account: it lets a call have none. */
#define EXPECT(expected, format, ...)                                                              \
    expect(__LINE__, expected, format, sizeof((uint64_t[]){0, __VA_ARGS__}) / 8 - 1,               \
           (const uint64_t[]){0, __VA_ARGS__} + 1)
#define NONE
#define SLOT(pointer) (uint64_t)(uintptr_t)(pointer)

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void test_integers(void)
{
    EXPECT("-1 2", "%d %i", -1ull, 2);
    EXPECT("|    3|4    |00005|+6| 7|008|", "|%5d|%-5d|%05d|%+d|% d|%.3d|", 3, 4, 5, 6, 7, 8);
    EXPECT("-1 255 -32768 32768", "%hhd %hhu %hd %hu", 0x1ff, 0x1ff, 0x18000, 0x18000);
    EXPECT("4294967295 ffffffff -1", "%u %x %d", -1ull, -1ull, 0xffffffff);
    EXPECT("-5 -6 -7 -8", "%ld %lld %jd %td", -5ull, -6ull, -7ull, -8ull);
    EXPECT("18446744073709551615 ffffffffffffffff 9", "%zu %llx %lu", -1ull, -1ull, 9);
    EXPECT("10 010 FF 0xff 0XFF", "%o %#o %X %#x %#X", 8, 8, 255, 255, 255);
    EXPECT("   1|2   |3   |004|5", "%*d|%-*d|%*d|%.*d|%.*d", 4, 1, 4, 2, -4ull, 3, 3, 4, -1ull, 5);
    EXPECT("0x1|2    |3    |", "%-+ #0x|%--5d|%0-5d|", 1, 2, 3);
}

static void test_others(void)
{
    EXPECT("1.500000 2.12     -3.000", "%f %.2f %10.3lf", bits_of(1.5), bits_of(2.125),
           bits_of(-3));
    EXPECT("4.000000e+09 1E-09 0x1p+0", "%e %G %a", bits_of(4e9), bits_of(1e-9), bits_of(1));
    EXPECT("-INF nan -0.0", "%F %g %.1f", bits_of(-INFINITY), bits_of(NAN), bits_of(-0.0));
    EXPECT("ab|  c|d  |", "%c%c%c|%3c|%-3c|", 'a', 0, 'b', 'c', 'd');
    EXPECT("text|   ab|ab   |ab", "%s|%5s|%-5s|%.2s", SLOT("text"), SLOT("ab"), SLOT("ab"),
           SLOT("abcdef"));
    EXPECT("(null) 0x10", "%s %p", 0, 0x10);
}

static void test_as_it_stands(void)
{
    EXPECT("100% %", "100%% %", NONE);
    EXPECT("%n 2", "%n %d", 1, 2); /* it takes its argument */
    EXPECT("%y 1", "%y %d", 1);
    EXPECT("%ls %5lc 3", "%ls %5lc %d", 1, 2, 3);
    EXPECT("1 %d %*d %.*f", "%d %d %*d %.*f", 1);
    EXPECT("one\ntwo\n\nthree", "one\ntwo\n\n%s", SLOT("three"));
    EXPECT("", "", NONE);
}

/* No width makes more text than a launch may keep, nor overflows. */
static void test_much(void)
{
    static struct lw__output output;
    struct lw_ref_thread thread = {.linear = 0};
    uint64_t slots[] = {1, INT32_MAX, bits_of(1), (uint64_t)INT32_MIN, 2};
    CHECK(lw__print(&output, thread.block_idx, thread.thread_idx, "%99999999999999999999d %.*f %*d",
                    5, slots));
    CHECK(strlen(output.text) == sizeof output.text - 1);
}

/* A thread that prints in a launch. */
static void prints(struct machine *m)
{
    uint64_t slot = (uint64_t)m->t->linear;
    m->t->calls->print(m->t, "%d\n", 1, &slot);
    m->t->state = LW_REF_RETURNED;
}

static void test_launch(void)
{
    static struct run r = {.grid = {2, 1, 1}, .block = {1, 2, 1}};
    CHECK(run(&r, prints, NULL) == LW_OK);
    CHECK_TEXT(r.output.text, "0,0,0 0,0,0|0\n0,0,0 0,1,0|1\n1,0,0 0,0,0|0\n1,0,0 0,1,0|1\n");
}

int main(void)
{
    test_integers();
    test_others();
    test_as_it_stands();
    test_much();
    test_launch();
    return failures != 0;
}
