#!/bin/sh
# graph - lanewise graph: examples/attention as a shared object. Run, plan and drawing, compared
# with what the host program of the example prints; and what is wrong.
set -eu

fail() { echo "graph.sh: $*"; exit 1; }

# refuses STATUS TEXT WORDS...
refuses()
{
    want=$1 text=$2 status=0
    shift 2
    "$LANEWISE" graph "$@" >out 2>err || status=$?
    [ "$status" = "$want" ] || fail "graph $*: status $status, not $want: $(cat err)"
    grep -qF -- "$text" err || fail "graph $* says '$(cat err)', not '$text'"
}

# object NAME CODE - NAME.so, whose lanewise_register is CODE
object()
{
    cat >"$1.c" <<C
#include <lanewise/ops.h>
static lw_status no_shape(const lw_shape *in, const lw_params *p, lw_shape *out, void *user)
{
    (void)in, (void)p, (void)user;
    out[0].rank = 9;
    return LW_OK;
}
lw_status lanewise_register(void);
lw_status lanewise_register(void)
{
    lw_op_def def = {.name = "mine::odd", .inputs = 1, .outputs = 1, .parameters = "",
                     .infer = no_shape, .record = NULL};
    lw_op *op;
    (void)def, (void)op, (void)no_shape;
    $2
}
C
    "$CC" -shared -fPIC -I"$SOURCE/include" "$1.c" -o "$1.so"
}

example=$SOURCE/examples/attention
data=$SOURCE/examples/puzzles/attention
"$CC" -shared -fPIC -I"$SOURCE/include" -DATTENTION_KERNELS="\"$example/kernels.c\"" \
    "$example/module.c" "$example/operation.c" -o attention.so
cp "$data/q.npy" "$data/K.npy" "$data/V.npy" .

"$LANEWISE" graph attention.so --list >list
printf '%s\n' 'classic::attention 3 inputs, 3 outputs' \
    '                     seq_len:int=0 d:int=0 scale:real=1' | diff - list
"$LANEWISE" graph ./attention.so --list --json >list
grep -q '"name": "classic::attention".*"inputs": \[3, 3\]' list || fail "$(cat list)"

# The output, its norm and the plan are those of the host program.
"$BUILD/examples/classic_attention" "$example/kernels.c" "$data" >example
for device in ref cpu; do
    sed -n "/^device $device/,/^device/p" example | grep '^output\|^norm\|^plan\|^  ' >want
    "$LANEWISE" graph attention.so classic::attention seq_len=16 d=16 @q.npy @K.npy @V.npy \
        -d $device --plan --draw $device.svg out=$device.npy >got
    python3 - $device.npy <<'P' >has
import math, struct, sys
values = struct.unpack("<16f", open(sys.argv[1], "rb").read()[-64:])
print("output", *(f"{v:.8f}" for v in values))
print(f"norm {math.sqrt(sum(v * v for v in values)):.6f}")
P
    sed 1d got >>has
    diff want has || fail "-d $device"
    grep -q '^plan 4 launches, 2 temporaries in 1088 bytes$' has || fail "no plan"
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' $device.svg
    grep -q 'softmax' $device.svg || fail "the drawing lacks a launch"
    "$LANEWISE" op copy @$device.npy >copy
    sed -n 1p got | diff - copy || fail "out= of -d $device"
done
"$LANEWISE" graph attention.so classic::attention @q.npy @K.npy @V.npy scale=0.5 --quiet \
    --draw a.dot >out
[ ! -s out ] || fail "--quiet prints"
grep -q '^digraph' a.dot || fail "no drawing in a.dot"

# Two of three outputs: the keys are K transposed, and one temporary is left.
"$LANEWISE" graph attention.so classic::attention outputs=2 @q.npy @K.npy @V.npy --plan --json \
    --time=2 >out
