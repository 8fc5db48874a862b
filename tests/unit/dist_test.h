/* dist_test.h - for tests of operations over ranks: ranks as threads, or with LW_TEST_MPI as the
 * processes of MPI; parts, values.
 *
 * Processes make the same random cases; each runs its own rank. So only what all do alike may take
 * random numbers.
 */
#ifndef LW_TESTS_DIST_TEST_H
#define LW_TESTS_DIST_TEST_H
#include <lanewise/dist.h>
#ifdef LW_TEST_MPI
#include <lanewise/mpi.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 7 };

static int failures;
static lw_device *devices[RANKS];
static lw_stream *streams[RANKS];
#ifdef LW_TEST_MPI
static lw_comm *own_comm;
#endif

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                    \
            printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, lw_last_error());           \
        }                                                                                          \
    } while (0)
#define WORKS(call) CHECK((call) == LW_OK)

/* The ranks of a case that asks for `size` of them. */
static inline int ranks_of(int size)
{
#ifdef LW_TEST_MPI
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
    return size;
}

/* Ranks run on the devices of the list in turn, as "cpu" or "cpu ref". */
static inline bool open_devices(const char *list)
{
#ifdef LW_TEST_MPI
    MPI_Init(NULL, NULL);
#endif
    char names[64], *next = names, *name;
    const char *all[8];
    int count = 0;

    snprintf(names, sizeof names, "%s", list);
    while ((name = strsep(&next, " ")))
        all[count++] = name;
    if (!getenv("LANEWISE_NUM_THREADS"))
        setenv("LANEWISE_NUM_THREADS", "1", 1);
    for (int r = 0; r < RANKS; r++) {
        if (lw_device_open(all[r % count], &devices[r])) {
            printf("%s\n", lw_last_error());
            return false;
        }
        WORKS(lw_stream_create(devices[r], &streams[r]));
    }
    return true;
}

static inline int close_devices(void)
{
#ifdef LW_TEST_MPI
    lw_comm_destroy(own_comm);
#endif
    for (int r = 0; r < RANKS; r++) {
        lw_stream_destroy(streams[r]);
        lw_device_close(devices[r]);
    }
    if (failures)
        printf("%d failures\n", failures);
#ifdef LW_TEST_MPI
    MPI_Finalize();
#endif
    return failures != 0;
}

/* ---- random numbers ---- */

static uint64_t random_state = 1;

static inline uint64_t random_bits(void)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline size_t random_below(size_t n)
{
    return n ? (size_t)(random_bits() % n) : 0;
}

/* An element that is a number of about 1, or any integer. */
static inline void put_random(lw_dtype t, void *at)
{
    const uint64_t bits = random_bits();
    const double v = (double)(int64_t)bits / 0x1p63;
    const float f = (float)v;
    const uint16_t small = (uint16_t)((bits & 0x83ff) | (8 + bits % 8) << 10);

    if (t == LW_F64)
        memcpy(at, &v, 8);
    else if (t == LW_F32)
        memcpy(at, &f, 4);
    else if (t == LW_BF16)
        memcpy(at, (const char *)&f + 2, 2);
    else if (t == LW_F16)
        memcpy(at, &small, 2);
    else if (t == LW_BOOL)
        *(bool *)at = bits & 1;
    else
        memcpy(at, &bits, lw_dtype_size(t));
}

/* ---- arrays on the host ---- */

struct array {
    lw_dtype dtype;
    int rank;
    ptrdiff_t extent[4];
    char *memory;
};

static inline size_t array_count(const struct array *a)
{
    size_t count = 1;

    for (int k = 0; k < a->rank; k++)
        count *= (size_t)a->extent[k];
    return count;
}

static inline struct array array_of(lw_dtype dtype, int rank, const ptrdiff_t *extent)
{
    struct array a = {.dtype = dtype, .rank = rank};

    for (int k = 0; k < rank; k++)
        a.extent[k] = extent[k];
    a.memory = calloc(array_count(&a) + 1, lw_dtype_size(dtype));
    return a;
}

static inline struct array random_array(lw_dtype dtype, int rank, const ptrdiff_t *extent)
{
    struct array a = array_of(dtype, rank, extent);

    for (size_t i = 0; i < array_count(&a); i++)
        put_random(dtype, a.memory + i * lw_dtype_size(dtype));
    return a;
}

/* The elements of an array that a part of an axis has: there, or back from there. */
static inline void move_part(const struct array *whole, int axis, lw_part part,
                             const struct array *own, bool back)
{
    size_t outer = 1, inner = lw_dtype_size(whole->dtype);

    for (int k = 0; k < axis; k++)
        outer *= (size_t)whole->extent[k];
    for (int k = axis + 1; k < whole->rank; k++)
        inner *= (size_t)whole->extent[k];
    for (size_t i = 0; i < outer; i++) {
        char *of_whole = whole->memory + (i * part.global + part.first) * inner;
        char *of_part = own->memory + i * part.count * inner;

        memcpy(back ? of_whole : of_part, back ? of_part : of_whole, part.count * inner);
    }
}

