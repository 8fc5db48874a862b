/* clang_words.c - what clang is told: the words of its command line, by language and by job.
 *
 * Both languages are compiled for one target, and so for all devices alike. In CUDA mode clang
 * parses the device's half of a file with the host's library of C++.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include "base/manifest.h"
#include <string.h>

static const char *const common_flags[] = {LW_FRONT_END,
                                           "--target=x86_64-unknown-linux-gnu",
                                           "-O1",
                                           "-funroll-loops", /* else each loop has metadata
                                                              * against it */
                                           "-ffp-contract=off",
                                           "-fno-math-errno",
                                           "-fconvergent-functions",
                                           "-fno-strict-aliasing",
                                           "-fno-strict-float-cast-overflow", /* it saturates */
                                           "-fno-color-diagnostics",
                                           "-fno-crash-diagnostics",
                                           "-fshow-overloads=best",
                                           "-fmacro-backtrace-limit=1",
                                           "-Xclang",
                                           "-ffloat16-excess-precision=none",
                                           "-Xclang",
                                           "-fbfloat16-excess-precision=none"};

/* Kernels in C, of <lanewise/kernel.h>. */
static const char *const c_flags[] = {"-x",
                                      "c",
                                      "-std=gnu17",
                                      "-nostdlibinc",
                                      "-ffreestanding",
                                      "-fno-gnu-inline-asm",
                                      "-Wno-unknown-attributes",
                                      "-Werror=format",
                                      "-Werror=format-nonliteral",
                                      "-Wno-format-zero-length",
                                      "-fsanitize=vla-bound,array-bounds,unreachable"};

/* CUDA: the device's half of a file, for the target of all kernels. clang's driver would make PTX;
 * what follows -Xclang is after its own words, and counts. */
static const char *const cuda_flags[] = {"-x",
                                         "cuda",
                                         "--cuda-device-only",
                                         "-nocudainc",
                                         "-nocudalib",
                                         "--cuda-path=/nonexistent", /* no toolkit is looked for */
                                         "--cuda-gpu-arch=sm_80",
                                         "--cuda-feature=+sse2", /* else one of PTX */
                                         "-std=gnu++17",
                                         "-U__CUDA_ARCH__",
                                         "-fno-threadsafe-statics",
                                         "-Wno-empty-body",
                                         "-Wno-unknown-attributes",
                                         "-Xclang",
                                         "-triple",
                                         "-Xclang",
                                         "x86_64-unknown-linux-gnu",
                                         "-Xclang",
                                         "-target-cpu",
                                         "-Xclang",
                                         "x86-64",
                                         "-Xclang",
                                         "-target-sdk-version=12.4",
                                         "-Xclang",
                                         "-debug-info-kind=constructor",
                                         "-Xclang",
                                         "-dwarf-version=5",
                                         "-Xclang",
                                         "-no-enable-noundef-analysis", /* a lane's value may be */
                                         "-Xclang",
                                         "-fcuda-allow-variadic-functions",
                                         "-Xclang",
                                         "-fsanitize=array-bounds,unreachable",
                                         "-Xclang",
                                         "-fsanitize-recover=array-bounds"};

/* For `check` (instrument/overflow_checks.c). */
#define OVERFLOWS                                                                                  \
    "signed-integer-overflow,integer-divide-by-zero,shift-exponent,float-cast-overflow,builtin"
static const char *const c_overflow_flags[] = {"-fsanitize=" OVERFLOWS},
                         *const cuda_overflow_flags[] = {"-Xclang", "-fsanitize=" OVERFLOWS,
                                                         "-Xclang",
                                                         "-fsanitize-recover=" OVERFLOWS};

/* A list of words. */
struct words {
    const char *const *list;
    size_t count;
};
#define WORDS(list) {list, sizeof list / sizeof *list}

/* What clang is told of a language besides common_flags, and for devices that look at arithmetic.
 */
static const struct language {
    struct words flags, overflow_flags;
} languages[] = {[false] = {WORDS(c_flags), WORDS(c_overflow_flags)},
                 [true] = {WORDS(cuda_flags), WORDS(cuda_overflow_flags)}};

/* Descriptor 3 of clang: it writes the list of files it read there. */
#define RULE_FLAGS "-MD", "-MT", "x", "-MF", "/dev/fd/3"
#define CODE_FLAGS                                                                                 \
    "-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers", "-g",               \
        "-fno-discard-value-names"
#define MODULE_FLAGS CODE_FLAGS, "-emit-llvm", RULE_FLAGS, "-o", "-"
static const char *const build_flags[] = {"-c", MODULE_FLAGS},
                         *const text_flags[] = {"-S", MODULE_FLAGS},
                         *const print_flags[] = {"-fsyntax-only", "-Xclang", "-ast-print", "-w"},
                         *const header_flags[] = {"-x",
                                                  "c-header",
                                                  "-relocatable-pch",
                                                  "-Xclang",
                                                  "-fno-pch-timestamp",
                                                  CODE_FLAGS,
                                                  RULE_FLAGS,
                                                  "-o",
                                                  "-"};
