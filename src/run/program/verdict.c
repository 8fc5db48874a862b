/* verdict.c - does a launch need guarded code?
 *
 * It does unless all accesses of its kernel are proved to be in bounds (run/proof/). That depends
 * on a few numbers of the launch: its sizes, and what the proof's leaves name. So a kernel keeps
 * the last verdicts by a hash of these numbers; the upper bits of the hash stand for all of it.
 */
#include "run/program/program.h"
#include "run/proof/proof.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4, SETS = LW_VERDICTS / WAYS };

/* Two rounds of a multiplication that keeps both halves: each bit of a number reaches all of the
 * hash. */
static uint64_t mix(uint64_t hash, uint64_t number)
{
    __extension__ typedef unsigned __int128 wide;
    const wide product =
        (wide)(hash ^ UINT64_C(0x9e3779b97f4a7c15)) * (number ^ UINT64_C(0xd6e8feb86659fd93));

    return (uint64_t)product ^ (uint64_t)(product >> 64) ^ number;
}

/* What the launch has for it. Of a pointer the place in its buffer counts, not the address. */
static uint64_t value_of(const struct lw__launch *l, const struct lw_term *leaf)
{
    const size_t at = (size_t)leaf->number;
    const struct lw__object *object = &l->objects[at];
    uint64_t value = 0;

    if (leaf->kind == LW_TERM_ARGUMENT) {
        memcpy(&value, l->args + at, leaf->bits / 8);
    } else if (!object->memory) {
        value = UINT64_MAX;
    } else if (leaf->kind == LW_TERM_SIZE) {
        value = object->bytes;
    } else {
        memcpy(&value, l->args + object->place, sizeof value);
        value -= (uint64_t)(uintptr_t)object->memory;
    }
    return value;
}

bool lw__verdict_has_forms(const lw_program *p)
{
    const struct lw__device_ops *ops = p->device->ops;

    return p->image->proofs && ops->guarded && ops->info.bounds == LW_BOUNDS_DEFAULT;
}

lw_status lw__verdict_open(lw_kernel *k)
{
    const lw_program *p = k->program;
    void *of_code = NULL;

    if (!p->image && p->bounds == LW_WHERE_IT_PAYS)
        LW_TRY(lw__code_symbol(p->code.loaded, "lw.proofs", k->row->name, &of_code));
    k->proofs = of_code;
    if (p->image && lw__verdict_has_forms(p))
        k->proofs = p->image->proofs[k - p->kernels];
    /* Of a kernel that cannot be proved an image has guarded code alone. */
    if (k->proofs && p->bounds != LW_WHERE_IT_PAYS && !k->proofs->is_partial)
        k->proofs = NULL;
    if (!k->proofs)
        return LW_OK;
    const struct lw_term *terms = (const struct lw_term *)(k->proofs->rows + k->proofs->count);
    k->leaves = calloc((size_t)k->proofs->term_count + 1, sizeof *k->leaves);
    if (!k->leaves)
        return lw__fail(LW_E_MEMORY, "out of memory: the proofs of %s", k->row->name);
    for (uint32_t i = 0; i < k->proofs->term_count; i++)
        if (terms[i].kind == LW_TERM_ARGUMENT || terms[i].kind == LW_TERM_START ||
            terms[i].kind == LW_TERM_SIZE)
            k->leaves[k->leaf_count++] = &terms[i];
    return LW_OK;
}

static uint64_t two(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

/* An entry: the hash, whose lowest bit is the verdict, and the next one set. 0: there is none. */
static uint64_t entry_of(uint64_t hash, bool is_proved)
{
    return (hash & ~UINT64_C(3)) | 2 | is_proved;
}

bool lw__verdict_is_fixed(const lw_kernel *k)
{
    return !k->proofs || k->proofs->is_partial;
}

bool lw__verdict_is_guarded(lw_kernel *k, const struct lw__launch *l)
{
    _Atomic uint64_t *set;

    if (lw__verdict_is_fixed(k))
        return k->proofs || k->program->bounds == LW_ALWAYS;
    /* Plain code of CUDA takes indices to be below 2^31 (compile/common/unsigned_indices.c). */
    for (size_t i = 0; lw__is_cuda(k->program) && i < l->object_count; i++)
        if (l->objects[i].bytes > INT32_MAX)
            return true;
    for (size_t i = 0; lw__is_cuda(k->program) && l->reach && i < l->reach->count; i++)
        if (l->reach->objects[i].bytes > INT32_MAX)
            return true;
    assert(l && l->args && l->object_count == k->row->param_count + k->row->symbol_count);
    /* Of all that a proof may use. */
    uint64_t hash = mix(two(l->grid.x, l->grid.y), two(l->grid.z, l->block.z));
    hash = mix(hash, two(l->block.x, l->block.y));
    hash = mix(hash, l->dynamic_bytes);
    for (size_t i = 0; i < k->leaf_count; i++)
        hash = mix(hash, value_of(l, k->leaves[i]));
    set = &k->verdicts[(hash >> 60) % SETS * WAYS];
    for (size_t i = 0; i < WAYS; i++) {
        const uint64_t entry = atomic_load_explicit(&set[i], memory_order_relaxed);

        if (entry >> 2 == hash >> 2 && entry)
            return !(entry & 1);
    }
    bool is_proved = lw__prove_all(l, k->proofs);
    /* Threads may do the same at the same time: an entry is one word, and true whoever wrote it.
     * */
    const uint64_t entry = entry_of(hash, is_proved);
    size_t way = entry >> 2 & (WAYS - 1);
    for (size_t i = 0; i < WAYS; i++)
        if (!atomic_load_explicit(&set[i], memory_order_relaxed))
            way = i;
    atomic_store_explicit(&set[way], entry, memory_order_relaxed);
    return !is_proved;
}
