/* manifest.h - the text that lanewise-compile hands to the library, and how the two talk.
 *
 * The library starts
 *     lanewise-compile --device D --name NAME --out FD [--source FD] [--cuda sm_NN]
 *         [--instantiate KERNEL;KERNEL...] [-D X]... [-I DIR]... [PATH]
 * D is ref (x86-64's code), ref:aarch64, null, check, cpu:LEVEL or cuda:sm_NN. The kernels' text
 * comes from PATH, or from descriptor --source and then NAME is only its name; or, in the second
 * step of cpu programs (cpu_abi.h), their bitcode from --common FD, with --kernel K --block X,Y,Z.
 * The result goes to descriptor --out, a regular or memory file:
 *     the manifest, then PAYLOAD bytes: a shared object (ref, cpu, check), PTX, or nothing (null)
 * Exit status: 0 built; 1 the kernels do not compile (diag rows say why, no payload);
 * LW_EXIT_MISUSED the command line is wrong; LW_EXIT_MEMORY there is no memory; LW_EXIT_UNSAVED the
 * disk is full; anything else, a signal, or a manifest without its end row: a defect.
 *
 * `lanewise cc` starts
 *     lanewise-compile --image FILE --object OUT.o --header OUT.h --depfile OUT.d --out FD ... PATH
 * which writes the files itself (compile/driver/image_files.c): there is no payload. Without --out,
 * as the build starts it, the diag rows are printed.
 *
 * The manifest is lines of tab-separated fields; \t, \n and \\ in a field are escaped so.
 *     lanewise-manifest  1
 *     diag     severity file line column text
 *     shown    picture            of the diag row above it, where that has a place: lines of the
 *              source with caret and fix-it
 *     dep      path hash          a file that was read; FNV-1a 64 of its bytes as 16 hex digits
 *     kernel   name signature line block_x block_y block_z shared_bytes uses_dynamic arg_bytes
 *              block_* are 0 where BLOCK(...) did not fix them; arg_bytes: of the packed arguments
 *     align    bytes              what block memory of the kernel row above it must be aligned to,
 *              where that is more than LW_SHARED_ALIGN_MIN
 *     addresses  1              the kernel row above it follows pointers that are no arguments: a
 *              launch may reach any buffer of the device
 *     param    name type layout offset size dims     of the kernel row above it, in order; offset
 *              and size in the packed arguments: scalars and structs by value, a pointer as its
 *              address, a tensor as {data, extent[rank], stride[rank]}; dims: how many declared
 *              sizes a pointer has
 *     symbol   bytes              the param row above it is no parameter of the source, but a
 *              variable of the device: a launch passes the program's buffer of that name. Such rows
 *              are last
 *     alias    name               the kernel row above it, as the command line asked for it
 *     refused  name file line column text            a CUDA kernel that uses what is not in the
 *              language: there is no kernel row
 *     site     file line column what                 numbered from 0 in order; what: the operation,
 *              or `call`, for check: a call of a helper that led to the site above it
 *     end      payload_bytes
 * Symbols of the payload for a kernel K: see ref_abi.h for lw.ref.K and lw.resume; and, where a
 * param has dims,
 *     void lw.sizes.K(const char *packed_arguments, int64_t *sizes)
 * It writes the declared sizes of all params in order, outer first; a size that is not positive
 * stays as it is.
 */
#ifndef LW_MANIFEST_H
#define LW_MANIFEST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LW_EXIT_MISUSED = 2, LW_EXIT_MEMORY = 4, LW_EXIT_UNSAVED = 5 };

/* The program that lanewise-compile starts: it decides its result too. */
#define LW_FRONT_END "clang-19"
struct lw__tool {
    const char *words[4]; /* the program, by a path or by PATH, and its first arguments */
    size_t count;
    char program[4096], headers[4096 + 8];
};
/* The words that start LW_FRONT_END; $LANEWISE_CLANG chooses. They point into the tool. */
void lw__tool_find(struct lw__tool *tool);
/* The file that its first word starts: itself where it has a slash, or the first program of that
 * name on PATH. False: there is none. */
bool lw__tool_path(const struct lw__tool *tool, char *path, size_t size);
/* A program's time, size and first page stand for its contents: that page has the build ID, which
 * the linker makes of the rest. Where packages are made reproducible, times say little. */
uint64_t lw__hash_program(uint64_t hash, const char *path);
enum { LW_CUDA_ARCH = 80 }; /* of a CUDA text, where nobody says another */
#define LW_MANIFEST_VERSION 1
#define LW_SITE_CALL "call"
#define LW_SITE_GUESS "guess" /* a read, of what a compare-and-swap will expect */

/* Bytes: what a device aligns block memory to, so no SHARED variable may ask for more; its dynamic
 * part begins at the next multiple of LW_DYNAMIC_ALIGN after shared_bytes. */
enum { LW_SHARED_ALIGN = 4096, LW_SHARED_ALIGN_MIN = 64, LW_DYNAMIC_ALIGN = 128 };

/* The value of a symbol NAME before any launch is LW_SYMBOL_PREFIX.NAME of the payload. */
#define LW_SYMBOL_PREFIX "lw.symbol"

/* What lw.sizes.K writes in place of a declared size that has no value. */
#define LW_SIZE_OVERFLOWS INT64_MIN     /* its arithmetic leaves its type */
#define LW_SIZE_DIVIDES (INT64_MIN + 1) /* a division by 0, or of the least number by -1 */
#define LW_SIZE_SHIFTS (INT64_MIN + 2) /* by as many bits as there are, or more; or bits are lost */

enum { LW_SAID_MAX = 4 }; /* arguments of an assert_that */
#endif
