/* strided.c - lanes at constant distances, accessed by few vectors and permuted.
 *
 * A window is a row of consecutive elements. Windows cover the lanes' elements by one of two plans:
 *     runs    every element of a window belongs to a lane: rows in any order, backwards, as the
 *             rows of a 2-D block are. If lanes share an element, the last has it in the last
 *             window, so it stores last.
 *     cover   as few windows of up to `width` elements as reach all: every 2nd to 4th element,
 *             elements that lanes share. If all lanes that run it are known, a load includes the
 *             elements between two that lanes address: they are in the same object.
 *             Otherwise, and in stores, a mask excludes them.
 */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/emit/emit.h"
#include <assert.h>

enum { WINDOWS_MAX = 4 };

struct window {
    int64_t first; /* in elements from lane 0's */
    uint32_t count;
    int lane[LW_LANES_MAX]; /* element -> lane, -1: none */
};

struct plan {
    uint32_t count;
    bool gaps, shared; /* elements that no lane has, that several have */
    struct window windows[WINDOWS_MAX];
    int window[LW_LANES_MAX];  /* lane -> its window, or -1, */
    int element[LW_LANES_MAX]; /* and where in it */
};

/* The active lane with the lowest element that is in no window yet; -1: none is left. */
static int lowest_left(const struct lw__spmd *s, const struct lw__access *a,
                       const struct plan *plan)
{
    int lowest = -1;
    for (uint32_t l = 0; l < s->width; l++)
        if (a->active[l] && plan->window[l] < 0 &&
            (lowest < 0 || a->distance[l] < a->distance[lowest]))
            lowest = (int)l;
    return lowest;
}

/* Add windows until no lane is left; `cover`, else runs. */
static bool lay(const struct lw__spmd *s, const struct lw__access *a, bool cover, struct plan *plan)
{
    plan->count = 0;
    plan->gaps = plan->shared = false;
    for (uint32_t l = 0; l < LW_LANES_MAX; l++)
        plan->window[l] = -1;
    for (uint32_t l = 0; l < s->width; l++)
        if (a->active[l] && a->distance[l] % (int64_t)a->size)
            return false;
    struct window *w = NULL;
    for (int l; (l = lowest_left(s, a, plan)) >= 0;) {
        int64_t e = a->distance[l] / (int64_t)a->size, at = w ? e - w->first : 0;
        if (!w || (cover ? at >= s->width : at != w->count)) {
            if (plan->count == WINDOWS_MAX)
                return false;
            w = &plan->windows[plan->count++];
            *w = (struct window){.first = e};
            at = 0;
        }
        assert(at >= 0 && at < LW_LANES_MAX);
        plan->shared |= at < w->count;
        plan->gaps |= at > w->count;
        while (w->count <= at)
            w->lane[w->count++] = -1;
        w->lane[at] = l;
        plan->window[l] = (int)plan->count - 1;
        plan->element[l] = (int)at;
    }
    return cover || plan->count * 2 <= a->count; /* else most windows have one lane */
}

static uint32_t power_from(uint32_t count)
{
    uint32_t power = 1;
    while (power < count)
        power *= 2;
    return power;
}

/* Widen where a mask excludes the added elements. */
static void widen_masked(struct plan *plan)
{
    for (uint32_t j = 0; j < plan->count; j++) {
        struct window *w = &plan->windows[j];
        for (uint32_t power = power_from(w->count); w->count < power;)
            w->lane[w->count++] = -1;
    }
}

/* True if masked loads and stores of the elements exist. LLVM otherwise makes a branch per lane.
 * Then a gather or scatter is better, whose masked-off lanes use s->dummy. */
static bool has_masks(const struct lw__spmd *s, const struct lw__access *a)
{
    return lw__has(s->unit, LW_HAS_MASK_REGISTERS) ||
           (lw__has(s->unit, LW_HAS_MASKED_WORDS) && a->size >= 4);
}

/* ---- code ------------------------------------------------------------------------------------ */

static LLVMValueRef permute(struct lw__spmd *s, LLVMValueRef a, LLVMValueRef b, const int *indices,
                            uint32_t count)
{
    LLVMValueRef list[LW_LANES_MAX];
    bool same = count == LLVMGetVectorSize(LLVMTypeOf(a));
    for (uint32_t l = 0; l < count; l++) {
        list[l] = indices[l] < 0 ? LLVMGetPoison(s->i32) : lw__spmd_const32(s, indices[l]);
        same &= indices[l] == (int)l;
    }
    if (same)
        return a;
    return LLVMBuildShuffleVector(s->builder, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(list, count), "");
}

