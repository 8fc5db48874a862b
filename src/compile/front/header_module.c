/* header_module.c - kernel.h as clang has parsed it, beside this program, and what comes before a
 * CUDA file.
 *
 * For a small kernel clang spends a third of its time on kernel.h, and nearly all on the headers of
 * CUDA. So the build has clang keep what it made of them, as precompiled headers (--header-module):
 *     kernel.pch        clang's; names of our headers in it are relative to their folder
 *     kernel.pch.key    "lanewise-header HASH\n", of the clang and its flags; then "HASH NAME\n"
 *                       for each header that was read
 *     cuda.pch, cuda.pch.key    the same; of the C++ library's headers clang compares the sizes
 * A module that has another key is not used, nor one for a text that it might change the meaning
 * of: the header must come first there, and no option may reach into it. What clang says with the
 * module is not kept: clang.c then has it read the text. So the module never shows but in time.
 */
#include "compile/front/front.h"
#include "base/manifest.h"
#include "compile/llvm/clang.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "lanewise-header "
enum { HEX = 16 };

/* ---- the key --------------------------------------------------------------------------------- */

/* A plain file: a pipe could be read only once. */
static bool read_file(const char *path, struct lw__text *text)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    const bool ok =
        file >= 0 && !fstat(file, &info) && S_ISREG(info.st_mode) && lw__read_all(file, text);
    if (file >= 0)
        close(file);
    return ok;
}

/* The clang that will be started, and what it is told. False: it is not clang alone. */
static bool hash_clang(uint64_t *hash)
{
    *hash = lw__clang_hash_flags(LW_HASH_START);
    return lw__clang_hash(hash);
}

/* A header's row; names below `folder` are relative to it. text: gets what it holds. */
static bool add_row(struct lw__text *key, const char *folder, const char *path,
                    struct lw__text *text)
{
    const size_t length = strlen(folder);
    const bool is_ours = !strncmp(path, folder, length) && path[length] == '/';
    const bool ok = !strchr(path, '\n') && read_file(path, text);
    if (ok)
        lw__text_add(key, "%016llx %s\n",
                     (unsigned long long)lw__hash(LW_HASH_START, text->data, text->length),
                     is_ours ? path + length + 1 : path);
    return ok;
}

/* Is this name a word of the text outside of comments? */
static bool has_word(const char *text, const char *name, size_t length)
{
    for (const char *c = text; *c;) {
        if (c[0] == '/' && c[1] == '*') {
            c = strstr(c, "*/");
            if (!c)
                return false;
            c += 2;
        } else if (c[0] == '/' && c[1] == '/') {
            c += strcspn(c, "\n");
        } else if (lw__is_word_char(*c)) {
            const char *const word = c;
            while (lw__is_word_char(*c))
                c++;
            if ((size_t)(c - word) == length && !memcmp(word, name, length))
                return true;
        } else {
            c++;
        }
    }
    return false;
}

/* True if a macro of -D has a name that the header's text uses: it might change its meaning. */
static bool is_defined(const struct lw__options *o, const char *text, bool is_table)
{
    for (size_t i = 0; i < o->clang_arg_count; i++) {
        if (strncmp(o->clang_args[i], "-D", 2) != 0)
            continue;
        const char *name = o->clang_args[i] + strlen("-D");
        size_t length = 0;
        bool is_capitals = true;
        for (; lw__is_word_char(name[length]); length++)
            is_capitals = is_capitals && !(name[length] >= 'a' && name[length] <= 'z');
        if (!length || (!(is_table && is_capitals) && has_word(text, name, length)))
            return true;
    }
    return false;
}

static bool is_defined_within(const struct lw__options *o)
{
    const char *end, *text = lw__clang_own_headers(&end);
    for (; text < end; text += strlen(text) + 1) {
        const bool is_cuda = !strncmp(text, "__clang_cuda", 12) || !strncmp(text, "cuda_", 5);
        if ((o->is_cuda || !is_cuda) && is_defined(o, text, false))
            return true;
    }
    return false;
}

/* Is the row's header, of `length` bytes at row, what it was, and does it know no macro of -D? The
 * words of capitals in a table are pasted, never expanded. */
static bool is_same(struct lw__unit *unit, const char *folder, const char *row, size_t length)
{
    static const char table[] = ".def";
    if (length <= HEX + sizeof table)
        return false;
    const char *name = row + HEX + 1;
    const bool is_whole = *name == '/';
    const bool is_table = !memcmp(row + length - strlen(table), table, strlen(table));
    const char *path = lw__format(&unit->scratch, "%s%s%.*s", is_whole ? "" : folder,
                                  is_whole ? "" : "/", (int)(length - HEX - 1), name);
    struct lw__text now = lw__text_in(&unit->scratch), text = lw__text_in(&unit->scratch);
    return add_row(&now, folder, path, &text) && now.length == length + 1 &&
           !memcmp(now.data, row, length) && !is_defined(unit->options, text.data, is_table);
}

