// The text of a %s is read as the kernel reads memory: each byte has to be within its object.
// device: ref only it looks at each access
// status: 4
// run: -b 1 i8[4]=65,66,67,68
// stderr: printf-texts.c:36:9: read of 1 byte outside: index 4 of 'x', which has 4 elements of 1 byte
// run: -O0 -b 1 i8[4]=65,66,67,68
// stderr: printf-texts.c:36:9: read of 1 byte outside: index 4 of 'x', which has 4 elements of 1 byte
// run: -D WILD -b 1 i8[4]
// stderr: printf-texts.c:27:5: read of 1 byte outside: a pointer into no memory of the launch (0x1234)
// run: -D SAID -b 1 i8[4]
// stderr: printf-texts.c:29:5: read of 1 byte outside: a pointer into no memory of the launch (0x1234)
// run: -D OWN -b 1 i8[4]
// stderr: printf-texts.c:33:5: read of 1 byte outside: index 4 of 'own', which has 4 elements of 1 byte
// run: -D LONG -b 1 i8[4]=65,66,67,68
// stderr: printf-texts.c:23:5: read of 1 byte outside: index 4 of 'x', which has 4 elements of 1 byte
// run: -D FAR -b 1 i8[4]=65,66,67,68
// stderr: printf-texts.c:25:5: read of 1 byte outside: index -2 of 'x'
#include <lanewise/kernel.h>

KERNEL void k(const char *x)
{
#if defined LONG
    printf("%4.*s", 5, x);
#elif defined FAR
    printf("%.*s", -1, x - 2);
#elif defined WILD
    printf("%d %s", 7, (const char *)(uintptr_t)0x1234);
#elif defined SAID
    assert_that(x[0] == 8, "%s", (const char *)(uintptr_t)0x1234);
#elif defined OWN
    char own[4] = {x[0], 66, 67, 68};
    own[0] = 65;
    printf("%s", own);
#else
    for (int i = 0; i < 1; i++)
        printf("%s", x);
#endif
}
