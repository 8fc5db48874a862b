# compiler-memory.sh - where lanewise-compile has no memory, the message says so, in which pass, and
# the status is not that of a defect: its n-th block of memory is missing, for n = 1, 2, 3 ...
set -eu

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q '__asan_init\|__tsan_init'; then
    echo "a sanitizer has an allocator of its own"
    exit 77
fi
printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a)\n{\n    a[0] = 1;\n}\n' >one.c
export LANEWISE_CACHE=0
"$LANEWISE" run one.c -d ref 'f32[1]' >right

# Only the arenas of lanewise-compile ask for one large row of zeros.
cat >short.c <<'C'
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char *program_invocation_short_name;
extern void *__libc_calloc(size_t, size_t);

static int fails(void)
{
    static long count;
    const char *n = getenv("SHORT_AT");
    if (!n || strcmp(program_invocation_short_name, "lanewise-compile") || ++count != atol(n))
        return 0;
    close(open(getenv("SHORT_HIT"), O_WRONLY | O_CREAT, 0600));
    errno = ENOMEM;
    return 1;
}

void *calloc(size_t count, size_t n)
{
    return count == 1 && n >= 1 << 18 && fails() ? NULL : __libc_calloc(count, n);
}
C
"$CC" -D_GNU_SOURCE -shared -fPIC -O1 short.c -o short.so

# sweep DEVICE LEAST - as long as there is an n-th block; at least LEAST of them
sweep()
{
    n=0 in_pass=0
    while :; do
        n=$((n + 1)) status=0
        rm -f hit
        LD_PRELOAD=$TMP/short.so SHORT_AT=$n SHORT_HIT=$PWD/hit "$LANEWISE" run one.c -d "$1" \
            'f32[1]' >out 2>err || status=$?
        [ -e hit ] || break
        # The code of the first launch is asked for again where it was not made with the program.
        [ "$status" != 0 ] || { cmp right out; [ ! -s err ]; continue; }
        if [ "$status" != 4 ] || [ -s out ] || [ "$(wc -l <err)" != 1 ] ||
            ! grep -q 'one.c: compiling it takes more memory than there is' err; then
            echo "block $n for $1: status $status"
            cat out err
            exit 1
        fi
        grep -q 'there is, in pass' err && in_pass=$((in_pass + 1))
    done
    cmp right out
    [ $n -gt "$2" ] || { echo "only $n blocks for $1"; exit 1; }
    [ $in_pass -gt "$2" ] || { echo "only $in_pass passes named for $1"; exit 1; }
}
sweep ref 5
sweep cpu 5
sweep check 5
