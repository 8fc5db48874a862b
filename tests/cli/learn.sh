# learn.sh - `lanewise learn`: the list and what it keeps, the reader's file that is never
# overwritten, hints one by one, verdicts and their exit status, JSON, and what it says of mistakes.
# A verdict tells the first wrong element, the thread that writes it, and what the checker found.
set -eu

solution=$SOURCE/examples/puzzles/dot/solution.c
number=$(grep -v '^#' "$SOURCE/examples/puzzles/track" | grep -n '^dot$' | cut -d : -f 1)
mine=lanewise-puzzles/dot.c
fail() { echo "$*" && cat out err && exit 1; }

# learn STATUS WORDS... - run it; output in out and err
learn()
{
    expected=$1 status=0
    shift
    "$LANEWISE" learn "$@" >out 2>err || status=$?
    [ $status = "$expected" ] || fail "learn $*: status $status, expected $expected"
}
has() { grep -qE -e "$1" out || fail "no line: $1"; }
says() { grep -qF -e "$1" err || fail "no message: $1"; }

# ---- the list, a problem, hints ------------------------------------------------------------------

learn 0
grep -q '^next  1 ' out
[ ! -e lanewise-puzzles ] || fail 'the list makes a folder'
learn 2 "$number" --check
says "there is no $mine; lanewise learn $number makes it"
learn 0 "$number"
has "Your file is $mine, a copy of the skeleton"
has "^  out: f32\[1\] = \[140.0\]"
has '^======='
has "lanewise run $mine -b 8 'f32\[1\]' 'f32\[8\]=iota' 'f32\[8\]=iota'"
cmp "$SOURCE/examples/puzzles/dot/skeleton.c" "$mine"
echo '/* my work */' >>"$mine"
learn 0 dot
has "Your file is $mine\.$"
grep -q 'my work' "$mine"
learn 0 dot --hint
has '^hint 1 of 3: '
[ "$(grep -c '^hint' out)" = 1 ]
learn 0 dot --hint
[ "$(grep -c '^hint' out)" = 2 ]
learn 0 dot --hint
learn 0 dot --hint
has 'These are all'

# ---- verdicts ------------------------------------------------------------------------------------

learn 1 dot --check --seed 7
has "^WRONG  puzzle $number, dot: n=8, on ref \(--seed 7\)"
has '^  out\[0\] is .*; .* is right$'
has '^  thread 0 of block 0 writes this element$'
cp out first
learn 1 dot --check --seed 7
cmp first out
learn 1 dot --check --seed 8
! cmp -s first out

sed 's/^        barrier();//' "$solution" >"$mine"
learn 1 dot --check
has 'what the checker found'
has 'race-warp: thread'
has '^    fix: '

cp "$solution" "$mine"
learn 0 dot --check
has "^RIGHT  puzzle $number, dot: 2 cases on ref, check and cpu"
has 'accesses to block memory a thread  *3.75  *3.75$'
learn 0
has "^done *$number  dot "

sed 's/^    if (i == 0)/    if (i < 4)\n        barrier();\n    barrier();\n&/' "$solution" >"$mine"
learn 1 dot --check
has 'barrier divergence'
has 'barrier-divergence: '
sed 's/out\[0\] = part/out[1] = part/' "$solution" >"$mine"
learn 1 dot --check
has "index 1 of 'out', which has 1 element"
has 'out-of-bounds'
sed 's/    if (i == 0)/    if (i == 99)/' "$solution" >"$mine"
learn 1 dot --check
has '^  out\[0\] was never written; .* is right$'
has '^  thread 0 of block 0 should have written it$'
sed 's/half > 0;/half >= 0;/' "$solution" >"$mine"
learn 1 dot --check --timeout 1
has 'it is not done after 1 s'

# The hint about a barrier inside of the if: with one more behind the loop it is told, else not.
awk '/part\[i\] \+=/ { $0 = "{" $0 " barrier(); }" } /^        barrier/ { next } { print }' \
    "$solution" >inside.c
grep -q '{.*barrier(); }' inside.c
[ "$("$LANEWISE" run inside.c -d ref -b 8 'f32[1]' 'f32[8]=iota' 'f32[8]=iota')" = \
    'out: f32[1] = [140.0]' ]
