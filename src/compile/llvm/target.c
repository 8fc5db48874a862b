/* target.c - the targets by their names, and what follows from a row of targets.def. */
#include "compile/llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

/* `lanewise cc` makes all levels of the processor that it runs on. */
#if defined(__aarch64__)
enum { LW_ALL_X86_64 = 0, LW_ALL_AARCH64 = LW_IN_ALL_IMAGES };
#else
enum { LW_ALL_X86_64 = LW_IN_ALL_IMAGES, LW_ALL_AARCH64 = 0 };
#endif

static const struct lw__target targets[] = {
#define LW_TARGET(...) {__VA_ARGS__},
#include "compile/llvm/targets.def"
};
enum { TARGET_COUNT = sizeof targets / sizeof *targets };

const struct lw__target *lw__target_next(const struct lw__target *target, unsigned has)
{
    for (target = target ? target + 1 : targets; target < targets + TARGET_COUNT; target++)
        if ((target->has & has) == has)
            return target;
    return NULL;
}

/* N after the slash; 0: it is no size of a gang. */
static uint32_t gang_of(const char *digits)
{
    char *end;
    const unsigned long n = strtoul(digits, &end, 10);
    return *end || n % 32 || n > UINT32_MAX ? 0 : (uint32_t)n;
}

const struct lw__target *lw__target_find(const char *device, uint32_t *gang)
{
    const size_t length = strcspn(device, "/");
    *gang = device[length] ? gang_of(device + length + 1) : 0;
    if (device[length] && !*gang)
        return NULL;
    for (const struct lw__target *t = targets; t < targets + TARGET_COUNT; t++)
        if (strlen(t->name) == length && !strncmp(t->name, device, length))
            return *gang && !(t->has & LW_HAS_GANGS) ? NULL : t;
    return NULL;
}

bool lw__target_choose(struct lw__unit *unit)
{
    const char *device = unit->options->device;
    unit->target = lw__target_find(device ? device : "null", &unit->gang);
    return unit->target;
}

void lw__target_names(struct lw__text *text, const char *of, unsigned has)
{
    const size_t length = strcspn(of, ":/");
    const char *last = NULL;
    for (const struct lw__target *t = lw__target_next(NULL, has); t; t = lw__target_next(t, has))
        if (!length || (!strncmp(t->name, of, length) && t->name[length] == ':')) {
            if (last)
                lw__text_add(text, "%s%s", text->length ? ", " : "", last);
            last = t->name;
        }
    if (last)
        lw__text_add(text, "%s%s", text->length ? " or " : "", last);
}

bool lw__spmd_has_native(const struct lw__unit *unit, const char *name)
{
    switch (lw__native_of(name)) {
    case LW_NATIVE_NONE: return false;
    case LW_NATIVE_SCALE: return lw__has(unit, LW_HAS_SCALEF);
    default: return unit->target->lanes > 1;
    }
}

bool lw__is_for_aarch64(const struct lw__unit *unit)
{
    return !strcmp(unit->target->triple, LW_AARCH64);
}

bool lw__target_machine(struct lw__unit *unit, LLVMCodeGenOptLevel effort)
{
    const struct lw__target *t = unit->target;
    return lw__llvm_machine(unit, t->triple, t->processor, t->features, effort);
}

uint32_t lw__spmd_pieces(const struct lw__unit *unit, const struct lw__kernel *kernel)
{
    const uint32_t *block = kernel->block, width = unit->target->lanes;
    return (block[0] * block[1] * block[2] + width - 1) / width;
}
