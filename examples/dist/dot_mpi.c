/* The dot product of two vectors that the ranks of MPI hold parts of. Its bits do not depend on
 * their number:
 *
 *     mpicc dot_mpi.c -o dot_mpi $(pkg-config --cflags --libs lanewise-ops)
 *     mpirun -n 1 ./dot_mpi
 *     mpirun -n 4 ./dot_mpi cuda      each rank on the GPU that it sees first
 *
 * Arguments: the device, cpu where not given; the number of elements, 10000001 where not given.
 */
#include <lanewise/mpi.h>

struct rank {
    lw_device *device;
    lw_stream *stream;
    lw_comm *comm;
    lw_buffer *x, *y, *out;
    lw_part part;
};

/* This rank's elements i, from part.first on: x is 1/(i + 1), y is 1 or -1. */
static lw_status fill(struct rank *r)
{
    float *values = malloc((r->part.count + 1) * sizeof *values);

    if (!values)
        return lw_fail(LW_E_MEMORY, "out of memory: %zu elements", r->part.count);
    for (size_t i = 0; i < r->part.count; i++)
        values[i] = 1.0f / (float)(r->part.first + i + 1);
    lw_status status = lw_buffer_write(r->x, 0, r->part.count, values);
    for (size_t i = 0; i < r->part.count; i++)
        values[i] = (r->part.first + i) % 2 ? -1 : 1;
    if (!status)
        status = lw_buffer_write(r->y, 0, r->part.count, values);
    free(values);
    return status;
}

static lw_status make(struct rank *r, const char *device, size_t n)
{
    lw_status status = lw_device_open(device, &r->device);

    if (!status)
        status = lw_stream_create(r->device, &r->stream);
    lw_transport transport;
    if (!status)
        status = lw_mpi_transport(MPI_COMM_WORLD, &transport);
    if (!status)
        status = lw_comm_create(r->device, &transport, &r->comm);
    if (status)
        return status;

    const size_t rank = (size_t)lw_comm_rank(r->comm), size = (size_t)lw_comm_size(r->comm);
    r->part = (lw_part){n, n * rank / size, n * (rank + 1) / size - n * rank / size};
    status = lw_buffer_create(r->device, LW_F32, r->part.count, &r->x);
    if (!status)
        status = lw_buffer_create(r->device, LW_F32, r->part.count, &r->y);
    if (!status)
        status = lw_buffer_create(r->device, LW_F32, 1, &r->out);
    return status ? status : fill(r);
}

static lw_status dot(struct rank *r, float *result)
{
    const ptrdiff_t count = (ptrdiff_t)r->part.count;
    lw_tensor x;
    lw_status status = lw_tensor_of(r->x, 1, &count, &x);

    lw_tensor y;
    if (!status)
        status = lw_tensor_of(r->y, 1, &count, &y);
    lw_tensor out;
    if (!status)
        status = lw_tensor_of(r->out, 0, NULL, &out);
    if (!status)
        status = lw_dist_dot(r->comm, r->stream, out, x, y, r->part, NULL);
    if (!status)
        status = lw_stream_wait(r->stream);
    return status ? status : lw_buffer_read(r->out, 0, 1, result);
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "cpu";
    const size_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000001;
    struct rank r = {0};
    float result = 0;

    MPI_Init(&argc, &argv);
    const lw_status status = make(&r, device, n) || dot(&r, &result);

    if (status)
        fprintf(stderr, "%s\n", lw_last_error());
    else if (lw_comm_rank(r.comm) == 0)
        printf("%a\n", (double)result);
    lw_buffer_destroy(r.x);
    lw_buffer_destroy(r.y);
    lw_buffer_destroy(r.out);
    lw_comm_destroy(r.comm);
    lw_stream_destroy(r.stream);
    lw_device_close(r.device);
    MPI_Finalize();
    return status != LW_OK;
}
