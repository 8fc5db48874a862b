/* bfs.cu - a level of a breadth-first search: the vertices of one queue fill the next. */

__global__ void bfs(const int *__restrict__ begin, const int *__restrict__ edge, int *distance,
                    const int *__restrict__ queue, int queued, int *next, int *count, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queued)
        return;
    int from = queue[i];
    for (int e = begin[from]; e < begin[from + 1]; e++) {
        int to = edge[e];
        if (distance[to] < 0 && atomicCAS(&distance[to], -1, level) == -1)
            next[atomicAdd(count, 1)] = to;
    }
}
