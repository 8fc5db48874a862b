/* main.c - lanewise-compile: kernel text in, manifest and payload out.
 *
 * The library starts this program and reads its output; src/base/manifest.h is the protocol. It is
 * a separate program. So a crash of clang, LLVM or our passes is only an error message in the host.
 */
#include "compile/driver/driver.h"
#include "compile/llvm/llvm.h"
#include "compile/cpu/cpu.h"
#include "compile/driver/image.h"
#include "compile/front/front.h"
#include "base/manifest.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool number(const char *text, int *value)
{
    char *end;
    long n = strtol(text, &end, 10);
    *value = (int)n;
    return *text && !*end && n >= 0 && n < 1 << 20;
}

static bool usage(const char *what, const char *word)
{
    return lw__defect(
        "%s%s; usage: lanewise-compile --device D --out FD [--name NAME] [--source FD] "
        "[--optimise no] [--show STAGE [--kernel K] [--block X[,Y[,Z]]]] [-D X]... [-I DIR]... "
        "[PATH], or "
        "--device cpu:LEVEL --common FD --kernel K --block X[,Y[,Z]] --out FD [--name NAME], or "
        "--device cpu:LEVEL --first FD [--kernel K] --block X[,Y[,Z]] and the words of the first, "
        "or "
        "--image FILE --object OUT.o [--header OUT.h] [--depfile OUT.d] [--targets LIST] "
        "[--block [TARGET=]X[,Y[,Z]]]... [--debug no] [--bitcode no] [--out FD] [-D X]... "
        "[-I DIR]... PATH, or "
        "--time-passes --device D [--kernel K] [--block X[,Y[,Z]]] [-D X]... [-I DIR]... PATH, or "
        "--pass NAME FILE.ll, or [--cuda sm_NN] --header-module FILE",
        what, word);
}

/* The same for a file, and for one that has lines added: clang gets it without its name. */
static bool hide_name(struct lw__options *o)
{
    const char *slash = strrchr(o->path, '/');
    if (o->path[0] != '@' && !(slash && slash[1] == '@') && !o->instance_count)
        return true;
    o->source_fd = open(o->path, O_RDONLY | O_CLOEXEC);
    if (o->source_fd < 0)
        return lw__defect("%s: %s", o->path, strerror(errno));
    o->path = NULL;
    return true;
}

/* A list separated by ';'. */
static bool add_instances(struct lw__options *o, const char *list)
{
    for (size_t length; *list; list += length + (list[length] == ';')) {
        length = strcspn(list, ";");
        o->instances = lw__one_more(&o->arena, o->instances, o->instance_count, sizeof(char *));
        o->instances[o->instance_count++] = lw__copy_bytes(&o->arena, list, length);
    }
    return true;
}

/* One option and its value. */
static bool option(struct lw__options *o, const char *name, const char *value)
{
    bool is_known;
    bool ok = lw__image_option(o, name, value, &is_known);
    if (is_known)
        return ok;
    if (!strcmp(name, "-D") || !strcmp(name, "-I")) {
        /* clang reads more options from the file x for any word @x, also among those that it makes
         * itself. So none of ours begins with @: a folder is ./@x, a macro's name " @x", which is
         * an error, as it should be. */
        const char *before = value[0] != '@' ? "" : name[1] == 'I' ? "./" : " ";
        o->clang_args[o->clang_arg_count++] = lw__format(&o->arena, "%s%s%s", name, before, value);
        return true;
    }
    if (!strcmp(name, "--instantiate"))
        return add_instances(o, value);
    if (!strcmp(name, "--cuda")) {
        int arch = 0;
        o->is_cuda = !strncmp(value, "sm_", 3) && number(value + 3, &arch) && arch >= 20;
        o->cuda_arch = (unsigned)arch;
        return o->is_cuda || usage("--cuda takes sm_NN, not ", value);
    }
    if (!strcmp(name, "--source"))
        return number(value, &o->source_fd) || usage("--source takes a descriptor, not ", value);
    if (!strcmp(name, "--out"))
        return number(value, &o->out_fd) || usage("--out takes a descriptor, not ", value);
    if (!strcmp(name, "--common"))
        return number(value, &o->common_fd) || usage("--common takes a descriptor, not ", value);
    if (!strcmp(name, "--first"))
        return number(value, &o->first.fd) || usage("--first takes a descriptor, not ", value);
    if (!strcmp(name, "--without-workaround"))
        return lw__workaround_leave(o, value) || usage("there is no workaround ", value);
    if (!strcmp(name, "--optimise")) {
        o->debug = !strcmp(value, "no");
        return o->debug || usage("--optimise takes no, not ", value);
    }
    if (!strcmp(name, "--bounds")) {
        o->bounds = !strcmp(value, "yes");
        return o->bounds || usage("--bounds takes yes, not ", value);
    }
    if (!strcmp(name, "--block"))
        return lw__block_dims(value, o->block) ||
               usage(
                   "--block takes X[,Y[,Z]], each 1 or more, at most 1024 together, Z at most 64; "
                   "not ",
                   value);
    const char **slot = !strcmp(name, "--device")          ? &o->device
                        : !strcmp(name, "--name")          ? &o->name
                        : !strcmp(name, "--show")          ? &o->show
                        : !strcmp(name, "--kernel")        ? &o->kernel
                        : !strcmp(name, "--pass")          ? &o->only_pass
                        : !strcmp(name, "--header-module") ? &o->header_module
                                                           : NULL;
    if (!slot)
        return usage("unknown option ", name);
    *slot = value;
    return true;
}

