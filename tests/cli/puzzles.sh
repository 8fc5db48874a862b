#!/bin/sh
# examples/check --mine says of a skeleton whether it is right, on ref and on cpu. What puzzle 1
# promises of a barrier in the wrong place comes.
set -eu

cp -r "$SOURCE/examples" .
cd examples/puzzles/01-dot

# says STATUS LINE... - what --mine prints for puzzle 1
says()
{
    wanted=$1
    shift
    status=0
    ../../check -b "$BUILD" --mine 01-dot >out 2>&1 || status=$?
    printf '%s\n' "$@" | diff - out
    [ $status -eq "$wanted" ]
}

says 1 'WRONG  01-dot on ref: out[0] is 0.0; 140.0 is right' \
    'WRONG  01-dot on cpu: out[0] is 0.0; 140.0 is right'
cp solution.c skeleton.c
says 0 'RIGHT  01-dot on ref' 'RIGHT  01-dot on cpu'
sed 's/half > 0/half > 1/' solution.c >skeleton.c
says 1 'WRONG  01-dot on ref: out[0] is 56.0; 140.0 is right' \
    'WRONG  01-dot on cpu: out[0] is 56.0; 140.0 is right'
echo 'KERNEL void f(' >skeleton.c
status=0
../../check -b "$BUILD" --mine 01-dot >out 2>&1 || status=$?
[ $status -eq 1 ] && grep -q '^WRONG  01-dot on cpu: it does not run$' out

# A later number, in the second of two buffers; a program.
cd ../05-histogram
sed '/order/s/= i;/= i + (i == 90);/' solution.c >skeleton.c
! cmp -s solution.c skeleton.c
../../check -b "$BUILD" -d cpu --mine 05-histogram >out || :
grep -q '^WRONG  05-histogram on cpu: order\[[0-9]*\] is 91; 90 is right$' out
cd ../07-attention
cp solution.c skeleton.c
[ "$(../../check -b "$BUILD" --mine 07-attention)" = 'RIGHT  07-attention on its device' ]
[ "$(../../check -b "$BUILD" 07-attention)" = '2 passed, 0 failed' ]
! ../../check -b "$BUILD" --unsolved 07-attention >out
! ../../check -b "$BUILD" --mine 09-none 2>out
grep -q "no puzzle '09-none'; there are 01-dot 02" out

# Puzzle 1's hint: the barrier inside the if, with and without one behind the loop.
cd ../01-dot
awk '/part\[i\] \+=/ { $0 = "{" $0 " barrier(); }" } /^        barrier/ { next } { print }' \
    solution.c >inside.c
grep -q '{.*barrier(); }' inside.c
[ "$("$LANEWISE" run inside.c -d ref -b 8 'f32[1]' 'f32[8]=iota' 'f32[8]=iota')" = \
    'out: f32[1] = [140.0]' ]
sed 's/^    if (i == 0)/    barrier();\n&/' inside.c >both.c
! "$LANEWISE" run both.c -d ref -b 8 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' 2>err
grep -q 'barrier divergence in block (0,0,0): both.c:[0-9]* barrier .*, both.c:[0-9]* barrier' err
