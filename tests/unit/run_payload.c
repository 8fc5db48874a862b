/* run_payload.c - a payload for `ref` written by hand: the kernel `twice` of run_payload_load.c,
 * void twice(float *out, const float *a, int n), n declared for both.
 */
#include "base/ref_abi.h"
#include <string.h>

void *twice(struct lw_ref_thread *t) __asm__("lw.ref.twice");
void resume(void *handle) __asm__("lw.resume");
void sizes(const char *args, int64_t *out) __asm__("lw.sizes.twice");

void *twice(struct lw_ref_thread *t)
{
    struct {
        float *out;
        const float *a;
        int n;
    } p;
    int i = t->block_idx[0] * t->block_dim[0] + t->thread_idx[0];
    void *frame = t->calls->frame(t, 16, 16);

    if (!frame)
        return NULL;
    memcpy(&p, t->args, 20);
    if (i < p.n)
        p.out[i] = 2 * p.a[i];
    t->state = LW_REF_RETURNED;
    return frame;
}

void resume(void *handle)
{
    (void)handle;
}

void sizes(const char *args, int64_t *out)
{
    int n;

    memcpy(&n, args + 16, sizeof n);
    out[0] = out[1] = n;
}

/* What its pointers may point into is not checked: it has a table of one row, of nothing. */
static const struct lw_ref_row nothing = {.name = "", .kind = LW_REF_NOTHING};
extern const struct lw_ref_kernel objects __asm__("lw.objects.twice");
const struct lw_ref_kernel objects = {twice, 1, 1, &nothing, 0};
