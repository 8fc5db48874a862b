# check-suppress.sh - findings that are suppressed are not told and fail nothing: by a line of a
# file, by a comment in the source. --verbose and JSON say what and by what. Wrong files are
# refused.
set -eu
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR
fail() { echo "$*"; exit 1; }

mkdir dir
cat >dir/two.c <<'C'
#include <lanewise/kernel.h>
KERNEL void two(int *a, int *b)
{
    a[0] = thread_idx.x;
    b[0] = 7;
}
C
two() { "$LANEWISE" check dir/two.c -b 2 'i32[1]' 'i32[1]' "$@"; }

two --strict >out && fail "nothing found"
grep -q '4:10: race-warp' out
grep -q '5:10: benign-write' out

# WHAT is suppressed by each line: the race (r), the write (w), neither
while IFS='|' read -r line what; do
    printf '%s\n' "$line" >list
    status=0
    two --strict --suppress list >out || status=$?
    got=
    grep -q ' race-warp:' out || got=r
    grep -q ' benign-write:' out || got=${got}w
    [ "$got" = "$what" ] || fail "'$line' suppresses '$got', not '$what'"
    want=1
    [ "$what" != rw ] || want=0
    [ "$status" = $want ] || fail "'$line': status $status"
done <<'END'
*|rw
* two.c|rw
* dir/two.c|rw
race-warp|r
race-warp two.c|r
race-warp two.c:4|r
   race-warp	two.c:4   # with a reason|r
* two.c:5|w
race-warp two.c:5|
race-warp wo.c|
race-warp other.c|
benign-write two.c:4|
race-global|
# race-warp|
|
END

printf 'race-warp two.c:4\r\n\r\n# all\r\nbenign-write\r\n' >list
two --strict --suppress list >out
grep -q '^clean: .*, 2 suppressed$' out
[ "$(wc -l <out)" = 1 ] || fail "$(cat out)"
two --suppress list --verbose >out
grep -q '^dir/two.c:4:10: suppressed: race-warp: ' out
grep -q '^   by: list:1;*' out
grep -q '^   by: list:4;*' out
two --suppress list --json >out
tr -d '\n' <out | grep -q '"findings": \[\], "suppressed": \[  {"class": "race-warp".*list:4'

# comments: at the end of a line, alone above it, several, of another class, misspelt
while IFS='|' read -r above behind what; do
    printf '%s\n' '#include <lanewise/kernel.h>' 'KERNEL void c(int *a)' '{' \
        "    int b = thread_idx.x; $above" "    a[0] = b; $behind" '}' >c.c
    status=0
    "$LANEWISE" check c.c -b 2 'i32[1]' >out || status=$?
    [ "$status" = "$what" ] || fail "'$above' '$behind': status $status, not $what"
done <<'END'
||1
|// lanewise-allow: race-warp|0
|/* lanewise-allow: race-warp */|0
|/* lanewise-allow: benign-write, race-warp: why */|0
|// lanewise-allow: benign-write race-warp|0
|// lanewise-allow: benign-write|1
|// lanewise-allow: race-warps|1
|// lanewise-allow: |1
|// lanewise-allow|1
// lanewise-allow: race-warp||1
END
printf '%s\n' '#include <lanewise/kernel.h>' 'KERNEL void c(int *a)' '{' \
    '    // lanewise-allow: race-warp' '    a[0] = thread_idx.x;' '}' >c.c
"$LANEWISE" check c.c -b 2 'i32[1]' >out
grep -q '1 suppressed' out
"$LANEWISE" check - -b 2 'i32[1]' <c.c >out # as text
grep -q '1 suppressed' out
sed 's/lanewise-allow/allow/' c.c | "$LANEWISE" check - -b 2 'i32[1]' >out && fail "status 0"
grep -q '^     5 |     a\[0\] = thread_idx.x;$' out || fail "no line of standard input: $(cat out)"

# a misspelt class in a comment is told, with the one that was meant
sed 's/allow: race-warp/allow: race-wrap/' c.c >wrap.c
"$LANEWISE" check wrap.c -b 2 'i32[1]' >out && fail "status 0"
grep -q "^   note: 'race-wrap' in the comment at wrap.c:4 is no class of findings; did you mean \
'race-warp'?$" out || fail "$(cat out)"
"$LANEWISE" check wrap.c -b 2 'i32[1]' --json | grep -q '"note": "'"'race-wrap' in the comment" ||
    fail "no note in JSON"
sed 's/allow: race-warp/allow: benign-write, race-warp: or racy/' c.c >why.c
"$LANEWISE" check why.c -b 2 'i32[1]' | grep note && fail "a note on the reason"
sed 's/allow: race-warp/allow: benign-write: race-wrap/' c.c >other.c
"$LANEWISE" check other.c -b 2 'i32[1]' | grep note && fail "a note on the reason of another"

# files that are wrong
printf 'benign-write\nrace-wrap two.c\n' >wrong
printf 'race-warp\0' >zero
head -c 100 /dev/urandom >noise
for words in 'wrong|wrong:2: .race-wrap. is no class of findings; did you mean .race-warp.' \
    'missing|missing: No such file' 'dir|dir: Is a directory' 'zero|zero: this is no text' \
    'noise|noise'; do
    status=0
    two --suppress "${words%%|*}" >out 2>err || status=$?
    [ "$status" = 2 ] || fail "--suppress ${words%%|*}: status $status"
    [ ! -s out ] || fail "a verdict: $(cat out)"
    grep -aq "${words#*|}" err || fail "$(cat err)"
done
