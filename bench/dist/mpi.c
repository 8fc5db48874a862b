/* mpi.c - lw_dist_dot over MPI against a local lw_dot and MPI_Allreduce, whose sum has no fixed
 * order: 2^24 elements a rank. Both alternate; rank 0 prints medians and their ratio.
 *
 *     mpicc -O2 bench/dist/mpi.c -o dist-mpi $(pkg-config --cflags --libs lanewise-ops)
 *     mpirun -n 2 ./dist-mpi cpu [ELEMENTS]
 */
#include <lanewise/mpi.h>

enum { REPEATS = 41, WARM = 5 };

static void need(lw_status status)
{
    if (!status)
        return;
    fprintf(stderr, "dist-mpi: %s\n", lw_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct bench {
    lw_stream *stream;
    lw_comm *comm;
    lw_tensor x, y, out;
    lw_part part;
};

static double time_dist(struct bench *b, float *result)
{
    const double begin = MPI_Wtime();

    need(lw_dist_dot(b->comm, b->stream, b->out, b->x, b->y, b->part, NULL));
    need(lw_stream_wait(b->stream));
    need(lw_buffer_read(b->out.buffer, 0, 1, result));
    return MPI_Wtime() - begin;
}

static double time_allreduce(struct bench *b, float *result)
{
    const double begin = MPI_Wtime();

    need(lw_dot(b->stream, b->out, b->x, b->y, NULL));
    need(lw_stream_wait(b->stream));
    float mine;
    need(lw_buffer_read(b->out.buffer, 0, 1, &mine));
    MPI_Allreduce(&mine, result, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

static lw_buffer *values(lw_device *device, size_t count, unsigned seed)
{
    float *v = malloc(count * sizeof *v);

    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        v[i] = (float)(int32_t)seed / 2147483648.0f;
    }
    lw_buffer *b;
    need(lw_buffer_create(device, LW_F32, count, &b));
    need(lw_buffer_write(b, 0, count, v));
    free(v);
    return b;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "cpu";
    const size_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : (size_t)1 << 24;
    const ptrdiff_t extent = (ptrdiff_t)count;
    double dist[REPEATS], all[REPEATS];
    float of_dist = 0, of_all = 0;

    MPI_Init(&argc, &argv);
    lw_device *device;
    need(lw_device_open(name, &device));
    struct bench b;
    need(lw_stream_create(device, &b.stream));
    lw_transport transport;
    need(lw_mpi_transport(MPI_COMM_WORLD, &transport));
    need(lw_comm_create(device, &transport, &b.comm));
    const size_t rank = (size_t)lw_comm_rank(b.comm), size = (size_t)lw_comm_size(b.comm);
    b.part = (lw_part){count * size, count * rank, count};
    need(lw_tensor_of(values(device, count, (unsigned)rank), 1, &extent, &b.x));
    need(lw_tensor_of(values(device, count, (unsigned)rank + 77), 1, &extent, &b.y));
    lw_buffer *out;
    need(lw_buffer_create(device, LW_F32, 1, &out));
    need(lw_tensor_of(out, 0, NULL, &b.out));
    for (int i = -WARM; i < REPEATS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double a = time_dist(&b, &of_dist);
        MPI_Barrier(MPI_COMM_WORLD);
        const double c = time_allreduce(&b, &of_all);

        if (i >= 0) {
            dist[i] = a;
            all[i] = c;
        }
    }
    qsort(dist, REPEATS, sizeof *dist, by_value);
    qsort(all, REPEATS, sizeof *all, by_value);
    if (!rank)
        printf("%zu ranks, %zu elements each: lw_dist_dot %.3f ms, allreduce %.3f ms, ratio %.3f "
               "(%g, %g)\n",
               size, count, dist[REPEATS / 2] * 1e3, all[REPEATS / 2] * 1e3,
               dist[REPEATS / 2] / all[REPEATS / 2], (double)of_dist, (double)of_all);
    lw_comm_destroy(b.comm);
    lw_buffer_destroy(b.x.buffer);
    lw_buffer_destroy(b.y.buffer);
    lw_buffer_destroy(out);
    lw_stream_destroy(b.stream);
    lw_device_close(device);
    MPI_Finalize();
    return 0;
}
