/* memcpy_async.h - copies by a group. They are done when the group has waited for them. */
#ifndef LANEWISE_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define LANEWISE_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

namespace cooperative_groups
{

/* The threads take every n-th element, so that a warp copies neighbours. */
template <class Group, class T>
LW_DEVICE void memcpy_async(const Group &group, T *to, const T *from, size_t bytes)
{
    for (size_t i = group.thread_rank(); i < bytes / sizeof(T); i += group.size())
        to[i] = from[i];
}
template <class Group, class T>
LW_DEVICE void memcpy_async(const Group &group, T *to, size_t toCount, const T *from,
                            size_t fromCount)
{
    memcpy_async(group, to, from, (toCount < fromCount ? toCount : fromCount) * sizeof(T));
}
template <class Group> LW_DEVICE void wait(const Group &group) { group.sync(); }
template <unsigned Stages, class Group> LW_DEVICE void wait_prior(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#endif
