/* cache.h - the disk cache of lw_program_build: its folder, its size, and how to trim it.
 */
#ifndef LANEWISE_CACHE_H
#define LANEWISE_CACHE_H

#include <lanewise/lanewise.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The folder with the programs that were built; docs/cli.md has its environment variables. */
typedef struct lw_cache_info {
    char path[4096];         /* "" if neither LANEWISE_CACHE_DIR nor HOME names one */
    bool is_used;            /* false: an environment variable turns the cache off, or there is no
                              * folder */
    size_t entries;
    uint64_t bytes;          /* of all their files */
    uint64_t limit;          /* bytes; beyond it the least recently used entries are removed */
} lw_cache_info;

/* lw_cache_get_info - what the cache holds. The call does not create a missing folder.
 * errors   LW_E_ARG an environment variable has an invalid value; LW_E_IO the folder's path is no
 *          folder, or it cannot be read; LW_E_MEMORY */
LW_CHECKED lw_status lw_cache_get_info(lw_cache_info *info);

/* lw_cache_trim - remove the least recently used entries until at most so many bytes are left; 0:
 * all. Programs that build at the same time only lose time. Other files in the folder stay.
 * info     what is left; may be NULL
 * errors   as lw_cache_get_info; LW_E_IO also if a file cannot be removed; the call still removes
 *          the others */
LW_CHECKED lw_status lw_cache_trim(uint64_t bytes, lw_cache_info *info);

#ifdef __cplusplus
}
#endif
#endif