static inline struct array part_of(const struct array *whole, int axis, lw_part part)
{
    ptrdiff_t extent[4];

    memcpy(extent, whole->extent, sizeof extent);
    extent[axis] = (ptrdiff_t)part.count;
    struct array own = array_of(whole->dtype, whole->rank, extent);
    move_part(whole, axis, part, &own, false);
    return own;
}

/* A tensor with the array's elements, or for an output with others. */
static inline lw_tensor tensor_of(int rank, const struct array *a)
{
    lw_tensor t = {0};

    lw_buffer *buffer;
    WORKS(lw_buffer_create(devices[rank], a->dtype, array_count(a), &buffer));
    WORKS(lw_buffer_write(buffer, 0, array_count(a), a->memory));
    WORKS(lw_tensor_of(buffer, a->rank, a->extent, &t));
    return t;
}

static inline void read_back(int rank, lw_tensor t, const struct array *a)
{
    WORKS(lw_stream_wait(streams[rank]));
    WORKS(lw_buffer_read(t.buffer, 0, array_count(a), a->memory));
}

/* All bits; but that which NaN it is differs between devices. */
static inline bool same(const struct array *a, const struct array *b)
{
    const float *x = (const float *)(const void *)a->memory, *y = (const void *)b->memory;

    if (a->dtype != LW_F32)
        return !memcmp(a->memory, b->memory, array_count(a) * lw_dtype_size(a->dtype));
    for (size_t i = 0; i < array_count(a); i++)
        if (memcmp(&x[i], &y[i], sizeof *x) && (x[i] == x[i] || y[i] == y[i]))
            return false;
    return true;
}

/* ---- parts ---- */

enum { CUTS = 5 };

/* Cuts of n elements: even, any, with empty parts, all in one, all within few elements. */
static inline void cut(int how, size_t n, int size, lw_part *parts)
{
    size_t at = 0;

    for (int r = 0; r < size; r++) {
        size_t end = n * (size_t)(r + 1) / (size_t)size;

        if (how == 1)
            end = at + random_below(n - at + 1);
        if (how == 2)
            end = random_below(2) ? at : at + random_below(n - at + 1);
        if (how == 3)
            end = r < size / 2 ? 0 : n;
        if (how == 4)
            end = at + random_below(200) < n ? at + random_below(200) : n;
        if (end > n || r == size - 1)
            end = n;
        if (end < at)
            end = at;
        parts[r] = (lw_part){n, at, end - at};
        at = end;
    }
}

/* ---- ranks ---- */

struct job {
    int rank, size;
    lw_comm *comm;
    lw_part part;
    void (*run)(struct job *job, void *user);
    void *user;
};

#ifdef LW_TEST_MPI

/* Run the function on this process's rank. */
static inline void on_ranks(int size, const lw_part *parts, uint64_t limit,
                            void (*run)(struct job *job, void *user), void *user)
{
    struct job job = {.size = size, .run = run, .user = user};
    lw_transport transport;

    if (!own_comm) {
        WORKS(lw_mpi_transport(MPI_COMM_WORLD, &transport));
        WORKS(lw_comm_create(devices[transport.rank], &transport, &own_comm));
    }
    job.comm = own_comm;
    job.rank = lw_comm_rank(own_comm);
    job.part = parts[job.rank];
    if (limit)
        lw_comm_set_limit(job.comm, limit);
    run(&job, user);
}

#else

static inline void *run_job(void *job)
{
    struct job *j = job;

    j->run(j, j->user);
    return NULL;
}

/* Run the function on ranks that are threads of this process. */
static inline void on_ranks(int size, const lw_part *parts, uint64_t limit,
                            void (*run)(struct job *job, void *user), void *user)
{
    struct job jobs[RANKS];
    pthread_t threads[RANKS];
    lw_comm *comms[RANKS];

    WORKS(lw_comm_devices(devices, size, comms));
    for (int r = 0; r < size; r++) {
        jobs[r] = (struct job){r, size, comms[r], parts[r], run, user};
        if (limit)
            lw_comm_set_limit(comms[r], limit);
        CHECK(!pthread_create(&threads[r], NULL, run_job, &jobs[r]));
    }
    for (int r = 0; r < size; r++)
        pthread_join(threads[r], NULL);
    for (int r = 0; r < size; r++)
        lw_comm_destroy(comms[r]);
}
#endif
#endif
