/* Over MPI: a rank that comes late, or is killed, is an error on the others within the limit, which
 * names it; then the comm stays failed. Each rank says `rank N: right`. Argument: late, or killed.
 */
#include <lanewise/mpi.h>
#include <signal.h>
#include <unistd.h>

enum { CULPRIT = 1, N = 3000 };

static lw_status sum(lw_comm *comm, lw_device *device, lw_stream *s, float *result)
{
    const int rank = lw_comm_rank(comm), size = lw_comm_size(comm);
    const size_t first = (size_t)(N * rank / size), end = (size_t)(N * (rank + 1) / size);
    const ptrdiff_t count = (ptrdiff_t)(end - first);
    const lw_part part = {N, first, end - first};
    const float one = 1;
    lw_buffer *in;
    lw_status status = lw_buffer_create(device, LW_F32, part.count, &in);

    lw_buffer *out;
    lw_tensor x, y;
    if (status || lw_buffer_create(device, LW_F32, 1, &out) || lw_buffer_fill(in, &one) ||
        lw_tensor_of(in, 1, &count, &x) || lw_tensor_of(out, 0, NULL, &y))
        return LW_E_INTERNAL;
    status = lw_dist_sum(comm, s, y, x, part, NULL);
    if (!status)
        status = lw_stream_wait(s);
    if (!status)
        status = lw_buffer_read(out, 0, 1, result);
    lw_buffer_destroy(in);
    lw_buffer_destroy(out);
    return status;
}

static bool says(const char *wanted)
{
    if (strstr(lw_last_error(), wanted))
        return true;
    printf("\"%s\" lacks \"%s\"\n", lw_last_error(), wanted);
    return false;
}

/* What the others see; a transport that is told of a death has its own words. */
static bool is_right(lw_comm *comm, lw_device *device, lw_stream *s, bool killed)
{
    const uint64_t begin = lw__mpi_now();
    const lw_status status = sum(comm, device, s, &(float){0});
    const bool is_timeout = status == LW_E_TIMEOUT;

    if (!is_timeout && !(killed && status == LW_E_DEVICE)) {
        printf("status %d: %s\n", status, lw_last_error());
        return false;
    }
    return says(is_timeout ? "rank 1 did not answer within 1 s" : "") &&
           lw__mpi_now() - begin < 3000000000u && sum(comm, device, s, &(float){0}) == status &&
           says("an earlier exchange failed");
}

int main(int argc, char **argv)
{
    const bool killed = argc > 1 && !strcmp(argv[1], "killed");
    float result = 0;

    setbuf(stdout, NULL);
    signal(SIGUSR1, SIG_IGN); /* by which a launcher tells of a death */
    lw_transport t;
    if (lw_mpi_transport(MPI_COMM_WORLD, &t) != LW_E_DEVICE || !says("need MPI_Init before"))
        return 1;
    MPI_Init(&argc, &argv);
    lw_comm *comm;
    lw_device *device;
    lw_stream *s;
    if (lw_mpi_transport(MPI_COMM_WORLD, &t) || lw_device_open("cpu", &device) ||
        lw_stream_create(device, &s) || lw_comm_create(device, &t, &comm)) {
        printf("%s\n", lw_last_error());
        return 1;
    }
    int rank = lw_comm_rank(comm);
    if (sum(comm, device, s, &result) || result != N)
        return 1;
    lw_comm_set_limit(comm, 1000000000u);
    if (rank == CULPRIT) {
        if (killed)
            raise(SIGKILL);
        sleep(4);
    } else if (is_right(comm, device, s, killed)) {
        printf("rank %d: right\n", rank);
    }
    if (killed) /* MPI may wait for the dead */
        _exit(0);
    lw_comm_destroy(comm);
    lw_stream_destroy(s);
    lw_device_close(device);
    MPI_Finalize();
    return 0;
}
