/* static_llvm.c - what LLVM's static archives ask for beyond libraries that we link.
 *
 * LLVM compresses sections only when an option asks for it, and we set none: zstd stays out, and
 * its functions are never called; here each says that it failed. libstdc++ takes arc4random from
 * glibc 2.36 for std::random_device; with this one the program runs on glibc 2.34.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

uint32_t arc4random(void);
void lw__absent(void);
size_t ZSTD_CCtx_setParameter(void *context, int parameter, int value);
size_t ZSTD_compress2(void *context, void *to, size_t capacity, const void *from, size_t size);
size_t ZSTD_compressBound(size_t size);
size_t ZSTD_compressStream2(void *context, void *to, void *from, int directive);
size_t ZSTD_decompress(void *to, size_t capacity, const void *from, size_t size);
void *ZSTD_createCCtx(void);
size_t ZSTD_freeCCtx(void *context);
unsigned ZSTD_isError(size_t code);
const char *ZSTD_getErrorName(size_t code);

uint32_t arc4random(void)
{
    uint32_t value = 0;
    while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value)
        ;
    return value;
}

/* In place of functions that lld names and that are not linked: to start a target, which then does
 * not exist, and to start Polly in its link-time optimisation, which we do not use. */
void lw__absent(void) {}

size_t ZSTD_CCtx_setParameter(void *context, int parameter, int value)
{
    (void)context, (void)parameter, (void)value;
    return (size_t)-1;
}

size_t ZSTD_compress2(void *context, void *to, size_t capacity, const void *from, size_t size)
{
    (void)context, (void)to, (void)capacity, (void)from, (void)size;
    return (size_t)-1;
}

size_t ZSTD_compressStream2(void *context, void *to, void *from, int directive)
{
    (void)context, (void)to, (void)from, (void)directive;
    return (size_t)-1;
}

size_t ZSTD_compressBound(size_t size)
{
    return size;
}

size_t ZSTD_decompress(void *to, size_t capacity, const void *from, size_t size)
{
    (void)to, (void)capacity, (void)from, (void)size;
    return (size_t)-1;
}

void *ZSTD_createCCtx(void)
{
    return NULL;
}

size_t ZSTD_freeCCtx(void *context)
{
    (void)context;
    return 0;
}

unsigned ZSTD_isError(size_t code)
{
    return code == (size_t)-1;
}

const char *ZSTD_getErrorName(size_t code)
{
    (void)code;
    return "zstd is not part of this program";
}
