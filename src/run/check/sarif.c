/* sarif.c - findings as a log of SARIF 2.1.0, which code hosts show beside the lines.
 *
 * A finding is recognised in the next version by its fingerprint: the class and the text of its
 * lines without blanks, and a number where there are several alike in a file. So lines that are
 * added elsewhere, and another indentation, change none.
 *
 * source   OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"
 */
#include "run/check/check.h"
#include "text/json.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_text(struct lw__text *to, const char *name, const char *text)
{
    lw__text_add(to, "\"%s\": {\"text\": ", name);
    lw__json_add(to, text);
    lw__text_add(to, "}");
}

/* ---- rules ----------------------------------------------------------------------------------- */

static size_t rule_of(const char *class)
{
    size_t i = 0;
    const char *name, *about;
    bool warning;
    while (lw__check_about(i, &name, &about, &warning) && strcmp(name, class))
        i++;
    return i;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* A file below the working folder is named from there, as a code host knows it. */
static void add_uri(struct lw__text *to, const char *file)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    char *folder = file[0] == '/' ? getcwd(NULL, 0) : NULL;
    const size_t length = folder ? strlen(folder) : 0;
    if (length && !strncmp(file, folder, length) && file[length] == '/')
        file += length + 1;
    free(folder);
    while (!strncmp(file, "./", 2))
        file += 2;
    if (file[0] == '/')
        lw__text_add(to, "file://");
    for (; *file; file++)
        lw__text_add(to, strchr(plain, *file) ? "%c" : "%%%02X", (unsigned char)*file);
}

/* The compiler counts bytes, the log counts what UTF-16 takes. line: NULL where it is not known. */
static int column_of(const lw_place *place, const char *line)
{
    int column = 1;
    if (!line || place->column < 1)
        return place->column < 1 ? 1 : place->column;
    for (int i = 0; i < place->column - 1 && line[i]; i++) {
        const unsigned char byte = (unsigned char)line[i];
        const bool goes_on = (byte & 0xc0) == 0x80, is_pair = byte >= 0xf0;
        column += goes_on ? 0 : is_pair ? 2 : 1;
    }
    return column;
}

static void add_location(struct lw__text *to, const lw_place *place, const char *line)
{
    lw__text_add(to, "\"physicalLocation\": {\"artifactLocation\": {\"uri\": \"");
    add_uri(to, place->file);
    lw__text_add(to, "\"}");
    if (place->line > 0)
        lw__text_add(to, ", \"region\": {\"startLine\": %d, \"startColumn\": %d}", place->line,
                     column_of(place, line));
    lw__text_add(to, "}");
}

/* ---- fingerprints ---------------------------------------------------------------------------- */

static uint64_t hash_line(uint64_t hash, const char *line)
{
    for (; line && *line; line++)
        if (*line != ' ' && *line != '\t')
            hash = lw__hash(hash, line, 1);
    return lw__hash(hash, "", 1);
}

static uint64_t fingerprint(const struct lw__told *told)
{
    uint64_t hash = lw__hash(LW_HASH_START, told->finding.name, strlen(told->finding.name));
    hash = hash_line(hash, told->line);
    return told->finding.other.file ? hash_line(hash, told->other_line) : hash;
}

/* A finding with its fingerprint, and its number among the ones of a file that have the same. */
struct print {
    uint64_t hash;
    size_t index, number; /* number: from 1 */
    struct lw__told told;
};

static int by_hash(const void *a, const void *b)
{
    const struct print *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    const int files = strcmp(x->told.finding.at.file, y->told.finding.at.file);
    return files ? files : x->index < y->index ? -1 : x->index > y->index;
}

