#!/bin/sh
# bounds-on-cpu - a kernel on `cpu` fails where it fails on `ref`, with the same message: also with
# LANEWISE_BOUNDS=1. The cases are those of `ref` and of the checker; at each level all of the
# checker's and a share of the others; with -s a third of those.
# not under sanitizers: the other files start the same command, and this takes a minute
set -eu
parts=3
[ "${TEST_EVERY:-1}" = 1 ] || parts=9
for file in bounds-array bounds-buffer bounds-lanes bounds-pointer printf-texts; do
    sed -e 's|^// device: ref .*|//|' -e '/-O0/ { s|.*|//|; n; s|.*|//|; }' \
        "$SOURCE/tests/error/$file.c" >"$file.c"
done

# Those of the checker: the launch ends at the first one's line.
awk '
    FNR == NR {
        if (match($0, /@[a-z0-9]+ \*\//)) line[substr($0, RSTART, RLENGTH - 3)] = FNR
        next
    }
    /^\/\/ run: / { cases[++n] = $0; print "//"; next }
    /^\/\/ finds: / { if (!at[n]) at[n] = line[$4]; print "//"; next }
    { print }
    END {
        for (k = 1; k <= n; k++)
            if (at[k]) print cases[k] "\n// status: 4\n// stderr: out-of-bounds.c:" at[k] ":"
    }' "$SOURCE/tests/check/out-of-bounds.c" "$SOURCE/tests/check/out-of-bounds.c" >out-of-bounds.c
test "$(grep -c '^// stderr: ' out-of-bounds.c)" -ge 10

# some LEVEL SHARE FILES - of the cases that share
some()
{
    level=$1 share=$2
    shift 2
    "$SOURCE/tests/run" -b "$BUILD" -d cpu -l "$level" -c "$share" "$@" >log || {
        cat log
        exit 1
    }
    grep -Eq '^[1-9][0-9]* passed, 0 failed$' log
}

k=0
for level in baseline avx2 avx512; do
    if ! LANEWISE_CPU=$level "$LANEWISE" devices | grep -q 'processor or its system lacks'; then
        some "$level" "$k/$parts" bounds-*.c printf-texts.c
        some "$level" "0/$((parts / 3))" out-of-bounds.c
        (
            export LANEWISE_BOUNDS=1
            some "$level" "$(((k + 1) % 3))/$parts" ./*.c
        )
    fi
    k=$((k + 1))
done

# What is right is not refused.
cd "$SOURCE/tests/kernel"
LANEWISE_BOUNDS=1 "$SOURCE/tests/run" -b "$BUILD" -d cpu bounds-allowed.c tensor-pointer-set.c \
    unsigned-far.c constants.c shared-order.c >"$TMP/log" || {
    cat "$TMP/log"
    exit 1
}
LANEWISE_BOUNDS=yes "$LANEWISE" devices | grep -q "LANEWISE_BOUNDS is 'yes'; need 0"
