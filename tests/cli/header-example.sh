# The program at the head of lanewise.h compiles as it stands there, and prints what it says.
set -eu

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    echo "a program without a sanitizer does not load a sanitizer's library"
    exit 77
fi
header=$SOURCE/include/lanewise/lanewise.h
sed -n '/^ \*     #include/,/^ \*     }$/s/^ \* \{0,5\}//p' "$header" >host.c
said=$(sed -n '/it prints$/,/^ \*     [^ ]/s/^ \*     //p' "$header")
[ -s host.c ] && [ -n "$said" ]
library=$(find "$BUILD" -name liblanewise.so)
"$CC" -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I"$SOURCE/include" host.c -o host "$library"
LD_LIBRARY_PATH=$(dirname "$library") ./host >out
printf '%s\n' "$said" | diff - out

# Its statuses are those of a program that says what is wrong.
sed 's/LW_F32, 1000/LW_F32, 999/; s/0, 1000, values/0, 999, values/' host.c >short.c
"$CC" -std=c11 -I"$SOURCE/include" short.c -o short "$library"
LD_LIBRARY_PATH=$(dirname "$library") ./short 2>err && exit 1
grep -q "scale: parameter 2 'x' (float \[n\]) is declared x\[1000\]" err
