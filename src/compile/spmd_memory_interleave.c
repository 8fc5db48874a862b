/* spmd_memory_interleave.c - the fields of consecutive structs or short vectors, together.
 *
 * in[i].x, in[i].y, in[i].z, in[i].w, with i the thread, are four loads of a kernel, each with its
 * lanes four elements apart. All of a piece's are one row in memory:
 *
 *     in memory                              after parting
 *     v0: x0 y0 z0 w0 x1 y1 z1 w1 ...        x0 x1 x2 x3 ...
 *     v1: x4 y4 z4 w4 x5 y5 z5 w5 ...        y0 y1 y2 y3 ...
 *     ...                                    ...
 *
 * So as many whole vectors are loaded as there are fields, and parted by log2 of that many rounds
 * of even and odd elements; stores go the other way. Loads are made where the first of a group is,
 * stores where the last is: nothing between the two may notice. Where lanes are masked off each
 * field goes by itself.
 */
#include "compile/spmd_memory.h"
#include <stdlib.h>
#include <string.h>

enum { RUN_MAX = 64 };

struct field {
    LLVMValueRef access, base;
    int64_t offset;       /* bytes behind base */
    int64_t stride, size; /* bytes from lane to lane; of the field */
    LLVMTypeRef type;
    bool taken; /* in a group already, or by itself */
};

/* Loads, or stores, of one block that may change places. */
struct run {
    uint32_t count;
    struct field fields[RUN_MAX];
};

/* ---- which ----------------------------------------------------------------------------------- */

/* One step from an address to what it was made of by a constant. */
static bool step_back(const struct lw__spmd *s, LLVMValueRef *address, int64_t *offset)
{
    LLVMValueRef gep = *address;
    if (!LLVMIsAGetElementPtrInst(gep) || LLVMGetNumOperands(gep) != 2 ||
        !LLVMIsAConstantInt(LLVMGetOperand(gep, 1)))
        return false;
    const uint64_t size = LLVMABISizeOfType(s->data, LLVMGetGEPSourceElementType(gep));
    *offset += (int64_t)size * LLVMConstIntGetSExtValue(LLVMGetOperand(gep, 1));
    *address = LLVMGetOperand(gep, 0);
    return true;
}

