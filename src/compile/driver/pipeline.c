/* pipeline.c - run the passes of passes.def in order, and check that each has the facts it
 * needs. */
#include "compile/driver/driver.h"
#include "compile/llvm/llvm.h"
#include "compile/ir/ir.h"
#include "compile/front/front.h"
#include "compile/common/common.h"
#include "compile/spmd/prepare/prepare.h"
#include "compile/spmd/gang/gang.h"
#include "compile/instrument/instrument.h"
#include "compile/ref/ref.h"
#include "compile/debugger/debugger.h"
#include "compile/check/check.h"
#include "compile/check/screen/screen.h"
#include "compile/guard/guard.h"
#include "compile/cpu/cpu.h"
#include "compile/gpu/gpu.h"
#include "compile/ptx/ptx.h"
#include "compile/driver/image.h"
#include <assert.h>
#include <llvm-c/IRReader.h>
#include <string.h>

struct pass {
    const char *name;
    bool (*run)(struct lw__unit *unit);
    unsigned needs, makes, breaks;
};

static const struct pass passes[] = {
#define LW_PASS(name, needs, makes, breaks) {#name, lw__pass_##name, needs, makes, breaks},
#include "passes.def"
#undef LW_PASS
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

/* From clang's module to one function a kernel, whose loops have one entry. */
#define TO_KERNELS                                                                                 \
    "signature", "builtin", "refuse", "sizes", "link", "half", "instance", "inline", "enter",      \
        "symbols", "addresses"

/* The passes from text to payload, by the route of the target; TARGET-WORD: when asked for WORD. */
static const struct route {
    const char *name;
    const char *passes[PASS_COUNT + 1];
} routes[] = {
    {"null", {"front", "rows", "plain", TO_KERNELS, "clean", "describe"}},
    {"ref",
     {"front", "rows", "promises", TO_KERNELS, "texts", "access", "clean", "describe", "ref",
      "split", "object", "linked"}},
    {"ref-debug", /* -O0 */
     {"front", "rows", "promises", TO_KERNELS, "texts", "access", "tidy", "describe", "debug",
      "watch", "object", "linked"}},
    {"picture",
     {"front", "rows", "promises", TO_KERNELS, "marks", "texts", "access", "observe", "clean",
      "describe", "check", "split", "object", "linked"}},
    {"check",
     {"front", "rows", "promises", TO_KERNELS, "screen", "declare", "texts", "access", "shadow",
      "observe", "clean", "describe", "check", "split", "object", "linked"}},
    {"cpu",
     {"front", "rows", TO_KERNELS, "forms", "plain", "clean", "describe", "common", "blocks",
      "prepare", "spmd", "optimise", "object", "linked"}},
    {"cpu-common", /* its second step */
     {"load", "blocks", "prepare", "spmd", "optimise", "object", "linked"}},
    {"cpu-common-guarded", /* of the guarded form */
     {"load", "blocks", "guard", "prepare", "spmd", "optimise", "object", "linked"}},
    {"cpu-guarded", /* both steps of that, to be shown */
     {"front", "rows", "promises", TO_KERNELS, "texts", "access", "clean", "describe", "blocks",
      "guard", "prepare", "spmd", "optimise", "object", "linked"}},
    {"cuda",
     {"front", "rows", TO_KERNELS, "forms", "plain", "clean", "describe", "common", "host",
      "object", "linked"}},
    {"cuda-common", {"load", "blocks", "prepare", "converge", "lower", "ptx"}},
    {"cuda-common-guarded", {"load", "blocks", "guard", "prepare", "converge", "lower", "ptx"}},
    {"cuda-guarded",
     {"front", "rows", "promises", TO_KERNELS, "texts", "access", "clean", "describe", "blocks",
      "guard", "prepare", "converge", "lower", "ptx"}},
    {"image", /* ahead of time: the jobs' first steps; each job is one of the next five */
     {"front", "rows", TO_KERNELS, "forms", "plain", "clean", "describe", "image"}},
    {"cpu-image", {"load", "blocks", "prepare", "spmd", "optimise", "hide", "object"}},
    {"cpu-image-guarded",
     {"load", "blocks", "guard", "prepare", "spmd", "optimise", "hide", "object"}},
    {"cpu-image-packed", /* the same, to be loaded when it is needed */
     {"load", "blocks", "guard", "prepare", "spmd", "optimise", "hide", "object", "linked"}},
    {"cuda-image", {"load", "blocks", "prepare", "converge", "lower", "ptx"}},
    {"ref-image",
     {"front", "rows", "promises", TO_KERNELS, "texts", "access", "clean", "ref", "split", "hide",
      "object"}},
    {"cuda-show",
     {"front", "rows", TO_KERNELS, "plain", "clean", "describe", "blocks", "prepare", "converge",
      "lower", "ptx"}},
};

/* The GPUs, by the route of their targets. */
static const struct {
    const char *route;
    const struct lw__gpu_target *gpu;
} gpus[] = {{"cuda", &lw__ptx_gpu}};

/* The stages of `lanewise show`, by the pass after which they are printed; asm and ptx print the
 * payload themselves. Those of one device only are shown for it, whatever device is asked for. */
static const struct stage {
    const char *name, *after, *device;
} stages[] = {{"raw", "front", NULL},
              {"instances", "inline", NULL},
              {"ir", "clean", NULL},
              {"uniform", "prepare", NULL},
              {"widened", "spmd", NULL},
              {"asm", "object", NULL},
              {"converged", "converge", "cuda"},
              {"lowered", "lower", "cuda"},
              {"ptx", "ptx", "cuda"}};

static const struct pass *pass_named(const char *name)
{
    for (size_t i = 0; i < PASS_COUNT; i++)
        if (!strcmp(passes[i].name, name))
            return &passes[i];
    return NULL;
}

#ifndef NDEBUG
/* Each module costs a twentieth of what its passes do; after each pass that comes to a tenth of the
 * compiler's time. So a build with a sanitizer has all of them, others where much was made. */
static bool is_verified_after(const struct lw__unit *unit, const struct pass *pass)
{
    const unsigned milestones =
        FACT_ENTERED | FACT_COMMON | FACT_THREADS | FACT_WIDENED | FACT_FINAL | FACT_LOWERED;
    const bool each = LW_VERIFY_EACH || unit->options->only_pass || unit->options->show;
    return !(unit->facts & FACT_PAYLOAD) && (each || pass->makes & milestones);
}
#endif

static bool run_pass(struct lw__unit *unit, const struct pass *pass)
{
    if ((unit->facts & pass->needs) != pass->needs)
        return lw__defect("pass %s needs facts %#x, there are %#x", pass->name, pass->needs,
                          unit->facts);
    assert(!(pass->makes & pass->breaks));
    lw__where_pass(unit, pass->name);
    if (unit->times)
        lw__times_begin(unit->times, pass->name);
    const bool done = pass->run(unit);
    if (unit->times)
        lw__times_end(unit->times);
    lw__arena_free(&unit->scratch);
    if (!lw__context_is_well(unit) || !done)
        return false;
    unit->facts = (unit->facts & ~pass->breaks) | pass->makes;
#ifdef NDEBUG
    return true;
#else
    return unit->diags.errors || !is_verified_after(unit, pass) || lw__ir_verify(unit, pass->name);
#endif
}

/* --pass: read IR, run one pass, take its needs for granted, and print the module. */
static bool run_only(struct lw__unit *unit)
{
    const struct lw__options *o = unit->options;
    const struct pass *pass = pass_named(o->only_pass);
    char *why = NULL;
    if (!pass)
        return lw__defect("there is no pass '%s'", o->only_pass);
    LLVMMemoryBufferRef buffer;
    if (LLVMCreateMemoryBufferWithContentsOfFile(o->path, &buffer, &why) ||
        LLVMParseIRInContext(unit->context, buffer, &unit->module, &why)) {
        lw__defect("%s: %s", o->path, why);
        LLVMDisposeMessage(why);
        return false;
    }
    unit->facts = pass->needs;
    unit->diags.main_name = o->path;
    /* Take functions with a kernel's convention, each argument in 8 bytes: IR of a test has no
     * signatures. */
    struct lw__kernels *kernels = &unit->kernels;
    EACH_FUNCTION(f, unit->module) {
        if (!LLVMCountBasicBlocks(f) || LLVMGetFunctionCallConv(f) != LLVMWin64CallConv)
            continue;
        size_t length;
        struct lw__kernel *k =
            lw__kernels_add(&unit->arena, kernels, LLVMGetValueName2(f, &length));
        k->function = f;
        memcpy(k->block, unit->options->block, sizeof k->block);
        k->params = lw__new(&unit->arena, LLVMCountParams(f) + 1, sizeof *k->params);
        for (; k->param_count < LLVMCountParams(f); k->param_count++) {
            struct lw__param *p = &k->params[k->param_count];
            *p = (struct lw__param){.offset = 8 * k->param_count, .size = 8, .align = 8};
        }
    }
    if (!run_pass(unit, pass))
        return false;
    char *text = LLVMPrintModuleToString(unit->module);
    bool ok = lw__print(text);
    LLVMDisposeMessage(text);
    return ok;
}

/* NAME, or with `way` NAME-WAY; NULL: there is none. */
static const struct route *find_route(const char *name, const char *way)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        const char *rest = routes[i].name + length;
        if (!strncmp(routes[i].name, name, length) &&
            (way ? *rest == '-' && !strcmp(rest + 1, way) : !*rest))
            return &routes[i];
    }
    return NULL;
}

