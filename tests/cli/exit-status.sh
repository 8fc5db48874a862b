# exit-status.sh - every kind of failure of every command has its exit status, a message on standard
# error and nothing on standard output; with --json one object there, with "error" and "status".
set -eu

cat >one.c <<'C'
#include <lanewise/kernel.h>
KERNEL void one(float *a) { a[0] = 1; }
C
cat >two.c <<'C'
#include <lanewise/kernel.h>
KERNEL void one(float *a) { a[0] = 1; }
KERNEL void two(float *a) { assert(a[0] == 1); }
KERNEL void stays(float *a) { for (;;) ++*(volatile float *)a; }
C
printf '#include <lanewise/kernel.h>\nKERNEL void bad(float *a) { a[0] = b; }\n' >bad.c
printf 'no kernel here;\n' >none.npy
mkdir folder
printf '#!/bin/sh\nkill -9 $$\n' >killed
printf '#!/bin/sh\nexit 7\n' >seven
chmod +x killed seven
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR
nogpu=LANEWISE_CUDA_DRIVER=/nonexistent.so
nocache=LANEWISE_CACHE=0

# STATUS | VARIABLES | WORDS
cat >table <<END_OF_TABLE
2 | | walk
2 | | check
2 | | check one.c
2 | | check one.c f32[1] -d ref
3 | | check bad.c f32[1]
4 | | check two.c -k two -b 1 f32[1]
5 | | check two.c -k stays -b 1 f32[1] --timeout 0.3

2 | | run
2 | | run missing.c f32[1]
2 | | run folder f32[1]
2 | | run two.c f32[1]
2 | | run two.c -k three f32[1]
2 | | run one.c
2 | | run one.c f32[1] 2
2 | | run one.c f32[1]=1,2
2 | | run one.c @missing.npy
2 | | run one.c @none.npy
2 | | run one.c f32[1]:folder/none/out.npy
2 | | run one.c f32[1] --soup
2 | | run one.c f32[1] -b
2 | | run one.c f32[1] -b x
2 | | run one.c f32[1] -d soup
2 | LANEWISE_GUARD=some | run one.c f32[1]
2 | LANEWISE_NUM_THREADS=soup | run one.c f32[1]
3 | | run bad.c f32[1]
4 | $nogpu | run one.c f32[1] -d cuda
4 | | run one.c f32[1] -b 2048
4 | | run one.c f32[1] -g 99999999999
4 | | run two.c -k two f32[1] -d ref
4 | | run two.c -k stays f32[1] -b 1 --timeout 0.2
4 | | run one.c f32[0] -b 1 -d ref
5 | LANEWISE_COMPILE=/nonexistent | run one.c f32[1]
5 | $nocache LANEWISE_COMPILE=./killed | run one.c f32[1]
5 | $nocache LANEWISE_COMPILE=./seven | run one.c f32[1]

2 | | show
2 | | show one.c
2 | | show one.c --stage soup
2 | | show missing.c --stage ir
2 | | show folder --stage ir
2 | | show one.c --stage asm -k two
2 | | show one.c --stage asm -b 2048
2 | | show one.c --stage asm -d soup
2 | | show one.c --stage asm -d cpu:soup
2 | LANEWISE_CPU=soup | show one.c --stage asm
3 | | show bad.c --stage ir
5 | LANEWISE_COMPILE=/nonexistent | show one.c --stage ir
5 | LANEWISE_COMPILE=./killed | show one.c --stage ir
5 | LANEWISE_COMPILE=/bin/true | show one.c --stage ir

2 | | cc one.c
2 | | cc missing.c -o one.o
2 | | cc folder -o one.o
2 | | cc one.c -o folder/none/one.o --targets ref
2 | | cc one.c -o one.o --targets soup
2 | | cc one.c -o one.o -b 0 --targets ref
3 | | cc bad.c -o one.o --targets ref
5 | LANEWISE_COMPILE=/nonexistent | cc one.c -o one.o
5 | LANEWISE_COMPILE=./seven | cc one.c -o one.o

2 | | op
2 | | op soup f32[1]
2 | | op dot f32[2]
2 | | op dot f32[2] f32[3]
2 | | op sum axis=soup f32[2]
2 | | op sum f32[2] @missing.npy
2 | | op sum f32[2] -d soup
2 | | op sum f32[2] out=folder/none/out.npy
4 | $nogpu | op sum f32[2] -d cuda

2 | | devices one.c
2 | | devices -d cpu

2 | | bench soup
2 | | bench --soup
2 | | bench --device soup
4 | $nogpu | bench --device cuda
2 | | bench op
2 | | bench op soup
2 | | bench op sum f32[2] -d soup
2 | | bench op sum f32[2] --seconds 0.01 --svg folder/none/x.svg
2 | | bench operations soup
2 | | bench operations --filter soup
2 | | bench dot -d soup
2 | | bench dot -n 99999999999
END_OF_TABLE

# fail TEXT - with what came of the row
fail() { echo "status $want: $variables lanewise $words: $1" && cat out err && exit 1; }

# try WORDS... - one row; *got: its status
try()
{
    got=0
    # shellcheck disable=SC2086 # variables are words
    env $variables timeout 60 "$LANEWISE" "$@" >out 2>err </dev/null || got=$?
    [ "$got" = "$want" ] || fail "status $got"
    [ -s err ] || fail "no message"
}

count=0
while IFS='|' read -r want variables words; do
    want=${want%% *}
    [ -n "$want" ] || continue
    set -f
    # shellcheck disable=SC2086 # words
    set -- $words
    set +f
    try "$@"
    case $words in
    ' bench op sum '*) ;; # the table says what is lacking
    *) [ ! -s out ] || fail "printed" ;;
    esac
    try "$@" --json
    cp out "json.$count"
    printf '%s\t%s\t%s\n' "$want" "json.$count" "$words" >>list
    count=$((count + 1))
done <table
[ $count -ge 60 ]

command -v python3 >/dev/null || exit 0
python3 - <<'P'
import json
for line in open("list"):
    want, file, words = line.rstrip("\n").split("\t")
    try:
        answer = json.load(open(file))
    except ValueError as error:
        raise SystemExit(f"lanewise {words} --json: not one object: {error}: {open(file).read()}")
    good = answer.get("status") == int(want) and answer.get("error")
    if want == "3":
        first = answer["diagnostics"][0]
        good = good and first["line"] == 2 and first["text"] in answer["error"]
    if not good:
        raise SystemExit(f"lanewise {words} --json: {answer}")
P