static bool is_plain(LLVMValueRef i)
{
    return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

/* False: it is no field. */
static bool describe(const struct lw__spmd *s, LLVMValueRef i, struct field *f)
{
    const bool store = LLVMIsAStoreInst(i) != NULL;
    *f = (struct field){.access = i, .base = LLVMGetOperand(i, store)};
    f->type = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    f->size = (int64_t)LLVMABISizeOfType(s->data, f->type);
    if (!is_plain(i) || lw__private_scale(s, f->base) > 1 ||
        !lw__shape_piece_stride(s, lw__shape_of(s, f->base), 0, &f->stride))
        return false;
    while (step_back(s, &f->base, &f->offset))
        ;
    const int64_t side = f->stride / f->size;
    return f->stride == side * f->size && side >= 2 && side <= LW_FIELDS_MAX &&
           (side & (side - 1)) == 0 && s->width % side == 0;
}

static bool is_beside(const struct field *a, const struct field *b)
{
    return a->base == b->base && a->type == b->type && a->stride == b->stride;
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

/* The fields lie in the run as in the block. */
static bool add_group(struct lw__spmd *s, struct field *const *fields, uint32_t side)
{
    struct lw__interleaved *rows =
        realloc(s->interleaved, (s->interleaved_count + side) * sizeof *rows);
    if (!rows)
        return lw__defect("out of memory");
    s->interleaved = rows;
    struct lw__interleaved row = {.side = side};
    const struct field *leader = fields[0];
    for (uint32_t k = 0; k < side; k++) {
        if (LLVMIsAStoreInst(fields[k]->access) ? fields[k] > leader : fields[k] < leader)
            leader = fields[k];
        row.fields[k] = fields[k]->access;
    }
    for (uint32_t k = 0; k < side; k++) {
        row.access = fields[k]->access;
        row.leads = fields[k] == leader;
        rows[s->interleaved_count++] = row;
    }
    return true;
}

static bool end_run(struct lw__spmd *s, struct run *r)
{
    for (struct field *f; (f = lowest(r));) {
        struct field *fields[LW_FIELDS_MAX];
        const uint32_t side = (uint32_t)(f->stride / f->size);
        uint32_t n = 0;
        while (n < side && (fields[n] = find(r, f, f->offset + n * f->size)))
            n++;
        f->taken = true;
        for (uint32_t k = 0; n == side && k < side; k++)
            fields[k]->taken = true;
        if (n == side && !add_group(s, fields, side))
            return false;
    }
    r->count = 0;
    return true;
}

/* Stores change places with others of their struct only. */
static bool continues(const struct run *r, const struct field *f, bool store)
{
    if (r->count == RUN_MAX)
        return false;
    for (uint32_t k = 0; store && k < r->count; k++) {
        const struct field *other = &r->fields[k];
        const int64_t apart = f->offset - other->offset;
        if (!is_beside(other, f) || !apart || apart % f->size || llabs(apart) >= f->stride)
            return false;
    }
    return true;
}

static bool add(struct lw__spmd *s, struct run *r, LLVMValueRef i, bool store)
{
    struct field f;
    const bool is_field = describe(s, i, &f);
    if ((!is_field && store) || (is_field && !continues(r, &f, store)))
        if (!end_run(s, r))
            return false;
    if (is_field)
        r->fields[r->count++] = f;
    return true;
}

/* Keeps what comes behind it its place against what comes before? */
static bool parts_loads(LLVMValueRef i)
{
    return lw__ir_may_write(i) || lw__ir_collective(i, NULL);
}

static bool parts_stores(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) || (parts_loads(i) && !LLVMIsAStoreInst(i));
}

static bool find_in_block(struct lw__spmd *s, LLVMBasicBlockRef block)
{
    struct run loads = {0}, stores = {0};
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (parts_loads(i) && !end_run(s, &loads))
            return false;
        if (parts_stores(i) && !end_run(s, &stores))
            return false;
        if (LLVMIsALoadInst(i) && !add(s, &loads, i, false))
            return false;
        if (LLVMIsAStoreInst(i) && !add(s, &stores, i, true))
            return false;
    }
    return end_run(s, &loads) && end_run(s, &stores);
}

static int compare_rows(const void *x, const void *y)
{
    const struct lw__interleaved *a = x, *b = y;
    return ((uintptr_t)a->access > (uintptr_t)b->access) -
           ((uintptr_t)a->access < (uintptr_t)b->access);
}

bool lw__spmd_find_interleaved(struct lw__spmd *s)
{
    for (uint32_t b = 0; b < s->cfg.count; b++)
        if (!find_in_block(s, s->cfg.blocks[b]))
            return false;
    if (s->interleaved_count)
        qsort(s->interleaved, s->interleaved_count, sizeof *s->interleaved, compare_rows);
    return true;
}

/* ---- code ------------------------------------------------------------------------------------ */

enum half { LOWER, UPPER };

/* The even or odd elements of a followed by b. */
static LLVMValueRef part(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b, int odd)
{
    int indices[LW_LANES_MAX];
    for (int l = 0; l < (int)s->width; l++)
        indices[l] = 2 * l + odd;
    return lw__spmd_shuffle(s, a, b, indices, s->width);
}

/* Elements of a and b in turns: those of their lower or upper halves. */
static LLVMValueRef join(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b, enum half half)
{
    int indices[LW_LANES_MAX], width = (int)s->width;
    for (int l = 0; l < width; l++)
        indices[l] = l / 2 + (half == UPPER ? width / 2 : 0) + (l % 2 ? width : 0);
    return lw__spmd_shuffle(s, a, b, indices, s->width);
}

