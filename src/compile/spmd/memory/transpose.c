/* transpose.c - loads and stores of pieces whose columns are adjacent.
 *
 * Threads of out[y][x] = tile[x][y] go down a column. The lanes of a piece are rows apart, and the
 * next piece has the next column. So four pieces of floats have the four elements of one row in 16
 * bytes. Instead of a gather for each piece:
 *
 *     rows in memory            after loading           after transposing
 *     row 0: p0 p1 p2 p3        v0: row 0 | row 4 ...   p0: row 0 1 2 3 | 4 5 6 7 ...
 *     row 1: p0 p1 p2 p3        v1: row 1 | row 5 ...   p1: row 0 1 2 3 | 4 5 6 7 ...
 *     ...                       ...                     ...
 *
 * 16 bytes are loaded per row, then shuffled within 16 bytes; stores do the reverse. This is done
 * on two conditions: all lanes of these pieces run; one piece alone would be a gather or a scatter.
 */
#include "compile/spmd/memory/memory.h"
#include "compile/spmd/analysis/analysis.h"
#include "compile/spmd/emit/emit.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNK = LW_CHUNK, SIDE_MAX = LW_CHUNK };

/* The accesses of all pieces. together[0 ... count) is the current group of `side` pieces with
 * adjacent elements, from left to right. */
struct transpose {
    struct lw__access *pieces;
    uint32_t side, count;
    uint32_t together[LW_SPMD_PIECES_MAX];
    bool taken[LW_SPMD_PIECES_MAX]; /* in a group already, or by itself */
};

/* ---- which pieces ---------------------------------------------------------------------------- */

static bool is_whole(const struct lw__spmd *s, const struct lw__access *a)
{
    return !a->mask && a->count == s->width && a->constant && !a->is_volatile &&
           a->ordering == LLVMAtomicOrderingNotAtomic && !lw__access_has_windows(s, a);
}

/* True if piece q's element in each row is n elements after piece p's. */
static bool is_behind(const struct lw__spmd *s, const struct transpose *t, const int64_t *lanes,
                      uint32_t p, uint32_t q, uint32_t n)
{
    const struct lw__access *a = &t->pieces[p], *b = &t->pieces[q];
    return !t->taken[q] &&
           lanes[q * s->width] - lanes[p * s->width] == (int64_t)n * (int64_t)a->size &&
           !memcmp(a->distance, b->distance, s->width * sizeof *a->distance);
}

static bool take_from(const struct lw__spmd *s, struct transpose *t, const int64_t *lanes,
                      uint32_t p)
{
    uint32_t *row = t->together + t->count, n = 1;
    row[0] = p;
    for (uint32_t q = 0; q < s->pieces && n < t->side; q++)
        if (is_behind(s, t, lanes, p, q, n)) {
            row[n++] = q;
            q = UINT32_MAX; /* the next may be any piece */
        }
    if (n < t->side)
        return false;
    for (uint32_t k = 0; k < n; k++)
        t->taken[row[k]] = true;
    t->count += n;
    return true;
}

/* True if rows of a store would overlap. */
static bool rows_overlap(const struct lw__spmd *s, const struct lw__access *a)
{
    for (uint32_t l = 0; l < s->width; l++)
        for (uint32_t m = 0; m < l; m++)
            if (llabs(a->distance[l] - a->distance[m]) < CHUNK)
                return true;
    return false;
}

static void find_groups(const struct lw__spmd *s, struct transpose *t, LLVMValueRef address,
                        bool store)
{
    const struct lw__value_shape shape = lw__shape_of(s->facts, address);
    const unsigned size = t->pieces[0].size;
    t->side = CHUNK / size;
    if (shape.kind != LW_SHAPE_OFFSET || !shape.lanes || t->side < 2 || s->width % t->side)
        return;
    for (uint32_t p = 0; p < s->pieces; p++)
        t->taken[p] = !is_whole(s, &t->pieces[p]) || (store && rows_overlap(s, &t->pieces[p]));
    /* leftmost first: a piece in the middle of a row must not start a group */
    for (bool found = true; found;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t p = 0; p < s->pieces; p++)
            if (!t->taken[p] &&
                (best == UINT32_MAX || shape.lanes[p * s->width] < shape.lanes[best * s->width]))
                best = p;
        found = best != UINT32_MAX;
        if (found && !take_from(s, t, shape.lanes, best))
            t->taken[best] = true; /* by itself */
    }
}

