# examples/attention: a registered operation, recorded into a graph, on every device there is; other
# numbers than plain C's are status 1.
set -eu

program=$BUILD/examples/classic_attention
data=$SOURCE/examples/puzzles/attention
"$program" "$SOURCE/examples/attention/kernels.c" "$data" drawn.svg >out
cmp drawn.svg "$SOURCE/docs/classic-attention.svg"
grep -q '^device ref$' out && grep -q '^device cpu$' out
[ "$(grep -c '^norm 0.092764$' out)" = "$(grep -c '^device ' out)" ]
[ "$(grep -c '^plan 4 launches, 2 temporaries in 1088 bytes$' out)" = "$(grep -c '^device ' out)" ]
grep -q '^q (16), K (16, 16), V (16, 16)$' out
grep -q '^sum of weights 1.000000$' out
grep -q '^output -0.00935538 -0.0243433. 0.00306551 0.02346884 0.01930600 ' out

# The same operation by kernels that are wrong.
sed 's/power \/ total/power/' "$SOURCE/examples/attention/kernels.c" >wrong.c
status=0
"$program" wrong.c "$data" >out || status=$?
[ "$status" = 1 ] && grep -q "the graph's output differs" out
