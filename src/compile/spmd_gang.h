/* spmd_gang.h - shared by spmd_gang.c (gangs of a block as coroutines) and spmd_meet.c (where they
 * come together).
 */
#ifndef LW_COMPILE_SPMD_GANG_H
#define LW_COMPILE_SPMD_GANG_H
#include "compile/spmd.h"

/* The code of a gang, while it is made; of a round only the first thread is set. */
struct lw__gang {
    struct lw__coroutine co;
    LLVMValueRef record;              /* struct lw_cpu_gang * */
    LLVMValueRef first;               /* its first thread, i32 */
    LLVMValueRef exchange;            /* struct lw_cpu_exchange * */
    LLVMValueRef memory, bytes, from; /* asked for: where; how many; where the frame begins */
};

/* The gang's field at the offset becomes this. */
void lw__gang_set(struct lw__spmd *s, size_t offset, LLVMValueRef value);
/* Give way in state MEETS or WAITS, and go on behind it, at s->b. */
void lw__gang_suspend(struct lw__spmd *s, int state, size_t site);
/* Write the lanes as bits of the gang's threads into an array of the exchange. */
void lw__gang_store_lanes(struct lw__spmd *s, lw__mask lanes, size_t offset);
/* The address of the first thread of a piece in an array of the exchange, `bytes` an element. */
LLVMValueRef lw__gang_at(struct lw__spmd *s, size_t offset, uint64_t bytes, uint32_t piece);
#endif
