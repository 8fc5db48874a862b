#!/bin/sh
# A misspelt command, option, dtype, fill or operation, and other languages' names of dtypes and
# fills: the message says what may have been meant, and nothing where no word is near.
set -eu

kernel=$SOURCE/examples/dot.c
# says MEANT WORDS... - the message ends with the question; MEANT empty: it asks none
says()
{
    meant=$1
    shift
    status=0
    "$LANEWISE" "$@" >out 2>err || status=$?
    [ $status -eq 2 ] || { cat err; exit 1; }
    if [ -n "$meant" ]; then
        grep -q "; did you mean '$meant'?\$" err || { cat err; exit 1; }
    elif grep -q "did you mean" err; then
        cat err
        exit 1
    fi
}

says run rnu x.c
says show shwo
says devices help device
says '' frobnicate
says --time run "$kernel" --tiem
says --json run "$kernel" --jsn=3
says --draw graph x.so --darw
says '' run "$kernel" --schedlues # of another command
says '' run "$kernel" --xyzzy
for pair in float32:f32 double:f64 int:i32 uint8_t:u8 half:f16 bfloat16:bf16 bool_:bool f65:f64; do
    says "${pair#*:}" run "$kernel" "${pair%:*}[1]" 1 2 3
done
says '' run "$kernel" 'quaternion[1]' 1 2 3
for pair in ones:const:1 arange:iota iot:iota zeroes:zeros randn:normal:1; do
    says "${pair#*:}" run "$kernel" 'f64[1]' "f32[8]=${pair%%:*}" 'f32[8]' 8
done
says '' run "$kernel" 'f64[1]' 'f32[8]=penguins' 'f32[8]' 8
! "$LANEWISE" op sotfmax 'f32[3]' 2>err
grep -q "there is no operation 'sotfmax'; the nearest are softmax" err
