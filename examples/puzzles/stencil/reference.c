#include <lanewise/kernel.h>

KERNEL void reference(int n, int steps, double *x)
{
    for (int s = 0; s < steps; s++) {
        double left = x[0];
        for (int i = 1; i < n - 1; i++) {
            double own = x[i];
            x[i] = (left + 2 * own + x[i + 1]) / 4;
            left = own;
        }
    }
}
