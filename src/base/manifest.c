/* manifest.c - reads what lanewise-compile wrote; the format is manifest.h's.
 *
 * Nothing in it is trusted: the compiler may have crashed in the middle of a row, and a cached one
 * may be damaged. One pass finds the end row and counts the rows of each kind, so that every array
 * is allocated once; a second cuts the lines into fields, in place, and takes each by its table
 * row.
 */
#include "base/manifest_read.h"
#include "base/manifest.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 16, DIMS_MAX = 64 };

struct reader {
    struct lw__manifest *out;
    char *why;
    const char *tag; /* of the row being read */
    size_t line;     /* from 1 */
    char *field[FIELDS_MAX];
};

static lw_status broken(const struct reader *r, const char *what)
{
    snprintf(r->why, LW_MANIFEST_WHY, "the compiler's manifest is damaged: line %zu (%s): %s",
             r->line, r->tag, what);
    return LW_E_INTERNAL;
}

/* A plain number in the given base with nothing around it, at most max. */
static bool parse(const char *text, unsigned base, uint64_t max, uint64_t *value)
{
    uint64_t v = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        unsigned digit = *text >= 'a' ? (unsigned)(*text - 'a') + 10 : (unsigned)(*text - '0');

        if (*text < '0' || (*text > '9' && *text < 'a') || digit >= base ||
            v > (max - digit) / base)
            return false;
        v = v * base + digit;
    }
    *value = v;
    return true;
}

static lw_status take_int(struct reader *r, int index, int *value)
{
    uint64_t v;

    if (!parse(r->field[index], 10, INT32_MAX, &v))
        return broken(r, "a number is malformed");
    *value = (int)v;
    return LW_OK;
}

static lw_status take_size(struct reader *r, int index, size_t *value)
{
    uint64_t v;

    if (!parse(r->field[index], 10, SIZE_MAX / 2, &v))
        return broken(r, "a size is malformed");
    *value = (size_t)v;
    return LW_OK;
}

static lw_status take_diag(struct reader *r)
{
    lw_diagnostic *d = &r->out->diags[r->out->diag_count];

    *d = (lw_diagnostic){
        .severity = r->field[0], .file = r->field[1], .text = r->field[4], .picture = ""};
    LW_TRY(take_int(r, 2, &d->line));
    LW_TRY(take_int(r, 3, &d->column));
    r->out->diag_count++;
    return LW_OK;
}

static lw_status take_shown(struct reader *r)
{
    if (!r->out->diag_count)
        return broken(r, "there is no message above it");
    r->out->diags[r->out->diag_count - 1].picture = r->field[0];
    return LW_OK;
}

static lw_status take_dep(struct reader *r)
{
    struct lw__manifest_dep *d = &r->out->deps[r->out->dep_count];

    d->path = r->field[0];
    if (strlen(r->field[1]) != 16 || !parse(r->field[1], 16, UINT64_MAX, &d->hash))
        return broken(r, "a hash is malformed");
    r->out->dep_count++;
    return LW_OK;
}

static lw_status take_kernel(struct reader *r)
{
    struct lw__manifest_kernel *k = &r->out->kernels[r->out->kernel_count];
    int block[3], dynamic;

    *k = (struct lw__manifest_kernel){
        .name = r->field[0], .signature = r->field[1], .shared_align = LW_SHARED_ALIGN_MIN};
    LW_TRY(take_int(r, 2, &k->line));
    for (int i = 0; i < 3; i++)
        LW_TRY(take_int(r, 3 + i, &block[i]));
    LW_TRY(take_size(r, 6, &k->shared_bytes));
    LW_TRY(take_int(r, 7, &dynamic));
    LW_TRY(take_size(r, 8, &k->arg_bytes));
    k->block = (lw_dim3){(uint32_t)block[0], (uint32_t)block[1], (uint32_t)block[2]};
    k->uses_dynamic = dynamic != 0;
    k->first_param = r->out->param_count;
    r->out->kernel_count++;
    return LW_OK;
}

static lw_status take_align(struct reader *r)
{
    if (!r->out->kernel_count)
        return broken(r, "there is no kernel above it");
    size_t align;
    LW_TRY(take_size(r, 0, &align));
    if (align <= LW_SHARED_ALIGN_MIN || align > LW_SHARED_ALIGN || (align & (align - 1)))
        return broken(r, "block memory cannot be aligned so");
    r->out->kernels[r->out->kernel_count - 1].shared_align = align;
    return LW_OK;
}

static lw_status take_addresses(struct reader *r)
{
    if (!r->out->kernel_count)
        return broken(r, "there is no kernel above it");
    r->out->kernels[r->out->kernel_count - 1].follows_addresses = true;
    return LW_OK;
}

