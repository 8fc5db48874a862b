// Tensor cores: mma.h is read, the kernel that uses it is refused, and the others run.
// run: -k fine -b 2 'i32[2]'
// expect: x: i32[2] = [1, 1]
// run: -k product -b 32 'f16[256]' 'f16[256]' 'f32[256]'
// status: 3
// stderr: refused-matrix.cu:19:
// stderr: kernel 'product': tensor cores (mma.h) are not in the kernel language
#include <mma.h>
using namespace nvcuda;

__global__ void fine(int *x) { x[threadIdx.x] = 1; }

__global__ void product(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;

    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

// not under sanitizers: the clang program, which that build starts, refuses the whole file
