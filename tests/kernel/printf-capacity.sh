#!/bin/sh
# printf's capacity is stated, and what was lost is counted: kept and lost lines make up all.
set -eu
cat >much.c <<'END'
#include <lanewise/kernel.h>
KERNEL void much(void)
{
    for (int i = 0; i < 20; i++)
        printf("%d a line of some length, so that they fill whatever room there is for text\n", i);
}
END
"$LANEWISE" run much.c -b 1024 -g 100 >out 2>err
kept=$(wc -l <out)
lost=$(sed -n 's/.* \([0-9][0-9]*\) .*lost.*/\1/p' err)
[ "$kept" -gt 1000 ] && [ "$((kept + lost))" -eq 2048000 ] && exit 0
echo "kept $kept, lost '$lost', together not 2048000"
cat err
exit 1
