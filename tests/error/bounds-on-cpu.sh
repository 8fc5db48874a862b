#!/bin/sh
# bounds-on-cpu - a kernel on `cpu` fails where it fails on `ref`, with the same message: also with
# LANEWISE_BOUNDS=1. The cases are those of `ref`; of each level there is a share.
set -eu
for file in bounds-array bounds-buffer bounds-lanes bounds-pointer printf-texts; do
    sed -e 's|^// device: ref .*|//|' -e '/-O0/ { s|.*|//|; n; s|.*|//|; }' \
        "$SOURCE/tests/error/$file.c" >"$file.c"
done

# share LEVEL K - of the cases one third
share()
{
    "$SOURCE/tests/run" -b "$BUILD" -d cpu -l "$1" -c "$2/3" ./*.c >log || {
        cat log
        exit 1
    }
    grep -Eq '^[1-9][0-9]* passed, 0 failed$' log
}

k=0
for level in baseline avx2 avx512; do
    if ! LANEWISE_CPU=$level "$LANEWISE" devices | grep -q 'processor or its system lacks'; then
        share "$level" "$k"
        (LANEWISE_BOUNDS=1 && export LANEWISE_BOUNDS && share "$level" $(((k + 1) % 3)))
    fi
    k=$((k + 1))
done

# What is right is not refused.
cd "$SOURCE/tests/kernel"
LANEWISE_BOUNDS=1 "$SOURCE/tests/run" -b "$BUILD" -d cpu bounds-allowed.c tensor-pointer-set.c \
    unsigned-far.c constants.c >"$TMP/log" || {
    cat "$TMP/log"
    exit 1
}
LANEWISE_BOUNDS=yes "$LANEWISE" devices | grep -q "LANEWISE_BOUNDS is 'yes'; need 0"
