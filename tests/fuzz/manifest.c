/* manifest.c - any bytes as the compiler's result. What is accepted has all its strings in place,
 * parameters inside their kernel's arguments and layouts that both readers understand alike.
 */
#include "base/manifest_read.h"
#include "fuzz_layout.h"

static void ensure_text(const struct lw__manifest *m, const char *text)
{
    ENSURE(text >= m->text && text + strlen(text) <= m->text + m->text_bytes);
}

static void ensure_kernels(const struct lw__manifest *m)
{
    size_t params = 0;
    for (size_t i = 0; i < m->kernel_count; i++) {
        const struct lw__manifest_kernel *k = &m->kernels[i];
        ensure_text(m, k->name);
        ensure_text(m, k->signature);
        ENSURE(k->first_param == params);
        params += k->param_count;
        for (size_t j = k->first_param; j < params; j++) {
            const struct lw__manifest_param *p = &m->params[j];
            ENSURE(p->offset <= k->arg_bytes && p->size <= k->arg_bytes - p->offset);
            ensure_text(m, p->name);
            ensure_text(m, p->type);
            ensure_layout(p->layout);
        }
    }
    ENSURE(params == m->param_count);
}

static void ensure_rows(const struct lw__manifest *m)
{
    for (size_t i = 0; i < m->diag_count; i++) {
        ensure_text(m, m->diags[i].severity);
        ensure_text(m, m->diags[i].file);
        ensure_text(m, m->diags[i].text);
    }
    for (size_t i = 0; i < m->dep_count; i++)
        ensure_text(m, m->deps[i].path);
    for (size_t i = 0; i < m->site_count; i++) {
        ensure_text(m, m->sites[i].file);
        ensure_text(m, m->sites[i].what);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char *text = exact(bytes, count);
    struct lw__manifest m;
    lw_status status = lw__manifest_read(text, count, &m);
    free(text); /* the manifest has a copy */
    ENSURE(status == LW_OK || status == LW_E_INTERNAL);
    ENSURE(status == LW_OK || lw_last_error()[0]);
    if (status == LW_OK) {
        ENSURE(m.text_bytes + m.payload_bytes == count);
        ensure_kernels(&m);
        ensure_rows(&m);
    }
    lw__manifest_free(&m);
    return 0;
}
