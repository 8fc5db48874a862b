/* report.c - what a launch on a GPU leaves behind: prints, failed asserts and
 * refused accesses.
 *
 * Texts stay in the GPU's memory; their addresses are those of the same bytes in the copy that
 * code.c has made. A record that points elsewhere was overwritten by the kernel: reading ends
 * there, and what is left counts as lost.
 */
#include "run/gpu/gpu.h"
#include <stdlib.h>
#include <string.h>

static const char damaged[] = "(overwritten)";

static bool has_text(const struct lw__gpu_code *c, uint64_t address)
{
    return address >= c->text_address && address - c->text_address < c->text_bytes;
}

static const char *text_at(const struct lw__gpu_code *c, uint64_t address)
{
    return has_text(c, address) ? c->text + (address - c->text_address) : damaged;
}

/* The text of a %s, of the constants of the program. */
static const char *find_text(const void *user, uint64_t address, size_t most)
{
    (void)most;
    if (!address)
        return "(null)";
    return has_text(user, address) ? text_at(user, address) : "(not a constant)";
}

/* ---- prints ---- */

/* Format the record at `from`, of which `room` bytes are there; *bytes is its size. */
static bool print(const struct lw__launch *l, const char *from, size_t room, size_t *bytes,
                  bool *is_whole)
{
    const struct lw__gpu_code *c = l->code;
    struct lw__print_texts texts = {.find = find_text, .user = c};
    int32_t block[3], thread[3];

    struct lw_cuda_print head;
    *is_whole = room >= sizeof head;
    if (!*is_whole)
        return true;
    memcpy(&head, from, sizeof head);
    *bytes = sizeof head + 8 * (size_t)head.count;
    *is_whole = room >= *bytes && has_text(c, head.format);
    if (!*is_whole)
        return true;
    lw__place(l->grid, head.block, block);
    lw__place(l->block, head.thread, thread);
    return lw__print_plainly(l->output, block, thread, text_at(c, head.format), head.count,
                             (const uint64_t *)(const void *)(from + sizeof head), &texts);
}

/* All records in `bytes` bytes, aligned to 8. */
static lw_status print_all(const struct lw__launch *l, const char *records, size_t bytes)
{
    bool is_whole = true;

    for (size_t at = 0, size = 0; at < bytes; at += size) {
        if (!print(l, records + at, bytes - at, &size, &is_whole))
            return lw__fail(LW_E_MEMORY, "kernel '%s': no memory for what it prints", l->kernel);
        if (!is_whole) {
            lw__output_lose(l->output, 1);
            break;
        }
    }
    return LW_OK;
}

static lw_status read_prints(struct lw__gpu_queue *q, const struct lw__launch *l, char *to,
                             size_t bytes)
{
    struct lw__gpu *gpu = q->gpu;

    LW_TRY(lw__gpu_enter(gpu));
    int result = lw__gpu_copied(gpu, gpu->driver->memory_read(to, q->prints, bytes, gpu->copies));
    lw__gpu_leave(gpu);
    return lw__gpu_result(gpu, result, "kernel '%s': what it prints", l->kernel);
}

static lw_status report_prints(struct lw__gpu_queue *q, const struct lw__launch *l,
                               const struct lw_cuda_launch *r)
{
    uint64_t bytes = r->printed < r->print_end ? r->printed : r->print_end;

    bytes = bytes < LW_GPU_PRINT_BYTES ? bytes : LW_GPU_PRINT_BYTES;
    lw_status status;
    char *records;
    if (bytes) {
        records = malloc(bytes);
        if (!records)
            return lw__fail(LW_E_MEMORY, "kernel '%s': no memory for what it prints", l->kernel);
        status = read_prints(q, l, records, bytes);
        if (!status)
            status = print_all(l, records, bytes);
        free(records);
        LW_TRY(status);
    }
    if (r->lost)
        lw__output_lose(l->output, r->lost);
    return LW_OK;
}

/* ---- asserts and refused accesses ---- */

static bool is_before(const struct lw_cuda_failure *a, const struct lw_cuda_failure *b)
{
    return a->block != b->block ? a->block < b->block : a->thread < b->thread;
}

static void add_assert(struct lw__message *m, const struct lw__launch *l,
                       const struct lw_cuda_failure *f, const uint64_t *said)
{
    const struct lw__print_texts texts = {.find = find_text, .user = l->code};
    const struct lw__failed failed = {.text = text_at(l->code, f->expression),
                                      .site = f->site & ~LW_CUDA_SAYS,
                                      .args = f->site & LW_CUDA_SAYS ? said : NULL,
                                      .texts = &texts};
    int32_t block[3], thread[3];

    lw__place(l->grid, f->block, block);
    lw__place(l->block, f->thread, thread);
    lw__message_add_assert(m, l, &failed, block, thread);
}

/* Objects are among the texts. */
static void add_refused(struct lw__message *m, const struct lw__launch *l,
                        const struct lw_cuda_failure *f, const uint64_t *said)
{
    const uint64_t object = said[LW_REFUSED_OBJECT];
    const struct lw__refused refused = {
        .words = said,
        .object = has_text(l->code, object) ? text_at(l->code, object) : NULL,
        .block = f->block,
        .thread = f->thread,
        .site = f->site & ~LW_CUDA_REFUSED,
    };

    lw__message_add_refused(m, l, &refused);
}

static lw_status report_failures(const struct lw__launch *l, const struct lw_cuda_launch *r)
{
    const uint64_t count =
        r->failure_count < LW_CUDA_FAILURES ? r->failure_count : LW_CUDA_FAILURES;
    const struct lw_cuda_failure *first = r->failures;
    struct lw__message m = {0};

    if (!count)
        return LW_OK;
    for (uint64_t i = 1; i < count; i++)
        if (is_before(&r->failures[i], first))
            first = &r->failures[i];
    if (first->site & LW_CUDA_REFUSED)
        add_refused(&m, l, first, r->said[first - r->failures]);
    else
        add_assert(&m, l, first, r->said[first - r->failures]);
    return lw__fail(LW_E_LAUNCH, "%s", m.text);
}

lw_status lw__gpu_report(struct lw__gpu_queue *queue, const struct lw__launch *launch,
                         const struct lw_cuda_launch *record)
{
    const struct lw__gpu_code *c = launch->code;

    if (c->uses & LW_CUDA_PRINTS)
        LW_TRY(report_prints(queue, launch, record));
    return c->uses & LW_CUDA_FAILS ? report_failures(launch, record) : LW_OK;
}
