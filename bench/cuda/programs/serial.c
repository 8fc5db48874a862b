/* serial.c - the same programs for one processor, in plain C: the peer of bench/cuda.py.
 *
 * Loops are in the order that gcc makes vectors of, and sums are 32 where one would be a chain. */
#include <math.h>
#include <stddef.h>
#include <string.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}
static int most(int a, int b)
{
    return a > b ? a : b;
}

void pathfinder(const int *restrict cost, int *restrict a, int *restrict b, int columns, int rows)
{
    for (int r = 0; r < rows; r++) {
        const int *restrict c = cost + (size_t)r * columns, *restrict from = r % 2 ? b : a;
        int *restrict to = r % 2 ? a : b;
        to[0] = least(from[0], from[1]) + c[0];
        for (int i = 1; i < columns - 1; i++)
            to[i] = least(least(from[i - 1], from[i + 1]), from[i]) + c[i];
        to[columns - 1] = least(from[columns - 2], from[columns - 1]) + c[columns - 1];
    }
}

static float heat(float p, float v, float up, float down, float left, float right, const float *k)
{
    return v + k[3] * (p + (down + up - 2.0f * v) * k[1] + (right + left - 2.0f * v) * k[0] +
                       (80.0f - v) * k[2]);
}

void hotspot(const float *restrict power, const float *restrict from, float *restrict to, int n,
             const float *restrict k)
{
    for (int y = 0; y < n; y++) {
        const float *v = from + y * n, *up = from + most(y - 1, 0) * n;
        const float *down = from + least(y + 1, n - 1) * n, *p = power + y * n;
        to[y * n] = heat(p[0], v[0], up[0], down[0], v[0], v[1], k);
        for (int x = 1; x < n - 1; x++)
            to[y * n + x] = heat(p[x], v[x], up[x], down[x], v[x - 1], v[x + 1], k);
        to[y * n + n - 1] = heat(p[n - 1], v[n - 1], up[n - 1], down[n - 1], v[n - 2], v[n - 1], k);
    }
}

/* What does not depend on the left neighbour comes first, as vectors. */
void nw(const int *restrict alike, int *restrict score, int n, int penalty)
{
    int best[n];
    for (int i = 1; i <= n; i++) {
        const int *restrict above = score + (size_t)(i - 1) * (n + 1);
        const int *restrict like = alike + (size_t)(i - 1) * n;
        int *restrict row = score + (size_t)i * (n + 1);
        for (int j = 0; j < n; j++)
            best[j] = most(above[j] + like[j], above[j + 1] - penalty);
        int left = row[0];
        for (int j = 0; j < n; j++)
            row[j + 1] = left = most(best[j], left - penalty);
    }
}

void lud(float *restrict a, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            float by = a[i * n + k] /= a[k * n + k];
            const float *restrict from = a + k * n;
            float *restrict to = a + i * n;
            for (int j = k + 1; j < n; j++)
                to[j] -= by * from[j];
        }
}

static float total(const float *x, int n, int is_squared)
{
    float sums[32] = {0}, sum = 0;
    int i = 0;
    for (; i + 32 <= n; i += 32)
        for (int j = 0; j < 32; j++)
            sums[j] += is_squared ? x[i + j] * x[i + j] : x[i + j];
    for (; i < n; i++)
        sum += is_squared ? x[i] * x[i] : x[i];
    for (int j = 0; j < 32; j++)
        sum += sums[j];
    return sum;
}

static float coefficient(float v, float up, float down, float left, float right, float q0)
{
    float north = up - v, south = down - v, west = left - v, east = right - v;
    float g = (north * north + south * south + west * west + east * east) / (v * v);
    float l = (north + south + west + east) / v, d = 1.0f + 0.25f * l;
    float q = (0.5f * g - 0.0625f * l * l) / (d * d);
    float k = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    k = k > 0.0f ? k : 0.0f;
    return k < 1.0f ? k : 1.0f;
}

