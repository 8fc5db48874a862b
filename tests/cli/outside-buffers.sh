# Without comparisons, kernels that leave each kind of memory by 1 to 1000 elements, above and
# below, by reads, writes and atomics, never kill the command on cpu: an access to a guard page is
# status 4 and a line; an access far above the end always is one.
if find "$BUILD" -name liblanewise.so -exec nm -D {} + | grep -q __asan_init; then
    echo "a sanitizer tells of the memory that these kernels overwrite"
    exit 77
fi
export LANEWISE_CACHE_DIR="$TMP/cache" LANEWISE_BOUNDS=0
cat >k.c <<'K'
#include <lanewise/kernel.h>
#ifndef T
#define T float
#endif
KERNEL void reads(T *out, const T *a, long by)
{
    long i = (long)global_idx.x;
    T v = a[i + by];
    out[i] = v;
}
KERNEL void writes(T *out, T *a, long by)
{
    long i = (long)global_idx.x;
    a[i + by] = out[i];
}
KERNEL void atomics(T *out, T *a, long by)
{
    long i = (long)global_idx.x;
    out[i] = atomic_add(&a[i + by], (T)1);
}
KERNEL void shared_reads(T *out, T *a, long by)
{
    SHARED T t[256];
    long i = (long)thread_idx.x;
    t[i] = a[i];
    barrier();
    out[i] = t[i + by];
}
KERNEL void shared_writes(T *out, T *a, long by)
{
    SHARED T t[256];
    long i = (long)thread_idx.x;
    t[i + by] = a[i];
    barrier();
    out[i] = t[i];
}
KERNEL void shared_atomics(T *out, T *a, long by)
{
    SHARED T t[256];
    long i = (long)thread_idx.x;
    t[i] = 0;
    barrier();
    atomic_add(&t[i + by], (T)1);
    barrier();
    out[i] = t[i];
}
KERNEL void dynamic_reads(T *out, T *a, long by)
{
    DYNAMIC_SHARED(T, t);
    long i = (long)thread_idx.x;
    t[i] = a[i];
    barrier();
    out[i] = t[i + by];
}
KERNEL void dynamic_writes(T *out, T *a, long by)
{
    DYNAMIC_SHARED(T, t);
    long i = (long)thread_idx.x;
    t[i + by] = a[i];
    barrier();
    out[i] = t[i];
}
KERNEL void private_reads(T *out, T *a, long by)
{
    T p[16];
    long i = (long)thread_idx.x;
    for (int k = 0; k < 16; k++)
        p[k] = a[(i + k) % 256];
    out[i] = p[(i % 16) + by];
}
KERNEL void private_writes(T *out, T *a, long by)
{
    T p[16];
    long i = (long)thread_idx.x;
    for (int k = 0; k < 16; k++)
        p[k] = a[(i + k) % 256];
    p[(i % 16) + by] = a[i];
    out[i] = p[i % 16];
}
KERNEL void private_big(T *out, T *a, long by)
{
    T p[400];
    long i = (long)thread_idx.x;
    for (int k = 0; k < 400; k++)
        p[k] = a[(i + k) % 256];
    p[(i % 16) + by] = a[i];
    barrier();
    out[i] = p[i % 16];
}
K

# leave KERNEL BY WHETHER - run it; WHETHER: must (it is told) or may
leave()
{
    status=0
    "$LANEWISE" run k.c -D T=$type -k "$1" -d cpu -b 256 --timeout 60 $shared "$dtype[256]" \
        "$dtype[256]=iota" -- "$2" >out 2>err || status=$?
    [ "$3.$status" != may.0 ] || return 0
    [ $status = 4 ] && [ "$(wc -l <err)" = 1 ] &&
        grep -q "kernel '$1' accessed memory outside its buffers.*, block 0; .-d ref. names" err &&
        return 0
    echo "$1 of $type by $2 on ${LANEWISE_CPU-the widest}: status $status"
    cat err
    exit 1
}

all()
{
    for kernel in reads writes atomics; do
        shared=
        for by in 16 100 1000; do leave $kernel $by must; done
        for by in 1 -1 -100 -1000; do leave $kernel $by may; done
    done
    for kernel in shared_reads shared_writes shared_atomics; do
        for by in 16 1000; do leave $kernel $by must; done
        for by in -1 -1000; do leave $kernel $by may; done
    done
    for kernel in dynamic_reads dynamic_writes; do
        shared="--shared $((256 * bytes))"
        for by in 16 1000; do leave $kernel $by must; done
        for by in -1 -1000; do leave $kernel $by may; done
    done
    shared=
    for kernel in private_reads private_writes private_big; do
        for by in 1 16 100 -1 -16 -100 -1000; do leave $kernel $by may; done
        leave $kernel 1000 must
    done
}

type=float dtype=f32 bytes=4
all
type=double dtype=f64 bytes=8
for level in avx2 baseline; do
    LANEWISE_CPU=$level "$LANEWISE" run k.c -D T=float -k reads -d cpu -b 1 'f32[1]' 'f32[1]' 0 \
        >out 2>&1 || continue
    (export LANEWISE_CPU=$level && all) || exit 1
done
(export LANEWISE_GANG=32 && all) || exit 1

# The library reports a divergent barrier of gangs as ever.
cat >apart.c <<'K'
#include <lanewise/kernel.h>
KERNEL void apart(int *out)
{
    if (thread_idx.x < 32)
        barrier();
    out[thread_idx.x] = 1;
    barrier();
}
K
LANEWISE_GANG=32 "$LANEWISE" run apart.c -d cpu -b 64 'i32[64]' >out 2>err &&
    { echo "a divergent barrier of gangs was not reported"; exit 1; }
grep -q "kernel 'apart': barrier divergence in block (0,0,0)" err || { cat err; exit 1; }

# Of several gangs the last, which has fewer threads and code of its own.
LANEWISE_GANG=32 "$LANEWISE" run k.c -k reads -d cpu -b 112 'f32[96]' 'f32[96]' 0 >out 2>err &&
    { echo "the last gang was not told"; exit 1; }
grep -q "kernel 'reads' accessed memory outside its buffers near k.c:8, block 0;" err ||
    { cat err; exit 1; }
exit 0
