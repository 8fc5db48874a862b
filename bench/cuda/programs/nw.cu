/* nw.cu - Needleman-Wunsch: scores of an alignment, from the upper left to the lower right.
 *
 * A launch does a diagonal of tiles, each by a warp, row after row, in registers. What a score gets
 * from the row above is known at once. What it gets from its left neighbours is a scan of maxima:
 * each place to the right costs a penalty, which is added before and taken off after. */
#define WIDE 32
#define HIGH 128
#define ALL 0xffffffff

__global__ void nw(const int *__restrict__ alike, int *score, int n, int diagonal, int first,
                   int penalty)
{
    int lane = threadIdx.x, across = first + blockIdx.x, down = diagonal - across;
    int stride = n + 1;
    const int *like = alike + down * HIGH * n + across * WIDE + lane;
    int *left = score + down * HIGH * stride + across * WIDE;
    int here = left[lane + 1], corner = *left;
    for (int row = 0; row < HIGH; row++) {
        int before = __shfl_up_sync(ALL, here, 1);
        if (lane == 0)
            before = corner;
        left += stride;
        corner = *left;
        here = max(before + *like, here - penalty) + lane * penalty;
        if (lane == 0)
            here = max(here, corner - penalty);
        for (int by = 1; by < WIDE; by *= 2) {
            int lower = __shfl_up_sync(ALL, here, by);
            if (lane >= by)
                here = max(here, lower);
        }
        here -= lane * penalty;
        left[lane + 1] = here;
        like += n;
    }
}
