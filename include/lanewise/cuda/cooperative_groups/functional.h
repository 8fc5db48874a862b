/* functional.h - operators for reduce and scan. */
#ifndef LANEWISE_CUDA_COOPERATIVE_GROUPS_FUNCTIONAL_H
#define LANEWISE_CUDA_COOPERATIVE_GROUPS_FUNCTIONAL_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

#define LW_OPERATOR(name, expression)                                                              \
    template <class T> struct name {                                                               \
        LW_BOTH_MEMBER T operator()(T a, T b) const { return expression; }                         \
    };
LW_OPERATOR(plus, (T)(a + b))
LW_OPERATOR(less, b < a ? b : a)
LW_OPERATOR(greater, a < b ? b : a)
LW_OPERATOR(bit_and, (T)(a & b))
LW_OPERATOR(bit_or, (T)(a | b))
LW_OPERATOR(bit_xor, (T)(a ^ b))
#undef LW_OPERATOR

} // namespace cooperative_groups

#endif
