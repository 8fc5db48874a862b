/* loops.c - the loops of a control flow graph, reducible or not.
 *
 * A loop is a strongly connected component. Its header is the block through which it is entered. If
 * several are (a jump into a loop), it is the first of the component in source order.
 * lw__loops_build_by_text also takes that one if a statement begins there which is only jumped
 * into. After removing the edges to the header, the strongly connected components inside are the
 * inner loops. In a reducible graph these are the natural loops.
 * source   Steensgaard, "Sequentializing Program Dependence Graphs", 1993 (the nest);
 *          Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972 (the components)
 */
#include "compile/ir/ir.h"
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

struct search {
    const struct lw__cfg *cfg;
    struct lw__loops *loops;
    bool by_text;
    bool *cut;      /* headers whose incoming edges from their own loop are cut */
    int *component; /* region id of a block; blocks of other regions do not exist */
    uint32_t *order, *low, *stack, *frame, *edge;
    bool *on_stack;
    uint32_t next, depth;
};

static bool edge_exists(const struct search *s, int region, uint32_t from, uint32_t to)
{
    (void)from;
    return s->component[to] == region && !s->cut[to];
}

static bool enters(const struct lw__cfg *g, const bool *body, uint32_t b)
{
    EACH_PREDECESSOR(from, g, b)
        if (!body[from])
            return true;
    return false;
}

/* The only entry, else the first block in source order. */
static uint32_t choose_header(const struct search *s, const bool *body)
{
    const struct lw__cfg *g = s->cfg;
    uint32_t entry = UINT32_MAX, first = UINT32_MAX, entries = 0;
    for (uint32_t b = 0; b < g->count; b++) {
        if (!body[b])
            continue;
        if (enters(g, body, b)) {
            entry = b;
            entries++;
        }
        if (first == UINT32_MAX || g->layout[b] < g->layout[first])
            first = b;
    }
    return entries == 1 && !(s->by_text && lw__text_begins_loop(g->blocks[first])) ? entry : first;
}

static void open_block(struct search *s, uint32_t b)
{
    s->order[b] = s->low[b] = ++s->next;
    s->stack[s->depth++] = b;
    s->on_stack[b] = true;
}

/* Tarjan's search from `root`, without recursion: frame[] is the path, edge[] where each is. */
static void components_from(struct search *s, int region, uint32_t root)
{
    const struct lw__cfg *g = s->cfg;
    uint32_t top = 0, *edge = s->edge;
    open_block(s, root);
    s->frame[top++] = root;
    edge[root] = g->succ_start[root];
    while (top) {
        uint32_t b = s->frame[top - 1];
        if (edge[b] < g->succ_start[b + 1]) {
            uint32_t t = g->succ[edge[b]++];
            if (!edge_exists(s, region, b, t))
                continue;
            if (!s->order[t]) {
                open_block(s, t);
                s->frame[top++] = t;
                edge[t] = g->succ_start[t];
            } else if (s->on_stack[t] && s->order[t] < s->low[b]) {
                s->low[b] = s->order[t];
            }
            continue;
        }
        top--;
        if (top && s->low[b] < s->low[s->frame[top - 1]])
            s->low[s->frame[top - 1]] = s->low[b];
        if (s->low[b] == s->order[b]) {
            /* The component that ends at its root b: a loop if it has a cycle. */
            uint32_t end = s->depth;
            bool cycle = false;
            do
                s->on_stack[s->stack[--s->depth]] = false;
            while (s->stack[s->depth] != b);
            EACH_SUCCESSOR(to, s->cfg, b)
                cycle |= to == b && edge_exists(s, region, b, b);
            cycle |= end - s->depth > 1;
            if (cycle) {
                const uint32_t *blocks = s->stack + s->depth;
                uint32_t count = end - s->depth;
                struct lw__loops *loops = s->loops;
                struct lw__arena *arena = s->cfg->arena;
                bool *body = lw__new(arena, 2 * s->cfg->count, sizeof *body),
                     *back = body + s->cfg->count;
                loops->loops =
                    lw__one_more(arena, loops->loops, loops->count, sizeof *loops->loops);
                for (uint32_t i = 0; i < count; i++)
                    body[blocks[i]] = back[blocks[i]] = true;
                loops->loops[loops->count++] =
                    (struct lw__loop){choose_header(s, body), body, back, count, -1, false};
                assert(body[loops->loops[loops->count - 1].header]);
            }
        }
    }
}

/* All loops of a region: the whole function if body is NULL, else a loop without its back edges. */
static void components(struct search *s, int region, const bool *body)
{
    const uint32_t n = (uint32_t)s->cfg->count;
    for (uint32_t b = 0; b < n; b++) {
        s->component[b] = !body || body[b] ? region : -1;
        s->order[b] = 0;
    }
    for (uint32_t b = 0; b < n; b++)
        if (s->component[b] == region && !s->order[b])
            components_from(s, region, b);
}