static lw_status take_param(struct reader *r)
{
    struct lw__manifest_param *p = &r->out->params[r->out->param_count];

    if (!r->out->kernel_count)
        return broken(r, "there is no kernel above it");
    struct lw__manifest_kernel *k = &r->out->kernels[r->out->kernel_count - 1];
    *p = (struct lw__manifest_param){
        .name = r->field[0], .type = r->field[1], .layout = r->field[2]};
    LW_TRY(take_size(r, 3, &p->offset));
    LW_TRY(take_size(r, 4, &p->size));
    LW_TRY(take_int(r, 5, &p->dims));
    if (p->offset > k->arg_bytes || p->size > k->arg_bytes - p->offset)
        return broken(r, "it lies outside the packed arguments");
    if (p->dims > DIMS_MAX)
        return broken(r, "it has too many declared sizes");
    k->param_count++;
    r->out->param_count++;
    assert(k->first_param + k->param_count + k->symbol_count == r->out->param_count);
    return LW_OK;
}

/* The param row above is of a variable of the device, which come last. */
static lw_status take_symbol(struct reader *r)
{
    struct lw__manifest_kernel *k =
        r->out->kernel_count ? &r->out->kernels[r->out->kernel_count - 1] : NULL;

    if (!k || !k->param_count)
        return broken(r, "there is no parameter above it");
    struct lw__manifest_param *p = &r->out->params[r->out->param_count - 1];
    LW_TRY(take_size(r, 0, &p->symbol_bytes));
    p->is_symbol = true;
    k->param_count--;
    k->symbol_count++;
    return LW_OK;
}

static lw_status take_alias(struct reader *r)
{
    if (!r->out->kernel_count)
        return broken(r, "there is no kernel above it");
    r->out->kernels[r->out->kernel_count - 1].alias = r->field[0];
    return LW_OK;
}

static lw_status take_refused(struct reader *r)
{
    struct lw__manifest_refused *k = &r->out->refused[r->out->refused_count];

    *k = (struct lw__manifest_refused){
        .name = r->field[0], .file = r->field[1], .text = r->field[4]};
    LW_TRY(take_int(r, 2, &k->line));
    LW_TRY(take_int(r, 3, &k->column));
    r->out->refused_count++;
    return LW_OK;
}

static lw_status take_site(struct reader *r)
{
    struct lw__manifest_site *s = &r->out->sites[r->out->site_count];

    *s = (struct lw__manifest_site){.file = r->field[0], .what = r->field[3]};
    LW_TRY(take_int(r, 1, &s->line));
    LW_TRY(take_int(r, 2, &s->column));
    r->out->site_count++;
    return LW_OK;
}

static lw_status take_version(struct reader *r)
{
    int version = 0;

    LW_TRY(take_int(r, 0, &version));
    return version == LW_MANIFEST_VERSION ? LW_OK : broken(r, "it is of another version");
}

static lw_status take_end(struct reader *r)
{
    return take_size(r, 0, &r->out->payload_bytes);
}

enum row_kind {
    ROW_HEAD,
    ROW_DIAG,
    ROW_SHOWN,
    ROW_DEP,
    ROW_KERNEL,
    ROW_ALIGN,
    ROW_ADDRESSES,
    ROW_PARAM,
    ROW_SYMBOL,
    ROW_ALIAS,
    ROW_REFUSED,
    ROW_SITE,
    ROW_END,
    ROW_KINDS
};

static const struct {
    const char *tag;
    int fields; /* after the tag */
    lw_status (*take)(struct reader *r);
} rows[ROW_KINDS] = {
    [ROW_HEAD] = {"lanewise-manifest", 1, take_version},
    [ROW_DIAG] = {"diag", 5, take_diag},
    [ROW_SHOWN] = {"shown", 1, take_shown},
    [ROW_DEP] = {"dep", 2, take_dep},
    [ROW_KERNEL] = {"kernel", 9, take_kernel},
    [ROW_ALIGN] = {"align", 1, take_align},
    [ROW_ADDRESSES] = {"addresses", 1, take_addresses},
    [ROW_PARAM] = {"param", 6, take_param},
    [ROW_SYMBOL] = {"symbol", 1, take_symbol},
    [ROW_ALIAS] = {"alias", 1, take_alias},
    [ROW_REFUSED] = {"refused", 5, take_refused},
    [ROW_SITE] = {"site", 4, take_site},
    [ROW_END] = {"end", 1, take_end},
};

static enum row_kind row_of(const char *line)
{
    for (int i = 0; i < ROW_KINDS; i++) {
        size_t length = strlen(rows[i].tag);

        if (!strncmp(line, rows[i].tag, length) && line[length] == '\t')
            return (enum row_kind)i;
    }
    return ROW_KINDS;
}

/* Undo the escapes in place; false at one that does not exist. */
static bool unescape(char *field)
{
    char *to = field;

    for (const char *from = field; *from; from++) {
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from != 't' && *from != 'n' && *from != '\\')
            return false;
        *to++ = *from == 't' ? '\t' : *from == 'n' ? '\n' : '\\';
    }
    *to = '\0';
    return true;
}

