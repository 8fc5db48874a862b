# learn-puzzles.sh - every puzzle of `lanewise learn`: its skeleton is wrong and compiles, its
# solution is right, its picture is drawn, the commands of its text run, and wrong answers are
# refused for the reason that they name: tests/learn/exploits has at least two for each puzzle.
#
# With tests/run -s K/N the pages of all puzzles, and the rest of every N-th from the first on; the
# largest are not among them, and examples/check runs the solutions of all.
#
#   SEED=N       of the inputs
# not under sanitizers: learn.sh runs the same code of the command, and this takes minutes
set -eu

puzzles=$SOURCE/examples/puzzles exploits=$SOURCE/tests/learn/exploits
fail() { echo "$*" && cat out err && exit 1; }

# judged FILE NAME - the verdict on it in out, its status in status
judged()
{
    cp "$1" "lanewise-puzzles/$2.c"
    status=0
    "$LANEWISE" learn "$2" --check --json --seed "${SEED:-1}" >out 2>err || status=$?
}

# run_commands - what the puzzle's text tells to run ends as it says; some skeletons are there to be
# debugged
run_commands()
{
    case $name in off-by-one | hang) wanted=4 ;; race) wanted=1 ;; *) wanted=0 ;; esac
    sed -n 's/^    lanewise \([rc][uh][a-z]* .*\)/\1/p' "$folder/README.md" >commands
    while read -r words; do
        status=0
        eval "\"$LANEWISE\" $words" >out 2>err || status=$?
        [ $status = $wanted ] || fail "$name: status $status of lanewise $words"
    done <commands
}

# wrong_answers - the skeleton and the exploits of the puzzle are refused
wrong_answers()
{
    judged "$folder/skeleton.c" "$name"
    [ $status = 1 ] && grep -q '"verdict": "wrong"' out ||
        fail "$name: the skeleton has status $status"
    count=0
    for exploit in "$exploits/$name"/*.c; do
        count=$((count + 1))
        judged "$exploit" "$name"
        says=$(sed -n '1s|^// refused: ||p' "$exploit")
        [ $status = 1 ] && [ -n "$says" ] && grep -qF -e "$says" out ||
            fail "$exploit: status $status, and it does not say '$says'"
    done
    [ $count -ge 2 ] || fail "$name has $count exploits"
}

mkdir lanewise-puzzles
every=${TEST_EVERY:-1} number=0 tried=0
grep -v '^#' "$puzzles/track" >track
while read -r name; do
    number=$((number + 1))
    echo "$number $name"
    folder=$puzzles/$name
    head -n 1 "$folder/README.md" >title
    sed -n 's/^title  *//p' "$folder/check.txt" | sed 's/^/# /' | diff title -
    "$LANEWISE" learn "$number" >page
    grep -q "Your file is lanewise-puzzles/$name.c, a copy of the skeleton" page
    awk 'length > 80 && !/^ *lanewise run|^\|/ { print; bad = 1 } END { exit bad }' page
    "$LANEWISE" learn "$name" --hint | grep -q '^hint 1 of ' || fail "$name: no hint"
    "$LANEWISE" learn "$name" --solution | cmp - "$folder/solution.c"

    [ $(((number - 1) % every)) -eq 0 ] || continue
    tried=$((tried + 1))
    run_commands
    wrong_answers
    judged "$folder/solution.c" "$name"
    [ $status = 0 ] && grep -q '"verdict": "right"' out ||
        fail "$name: the solution has status $status"
    "$LANEWISE" learn "$name" --picture >out 2>&1 || fail "$name: no picture"
    grep -q 'id="recording"' "lanewise-puzzles/$name.html"
done <track

# Each folder is in the track, and each exploit is of a puzzle.
for folder in "$puzzles"/*/ "$exploits"/*/; do
    grep -qxF "$(basename "$folder")" track || fail "$folder is not in the track"
done
"$LANEWISE" learn >out
[ "$(grep -c '^done' out)" -eq $tried ] || fail 'the list'
[ $tried -lt $number ] || grep -q '^All are done.' out || fail 'the end of the list'

# The page has them all, in this order.
sed -n 's|^| |; s/^ | *[0-9]* | \[\([a-z0-9-]*\)\].*/\1/p' "$SOURCE/docs/puzzles.md" | diff track -

# Inputs have names of their own, since they lie in one folder.
find "$puzzles" -name '*.npy' | sed 's|.*/||' | sort | uniq -d >twice
[ ! -s twice ] || fail "$(cat twice) is there twice"
