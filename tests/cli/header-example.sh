# The program at the head of lanewise.h compiles as it stands there, as C11 and as C++17, and prints
# what it says. LW_LAUNCH takes the same arguments in both.
set -eu

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    echo "a program without a sanitizer does not load a sanitizer's library"
    exit 77
fi
header=$SOURCE/include/lanewise/lanewise.h
sed -n '/^ \*     #include/,/^ \*     }$/s/^ \* \{0,5\}//p' "$header" >host.c
said=$(sed -n '/it prints$/,/^ \*     [^ ]/s/^ \*     //p' "$header")
[ -s host.c ] && [ -n "$said" ]
library=$(find "$BUILD" -name liblanewise.so)
"$CC" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I"$SOURCE/include" host.c -o host "$library"
LD_LIBRARY_PATH=$(dirname "$library") ./host >out
printf '%s\n' "$said" | diff - out

if cxx=$(command -v g++ || command -v clang++-19); then
    "$cxx" -x c++ -std=c++17 -O2 -Wall -Wextra -Wpedantic -Werror -I"$SOURCE/include" host.c \
        -o host-cc -x none "$library"
    LD_LIBRARY_PATH=$(dirname "$library") ./host-cc | diff - out
fi

# All types of arguments, in C and in C++.
cat >all.c <<'C'
#include <lanewise/lanewise.h>
#include <stdio.h>

static const char source[] =
    "#include <lanewise/kernel.h>\n"
    "struct pair { int a, b; };\n"
    "KERNEL void all(int64_t out[20], bool b, int8_t c, uint8_t uc, int16_t s, uint16_t us,\n"
    "                int i, uint32_t u, int64_t l, uint64_t ul, float f, double d, struct pair p,\n"
    "                CONST_TENSOR(int64_t, 1) t) {\n"
    "    int64_t v[] = {b, c, uc, s, us, i, u, l, (int64_t)(ul >> 60), (int64_t)(f * 2),\n"
    "                   (int64_t)(d * 4), p.b, at(t, 1), grid_dim.x, block_dim.y};\n"
    "    for (int k = 0; k < 15; k++) out[k] = v[k];\n"
    "}\n";

struct pair { int a, b; };
enum color { RED = 3 };

int main(void)
{
    lw_build_options options = lw_build_options();
    lw_device *dev = NULL;
    lw_program *prog = NULL;
    lw_kernel *k = NULL;
    lw_buffer *x = NULL, *y = NULL;
    lw_stream *s = NULL;
    lw_tensor t;
    struct pair p = {1, -12};
    const int64_t in[2] = {0, 13};
    int64_t out[20];
    const ptrdiff_t two = 2;
    options.source = source;
    if (lw_device_open("ref", &dev) || lw_program_build(dev, "all.c", &options, &prog) ||
        lw_program_kernel(prog, "all", &k) || lw_buffer_create(dev, LW_I64, 20, &x) ||
        lw_buffer_create(dev, LW_I64, 2, &y) || lw_buffer_write(y, 0, 2, in) ||
        lw_stream_create(dev, &s))
        return fprintf(stderr, "%s\n", lw_last_error()), 1;
    t = lw_tensor();
    t.buffer = y;
    t.rank = 1;
    t.extent[0] = two;
    if (LW_LAUNCH(s, k, lw_dim_1(2), lw_dim_2(1, 3), x, true, (signed char)-1, (unsigned char)200,
                  (short)-4, (unsigned short)50000, RED, 4000000000u, -7L, 0xf000000000000000ull,
                  4.5f, 2.25, lw_arg_bytes(&p, sizeof p), t) ||
        LW_LAUNCH(s, k, 2, lw_dim_2(1, 3), x, true, -1, 200, -4, 50000ul, RED, 4000000000ll, -7,
                  0xf000000000000000ul, 4.5f, 2.25, lw_arg_bytes(&p, sizeof p), t) ||
        lw_stream_wait(s) || lw_buffer_read(x, 0, 20, out))
        return fprintf(stderr, "%s\n", lw_last_error()), 1;
    for (int i = 0; i < 15; i++)
        printf("%lld ", (long long)out[i]);
    lw_stream_destroy(s);
    lw_buffer_destroy(x);
    lw_buffer_destroy(y);
    lw_program_destroy(prog);
    lw_device_close(dev);
    return 0;
}
C
sed 's/= lw_build_options()/= {0}/; s/t = lw_tensor()/t = (lw_tensor){0}/' all.c >all-c.c
"$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$SOURCE/include" all-c.c -o all "$library"
said='1 -1 200 -4 50000 3 4000000000 -7 15 9 9 -12 13 2 3 '
[ "$(LD_LIBRARY_PATH=$(dirname "$library") ./all)" = "$said" ]
if [ -n "$cxx" ]; then
    for standard in c++11 c++17; do
        "$cxx" -x c++ -std=$standard -Wall -Wextra -Wpedantic -Werror -I"$SOURCE/include" all.c \
            -o all -x none "$library"
        [ "$(LD_LIBRARY_PATH=$(dirname "$library") ./all)" = "$said" ]
    done
fi

# Its statuses are those of a program that says what is wrong.
sed 's/LW_F32, 1000/LW_F32, 999/; s/0, 1000, values/0, 999, values/' host.c >short.c
"$CC" -std=c11 -I"$SOURCE/include" short.c -o short "$library"
LD_LIBRARY_PATH=$(dirname "$library") ./short 2>err && exit 1
grep -q "scale: parameter 2 'x' (float \[n\]) is declared x\[1000\]" err
