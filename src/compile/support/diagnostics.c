/* diagnostics.c - messages about a kernel file, as diag rows of the manifest (src/base/manifest.h).
 *
 * front/clang_messages.c adds clang's own.
 */
#include "base/nearest.h"
#include "compile/support/unit.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERRORS_MAX = 20 }; /* as clang has it */

void lw__row_field(struct lw__text *row, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char c = bytes[i];
        if (c == '\t' || c == '\n' || c == '\\')
            lw__text_add(row, "\\%c", c == '\t' ? 't' : c == '\n' ? 'n' : c);
        else
            lw__text_add_bytes(row, &c, 1);
    }
}

unsigned lw__row_line(unsigned line)
{
    return line <= INT32_MAX ? line : 0;
}

static bool same(const char *a, unsigned a_length, const char *b, unsigned b_length)
{
    return a && b && a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool is_in_its_folder(const struct lw__diags *diags, struct lw__loc loc)
{
    const struct lw__loc *main = &diags->main;
    return same(loc.directory, loc.directory_length, main->directory, main->directory_length);
}

/* True for a text from a descriptor: #line gives it its name, not the module. */
static bool is_named_text(const struct lw__diags *diags, struct lw__loc loc)
{
    const char *name = diags->main_name;
    return diags->source_fd > 0 && same(loc.file, loc.file_length, name, (unsigned)strlen(name));
}

bool lw__row_is_main(const struct lw__diags *diags, struct lw__loc loc)
{
    const struct lw__loc *main = &diags->main;
    return !loc.file || is_named_text(diags, loc) ||
           (is_in_its_folder(diags, loc) &&
            same(loc.file, loc.file_length, main->file, main->file_length));
}

void lw__row_file(struct lw__text *row, const struct lw__diags *diags, struct lw__loc loc)
{
    if (lw__row_is_main(diags, loc)) {
        lw__row_field(row, diags->main_name, strlen(diags->main_name));
        return;
    }
    if (!is_in_its_folder(diags, loc) && loc.directory_length && loc.file[0] != '/') {
        lw__row_field(row, loc.directory, loc.directory_length);
        lw__row_field(row, "/", 1);
    }
    lw__row_field(row, loc.file, loc.file_length);
}

void lw__diags_module(struct lw__diags *diags, LLVMModuleRef module)
{
    LLVMValueRef unit = NULL;
    if (LLVMGetNamedMetadataNumOperands(module, "llvm.dbg.cu") != 1)
        return;
    LLVMGetNamedMetadataOperands(module, "llvm.dbg.cu", &unit);
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMValueAsMetadata(unit));
    if (!file)
        return;
    diags->main.file = LLVMDIFileGetFilename(file, &diags->main.file_length);
    diags->main.directory = LLVMDIFileGetDirectory(file, &diags->main.directory_length);
}

static const struct {
    const char *what, *advice;
} remarks[] = {
#define LW_REMARK(id, what, advice) {what, advice},
#include "compile/support/remarks.def"
#undef LW_REMARK
};

/* Copies of a block, and pieces with other masks, repeat the same remark. */
void lw__diags_remark(struct lw__diags *diags, struct lw__loc loc, enum lw__remark remark,
                      const char *why)
{
    const unsigned column = lw__front_column(diags, loc);
    struct lw__text *rows = diags->rows, place = lw__text_in(diags->scratch);
    lw__row_file(&place, diags, loc);
    lw__text_add(&place, "\t%u\t%u", lw__row_line(loc.line), column);
    const char *row =
        lw__format(diags->scratch, "diag\tremark\t%s\t%s: ", place.data, remarks[remark].what);
    if (strstr(rows->data, row))
        return;
    lw__text_add(rows, "%s%s\n", row, why);
    lw__snippet_draw(diags, loc, column);
    lw__text_add(rows, "diag\tnote\t%s\t%s\n", place.data, remarks[remark].advice);
}

