#!/bin/sh
# op - lanewise op: results on cpu and ref, parameters, files, mistakes.
set -eu

fail() { echo "op.sh: $*"; exit 1; }

# gives LINE WORDS... - what `lanewise op WORDS` prints, on cpu and on ref
gives()
{
    want=$1
    shift
    for device in cpu ref; do
        got=$("$LANEWISE" op -d $device "$@") || fail "status $? of op -d $device $*"
        [ "$got" = "$want" ] || fail "op -d $device $* gave '$got', not '$want'"
    done
}

# refuses STATUS TEXT WORDS...
refuses()
{
    want=$1 text=$2 status=0
    shift 2
    "$LANEWISE" op "$@" >out 2>err || status=$?
    [ "$status" = "$want" ] || fail "op $*: status $status, not $want: $(cat err)"
    grep -qF -- "$text" err || fail "op $* says '$(cat err)', not '$text'"
}

gives 'out: f32[] = 32.0' dot 'f32[3]=1,2,3' 'i8[3]=4,5,6'
gives 'out: f32[3] = [3.0, 5.0, 7.0]' sum axis=0 'f32[2,3]=iota'
# halves, whose product is made in f32 and in another form
gives 'out: f16[2,2,1] = [[[ 5.0],
                    [14.0]],

                   [[23.0],
                    [32.0]]]' \
    matmul 'f16[2,2,3]=iota' 'f16[3,1]=iota'
gives 'out: f32[] = 0.0' sum 'f32[3]=1e8,1,-1e8'
gives 'out: f32[] = 1.0' sum sum=exact 'f32[3]=1e8,1,-1e8'
gives 'out: i64[2,1] = [[1],
                 [0]]' argmax axis=-1 keepdims=true 'f32[2,3]=1,5,2,nan,7,nan'
gives 'out: f32[3] = [1.0, 1.0, 1.0]' difference 'f32[4]=iota'
gives 'out: f32[4] = [1.0, 1.0, 1.0, 0.0]' difference edge=zero 'f32[4]=iota'
gives 'out: f64[3] = [0.5, 1.5, 2.0]' moving_average window=2 edge=shrink 'i32[3]=iota'
gives 'out: i64[2,3] = [[ 0,  1,  3],
                 [ 3,  7, 12]]' scan 'u8[2,3]=iota'
gives 'out: i64[2,3] = [[0, 1, 2],
                 [3, 5, 7]]' scan axis=0 'u8[2,3]=iota'
gives 'out: f32[3] = [0.0, 0.0, 1.0]' scan exclusive=true 'f32[3]=iota'
gives 'out: i16[4] = [3, 3, 3, 3]' scan op=max 'i16[4]=3,1,2,-5'
gives 'out: i32[3,2] = [[0, 3],
                 [1, 4],
                 [2, 5]]' permute 'i32[2,3]=iota'
gives 'out: i32[2,3] = [[0, 1, 2],
                 [3, 4, 5]]' permute axes=0,1 'i32[2,3]=iota'
gives 'out: i8[3] = [0, 1, 2]' copy dtype=i8 'f64[3]=iota'
gives 'out: f32[1,2] = [[0.5, 0.5]]' softmax 'f32[1,2]'
gives 'out: f32[2] = [0.5, 1.5]' mean_normalize 'f32[2]=1,3'
gives 'out: f32[3] = [1.0, 2.0, 5.0]' map 'expression=a*a+1' 'f32[3]=iota'
gives 'out: i64[] = 5' map_reduce 'map=a*a' 'combine=x+y' identity=0 'i32[3]=iota'
gives 'out: i64[2] = [3, 12]' map_reduce 'map=a' 'combine=x+y' identity=0 axis=-1 'i32[2,3]=iota'

gives 'out: f32[2,2] = [[2.0, 0.0],
                 [5.0, 3.0]]' take axis=1 'f32[2,3]=iota' 'i8[2]=-1,0'
gives 'out: f16[4] = [1.0, 3.0, 0.0, 0.0]
out2: i64[] = 2' compact 'f16[4]=iota' 'bool[4]=0,1,0,1'

gives 'out: f32[3] = [1.0, 6.0, 7.0]' conv1d pad=1 stride=2 'f32[5]=iota' 'f32[3]=1,1,1'
gives 'out: f16[4,1] = [[ 1.0],
                 [ 8.0],
                 [20.0],
                 [13.0]]' conv2d pad=1,0 stride=1,2 'i8[3,3]=iota' 'f16[2,2]=1,1,1,1'
gives 'out: i64[4] = [1, 2, 1, 3]' histogram bins=4 high=4 'f32[8]=0,1,2,3,4,4,1,9'
gives 'out: i64[3] = [1, 1, 4]' histogram bins=3 'i8[6]=0,1,2,3,4,-5'
gives 'out: f32[5] = [-1.0, 0.0, 2.0, inf, nan]' sort 'f32[5]=inf,2,nan,-1,0'
gives 'out: i64[2,2] = [[1, 0],
                 [0, 1]]' argsort axis=0 descending=true 'i8[2,2]=1,5,3,-5'
gives 'out: f64[2] = [nan, 9.0]
out2: i64[2] = [2, 0]' top_k k=2 'f64[4]=9,4,nan,9'

"$LANEWISE" op copy 'f32[2,3]=iota' out=six.npy >/dev/null
gives 'out: f32[2,3] = [[0.0, 1.0, 2.0],
                 [3.0, 4.0, 5.0]]' copy @six.npy
"$LANEWISE" op --list | grep -q '^softmax ' || fail "no softmax in the list"
"$LANEWISE" op softmax --json 'f32[2]' | grep -q '"data": \[0.5, 0.5\]' || fail "--json"
"$LANEWISE" op softmax --time=3 'f32[2]' | grep -q 'of 3 launches' || fail "--time"

refuses 2 "the nearest are softmax" sofmax 'f32[2]'
refuses 2 "has no parameter 'axes'" softmax axes=0 'f32[2]'
refuses 2 "no axis 7" softmax axis=7 'f32[2]'
refuses 2 "parameter 'axis' is \"x\"; need an int" scan axis=x 'f32[2]'
refuses 2 "takes at most 1 ARGs" softmax 'f32[2]' 'f32[2]'
refuses 2 "need f16, bf16, f32 or f64" softmax axis=0 'i32[2]'
refuses 2 "indices are of f32; need an integer type" take 'f32[2]' 'f32[2]'
for device in cpu ref check; do
    refuses 4 "index 1 is 2, the axis has extent 2" -d $device take 'f32[2]' 'i32[2]=0,2'
done
refuses 4 "index 2 is -4, the axis has extent 3" take axis=1 'f32[2,3,2]' 'i8[2,2]=0,-3,-4,3'
refuses 4 "index 0 is 0, the axis has extent 0" take 'f32[0]' 'u64[1]=0'
refuses 2 "x has shape (2,) and mask has (3,)" compact 'f32[2]' 'bool[3]'
refuses 3 "expression:1:1: use of undeclared identifier 'q'" map expression=q 'f32[2]'
refuses 2 "need one of valid, zero" difference edge=round 'f32[2]'

# A failure is an object too, and one that takes too long is given up.
refuses 4 "operation 'matmul': not done after 0.01 s" -d ref --json --timeout 0.01 matmul \
    'f32[256,256]=iota' 'f32[256,256]=iota'
grep -qF '"error": "operation ' out || fail "no error in $(cat out)"
