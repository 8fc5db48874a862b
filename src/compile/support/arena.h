/* arena.h - memory of one compilation: taken piece by piece, given back at once.
 *
 * A unit has two arenas. unit->arena holds what lives as long as the unit. unit->scratch holds what
 * one pass needs; the pipeline gives it back when the pass ends. So nobody frees single rows. A
 * pass that goes over many kernels gives back what each took, by a mark.
 *
 * Memory is never short for the caller: where the system has no more, lanewise-compile says so,
 * names pass and kernel, and ends with LW_EXIT_MEMORY. The library runs in another process, and
 * gives LW_E_MEMORY. Where LLVM's own memory ends, it aborts.
 */
#ifndef LW_COMPILE_ARENA_H
#define LW_COMPILE_ARENA_H
#include "base/base.h"
#include <stddef.h>

struct lw__arena_block;

/* All zero is an empty arena. */
struct lw__arena {
    struct lw__arena_block *last;  /* where the next rows go */
    struct lw__arena_block *spare; /* the next block, or NULL */
};

/* How much was taken at some time. */
struct lw__arena_mark {
    struct lw__arena_block *last;
    size_t used;
};

/* An array of `count` rows, all zero. Never NULL. */
void *lw__new(struct lw__arena *arena, size_t count, size_t size);
/* Room for one row more than the `count` that rows has, the rest zero. Rows may move. */
void *lw__one_more(struct lw__arena *arena, void *rows, size_t count, size_t size);
/* Copies of texts. */
char *lw__copy(struct lw__arena *arena, const char *text);
char *lw__copy_bytes(struct lw__arena *arena, const char *bytes, size_t length);
char *lw__format(struct lw__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* An empty text that grows in the arena. Its data is never NULL. */
struct lw__text lw__text_in(struct lw__arena *arena);

struct lw__arena_mark lw__arena_mark(const struct lw__arena *arena);
/* Give back what was taken since the mark. Rows of before must not have grown since. */
void lw__arena_release(struct lw__arena *arena, struct lw__arena_mark mark);
void lw__arena_free(struct lw__arena *arena); /* everything; the arena is then empty */

/* Say that memory is short, and end the process. */
_Noreturn void lw__out_of_memory(void);
#endif
