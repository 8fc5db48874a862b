/* image_options.c - the options of `lanewise cc` for lanewise-compile: which targets, which
 * blocks. */
#include "compile/driver/image.h"
#include "compile/llvm/llvm.h"
#include "compile/ptx/ptx.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
static const char default_targets[] = "cpu:aarch64,cuda:sm_70,cuda:sm_90,ref";
#else
static const char default_targets[] = "cpu:baseline,cpu:avx2,cpu:avx512,cuda:sm_70,cuda:sm_90,ref";
#endif

bool lw__block_dims(const char *text, uint32_t block[3])
{
    enum { THREADS_MAX = 1024, Z_MAX = 64 };
    unsigned long threads = 1, dim[3] = {0};
    char *end = (char *)text;
    for (int i = 0; i < 3; i++) {
        const char *from = i ? end + 1 : text;
        if ((i && *end != ',') || *from < '0' || *from > '9')
            return false;
        dim[i] = strtoul(from, &end, 10);
        if (dim[i] < 1 || dim[i] > THREADS_MAX)
            return false;
        threads *= dim[i];
        block[i] = (uint32_t)dim[i];
    }
    return !*end && threads <= THREADS_MAX && dim[2] <= Z_MAX;
}

/* ---- one option ---- */

static bool is_target(const char *word)
{
    const char *slash = strchr(word, '/');
    return !strcmp(word, "ref") || (!slash && lw__cpu_level(word) >= 0) || lw__is_processor(word);
}

static bool add_target(struct lw__image_options *image, const char *word)
{
    for (size_t i = 0; i < image->target_count; i++)
        if (!strcmp(image->targets[i], word))
            return lw__defect("--targets has '%s' twice", word);
    if (!is_target(word))
        return lw__defect("there is no target '%s'; need cpu:baseline, cpu:avx2, cpu:avx512, "
                          "cpu:aarch64, cuda:sm_NN (70, 72, 75, 80, 86, 87, 89, 90) or ref",
                          word);
    if (image->target_count == LW_TARGETS_MAX)
        return lw__defect("--targets has more than %d targets", LW_TARGETS_MAX);
    image->targets[image->target_count++] = word;
    return true;
}

static bool set_targets(struct lw__image_options *image, const char *list)
{
    free(image->words);
    image->target_count = 0;
    image->words = strdup(list);
    if (!image->words)
        return lw__defect("out of memory");
    for (char *word = image->words, *next; word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        if (!add_target(image, word))
            return false;
    }
    return true;
}

/* [TARGET=]X,Y,Z */
static bool add_block(struct lw__image_options *image, const char *word)
{
    struct lw__image_block *block = &image->blocks[image->block_count];
    const char *equals = strchr(word, '=');
    if (image->block_count == LW_IMAGE_BLOCKS_MAX)
        return lw__defect("more than %d sizes of block", LW_IMAGE_BLOCKS_MAX);
    *block = (struct lw__image_block){.target = equals ? word : NULL,
                                      .target_length = equals ? (size_t)(equals - word) : 0};
    if (!lw__block_dims(equals ? equals + 1 : word, block->dims))
        return lw__defect("-b takes [TARGET=]X,Y,Z, each 1 or more, at most 1024 together, Z at "
                          "most 64; not %s",
                          word);
    image->block_count++;
    return true;
}

static bool begin(struct lw__options *options, const char *file)
{
    options->image = calloc(1, sizeof *options->image);
    if (!options->image)
        return lw__defect("out of memory");
    options->image->file = file;
    options->image->header_fd = -1;
    return true;
}

bool lw__image_option(struct lw__options *options, const char *name, const char *value,
                      bool *is_known)
{
    struct lw__image_options *image = options->image;
    *is_known = true;
    if (!strcmp(name, "--image"))
        return image ? lw__defect("--image twice") : begin(options, value);
    if (image && !strcmp(name, "--targets"))
        return set_targets(image, value);
    if (image && !strcmp(name, "--block"))
        return add_block(image, value);
    if (image && !strcmp(name, "--header"))
        image->header_fd = atoi(value);
    else if (image && !strcmp(name, "--debug"))
        image->no_debug = !strcmp(value, "no");
    else if (image && !strcmp(name, "--bitcode"))
        image->no_bitcode = !strcmp(value, "no");
    else
        *is_known = false;
    return true;
}

/* ---- all of them ---- */

static bool check_architecture(const struct lw__image_options *image, const char **aarch64)
{
    const char *x86 = NULL;
    *aarch64 = NULL;
    for (size_t i = 0; i < image->target_count; i++)
        if (!strcmp(image->targets[i], "cpu:aarch64"))
            *aarch64 = image->targets[i];
        else if (!strncmp(image->targets[i], "cpu:", 4))
            x86 = image->targets[i];
    return !x86 || !*aarch64 ||
           lw__defect("%s is x86-64 code and %s is AArch64 code, which cannot be in one object; "
                      "make two",
                      x86, *aarch64);
}

static bool check_blocks(const struct lw__image_options *image)
{
    for (size_t i = 0; i < image->block_count; i++) {
        const struct lw__image_block *b = &image->blocks[i];
        bool found = !b->target;
        for (size_t k = 0; k < image->target_count && !found; k++)
            found = strlen(image->targets[k]) == b->target_length &&
                    !strncmp(image->targets[k], b->target, b->target_length) &&
                    strcmp(image->targets[k], "ref") != 0;
        if (!found)
            return lw__defect(
                "-b %s is for '%.*s', which is none of the targets that have code for "
                "sizes of block",
                b->target, (int)b->target_length, b->target);
    }
    return true;
}

/* The host's code is for AArch64 if that of the kernels is. */
bool lw__image_check(struct lw__options *options)
{
    struct lw__image_options *image = options->image;
    const char *aarch64, *slash;
    if (!options->path && options->source_fd < 0)
        return lw__defect("--image needs a file or --source");
    if (!image->target_count && !set_targets(image, default_targets))
        return false;
    if (!check_architecture(image, &aarch64) || !check_blocks(image))
        return false;
#if defined(__aarch64__)
    bool is_aarch64 = true;
    for (size_t i = 0; i < image->target_count; i++)
        if (lw__cpu_level(image->targets[i]) >= 0)
            is_aarch64 = aarch64 != NULL;
#else
    const bool is_aarch64 = aarch64 != NULL;
#endif
    options->device = is_aarch64 ? "ref:aarch64" : "ref";
    slash = strrchr(options->name, '/');
    image->source = slash ? slash + 1 : options->name;
    return true;
}

void lw__image_options_free(struct lw__options *options)
{
    if (options->image)
        free(options->image->words);
    free(options->image);
}
