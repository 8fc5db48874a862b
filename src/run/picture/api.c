/* api.c - lanewise/picture.h. */
#include "run/picture/picture.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* page.S: page.html, and where the recording belongs in it. */
extern const char lw__picture_page[], lw__picture_page_end[];
static const char place[] = "/*RECORDING*/";

/* ---- begin ----------------------------------------------------------------------------------- */

static lw_status copy_options(struct lw__recording *r, const lw_picture_options *o)
{
    r->at = o->block;
    r->steps_max = o->steps ? o->steps : LW_PICTURE_STEPS;
    r->counts_only = o->counts_only;
    if (o->source && !(r->source = lw__copy_string(o->source)))
        return lw__fail(LW_E_MEMORY, "out of memory: the text of a recording");
    if (o->trace_count && !o->traces)
        return lw__fail(LW_E_ARG, "the list of traces is NULL, its count is %zu", o->trace_count);
    r->traces = calloc(o->trace_count + 1, sizeof *r->traces);
    for (size_t i = 0; r->traces && i < o->trace_count; i++, r->trace_count++) {
        if (!o->traces[i])
            return lw__fail(LW_E_ARG, "traces[%zu] is NULL", i);
        if (!(r->traces[i] = lw__copy_string(o->traces[i])))
            return lw__fail(LW_E_MEMORY, "out of memory: the name of a trace");
    }
    return r->traces ? LW_OK : lw__fail(LW_E_MEMORY, "out of memory: a recording");
}

lw_status lw_picture_begin(lw_stream *stream, const lw_picture_options *options)
{
    const lw_picture_options none = {0};
    if (!stream)
        return lw__fail(LW_E_ARG, "the stream is NULL");
    if (!stream->device->ops->picture_target)
        return lw__fail(LW_E_UNSUPPORTED, "pictures are of devices 'ref' and 'check', not of '%s'",
                        stream->device->ops->info.name);
    struct lw__recording *r = calloc(1, sizeof *r);
    if (!r)
        return lw__fail(LW_E_MEMORY, "out of memory: a recording");
    lw_status status = copy_options(r, options ? options : &none);
    if (status) {
        lw__recording_free(r);
        return status;
    }
    lw__lock();
    const bool is_idle = stream->finished == stream->queued;
    void *old = is_idle ? stream->picture_recording : r;
    if (is_idle) {
        stream->picture = &lw__picture_recorder;
        stream->picture_recording = r;
        stream->picture_free = lw__recording_free;
    }
    lw__unlock();
    lw__recording_free(old);
    return is_idle ? LW_OK : lw__fail(LW_E_ARG, "launches of the stream still run");
}

/* ---- files ----------------------------------------------------------------------------------- */

static lw_status find(lw_stream *stream, struct lw__recording **r)
{
    if (!stream)
        return lw__fail(LW_E_ARG, "the stream is NULL");
    lw__lock();
    *r = stream->picture ? stream->picture_recording : NULL;
    const bool is_idle = stream->finished == stream->queued;
    lw__unlock();
    if (!is_idle)
        return lw__fail(LW_E_ARG, "launches of the stream still run");
    if (!*r || !(*r)->is_used)
        return lw__fail(LW_E_ARG, "no launch was recorded");
    if ((*r)->failed)
        return lw__fail(LW_E_MEMORY, "out of memory: the recording");
    return LW_OK;
}

static lw_status find_block(lw_stream *stream, struct lw__recording **r)
{
    LW_TRY(find(stream, r));
    const struct lw__recording *x = *r;
    if (x->counts_only)
        return lw__fail(LW_E_ARG, "the launch was only counted");
    if (x->at.x >= x->grid.x || x->at.y >= x->grid.y || x->at.z >= x->grid.z)
        return lw__fail(LW_E_ARG, "the grid is (%u,%u,%u): it has no block (%u,%u,%u)", x->grid.x,
                        x->grid.y, x->grid.z, x->at.x, x->at.y, x->at.z);
    if (!x->is_found)
        return lw__fail(LW_E_ARG, "the launch ended before block (%u,%u,%u) began", x->at.x,
                        x->at.y, x->at.z);
    return LW_OK;
}

/* In a script of a page "</" would end it. */
static void add_page(struct lw__text *to, const struct lw__text *json)
{
    const size_t bytes = (size_t)(lw__picture_page_end - lw__picture_page);
    const char *hole = memmem(lw__picture_page, bytes, place, sizeof place - 1);
    lw__text_add_bytes(to, lw__picture_page, (size_t)(hole - lw__picture_page));
    for (size_t i = 0; i < json->length; i++) {
        if (json->data[i] == '<')
            lw__text_add(to, "\\u003c");
        else
            lw__text_add_bytes(to, json->data + i, 1);
    }
    hole += sizeof place - 1;
    lw__text_add_bytes(to, hole, (size_t)(lw__picture_page_end - hole));
}

static void compose(struct lw__text *to, struct lw__recording *r, lw_picture_format format,
                    struct lw__findings *findings)
{
    struct lw__text json = {0};
    if (format == LW_PICTURE_SVG) {
        lw__picture_svg(to, r, findings);
        return;
    }
    lw__picture_json(format == LW_PICTURE_JSON ? to : &json, r, findings);
    if (format == LW_PICTURE_HTML && !json.failed)
        add_page(to, &json);
    to->failed |= json.failed;
    lw__text_free(&json);
}

lw_status lw_picture_write(lw_stream *stream, lw_picture_format format, const char *path)
{
    struct lw__text text = {0};
    if (!path)
        return lw__fail(LW_E_ARG, "the path is NULL");
    if (format != LW_PICTURE_JSON && format != LW_PICTURE_HTML && format != LW_PICTURE_SVG)
        return lw__fail(LW_E_ARG,
                        "%d is no format; need LW_PICTURE_JSON, LW_PICTURE_HTML or LW_PICTURE_SVG",
                        (int)format);
    struct lw__recording *r;
    LW_TRY(find_block(stream, &r));
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return lw__fail(LW_E_MEMORY, "out of memory: the picture");
    locale_t own = uselocale(plain);
    compose(&text, r, format, stream->findings);
    uselocale(own);
    freelocale(plain);
    lw_status status = text.failed ? lw__fail(LW_E_MEMORY, "out of memory: the picture")
                                   : lw__write_file(path, text.data, text.length);
    lw__text_free(&text);
    return status;
}

const char *lw_picture_why_cut(lw_stream *stream)
{
    struct lw__recording *r;
    return !find(stream, &r) && r->is_cut ? r->cut : NULL;
}

lw_status lw_picture_get_counts(lw_stream *stream, lw_picture_counts *counts)
{
    if (!counts)
        return lw__fail(LW_E_ARG, "the place for the counts is NULL");
    *counts = (lw_picture_counts){0};
    struct lw__recording *r;
    LW_TRY(find(stream, &r));
    *counts = r->counts;
    return LW_OK;
}