static bool describe_pieces(struct lw__spmd *s, LLVMValueRef i, lw__mask mask, struct transpose *t)
{
    memset(t, 0, sizeof *t);
    t->pieces = lw__new(&s->unit->scratch, s->pieces, sizeof *t->pieces);
    for (uint32_t p = 0; p < s->pieces; p++) {
        if (!lw__access_describe(s, i, &t->pieces[p]))
            return false;
        lw__access_lanes(s, t->pieces[p].address, p, mask[p], &t->pieces[p]);
    }
    find_groups(s, t, t->pieces[0].address, LLVMIsAStoreInst(i));
    return true;
}

/* ---- code ------------------------------------------------------------------------------------ */

static LLVMValueRef row_address(struct lw__spmd *s, const struct lw__access *a, uint32_t l)
{
    LLVMValueRef base = lw__spmd_base(s, a->address, a->piece);
    return a->distance[l] ? lw__spmd_bytes_on(s, base, lw__spmd_const64(s, a->distance[l])) : base;
}

static void load_together(struct lw__spmd *s, const struct transpose *t, const uint32_t *row)
{
    const struct lw__access *first = &t->pieces[row[0]];
    LLVMValueRef rows[LW_LANES_MAX], v[SIDE_MAX];
    for (uint32_t l = 0; l < s->width; l++)
        rows[l] = row_address(s, first, l);
    lw__chunks_load(s, first, rows, t->side, v);
    for (uint32_t k = 0; k < t->side; k++)
        lw__access_set(s, &t->pieces[row[k]], v[k]);
}

bool lw__memory_can_transpose(struct lw__spmd *s, LLVMValueRef i, lw__mask mask)
{
    const struct lw__arena_mark before = lw__arena_mark(&s->unit->scratch);
    struct transpose t;
    const bool found = describe_pieces(s, i, mask, &t) && t.count;
    lw__arena_release(&s->unit->scratch, before);
    return found;
}

bool lw__memory_transpose(struct lw__spmd *s, LLVMValueRef i, lw__mask mask)
{
    struct transpose t;
    const bool ok = describe_pieces(s, i, mask, &t), store = LLVMIsAStoreInst(i) != NULL;
    bool done[LW_SPMD_PIECES_MAX] = {false};
    for (uint32_t k = 0; ok && k < t.count; k += t.side) {
        if (store) {
            const uint32_t *row = t.together + k;
            const struct lw__access *a = &t.pieces[row[0]];
            LLVMValueRef v[SIDE_MAX];
            int indices[SIDE_MAX];
            for (uint32_t k = 0; k < t.side; k++)
                v[k] = lw__access_moved(s, a, lw__spmd_vector(s, LLVMGetOperand(i, 0), row[k]));
            lw__chunks_transpose(s, v, t.side);
            for (uint32_t l = 0; l < s->width; l++) {
                for (uint32_t e = 0; e < t.side; e++)
                    indices[e] = (int)(l / t.side * t.side + e);
                LLVMValueRef part = v[l % t.side];
                part = lw__spmd_shuffle(s, part, part, indices, t.side);
                LLVMSetAlignment(LLVMBuildStore(s->builder, part, row_address(s, a, l)), a->size);
            }
        } else {
            load_together(s, &t, t.together + k);
        }
        for (uint32_t n = 0; n < t.side; n++)
            done[t.together[k + n]] = true;
    }
    for (uint32_t p = 0; ok && p < s->pieces; p++)
        if (!done[p] && !(store ? lw__spmd_store : lw__spmd_load)(s, i, p, mask[p]))
            break;
    return ok && !s->failed;
}