/* Cut a line, already NUL-terminated, into the fields its kind has. */
static lw_status split(struct reader *r, char *line, enum row_kind kind)
{
    char *next = strchr(line, '\t');

    for (int i = 0; i < rows[kind].fields; i++) {
        if (!next)
            return broken(r, "fields are missing");
        *next = '\0';
        r->field[i] = next + 1;
        next = strchr(next + 1, '\t');
    }
    if (next)
        return broken(r, "it has too many fields");
    for (int i = 0; i < rows[kind].fields; i++)
        if (!unescape(r->field[i]))
            return broken(r, "an escape is unknown");
    return LW_OK;
}

/* First pass: how many rows of each kind up to the end row, and where the text ends. */
static bool survey(const char *bytes, size_t length, size_t counts[ROW_KINDS], size_t *text_bytes)
{
    const char *line = bytes, *newline;

    while ((newline = memchr(line, '\n', length - (size_t)(line - bytes)))) {
        enum row_kind kind = row_of(line);

        if (memchr(line, '\0', (size_t)(newline - line)))
            return false;
        if (kind != ROW_KINDS)
            counts[kind]++;
        line = newline + 1;
        *text_bytes = (size_t)(line - bytes);
        if (kind == ROW_END)
            return true;
    }
    return false;
}

static bool allocate(struct lw__manifest *m, const char *bytes, const size_t counts[ROW_KINDS])
{
    m->text = malloc(m->text_bytes + 1);
    m->diags = calloc(counts[ROW_DIAG] + 1, sizeof *m->diags);
    m->deps = calloc(counts[ROW_DEP] + 1, sizeof *m->deps);
    m->kernels = calloc(counts[ROW_KERNEL] + 1, sizeof *m->kernels);
    m->params = calloc(counts[ROW_PARAM] + 1, sizeof *m->params);
    m->sites = calloc(counts[ROW_SITE] + 1, sizeof *m->sites);
    m->refused = calloc(counts[ROW_REFUSED] + 1, sizeof *m->refused);
    if (!m->text || !m->diags || !m->deps || !m->kernels || !m->params || !m->sites || !m->refused)
        return false;
    memcpy(m->text, bytes, m->text_bytes);
    m->text[m->text_bytes] = '\0';
    return true;
}

/* Second pass. */
static lw_status take_rows(struct reader *r)
{
    char *line = r->out->text, *newline;

    for (; (newline = strchr(line, '\n')); line = newline + 1) {
        enum row_kind kind = row_of(line);

        *newline = '\0';
        r->line++;
        r->tag = kind == ROW_KINDS ? "?" : rows[kind].tag;
        if (kind == ROW_KINDS)
            return broken(r, "the row is unknown");
        if ((kind == ROW_HEAD) != (r->line == 1))
            return broken(r, "the version row must come first, and once");
        LW_TRY(split(r, line, kind));
        LW_TRY(rows[kind].take(r));
    }
    return LW_OK;
}

/* row_of may look a tag's length past a short last line, so it is only given terminated text:
 * length bytes must be followed by a NUL, as lw__bytes promises. */
lw_status lw__manifest_parse(const char *bytes, size_t length, struct lw__manifest *manifest,
                             char why[LW_MANIFEST_WHY])
{
    struct reader r = {.out = manifest, .why = why, .tag = "?"};
    size_t counts[ROW_KINDS] = {0};

    *manifest = (struct lw__manifest){0};
    if (!survey(bytes, length, counts, &manifest->text_bytes)) {
        snprintf(why, LW_MANIFEST_WHY, "the compiler's manifest is cut off: %zu bytes, no end row",
                 length);
        return LW_E_INTERNAL;
    }
    if (!allocate(manifest, bytes, counts)) {
        snprintf(why, LW_MANIFEST_WHY, "out of memory: a manifest of %zu bytes", length);
        return LW_E_MEMORY;
    }
    LW_TRY(take_rows(&r));
    assert(manifest->diag_count == counts[ROW_DIAG] && manifest->dep_count == counts[ROW_DEP]);
    assert(manifest->kernel_count == counts[ROW_KERNEL]);
    assert(manifest->param_count == counts[ROW_PARAM] && manifest->site_count == counts[ROW_SITE]);
    if (manifest->payload_bytes != length - manifest->text_bytes) {
        snprintf(why, LW_MANIFEST_WHY,
                 "the compiler's manifest is damaged: it promises %zu bytes of code, %zu follow",
                 manifest->payload_bytes, length - manifest->text_bytes);
        return LW_E_INTERNAL;
    }
    return LW_OK;
}

void lw__manifest_free(struct lw__manifest *manifest)
{
    free(manifest->refused);
    free(manifest->text);
    free(manifest->diags);
    free(manifest->deps);
    free(manifest->kernels);
    free(manifest->params);
    free(manifest->sites);
    *manifest = (struct lw__manifest){0};
}
