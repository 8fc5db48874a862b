/* image_options.c - the options of `lanewise cc` for lanewise-compile: which targets, which
 * blocks. */
#include "compile/driver/image.h"
#include "compile/llvm/llvm.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__)
static const char own_triple[] = LW_AARCH64;
#else
static const char own_triple[] = LW_X86_64;
#endif

bool lw__block_dims(const char *text, uint32_t block[3])
{
    enum { THREADS_MAX = 1024, Z_MAX = 64 };
    unsigned long threads = 1, dim[3] = {1, 1, 1};
    char *end = (char *)text;
    for (int i = 0; i < 3 && (!i || *end); i++) {
        const char *from = i ? end + 1 : text;
        if ((i && *end != ',') || *from < '0' || *from > '9')
            return false;
        dim[i] = strtoul(from, &end, 10);
        if (dim[i] < 1 || dim[i] > THREADS_MAX)
            return false;
        threads *= dim[i];
    }
    for (int i = 0; i < 3; i++)
        block[i] = (uint32_t)dim[i];
    return !*end && threads <= THREADS_MAX && dim[2] <= Z_MAX;
}

/* ---- one option ---- */

static const struct lw__target *find_target(const char *word)
{
    uint32_t gang;
    const struct lw__target *target = lw__target_find(word, &gang);
    return target && !gang && (target->has & LW_IN_IMAGES) ? target : NULL;
}

static bool add_target(struct lw__image_options *image, const char *word)
{
    for (size_t i = 0; i < image->target_count; i++)
        if (!strcmp(image->targets[i], word))
            return lw__defect("--targets has '%s' twice", word);
    if (!find_target(word)) {
        struct lw__text known = lw__text_in(image->arena);
        lw__target_names(&known, "", LW_IN_IMAGES);
        return lw__defect("there is no target '%s'; need %s", word,
                          known.length ? known.data : "another");
    }
    if (image->target_count == LW_TARGETS_MAX)
        return lw__defect("--targets has more than %d targets", LW_TARGETS_MAX);
    image->targets[image->target_count++] = word;
    return true;
}

static bool add_usual_targets(struct lw__image_options *image)
{
    const struct lw__target *t = NULL;
    while ((t = lw__target_next(t, LW_IN_ALL_IMAGES)))
        if (!add_target(image, t->name))
            return false;
    return true;
}

static bool set_targets(struct lw__options *options, const char *list)
{
    struct lw__image_options *image = options->image;
    image->target_count = 0;
    for (char *word = lw__copy(&options->arena, list), *next; word; word = next) {
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        if (!add_target(image, word))
            return false;
    }
    return true;
}

static bool begin(struct lw__options *options, const char *file)
{
    options->image = lw__new(&options->arena, 1, sizeof *options->image);
    options->image->arena = &options->arena;
    options->image->file = file;
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
        return set_targets(options, value);
    if (image && !strcmp(name, "--block")) {
        /* [TARGET=]X[,Y[,Z]] */
        struct lw__image_block *block = &image->blocks[image->block_count];
        const char *equals = strchr(value, '=');
        if (image->block_count == LW_IMAGE_BLOCKS_MAX)
            return lw__defect("more than %d sizes of block", LW_IMAGE_BLOCKS_MAX);
        *block = (struct lw__image_block){.target = equals ? value : NULL,
                                          .target_length = equals ? (size_t)(equals - value) : 0};
        if (!lw__block_dims(equals ? equals + 1 : value, block->dims))
            return lw__defect("-b takes [TARGET=]X[,Y[,Z]], each 1 or more, at most 1024 together, "
                              "Z at most 64; not %s",
                              value);
        image->block_count++;
        return true;
    }
    if (image && !strcmp(name, "--object"))
        image->object = value;
    else if (image && !strcmp(name, "--header"))
        image->header = value;
    else if (image && !strcmp(name, "--depfile"))
        image->depfile = value;
    else if (image && !strcmp(name, "--debug"))
        image->no_debug = !strcmp(value, "no");
    else if (image && !strcmp(name, "--bitcode"))
        image->no_bitcode = !strcmp(value, "no");
    else
        *is_known = false;
    return true;
}

/* ---- all of them ---- */

static const char *processor_of(const char *triple)
{
    return strcmp(triple, LW_AARCH64) ? "x86-64" : "AArch64";
}

/* The host's code is for the processor of the kernels' code; *triple is that. */
static bool check_architecture(const struct lw__image_options *image, const char **triple)
{
    const char *first = NULL;
    *triple = own_triple;
    for (size_t i = 0; i < image->target_count; i++) {
        const struct lw__target *t = find_target(image->targets[i]);
        if (!(t->has & LW_HAS_BLOCKS) || (t->has & LW_IS_TEXT))
            continue;
        if (first && strcmp(*triple, t->triple) != 0)
            return lw__defect("%s is %s code and %s is %s code, which cannot be in one object; "
                              "make two",
                              first, processor_of(*triple), t->name, processor_of(t->triple));
        first = t->name;
        *triple = t->triple;
    }
    return true;
}

static bool check_blocks(const struct lw__image_options *image)
{
    for (size_t i = 0; i < image->block_count; i++) {
        const struct lw__image_block *b = &image->blocks[i];
        bool found = !b->target;
        for (size_t k = 0; k < image->target_count && !found; k++)
            found = strlen(image->targets[k]) == b->target_length &&
                    !strncmp(image->targets[k], b->target, b->target_length) &&
                    (find_target(image->targets[k])->has & LW_HAS_BLOCKS);
        if (!found)
            return lw__defect(
                "-b %s is for '%.*s', which is none of the targets that have code for "
                "sizes of block",
                b->target, (int)b->target_length, b->target);
    }
    return true;
}

bool lw__image_check(struct lw__options *options)
{
    struct lw__image_options *image = options->image;
    if (!options->path && options->source_fd < 0)
        return lw__defect("--image needs a file or --source");
    if (!image->object)
        return lw__defect("--image needs --object");
    if (!image->target_count && !add_usual_targets(image))
        return false;
    const char *triple;
    if (!check_architecture(image, &triple) || !check_blocks(image))
        return false;
    options->device = strcmp(triple, LW_AARCH64) ? "ref" : "ref:aarch64";
    const char *slash = strrchr(options->name, '/');
    image->source = slash ? slash + 1 : options->name;
    return true;
}
