# header-module.sh - clang takes kernel.h from kernel.pch where that changes nothing, and reads the
# text otherwise. The clang in lanewise-compile prints the declarations, too; another clang does
# that in a second run. The result is the same either way, to the byte.
# not under sanitizers: what takes time is clang
set -eu
mkdir bin include
cp "$BUILD/src/compile/lanewise-compile" bin
cp -r "$SOURCE/include/lanewise" include
export LANEWISE_INCLUDE="$PWD/include" LANEWISE_CLANG="$PWD/clang" HERE="$PWD"
unset CPATH C_INCLUDE_PATH
printf '#!/bin/sh\necho "$*" >>"$HERE/log"\nexec clang-19 "$@"\n' >clang
chmod +x clang
bin/lanewise-compile --header-module bin/kernel.pch
head -n 1 bin/kernel.pch.key | grep -q '^lanewise-header [0-9a-f]\{16\}$'
grep -q ' lanewise/kernel_maths.h$' bin/kernel.pch.key # relative: the folder may move

# compile OUT WORDS... - the module as text, without the list of headers, whose order differs
compile()
{
    out=$1 status=0
    shift
    bin/lanewise-compile --device null --show raw --out 3 "$@" 3>"$out.all" 2>"$out.said" ||
        status=$?
    { echo "status $status"; sed '/^dep\t/d' "$out.all"; cat "$out.said"; } >"$out"
    grep '^dep' "$out.all" | sort -u >>"$out" || true
}

# same STARTS USES WORDS... - how often clang starts, and how often with the module
same()
{
    starts=$1 uses=$2
    shift 2
    : >log
    compile with "$@"
    [ "$(wc -l <log)" -eq "$starts" ] && [ "$(grep -c -e -include-pch log)" -eq "$uses" ] || {
        echo "$*: not $starts starts, $uses with the module:"
        cat log with
        exit 1
    }
    CPATH='' compile without "$@"
    [ "$(tail -n 1 log | grep -c -e -include-pch)" -eq 0 ]
    cmp with without || { echo "$*"; diff with without; exit 1; }
}

kernel='#include <lanewise/kernel.h>
KERNEL void k(int n, float a[n][3])
{
    if (global_idx.x < n)
        a[global_idx.x][1] = clamp(a[0][0], 0.f, 1.f);
}'
echo "$kernel" >k.c
same 2 2 k.c
grep -q '@k' with
{
    printf '/* #include */ // x\n#line 7 "k.c"\n\t# include <lanewise/kernel.h> // y\n'
    echo 'KERNEL void k(int *a) { *a = __LINE__; }'
} >comments.c
same 2 2 comments.c
same 2 2 --name mine.c --source 4 4<k.c

