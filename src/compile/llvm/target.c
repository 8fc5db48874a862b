/* target.c - a device's properties by its name: vector level, width, registers.
 *
 * A level is a processor by its features, never by its name: cpu/target.c has more.
 */
#include "compile/llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

bool lw__spmd_has_native(const struct lw__unit *unit, const char *name)
{
    const int level = lw__cpu_level(unit->options->device);
    const enum lw__native native = lw__native_of(name);
    if (lw__is_for_cuda(unit))
        return native == LW_NATIVE_FMAX || native == LW_NATIVE_FMIN || native == LW_NATIVE_RARELY;
    return level >= 0 && native != LW_NATIVE_NONE &&
           (native != LW_NATIVE_SCALE || level == LW_LEVEL_AVX512);
}

bool lw__names_cuda(const char *device)
{
    return device && !strncmp(device, "cuda", 4) && (!device[4] || device[4] == ':');
}

bool lw__is_for_cuda(const struct lw__unit *unit)
{
    const char *show = unit->options->show;
    return lw__names_cuda(unit->options->device) ||
           (show &&
            (!strcmp(show, "ptx") || !strcmp(show, "converged") || !strcmp(show, "lowered")));
}

const struct lw__level_row lw__levels[] = {
    [LW_LEVEL_BASELINE] = {"baseline", LW_X86_64, "x86-64", "", "128", 4},
    [LW_LEVEL_AVX2] = {"avx2", LW_X86_64, "x86-64-v3", "", "256", 8},
    [LW_LEVEL_AVX512] = {"avx512", LW_X86_64, "x86-64-v4", "-prefer-256-bit", "512", 16},
    [LW_LEVEL_AARCH64] = {"aarch64", LW_AARCH64, "generic", "", "128", 4},
};

/* LEVEL or LEVEL/N after "cpu:"; N is 0 if there is none. */
static bool read_device(const char *device, int *level, uint32_t *gang)
{
    if (!device || strncmp(device, "cpu:", 4) != 0)
        return false;
    const char *word = device + 4, *slash = strchr(word, '/');
    const size_t length = slash ? (size_t)(slash - word) : strlen(word);
    char *end = NULL;
    *gang = slash ? (uint32_t)strtoul(slash + 1, &end, 10) : 0;
    if (slash && (*end || !*gang || *gang % 32))
        return false;
    for (size_t i = 0; i < sizeof lw__levels / sizeof *lw__levels; i++)
        if (strlen(lw__levels[i].name) == length && !strncmp(word, lw__levels[i].name, length)) {
            *level = (int)i;
            return true;
        }
    return false;
}

int lw__cpu_level(const char *device)
{
    int level;
    uint32_t gang;
    return read_device(device, &level, &gang) ? level : -1;
}

uint32_t lw__cpu_gang(const char *device)
{
    int level;
    uint32_t gang;
    return read_device(device, &level, &gang) ? gang : 0;
}

bool lw__is_for_aarch64(const struct lw__unit *unit)
{
    const char *device = unit->options->device;
    return lw__cpu_level(device) == LW_LEVEL_AARCH64 ||
           (device && (!strcmp(device, "ref:aarch64") || !strcmp(device, "check:aarch64") ||
                       !strcmp(device, "picture:aarch64")));
}

uint32_t lw__spmd_width(const struct lw__unit *unit)
{
    const int level = lw__cpu_level(unit->options->device);
    if (lw__is_for_cuda(unit))
        return 32; /* a piece is a warp */
    return level < 0 ? 1 : lw__levels[level].lanes;
}

uint32_t lw__spmd_registers(enum lw__level level)
{
    return level == LW_LEVEL_AVX512 || level == LW_LEVEL_AARCH64 ? 32 : 16;
}

bool lw__level_machine(struct lw__unit *unit, int level)
{
    return lw__llvm_machine(unit, lw__levels[level].triple, lw__levels[level].cpu,
                            lw__levels[level].features, LLVMCodeGenLevelDefault);
}

bool lw__cpu_machine(struct lw__unit *unit)
{
    const int level = lw__cpu_level(unit->options->device);
    return level < 0 || level == LW_LEVEL_AARCH64 || lw__level_machine(unit, level);
}

uint32_t lw__spmd_pieces(const struct lw__unit *unit, const struct lw__kernel *kernel)
{
    const uint32_t *block = kernel->block, width = lw__spmd_width(unit);
    return (block[0] * block[1] * block[2] + width - 1) / width;
}
