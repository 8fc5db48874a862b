// What printf and assert_that take: a literal, of conversions that kernels have. A name of trace
// is a literal, too.
// run: -d cpu -D CHOSEN -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:54:5: error: printf needs a literal as its format
// run: -d ref -D CHOSEN -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:54:5: error: printf needs a literal as its format
// run: -d cpu -D SAID -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:56:5: error: assert_that needs a literal as its message
// run: -d check -D SAID -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:56:5: error: assert_that needs a literal as its message
// run: -d cpu -D NAMED -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:58:5: error: trace needs a literal as its name
// run: -D NULLED -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:60:5: error: printf needs a literal as its format
// run: -D OPEN -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:62:5: error: printf needs a literal as its format
// run: -D COUNT -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:64:5: error: printf has no '%n': it has d i o u x X c s p f F e E g G a A, of lengths hh h l ll j z t
// run: -D WIDE -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:66:5: error: printf has no '%-3ls': it has
// run: -D PLACED -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:68:5: error: printf has no '%1$': it has
// run: -D REASON -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:70:5: error: assert_that has no '%m': it has
// run: -D PERCENT -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:72:5: error: printf has no '%5%': it has
// run: -D FEW -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:74:5: error: printf: '%*d' lacks an argument
// run: -D OTHER -b 1 i32[1]
// status: 3
// stderr: printf-literals.c:76:5: error: printf: '%s' does not fit argument 1
#include <lanewise/kernel.h>
#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-nonliteral"
#pragma clang diagnostic ignored "-Wformat-security"
static const char open[] = {'a'};

KERNEL void k(const int *x)
{
#if defined CHOSEN
    printf(x[0] ? "a" : "b");
#elif defined SAID
    assert_that(x[0] == 8, x[0] ? "a" : "b");
#elif defined NAMED
    trace(x[0] ? "a" : "b", x[0]);
#elif defined NULLED
    printf(0);
#elif defined OPEN
    printf(open);
#elif defined COUNT
    printf("%n", x);
#elif defined WIDE
    printf("%-3ls", L"a");
#elif defined PLACED
    printf("%1$d", x[0]);
#elif defined REASON
    assert_that(x[0] == 8, "%m");
#elif defined PERCENT
    printf("%5%");
#elif defined FEW
    printf("%*d", x[0]);
#elif defined OTHER
    printf("%s", x[0]);
#endif
    (void)open;
}
