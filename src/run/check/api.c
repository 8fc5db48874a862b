/* api.c - lanewise/check.h: the findings of a stream, and its verdict.
 */
#include "run/check/check.h"
#include "text/json.h"
#include <stdio.h>

static struct lw__findings *findings_of(const lw_stream *stream)
{
    return stream ? stream->findings : NULL;
}

void lw_check_findings(lw_stream *stream, void (*fn)(const lw_finding *finding, void *user),
                       void *user)
{
    struct lw__findings *all = findings_of(stream);
    const struct lw__findings_row *row = NULL;
    struct lw__told told;
    while (all && fn && lw__findings_next(all, &row, &told))
        if (!told.suppressed_by)
            fn(&told.finding, user);
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static const char *reason(lw_status status)
{
    (void)status;
    return lw_last_error();
}

/* Each text is the thread's last message: it lives as that does. */
static const char *covered(const struct lw__coverage *c)
{
    enum { HASHED = 3 }; /* with so many schedules one is hashed */
    struct lw__message m = {0};
    lw__message_add(&m, "%d schedule%s", c->schedules, c->schedules == 1 ? "" : "s");
    if (c->schedules >= HASHED)
        lw__message_add(&m, " (seed %llu)", (unsigned long long)c->seed);
    if (c->suppressed)
        lw__message_add(&m, ", %zu suppressed", c->suppressed);
    return reason(lw__fail(LW_OK, "%llu launch%s, %llu block%s, %llu access%s, %s",
                           (unsigned long long)c->launches, c->launches == 1 ? "" : "es",
                           (unsigned long long)c->blocks, c->blocks == 1 ? "" : "s",
                           (unsigned long long)c->accesses, c->accesses == 1 ? "" : "es", m.text));
}

static lw_check_verdict judge(lw_stream *stream, const char **why)
{
    struct lw__findings *all = findings_of(stream);
    if (!all) {
        *why = reason(lw__fail(LW_OK, "the stream is not of device 'check'"));
        return LW_CHECK_NOT_CHECKED;
    }
    const struct lw__coverage c = lw__findings_covered(all);
    lw__lock();
    const lw_status failed = lw__stream_failure(stream);
    const bool is_done = stream->finished == stream->queued;
    lw__unlock();
    *why = failed ? lw_last_error() : covered(&c);
    if (c.errors)
        return LW_CHECK_FOUND;
    if (!failed && !is_done)
        *why = reason(lw__fail(LW_OK, "launches of the stream still run"));
    else if (!failed && !c.launches)
        *why = reason(lw__fail(LW_OK, "no launch ran"));
    return failed || !is_done || !c.launches ? LW_CHECK_NOT_CHECKED : LW_CHECK_CLEAN;
}

lw_check_verdict lw_check_get_verdict(lw_stream *stream, const char **why)
{
    const char *ignored;
    return judge(stream, why ? why : &ignored);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *verdict_name(lw_check_verdict verdict)
{
    static const char *const names[] = {"clean", "findings", "not checked"};
    return names[verdict];
}

/* What a writer of a format gets. */
struct report {
    lw_stream *stream;
    lw_check_verdict verdict;
    const char *why;
};

static void write_paragraphs(struct lw__text *to, const struct report *r, bool suppressed)
{
    struct lw__findings *all = findings_of(r->stream);
    const struct lw__findings_row *row = NULL;
    struct lw__told told;
    while (all && lw__findings_next(all, &row, &told)) {
        if (!told.suppressed_by != !suppressed)
            continue;
        lw__check_text(to, &told);
        lw__text_add(to, "\n");
    }
}

static void write_text(struct lw__text *to, const struct report *r)
{
    write_paragraphs(to, r, false);
    lw__text_add(to, "%s: %s\n", verdict_name(r->verdict), r->why);
}

/* Of each access that is proved; *all: with those that are not. */
typedef void write_proof(struct lw__text *to, const struct lw__proof *proof, bool is_first);

static size_t write_proofs(struct lw__text *to, const struct report *r, write_proof *write,
                           size_t *all)
{
    struct lw__findings *findings = findings_of(r->stream);
    const struct lw__findings_proof *row = NULL;
    size_t proved = 0;
    struct lw__proof proof;
    for (*all = 0; findings && lw__findings_next_proof(findings, &row, &proof); ++*all)
        if (proof.is_proved)
            write(to, &proof, !proved++);
    return proved;
}

static void write_proof_text(struct lw__text *to, const struct lw__proof *proof, bool is_first)
{
    (void)is_first;
    lw__text_add(to, "%s:%d:%d: %s of %s: proved in bounds for these sizes\n", proof->file,
                 proof->line, proof->column, proof->access, proof->object);
}

static void write_proof_json(struct lw__text *to, const struct lw__proof *proof, bool is_first)
{
    lw__text_add(to, "%s\n  ", is_first ? "" : ",");
    lw__check_json_proof(to, proof);
}

static void write_verbose(struct lw__text *to, const struct report *r)
{
    const struct lw__coverage c = findings_of(r->stream)
                                      ? lw__findings_covered(findings_of(r->stream))
                                      : (struct lw__coverage){0};
    write_paragraphs(to, r, true);
    if (c.screened)
        lw__text_add(to, "%llu of %llu launches screened\n\n", (unsigned long long)c.screened,
                     (unsigned long long)c.launches);
    size_t all;
    const size_t proved = write_proofs(to, r, write_proof_text, &all);
    if (all)
        lw__text_add(to, "%zu of %zu access%s of buffers proved in bounds\n\n", proved, all,
                     all == 1 ? "" : "es");
    write_text(to, r);
}

static void write_objects(struct lw__text *to, const struct report *r, bool suppressed)
{
    struct lw__findings *all = findings_of(r->stream);
    const struct lw__findings_row *row = NULL;
    const char *before = "\n  ";
    struct lw__told told;
    while (all && lw__findings_next(all, &row, &told)) {
        if (!told.suppressed_by != !suppressed)
            continue;
        lw__text_add(to, "%s", before);
        lw__check_json(to, &told);
        before = ",\n  ";
    }
}

static void write_json(struct lw__text *to, const struct report *r)
{
    lw__text_add(to, "{\"verdict\": \"%s\",\n \"why\": ", verdict_name(r->verdict));
    lw__json_add(to, r->why);
    lw__text_add(to, ",\n \"findings\": [");
    write_objects(to, r, false);
    lw__text_add(to, "],\n \"suppressed\": [");
    write_objects(to, r, true);
    lw__text_add(to, "],\n \"proved\": [");
    size_t all;
    write_proofs(to, r, write_proof_json, &all);
    lw__text_add(to, "]}\n");
}

static void write_sarif(struct lw__text *to, const struct report *r)
{
    lw__check_sarif(to, findings_of(r->stream), r->verdict, r->why);
}

typedef void write_format(struct lw__text *to, const struct report *report);
static write_format *const formats[] = {[LW_CHECK_TEXT] = write_text,
                                        [LW_CHECK_JSON] = write_json,
                                        [LW_CHECK_SARIF] = write_sarif,
                                        [LW_CHECK_VERBOSE] = write_verbose};
enum { FORMATS = sizeof formats / sizeof formats[0] };

lw_status lw_check_write(lw_stream *stream, lw_check_format format, const char *path)
{
    struct lw__text text = {0}, why = {0};
    if (!stream || !path)
        return lw__fail(LW_E_ARG, "the %s is NULL", stream ? "path" : "stream");
    if ((size_t)format >= FORMATS)
        return lw__fail(LW_E_ARG, "%d is no format; need LW_CHECK_TEXT to LW_CHECK_VERBOSE",
                        (int)format);
    const char *reason_text;
    const lw_check_verdict verdict = judge(stream, &reason_text);
    lw__text_add(&why, "%s", reason_text); /* the thread's next message takes its place */
    const struct report report = {stream, verdict, why.data};
    if (!why.failed)
        formats[format](&text, &report);
    lw_status status = why.failed || text.failed
                           ? lw__fail(LW_E_MEMORY, "out of memory: the findings")
                           : lw__write_file(path, text.data, text.length);
    lw__text_free(&why);
    lw__text_free(&text);
    return status;
}