static void part_all(struct lw__spmd *s, LLVMValueRef *v, uint32_t side)
{
    LLVMValueRef next[LW_FIELDS_MAX];
    for (uint32_t round = 1; round < side; round *= 2) {
        for (uint32_t k = 0; k < side / 2; k++) {
            next[k] = part(s, v[2 * k], v[2 * k + 1], 0);
            next[side / 2 + k] = part(s, v[2 * k], v[2 * k + 1], 1);
        }
        memcpy(v, next, side * sizeof *v);
    }
}

static void join_all(struct lw__spmd *s, LLVMValueRef *v, uint32_t side)
{
    LLVMValueRef next[LW_FIELDS_MAX];
    for (uint32_t round = 1; round < side; round *= 2) {
        for (uint32_t k = 0; k < side / 2; k++) {
            next[2 * k] = join(s, v[k], v[k + side / 2], LOWER);
            next[2 * k + 1] = join(s, v[k], v[k + side / 2], UPPER);
        }
        memcpy(v, next, side * sizeof *v);
    }
}

/* Where vector k of the row lies, and how it is aligned there. */
static LLVMValueRef vector_address(struct lw__spmd *s, const struct lw__access *first, uint32_t k,
                                   unsigned *align)
{
    LLVMValueRef base = lw__spmd_base(s, first->address, first->piece);
    const int64_t bytes = (int64_t)k * s->width * first->size, low = bytes & -bytes;
    *align = bytes && low < first->align ? (unsigned)low : first->align;
    return bytes ? lw__spmd_bytes_on(s, base, lw__spmd_const64(s, bytes)) : base;
}

static void load_fields(struct lw__spmd *s, const struct lw__access *fields, uint32_t side)
{
    LLVMValueRef v[LW_FIELDS_MAX];
    LLVMTypeRef type = LLVMVectorType(fields[0].moved, s->width);
    for (uint32_t k = 0; k < side; k++) {
        unsigned align;
        LLVMValueRef address = vector_address(s, &fields[0], k, &align);
        v[k] = LLVMBuildLoad2(s->b, type, address, "");
        LLVMSetAlignment(v[k], align);
    }
    part_all(s, v, side);
    for (uint32_t k = 0; k < side; k++)
        lw__access_set(s, &fields[k], v[k]);
}

static void store_fields(struct lw__spmd *s, const struct lw__access *fields, uint32_t side)
{
    LLVMValueRef v[LW_FIELDS_MAX];
    for (uint32_t k = 0; k < side; k++) {
        LLVMValueRef value = LLVMGetOperand(fields[k].instruction, 0);
        v[k] = lw__access_moved(s, &fields[k], lw__spmd_vector(s, value, fields[k].piece));
    }
    join_all(s, v, side);
    for (uint32_t k = 0; k < side; k++) {
        unsigned align;
        LLVMValueRef address = vector_address(s, &fields[0], k, &align);
        LLVMSetAlignment(LLVMBuildStore(s->b, v[k], address), align);
    }
}

/* Do all lanes run it, each one struct further? */
static bool is_row(const struct lw__spmd *s, const struct lw__access *a, uint32_t side)
{
    if (a->mask || a->count != s->width || !a->constant)
        return false;
    for (uint32_t l = 0; l < s->width; l++)
        if (a->distance[l] != (int64_t)l * side * a->size)
            return false;
    return true;
}

bool lw__access_interleaved(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef mask)
{
    struct lw__access fields[LW_FIELDS_MAX];
    const struct lw__interleaved key = {.access = a->instruction}, *row = NULL;
    if (s->interleaved_count)
        row = bsearch(&key, s->interleaved, s->interleaved_count, sizeof key, compare_rows);
    if (!row || !is_row(s, a, row->side))
        return false;
    if (!row->leads)
        return true;
    for (uint32_t k = 0; k < row->side; k++) {
        if (!lw__access_describe(s, row->fields[k], &fields[k]))
            return true; /* refused */
        lw__access_lanes(s, fields[k].address, a->piece, mask, &fields[k]);
    }
    if (LLVMIsAStoreInst(a->instruction))
        store_fields(s, fields, row->side);
    else
        load_fields(s, fields, row->side);
    return true;
}