/* The address of an element, counted from lane 0's. */
static LLVMValueRef element_address(struct lw__spmd *s, const struct lw__access *a, int64_t element,
                                    unsigned *align)
{
    LLVMValueRef base = lw__spmd_base(s, a->address, a->piece);
    int64_t bytes = element * (int64_t)a->size, low = bytes & -bytes;
    *align = bytes && low < a->align ? (unsigned)low : a->align;
    return bytes ? lw__spmd_bytes_on(s, base, lw__spmd_const64(s, bytes)) : base;
}

/* The elements of a window that are accessed; NULL: all. */
static LLVMValueRef window_mask(struct lw__spmd *s, const struct lw__access *a,
                                const struct window *w, bool gaps)
{
    LLVMValueRef bits[LW_LANES_MAX];
    int indices[LW_LANES_MAX];
    if (!a->mask && !gaps)
        return NULL;
    for (uint32_t e = 0; e < w->count; e++) {
        bits[e] = LLVMConstInt(s->i1, w->lane[e] >= 0, false);
        indices[e] = w->lane[e] >= 0 ? w->lane[e] : (int)s->width; /* a lane of the zeros */
    }
    if (!a->mask)
        return LLVMConstVector(bits, w->count);
    return permute(s, a->mask, LLVMConstNull(LLVMTypeOf(a->mask)), indices, w->count);
}

static LLVMValueRef widened(struct lw__spmd *s, LLVMValueRef vector)
{
    int indices[LW_LANES_MAX];
    int count = (int)LLVMGetVectorSize(LLVMTypeOf(vector));
    for (int l = 0; l < (int)s->width; l++)
        indices[l] = l < count ? l : -1;
    return permute(s, vector, NULL, indices, s->width);
}

/* One element is loaded as a scalar: SROA makes a cast of <1 x ptr> to ptr, which LLVM 19's
 * instcombine treats as a no-op. */
static LLVMValueRef load_elements(struct lw__spmd *s, const struct lw__access *a, int64_t first,
                                  uint32_t count, LLVMValueRef mask)
{
    unsigned align;
    LLVMValueRef address = element_address(s, a, first, &align);
    LLVMTypeRef type = LLVMVectorType(a->moved, count);
    if (mask) {
        LLVMTypeRef types[2] = {type, s->ptr};
        LLVMValueRef args[4] = {address, lw__spmd_const32(s, align), mask, LLVMConstNull(type)};
        LLVMValueRef some =
            lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_load, types, args, 4);
        return widened(s, some);
    }
    const bool is_scalar = count == 1 && lw__works_around(s->unit, LW_AROUND_one_pointer);
    LLVMValueRef load = LLVMBuildLoad2(s->builder, is_scalar ? a->moved : type, address, "");
    LLVMSetAlignment(load, align);
    LLVMSetVolatile(load, a->is_volatile);
    if (!is_scalar)
        return widened(s, load);
    LLVMValueRef none = LLVMGetPoison(LLVMVectorType(a->moved, s->width));
    return LLVMBuildInsertElement(s->builder, none, load, lw__spmd_const32(s, 0), "");
}

/* Always powers of two: LLVM splits other counts, and crashes on some (its x86 combine of shuffles
 * from 7 shorts). So there are two loads, and the second may overlap the first. */
static LLVMValueRef load_window(struct lw__spmd *s, const struct lw__access *a,
                                const struct window *w)
{
    LLVMValueRef mask = window_mask(s, a, w, false);
    assert(w->count && w->count <= s->width);
    uint32_t power = power_from(w->count);
    if (power == w->count)
        return load_elements(s, a, w->first, w->count, mask);
    power /= 2;
    LLVMValueRef value = load_elements(s, a, w->first, power, NULL);
    for (uint32_t done = power; done < w->count; done += power) {
        while (a->is_volatile && done + power > w->count)
            power /= 2;
        uint32_t again = done + power > w->count ? done + power - w->count : 0;
        int indices[LW_LANES_MAX];
        for (uint32_t l = 0; l < s->width; l++)
            indices[l] = l < done                   ? (int)l
                         : l < done + power - again ? (int)(s->width + again + l - done)
                                                    : -1;
        LLVMValueRef part = load_elements(s, a, w->first + done - again, power, NULL);
        value = permute(s, value, part, indices, s->width);
    }
    return value;
}

