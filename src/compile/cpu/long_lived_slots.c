/* long_lived_slots.c - in a large function the slots that many blocks keep alive stay in memory.
 *
 * mem2reg puts a phi for a slot into each block that several of its stores reach, if the block or a
 * later one needs the value. Where lanes take many ways, as in a divergent machine of `goto`s, that
 * is almost every block for almost every slot. LLVM's later passes take time by the number of phis,
 * its code generator copies each along every edge, and in the end most values are spilled anyway.
 *
 * A slot is live in a block from which control reaches a load of it before a store. The file counts
 * these blocks for each slot, and adds the counts up for a function. If the sum is more than
 * LIVE_SUM_MAX, slots that are live in more than LIVE_MAX blocks become arrays of bytes, which
 * mem2reg leaves alone. It also copies a list of slots along each edge. So if slots times blocks
 * are more than RENAMED_MAX, the longest-lived ones become arrays until no more are.
 */
#include "compile/cpu/cpu.h"
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <assert.h>

enum { LIVE_MAX = 64, LIVE_SUM_MAX = 50000, RENAMED_MAX = 4000000 };

struct walk {
    struct lw__cfg cfg;
    LLVMTargetDataRef data;
    uint32_t *stored, *seen; /* per block: the number of the slot that it was last for */
    uint32_t *list;          /* blocks in which the slot is live */
    uint32_t number;         /* of the slot, from 1 */
};

/* True if nothing but whole loads and stores uses it: then mem2reg would make values of it. */
static bool is_slot(LLVMValueRef alloca)
{
    LLVMTypeRef type = LLVMGetAllocatedType(alloca);
    EACH_USE(use, alloca) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool load = LLVMIsALoadInst(user) && LLVMTypeOf(user) == type,
                   store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == alloca &&
                           LLVMTypeOf(LLVMGetOperand(user, 0)) == type;
        if ((!load && !store) || LLVMGetVolatile(user))
            return false;
    }
    return LLVMGetTypeKind(type) != LLVMArrayTypeKind;
}

static uint32_t push(struct walk *w, uint32_t block, uint32_t count)
{
    if (block == UINT32_MAX || w->seen[block] == w->number)
        return count;
    w->seen[block] = w->number;
    assert(count < w->cfg.count); /* each block is pushed once for a slot */
    w->list[count] = block;
    return count + 1;
}

/* In how many blocks the slot is live, LIVE_MAX + 1 at most. A block that loads and stores counts
 * as one that loads first: the widening loads again only what other blocks have stored. */
static uint32_t live_blocks(struct walk *w, LLVMValueRef slot)
{
    uint32_t count = 0;
    w->number++;
    EACH_USE(use, slot) {
        LLVMValueRef user = LLVMGetUser(use);
        const uint32_t b = lw__cfg_index(&w->cfg, LLVMGetInstructionParent(user));
        if (LLVMIsALoadInst(user))
            count = push(w, b, count);
        else if (b != UINT32_MAX)
            w->stored[b] = w->number;
    }
    for (uint32_t k = 0; k < count && count <= LIVE_MAX; k++)
        EACH_PREDECESSOR(from, &w->cfg, w->list[k])
            if (w->stored[from] != w->number)
                count = push(w, from, count);
    return count <= LIVE_MAX ? count : LIVE_MAX + 1;
}

/* True unless mem2reg sees at once that all loads give the one value stored, or one block has all
 * uses. */
static bool is_renamed(LLVMValueRef slot)
{
    LLVMBasicBlockRef block = NULL;
    uint32_t stores = 0;
    bool crosses = false;
    EACH_USE(use, slot) {
        LLVMValueRef user = LLVMGetUser(use);
        crosses |= block && LLVMGetInstructionParent(user) != block;
        block = LLVMGetInstructionParent(user);
        stores += LLVMIsAStoreInst(user) != NULL;
    }
    return crosses && stores != 1;
}

/* The most blocks that a slot may be live in, so that few enough slots are left. */
static uint32_t most_live(const uint64_t *renamed, uint64_t sum, size_t blocks)
{
    const uint64_t slots_max = RENAMED_MAX / (blocks + 1);
    uint64_t slots = 0;
    for (uint32_t live = 0; live <= LIVE_MAX; live++)
        if ((slots += renamed[live]) > slots_max)
            return live ? live - 1 : 0;
    if (slots + renamed[LIVE_MAX + 1] > slots_max || sum > LIVE_SUM_MAX)
        return LIVE_MAX;
    return LIVE_MAX + 1;
}

bool lw__cpu_keep_slots(struct lw__arena *arena, LLVMValueRef function)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    struct walk w = {.data = LLVMGetModuleDataLayout(module)};
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    lw__cfg_build(arena, function, &w.cfg);
    size_t count = 0, n = 0;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    EACH_INSTRUCTION(i, entry)
        count += LLVMIsAAllocaInst(i) && is_slot(i);
    LLVMValueRef *slots = lw__new(arena, count, sizeof *slots);
    EACH_INSTRUCTION(i, entry)
        if (LLVMIsAAllocaInst(i) && is_slot(i))
            slots[n++] = i;
    w.stored = lw__new(arena, 3 * w.cfg.count, sizeof *w.stored);
    w.seen = w.stored + w.cfg.count;
    w.list = w.seen + w.cfg.count;
    /* Hide the longest-lived slots if there are too many. */
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(w.cfg.function)));
    uint64_t sum = 0, renamed[LIVE_MAX + 2] = {0};
    uint32_t *live = lw__new(arena, count, sizeof *live);
    bool kept = false;
    for (size_t k = 0; k < count; k++) {
        sum += live[k] = live_blocks(&w, slots[k]);
        renamed[live[k]] += is_renamed(slots[k]);
    }
    const uint32_t most = most_live(renamed, sum, w.cfg.count);
    for (size_t k = 0; k < count; k++)
        if (live[k] > most && (live[k] > LIVE_MAX || is_renamed(slots[k]))) {
            /* The slot as bytes of the same size and alignment. */
            LLVMTypeRef type = LLVMGetAllocatedType(slots[k]),
                        byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
            LLVMPositionBuilderBefore(b, slots[k]);
            LLVMValueRef bytes =
                LLVMBuildAlloca(b, LLVMArrayType2(byte, LLVMABISizeOfType(w.data, type)), "");
            LLVMSetAlignment(bytes, LLVMGetAlignment(slots[k]));
            LLVMReplaceAllUsesWith(slots[k], bytes);
            LLVMInstructionEraseFromParent(slots[k]);
            kept = true;
        }
    LLVMDisposeBuilder(b);
    lw__arena_release(arena, mark);
    return kept;
}
