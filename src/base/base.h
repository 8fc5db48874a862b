/* base.h - what every part of the library uses: failing with a message, text, hashes, files. No
 * LLVM, no device; lanewise-compile links it too.
 */
#ifndef LW_BASE_H
#define LW_BASE_H

#include "base/save.h"
#include "lanewise/lanewise.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* lw__fail - set this thread's message and return the status, in one expression:
 *     return lw__fail(LW_E_SHAPE, "grid.x = %u, need 1 to %u", x, max);
 * The message is cut at 1023 bytes; newlines become blanks. */
lw_status lw__fail(lw_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
enum { LW_MESSAGE_MAX = 1023 }; /* bytes of a message without its NUL */

/* lw__error_keep, lw__error_restore - this thread's message, of LW_MESSAGE_MAX + 1 bytes, around
 * what may fail without a failure of the caller: then the message stays that of an earlier call. */
void lw__error_keep(char *text);
void lw__error_restore(const char *text);

/* LW_TRY - propagate a failure, its message untouched. */
#define LW_TRY(call)                                                                               \
    do {                                                                                           \
        lw_status lw_try_status_ = (call);                                                         \
        if (lw_try_status_ != LW_OK)                                                               \
            return lw_try_status_;                                                                 \
    } while (0)

/* A text that grows. All zero is an empty text. After a failed allocation `failed` stays true, data
 * stays what it was and further appends do nothing: check once at the end. data is NUL-terminated
 * where it is not NULL; release with lw__text_free, unless the text has an owner. */
struct lw__text {
    char *data;
    size_t length, capacity;
    bool failed;
    void *owner;                              /* of data: lanewise-compile's arena; NULL: malloc */
    void *(*take)(void *owner, size_t bytes); /* memory of the owner's, never NULL */
};
void lw__text_add(struct lw__text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void lw__text_add_list(struct lw__text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void lw__text_add_bytes(struct lw__text *text, const void *bytes, size_t count);
void lw__text_free(struct lw__text *text);

/* lw__hash - FNV-1a 64; start with LW_HASH_START and chain. */
#define LW_HASH_START 0xcbf29ce484222325u
uint64_t lw__hash(uint64_t hash, const void *bytes, size_t count);

/* lw__pack - add the bytes to `out` in a shorter form, for lw__unpack; out->failed: no memory.
 * lw__unpack - `bytes` of that back into `room` bytes; false: they are damaged, or not so many. */
void lw__pack(const void *from, size_t bytes, struct lw__text *out);
bool lw__unpack(const void *from, size_t bytes, void *to, size_t room);

/* The columns of types.def, by lw_dtype. */
struct lw__dtype {
    const char *name, *format, *c_name;
    unsigned char bytes, fraction;
    char kind; /* 'i' signed, 'u' unsigned, 'b' bool, 'f' float */
};
extern const struct lw__dtype lw__dtypes[];
bool lw__dtype_is_float(lw_dtype dtype);
bool lw__dtype_is_numpy(lw_dtype dtype); /* NumPy has it */
/* lw__dtype_find - the dtype of a name of length bytes; false: there is none. */
bool lw__dtype_find(const char *name, size_t length, lw_dtype *dtype);

/* lw__alloc_aligned - bytes of zeroed memory at a multiple of 64, NULL where memory is short.
 * *block is what to hand to free(). Zero pages of large blocks cost nothing until they are
 * touched. */
void *lw__alloc_aligned(size_t bytes, void **block);

/* lw__copy_string - a copy to free(); NULL where memory is short. */
char *lw__copy_string(const char *text);

/* A whole file in memory: `length` bytes and a NUL. Release with free(bytes). */
struct lw__bytes {
    char *bytes;
    size_t length;
};

/* lw__fail_system - "WHAT: REASON", for an errno: LW_E_MEMORY where memory is short, else LW_E_IO.
 * Where descriptors ran out, the text says how many there may be. */
lw_status lw__fail_system(int error, const char *what);

/* lw__file_kind - "a folder", "a named pipe", for the mode of one that is not regular. */
const char *lw__file_kind(unsigned mode);

/* lw__read_file, lw__read_descriptor - read everything from its start; name is for messages.
 * errors   LW_E_IO with the system's reason; LW_E_MEMORY */
lw_status lw__read_file(const char *path, struct lw__bytes *out);
lw_status lw__read_descriptor(int descriptor, const char *name, struct lw__bytes *out);

/* lw__write_file - a whole file, new or in place of what it held. A failure leaves no half of it.
 * errors   LW_E_IO with the system's reason; LW_E_MEMORY */
lw_status lw__write_file(const char *path, const void *bytes, size_t count);
#endif
