/* target_ptx_meet.h - who meets in a kernel for the GPU, as target_ptx_meet.c finds it and
 * target_ptx_hall.c builds it; what both say of it is in the former's head.
 */
#ifndef LW_COMPILE_TARGET_PTX_MEET_H
#define LW_COMPILE_TARGET_PTX_MEET_H
#include "compile/spmd_copy.h"
#include "compile/target_ptx.h"

/* The collectives of a block, one after the other, each now in a block of its own; the block that
 * goes on behind each is its successor. */
struct group {
    LLVMBasicBlockRef *blocks;
    size_t count;
    bool all_come; /* it is in no hall */
};

/* A meeting of a hall. */
struct meeting {
    LLVMBasicBlockRef block;
    const struct group *group; /* NULL: the header of a loop, without a collective */
};

struct round { /* meetings first .. last are held again while lanes wait for one of them */
    uint32_t first, last;
};

/* A region with collectives, of those that lie in no other. */
struct hall {
    const struct lw__spmd *s; /* the analysis that it is of */
    int region;
    uint32_t first;               /* number of its first block */
    LLVMBasicBlockRef head, join; /* of the region; join NULL: there is none */
    bool is_loop;                 /* head is in it */
    LLVMBasicBlockRef *inside;    /* all blocks of it */
    size_t inside_count;
    struct meeting *meetings;
    size_t meeting_count;
    struct round *rounds; /* inner before outer */
    size_t round_count;
};

/* What of a call's instance differs between lanes that meet: operands of its bundle. */
struct differing {
    LLVMValueRef call;
    unsigned operands[LW_TRIPS_MAX], count;
    struct differing *next;
};

struct meet {
    struct lw__ptx *x;
    struct lw__spmd s, by_warp; /* who is parted of the block; of a warp */
    struct group *groups;
    size_t group_count;
    struct hall *halls;
    size_t hall_count;
    struct differing *differing;
    bool yields; /* lanes may leave a loop one by one and go on: target_ptx_yield.c */
    bool *apart; /* per block of by_warp: they may come to it like that */
};

/* target_ptx_meet.c: the lanes that there are in this warp, at the builder; those of mask that are
 * in the same trips as this one, before a call. */
LLVMValueRef lw__ptx_all_lanes(struct lw__ptx *x);
LLVMValueRef lw__ptx_same_trips(struct meet *m, LLVMValueRef call, LLVMValueRef mask);

/* target_ptx_hall.c. What does not depend on a hall's region is computed in front of it: it needs
 * no memory then. What its blocks compute for each other, and for those behind, goes to where edges
 * can be bent, for all halls; then each hall's code. */
void lw__ptx_hoist(struct meet *m, const struct hall *h);
void lw__ptx_demote(struct meet *m, const struct hall *h);
bool lw__ptx_furnish(struct meet *m, struct hall *h);

/* target_ptx_yield.c. Once the halls are known: do lanes yield in a loop of the kernel, and where
 * are they still apart? Behind an atomic operation that becomes a loop they come together at once,
 * if all come by. May they come to this block apart? At the builder all lanes come together. */
bool lw__ptx_find_yields(struct meet *m);
bool lw__ptx_come_apart(const struct meet *m, LLVMBasicBlockRef block);
void lw__ptx_come_together(struct meet *m);
#endif
