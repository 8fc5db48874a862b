/* lanewise_cuda.h - what the compiler includes before each CUDA file, as nvcc includes
 * cuda_runtime.h.
 *
 * Both of clang's passes read it. Names, layouts and meanings are those of CUDA 12, from its public
 * documentation; docs/coming-from-cuda.md says where Lanewise differs. What has no body is an
 * operation of the compiler, `lw.NAME`.
 */
#ifndef LANEWISE_CUDA_H
#define LANEWISE_CUDA_H

#if !defined(__CUDA__) || !defined(__clang__)
#error "this header is for CUDA files, which clang compiles: lanewise run FILE.cu"
#endif

#include "lw/keywords.h"

/* clang wants the device's functions of <cmath> declared before the library has its own. */
#include <__clang_cuda_math_forward_declares.h>

#include <cassert>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <math.h>
#include <new>
#include <stdlib.h>
#include <utility>

#include "lw/vector_functions.h"
#include "lw/runtime_cpp.h"
#include "lw/operations.h"
#include "lw/places.h"
#include "lw/memory.h"
#include "lw/program.h"
#include "lw/together.h"
#include "lw/atomics.h"
#include "lw/maths.h"
#include "lw/integers.h"
#include "lw/simd_words.h"
#include "lw/conversions.h"
#include "lw/ordered_atomics.h"
#include "lw/textures.h"

/* What clang calls for products and quotients of C's complex numbers. */
#include <__clang_cuda_complex_builtins.h>

#endif
