# `lanewise bench --device cuda` says which rows there are and what is missing: a GPU, PyTorch.
set -eu

"$LANEWISE" bench --device cuda --help >out
grep -q '^rows: .*dot28' out
grep -q -- '--json' out

fails() { # STATUS TEXT WORDS...
    status=$1 text=$2
    shift 2
    code=0
    "$@" >out 2>err || code=$?
    [ "$code" -eq "$status" ] && grep -q -e "$text" err || { cat out err; exit 1; }
}
fails 2 '^bench: --level says nothing on a GPU' "$LANEWISE" bench --device cuda --level avx2
fails 2 '^bench: --small says nothing on a GPU' "$LANEWISE" bench -d cuda:0 --small
fails 2 "there is no row 'nowhere'" python3 "$SOURCE/bench/cuda/run.py" --rows dot28,nowhere

cat >draw.py <<'TEXT'
import sys
sys.path.insert(0, sys.argv[1])
import run
text = run.svg([{"row": "slow", "of_peer": 0.25}, {"row": "fast", "of_peer": 1.5},
                {"row": "empty", "ours_us": 3}])
assert text.count("<rect") == 2 and 'width="50"' in text and 'width="300"' in text, text
assert run.bar(0.5) == "#" * 10
TEXT
python3 -B draw.py "$SOURCE/bench/cuda"

if ! python3 -c 'import torch' 2>err; then
    fails 4 '^bench: PyTorch, with which .* is missing: ' python3 "$SOURCE/bench/cuda/run.py"
fi
if "$LANEWISE" devices | grep -A3 '^cuda' | grep -q 'not available'; then
    fails 4 '^bench: .*cuda' "$LANEWISE" bench --device cuda dot28
fi