static int by_index(const void *a, const void *b)
{
    const struct print *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* All findings, in their order. owns: free(*prints). False: memory is short. */
static bool make_prints(struct lw__findings *findings, struct print **prints, size_t *count)
{
    const struct lw__findings_row *row = NULL;
    size_t capacity = 0, n = 0;
    struct print *made = NULL;
    struct lw__told told;
    while (findings && lw__findings_next(findings, &row, &told)) {
        if (n == capacity) {
            capacity = capacity ? 2 * capacity : 16;
            struct print *more = realloc(made, capacity * sizeof *more);
            if (!more) {
                free(made);
                return false;
            }
            made = more;
        }
        made[n] = (struct print){fingerprint(&told), n, 1, told};
        n++;
    }
    if (n)
        qsort(made, n, sizeof *made, by_hash);
    for (size_t i = 1; i < n; i++)
        if (made[i].hash == made[i - 1].hash &&
            !strcmp(made[i].told.finding.at.file, made[i - 1].told.finding.at.file))
            made[i].number = made[i - 1].number + 1;
    if (n)
        qsort(made, n, sizeof *made, by_index);
    *prints = made;
    *count = n;
    return true;
}

/* ---- results --------------------------------------------------------------------------------- */

static void add_result(struct lw__text *to, const struct print *print)
{
    const struct lw__told *told = &print->told;
    const lw_finding *f = &told->finding;
    struct lw__text message = {0};
    lw__text_add(&message, "%s. Fix: %s.", f->message, f->fix);
    lw__text_add(to, "%s\n   {\"ruleId\": \"%s\", \"ruleIndex\": %zu, \"level\": \"%s\",\n    ",
                 print->index ? "," : "", f->name, rule_of(f->name),
                 f->warning ? "warning" : "error");
    add_text(to, "message", message.data ? message.data : f->message);
    lw__text_add(to, ",\n    \"locations\": [{");
    add_location(to, &f->at, told->line);
    lw__text_add(to, "}]");
    if (f->other.file) {
        lw__text_add(to, ",\n    \"relatedLocations\": [{\"id\": 1, ");
        add_location(to, &told->finding.other, told->other_line);
        lw__text_add(to, ", ");
        add_text(to, "message", "the other place");
        lw__text_add(to, "}]");
    }
    lw__text_add(to,
                 ",\n    \"partialFingerprints\": {\"primaryLocationLineHash\": "
                 "\"%016" PRIx64 ":%zu\"},\n    \"occurrenceCount\": %zu",
                 print->hash, print->number, f->count);
    if (f->stack_count) {
        lw__text_add(to, ",\n    \"stacks\": [{\"frames\": [");
        for (size_t i = 0; i < f->stack_count; i++) {
            lw__text_add(to, "%s{\"location\": {", i ? ", " : "");
            add_location(to, &f->stack[i], NULL);
            lw__text_add(to, "}}");
        }
        lw__text_add(to, "]}]");
    }
    if (told->suppressed_by) {
        lw__text_add(to, ",\n    \"suppressions\": [{\"kind\": \"%s\", \"justification\": ",
                     told->is_by_source ? "inSource" : "external");
        lw__json_add(to, told->suppressed_by);
        lw__text_add(to, "}]");
    }
    const lw_dim3 b = f->at.block, t = f->at.thread;
    lw__text_add(to, ",\n    \"properties\": {\"kernel\": ");
    lw__json_add(to, f->kernel);
    lw__text_add(to, ", \"block\": [%u, %u, %u], \"thread\": [%u, %u, %u], \"fix\": ", b.x, b.y,
                 b.z, t.x, t.y, t.z);
    lw__json_add(to, f->fix);
    lw__text_add(to, "}");
    lw__text_add(to, "}");
    to->failed |= message.failed;
    lw__text_free(&message);
}

/* ---- the log --------------------------------------------------------------------------------- */

void lw__check_sarif(struct lw__text *to, struct lw__findings *findings, lw_check_verdict verdict,
                     const char *why)
{
    struct print *prints = NULL;
    size_t count = 0;
    to->failed |= !make_prints(findings, &prints, &count);
    lw__text_add(
        to, "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
            " \"version\": \"2.1.0\",\n \"runs\": [{\n"
            "  \"tool\": {\"driver\": {\"name\": \"lanewise check\", \"version\": \"" LW_VERSION
            "\",\n   \"rules\": [");
    const char *name, *about;
    bool warning;
    for (size_t i = 0; lw__check_about(i, &name, &about, &warning); i++) {
        lw__text_add(to, "%s\n    {\"id\": \"%s\", ", i ? "," : "", name);
        add_text(to, "shortDescription", about);
        lw__text_add(to, ", \"defaultConfiguration\": {\"level\": \"%s\"}}",
                     warning ? "warning" : "error");
    }
    lw__text_add(to, "]}},\n");
    /* Whether it ran: a log without results means clean only where it did. */
    const bool ran = verdict != LW_CHECK_NOT_CHECKED;
    lw__text_add(to, "  \"invocations\": [{\"executionSuccessful\": %s", ran ? "true" : "false");
    lw__text_add(to, ",\n   \"toolExecutionNotifications\": [{\"level\": \"%s\", ",
                 ran ? "note" : "error");
    add_text(to, "message", why);
    lw__text_add(to, "}]}],\n");
    lw__text_add(to, "  \"columnKind\": \"utf16CodeUnits\",\n  \"results\": [");
    for (size_t i = 0; i < count; i++)
        add_result(to, &prints[i]);
    lw__text_add(to, "]}]}\n");
    free(prints);
}
