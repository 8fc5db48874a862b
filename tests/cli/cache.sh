# cache.sh - `lanewise cache` tells what is kept of built programs, trims it and clears it.
set -eu

fail() { echo "$*"; cat out err; exit 1; }
cache() { "$LANEWISE" cache "$@" >out 2>err; }
refused() # STATUS TEXT WORDS...
{
    want=$1 text=$2 got=0
    shift 2
    cache "$@" || got=$?
    [ "$got" = "$want" ] && grep -qF -- "$text" err && [ ! -s out ] || fail "cache $*: status $got"
}

unset LANEWISE_CACHE LANEWISE_CACHE_LIMIT
export LANEWISE_CACHE_DIR="$TMP/kept"
printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a)\n{\n    a[0] = N;\n}\n' >one.c
run() { "$LANEWISE" run -d ref -D "N=$1" one.c 'f32[1]'; }

# Asking makes no folder.
cache
printf '%s\n0 entries, 0 bytes; limit 1.0 GiB\n' "$TMP/kept" | cmp - out || fail 'no folder yet'
[ ! -e kept ]

for n in 1 2 3; do run $n >/dev/null; done
cache --json
want='"used": true, "entries": 3, "bytes": [0-9]*, "limit": 1073741824}$'
grep -q "^{\"path\": \".*/kept\", $want" out || fail 'three entries'
bytes=$(sed 's/.*"bytes": \([0-9]*\).*/\1/' out)
[ "$bytes" = "$(find kept -name '[0-9a-f]*.*' -type f -exec cat {} + | wc -c)" ] || fail 'the bytes'

# The first was used last.
find kept -name '*.txt' -exec touch -d '2001-01-01' {} +
run 1 >/dev/null
cache --json --trim=$((bytes / 3 + 100))
grep -q '"entries": 1,.*"removed_entries": 2, "removed_bytes": [1-9]' out || fail 'trimmed'
run 1 >/dev/null
cache --json
grep -q '"entries": 1,' out || fail 'the one that was used stayed'

# A limit that is smaller than what there is: --trim alone goes down to it.
LANEWISE_CACHE_LIMIT=1K cache --trim
grep -qx 'removed 1 entries, .*' out && grep -qx '0 entries, 0 bytes; limit 1.0 KiB' out ||
    fail 'down to the limit'

run 1 >/dev/null
echo mine >kept/notes.txt
cache --clear
grep -qx '0 entries, 0 bytes; limit 1.0 GiB' out || fail 'cleared'
[ "$(ls kept)" = notes.txt ] || fail 'a foreign file'
LANEWISE_CACHE=0 cache
grep -q 'not used, as the environment says$' out || fail 'not used'
env -u LANEWISE_CACHE_DIR -u HOME -u XDG_CACHE_HOME "$LANEWISE" cache >out 2>err
grep -q '^no folder' out || fail 'no folder'

# An entry that is cut short is made anew.
run 1 >good
for file in kept/*.txt kept/*.so; do
    case $file in */notes.txt) continue ;; esac
    for length in 0 10; do
        truncate -s $length "$file"
        run 1 >again && cmp good again
        [ "$(stat -c %s "$file")" -gt $length ] || fail "$file stays damaged"
    done
done

chmod 755 kept
refused 2 "the cache's folder is '$TMP/kept'; need a folder of this user" --clear
chmod 700 kept
refused 2 "--trim: '1.5G' is not a size" --trim=1.5G
refused 2 "--trim: '' is not a size" --trim=
refused 2 "--trim: 'M' is not a size" --trim=M
refused 2 "--trim: '16777216T' is not a size" --trim=16777216T
refused 2 '--clear and --trim: need one of them' --clear --trim
refused 2 "cache takes no 'now'" now
LANEWISE_CACHE_LIMIT=some refused 2 "LANEWISE_CACHE_LIMIT is 'some'; need bytes"
