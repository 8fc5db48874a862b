# learn-puzzles.sh - every puzzle of `lanewise learn`: its skeleton is wrong and compiles, its
# solution is right, its picture is drawn, and wrong answers are refused for the reason that they
# name: tests/learn/exploits has at least two for each puzzle.
#
#   SHARE=K/N    every N-th puzzle only, from the K-th on
set -eu

puzzles=$SOURCE/examples/puzzles exploits=$SOURCE/tests/learn/exploits
fail() { echo "$*" && cat out err && exit 1; }

# judged FILE NAME - the verdict on it in out, its status in status
judged()
{
    cp "$1" "lanewise-puzzles/$2.c"
    status=0
    "$LANEWISE" learn "$2" --check --json >out 2>err || status=$?
}

mkdir lanewise-puzzles
share=${SHARE:-0/1} number=0
grep -v '^#' "$puzzles/track" >track
while read -r name; do
    number=$((number + 1))
    [ $((number % ${share#*/})) -eq $((${share%/*} % ${share#*/})) ] || continue
    echo "$number $name"
    folder=$puzzles/$name
    head -n 1 "$folder/README.md" >title
    sed -n 's/^title  *//p' "$folder/check.txt" | sed 's/^/# /' | diff title -
    "$LANEWISE" learn "$number" >page
    grep -q "Your file is lanewise-puzzles/$name.c, a copy of the skeleton" page
    awk 'length > 80 && !/^ *lanewise run|^\|/ { print; bad = 1 } END { exit bad }' page
    "$LANEWISE" learn "$name" --hint | grep -q '^hint 1 of ' || fail "$name: no hint"

    judged "$folder/skeleton.c" "$name"
    [ $status = 1 ] && grep -q '"verdict": "wrong"' out ||
        fail "$name: the skeleton has status $status"
    count=0
    for exploit in "$exploits/$name"/*.c; do
        judged "$exploit" "$name"
        says=$(sed -n '1s|^// refused: ||p' "$exploit")
        [ $status = 1 ] && [ -n "$says" ] && grep -qF -e "$says" out ||
            fail "$exploit: status $status, and it does not say '$says'"
        count=$((count + 1))
    done
    [ $count -ge 2 ] || fail "$name has $count exploits"
    "$LANEWISE" learn "$name" --solution | cmp - "$folder/solution.c"
    judged "$folder/solution.c" "$name"
    [ $status = 0 ] && grep -q '"verdict": "right"' out ||
        fail "$name: the solution has status $status"
    "$LANEWISE" learn "$name" --picture >out 2>&1 || fail "$name: no picture"
    grep -q 'id="recording"' "lanewise-puzzles/$name.html"
done <track

# Each folder is in the track, and each exploit is of a puzzle.
[ "$share" = 0/1 ] || exit 0
for folder in "$puzzles"/*/ "$exploits"/*/; do
    grep -qxF "$(basename "$folder")" track || fail "$folder is not in the track"
done
"$LANEWISE" learn >out
[ "$(grep -c '^done' out)" -eq "$(wc -l <track)" ] && grep -q '^All are done.' out ||
    fail 'the list'

# The page has them all, in this order.
sed -n 's|^| |; s/^ | *[0-9]* | \[\([a-z0-9-]*\)\].*/\1/p' "$SOURCE/docs/puzzles.md" | diff track -

# Inputs have names of their own, since they lie in one folder.
find "$puzzles" -name '*.npy' | sed 's|.*/||' | sort | uniq -d >twice
[ ! -s twice ] || fail "$(cat twice) is there twice"
