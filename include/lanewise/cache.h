/* cache.h - what lw_program_build keeps on disk: its place and size, and how to remove it.
 */
#ifndef LANEWISE_CACHE_H
#define LANEWISE_CACHE_H

#include <lanewise/lanewise.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The folder in which programs that were built are kept; docs/cli.md has its variables. */
typedef struct lw_cache_info {
    char path[4096];         /* "" where neither LANEWISE_CACHE_DIR nor HOME says one */
    bool is_used;            /* false: nothing is kept, since a variable of the environment says so
                              * or there is no folder */
    size_t entries;
    uint64_t bytes;          /* of all their files */
    uint64_t limit;          /* bytes; what was used least recently goes beyond that */
} lw_cache_info;

/* lw_cache_get_info - what the cache holds. A folder that is not there yet is not made.
 * errors   LW_E_ARG a variable of the environment has a value that means nothing; LW_E_IO the
 *          folder cannot be one or not be read; LW_E_MEMORY */
LW_CHECKED lw_status lw_cache_get_info(lw_cache_info *info);

/* lw_cache_trim - remove what was used least recently until at most so many bytes are left; 0: all.
 * Programs that build at the same time lose nothing but time. Files of others in the folder stay.
 * info     what is left; may be NULL
 * errors   as lw_cache_get_info; LW_E_IO also where a file cannot be removed; the others are */
LW_CHECKED lw_status lw_cache_trim(uint64_t bytes, lw_cache_info *info);

#ifdef __cplusplus
}
#endif
#endif
