/* misspelt_names.c - the name of our headers that a misspelt one is similar to.
 *
 * Most of them are macros, which clang does not consider when it looks for a similar name. A name
 * that is spelt right belongs to a header that the file does not include.
 */
#include "base/nearest.h"
#include "compile/front/front.h"
#include <string.h>

/* The text before a name for kernels in a header. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char *const before[] = {
    "#define ",
    "LW_OP(",
    "LW__PLACE int ",
    "__attribute__((nothrow)) void ",
    "__attribute__((format(printf, 1, 2), nothrow)) int ",
};

/* The headers with names, and what a file includes to have them. Names of math.h must match
 * exactly. */
static const struct {
    const char *file, *include;
    bool is_near;
} headers[] = {
    {"kernel.h", "<lanewise/kernel.h>", true},
    {"kernel_maths.h", "<lanewise/kernel.h>", true},
    {"warp_ops.def", "<lanewise/kernel.h>", true},
    {"libc/math.h", "<math.h>", false},
};

struct search {
    const char *name;
    size_t length;
    bool is_called;      /* a parenthesis follows, as macros with parameters need */
    bool is_found;       /* it is exactly one of ours, */
    const char *include; /* and this header has it; NULL: the file has the header */
    struct lw__nearest ours, theirs;
};

/* Get the name that the line defines, in `word`; false: none, or one of the header's own.
 * *has_parameters: it is a macro that only a call expands. */
static bool name_in(const char *line, char *word, size_t size, bool *has_parameters)
{
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        if (strncmp(line, before[i], strlen(before[i])) != 0)
            continue;
        line += strlen(before[i]);
        const size_t n = strspn(line, letters);
        if (!n || n >= size || !strncmp(line, "LW", 2) || !strncmp(line, "lw_", 3) ||
            !strncmp(line, "LANEWISE", 8))
            return false;
        *has_parameters = i == 0 && line[n] == '(';
        memcpy(word, line, n);
        word[n] = '\0';
        return true;
    }
    return false;
}

/* Many names are similar in some way. */
static bool is_near(const struct lw__nearest *nearest)
{
    return nearest->word && nearest->changes <= 1 + nearest->length / 6;
}

static void add_answer(struct lw__text *out, struct search *search)
{
    const bool is_ours = is_near(&search->ours), is_theirs = is_near(&search->theirs);
    if (search->is_found && search->include)
        lw__text_add(out, "; it needs #include %s", search->include);
    else if (search->is_found) /* `tile = 3`: tile(...) is ours, a variable tile is not */
        return;
    else if (is_theirs && (!is_ours || search->theirs.changes < search->ours.changes))
        lw__text_add(out, "%s here it is %s", lw__nearest_text(&search->theirs),
                     lw__front_foreign(search->theirs.word, strlen(search->theirs.word)));
    else if (is_ours)
        lw__text_add(out, "%s", lw__nearest_text(&search->ours));
}

void lw__front_nearest(struct lw__arena *arena, struct lw__text *out, const char *name,
                       size_t length, bool is_called)
{
    const struct lw__nearest near = {.typed = name, .length = length};
    struct search search = {
        .name = name, .length = length, .is_called = is_called, .ours = near, .theirs = near};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const char *text = lw__our_header(arena, headers[i].file);
        char word[32];
        bool has_parameters;
        for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
            if (!name_in(text, word, sizeof word, &has_parameters))
                continue;
            if (strlen(word) == search.length && !memcmp(word, search.name, search.length)) {
                if (!has_parameters || search.is_called)
                    search.include = headers[i].include;
                search.is_found = true;
            } else if (headers[i].is_near) {
                lw__nearest_try(&search.ours, word);
                if (search.ours.word == word) /* a nearer one is kept, since the buffer is reused */
                    search.ours.word = lw__copy(arena, word);
            }
        }
    }
    lw__front_try_foreign(&search.theirs);
    add_answer(out, &search);
}
