# progress.sh - on a terminal, standard error says what takes longer than 0.3 s, and erases it; else
# nothing, and never with --quiet or --json.
# not under sanitizers: the other scripts run the same commands; this one waits
set -eu
command -v python3 >/dev/null || { echo "python3 is not installed" && exit 77; }

cat >slow <<'END'
#!/bin/sh
sleep 1
exec "$REAL" "$@"
END
chmod +x slow
printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a) { a[0] = 1; }\n' >k.c
cat >long.c <<'C'
#include <lanewise/kernel.h>
KERNEL void long_one(int *a, int n)
{
    for (int i = 0; i < n; i++)
        ++*(volatile int *)a;
}
C
REAL=$BUILD/src/compile/lanewise-compile
export REAL LANEWISE_CACHE=0

cat >terminal.py <<'P'
import os, pty, subprocess, sys

def run(*words, slow=True, terminal=True):
    """Status, standard output, and what the terminal, or a pipe, got on standard error."""
    env = dict(os.environ)
    if slow:
        env["LANEWISE_COMPILE"] = "./slow"
    ours, theirs = pty.openpty() if terminal else os.pipe()
    child = subprocess.Popen([sys.argv[1], *words], stdout=subprocess.PIPE, stderr=theirs, env=env)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        said += part
    os.close(ours)
    return child.wait(), child.stdout.read().decode(), said.decode()

def left(said):
    """What stays on the terminal."""
    lines = [line.split("\r\x1b[K")[-1] for line in said.replace("\r\n", "\n").split("\n")]
    return "\n".join(lines)

def check(good, *what):
    if not good:
        sys.exit(f"{what}")

for words in [("run", "k.c", "f32[1]"), ("show", "k.c", "--stage", "ir"),
              ("cc", "k.c", "-o", "k.o", "--targets", "ref")]:
    status, out, said = run(*words)
    check(status == 0 and "\r\x1b[Kbuilding k.c ..." in said and left(said) == "", words, said)
    status, plain, said = run(*words, terminal=False)
    check(status == 0 and said == "" and plain == out, words, said)
for option in ["--quiet", "--json"]:
    status, out, said = run("run", "k.c", "f32[1]", option)
    check(status == 0 and said == "", option, said)

# A message of the compiler stands alone.
status, out, said = run("run", "k.c", "f32[1]", "-Done=+")
check(status == 3 and "building k.c ..." in said, said)
check(all("building" not in line for line in left(said).split("\n")), left(said))

# Launches: a count and a rate, and none of it after all.
status, out, said = run("run", "long.c", "-d", "ref", "-b", "1", "--time=40", "i32[1]", "1000000",
                        slow=False)
check(status == 0 and "of 40 launches" in out, out)
check("\r\x1b[Krunning long_one" in said and "/40, " in said and "/s" in said, said)
check(left(said) == "", said)
P
python3 terminal.py "$LANEWISE"
