/* nbody - the acceleration of each of cols bodies by all of them, a thread a body; a (4,cols) has
 * x, y, z and mass, out (3,cols) the acceleration. cols is a multiple of 256. The block reads its
 * tiles of bodies once for all threads.
 * units    masses are parts of cols: the bodies together have about half a unit
 * source   Nyland, Harris and Prins, "Fast N-Body Simulation with CUDA", GPU Gems 3, chapter 31
 */
#include <lanewise/kernel.h>

enum { TILE = 256 };

/* Added to squares of distances, so that near bodies do not throw each other away. */
static const float softening = 1e-3f;

KERNEL BLOCK(TILE) void nbody(int cols, float out[3][cols], const float a[4][cols])
{
    SHARED float x[TILE], y[TILE], z[TILE], mass[TILE];
    int t = thread_idx.x;
    size_t i = global_idx.x;
    float my_x = a[0][i], my_y = a[1][i], my_z = a[2][i];
    float sum_x = 0, sum_y = 0, sum_z = 0;
    for (int first = 0; first < cols; first += TILE) {
        x[t] = a[0][first + t];
        y[t] = a[1][first + t];
        z[t] = a[2][first + t];
        mass[t] = a[3][first + t];
        barrier();
        for (int k = 0; k < TILE; k++) {
            float dx = x[k] - my_x, dy = y[k] - my_y, dz = z[k] - my_z;
            float inverse = rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, softening))));
            float pull = mass[k] * inverse * (inverse * inverse);
            sum_x = fma(dx, pull, sum_x);
            sum_y = fma(dy, pull, sum_y);
            sum_z = fma(dz, pull, sum_z);
        }
        barrier();
    }
    out[0][i] = sum_x / cols;
    out[1][i] = sum_y / cols;
    out[2][i] = sum_z / cols;
}
