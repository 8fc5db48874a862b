/* clang_messages.c - clang's messages as diag rows of the manifest (src/base/manifest.h).
 *
 * clang writes `FILE:LINE:COLUMN: SEVERITY: TEXT`, then a snippet of the source
 * (support/snippet.c). Notes are kept. Some rules of ours are clang mechanisms: a poisoned name,
 * disabled assembly, an attribute after SHARED. clang's text then describes the mechanism. The row
 * says what the language refuses.
 */
#include "compile/front/front.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span {
    const char *begin;
    size_t length;
};

/* One message of clang. */
struct message {
    struct span file, severity, text;
    unsigned line, column;
};

static bool starts_with(struct span span, const char *prefix)
{
    size_t length = strlen(prefix);
    return span.length >= length && memcmp(span.begin, prefix, length) == 0;
}

static const char *find(struct span in, const char *what)
{
    size_t length = strlen(what);
    for (size_t i = 0; i + length <= in.length; i++)
        if (memcmp(in.begin + i, what, length) == 0)
            return in.begin + i;
    return NULL;
}

static bool contains(struct span in, const char *what)
{
    return find(in, what) != NULL;
}

/* ---- names that are no part of the kernel language ---- */

static const struct {
    const char *names, *reason;
} reasons[] = {
    {" malloc calloc realloc free aligned_alloc ",
     "kernels have no heap; use an array, SHARED memory or a buffer"},
    {" alloca __builtin_alloca ", "use an array of constant size"},
    {" setjmp longjmp _setjmp _longjmp sigsetjmp siglongjmp ",
     "a kernel cannot jump between functions"},
    {" exit abort _Exit quick_exit ", "use return, or assert for what must not happen"},
    {" _BitInt _ExtInt __int128 __int128_t __uint128_t ", "integers have 8 to 64 bits"},
    {" _Complex __complex__ _Imaginary ", "use a pair of numbers"},
    {" _Thread_local __thread ", "a variable of a function is each thread's own"},
    {" __float80 __float128 ", "use double"},
    {" puts putchar fprintf sprintf snprintf ", "use printf"},
};

const char *lw__front_reason(const char *name, size_t length)
{
    char word[40];
    if (length + 3 > sizeof word)
        return NULL;
    snprintf(word, sizeof word, " %.*s ", (int)length, name);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strstr(reasons[i].names, word))
            return reasons[i].reason;
    return NULL;
}

static void add_refused_name(struct lw__text *out, struct span name)
{
    const char *reason = lw__front_reason(name.begin, name.length);
    lw__text_add(out, "'%.*s' is not in the kernel language", (int)name.length, name.begin);
    if (reason)
        lw__text_add(out, ": %s", reason);
}

/* ---- clang's text, reworded ------------------------------------------------------------------ */

static struct span next_line(const char **cursor)
{
    struct span line = {*cursor, strcspn(*cursor, "\n")};
    *cursor += line.length + ((*cursor)[line.length] == '\n');
    return line;
}

/* The word above the caret in the snippet `  12 | source` / `     |    ^` that begins at text. */
static struct span word_at_caret(const char *text)
{
    struct span source = next_line(&text), carets = next_line(&text);
    const char *caret = find(carets, "^");
    struct span word = {source.begin, 0};
    if (!caret || !contains(source, " | ") || (size_t)(caret - carets.begin) >= source.length)
        return word;
    word.begin += caret - carets.begin;
    while (word.begin + word.length < source.begin + source.length &&
           lw__is_word_char(word.begin[word.length]))
        word.length++;
    return word;
}

static struct span quoted(struct span text)
{
    struct span name = {text.begin, 0};
    const char *open = find(text, "'"), *end = text.begin + text.length;
    if (!open)
        return name;
    name.begin = open + 1;
    while (name.begin + name.length < end && name.begin[name.length] != '\'')
        name.length++;
    return name;
}

static const struct {
    const char *clang, *ours;
} texts[] = {
    {"GNU-style inline assembly is disabled", "inline assembly is not in the kernel language"},
    {"variable with 'loader_uninitialized' attribute cannot have an initializer",
     "SHARED memory is uninitialised: an initialiser is refused"},
    {"variable length array declaration cannot have 'static' storage duration",
     "SHARED and static arrays need constant sizes; DYNAMIC_SHARED is sized at launch"},
    {"variable length array declaration not allowed at file scope",
     "SHARED and static arrays need constant sizes; DYNAMIC_SHARED is sized at launch"},
};