/* --kernel and --block are then those of the first launch. */
static bool take_first(struct lw__options *o)
{
    if (o->first.fd < 0)
        return true;
    if (o->common_fd >= 0 || o->show || o->time_passes || o->image || !o->block[0])
        return usage("--first needs --block, and takes no --common, --show or --time-passes", "");
    o->first.kernel = o->kernel;
    o->kernel = NULL;
    memcpy(o->first.block, o->block, sizeof o->first.block);
    memset(o->block, 0, sizeof o->block);
    return true;
}

/* The options for the second step of cpu_abi.h, and for its first, exclude each other. */
static bool check_step(struct lw__options *o)
{
    uint32_t gang;
    const struct lw__target *target = lw__target_find(o->device, &gang);
    if (!target) {
        struct lw__text known = lw__text_in(&o->arena), in_gangs = lw__text_in(&o->arena);
        lw__target_names(&known, o->device, 0);
        lw__target_names(&in_gangs, o->device, LW_HAS_GANGS);
        return usage(
            !known.length
                ? "there is no compiler for device "
                : lw__format(&o->arena, "the device is %s%s, not ", known.data,
                             in_gangs.length ? ", then perhaps /N with N a multiple of 32" : ""),
            o->device);
    }
    if (o->debug && (o->image || !(target->has & LW_HAS_DEBUG)))
        return usage("--optimise no is for --device ref, not ", o->device);
    if (o->common_fd < 0 && !o->show && !o->time_passes && (o->kernel || o->block[0]))
        return usage("--kernel and --block go with --common, --first, --show or --time-passes", "");
    if (o->common_fd < 0)
        return true;
    if (!(target->has & LW_HAS_BLOCKS) || !o->kernel || !o->block[0])
        return usage("--common needs --device cpu:LEVEL or cuda:sm_NN, --kernel and --block", "");
    if (o->path || o->source_fd >= 0 || o->clang_arg_count)
        return usage("--common takes no text", "");
    return true;
}

static bool read_words(int argc, char **argv, struct lw__options *o)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (o->path)
                return usage("two files: ", argv[i]);
            o->path = argv[i];
        } else if (!strcmp(argv[i], "--time-passes")) {
            o->time_passes = true;
        } else if (i + 1 == argc) {
            return usage("no value after ", argv[i]);
        } else if (!option(o, argv[i], argv[i + 1])) {
            return false;
        } else {
            i++;
        }
    }
    return true;
}

/* A text is CUDA if it says so, or its name does. */
static void find_language(struct lw__options *o)
{
    const char *dot = strrchr(o->name, '.');
    if (dot && (!strcmp(dot, ".cu") || !strcmp(dot, ".cuh")))
        o->is_cuda = true;
    if (!o->cuda_arch)
        o->cuda_arch = LW_CUDA_ARCH;
}

static bool parse(int argc, char **argv, struct lw__options *o)
{
    *o = (struct lw__options){.source_fd = -1, .out_fd = -1, .common_fd = -1, .first.fd = -1};
    o->clang_args = lw__new(&o->arena, (size_t)argc + 1, sizeof *o->clang_args);
    if (!read_words(argc, argv, o))
        return false;
    if (o->header_module)
        return argc == 3 + 2 * o->is_cuda ||
               usage("--header-module goes alone, or with --cuda", "");
    if (o->only_pass)
        return o->path || usage("--pass needs a file", "");
    if (o->image && !o->name)
        o->name = o->path;
    if (o->image && !lw__image_check(o))
        return false;
    if (!o->device)
        return usage("--device is missing", "");
    if (o->out_fd < 0 && !o->time_passes && !o->image)
        return usage("--out is missing", "");
    if (!take_first(o) || !check_step(o))
        return false;
    if (o->common_fd < 0 && !o->path == (o->source_fd < 0))
        return usage("need one of PATH and --source", "");
    if (!o->name)
        o->name = o->path ? o->path : "<source>";
    find_language(o);
    return !o->path || hide_name(o);
}

/* A kernel that takes too long is what one wants the times of. */
static bool start(struct lw__unit *unit, struct lw__arena *arena)
{
    const bool is_timed = unit->options->time_passes;
    if (!is_timed)
        lw__process_limits();
    if (!is_timed && !unit->options->image) /* of an image, each piece has the time */
        lw__process_begin();
    lw__where_start();
    return (!is_timed || (unit->times = lw__times_open(arena))) && lw__llvm_start(unit);
}

int main(int argc, char **argv)
{
    lw__serve(&argc, &argv);
    lw__process_leave_none();
    struct lw__options options;
    if (!parse(argc, argv, &options)) {
        lw__arena_free(&options.arena);
        return LW_EXIT_MISUSED;
    }
    struct lw__unit unit;
    lw__unit_begin(&unit, &options);
    int undelivered = 0;
    bool ok = options.header_module ? lw__header_module_make(&unit)
                                    : start(&unit, &options.arena) && lw__pipeline_run(&unit);
    if (ok && options.image)
        undelivered = lw__image_deliver(&unit);
    if (ok && !options.only_pass && options.out_fd >= 0)
        ok = lw__write_result(&unit) && (unit.diags.errors || lw__first_launch(&unit));
    else if (ok && !options.image && unit.diags.errors)
        lw__defect("'%s' has errors: --out 1 in place of --time-passes shows them", options.name);
    int status = unit.misused        ? LW_EXIT_MISUSED
                 : !ok               ? LW_EXIT_DEFECT
                 : unit.diags.errors ? 1
                                     : undelivered;
    if (!ok)
        lw__where_tell();
    lw__pipeline_release(&unit);
    if (unit.times && !lw__times_print(unit.times))
        status = LW_EXIT_DEFECT;
    lw__arena_free(&options.arena);
    lw__where_done();
    return status;
}