# Declared sizes, of the clang in the program and of another.
same_rows() # TEXT
{
    printf '#include <lanewise/kernel.h>\n%s\n' "$1" >rows.c
    bin/lanewise-compile --device null --out 3 rows.c 3>other 2>&1
    (
        unset LANEWISE_CLANG
        bin/lanewise-compile --device null --out 3 rows.c 3>inside 2>&1
        CPATH='' bin/lanewise-compile --device null --out 3 rows.c 3>without 2>&1
    )
    [ "$(grep -c '^param' inside)" -gt 0 ]
    for file in other inside without; do grep -v '^dep' $file >$file.rows; done
    for file in other without; do
        cmp inside.rows $file.rows || { cat rows.c; diff inside.rows $file.rows; exit 1; }
    done
}
body='{ SHARED float s[64]; s[a[0] > 0] = (a[1]); a[2] = s[1]; }'
same_rows "KERNEL void k(float *a, int n) $body"
same_rows "#define N 64
/* [ ( { */ KERNEL BLOCK(N) void k(float *a) { char c = '{', d = '\\''; a[0] = c + d; }"
same_rows "struct s { float v[3]; }; typedef struct s s; KERNEL void k(s x, float *a) $body"
same_rows "static float f(float x) { return x; } KERNEL void k(float *a) { a[0] = f(a[1]); }"
same_rows "KERNEL void k(float a[64]) $body"
same_rows "KERNEL void k(float (*a)) $body"
same_rows "KERNEL void k(int n, float (*a)[n]) { a[0][0] = 1; }"
same_rows "#define A float a[64]
KERNEL void k(A) $body"
same_rows "#define A(x) x
KERNEL void k(A(float *a)) $body"
same_rows "KERNEL void k(float a<:64:>) $body"
same_rows "KERNEL void k(TENSOR(float, 2) a) { a.data[0] = 1; }"
same_rows "typedef float row[64]; KERNEL void k(row a) $body"
same_rows "#include <stdint.h>
KERNEL void k(float *a) $body"
same_rows "#if 1
KERNEL void k(float *a) {
#else
KERNEL void k(float a[3]) {
#endif
    a[0] = 1; }"

# What comes before the header, or an option, could change what it means.
{ echo '#define block_sum mine'; echo "$kernel"; } >before.c
{ printf '// \\\n'; echo "$kernel"; } >continued.c
{ echo '#include <stdint.h>'; echo "$kernel"; } >other.c
sed 's/<lanewise/"lanewise/; s/kernel.h>/kernel.h"/' k.c >quotes.c
for file in before.c other.c quotes.c; do same 2 0 $file; done
same 4 0 continued.c # the comment has the header in it: errors, and a second try
same 2 0 -I include k.c
same 2 2 -D N=3 -D 'TPB(x)=x' k.c # no words of the header
for word in NDEBUG block_sum LW__AT ptrdiff_t; do same 2 0 -D "$word=$word" k.c; done
same 2 2 -D NDEBU -D block_sums=no k.c

# Devices whose code is observed have other flags.
for device in ref check picture; do
    bin/lanewise-compile --device $device --show raw --out 3 k.c 3>with
    CPATH='' bin/lanewise-compile --device $device --show raw --out 3 k.c 3>without
    for file in with without; do sed '/^dep\t/d' $file >$file.rows; done
    cmp with.rows without.rows
done

# Messages come of the text.
echo '#include <lanewise/kernel.h>
KERNEL void k(int *a) { *a = 1.5; }' >warns.c
same 4 2 warns.c
grep -q 'warning' with
echo '#include <lanewise/kernel.h>
KERNEL void k(float *a) { *a = clam(*a, 0.f, 1.f); }' >fails.c
same 4 2 fails.c
grep -q "did you mean 'clamp'" with
echo '#include <lanewise/kernel.h>
static float clamp(float x) { return x; }
KERNEL void k(float *a) { *a = clamp(*a); }' >own.c
same 6 2 own.c
: >empty.c
same 2 0 empty.c

# A module that is damaged, or of another clang or header.
cp -r bin sound
head -c 300000 sound/kernel.pch >bin/kernel.pch
same 4 2 k.c
: >bin/kernel.pch
same 4 2 k.c
cp sound/kernel.pch bin
for key in 's/^lanewise-header ./lanewise-header x/' '2s/^./x/' '2,$d' '3s/ .*//'; do
    sed "$key" sound/kernel.pch.key >bin/kernel.pch.key
    same 2 0 k.c
done
rm bin/kernel.pch.key
same 2 0 k.c
cp sound/kernel.pch.key bin
same 2 2 k.c
echo '# other' >>clang
same 2 0 k.c
sed -i '$d' clang
touch -r bin/kernel.pch clang
sed -i 's/KERNEL_H/KERNEL_G/' include/lanewise/kernel.h # the same size
same 2 0 k.c

# Headers and program elsewhere.
sed -i 's/KERNEL_G/KERNEL_H/' include/lanewise/kernel.h
bin/lanewise-compile --header-module bin/kernel.pch
mkdir moved
mv bin include moved
ln -s moved/bin bin
export LANEWISE_INCLUDE="$PWD/moved/include"
same 2 2 k.c