static void build(const struct lw__cfg *cfg, struct lw__loops *loops, bool by_text)
{
    const size_t n = cfg->count;
    struct search s = {.cfg = cfg,
                       .loops = loops,
                       .by_text = by_text,
                       .cut = lw__new(cfg->arena, n, sizeof *s.cut),
                       .component = lw__new(cfg->arena, n, sizeof *s.component),
                       .order = lw__new(cfg->arena, 5 * n, sizeof *s.order),
                       .on_stack = lw__new(cfg->arena, n, sizeof *s.on_stack)};
    s.low = s.order + n;
    s.stack = s.low + n;
    s.frame = s.stack + n;
    s.edge = s.frame + n;
    *loops = (struct lw__loops){0};
    components(&s, 0, NULL);
    for (size_t i = 0; i < s.loops->count; i++) { /* grows as inner loops are found */
        uint32_t header = s.loops->loops[i].header;
        s.cut[header] = true;
        components(&s, (int)i + 1, s.loops->loops[i].body);
        s.cut[header] = false;
    }
    lw__loops_nest(loops);
}

void lw__loops_build(const struct lw__cfg *cfg, struct lw__loops *loops)
{
    build(cfg, loops, false);
}

void lw__loops_build_by_text(const struct lw__cfg *cfg, struct lw__loops *loops)
{
    build(cfg, loops, true);
}

bool lw__loops_is_side_entry(const struct lw__cfg *cfg, const struct lw__loop *loop, uint32_t b)
{
    return loop->body[b] && b != loop->header && enters(cfg, loop->body, b);
}

const struct lw__loop *lw__loops_jumped_into(const struct lw__cfg *cfg,
                                             const struct lw__loops *loops)
{
    for (size_t k = 0; k < loops->count; k++)
        for (uint32_t b = 0; b < cfg->count; b++)
            if (lw__loops_is_side_entry(cfg, &loops->loops[k], b))
                return &loops->loops[k];
    return NULL;
}

/* Add a block and all that lead to it, up to what the loop has already. */
void lw__loops_grow(const struct lw__cfg *cfg, struct lw__loop *loop, uint32_t block)
{
    const struct lw__arena_mark mark = lw__arena_mark(cfg->arena);
    uint32_t *todo = lw__new(cfg->arena, cfg->count + 1, sizeof *todo);
    size_t n = 0;
    if (!loop->body[block]) {
        loop->body[block] = true;
        todo[n++] = block;
    }
    while (n) {
        uint32_t b = todo[--n];
        loop->size++;
        assert(loop->size <= cfg->count);
        EACH_PREDECESSOR(p, cfg, b) {
            if (!loop->body[p]) {
                loop->body[p] = true;
                todo[n++] = p;
            }
        }
    }
    lw__arena_release(cfg->arena, mark);
}

/* The parent is the smallest other loop that holds the header. */
void lw__loops_nest(struct lw__loops *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        struct lw__loop *l = &loops->loops[i];
        assert(l->body[l->header] && l->back[l->header]);
        l->parent = -1;
        for (size_t k = 0; k < loops->count; k++) {
            const struct lw__loop *outer = &loops->loops[k];
            if (k == i || !outer->body[l->header] || outer->size <= l->size)
                continue;
            if (l->parent < 0 || outer->size < loops->loops[l->parent].size)
                l->parent = (int)k;
        }
    }
}

int lw__loops_innermost(const struct lw__loops *loops, uint32_t block)
{
    int best = -1;
    for (size_t k = 0; k < loops->count; k++)
        if (loops->loops[k].body[block] &&
            (best < 0 || loops->loops[k].size < loops->loops[best].size))
            best = (int)k;
    return best;
}

/* ---- loop metadata --------------------------------------------------------------------------- */

static unsigned loop_kind(LLVMValueRef back, LLVMContextRef *context)
{
    *context = LLVMGetModuleContext(
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(back))));
    return LLVMGetMDKindIDInContext(*context, "llvm.loop", 9);
}

bool lw__loop_has_word(LLVMValueRef back, const char *begin)
{
    LLVMContextRef context;
    LLVMValueRef parts[16], words[2], id = LLVMGetMetadata(back, loop_kind(back, &context));
    const unsigned n = id ? LLVMGetMDNodeNumOperands(id) : 0;
    if (n > sizeof parts / sizeof *parts)
        return true;
    if (n)
        LLVMGetMDNodeOperands(id, parts);
    for (unsigned k = 1; k < n; k++) {
        if (!LLVMIsAMDNode(parts[k]) || LLVMGetMDNodeNumOperands(parts[k]) < 1 ||
            LLVMGetMDNodeNumOperands(parts[k]) > 2)
            continue;
        LLVMGetMDNodeOperands(parts[k], words);
        unsigned length;
        const char *word = words[0] ? LLVMGetMDString(words[0], &length) : NULL;
        if (word && !strncmp(word, begin, strlen(begin)))
            return true;
    }
    return false;
}

void lw__loop_set_metadata(LLVMValueRef back, const char *word, uint32_t count)
{
    LLVMContextRef context;
    const unsigned kind = loop_kind(back, &context);
    LLVMMetadataRef wish[] = {
        LLVMMDStringInContext2(context, word, strlen(word)),
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), count, 0))};
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef parts[] = {self, LLVMMDNodeInContext2(context, wish, count ? 2 : 1)};
    LLVMMetadataRef id = LLVMMDNodeInContext2(context, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, id);
    LLVMSetMetadata(back, kind, LLVMMetadataAsValue(context, id));
}
