# full-disk.sh - a result, a finding or a file that cannot be delivered is status 4 with a message,
# and no half of a file stays. A closed standard descriptor takes no other file's bytes.
set -eu

[ -w /dev/full ] || { echo "there is no /dev/full" && exit 77; }
cat >k.c <<'C'
#include <lanewise/kernel.h>
KERNEL void add(int *x, int *y)
{
    printf("thread %d\n", thread_idx.x);
    y[global_idx.x] = x[global_idx.x] += 1;
}
KERNEL void stays(int *x)
{
    *x = x[1];
    for (;;)
        ++*(volatile int *)x;
}
C
printf '#include <lanewise/kernel.h>\nKERNEL void bad(float *a) { a[0] = b; }\n' >bad.c
export LANEWISE_CACHE_DIR="$TMP/cache"

# wants STATUS TEXT - of the last command: its status in $status, its message in err
wants()
{
    [ "$status" = "$1" ] && grep -Eq "$2" err ||
        { echo "$words: status $status" && cat err && exit 1; }
}
# lost STATUS WORDS... - standard output is full, then closed
lost()
{
    want=$1
    shift
    words=$* status=0
    "$LANEWISE" "$@" >/dev/full 2>err || status=$?
    wants "$want" 'standard output: (No space left|could not be written)'
    status=0
    "$LANEWISE" "$@" >&- 2>err || status=$?
    wants "$want" 'standard output: (Bad file descriptor|could not be written)'
}
lost 4 check k.c -k add -b 2 'i32[1]' 'i32[2]' # with a finding
lost 4 check k.c -k add -b 2 'i32[1]' 'i32[2]' --json
lost 4 check k.c -k add -b 1 'i32[1]' 'i32[1]'
lost 4 check k.c -k stays -b 1 'i32[1]' --timeout 0.2 --json
lost 4 run k.c -k add -b 1 'i32[1]' 'i32[1]' --quiet # what the kernel prints
lost 4 run k.c -k add -b 8 'i32[8]' 'i32[4000]' --json
lost 4 show k.c --stage ir
lost 4 op --list
lost 4 op sum 'f32[8]=iota'
lost 4 bench op sum 'f32[8]' --seconds 0.01
lost 4 bench --help
lost 4 learn
lost 4 learn map
lost 4 cache
lost 4 devices
lost 4 init
lost 4 help
lost 4 help run
lost 4 --version
# Another failure keeps its status.
lost 3 run bad.c 'f32[1]' --json

# Findings on standard error, which is full: there is nowhere to say so.
for to in /dev/full '&-'; do
    status=0
    sh -c "\"\$LANEWISE\" run k.c -k add -d check -b 2 'i32[1]' 'i32[2]' --quiet >out 2>$to" ||
        status=$?
    [ $status = 4 ] || { echo "2>$to: status $status" && exit 1; }
done

# ---- files ----

cat >full.c <<'C'
/* The disk has room for 10 bytes of a file; memory files are none of it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int file, const void *bytes, size_t count)
{
    char name[64], target[256] = "";
    struct stat about;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        readlink(name, target, sizeof target - 1) > 0 && strncmp(target, "/memfd:", 7) != 0 &&
        !strstr(target, "/err")) {
        if (lseek(file, 0, SEEK_CUR) + count > 10)
            count = 10 - lseek(file, 0, SEEK_CUR);
        if (!count) {
            errno = ENOSPC;
            return -1;
        }
    }
    return syscall(SYS_write, file, bytes, count);
}
C
"$CC" -D_GNU_SOURCE -shared -fPIC -O1 full.c -o full.so

# unsaved FILE WORDS... - a full disk is behind FILE: no half of it stays
unsaved()
{
    file=$1
    shift
    words=$* status=0
    LD_PRELOAD=$TMP/full.so "$LANEWISE" "$@" >/dev/null 2>err || status=$?
    wants 4 "$file: No space left on device; it is not saved"
    [ ! -s "$file" ] || { echo "$words: $file stays" && ls -l && exit 1; }
    if ls "$file".*tmp 2>/dev/null; then exit 1; fi
}
if ! find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q '__asan_init\|__tsan_init'; then
    export LANEWISE_CACHE=0
    unsaved x.npy run k.c -k add -b 1 'i32[1]:x.npy' 'i32[1]'
    unsaved x.npy op sum 'f32[8]=iota' out=x.npy
    unsaved x.sarif check k.c -k add -b 1 'i32[1]' 'i32[1]' --sarif x.sarif
    unsaved x.html picture k.c -k add -b 1 -o x.html 'i32[1]' 'i32[1]'
    unsaved x.o cc k.c -o x.o --targets ref
    unsaved x.svg bench op sum 'f32[8]' --seconds 0.01 --svg x.svg
    unsaved x.json bench op sum 'f32[8]' --seconds 0.01 --json x.json
    rm compile_flags.txt
    unsaved compile_flags.txt init
    rm -r lanewise-puzzles
    unsaved lanewise-puzzles/map.c learn map
    "$LANEWISE" run k.c -k add -b 1 'i32[1]=2:in.npy' 'i32[1]' --quiet >/dev/null
    cp in.npy copy.npy
    status=0 words='its own input'
    LD_PRELOAD=$TMP/full.so "$LANEWISE" run k.c -k add -b 1 '@in.npy:in.npy' 'i32[1]' >out 2>err ||
        status=$?
    wants 4 'in.npy: No space left on device; it is not saved'
    cmp in.npy copy.npy
    unset LANEWISE_CACHE
fi

# The other files are saved, no buffer is printed, and the message says so. A link to a device is
# written through.
ln -s /dev/full full.npy
status=0 words='two files'
"$LANEWISE" run k.c -k add -b 1 'i32[1]:full.npy' 'i32[1]:y.npy' >out 2>err || status=$?
wants 4 'full.npy: No space left on device; it is not saved'
wants 4 '1 of 2 files are saved, and no buffer is printed'
[ -s y.npy ] && ! grep -q 'x: i32' out && grep -q 'thread 0' out

# A folder that is not there, or a folder in its place, is a mistake in the words.
mkdir folder.npy
for out in none/x.npy folder.npy; do
    status=0 words=$out
    "$LANEWISE" run k.c -k add -b 1 "i32[1]:$out" 'i32[1]' >/dev/null 2>err || status=$?
    wants 2 "$out: .*; it is not saved"
done

# ---- closed descriptors ----

# Where 1 or 2 is closed, the next file that is opened would have its number.
"$LANEWISE" run k.c -k add -b 1 'i32[1]:right.npy' 'i32[1]' >/dev/null
"$LANEWISE" run k.c -k add -b 1 'i32[1]:x.npy' 'i32[1]' <&- >&- 2>&- || :
cmp right.npy x.npy
