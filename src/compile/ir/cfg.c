/* cfg.c - control flow graph and dominators of one function.
 *
 * Blocks are numbered in reverse postorder. So a < b if a dominates b, and in a reducible graph
 * along every edge that is no back edge. Successors are visited last to first: the `then` arm then
 * comes before the `else` arm, as in the source.
 * source   Cooper, Harvey & Kennedy, "A Simple, Fast Dominance Algorithm", 2001
 */
#include "compile/ir/ir.h"
#include "compile/llvm/llvm.h"
#include <assert.h>

/* Open addressing, from block to its number; 2^k >= 2 * blocks slots. */
struct lw__block_map {
    size_t mask;
    struct {
        LLVMBasicBlockRef block;
        uint32_t number;
    } slot[];
};

static size_t find(const struct lw__block_map *map, LLVMBasicBlockRef block)
{
    size_t i = (size_t)(((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15u >> 20) & map->mask;
    while (map->slot[i].block && map->slot[i].block != block)
        i = (i + 1) & map->mask;
    return i;
}

uint32_t lw__cfg_index(const struct lw__cfg *cfg, LLVMBasicBlockRef block)
{
    size_t i = find(cfg->map, block);
    return cfg->map->slot[i].block ? cfg->map->slot[i].number : UINT32_MAX;
}

/* Depth first without recursion; fills blocks[] from the back. */
static void number_blocks(struct lw__cfg *cfg, size_t total)
{
    struct frame {
        LLVMBasicBlockRef block;
        unsigned next;
    } *stack = lw__new(cfg->arena, total + 1, sizeof *stack);
    size_t depth = 0, left = total;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(cfg->function);
    stack[depth++] =
        (struct frame){entry, LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(entry))};
    cfg->map->slot[find(cfg->map, entry)].block = entry;
    while (depth) {
        struct frame *top = &stack[depth - 1];
        if (!top->next) {
            cfg->blocks[--left] = top->block;
            depth--;
            continue;
        }
        LLVMValueRef end = LLVMGetBasicBlockTerminator(top->block);
        LLVMBasicBlockRef s = LLVMGetSuccessor(end, --top->next);
        size_t slot = find(cfg->map, s);
        if (cfg->map->slot[slot].block)
            continue;
        cfg->map->slot[slot].block = s;
        stack[depth++] = (struct frame){s, LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(s))};
    }
    cfg->count = total - left;
    for (size_t i = 0; i < cfg->count; i++) {
        cfg->blocks[i] = cfg->blocks[i + left];
        cfg->map->slot[find(cfg->map, cfg->blocks[i])].number = (uint32_t)i;
    }
}

static uint32_t common_dominator(const uint32_t *idom, uint32_t a, uint32_t b)
{
    while (a != b)
        if (a > b)
            a = idom[a];
        else
            b = idom[b];
    return a;
}

void lw__cfg_build(struct lw__arena *arena, LLVMValueRef function, struct lw__cfg *cfg)
{
    size_t total = LLVMCountBasicBlocks(function), slots = 4;
    while (slots < total * 2)
        slots *= 2;
    *cfg = (struct lw__cfg){.arena = arena, .function = function};
    cfg->blocks = lw__new(arena, total, sizeof *cfg->blocks);
    cfg->map = lw__new(arena, 1, sizeof *cfg->map + slots * sizeof cfg->map->slot[0]);
    cfg->map->mask = slots - 1;
    const struct lw__arena_mark mark = lw__arena_mark(arena);
    number_blocks(cfg, total);
    lw__arena_release(arena, mark);
    assert(cfg->blocks[0] == LLVMGetEntryBasicBlock(function));
    /* The position of each block in the function: clang lays blocks out in source order. */
    uint32_t position = 0; /* of b */
    cfg->layout = lw__new(cfg->arena, cfg->count + 1, sizeof *cfg->layout);
    EACH_BLOCK(b, cfg->function) {
        uint32_t number = lw__cfg_index(cfg, b);
        if (number != UINT32_MAX)
            cfg->layout[number] = position;
        position++;
    }
    size_t edges = 0;
    for (size_t i = 0; i < cfg->count; i++)
        edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(cfg->blocks[i]));
    cfg->succ_start = lw__new(cfg->arena, cfg->count + 1, sizeof *cfg->succ_start);
    cfg->pred_start = lw__new(cfg->arena, cfg->count + 2, sizeof *cfg->pred_start);
    cfg->succ = lw__new(cfg->arena, edges + 1, sizeof *cfg->succ);
    cfg->pred = lw__new(cfg->arena, edges + 1, sizeof *cfg->pred);
    uint32_t n = 0;
    for (size_t i = 0; i < cfg->count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[i]);
        cfg->succ_start[i] = n;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            cfg->succ[n] = lw__cfg_index(cfg, LLVMGetSuccessor(end, k));
            assert(cfg->succ[n] < cfg->count);
            cfg->pred_start[cfg->succ[n++] + 2]++;
        }
    }
    cfg->succ_start[cfg->count] = n;
    assert(n == edges);
    for (size_t i = 1; i <= cfg->count; i++)
        cfg->pred_start[i + 1] += cfg->pred_start[i];
    for (uint32_t i = 0; i < cfg->count; i++)
        EACH_SUCCESSOR(to, cfg, i)
            cfg->pred[cfg->pred_start[to + 1]++] = i;
    cfg->idom = lw__new(cfg->arena, cfg->count + 1, sizeof *cfg->idom);
    for (size_t i = 0; i < cfg->count; i++)
        cfg->idom[i] = UINT32_MAX;
    cfg->idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 1; b < cfg->count; b++) {
            uint32_t dom = UINT32_MAX;
            EACH_PREDECESSOR(p, cfg, b) {
                if (cfg->idom[p] != UINT32_MAX)
                    dom = dom == UINT32_MAX ? p : common_dominator(cfg->idom, p, dom);
            }
            assert(dom < b);
            changed |= dom != cfg->idom[b];
            cfg->idom[b] = dom;
        }
    }
}

bool lw__cfg_dominates(const struct lw__cfg *cfg, uint32_t a, uint32_t b)
{
    assert(a < cfg->count && b < cfg->count);
    while (b > a)
        b = cfg->idom[b];
    return a == b;
}

bool lw__cfg_runs_before(const struct lw__cfg *cfg, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBasicBlockRef its = LLVMGetInstructionParent(a), here = LLVMGetInstructionParent(b);
    if (its == here) {
        do
            b = LLVMGetPreviousInstruction(b);
        while (b && b != a);
        return b;
    }
    const uint32_t x = lw__cfg_index(cfg, its), y = lw__cfg_index(cfg, here);
    return x != UINT32_MAX && y != UINT32_MAX && lw__cfg_dominates(cfg, x, y);
}

void lw__cfg_flow_on(const struct lw__cfg *g, bool *set)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < g->count; b++)
            EACH_SUCCESSOR(to, g, b)
                if (set[b] && !set[to])
                    set[to] = changed = true;
    }
}

void lw__cfg_flow_back_past(const struct lw__cfg *g, bool *set, const bool *shut)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = (uint32_t)g->count; b-- > 0;)
            for (uint32_t e = g->succ_start[b]; !set[b] && e < g->succ_start[b + 1]; e++)
                changed |= set[b] = set[g->succ[e]] && !(shut && shut[e]);
    }
}

void lw__cfg_flow_back(const struct lw__cfg *g, bool *set)
{
    lw__cfg_flow_back_past(g, set, NULL);
}

LLVMValueRef lw__cfg_condition(const struct lw__cfg *g, uint32_t b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks[b]);
    return LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
}