static bool has_pass(const struct route *route, const char *name)
{
    for (const char *const *p = route->passes; *p; p++)
        if (!strcmp(*p, name))
            return true;
    return false;
}

/* The route for these options; NULL: there is none. */
static const struct route *choose_route(const struct lw__unit *unit)
{
    const struct lw__options *o = unit->options;
    const char *of = unit->target->route;
    if (o->image && !o->image_ref && o->common_fd < 0)
        return find_route("image", NULL);
    if (o->image)
        return find_route(of, o->image_packed ? "image-packed"
                              : o->bounds     ? "image-guarded"
                                              : "image");
    if (o->common_fd >= 0)
        return find_route(of, o->bounds ? "common-guarded" : "common");
    if (o->debug)
        return find_route(of, "debug");
    if (o->bounds && (o->show || o->time_passes))
        return find_route(of, "guarded");
    const struct route *to_show = o->show ? find_route(of, "show") : NULL;
    return to_show ? to_show : find_route(of, NULL);
}

/* The command line asks for something that does not exist. */
#define misused(unit, ...) ((unit)->misused = !lw__defect(__VA_ARGS__), false)

static const struct stage *find_stage(const char *name)
{
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (!strcmp(stages[i].name, name))
            return &stages[i];
    return NULL;
}

/* The stage's device stands for any device that has another route. */
static bool choose_target(struct lw__unit *unit, const char *of_stage)
{
    const bool found = lw__target_choose(unit);
    if (of_stage && !(found && !strcmp(unit->target->route, of_stage)))
        unit->target = lw__target_find(of_stage, &unit->gang);
    for (size_t i = 0; unit->target && i < sizeof gpus / sizeof *gpus; i++)
        if (!strcmp(unit->target->route, gpus[i].route))
            unit->gpu = gpus[i].gpu;
    return unit->target ||
           misused(unit, "there is no compiler for device '%s'", unit->options->device);
}

