/* module.c - operation.c as a shared object for `lanewise graph`; docs/graphs.md has its gcc line.
 * ATTENTION_KERNELS is the path of kernels.c.
 */
#include "operation.h"

lw_status lanewise_register(void);

lw_status lanewise_register(void)
{
    lw_op *op;

    return attention_register(ATTENTION_KERNELS, &op);
}
