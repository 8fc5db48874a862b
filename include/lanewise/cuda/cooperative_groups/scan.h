/* scan.h - inclusive_scan and exclusive_scan(group, value, operator): the values of lower ranks
 * combined, with the thread's own or without it.
 */
#ifndef LANEWISE_CUDA_COOPERATIVE_GROUPS_SCAN_H
#define LANEWISE_CUDA_COOPERATIVE_GROUPS_SCAN_H

#include "functional.h"

namespace cooperative_groups
{

/* After the step of n each thread has combined up to 2 n values (Hillis and Steele 1986). */
template <class Group, class T, class Operator>
LW_DEVICE T inclusive_scan(const Group &group, T v, Operator combine)
{
    const unsigned rank = (unsigned)group.thread_rank();
    for (unsigned n = 1; n < 32; n *= 2) {
        const T other = group.shfl_up(v, n);
        if (rank >= n)
            v = combine(other, v);
    }
    return v;
}
template <class Group, class T> LW_DEVICE T inclusive_scan(const Group &group, T v)
{
    return inclusive_scan(group, v, plus<T>());
}
template <class Group, class T, class Operator>
LW_DEVICE T exclusive_scan(const Group &group, T v, Operator combine)
{
    const T before = group.shfl_up(inclusive_scan(group, v, combine), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> LW_DEVICE T exclusive_scan(const Group &group, T v)
{
    return exclusive_scan(group, v, plus<T>());
}

} // namespace cooperative_groups

#endif
