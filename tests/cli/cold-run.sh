# cold-run.sh - scripts/cold-run has a row for each build and kind of run, and starts from nothing.
set -eu
"$SOURCE/scripts/cold-run" -n 1 "$BUILD" "$BUILD" >out
head -n 1 out | grep -qx ' *processor  *clock  *ms'
for case in cold block warm; do
    [ "$(grep -c "^ *[0-9.]*  *[0-9]*  $case  *$BUILD\$" out)" -eq 1 ] || { cat out; exit 1; }
done
median() { sed -n "s/^ *\([0-9]*\)\.[0-9]* .* $1 .*/\1/p" out; }
[ "$(median warm)" -lt "$(median block)" ] && [ "$(median block)" -lt "$(median cold)" ]
status=0
"$SOURCE/scripts/cold-run" -n 1 "$PWD/nowhere" >out 2>&1 || status=$?
[ $status -ne 0 ] && grep -q 'nowhere/lanewise' out
