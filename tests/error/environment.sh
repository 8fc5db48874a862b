# environment.sh - values of the environment's variables that mean nothing are errors, which name
# the variable, the value and what it may be.
set -eu

printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a)\n{\n    a[0] = 1;\n}\n' >one.c
unset LANEWISE_GANG LANEWISE_CPU LANEWISE_NUM_THREADS LANEWISE_INCLUDE LANEWISE_CACHE
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR

# refused STATUS VARIABLE VALUE NEED WORDS...
refused()
{
    want=$1 variable=$2 value=$3 need=$4 got=0
    shift 4
    env "$variable=$value" "$LANEWISE" "$@" >out 2>err || got=$?
    [ "$got" = "$want" ] || { echo "$variable=$value $*: status $got"; cat err; exit 1; }
    grep -qF "$variable is '$value'" err && grep -qF -- "need $need" err ||
        { echo "$variable=$value $*: lacks '$need'"; cat err; exit 1; }
    [ ! -s out ] || { echo "$variable=$value $*: printed"; cat out; exit 1; }
}
run='run one.c f32[1]'
asm='show one.c --stage asm'

# shellcheck disable=SC2086 # the words of run and asm
{
for value in '' soup 0 -1 257 1.5 ' 2' +2 2x 99999999999999999999; do
    refused 2 LANEWISE_NUM_THREADS "$value" 'a whole number from 1 to 256' $run
    refused 2 LANEWISE_NUM_THREADS "$value" 'a whole number from 1 to 256' $run -d ref
done
for value in '' soup 0 31 33 1056 -32 ' 32' 32x 18446744073709551648; do
    refused 2 LANEWISE_GANG "$value" 'a multiple of 32, at most 1024' $run -d cpu
    case $value in ' 32') ;; *) refused 2 LANEWISE_GANG "$value" 'a multiple of 32' $asm ;; esac
done
for value in '' soup AVX2 avx; do
    refused 2 LANEWISE_CPU "$value" '' $run -d cpu
    refused 2 LANEWISE_CPU "$value" 'baseline, avx2, avx512 or aarch64' $asm
done
for value in '' 2 yes off; do
    refused 2 LANEWISE_CACHE "$value" '0, no cache, or 1' $run
done
for value in '' soup 1.5G 1GB -1 16777216T; do
    refused 2 LANEWISE_CACHE_LIMIT "$value" 'bytes, a whole number' $run
done
refused 2 LANEWISE_GUARD some all $run
refused 2 LANEWISE_CACHE_DIR '' 'the path of a folder' $run
refused 2 LANEWISE_CACHE_DIR one.c 'a folder of this user' $run
refused 2 LANEWISE_CACHE_DIR one.c/folder 'the path of a folder' $run
for value in '' /nonexistent one.c .; do
    refused 2 LANEWISE_INCLUDE "$value" 'a folder that holds lanewise/kernel.h' $run
done
refused 4 LANEWISE_CUDA_DRIVER '' 'the path of a library' $run -d cuda
refused 4 LANEWISE_CUDA_DRIVER /nonexistent 'the path of a library' $run -d cuda
for value in '' /nonexistent one.c .; do
    refused 5 LANEWISE_COMPILE "$value" 'the path of lanewise-compile' $asm
    env LANEWISE_COMPILE="$value" "$LANEWISE" $run >out 2>err && exit 1
    [ $? = 5 ] && grep -qF "LANEWISE_COMPILE names '$value'" err
done
for value in '' /nonexistent one.c .; do
    refused 5 LANEWISE_CLANG "$value" 'the path of clang 19' $asm
done

# A header of one's own is another program: the cache does not hand out the one before.
"$LANEWISE" $run -d ref >out
mkdir -p mine/lanewise
sed 's/^#define KERNEL /#define one two\n&/' "$SOURCE/include/lanewise/kernel.h" \
    >mine/lanewise/kernel.h
cp "$SOURCE"/include/lanewise/*.def "$SOURCE/include/lanewise/kernel_maths.h" mine/lanewise/
LANEWISE_INCLUDE=mine "$LANEWISE" $run -k two -d ref >again
diff out again
}
for good in LANEWISE_CACHE=1 LANEWISE_CACHE_LIMIT=2M LANEWISE_NUM_THREADS=256 LANEWISE_GANG=1024 \
    LANEWISE_CPU=baseline; do
    [ "$good" != LANEWISE_CPU=baseline ] || [ "$(uname -m)" = x86_64 ] || continue
    env $good "$LANEWISE" run one.c 'f32[1]' | grep -qx 'a: f32\[1\] = \[1.0\]'
done
