# check-operations.sh - ready-made operations and graphs on `check`: the results are those of ref;
# what is wrong in a kernel of an operation is found, at its line.
set -eu
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR

fail() { echo "$*"; exit 1; }

"$LANEWISE" op permute 'f32[50,40]=iota' -d ref out=want.npy >log
LANEWISE_DEVICE=check "$LANEWISE" op permute 'f32[50,40]=iota' out=has.npy >log 2>err ||
    fail "status $?: $(cat err)"
cmp want.npy has.npy || fail 'the result is not that of ref'

# a graph, and its own kernels beside
example=$SOURCE/examples/attention
"$CC" -shared -fPIC -I"$SOURCE/include" -DATTENTION_KERNELS="\"$example/kernels.c\"" \
    "$example/module.c" "$example/operation.c" -o attention.so
for device in ref check; do
    "$LANEWISE" graph attention.so classic::attention seq_len=16 d=16 'f32[16]=rand:1' \
        'f32[16,16]=rand:2' 'f32[16,16]=rand:3' -d $device out=$device.npy >log 2>err ||
        fail "a graph on $device: status $?: $(cat err)"
done
cmp ref.npy check.npy || fail 'the output of the graph is not that of ref'

# without a barrier, what one thread makes of the others' flags is a race
mkdir -p include/lanewise
cp -rL "$SOURCE/include/lanewise/." include/lanewise
kernels=include/lanewise/kernels/compact.inc
line=$(sed -n '/^ *barrier();$/{=;q;}' "$kernels")
sed -i "${line}d" "$kernels"
status=0
LANEWISE_INCLUDE=$PWD/include "$LANEWISE" op compact 'f32[50]=iota' 'f32[50]=iota' \
    -d check >log 2>err || status=$?
[ $status = 1 ] || fail "without a barrier: status $status, $(cat err)"
grep -q "$kernels:[0-9]*:[0-9]*: race-warp: " err || fail "without a barrier: $(cat err)"
