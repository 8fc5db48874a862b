/* build.h - from what is to be compiled to code that is loaded: the compiler's process, the cache
 * of its results, and lines of the source for places in the code.
 */
#ifndef LW_RUN_BUILD_H
#define LW_RUN_BUILD_H

#include "base/manifest_read.h"
#include "run/report/report.h"

/* ---- lines.c ---- */

/* What a shared object says of its lines. All zero: nothing. */
struct lw__lines {
    char *bytes; /* three sections, one after the other */
    size_t table_bytes, string_bytes, symbol_bytes;
};
enum { LW_LINE_FILE_MAX = 512 };
struct lw__line {
    char file[LW_LINE_FILE_MAX];
    unsigned line;
};

/* lw__lines_take - copy it from an object file in memory; nothing where there is none.
 * lw__lines_find - of the instruction so many bytes after where the object begins. False: unknown.
 */
void lw__lines_take(struct lw__lines *lines, const char *object, size_t bytes);
bool lw__lines_find(const struct lw__lines *lines, uint64_t place, struct lw__line *line);
void lw__lines_free(struct lw__lines *lines);

/* ---- compiler.c: the child program ---- */

/* What to compile, and what the child is told. */
struct lw__compile {
    const char *compiler; /* path of lanewise-compile */
    const char *target;   /* --device */
    const char *name;     /* --name */
    const char *path;     /* the file to read; NULL: source */
    const char *source;   /* source_bytes of text; with kernel: the common bitcode */
    size_t source_bytes;
    const lw_build_options *options;
    bool bounds;            /* --bounds: also a form whose accesses stay within their objects;
                             * with kernel: source is that form */
    const char *kernel;     /* --kernel: of that bitcode only this one, for blocks of this size */
    lw_dim3 block;          /* --block */
    bool wants_first;       /* --first: for the options' first_kernel and first_block, too */
    struct lw__bytes *made; /* what the compiler has made of this already, and code.c takes; NULL:
                             * it is asked */
};

/* lw__compiler_find - where lanewise-compile is: $LANEWISE_COMPILE, beside the library in the build
 * tree, in the prefix the library is installed in, where the build said.
 * errors   LW_E_INTERNAL nowhere; LW_E_MEMORY. owns: release *path with free() */
lw_status lw__compiler_find(char **path);

/* lw__compiler_run - start it, wait for it, give back the manifest and the payload after it, whole.
 * *clean is false where it said that the kernels do not compile. first: NULL, or where the manifest
 * and the payload for the first launch go; no bytes: there are none.
 * errors   LW_E_COMPILE it ran out of processor time; LW_E_INTERNAL it crashed, was killed or
 *          refused its command line; LW_E_MEMORY; LW_E_IO
 * owns     release out->bytes and first->bytes with free() */
lw_status lw__compiler_run(const struct lw__compile *compile, struct lw__bytes *out,
                           struct lw__bytes *first, bool *clean);

/* ---- server.c: a compiler that stays ---- */

/* Descriptors of ours are this or higher, so that none is where the child's shall be. */
enum { LW_FILE_MIN = 10 };

/* lw__memory_file - one with these bytes in it; -1 with errno set. owns: close() */
int lw__memory_file(const char *name, const void *bytes, size_t count);

enum lw__served {
    LW_SERVED,      /* *wait_status is how the build ended */
    LW_SERVER_NONE, /* nothing was done */
    LW_SERVER_LOST, /* the files may have parts of a result in them */
};

/* lw__server_run - like lw__child_start and waitpid, in a child of a server for this compiler. */
enum lw__served lw__server_run(const char *compiler, char *const *words, const int *files,
                               size_t count, int printed, int *wait_status);

/* lw__server_begin - the descriptor for --serve of a compiler about to be started: it leaves the
 * process's server behind. -1: there is one, or there cannot be. owns: close() */
int lw__server_begin(const char *compiler);

/* ---- cache.c: results on disk ---- */

/* A file that is being written has this and six letters after its name. */
#define LW_CACHE_ASIDE ".new-"

/* Where folder is -1 there is no cache: find finds nothing, store stores nothing. */
struct lw__cache {
    int folder;     /* descriptor of the private folder */
    uint64_t limit; /* bytes; 0: folder is -1 */
};

