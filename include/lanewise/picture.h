/* picture.h - what a block of threads did, step by step, as a page: docs/picture.md explains it.
 *
 *     lw_build_options build = {.picture = true};       // on "ref" or "check"
 *     lw_program_build(device, "dot.c", &build, &program);
 *     lw_picture_begin(stream, NULL);
 *     lw_stream_launch(stream, kernel, grid, block, NULL, args, count);
 *     lw_stream_wait(stream);
 *     lw_picture_write(stream, LW_PICTURE_HTML, "dot.html");
 */
#ifndef LANEWISE_PICTURE_H
#define LANEWISE_PICTURE_H

#include <lanewise/lanewise.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero means the defaults. */
typedef struct lw_picture_options {
    lw_dim3 block;  /* its index in the grid */
    uint32_t steps; /* at most; 0: 100 */
    const char *const *traces; /* names of trace(), trace_count of them; 0: all */
    size_t trace_count;
    const char *source; /* the kernels' text, where it is in no file; or NULL */
    bool counts_only;   /* no steps are kept: for lw_picture_get_counts */
} lw_picture_options;

/* lw_picture_begin - the next launch of the stream is recorded; what was recorded before is gone.
 * Its program must be one of lw_build_options.picture: of another, "ref" sees collectives alone.
 * errors   LW_E_ARG; LW_E_UNSUPPORTED the stream is not of "ref" or "check"; LW_E_MEMORY */
LW_CHECKED lw_status lw_picture_begin(lw_stream *stream, const lw_picture_options *options);

typedef enum lw_picture_format {
    LW_PICTURE_JSON,
    LW_PICTURE_HTML,
    LW_PICTURE_SVG
} lw_picture_format;

/* lw_picture_write - what was recorded, after a wait, into a file; one of that name is replaced.
 * errors   LW_E_ARG no launch was recorded, or it had no such block; LW_E_IO; LW_E_MEMORY */
LW_CHECKED lw_status lw_picture_write(lw_stream *stream, lw_picture_format format,
                                      const char *path);

/* lw_picture_why_cut - one line where the last picture does not show all steps, else NULL. It lives
 * until the next lw_picture_begin. */
LW_API const char *lw_picture_why_cut(lw_stream *stream);

/* What all blocks of a launch did: docs/picture.md says how each is counted. */
typedef struct lw_picture_counts {
    uint64_t threads, warps;
    uint64_t global_reads, global_writes, block_reads, block_writes; /* of threads, atomics are
                                                                      * writes */
    uint64_t global_requests, sectors; /* of warps; sectors of 32 bytes */
    uint64_t block_requests, passes;   /* a request takes as many passes as its banks conflict */
    uint64_t barriers;                 /* of blocks, block operations too */
    uint64_t collectives;              /* of warps */
    uint64_t lines, lanes;             /* lines that warps ran, and lanes that ran them */
    uint64_t lanes_idle;               /* and that did not, though their warp did */
} lw_picture_counts;

/* lw_picture_get_counts - after a wait. errors LW_E_ARG no launch was recorded; LW_E_MEMORY */
LW_CHECKED lw_status lw_picture_get_counts(lw_stream *stream, lw_picture_counts *counts);

#ifdef __cplusplus
}
#endif
#endif