void srad(const float *restrict from, float *restrict to, float *restrict c, int rows, int columns,
          float rate)
{
    int pixels = rows * columns;
    float mean = total(from, pixels, 0) / pixels;
    float q0 = (total(from, pixels, 1) / pixels - mean * mean) / (mean * mean);
    for (int y = 0; y < rows; y++) {
        const float *v = from + y * columns, *up = from + most(y - 1, 0) * columns;
        const float *down = from + least(y + 1, rows - 1) * columns;
        int last = columns - 1;
        c[y * columns] = coefficient(v[0], up[0], down[0], v[0], v[1], q0);
        for (int x = 1; x < last; x++)
            c[y * columns + x] = coefficient(v[x], up[x], down[x], v[x - 1], v[x + 1], q0);
        c[y * columns + last] =
            coefficient(v[last], up[last], down[last], v[last - 1], v[last], q0);
    }
    for (int y = 0; y < rows; y++) {
        int below = least(y + 1, rows - 1) * columns, last = columns - 1;
        const float *v = from + y * columns, *up = from + most(y - 1, 0) * columns;
        const float *down = from + below, *here = c + y * columns, *under = c + below;
        float *restrict out = to + y * columns;
        out[0] = v[0] + 0.25f * rate *
                            (here[0] * (up[0] - v[0]) + under[0] * (down[0] - v[0]) +
                             here[1] * (v[1] - v[0]));
        for (int x = 1; x < last; x++)
            out[x] = v[x] + 0.25f * rate *
                                (here[x] * (up[x] - v[x] + v[x - 1] - v[x]) +
                                 under[x] * (down[x] - v[x]) + here[x + 1] * (v[x + 1] - v[x]));
        out[last] = v[last] + 0.25f * rate *
                                  (here[last] * (up[last] - v[last] + v[last - 1] - v[last]) +
                                   under[last] * (down[last] - v[last]));
    }
}

void stencil(const float *restrict from, float *restrict to, int nx, int ny, int nz, float middle,
             float around)
{
    ptrdiff_t plane = (ptrdiff_t)nx * ny;
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++) {
            const float *restrict v = from + z * plane + y * nx;
            float *restrict out = to + z * plane + y * nx;
            for (int x = 1; x < nx - 1; x++)
                out[x] = middle * v[x] + around * (v[x - 1] + v[x + 1] + v[x - nx] + v[x + nx] +
                                                   v[x - plane] + v[x + plane]);
        }
}

/* Four rows at once of 64 columns: what gcc keeps in registers or the first cache. */
void sgemm(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    for (int column = 0; column < n; column += 64)
        for (int row = 0; row < n; row += 4) {
            float sum[4][64] = {0};
            for (int k = 0; k < n; k++) {
                const float *restrict y = b + k * n + column;
                const float *restrict x = a + row * n + k;
                for (int j = 0; j < 64; j++) {
                    sum[0][j] += x[0] * y[j];
                    sum[1][j] += x[n] * y[j];
                    sum[2][j] += x[2 * n] * y[j];
                    sum[3][j] += x[3 * n] * y[j];
                }
            }
            for (int i = 0; i < 4; i++)
                memcpy(c + (row + i) * n + column, sum[i], sizeof sum[i]);
        }
}

void reduction(const float *restrict x, float *restrict sum, int n)
{
    *sum = total(x, n, 0);
}

void scan(const int *restrict x, int *restrict y, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        y[i] = sum += x[i];
}

/* bodies: all x, all y, all z, all masses; pull: the same. */
void nbody(const float *restrict bodies, float *restrict pull, int n, float softening)
{
    const float *restrict x = bodies, *restrict y = x + n, *restrict z = y + n, *restrict w = z + n;
    for (int from = 0; from < n; from += 64) {
        float ax[64] = {0}, ay[64] = {0}, az[64] = {0};
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 64; i++) {
                float dx = x[j] - x[from + i], dy = y[j] - y[from + i], dz = z[j] - z[from + i];
                float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + softening);
                float by = w[j] * inverse * inverse * inverse;
                ax[i] += dx * by;
                ay[i] += dy * by;
                az[i] += dz * by;
            }
        memcpy(pull + from, ax, sizeof ax);
        memcpy(pull + n + from, ay, sizeof ay);
        memcpy(pull + 2 * n + from, az, sizeof az);
    }
}

void spmv(int rows, const int *restrict begin, const int *restrict column,
          const float *restrict value, const float *restrict x, float *restrict y)
{
    for (int r = 0; r < rows; r++) {
        float a = 0, b = 0, c = 0, d = 0;
        int i = begin[r], end = begin[r + 1];
        for (; i + 4 <= end; i += 4) {
            a += value[i] * x[column[i]];
            b += value[i + 1] * x[column[i + 1]];
            c += value[i + 2] * x[column[i + 2]];
            d += value[i + 3] * x[column[i + 3]];
        }
        for (; i < end; i++)
            a += value[i] * x[column[i]];
        y[r] = (a + b) + (c + d);
    }
}

void bfs(const int *restrict begin, const int *restrict edge, int *restrict distance,
         int *restrict queue, int start)
{
    int head = 0, tail = 0;
    distance[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        int from = queue[head++];
        for (int e = begin[from]; e < begin[from + 1]; e++)
            if (distance[edge[e]] < 0) {
                distance[edge[e]] = distance[from] + 1;
                queue[tail++] = edge[e];
            }
    }
}
