/* findings.h - what the launches of a stream had wrong, and what was looked at: kept from launch to
 * launch, each once with its number. Safe from any thread.
 */
#ifndef LW_RUN_FINDINGS_H
#define LW_RUN_FINDINGS_H

#include "base/base.h"
#include "lanewise/check.h"

struct lw__findings;
struct lw__findings *lw__findings_create(void); /* NULL: memory is short */
void lw__findings_destroy(struct lw__findings *findings);

/* A finding, the lines of the source at its places, NULL where they cannot be read, and what keeps
 * it from being told: a comment in the source or a line of a file, NULL for nothing. */
struct lw__told {
    lw_finding finding;
    const char *line, *other_line;
    const char *suppressed_by;
    const char *note;  /* on a comment that would suppress it and means nothing; NULL: none */
    bool is_by_source; /* a comment */
};

/* What was looked at, and how many there are. */
struct lw__coverage {
    uint64_t launches, blocks, accesses;
    uint64_t screened;                   /* launches of which a screen said that nothing is wrong */
    size_t errors, warnings, suppressed; /* a finding is one of them */
    int schedules;                       /* of the last launch, and */
    uint64_t seed;                       /* of its hashed ones */
};

/* lw__findings_add - one more, or the same once more: that of an earlier one at these places. All
 * its strings are copied. False: memory is short.
 * lw__findings_cover - launches ran to their end, and covered this. */
bool lw__findings_add(struct lw__findings *findings, const struct lw__told *told);
void lw__findings_cover(struct lw__findings *findings, const struct lw__coverage *launches);

/* An access in the source, and whether it is in bounds in each thread of a launch. */
struct lw__proof {
    const char *kernel, *file;
    int line, column;
    const char *access, *object; /* "read", the parameter's name */
    bool is_proved;
};

/* lw__findings_prove - of a launch; all strings are copied. False: memory is short.
 * lw__findings_next_proof - as lw__findings_next, of each place in the source. It is proved if all
 * accesses of that place are, in all launches. */
bool lw__findings_prove(struct lw__findings *findings, const struct lw__proof *proof);
struct lw__findings_proof;
bool lw__findings_next_proof(struct lw__findings *findings, const struct lw__findings_proof **at,
                             struct lw__proof *proof);

/* lw__findings_next - the finding after *at, which becomes that one; NULL: the first. False: there
 * is none. Its strings live as long as the findings. lw__findings_covered - so far. */
struct lw__findings_row;
bool lw__findings_next(struct lw__findings *findings, const struct lw__findings_row **at,
                       struct lw__told *told);
struct lw__coverage lw__findings_covered(struct lw__findings *findings);

/* lw__findings_news - LW_E_CHECK with the first of those that are new since the last call, warnings
 * and suppressed ones apart; LW_OK: none. */
lw_status lw__findings_news(struct lw__findings *findings);
#endif