/* The text of a row; `picture` is clang's snippet below the message. */
static void add_text(struct lw__text *out, struct span text, const char *picture)
{
    if (starts_with(text, "attempt to use a poisoned identifier")) {
        struct span word = word_at_caret(picture);
        if (word.length)
            add_refused_name(out, word);
        else
            lw__text_add(out, "this type is not in the kernel language");
        return;
    }
    if (starts_with(text, "call to undeclared ")) {
        struct span name = quoted(text);
        if (lw__front_reason(name.begin, name.length))
            add_refused_name(out, name);
        else
            lw__text_add(out, "call to undeclared function '%.*s'", (int)name.length, name.begin);
        return;
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (starts_with(text, texts[i].clang)) {
            lw__text_add(out, "%s", texts[i].ours);
            return;
        }
    if (starts_with(text, "controlling expression type '") && contains(text, "any generic assoc")) {
        struct span name = quoted(text);
        lw__text_add(out, "this function takes no '");
        lw__row_field(out, name.begin, name.length);
        lw__text_add(out, "'");
        return;
    }
    lw__row_field(out, text.begin, text.length);
    if (contains(text, ".h' file not found") && !find(quoted(text), "/"))
        lw__text_add(out, " (kernels have no C library; <lanewise/kernel.h> supplies its names)");
}

/* ---- reading ---- */

/* Remove `:NUMBER` from the end of a span; 0 if there is none. */
static unsigned take_number(struct span *span)
{
    size_t end = span->length;
    while (end && span->begin[end - 1] >= '0' && span->begin[end - 1] <= '9')
        end--;
    if (end == span->length || end == 0 || span->begin[end - 1] != ':')
        return 0;
    const unsigned number = (unsigned)strtoul(span->begin + end, NULL, 10);
    span->length = end - 1;
    return number;
}

/* True if the line is a message. Those of clang's driver have a program for a file, and no line. */
static bool read_message(struct span line, struct message *message)
{
    static const char *const severities[] = {"fatal error", "error", "warning", "note", "remark"};
    *message = (struct message){0};
    if (line.length == 0 || line.begin[0] == ' ')
        return false;
    for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++) {
        char mark[24];
        snprintf(mark, sizeof mark, "%s: ", severities[i]);
        const char *at = find(line, mark);
        const size_t before = at ? (size_t)(at - line.begin) : 0;
        if (!at || (before && (before < 2 || memcmp(at - 2, ": ", 2) != 0)))
            continue;
        if (message->severity.begin && at >= message->severity.begin)
            continue;
        message->severity = (struct span){at, strlen(severities[i])};
        message->text.begin = at + strlen(mark);
        message->text.length = (size_t)(line.begin + line.length - message->text.begin);
        message->file = (struct span){line.begin, before ? before - 2 : 0};
    }
    if (!message->severity.begin)
        return false;
    message->line = take_number(&message->file);
    const unsigned first = take_number(&message->file);
    if (first) {
        message->column = message->line;
        message->line = first;
    }
    return true;
}

static bool is_crash(struct span line)
{
    return contains(line, "PLEASE submit a bug report") || contains(line, "Stack dump:") ||
           contains(line, "frontend command failed") || contains(line, "LLVM ERROR:") ||
           contains(line, "unable to execute command");
}

/* LLVM gives the reason when it ends itself; the rest of the text is about bug reports. */
static void tell_crash(struct lw__diags *diags, struct span line)
{
    const char *why = find(line, "LLVM ERROR: ");
    char text[200] = "it may nest too deeply or be too large";
    if (diags->crashed)
        return;
    diags->crashed = true;
    if (why)
        snprintf(text, sizeof text, "%.*s", (int)(line.begin + line.length - why), why);
    lw__diags_error(diags, (struct lw__loc){0}, "clang crashed on this file: %s", text);
}

/* Notes about the inside of our own headers, or about how a macro expands, are no help. */
static bool is_inside_us(const struct message *message)
{
    return starts_with(message->severity, "note") &&
           (lw__is_our_header(message->file.begin, message->file.length) ||
            starts_with(message->text, "(skipping") ||
            (starts_with(message->text, "did you mean") && contains(message->text, "'lw__")));
}

/* True if clang suggests a name: in the message, or in a note after its snippet. */
static bool is_answered(struct span text, const char *picture)
{
    if (contains(text, "did you mean"))
        return true;
    picture = lw__snippet_skip(picture);
    struct message next;
    return *picture && read_message(next_line(&picture), &next) &&
           starts_with(next.severity, "note") && starts_with(next.text, "did you mean") &&
           !contains(next.text, "'lw__");
}

