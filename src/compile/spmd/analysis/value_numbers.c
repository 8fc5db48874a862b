/* value_numbers.c - numbers the values of the kernel, and finds those that other blocks use. */
#include "compile/spmd/analysis/analysis.h"
#include <stdlib.h>

static size_t find(const struct lw__value_map *map, LLVMValueRef v)
{
    size_t i = (size_t)(((uintptr_t)v >> 4) * 0x9E3779B97F4A7C15u >> 20) & map->mask;
    while (map->slot[i].value && map->slot[i].value != v)
        i = (i + 1) & map->mask;
    return i;
}

uint32_t lw__spmd_value_index(const struct lw__spmd *s, LLVMValueRef v)
{
    size_t i = find(s->values, v);
    return s->values->slot[i].value ? s->values->slot[i].index : UINT32_MAX;
}

static bool crosses(LLVMValueRef v)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(v);
    if (LLVMIsAPHINode(v))
        return true;
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
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

bool lw__spmd_values_build(struct lw__spmd *s)
{
    size_t capacity = 16;
    for (uint32_t b = 0; b < s->cfg.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b]); i;
             i = LLVMGetNextInstruction(i))
            s->value_count += LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
    while (capacity < 2 * s->value_count + 2)
        capacity *= 2;
    s->values = calloc(1, sizeof *s->values + capacity * sizeof s->values->slot[0]);
    s->shapes = calloc(s->value_count + 1, sizeof *s->shapes);
    s->emitted = calloc(s->value_count + 1, sizeof *s->emitted);
    if (!s->values || !s->shapes || !s->emitted)
        return lw__defect("out of memory");
    s->values->mask = capacity - 1;
    uint32_t index = 0;
    for (uint32_t b = 0; b < s->cfg.count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(s->cfg.blocks[b]); i;
             i = LLVMGetNextInstruction(i)) {
            if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
                continue;
            size_t at = find(s->values, i);
            s->values->slot[at].value = i;
            s->values->slot[at].index = index;
            s->emitted[index++].crosses = crosses(i);
        }
    return true;
}

void lw__spmd_values_free(struct lw__spmd *s)
{
    for (size_t k = 0; s->emitted && k < s->value_count; k++) {
        free(s->emitted[k].form);
        free(s->emitted[k].slot);
    }
    free(s->emitted);
    free(s->shapes);
    free(s->values);
}
