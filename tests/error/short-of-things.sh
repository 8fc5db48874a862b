# short-of-things.sh - where descriptors or memory run out, the message says so and blames nothing
# else, and the exit status is not that of a mistake of the user's.
#
# With tests/run -s K/N every N-th allocation fails.
set -eu

if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q '__asan_init\|__tsan_init'; then
    echo "a sanitizer has an allocator and descriptors of its own"
    exit 77
fi
printf '#include <lanewise/kernel.h>\nKERNEL void one(float *a)\n{\n    a[0] = 1;\n}\n' >one.c
export LANEWISE_CACHE_DIR="$TMP/cache"
"$LANEWISE" run one.c -d ref 'f32[1]' >right
"$LANEWISE" run one.c -d cpu 'f32[1]' | cmp - right

# judge WHAT TEXT - of the last run, $status, out and err: done, or short of what TEXT says
judge()
{
    if [ "$status" = 0 ]; then
        cmp -s out right && [ ! -s err ] && return
    elif [ "$status" = 4 ]; then
        [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -Eq "$2" err && return
    fi
    echo "$1: status $status"
    cat out err
    exit 1
}

# ---- descriptors: fewer than a process has of its own do not get as far as our code -----------

for device in ref cpu; do
    done=0 refused=0
    for cache in 0 1; do
        for most in 5 6 7 8 9 10 11 12 13 14 15 16 20 24; do
            status=0
            # shellcheck disable=SC2016 # words of the inner shell
            LANEWISE_CACHE=$cache sh -c 'ulimit -n $1; shift; exec "$@"' sh $most \
                "$LANEWISE" run one.c -d $device 'f32[1]' >out 2>err || status=$?
            judge "ulimit -n $most, $device" \
                "too many open files; this process may have $most \(ulimit -n\)"
            [ $status = 0 ] && done=$((done + 1)) || refused=$((refused + 1))
        done
    done
    [ $done -gt 0 ] && [ $refused -gt 0 ] || { echo "$done done, $refused refused"; exit 1; }
done

# ---- memory: the n-th allocation of the command fails, for n = 1, 2, 3 ... ----------------------

cat >short.c <<'C'
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char *program_invocation_short_name;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static int fails(void)
{
    static atomic_long count, at = -1;
    if (at < 0) {
        const char *n = getenv("SHORT_AT");
        at = n && !strcmp(program_invocation_short_name, "lanewise") ? atol(n) : 0;
    }
    if (!at || atomic_fetch_add(&count, 1) + 1 != at)
        return 0;
    errno = write(9, "x", 1) == 1 ? ENOMEM : EIO;
    return 1;
}

void *malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}
void *calloc(size_t count, size_t n)
{
    return fails() ? NULL : __libc_calloc(count, n);
}
void *realloc(void *old, size_t n)
{
    return fails() ? NULL : __libc_realloc(old, n);
}
void *aligned_alloc(size_t align, size_t n)
{
    return fails() ? NULL : __libc_memalign(align, n);
}
C
"$CC" -D_GNU_SOURCE -shared -fPIC -O1 short.c -o short.so

every=${TEST_EVERY:-1}

# sweep LEAST WORDS... - as long as there is an n-th allocation; at least LEAST of them
sweep()
{
    least=$1 n=$((1 - every))
    shift
    while :; do
        n=$((n + every)) status=0
        : >hit
        LD_PRELOAD=$TMP/short.so SHORT_AT=$n "$LANEWISE" "$@" >out 2>err 9>hit || status=$?
        judge "allocation $n of $*" 'memory'
        [ -s hit ] || break
    done
    [ $n -gt "$least" ] || { echo "only $n allocations of $*"; exit 1; }
}
sweep 50 run one.c -d ref 'f32[1]'
sweep 50 run one.c -d cpu 'f32[1]'
"$LANEWISE" show one.c --stage ir >right
sweep 3 show one.c --stage ir
"$LANEWISE" run one.c -d ref 'f32[1]' >right
LANEWISE_CACHE=0 sweep 50 run one.c -d ref 'f32[1]'

# ---- memory: commands that print much ----------------------------------------------------------

