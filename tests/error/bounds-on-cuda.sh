#!/bin/sh
# bounds-on-cuda - with LANEWISE_BOUNDS=1 a kernel on `cuda` fails where it fails on `ref`, with the
# same message; without it nothing is compared. Where there is no GPU a third of the cases of `ref`
# are run on the simulator of PTX, with -s a ninth.
# not under sanitizers: the simulator's own tests are, and this takes a minute
set -eu
share=0/1
if ! "$LANEWISE" devices | grep -A1 '^cuda' | grep -q SHARED; then
    export LANEWISE_CUDA_DRIVER="$BUILD/tests/ptxsim/libptxsim.so"
    [ -f "$LANEWISE_CUDA_DRIVER" ] || exit 77
    share=0/3
    [ "${TEST_EVERY:-1}" = 1 ] || share=0/9
fi

# Not the private variable of another thread: on a GPU its address is that of one's own.
for file in bounds-array bounds-buffer bounds-lanes bounds-pointer printf-texts; do
    sed -e 's|^// device: ref .*|//|' -e '/-O0\|-k of_another/ { s|.*|//|; n; s|.*|//|; }' \
        "$SOURCE/tests/error/$file.c" >"$file.c"
done
LANEWISE_BOUNDS=1 "$SOURCE/tests/run" -b "$BUILD" -d cuda -c $share ./*.c >log || {
    cat log
    exit 1
}
grep -Eq '^[1-9][0-9]* passed, 0 failed$' log

# Without it the launch may fail too, as the driver sees it.
"$LANEWISE" run -d cuda bounds-buffer.c -b 1 -k reads 'f32[8]' 'f32[8]' 1000000 2>err || :
if grep "of 'x'" err; then exit 1; fi

# What is right is not refused.
cd "$SOURCE/tests/kernel"
LANEWISE_BOUNDS=1 "$SOURCE/tests/run" -b "$BUILD" -d cuda bounds-allowed.c tensor-pointer-set.c \
    unsigned-far.c constants.c >"$TMP/log" || {
    cat "$TMP/log"
    exit 1
}

# The parameters of a kernel, with the record of its launch, have a limit on a GPU; more than 4352
# bytes take a later PTX.
cd "$TMP"
cat >wide.cu <<'EOF'
struct wide { float v[COUNT]; };
__global__ void k(float *a, float *b, float *c, float *d, float *e, float *f, float *g, float *h,
                  float *i, float *j, wide w)
{
    a[0] = w.v[blockIdx.x];
}
EOF

# compile OUT COUNT OPTION... - the PTX of it, with a manifest in front of it that has the errors
compile()
{
    to=$1 count=$2
    shift 2
    "$BUILD/src/compile/lanewise-compile" --device cuda:sm_90 --cuda sm_90 --show ptx --out 1 \
        -D "COUNT=$count" "$@" wide.cu >"$to"
}
compile plain 1000
grep -q 'version 7.8' plain
compile guarded 1000 --bounds yes
grep -q 'version 8.1' guarded
compile plain 8160
if compile guarded 8160 --bounds yes; then exit 1; fi
grep -Eq "kernel 'k': 3[0-9]+ bytes of arguments and of buffers' sizes; device 'cuda' has" \
    guarded