static bool fits(struct lw__unit *unit, const struct lw__text *key, const char *folder)
{
    char head[sizeof HEAD + HEX + 1];
    uint64_t hash;
    if (!key->length || key->data[key->length - 1] != '\n' || !hash_clang(&hash))
        return false;
    const int length = snprintf(head, sizeof head, HEAD "%016llx\n", (unsigned long long)hash);
    if (strncmp(key->data, head, (size_t)length) != 0)
        return false;
    const char *row = key->data + length;
    size_t rows = 0;
    for (; *row; row += strcspn(row, "\n") + 1, rows++)
        if (!is_same(unit, folder, row, strcspn(row, "\n")))
            return false;
    return rows > 0 && !is_defined_within(unit->options);
}

/* ---- texts that may use it ------------------------------------------------------------------- */

/* After blanks, comments and #line; NULL: after something that is not plain. */
static const char *skip_comments(const char *c)
{
    for (;;) {
        c += strspn(c, " \t\r\n");
        const bool is_line = !strncmp(c, "#line", 5);
        if (c[0] == '/' && c[1] == '*') {
            c = strstr(c + 2, "*/");
            if (!c)
                return NULL;
            c += 2;
        } else if (is_line || (c[0] == '/' && c[1] == '/')) {
            const size_t length = strcspn(c, "\n");
            if (memchr(c, '\\', length)) /* the line may go on */
                return NULL;
            c += length;
        } else {
            return c;
        }
    }
}

/* After the header, if the text begins with it: nothing before it can change its meaning. */
static const char *skip_header(const char *text)
{
    static const char name[] = "<lanewise/kernel.h>";
    const char *c = skip_comments(text);
    if (!c || *c != '#')
        return NULL;
    c += 1 + strspn(c + 1, " \t");
    if (strncmp(c, "include", 7) != 0)
        return NULL;
    c += 7 + strspn(c + 7, " \t");
    return strncmp(c, name, sizeof name - 1) ? NULL : c + sizeof name - 1;
}

static bool suits(struct lw__unit *unit, int source)
{
    struct lw__text text = lw__text_in(&unit->scratch);
    const bool ok =
        source < 0 ? read_file(unit->options->path, &text) : lw__read_all(source, &text);
    return ok && skip_header(text.data);
}

/* True if nothing but the text and macros decides: -I and these variables could put other headers
 * before clang's. */
static bool has_plain_options(const struct lw__options *o)
{
    for (size_t i = 0; i < o->clang_arg_count; i++) {
        const char *word = o->clang_args[i];
        /* What the host's library knows is reserved, but for NDEBUG. A folder of the user's is for
         * the user's headers: those of the library come before a CUDA file. */
        const bool is_known = !strncmp(word, "-D_", 3) || !strcmp(word, "-DNDEBUG");
        if (o->is_cuda ? is_known : strncmp(word, "-D", 2) != 0)
            return false;
    }
    return !getenv("CPATH") && !getenv("C_INCLUDE_PATH");
}

bool lw__header_module(struct lw__unit *unit, int source, char path[LW_PATH_MAX])
{
    char folder[LW_PATH_MAX];
    struct lw__text key = lw__text_in(&unit->scratch);
    const bool is_cuda = unit->options->is_cuda;
    if (!has_plain_options(unit->options) ||
        !lw__beside_program(path, is_cuda ? "cuda.pch" : "kernel.pch") || access(path, R_OK) ||
        !lw__header_folder(folder) || *folder != '/' ||
        (is_cuda && unit->options->cuda_arch != LW_CUDA_ARCH))
        return false;
    return read_file(lw__format(&unit->scratch, "%s.key", path), &key) &&
           fits(unit, &key, folder) && (is_cuda || suits(unit, source));
}

/* ---- making it ------------------------------------------------------------------------------- */

/* The names after the colon of clang's rule; none has a blank. Headers in this program are as the
 * clang in it. all: also those of the host's library. */
static bool add_rows(struct lw__arena *arena, struct lw__text *key, const char *folder,
                     struct lw__text *rule, bool all)
{
    static const char between[] = " \\\n";
    char *rest = NULL, *name = strchr(rule->data, ':');
    if (!name)
        return false;
    for (name = strtok_r(name + 1, between, &rest); name; name = strtok_r(NULL, between, &rest)) {
        struct lw__text text = lw__text_in(arena);
        const bool is_ours = !strncmp(name, folder, strlen(folder));
        if ((all || is_ours) && strncmp(name, LW_CLANG_FOLDER "/", sizeof LW_CLANG_FOLDER) != 0 &&
            !add_row(key, folder, name, &text))
            return false;
    }
    return true;
}

static bool write_file(const char *path, const struct lw__text *text)
{
    const bool ok = lw__write_file(path, text->data, text->length) == LW_OK;
    return ok || lw__defect("%s cannot be written", path);
}

/* zig, in clang's place, gets no module: two empty files. */
bool lw__header_module_make(struct lw__unit *unit)
{
    const char *path = unit->options->header_module;
    char folder[LW_PATH_MAX];
    struct lw__text module = lw__text_in(&unit->scratch), key = module, rule = module;
    bool ok = lw__header_folder(folder);
    uint64_t hash;
    if (ok && hash_clang(&hash)) {
        lw__text_add(&key, HEAD "%016llx\n", (unsigned long long)hash);
        ok = lw__clang_make_header(unit, folder, &module, &rule) &&
             (add_rows(&unit->scratch, &key, folder, &rule, !unit->options->is_cuda) ||
              lw__defect("a header cannot be read"));
    }
    return ok && write_file(path, &module) &&
           write_file(lw__format(&unit->scratch, "%s.key", path), &key);
}