/* CUDA's words for those of the language in C, but in quotes, where the user's names stand. */
static void add_in_cuda(struct lw__text *out, const char *text)
{
    static const struct {
        const char *ours, *cuda;
    } words[] = {{"DYNAMIC_SHARED", "extern __shared__"},
                 {"SHARED", "__shared__"},
                 {"KERNEL", "kernel"},
                 {"static helper", "__device__ function"}};
    bool is_quoted = false;
    while (*text) {
        size_t length = 1;
        const char *cuda = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words && !is_quoted && !cuda; i++)
            if (!strncmp(text, words[i].ours, strlen(words[i].ours))) {
                cuda = words[i].cuda;
                length = strlen(words[i].ours);
            }
        is_quoted ^= *text == '\'';
        lw__row_field(out, cuda ? cuda : text, cuda ? strlen(cuda) : length);
        text += length;
    }
}

void lw__diags_error(struct lw__diags *diags, struct lw__loc loc, const char *format, ...)
{
    const unsigned column = lw__front_column(diags, loc);
    const bool is_last = diags->errors == ERRORS_MAX;
    char text[1024];
    if (diags->errors++ > ERRORS_MAX)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, is_last ? "too many errors, stopping now" : format, arguments);
    va_end(arguments);
    lw__text_add(diags->rows, "diag\terror\t");
    lw__row_file(diags->rows, diags, is_last ? (struct lw__loc){0} : loc);
    if (is_last)
        lw__text_add(diags->rows, "\t0\t0\t");
    else
        lw__text_add(diags->rows, "\t%u\t%u\t", lw__row_line(loc.line), column);
    if (diags->is_cuda)
        add_in_cuda(diags->rows, text);
    else
        lw__row_field(diags->rows, text, strlen(text));
    lw__text_add(diags->rows, "\n");
    if (!is_last)
        lw__snippet_draw(diags, loc, column);
}

void lw__kernel_errors_begin(struct lw__diags *diags, struct lw__kernel_errors *errors)
{
    *errors = (struct lw__kernel_errors){
        .all = diags->rows, .rows = lw__text_in(diags->scratch), .errors = diags->errors};
    diags->rows = &errors->rows;
    diags->errors = 0;
}

bool lw__kernel_errors_end(struct lw__diags *diags, struct lw__kernel_errors *errors,
                           const char *kernel, const char *alias)
{
    static const char error[] = "diag\terror\t";
    const bool is_refused = diags->errors;
    diags->rows = errors->all;
    diags->errors = errors->errors;
    const char *first = errors->rows.data ? strstr(errors->rows.data, error) : NULL;
    if (is_refused && first) {
        first += strlen(error);
        for (int i = 0; i < (alias && !lw__same_name(alias, kernel) ? 2 : 1); i++) {
            const char *name = i ? alias : kernel;
            lw__text_add(diags->rows, "refused\t");
            lw__row_field(diags->rows, name, strlen(name));
            lw__text_add(diags->rows, "\t%.*s\n", (int)strcspn(first, "\n"), first);
        }
    }
    return is_refused;
}

bool lw__kernel_errors_tell(struct lw__diags *diags, const char *kernel)
{
    static const char refused[] = "refused\t";
    struct lw__text errors = lw__text_in(diags->scratch);
    const char *row = diags->rows->length ? diags->rows->data : "";
    for (; *row; row += strcspn(row, "\n"), row += *row == '\n') {
        if (strncmp(row, refused, strlen(refused)) != 0)
            continue;
        const char *field[5] = {row + strlen(refused)}; /* name, file, line, column, text */
        for (int i = 1; i < 5; i++)
            field[i] = field[i - 1] + strcspn(field[i - 1], "\t") + 1;
        const char *name =
            lw__format(diags->scratch, "%.*s", (int)(field[1] - 1 - field[0]), field[0]);
        if (kernel && !lw__same_name(name, kernel))
            continue;
        lw__text_add(&errors, "diag\terror\t%.*skernel '%s': %.*s\n", (int)(field[4] - field[1]),
                     field[1], name, (int)strcspn(field[4], "\n"), field[4]);
        diags->errors++;
    }
    lw__text_add_bytes(diags->rows, errors.data ? errors.data : "", errors.length);
    return errors.length;
}
