/* value_numbers.c - numbers the values of the kernel, and finds those that other blocks use. */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>

static size_t find(const struct lw__value_map *map, LLVMValueRef v)
{
    size_t i = (size_t)(((uintptr_t)v >> 4) * 0x9E3779B97F4A7C15u >> 20) & map->mask;
    while (map->slot[i].value && map->slot[i].value != v)
        i = (i + 1) & map->mask;
    return i;
}

uint32_t lw__spmd_value_index(const struct lw__facts *facts, LLVMValueRef v)
{
    size_t i = find(facts->values, v);
    return facts->values->slot[i].value ? facts->values->slot[i].index : UINT32_MAX;
}

static bool crosses(LLVMValueRef v)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(v);
    if (LLVMIsAPHINode(v))
        return true;
    EACH_USE(u, v) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAPHINode(user)) {
            if (LLVMGetInstructionParent(user) != home)
                return true;
            continue;
        }
        for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
            if (LLVMGetIncomingValue(user, k) == v && LLVMGetIncomingBlock(user, k) != home)
                return true;
    }
    return false;
}

void lw__spmd_values_build(struct lw__facts *facts)
{
    size_t capacity = 16;
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        EACH_INSTRUCTION(i, facts->cfg.blocks[b])
            facts->value_count += LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
    while (capacity < 2 * facts->value_count + 2)
        capacity *= 2;
    struct lw__arena *arena = &facts->config.unit->scratch;
    facts->values =
        lw__new(arena, 1, sizeof *facts->values + capacity * sizeof facts->values->slot[0]);
    facts->shapes = lw__new(arena, facts->value_count + 1, sizeof *facts->shapes);
    facts->uses = lw__new(arena, facts->value_count + 1, sizeof *facts->uses);
    facts->values->mask = capacity - 1;
    uint32_t index = 0;
    for (uint32_t b = 0; b < facts->cfg.count; b++)
        EACH_INSTRUCTION(i, facts->cfg.blocks[b]) {
            if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
                continue;
            size_t at = find(facts->values, i);
            facts->values->slot[at].value = i;
            facts->values->slot[at].index = index;
            facts->uses[index++].crosses = crosses(i);
        }
    assert(index == facts->value_count);
}