python3 - <<'P' || fail "JSON: $(cat out)"
import json
r = json.load(open("out"))
assert [(b["name"], b["shape"]) for b in r["buffers"]] == [("out", [16]), ("out2", [16, 16])]
assert r["plan"] == {"launches": 4, "bytes": 64, "bytes_unshared": 64, "temporaries": [
    {"bytes": 64, "offset": 0, "first_launch": 1, "last_launch": 3}]}, r["plan"]
assert r["time_ns"]["launches"] == 2
P

op=classic::attention
refuses 2 'graph needs a FILE'
refuses 2 'graph needs a FILE' --list
refuses 2 'none.so: No such file or directory' none.so --list
refuses 2 'a directory' . --list
refuses 2 'q.npy: not a shared object' q.npy --list
refuses 2 'needs the NAME of an operation; attention.so has classic::attention' attention.so
refuses 2 "has no operation 'softmax'; it has classic::attention" attention.so softmax 'f32[2]'
refuses 2 'needs 3 ARGs, 1 given' attention.so $op 'f32[4]'
refuses 2 'need q (4), K (2, 4)' attention.so $op 'f32[3]' 'f32[2,4]' 'f32[2,4]'
refuses 2 'input 0 is of f64; need f32' attention.so $op 'f64[4]' 'f32[2,4]' 'f32[2,4]'
refuses 2 "has no parameter 'scal'" attention.so $op scal=1 @q.npy @K.npy @V.npy
refuses 2 'outputs=4: classic::attention has 3' attention.so $op outputs=4 @q.npy @K.npy @V.npy
refuses 2 "'outputs=0'" attention.so $op outputs=0 @q.npy @K.npy @V.npy
refuses 2 'neither .svg nor .dot' attention.so $op @q.npy @K.npy @V.npy --draw a.png
refuses 2 'none/a.svg: No such file' attention.so $op @q.npy @K.npy @V.npy --draw none/a.svg
refuses 2 "no device 'gpu'" attention.so $op @q.npy @K.npy @V.npy -d gpu
refuses 4 'block 2000 x 1 x 1 is too large' attention.so $op 'f32[4]' 'f32[2000,4]' 'f32[2000,4]'
refuses 4 'block 2000 x 1 x 1 is too large' attention.so $op 'f32[4]' 'f32[2000,4]' 'f32[2000,4]' \
    --json
grep -q '"status": 4' out || fail "no object: $(cat out)"

# What the run finds: softmax fails an assert. And kernels that do not compile, or are not there.
for change in 's/int i = thread_idx.x;/&\n    assert(i < 4);/' \
    's/KERNEL void softmax/KERNEL vid softmax/'; do
    sed "$change" "$example/kernels.c" >kernels.c
    "$CC" -shared -fPIC -I"$SOURCE/include" -DATTENTION_KERNELS='"kernels.c"' \
        "$example/module.c" "$example/operation.c" -o other.so
    case $change in
    *assert*) refuses 4 'assert' other.so $op @q.npy @K.npy @V.npy ;;
    *) refuses 3 'kernels.c:' other.so $op @q.npy @K.npy @V.npy ;;
    esac
done
rm kernels.c
refuses 4 'kernels.c: No such file' other.so $op @q.npy @K.npy @V.npy

"$CC" -shared -fPIC -x c /dev/null -o empty.so
refuses 2 'has no function lanewise_register' empty.so --list
object nothing 'return LW_OK;'
refuses 2 'registers no operation' nothing.so --list
object says 'return lw_fail(LW_E_DEVICE, "not on a Tuesday");'
refuses 4 'says.so: lanewise_register: not on a Tuesday' says.so --list
object odd 'def.record = (void *)lanewise_register;
    return lw_op_register(&def, &op);'
refuses 2 'infer gives output 0 dtype' odd.so mine::odd 'f32[2]'
object taken 'def.record = (void *)lanewise_register; def.name = "softmax";
    return lw_op_register(&def, &op);'
refuses 2 "softmax" taken.so --list