/* Add the name for what CUDA, OpenCL or Mojo call otherwise, or for a misspelt one. */
static void add_meant(const struct lw__diags *diags, struct span text, const char *picture)
{
    struct lw__text *out = diags->rows;
    static const char *const unknown[] = {"unknown type name '", "use of undeclared identifier '",
                                          "call to undeclared function '"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        if (starts_with(text, unknown[i])) {
            const struct span name = quoted(text);
            const char *ours = lw__front_foreign(name.begin, name.length);
            if (ours)
                lw__text_add(out, "; here it is %s", ours);
            else if (!is_answered(text, picture))
                lw__front_nearest(diags->scratch, out, name.begin, name.length,
                                  starts_with(text, "call to "));
        }
    /* The name at the picture's caret, where a parenthesis follows it as in `TENSR(float, 2) a`;
     * empty if there is none. */
    struct span line = next_line(&picture), carets = next_line(&picture);
    const char *caret = find(carets, "^");
    const size_t at = caret ? (size_t)(caret - carets.begin) : line.length;
    struct span name = {line.begin + at, 0};
    while (at + name.length < line.length && lw__is_word_char(name.begin[name.length]))
        name.length++;
    const bool is_called = at + name.length < line.length && name.begin[name.length] == '(';
    const struct span type = is_called ? name : (struct span){line.begin, 0};
    if (starts_with(text, "type specifier missing") && type.length)
        lw__front_nearest(diags->scratch, out, type.begin, type.length, true);
}

/* The include chain of a message's file, the main file first. */
enum { INCLUDES_MAX = 16 };
struct includes {
    struct span file[INCLUDES_MAX];
    unsigned line[INCLUDES_MAX];
    size_t count;
};

/* take_include - true for `In file included from FILE:LINE:`. */
static bool take_include(struct includes *includes, struct span line)
{
    static const char begin[] = "In file included from ";
    const size_t length = strlen(begin);
    if (!starts_with(line, begin))
        return false;
    struct span file = {line.begin + length, line.length - length};
    file.length -= file.length && file.begin[file.length - 1] == ':';
    const unsigned number = take_number(&file);
    if (includes->count < INCLUDES_MAX) {
        includes->file[includes->count] = file;
        includes->line[includes->count++] = number;
    }
    return true;
}

static void add_file(struct lw__diags *diags, struct span file)
{
    if (starts_with(file, "<stdin>") || !file.length)
        lw__row_field(diags->rows, diags->main_name, strlen(diags->main_name));
    else
        lw__row_field(diags->rows, file.begin, file.length);
}

static void add_row(struct lw__diags *diags, const struct message *message, const char *picture)
{
    struct lw__text *rows = diags->rows;
    const bool fatal = starts_with(message->severity, "fatal error");
    const bool error = fatal || starts_with(message->severity, "error");
    lw__text_add(rows, "diag\t");
    if (error)
        lw__text_add(rows, "error\t");
    else
        lw__text_add(rows, "%.*s\t", (int)message->severity.length, message->severity.begin);
    add_file(diags, message->line ? message->file : (struct span){0});
    lw__text_add(rows, "\t%u\t%u\t", lw__row_line(message->line), message->column);
    add_text(rows, message->text, picture);
    add_meant(diags, message->text, picture);
    lw__text_add(rows, "\n");
    lw__snippet_take(diags, picture, message->line);
    diags->errors += error;
}

/* clang assumes that an undeclared function returns int, and then reports the assignment. */
static bool follows_from(const struct message *message, const struct message *before)
{
    return before->line == message->line && starts_with(before->text, "call to undeclared") &&
           starts_with(message->text, "incompatible integer to pointer conversion");
}

/* A macro of the file replaces one of kernel_maths.h. The note below tells which. */
static bool replaces_ours(const struct message *message, const char *below)
{
    struct message note = {0};
    if (!contains(message->text, "macro redefined"))
        return false;
    while (*below && !read_message(next_line(&below), &note))
        ;
    return find(note.file, "lanewise/kernel_maths.h") &&
           starts_with(note.text, "previous definition");
}

/* clang reports a poisoned function as undeclared as well. */
static bool repeats(const struct message *message, const struct message *before)
{
    return before->line == message->line && before->column == message->column && message->line &&
           starts_with(before->text, "attempt to use a poisoned");
}

/* lw__front_diag - append a diag row for every message in clang's standard error. A crash of clang
 * gives one error and sets diags->crashed. Its text is dropped, except the reason in "LLVM ERROR:
 * out of memory".
 */
void lw__front_diag(struct lw__diags *diags, const char *stderr_text)
{
    struct message message, before = {0};
    struct includes includes = {0};
    for (const char *cursor = stderr_text; *cursor;) {
        const struct span line = next_line(&cursor);
        if (is_crash(line)) {
            tell_crash(diags, line);
            return;
        }
        if (take_include(&includes, line) || !read_message(line, &message))
            continue;
        const char *picture = cursor;
        cursor = lw__snippet_skip(picture);
        if (is_inside_us(&message) || replaces_ours(&message, picture))
            continue;
        if (!follows_from(&message, &before) && !repeats(&message, &before)) {
            add_row(diags, &message, picture);
            if (!lw__is_our_header(message.file.begin, message.file.length)) {
                /* A note for each, the nearest first. */
                for (size_t i = includes.count; i-- > 0;) {
                    lw__text_add(diags->rows, "diag\tnote\t");
                    add_file(diags, includes.file[i]);
                    lw__text_add(diags->rows, "\t%u\t1\tin file included from here\n",
                                 lw__row_line(includes.line[i]));
                }
            }
        }
        before = message;
        includes.count = 0;
    }
}