# prints STRIDE WORDS... - every allocation fails, with -s every STRIDE-th of the share. The command
# ends as with all its memory, in time and with the same text, or says what it lacks. Lines that
# were printed before stay.
lacks='memory'
prints()
{
    stride=$(($1 * every)) n=1 whole=0
    [ "$every" -gt 1 ] || stride=1
    shift
    for file in twice once; do
        "$LANEWISE" "$@" >$file 2>/dev/null || whole=$?
    done
    while :; do
        status=0
        : >hit
        LD_PRELOAD=$TMP/short.so SHORT_AT=$n timeout 60 "$LANEWISE" "$@" >out 2>err 9>hit ||
            status=$?
        [ -s hit ] || break
        if [ $status = $whole ] && { cmp -s out once || ! cmp -s twice once; }; then
            :
        elif [ $status = $whole ] || [ $status = 4 ] || [ $status = 5 ]; then # 5: no check
            grep -qE "$lacks" out err
        else
            false
        fi || { echo "allocation $n of $*: status $status" && cat out err && exit 1; }
        n=$((n + stride))
    done
    [ $n -gt 1 ] || { echo "no allocation of $*" && exit 1; }
}
cat >prints.c <<'C'
#include <lanewise/kernel.h>
KERNEL void prints(float *a)
{
    SHARED float s[4];
    s[thread_idx.x] = a[thread_idx.x];
    barrier();
    printf("%g\n", s[0]);
    a[thread_idx.x] += 1;
}
C
prints 1 run prints.c -d ref -b 4 'f32[2,2]'
prints 9 run prints.c -d ref -b 4 'f32[2,2]:x.npy' --json --count
prints 9 run prints.c -d cpu -b 4 'f32[2,2]'
prints 9 run prints.c -d check -b 4 'f32[2,2]' --json
prints 9 picture prints.c -b 4 'f32[4]' -o x.html
prints 9 picture prints.c -b 4 'f32[4]' -o x.svg --check
prints 9 picture prints.c -b 4 'f32[4]' -o x.json
prints 9 check prints.c -b 4 'f32[2,1]' # with a finding
prints 9 check prints.c -b 4 'f32[2,2]' --sarif x.sarif
prints 9 check prints.c -b 4 'f32[2,1]' --sarif x.sarif --json --count --verbose
cat >wide.c <<'C'
#include <lanewise/kernel.h>
struct wide {
    float v[32];
};
KERNEL void wide(struct wide *y, const struct wide *x, struct wide by_value)
{
    struct wide own = x[thread_idx.x];
    own.v[thread_idx.x] += by_value.v[3];
    y[thread_idx.x] = own;
}
C
prints 1 check wide.c -b 4 'struct[4]' 'struct[4]' "{{0$(printf ',%d' $(seq 31))}}"
prints 7 op softmax 'f32[33,70]=normal:1'
prints 29 op softmax 'f32[33,70]=normal:1' --json -d check
prints 7 op --list
prints 7 op --list --markdown
lacks='memory|no NVIDIA driver: cannot open' # the C library has no room for the name
prints 1 devices
prints 1 devices --json
lacks='memory'
prints 1 cache
prints 1 cache --json
prints 1 init
prints 1 cc one.c -o x.o --targets ref --header x.h --json
prints 1 show one.c --stage ir --json
prints 1 run missing.c --json
prints 1 bench --list
prints 11 learn
prints 11 learn --json
prints 3 learn 1
prints 3 learn 2 --hint
prints 3 learn 2 --solution
prints 17 learn 1 --picture
prints 29 learn 1 --check --seed 1 # the skeleton, which is wrong
cp "$SOURCE/examples/puzzles/map/solution.c" lanewise-puzzles/map.c
prints 29 learn 1 --check --seed 1 --json
prints 17 bench op sum 'f32[8]' --seconds 0.01 --svg x.svg
prints 47 bench operations --filter 'sum of rows' --small --seconds 0.01 -d cpu --threads 1
example=$SOURCE/examples/attention
"$CC" -shared -fPIC -I"$SOURCE/include" -DATTENTION_KERNELS="\"$example/kernels.c\"" \
    "$example/module.c" "$example/operation.c" -o attention.so
x='f32[16,16]=normal:1' q='f32[16]=normal:1'
attention="classic::attention seq_len=16 d=16 $q $x $x"
prints 9 graph ./attention.so --list
# shellcheck disable=SC2086 # words
{
    prints 29 graph ./attention.so $attention --plan
    prints 29 graph ./attention.so $attention --draw x.svg
    prints 29 graph ./attention.so $attention --json
    prints 29 graph ./attention.so $attention -d check
}
