/* mma.h - nvcuda::wmma, declared so that files which use it are read.
 *
 * Tensor cores have no equal here: a kernel that calls one of these functions is refused.
 */
#ifndef LANEWISE_CUDA_MMA_H
#define LANEWISE_CUDA_MMA_H

#include "cuda_fp16.h"
#include "cuda_bf16.h"

#define LW_NO_TENSOR_CORES                                                                         \
    __device__ inline __attribute__((                                                              \
        annotate("lw.refused\ttensor cores (mma.h) are not in the kernel language: multiply by "   \
                 "loops")))

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

template <class T> struct lw_stored {
    typedef T type;
};
template <> struct lw_stored<precision::tf32> {
    typedef float type;
};

template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment {
    typedef typename lw_stored<T>::type element_type, storage_element_type;
    enum { num_elements = 8, num_storage_elements = 8 };
    element_type x[num_elements];
};

template <class F, class T> LW_NO_TENSOR_CORES void fill_fragment(F &, const T &) {}
template <class F, class T> LW_NO_TENSOR_CORES void load_matrix_sync(F &, const T *, unsigned) {}
template <class F, class T>
LW_NO_TENSOR_CORES void load_matrix_sync(F &, const T *, unsigned, layout_t)
{
}
template <class F, class T>
LW_NO_TENSOR_CORES void store_matrix_sync(T *, const F &, unsigned, layout_t)
{
}
template <class D, class A, class B, class C>
LW_NO_TENSOR_CORES void mma_sync(D &, const A &, const B &, const C &, bool = false)
{
}
LW_NO_TENSOR_CORES float __float_to_tf32(float v) { return v; }

}
}
#endif
