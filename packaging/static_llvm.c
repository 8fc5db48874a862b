/* static_llvm.c - what LLVM's static archives ask for beyond libraries that we link.
 *
 * libstdc++ takes arc4random from glibc 2.36 for std::random_device; with this one the program runs
 * on glibc 2.34.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

uint32_t arc4random(void);
void lw__absent(void);

uint32_t arc4random(void)
{
    uint32_t value = 0;
    while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value)
        ;
    return value;
}

/* In place of functions that lld names and that are not linked: to start a target, which then does
 * not exist, and without clang to start Polly in its link-time optimisation, which we do not use. */
void lw__absent(void) {}
