# The session of docs/debugging.md: gdb prints what the page says, but for addresses and its own
# lines about threads of the program.
command -v gdb >/dev/null || { echo "no gdb here"; exit 77; }
page=$SOURCE/docs/debugging.md

awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >smooth.c
awk '/^```text$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >session
[ -s smooth.c ] && [ "$(grep -c '^(gdb)' session)" -gt 10 ] ||
    { echo "docs/debugging.md has no session"; exit 1; }

# even - what differs from run to run: addresses, numbers of processes and of threads; empty lines
even()
{
    sed -E 's/0x[0-9a-f]{6,}/ADDRESS/g
        s/ADDRESS in (\?\?|lw[._]+ref_begin) \(\).*/ADDRESS in the library/
        s/^Thread [0-9]+ "lanewise" hit/hit/; s/process [0-9]+/process N/
        /^\[(Switching to |New |)Thread /d; /^\[Detaching after /d; /^Using host libthread_db/d
        /^\+\+/d; /^warning: /d; /^(This GDB|Debuginfod has)/d; /^$/d; s/^\+/(gdb) /'
}

sed -n 's/^(gdb) //p' session >commands
set -- -batch -nx -ex 'set debuginfod enabled off' -x "$SOURCE/gdb/lanewise.py" \
    -ex 'set trace-commands on'
while read -r command; do set -- "$@" -ex "$command"; done <commands
timeout 100 gdb "$@" --args "$LANEWISE" run -O0 -d ref smooth.c -b 4 'f32[4]' \
    'f32[4]=3,6,9,12' 4 >out 2>&1
grep -q 'Could not trace the inferior\|ptrace' out && { echo "gdb may not trace here"; exit 77; }
sed 1d session | even >expected
sed -n '/^+break/,$p' out | even >got
# The first breakpoint is made before the program runs, and said in the order of two streams.
for file in expected got; do
    grep -v '^Function "smooth" not defined\|pending' "$file" >"$file.rest"
done
diff expected.rest got.rest || { cat out; exit 1; }
grep -q 'run -O0 -d ref smooth.c -b 4' session
