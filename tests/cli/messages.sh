# messages.sh - messages are as clang's: the source, a caret, what to write instead; for what
# Lanewise itself refuses too. Colours where they are asked for, never in a pipe.
set -eu

# same FILE - standard error of the last run is what standard input says
same() { cat >wanted; diff -u wanted err || exit 1; }
fails()
{
    status=$1 got=0
    shift
    "$LANEWISE" "$@" 2>err || got=$?
    [ "$got" = "$status" ] || { cat err; exit 1; }
}

cat >clang.c <<'END'
#include <lanewise/kernel.h>
static int helper(int x) { return x; }
KERNEL void k(float *out)
{
    int count = helpr(3);
	out[0] = coutn;
    if (out[1] = 1)
        out[2] = 1
}
END
fails 3 run clang.c
sed "s/ without parenth.*//" err >cut && mv cut err
same <<'END'
clang.c:5:17: error: call to undeclared function 'helpr'
    5 |     int count = helpr(3);
      |                 ^
clang.c:5:17: note: did you mean 'helper'?
clang.c:2:12: note: 'helper' declared here
    2 | static int helper(int x) { return x; }
      |            ^
    3 | KERNEL void k(float *out)
    4 | {
    5 |     int count = helpr(3);
      |                 ~~~~~
      |                 helper
clang.c:6:11: error: use of undeclared identifier 'coutn'; did you mean 'count'?
    6 |         out[0] = coutn;
      |                  ^~~~~
      |                  count
clang.c:5:9: note: 'count' declared here
    5 |     int count = helpr(3);
      |         ^
clang.c:7:16: warning: using the result of an assignment as a condition
    7 |     if (out[1] = 1)
      |         ~~~~~~~^~~
clang.c:7:16: note: place parentheses around the assignment to silence this warning
    7 |     if (out[1] = 1)
      |                ^
      |         (         )
clang.c:7:16: note: use '==' to turn this assignment into an equality comparison
    7 |     if (out[1] = 1)
      |                ^
      |                ==
clang.c:8:19: error: expected ';' after expression
    8 |         out[2] = 1
      |                   ^
      |                   ;
END
"$LANEWISE" run /dev/stdin <clang.c 2>err && exit 1
grep -q "^    6 |         out\[0\] = coutn;" err # numbered as the text is
fails 3 show clang.c --stage ir
grep -q "^      |                  count" err
fails 3 cc clang.c -o k.o
grep -q "^      |                  count" err

# What is refused by us, behind a tab, a character of two bytes, and far in a long line.
{
    echo '#include <lanewise/kernel.h>'
    printf 'KERNEL void k(float *out, int n)\n{\n'
    printf '\t/* \303\244 */ out[0] = *(int *)__builtin_alloca(4);\n'
    printf '    /* %0200d */ float work[n]; ' 0
    printf 'work[0] = n; out[1] = work[0]; /* %0200d */\n}\n' 0
} >own.c
fails 3 run own.c
cut -c 1-88 err >cut && mv cut err
same <<'END'
own.c:4:28: error: 'alloca' is not in the kernel language: use an array of constant size
    4 |         /* ä */ out[0] = *(int *)__builtin_alloca(4);
      |                                  ^~~~~~~~~~~~~~~~
own.c:5:212: error: a local variable-length array is not in the kernel language: give it
    5 | ...000000000000000000000000000000000000000000000000 */ float work[n]; work[0] = 
      |                                                        ^~~~~
END

# As many errors as clang shows.
{
    echo '#include <lanewise/kernel.h>'
    echo 'KERNEL void k(int *out) {'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do
        echo "out[$i] = *(int *)__builtin_alloca(4);"
    done
    echo '}'
} >many.c
fails 3 run many.c
[ "$(grep -c ' error: .*alloca' err)" = 20 ]
[ "$(grep -c 'too many errors, stopping now' err)" = 1 ]

# Colours.
esc=$(printf '\033')
fails 3 run clang.c --color=always
grep -q "^$esc\[1mclang.c:6:11: $esc\[1;31merror: $esc\[0m$esc\[1muse of undeclared" err
grep -q "^      |$esc\[1;32m *count$esc\[0m" err
fails 3 show clang.c --stage ir --color
grep -q "$esc" err
for color in --color=never --color=auto --; do
    fails 3 run clang.c $color
    if grep -q "$esc" err; then exit 1; fi
done
fails 2 run clang.c --color=sometimes
grep -q "^lanewise: --color: 'sometimes' is not auto, always or never" err
if command -v script >/dev/null; then # a terminal
    TERM=xterm script -qec "'$LANEWISE' run clang.c" /dev/null >out </dev/null || :
    grep -q "$esc\[1;31merror" out
    NO_COLOR=1 TERM=xterm script -qec "'$LANEWISE' run clang.c" /dev/null >out </dev/null || :
    if grep -q "$esc\[[0-9;]*m" out; then exit 1; fi
    grep -q 'error: ' out
fi
fails 2 run nosuch.c --color=always
grep -q "^$esc\[1;31mlanewise:$esc\[0m nosuch.c: " err
fails 2 run nosuch.c
grep -q '^lanewise: nosuch.c: ' err

# Names of kernel.h that clang does not know, since they are macros; and kernels.
cat >near.c <<'END'
#include <lanewise/kernel.h>
KERNEL void one(float *x) { *x = thred_idx.x + sinn(1.0f); }
KERNEL void two(float *x) { *x = global_id.y + far_away; }
END
fails 3 run near.c 'f32[1]'
grep -q "undeclared identifier 'thred_idx'; did you mean 'thread_idx'?" err
grep -q "undeclared function 'sinn'; did you mean 'sin'?" err
grep -q "undeclared identifier 'global_id'; did you mean 'global_idx'?" err
grep -q "undeclared identifier 'far_away'$" err

# In front of a parameter's parenthesis clang takes a name for a function without a type.
cat >type.c <<'END'
#include <lanewise/kernel.h>
KERNEL void k(TENSR(float, 2) a, float *out) { *out = *a.data; }
END
fails 3 run type.c 'f32[2,2]' 'f32[1]'
grep -q "^type.c:2:15: error: type specifier missing, .*; did you mean 'TENSOR'?$" err

# Near to another language's; spelt right, but nothing is included; a name that only calls expand.
cat >far.c <<'END'
#include <lanewise/kernel.h>
KERNEL void k(float *x) { __syncthread(); *x = warp_shufle(*x, 1) + M_PI; tile = 3; }
END
fails 3 run far.c 'f32[1]'
grep -q "'__syncthread'; did you mean '__syncthreads'? here it is barrier()$" err
grep -q "'warp_shufle'; did you mean 'warp_shuffle'? here it is shuffle(v, lane)$" err
grep -q "identifier 'M_PI'; it needs #include <math.h>$" err
grep -q "identifier 'tile'$" err
{ echo && sed 1d near.c; } | sed 's/thred/thread/; s/sinn/sin/; s/far_away/printf("")/' >bare.c
fails 3 run bare.c 'f32[1]'
for name in KERNEL thread_idx sin printf; do
    grep -q "'$name'; it needs #include <lanewise/kernel.h>$" err || { cat err; exit 1; }
done
if grep -q "did you mean '\(KERNEL\|thread_idx\|sin\)'" err; then exit 1; fi
fails 2 run "$SOURCE/examples/dot.c" -k dott
grep -q "there is no kernel 'dott' in .*; it has dot; did you mean 'dot'?" err
fails 2 show "$SOURCE/examples/dot.c" --stage widened -k dott
grep -q "there is no kernel 'dott'.*; did you mean 'dot'?" err

# An error in a header: the files that led there, the nearest first; and in JSON all of it.
echo '#include "inner.h"' >outer.h
echo 'float g(float x) { return y; }' >inner.h
cat >led.c <<'END'
#include <lanewise/kernel.h>
#include "outer.h"
KERNEL void k(float *x) { *x = g(*x); }
END
fails 3 run led.c 'f32[1]'
grep -A 9 '^./inner.h:1:27: error: ' err |
    grep -A 1 -x './outer.h:1:1: note: in file included from here' |
    grep -qx 'led.c:2:1: note: in file included from here'
"$LANEWISE" run led.c 'f32[1]' --json 2>err >out || :
grep -q '"picture": "    1 | float g(float x) { return y; }' out
"$LANEWISE" devices --color=always -h | grep -qF -- '--color[=WHEN]'

# The library's message has the picture below its line.
if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    exit 0 # a program without a sanitizer does not load a sanitizer's library
fi
cat >host.c <<'END'
#include <lanewise/lanewise.h>
#include <stdio.h>
int main(void)
{
    const lw_build_options options = {.source = "int x = y;"};
    lw_device *device;
    lw_program *program;
    if (lw_device_open("null", &device) || !lw_program_build(device, "t.c", &options, &program))
        return 1;
    puts(lw_last_error());
    lw_device_close(device);
    return 0;
}
END
"$CC" -I"$SOURCE/include" host.c -o host -L"$BUILD/src/run" -L"$BUILD" -llanewise
LD_LIBRARY_PATH="$BUILD/src/run:$BUILD" ./host >err
same <<'END'
t.c:1:9: use of undeclared identifier 'y'
    1 | int x = y;
      |         ^
END
