/* interleaved_fields.c - which loads or stores of one block access the fields of consecutive
 * structs or short vectors; and which loads access one or two
 * CHUNKs of each lane, wherever those are.
 * memory/interleave.c may make them together.
 */
#include "compile/spmd/analysis/analysis.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_MAX = 64, CHUNK = 16 /* bytes */ };

struct field {
    LLVMValueRef access, base;
    int64_t offset;       /* bytes from base */
    int64_t stride, size; /* bytes from lane to lane, where it is constant; of the field */
    int64_t side;         /* fields of a struct */
    bool apart;           /* the lanes' structs are not adjacent */
    LLVMTypeRef type;
    bool taken; /* in a group already, or not interleaved */
};

/* Loads, or stores, of one block that may be reordered. */
struct run {
    uint32_t count;
    struct field fields[RUN_MAX];
};

/* One step from an address to the one that it is a constant offset from. */
static bool step_back(const struct lw__facts *facts, LLVMValueRef *address, int64_t *offset)
{
    LLVMValueRef gep = *address;
    if (!LLVMIsAGetElementPtrInst(gep) || LLVMGetNumOperands(gep) != 2 ||
        !LLVMIsAConstantInt(LLVMGetOperand(gep, 1)))
        return false;
    const uint64_t size = LLVMABISizeOfType(facts->config.data, LLVMGetGEPSourceElementType(gep));
    *offset += (int64_t)size * LLVMConstIntGetSExtValue(LLVMGetOperand(gep, 1));
    *address = LLVMGetOperand(gep, 0);
    return true;
}

/* False: it is no field. */
static bool describe(const struct lw__facts *facts, LLVMValueRef i, struct field *f)
{
    const bool store = LLVMIsAStoreInst(i) != NULL;
    *f = (struct field){.access = i, .base = LLVMGetOperand(i, store)};
    f->type = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    f->size = (int64_t)LLVMABISizeOfType(facts->config.data, f->type);
    if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic ||
        lw__private_scale(facts, f->base) > 1)
        return false;
    const bool is_constant =
        lw__shape_piece_stride(facts, lw__shape_of(facts, f->base), 0, &f->stride);
    f->apart = !is_constant || llabs(f->stride) > LW_FIELDS_MAX * f->size;
    while (step_back(facts, &f->base, &f->offset))
        ;
    f->side = f->apart ? 2 * CHUNK / f->size : f->stride / f->size;
    if (f->apart && (f->side > LW_FIELDS_MAX || facts->config.width < f->side))
        f->side /= 2;
    return (f->apart ? !store : f->stride == f->side * f->size) && f->side >= 2 &&
           f->side <= LW_FIELDS_MAX && (f->side & (f->side - 1)) == 0 &&
           facts->config.width % f->side == 0;
}

static bool is_beside(const struct field *a, const struct field *b)
{
    return a->base == b->base && a->type == b->type && a->stride == b->stride &&
           a->apart == b->apart;
}

static struct field *find(struct run *r, const struct field *first, int64_t offset)
{
    for (uint32_t k = 0; k < r->count; k++)
        if (!r->fields[k].taken && is_beside(&r->fields[k], first) && r->fields[k].offset == offset)
            return &r->fields[k];
    return NULL;
}

static struct field *lowest(struct run *r)
{
    struct field *best = NULL;
    for (uint32_t k = 0; k < r->count; k++)
        if (!r->fields[k].taken && (!best || r->fields[k].offset < best->offset))
            best = &r->fields[k];
    return best;
}

static void end_run(struct lw__facts *facts, struct run *r)
{
    for (struct field *f; (f = lowest(r));) {
        struct field *fields[LW_FIELDS_MAX];
        uint32_t side = (uint32_t)f->side;
        assert(side >= 2 && side <= LW_FIELDS_MAX && facts->config.width % side == 0);
        uint32_t n = 0;
        while (n < side && (fields[n] = find(r, f, f->offset + n * f->size)))
            n++;
        if (f->apart && n < side && n >= CHUNK / f->size)
            n = side = (uint32_t)(CHUNK / f->size);
        f->taken = true;
        for (uint32_t k = 0; n == side && k < side; k++)
            fields[k]->taken = true;
        if (n == side) {
            /* The fields are in block order in the run. */
            struct lw__interleaved row = {.side = side, .apart = f->apart};
            const struct field *leader = fields[0];
            for (uint32_t k = 0; k < side; k++) {
                if (LLVMIsAStoreInst(fields[k]->access) ? fields[k] > leader : fields[k] < leader)
                    leader = fields[k];
                row.fields[k] = fields[k]->access;
            }
            row.first = fields[0]->offset - leader->offset;
            for (uint32_t k = 0; k < side; k++) {
                row.access = fields[k]->access;
                row.leads = fields[k] == leader;
                facts->interleaved =
                    lw__one_more(&facts->config.unit->scratch, facts->interleaved,
                                 facts->interleaved_count, sizeof *facts->interleaved);
                facts->interleaved[facts->interleaved_count++] = row;
            }
        }
    }
    r->count = 0;
}

/* True if stores may be reordered: only with others of their struct. */
static bool continues(const struct run *r, const struct field *f, bool store)
{
    if (r->count == RUN_MAX)
        return false;
    for (uint32_t k = 0; store && k < r->count; k++) {
        const struct field *other = &r->fields[k];
        const int64_t apart = f->offset - other->offset;
        if (!is_beside(other, f) || !apart || apart % f->size || llabs(apart) >= f->side * f->size)
            return false;
    }
    return true;
}

static void add(struct lw__facts *facts, struct run *r, LLVMValueRef i, bool store)
{
    struct field f;
    const bool is_field = describe(facts, i, &f);
    if ((!is_field && store) || (is_field && !continues(r, &f, store)))
        end_run(facts, r);
    if (is_field) {
        assert(r->count < RUN_MAX);
        r->fields[r->count++] = f;
    }
}

/* True if later loads must not move before the instruction. */
static bool ends_loads(LLVMValueRef i)
{
    return lw__ir_may_write(i) || lw__ir_collective(i, NULL);
}

static bool ends_stores(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) || (ends_loads(i) && !LLVMIsAStoreInst(i));
}

static int compare_rows(const void *x, const void *y)
{
    const struct lw__interleaved *a = x, *b = y;
    return ((uintptr_t)a->access > (uintptr_t)b->access) -
           ((uintptr_t)a->access < (uintptr_t)b->access);
}

void lw__spmd_find_interleaved(struct lw__facts *facts)
{
    for (uint32_t b = 0; b < facts->cfg.count; b++) {
        struct run loads = {0}, stores = {0};
        EACH_INSTRUCTION(i, facts->cfg.blocks[b]) {
            if (ends_loads(i))
                end_run(facts, &loads);
            if (ends_stores(i))
                end_run(facts, &stores);
            if (LLVMIsALoadInst(i))
                add(facts, &loads, i, false);
            if (LLVMIsAStoreInst(i))
                add(facts, &stores, i, true);
        }
        end_run(facts, &loads);
        end_run(facts, &stores);
    }
    if (facts->interleaved_count)
        qsort(facts->interleaved, facts->interleaved_count, sizeof *facts->interleaved,
              compare_rows);
}

const struct lw__interleaved *lw__spmd_interleaved(const struct lw__facts *facts,
                                                   LLVMValueRef access)
{
    const struct lw__interleaved key = {.access = access};
    return facts->interleaved_count ? bsearch(&key, facts->interleaved, facts->interleaved_count,
                                              sizeof key, compare_rows)
                                    : NULL;
}