bool lw__pipeline_run(struct lw__unit *unit)
{
    const struct lw__options *o = unit->options;
    const struct stage *stage = o->show ? find_stage(o->show) : NULL;
    const char *last = stage ? stage->after : NULL;
    if (!choose_target(unit, stage ? stage->device : NULL))
        return false;
    if (o->only_pass)
        return run_only(unit);
    if (o->show && !stage)
        return misused(unit, "there is no stage '%s' to show", o->show);
    const struct route *route = choose_route(unit);
    if (!route)
        return misused(unit, "there is no such way to device '%s'", o->device);
    if (last && !has_pass(route, last))
        return misused(unit, "there is no stage '%s' on the way to device '%s'", o->show,
                       o->device);
    for (const char *const *name = route->passes; *name; name++) {
        if (!run_pass(unit, pass_named(*name)))
            return false;
        if (unit->diags.errors)
            return true;
        if (last && !strcmp(*name, last))
            break;
    }
    if (o->show && unit->payload.length == 0) {
        char *text = LLVMPrintModuleToString(unit->module);
        lw__text_add_bytes(&unit->payload, text, strlen(text));
        LLVMDisposeMessage(text);
    }
    return true;
}

void lw__pipeline_release(struct lw__unit *unit)
{
    lw__context_close(unit);
    if (unit->machine)
        LLVMDisposeTargetMachine(unit->machine);
    lw__arena_free(&unit->scratch);
    lw__arena_free(&unit->arena);
}
