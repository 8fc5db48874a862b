# picture.sh - `lanewise picture` writes what a block's threads did, as a recording, a page and a
# drawing: the dot product folds to 140 step by step, each kind of event is there, what is too large
# is cut and says so, and mistakes are told. trace() leaves the code of other devices as it is.
set -eu
command -v python3 >/dev/null || { echo "python3 is not installed" && exit 77; }

cat >dot.c <<'C'
#include <lanewise/kernel.h>
KERNEL BLOCK(8) void dot(float *out, const float *a, const float *b)
{
    SHARED float part[8];
    int t = thread_idx.x;
    part[t] = a[t] * b[t];
    barrier();
    for (int half = 4; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        barrier();
#ifdef TRACE
        trace("part", part[t]);
        trace("half", half);
#endif
    }
    if (t == 0)
        *out = part[0];
}
C
cat >all.c <<'C'
#include <lanewise/kernel.h>
KERNEL void shuffles(float *x)
{
    float v = shuffle_up(x[thread_idx.x], 1);
    x[thread_idx.x] = warp_sum(v);
    if (thread_idx.x & 1)
        return;
    x[thread_idx.x] += ballot(thread_idx.x > 3);
}
KERNEL void turn(int n, float out[n][n], const float a[n][n])
{
    SHARED float t[32][32];
    int x = thread_idx.x, y = thread_idx.y;
    t[y][x] = a[block_idx.y * 32 + y][block_idx.x * 32 + x];
    barrier();
    out[block_idx.x * 32 + y][block_idx.y * 32 + x] = t[x][y];
}
KERNEL void bins(unsigned *out, const unsigned *x, int n)
{
    SHARED unsigned count[8];
    if (thread_idx.x < 8)
        count[thread_idx.x] = 0;
    barrier();
    for (int i = thread_idx.x; i < n; i += block_dim.x)
        atomic_add(&count[x[i] % 8], 1);
    barrier();
    if (thread_idx.x < 8)
        out[thread_idx.x] = count[thread_idx.x];
}
KERNEL void dynamic(float2 *x)
{
    DYNAMIC_SHARED(float2, part);
    part[thread_idx.x] = x[thread_idx.x];
    barrier();
    x[thread_idx.x] = part[block_dim.x - 1 - thread_idx.x];
}
KERNEL void race(float *x)
{
    SHARED float part[4];
    part[thread_idx.x] = x[thread_idx.x];
    x[thread_idx.x] = part[thread_idx.x ^ 1];
}
KERNEL void outside(float *x)
{
    SHARED int i;
    i = 1;
    barrier();
    x[thread_idx.x + 5] = 1;
}
KERNEL void trips(int n)
{
    SHARED int part[8];
    for (int i = 0; i < n; i++)
        part[thread_idx.x] = i;
}
KERNEL void endless(int *x)
{
    for (int i = 0; i < 300000; i++)
        ++*(volatile int *)x;
}
C
L=$LANEWISE
"$L" picture dot.c 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o dot.json -D TRACE
"$L" picture dot.c 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o half.json -D TRACE --trace half
"$L" picture dot.c 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o two.json --steps 2 2>cut
"$L" picture dot.c 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o dot.html
"$L" picture dot.c 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o dot.svg
"$L" picture - 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o input.json <dot.c
grep -q 'two.json: the recording was cut behind step 2; --steps N records more' cut
"$L" picture all.c -k shuffles -b 8 'f32[8]=iota' -o shuffles.json
"$L" picture all.c -k turn -g 2x2 -b 32x32 64 'f32[64,64]' 'f32[64,64]=iota' -o tile.json --block 1
"$L" picture all.c -k turn -g 2x2 -b 32x32 64 'f32[64,64]' 'f32[64,64]=iota' -o tile.html
"$L" picture all.c -k bins -b 32 'u32[8]' 'u32[100]=iota' 100 -o bins.json
"$L" picture all.c -k dynamic -b 4 --shared 32 'f32[4,2]=iota' -o dynamic.json
"$L" picture all.c -k trips -b 8 3 -o trips.json
"$L" picture all.c -k endless -b 1 'i32[1]' -o endless.json 2>cut
grep -q 'endless.json: the recording was cut behind step 0: it has more than 1048576 events' cut
status=0
"$L" picture all.c -k race -b 4 'f32[4]' -o race.json --check 2>found || status=$?
[ $status = 1 ] && grep -q race-warp found
status=0
"$L" picture all.c -k outside -b 4 'f32[8]' -o outside.json 2>failed || status=$?
[ $status = 4 ] && grep -q "index 8 of 'x'" failed

cat >look.py <<'P'
import json, re, sys

def load(name):
    with open(name + ".json", encoding="utf-8") as f:
        return json.load(f)