sed 's/^    if (i == 0)/    barrier();\n&/' inside.c >both.c
status=0
"$LANEWISE" run both.c -d ref -b 8 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' >out 2>err || status=$?
[ $status = 4 ]
says 'barrier divergence in block (0,0,0): both.c:'

# ---- a file that is no answer --------------------------------------------------------------------

echo 'KERNEL void f(' >"$mine"
learn 3 dot --check
says 'error: '
sed 's/dot_product/product/' "$solution" >"$mine"
learn 2 dot --check
says "dot_product"
sed 's/const float \*b)/const float *b, int n)/' "$solution" >"$mine"
learn 2 dot --check
says "'dot_product' has 4 parameters; keep the 3 of the skeleton"
sed 's/const float \*b)/const double *b)/' "$solution" >"$mine"
learn 2 dot --check
says 'argument 3 (const double *b): a buffer of f32 given, f64 is needed'

# ---- JSON ----------------------------------------------------------------------------------------

cp "$solution" "$mine"
learn 0 --json
cp out list
learn 0 dot --check --json
cp out right
sed 's/    if (i == 0)/    if (i == 99)/' "$solution" >"$mine"
learn 1 dot --check --json --seed 3
cp out wrong
learn 2 99 --check --json
cp out none
sed 's/^        barrier();//' "$solution" >"$mine"
learn 1 dot --check --json
cp out racy
"$LANEWISE" check "$mine" -b 8 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' --json >checked &&
    fail 'nothing is found'
if command -v python3 >/dev/null; then
    python3 - "$number" <<'P'
import json, sys

def load(name):
    with open(name, encoding="utf-8") as f:
        return json.load(f)

puzzle = load("list")["puzzles"][int(sys.argv[1]) - 1]
assert puzzle["name"] == "dot" and puzzle["done"] is True and puzzle["teaches"], puzzle
right = load("right")
assert right["verdict"] == "right" and right["cases_right"] == 2, right
assert right["counts"]["block_reads"] == 15 == right["counts_of_solution"]["block_reads"], right
wrong = load("wrong")
assert (wrong["verdict"], wrong["device"], wrong["seed"], wrong["status"]) == (
    "wrong", "ref", 3, 1), wrong
assert wrong["element"] == "out[0]" and "thread 0 of block 0" in wrong["writer"], wrong
assert wrong["error"] == wrong["what"] and wrong["findings"] == [], wrong
assert load("none")["status"] == 2
fields = [{(f["class"], *f) for f in load(name)["findings"]} for name in ("racy", "checked")]
assert fields[0] == fields[1] != set(), fields
P
fi

# ---- mistakes ------------------------------------------------------------------------------------

learn 2 0
says 'there is no puzzle 0; there are 1 to '
learn 2 99
says 'there is no puzzle 99; there are 1 to '
learn 2 -1
says 'there is no puzzle -1; there are 1 to '
learn 2 dott
says "there is no puzzle 'dott'; lanewise learn lists them; did you mean 'dot'?"
learn 2 dot dot
says "learn takes one puzzle, not 'dot' too"
learn 2 --check
says 'learn needs a puzzle, as in: lanewise learn 1 --check'
learn 2 dot --check --hint
says '--check and --hint: one at a time'
learn 2 dot --json
says '--json is for the list and for --check'
learn 2 dot --seed 5
says '--seed and --timeout are for --check'
learn 2 dot --walk
says "there is no option '--walk'"
learn 2 dot -b 8
says 'the option -b is not for this command'
rm "$mine"
mkdir "$mine"
learn 2 dot --check
rmdir "$mine"
mkdir elsewhere
cd elsewhere
touch lanewise-puzzles
learn 2 dot
says 'lanewise-puzzles'
if [ "$(id -u)" != 0 ]; then
    cd ..
    mkdir closed
    chmod 500 closed
    cd closed
    status=0
    "$LANEWISE" learn dot >../out 2>../err || status=$?
    [ $status = 2 ] && grep -q 'lanewise-puzzles: Permission denied' ../err
fi