/* lw__cache_open - without a folder of the user's choice, one that cannot be used is no error.
 * errors   LW_E_ARG $LANEWISE_CACHE, $LANEWISE_CACHE_LIMIT or $LANEWISE_CACHE_DIR is wrong;
 *          LW_E_MEMORY */
lw_status lw__cache_open(struct lw__cache *cache);
void lw__cache_close(struct lw__cache *cache);

/* lw__cache_place - where the folder is or would be; NULL: nowhere. *folder: its descriptor; -1: it
 * is not there.
 * errors   LW_E_ARG $LANEWISE_CACHE_DIR is wrong; LW_E_IO the folder cannot be one; LW_E_MEMORY
 * owns     release *path with free(), *folder with close() */
lw_status lw__cache_place(char **path, int *folder);

/* lw__cache_key - the hash of all that decides the result, but for the files it includes. */
uint64_t lw__cache_key(const struct lw__compile *compile);

/* lw__cache_find - the entry's manifest and payload, as lw__compiler_run gives them. out->bytes is
 * NULL: there is no entry, it is damaged, or a file that it was made from has changed.
 * errors   LW_E_MEMORY
 * owns     release out->bytes with free() */
lw_status lw__cache_find(const struct lw__cache *cache, uint64_t key, struct lw__bytes *out);

/* lw__cache_store - keep a result; text_bytes of it are the manifest. A failure only costs time
 * later. */
void lw__cache_store(const struct lw__cache *cache, uint64_t key, const struct lw__bytes *result,
                     size_t text_bytes);

/* ---- cache_trim.c: what it holds, and what goes ---- */

/* lw__cache_fits - may an entry of so many bytes be stored at all?
 * lw__cache_written - so many were stored: from time to time what was used least recently goes. */
bool lw__cache_fits(const struct lw__cache *cache, uint64_t bytes);
void lw__cache_written(const struct lw__cache *cache, uint64_t bytes);

/* ---- code.c ---- */

/* What was made of one request, on the device. */
struct lw__code {
    struct lw__manifest manifest;
    struct lw__site *sites; /* manifest.site_count */
    struct lw__lines lines; /* of its instructions; nothing where the device traps no faults */
    int payload_file;       /* memory file that stays open while it is loaded; -1 */
    void *loaded;           /* what ops->load made; NULL: the device runs nothing */
    struct lw__bytes first; /* the compiler's result for the first launch; specialize.c takes it */
};

/* lw__code_build - take the code from the cache or compile it, and report the diagnostics. Load it
 * on the device with these ops and this state.
 * errors   LW_E_COMPILE the first error, "file:line:column: text"; those of lw__compiler_run
 * owns     release with lw__code_free, also after a failure */
lw_status lw__code_build(const struct lw__device_ops *ops, void *state,
                         const struct lw__compile *request, struct lw__code *code);
void lw__code_free(const struct lw__device_ops *ops, void *state, struct lw__code *code);

/* lw__code_load - take a payload onto the device: code->loaded, code->payload_file.
 * errors   those of ops->load */
lw_status lw__code_load(const struct lw__device_ops *ops, void *state, const void *payload,
                        size_t bytes, struct lw__code *code);

/* lw__code_read_sites - fill in the sites of its manifest; name is for messages.
 * errors   LW_E_MEMORY */
lw_status lw__code_read_sites(struct lw__code *code, const char *name);

/* lw__code_open - a payload that is a shared object; for a device's load. errors: LW_E_IO */
lw_status lw__code_open(const char *path, void **object);

/* lw__code_bitcode - lw.NAME of it, `common` or `guarded`; for a device's operations of that name.
 * errors   LW_E_INTERNAL, LW_E_MEMORY */
lw_status lw__code_bitcode(void *object, const char *name, const void **bitcode, size_t *bytes);

/* lw__code_symbol - the address of PREFIX.NAME in a payload that dlopen has loaded.
 * errors   LW_E_INTERNAL if it is not there; LW_E_MEMORY */
lw_status lw__code_symbol(void *object, const char *prefix, const char *name, void **address);
/* lw__code_look - the same of what need not be there, without a message: *address is NULL. False:
 * memory is short. */
bool lw__code_look(void *object, const char *prefix, const char *name, void **address);
#endif