def memory(picture, name, step):
    """An array as steps up to that have left it."""
    number = [a["name"] for a in picture["arrays"]].index(name)
    array = picture["arrays"][number]
    count = 1
    for n in array["shape"]:
        count *= n
    values = list(array.get("first", [None] * count))
    for s in picture["steps"][:step + 1]:
        for access in s["access"]:
            if access["a"] == number and access["k"] != "r":
                for e, v in zip(access["e"], access["v"]):
                    values[e] = v
    return values

def same(what, is_, expected):
    if is_ != expected:
        sys.exit(f"{what} is {is_}, expected {expected}")

# What follows the last trip, lines alone, is no step of its own.
same("accesses of trips", [len(s["access"]) for s in load("trips")["steps"]], [1, 1, 1])

dot = load("dot")
same("steps of dot", len(dot["steps"]), 5)
for step, sums in enumerate(([0, 1, 4, 9, 16, 25, 36, 49], [16, 26, 40, 58], [56, 84], [140])):
    same(f"part behind step {step}", memory(dot, "part", step)[:len(sums)], sums)
same("out", memory(dot, "out", 4), [140])
same("states", [s["state"] for s in dot["steps"]],
     ["aaaaaaaa", "aaaadddd", "aadddddd", "addddddd", "addddddd"])
same("lines", dot["steps"][1]["lines"],
     [[8, "000000ff"], [9, "000000ff"], [10, "0000000f"], [11, "000000ff"]])
same("collectives", dot["steps"][1]["collectives"],
     [{"op": "barrier", "l": 11, "first": 0, "lanes": "000000ff"}])
same("reads", dot["steps"][1]["access"][0],
     {"a": 0, "k": "r", "l": 10, "t": [0, 0, 1, 1, 2, 2, 3, 3], "e": [4, 0, 5, 1, 6, 2, 7, 3]})
same("trace", dot["steps"][2]["trace"],
     [{"name": "part", "l": 13, "t": list(range(8)), "v": [16, 26, 40, 58, 16, 25, 36, 49]},
      {"name": "half", "l": 14, "t": list(range(8)), "v": [4] * 8}])
same("arrays", [(a["name"], a["space"], a["type"], a["shape"]) for a in dot["arrays"]],
     [("part", "block", "f32", [8]), ("out", "global", "f32", [1]), ("a", "global", "f32", [8]),
      ("b", "global", "f32", [8])])
same("names", {t["name"] for s in load("half")["steps"] for t in s["trace"]}, {"half"})
two = load("two")
same("steps", len(two["steps"]), 2)
same("source", load("input")["source"], dot["source"])
same("lines of standard input", load("input")["steps"][0]["lines"][0], [5, "000000ff"])

shuffles = load("shuffles")["steps"]
up = shuffles[0]["collectives"][0]
same("shuffle_up", (up["op"], up["type"], up["value"], up["number"], up["result"]),
     ("shuffle_up", "f32", list(range(8)), [1] * 8, [0, 0, 1, 2, 3, 4, 5, 6]))
same("warp_sum", shuffles[1]["collectives"][0]["result"], [21] * 8)
same("ballot", (shuffles[2]["collectives"][0]["lanes"], shuffles[2]["collectives"][0]["result"]),
     ("00000055", [80] * 4))
same("states", [s["state"] for s in shuffles], ["aaaaaaaa", "aaaaaaaa", "dddddddd", "axaxaxax"])

tile = load("tile")
same("shape", tile["arrays"][0]["shape"], [32, 32])
same("steps of tile", len(tile["steps"]), 2)
reads = [r for r in tile["steps"][1]["requests"] if r[1] == "r"]
same("bank conflicts", {r[5] for r in reads}, {32})
same("requests", len(reads), 32)
writes = [r for r in tile["steps"][1]["requests"] if r[1] == "w"]
same("sectors", {r[5] for r in writes}, {4})
same("counts", {k: tile["counts"][k] for k in ("threads", "warps", "sectors", "passes")},
     {"threads": 4096, "warps": 128, "sectors": 1024, "passes": 128 * 33})

bins = load("bins")
same("steps of bins", [[m["op"] for m in s["collectives"]] for s in bins["steps"]],
     [["barrier"], [], [], [], [], ["barrier"], []])
same("type", bins["arrays"][0]["type"], "u32")
same("bins", memory(bins, "count", 4), [13, 13, 13, 13, 12, 12, 12, 12])
same("first iteration", memory(bins, "count", 1), [4] * 8)
dynamic = load("dynamic")
same("dynamic", memory(dynamic, "x", 1), [6, 7, 4, 5, 2, 3, 0, 1])
same("dynamic shape", dynamic["arrays"][0]["shape"], [8])

race = load("race")
same("class", race["findings"][0]["class"], "race-warp")
same("outside", len(load("outside")["steps"]), 2)
same("endless", load("endless")["steps"], [])