/* clang's driver knows no headers in CUDA. */
static const char *const cuda_header_flags[] = {"-c",
                                                "-emit-llvm",
                                                "-Xclang",
                                                "-emit-pch",
                                                "-Xclang",
                                                "-relocatable-pch",
                                                "-Xclang",
                                                "-fno-pch-timestamp",
                                                "-fpch-instantiate-templates", /* not each time */
                                                CODE_FLAGS,
                                                RULE_FLAGS,
                                                "-o",
                                                "-"};
static const struct words cuda_header_job = WORDS(cuda_header_flags);
static const struct words jobs[] = {[LW_CLANG_BUILD] = WORDS(build_flags),
                                    [LW_CLANG_TEXT] = WORDS(text_flags),
                                    [LW_CLANG_PRINT] = WORDS(print_flags),
                                    [LW_CLANG_HEADER] = WORDS(header_flags)};
enum { COMMON_FLAGS = sizeof common_flags / sizeof *common_flags };

uint64_t lw__clang_hash_flags(uint64_t hash)
{
    const struct words lists[] = {WORDS(common_flags),  WORDS(c_flags),       WORDS(cuda_flags),
                                  jobs[LW_CLANG_BUILD], jobs[LW_CLANG_PRINT], jobs[LW_CLANG_HEADER],
                                  cuda_header_job};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].count; i++)
            hash = lw__hash(hash, lists[l].list[i], strlen(lists[l].list[i]) + 1);
    return hash;
}

/* The addresses of the kernels are taken. One of several with a name is chosen by its parameters'
 * types. */
void lw__clang_add_instances(const struct lw__options *o, struct lw__text *text)
{
    lw__text_add(text, "%s", o->instance_count ? "\n#line 1 \"<kernel>\"\n" : "");
    for (size_t i = 0; i < o->instance_count; i++) {
        const char *name = o->instances[i], *angle = strrchr(name, '>');
        const char *types = strchr(angle ? angle : name, '(');
        lw__text_add(text,
                     "namespace { __attribute__((device, used)) auto *const lw__kernel_%zu "
                     "__asm__(\"" LW_INSTANCE ".%zu\") = ",
                     i, i);
        if (types)
            lw__text_add(text, "static_cast<void (*)%s>(&%.*s); }\n", types, (int)(types - name),
                         name);
        else
            lw__text_add(text, "&%s; }\n", name);
    }
}

static void add_words(const char **argv, size_t *n, const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        argv[(*n)++] = words->list[i];
}

const char **lw__clang_words(struct lw__unit *unit, enum lw__clang_job job,
                             const struct lw__how *how, const char *folder)
{
    const struct lw__own *own = how->own;
    const struct lw__options *o = unit->options;
    struct lw__arena *scratch = &unit->scratch;
    const struct language *language = &languages[o->is_cuda];
    const struct words *work = o->is_cuda && job == LW_CLANG_HEADER ? &cuda_header_job : &jobs[job];
    const size_t words = COMMON_FLAGS + language->flags.count + language->overflow_flags.count +
                         work->count + o->clang_arg_count + 2 * own->count;
    size_t n = 0;
    const char **argv = lw__new(scratch, words + 24, sizeof *argv);
    for (size_t i = 0; i < COMMON_FLAGS; i++)
        argv[n++] = common_flags[i];
    add_words(argv, &n, &language->flags);
    if (lw__has(unit, LW_IS_OBSERVED))
        add_words(argv, &n, &language->overflow_flags);
    add_words(argv, &n, work);
    if (o->is_cuda) { /* before the user's, which may have a toolkit's */
        argv[n++] = lw__format(scratch, "-I%s/lanewise/cuda", folder);
        if (lw__clang_is_inside())
            argv[n++] = "-DLW_KERNEL_CONVENTION";
        if (!how->is_header && !how->module) {
            argv[n++] = "-include";
            argv[n++] = LW_CUDA_HEADER;
        }
        argv[n++] = lw__format(scratch, "-D__CUDA_ARCH__=%u", o->cuda_arch * 10);
    }
    for (size_t i = 0; i < o->clang_arg_count; i++)
        argv[n++] = o->clang_args[i];
    const char *name = own->names.data;
    for (size_t i = 0; i < own->count; i++, name += strlen(name) + 1) {
        argv[n++] = "-D";
        argv[n++] = name;
    }
    argv[n++] = "-I";
    argv[n++] = folder;
    if (!o->is_cuda) { /* a CUDA file has the host's library */
        argv[n++] = "-idirafter";
        argv[n++] = lw__format(scratch, "%s/lanewise/libc", folder);
    }
    if (how->is_header || how->module) { /* where names of headers in the module begin */
        argv[n++] = "-isysroot";
        argv[n++] = folder;
    }
    if (how->module) {
        argv[n++] = "-include-pch";
        argv[n++] = how->module;
    }
    if (!o->path && strchr(o->name, '/')) /* #include "x.h" is next to the named file */
        argv[n++] = lw__format(scratch, "-iquote%s%.*s", *o->name == '@' ? "./" : "",
                               (int)(strrchr(o->name, '/') - o->name + 1), o->name);
    argv[n++] = o->path ? o->path : "-";
    return argv;
}
