/* slot.c - one argument of a launch with its parameter, and words for messages. */
#include "run/report/report.h"
#include "run/launch/launch.h"
#include <assert.h>

struct lw__slot lw__slot_of(struct lw__job *job, size_t index, const lw_arg *args)
{
    const lw_kernel *k = job->kernel;
    assert(k->param_rows[index].offset + k->param_rows[index].size <= job->args_room);
    return (struct lw__slot){.job = job,
                             .param = &k->params[index],
                             .index = index,
                             .arg = args ? &args[index] : NULL,
                             .to = job->args + k->param_rows[index].offset,
                             .what = k->titles[index]};
}

bool lw__is_bytes(const lw_buffer *b)
{
    return !b->has_dtype && b->element_bytes == 1;
}

const char *lw__buffer_type(const lw_buffer *b)
{
    return b->has_dtype ? lw_dtype_name(b->dtype) : lw__is_bytes(b) ? "bytes" : "structs";
}

void lw__add_numbers(struct lw__message *m, int count, const ptrdiff_t *numbers)
{
    for (int i = 0; i < count; i++)
        lw__message_add(m, "%s%td", i ? ", " : "", numbers[i]);
}
