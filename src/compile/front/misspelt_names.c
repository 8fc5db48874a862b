/* misspelt_names.c - which name of <lanewise/kernel.h> was meant: most of them are macros, of which
 * clang knows nothing when it looks for a name that is near.
 */
#include "base/nearest.h"
#include "compile/front/front.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What stands in front of a name that kernels may use. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char *const before[] = {"#define ", "#ifndef ", "LW_OP(", "LW__PLACE int "};

/* The name that the line gives, into word; false: none, or one of the header's own. */
static bool name_in(const char *line, char *word, size_t size)
{
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        if (strncmp(line, before[i], strlen(before[i])) != 0)
            continue;
        line += strlen(before[i]);
        const size_t n = strspn(line, letters);
        if (!n || n >= size || !strncmp(line, "LW", 2) || !strncmp(line, "lw_", 3) ||
            !strncmp(line, "LANEWISE", 8))
            return false;
        memcpy(word, line, n);
        word[n] = '\0';
        return true;
    }
    return false;
}

static bool read_header(const char *name, struct lw__text *text)
{
    char folder[LW_PATH_MAX], path[LW_PATH_MAX + 32];
    if (!lw__header_folder(folder))
        return false;
    snprintf(path, sizeof path, "%s/lanewise/%s", folder, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool ok = file >= 0 && lw__read_all(file, text);
    if (file >= 0)
        close(file);
    return ok;
}

/* The words live as long as the text, which they are cut out of. */
static void try_names(struct lw__nearest *nearest, struct lw__text *words, const char *text)
{
    char word[32];
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (name_in(text, word, sizeof word)) {
            const char *was = nearest->word;
            lw__nearest_try(nearest, word);
            if (nearest->word != was) { /* keep it: the buffer is for the next */
                words->length = 0;
                lw__text_add(words, "%s", word);
                nearest->word = words->failed ? NULL : words->data;
            }
        }
}

void lw__front_nearest(struct lw__text *out, const char *name, size_t length)
{
    static const char *const headers[] = {"kernel.h", "kernel_maths.h", "warp_ops.def"};
    struct lw__nearest nearest = {.typed = name, .length = length};
    struct lw__text words = {0};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct lw__text header = {0};
        if (read_header(headers[i], &header))
            try_names(&nearest, &words, header.data);
        lw__text_free(&header);
    }
    if (nearest.word && nearest.changes <= 1 + length / 6) /* many names are near in some way */
        lw__text_add(out, "%s", lw__nearest_text(&nearest));
    lw__text_free(&words);
}