with open("dot.html", encoding="utf-8") as f:
    page = f.read()
inside = page.split('<script type="application/json" id="recording">')[1].split("</script>")[0]
without = json.loads(inside)
same("page", memory(without, "part", 3)[0], 140)
for word in ("http:", "https:", "//cdn", "@import", "fetch(", "XMLHttpRequest"):
    same(word, page.replace("http://www.w3.org/2000/svg", "").count(word), 0)
with open("tile.html", encoding="utf-8") as f:
    same("size", len(f.read()) < 2 << 20, True)
import xml.dom.minidom
svg = xml.dom.minidom.parse("dot.svg").documentElement
texts = [t.firstChild.data for t in svg.getElementsByTagName("text") if t.firstChild]
same("drawing", [t for t in texts if t.startswith("Step")],
     ["Step 1, to barrier()", "Step 2, to barrier()", "Step 3, to barrier()",
      "Step 4, to barrier()", "Step 5"])
same("sum", "140" in texts, True)
P
python3 look.py

# fails STATUS TEXT WORDS...
fails()
{
    expected=$1 text=$2 status=0
    shift 2
    "$L" picture "$@" >out 2>err || status=$?
    if [ $status != "$expected" ] || ! grep -qF -e "$text" err || [ -s out ]; then
        echo "picture $*: status $status, expected $expected and '$text'"
        cat err
        exit 1
    fi
}
fails 2 'picture needs -o OUT.html' dot.c 'f32[1]' 'f32[8]' 'f32[8]'
fails 2 "-o: 'dot.png' ends neither in .html nor in .svg or .json" dot.c 'f32[1]' -o dot.png
fails 2 '--block: the grid is 1,1,1, it has no block 1,0,0' dot.c 'f32[1]' 'f32[8]' 'f32[8]' \
    -o dot.html --block 1
fails 2 'at least 1 step' dot.c 'f32[1]' 'f32[8]' 'f32[8]' -o dot.html --steps 0
fails 2 "choose one with -k" all.c 'f32[1]' -o dot.html
fails 2 '1 argument given, 3 needed' dot.c 'f32[1]' -o dot.html
fails 2 'nowhere/dot.html' dot.c 'f32[1]' 'f32[8]' 'f32[8]' -o nowhere/dot.html
fails 2 'is not for this command' dot.c 'f32[1]' 'f32[8]' 'f32[8]' -o dot.html -d cpu
fails 3 'error: ' dot.c -D out=1 'f32[1]' 'f32[8]' 'f32[8]' -o dot.html

# trace() is nothing elsewhere.
code()
{
    "$L" show dot.c --stage asm -d cpu:avx2 -b 8 "$@" | grep -vE '^\s*(\.|#)|^\.L|:$' |
        sed 's/#.*//; s/\.L[A-Za-z_0-9]*/L/g'
}
code >plain
code -D TRACE >traced
[ -s plain ] && cmp plain traced
"$L" show dot.c --stage ptx -d cuda | grep -vE '^\s*\.loc|^\s*\.file' >plain
"$L" show dot.c --stage ptx -d cuda -D TRACE | grep -vE '^\s*\.loc|^\s*\.file' >traced
[ -s plain ] && cmp plain traced

# Counts.
"$L" run dot.c --count 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' >counted
grep -q '^  sectors  *3 in 3 requests of warps, 1 a request$' counted
grep -q '^  block memory  *15 reads  *15 writes' counted
"$L" run all.c -k turn --count --json --quiet -g 2x2 -b 32x32 64 'f32[64,64]' 'f32[64,64]' |
    python3 -c 'import json, sys; c = json.load(sys.stdin)["counts"]; assert c["passes"] == 4224, c'
awk '/^\/\/ fold.c$/ { on = 1; next } /^```$/ { on = 0 } on' "$SOURCE/docs/picture.md" >fold.c
sed -n '/^\$ lanewise run fold.c --count/,/^```$/p' "$SOURCE/docs/picture.md" | sed '1d;$d' >told
"$L" run fold.c --count 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' | diff told -
"$L" check fold.c --count 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' >counted
grep -q '^clean: ' counted
sed -n '/^counts of/,$p' counted >of_check
sed 1d told | diff - of_check
status=0
"$L" check all.c -k race -b 4 --count 'f32[4]' >counted || status=$?
[ $status = 1 ] && grep -q race-warp counted && grep -q '^counts of 4 threads in 1 warp:$' counted
"$L" check all.c -k race -b 4 --count --json 'f32[4]' |
    python3 -c 'import json, sys; r = json.load(sys.stdin); assert r["counts"] and r["findings"]'
status=0
"$L" run dot.c --count -d cpu 'f32[1]' 'f32[8]' 'f32[8]' 2>err || status=$?
[ $status = 2 ] && grep -q "is for devices ref and check, and not for cpu" err