bool lw__access_has_windows(const struct lw__spmd *s, const struct lw__access *a)
{
    struct plan plan;
    return lay(s, a, false, &plan) || lay(s, a, true, &plan);
}

LLVMValueRef lw__access_load_windows(struct lw__spmd *s, const struct lw__access *a)
{
    struct plan runs;
    bool can_run = lay(s, a, false, &runs);
    struct plan cover;
    bool can_cover = !a->is_volatile && lay(s, a, true, &cover);
    if (a->mask) {
        can_run = can_run && !a->is_volatile && has_masks(s, a); /* no masked load is volatile */
        can_cover = can_cover && !cover.shared && has_masks(s, a);
    }
    if (!can_run && !can_cover)
        return NULL;
    struct plan *plan = can_run && (!can_cover || runs.count <= cover.count) ? &runs : &cover;
    if (a->mask)
        widen_masked(plan);
    else if (plan == &cover) {
        /* Widen loads to a number of elements that machines have vectors of, within all
         * elements. */
        const struct window *last = &plan->windows[plan->count - 1];
        int64_t low = plan->windows[0].first, high = last->first + last->count - 1;
        for (uint32_t j = 0; j < plan->count; j++) {
            struct window *w = &plan->windows[j];
            uint32_t power = power_from(w->count);
            int64_t back = w->first + power - 1 - high;
            if (back < 0)
                back = 0;
            if (w->first - back < low)
                continue;
            w->first -= back;
            w->count = power;
            for (uint32_t l = 0; l < LW_LANES_MAX; l++)
                if (plan->window[l] == (int)j)
                    plan->element[l] += (int)back;
        }
    }
    /* Each window is merged into the lanes that have elements in it. */
    LLVMValueRef value = load_window(s, a, &plan->windows[0]);
    int indices[LW_LANES_MAX], width = (int)s->width;
    for (int l = 0; l < width; l++)
        if (!a->active[l]) { /* any value but poison */
            plan->window[l] = plan->window[a->first];
            plan->element[l] = plan->element[a->first];
        }
    if (plan->count == 1)
        return permute(s, value, NULL, plan->element, s->width);
    for (int j = 1; j < (int)plan->count; j++) {
        for (int l = 0; l < width; l++) {
            int before = j == 1 ? plan->element[l] : l;
            indices[l] = plan->window[l] == j  ? width + plan->element[l]
                         : plan->window[l] < j ? before
                                               : -1;
        }
        LLVMValueRef next = load_window(s, a, &plan->windows[j]);
        value = permute(s, value, next, indices, s->width);
    }
    return value;
}

bool lw__access_store_windows(struct lw__spmd *s, const struct lw__access *a, LLVMValueRef value)
{
    if (a->mask && (a->is_volatile || !has_masks(s, a))) /* no masked store is volatile */
        return false;
    struct plan plan;
    if (!lay(s, a, false, &plan) &&
        (a->is_volatile || !has_masks(s, a) || !lay(s, a, true, &plan) || (a->mask && plan.shared)))
        return false;
    if (a->mask || plan.gaps)
        widen_masked(&plan);
    for (uint32_t j = 0; j < plan.count; j++) {
        const struct window *w = &plan.windows[j];
        unsigned align;
        LLVMValueRef address = element_address(s, a, w->first, &align);
        LLVMValueRef mask = window_mask(s, a, w, plan.gaps);
        assert(mask || !plan.gaps);
        const bool is_scalar = w->count == 1 && lw__works_around(s->unit, LW_AROUND_one_pointer);
        LLVMValueRef part =
            is_scalar && !mask
                ? LLVMBuildExtractElement(s->builder, value, lw__spmd_const32(s, w->lane[0]), "")
                : permute(s, value, NULL, w->lane, w->count);
        if (!mask) {
            LLVMValueRef store = LLVMBuildStore(s->builder, part, address);
            LLVMSetAlignment(store, align);
            LLVMSetVolatile(store, a->is_volatile);
            continue;
        }
        LLVMTypeRef types[2] = {LLVMTypeOf(part), s->ptr};
        LLVMValueRef args[4] = {part, address, lw__spmd_const32(s, align), mask};
        lw__llvm_intrinsic(s->builder, s->module, LW_LLVM_masked_store, types, args, 4);
    }
    return true;
}
