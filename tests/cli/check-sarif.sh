# check-sarif.sh - `lanewise check --sarif`: what a code host needs is there, lines are recognised
# again when others come and go, and no run that failed leaves a log that looks clean.
set -eu
LANEWISE_CACHE_DIR=$TMP/cache
export LANEWISE_CACHE_DIR
command -v python3 >/dev/null || { echo "there is no python3"; exit 77; }
fail() { echo "$*"; exit 1; }

mkdir 'a b'
cat >'a b/é%.c' <<'C'
#include <lanewise/kernel.h>
KERNEL void k(int *a, int *b, int *c)
{
    *a++ = thread_idx.x;
    *a++ = thread_idx.x;
    b[0] = 7;
    c[0] = 8; // lanewise-allow: benign-write
}
KERNEL void stays(int *a) { for (;;) ++*(volatile int *)a; }
KERNEL void fails(int *a) { assert(a[0]); }
C
k() { "$LANEWISE" check "$1" -k k -b 2 'i32[2]' 'i32[1]' 'i32[1]' --sarif "$2"; }
k 'a b/é%.c' one.sarif >text && fail "status 0"
{ printf '\n// new\n'; sed 's/^    /\t/' 'a b/é%.c'; } >moved.c
k moved.c two.sarif >/dev/null && fail "status 0"
k "$PWD/moved.c" three.sarif >/dev/null && fail "status 0"
"$LANEWISE" check moved.c -k fails 'i32[1]' --sarif failed.sarif 2>/dev/null && fail "status 0"
"$LANEWISE" check moved.c -k stays -b 1 'i32[1]' --timeout 0.2 --sarif late.sarif 2>/dev/null &&
    fail "status 0"

python3 - "$SOURCE" <<'PY'
import json
import pathlib
import sys

PAGES = pathlib.Path(sys.argv[1], "docs", "checking")

def load(name):
    with open(name, encoding="utf-8") as f:
        log = json.load(f)
    assert log["version"] == "2.1.0" and "sarif-2.1.0" in log["$schema"]
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({r["id"] for r in rules}) == len(rules)
    assert {r["id"] for r in rules} == {page.stem for page in PAGES.glob("*.md")}
    for r in run["results"]:
        assert rules[r["ruleIndex"]]["id"] == r["ruleId"]
        assert r["level"] in ("error", "warning") and r["message"]["text"]
        region = r["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] >= 1 and region["startColumn"] >= 1
    return run, run["invocations"][0]["executionSuccessful"]

def of(run, key):
    return sorted((r["ruleId"], key(r)) for r in run["results"])

def place(r):
    return r["locations"][0]["physicalLocation"]

one, ran = load("one.sarif")
assert ran
two, _ = load("two.sarif")
three, _ = load("three.sarif")
assert {place(r)["artifactLocation"]["uri"] for r in one["results"]} == {"a%20b/%C3%A9%25.c"}
assert {place(r)["artifactLocation"]["uri"] for r in three["results"]} == {"moved.c"}
line = lambda r: place(r)["region"]["startLine"]
assert [(c, n + 2) for c, n in of(one, line)] == of(two, line)
hashes = of(one, lambda r: r["partialFingerprints"]["primaryLocationLineHash"])
assert hashes == of(two, lambda r: r["partialFingerprints"]["primaryLocationLineHash"])
assert len(set(hashes)) == len(hashes) == len(one["results"]) == 4, hashes
assert sum(h.endswith(":2") for _, h in hashes) == 1 # two lines that are alike
suppressed = [r for r in one["results"] if "suppressions" in r]
assert [line(r) for r in suppressed] == [7]
assert suppressed[0]["suppressions"][0]["kind"] == "inSource"
assert all(line(r) != 7 for r in one["results"] if r not in suppressed)
for name in ("failed.sarif", "late.sarif"):
    run, ran = load(name)
    assert not ran and not run["results"], name
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["level"] == "error" and note["message"]["text"]
PY

# what did not run leaves no log, not that of an earlier run either
cp one.sarif old.sarif
"$LANEWISE" check missing.c --sarif old.sarif 2>/dev/null && fail "status 0"
[ ! -e old.sarif ] || fail "a log of what did not run"
"$LANEWISE" check missing.c --sarif new.sarif 2>/dev/null && fail "status 0"
[ ! -e new.sarif ] || fail "an empty log"

# a file that is no log stays where nothing ran
cp moved.c other.c
"$LANEWISE" check missing.c --sarif other.c 2>/dev/null && fail "status 0"
cmp moved.c other.c
k moved.c other.c >/dev/null && fail "status 0"
cmp other.c two.sarif || fail "another log"

status=0
"$LANEWISE" check moved.c -k fails 'i32[1]' --sarif none/x.sarif 2>err || status=$?
[ "$status" = 2 ] || fail "a folder that is not there: status $status"
grep -q 'lanewise: none/x.sarif: No such file' err
k moved.c /dev/full >out 2>err && fail "a full disk: status 0"
grep -q '/dev/full: No space left' err

# Ctrl-C ends it by the signal: there is no verdict, and no log
"$LANEWISE" check moved.c -k stays -b 1 'i32[1]' --timeout 0.2 2>/dev/null && fail "status 0"
python3 - "$LANEWISE" <<'PY'
import signal, subprocess, sys, time
words = [sys.argv[1], "check", "moved.c", "-k", "stays", "-b", "1", "i32[1]", "--sarif",
         "cut.sarif"]
process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=lambda:
                           signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(1)
process.send_signal(signal.SIGINT)
out, _ = process.communicate(timeout=60)
assert process.returncode == -signal.SIGINT and out == "", (process.returncode, out)
PY
[ ! -e cut.sarif ] || fail "a log of what was interrupted"
