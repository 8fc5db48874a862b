/* crash_context.c - the current pass, kernel and line, so that an unintended end of the compiler
 * names them.
 *
 * LLVM ends a process that it cannot continue, and a defect of ours may end it by a signal. Then
 * the last line on standard error, which the library passes on, is
 *     lanewise-compile: in pass object, kernel 'k' at k.c:2:13, near k.c:5:12
 * with what is known. A signal handler and on_exit write it; both only read what was noted before,
 * and call nothing but write().
 */
#include "base/manifest.h"
#include "compile/llvm/llvm.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIGNAL_STACK = 64 << 10, NAME_MAX_BYTES = 256 };

/* A file, as users call it, with line and column; line 0: unknown. */
struct place {
    const char *file;
    size_t length;
    unsigned line, column;
};

struct where {
    const char *pass;
    char kernel[NAME_MAX_BYTES]; /* "": unknown, or several */
    struct place kernel_at, near;
    bool told, done;
};

/* A signal handler gets no context. */
static struct where *where(void)
{
    static struct where w;
    return &w;
}

/* ---- writing the line ------------------------------------------------------------------------ */

struct line {
    char text[2048];
    size_t length;
};

static void add(struct line *l, const char *text, size_t count)
{
    const size_t room = sizeof l->text - l->length;
    count = count < room ? count : room;
    memcpy(l->text + l->length, text, count);
    l->length += count;
}

static void add_string(struct line *l, const char *text)
{
    add(l, text, strlen(text));
}

static void add_number(struct line *l, unsigned n)
{
    char digits[12];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + n % 10);
    while (n /= 10);
    add(l, digits + at, sizeof digits - at);
}

static void add_place(struct line *l, const char *how, const struct place *p)
{
    if (!p->line)
        return;
    add_string(l, how);
    add(l, p->file, p->length);
    add_string(l, ":");
    add_number(l, p->line);
    if (p->column) {
        add_string(l, ":");
        add_number(l, p->column);
    }
}

void lw__where_tell(void)
{
    struct where *w = where();
    struct line l = {.length = 0};
    if (!w->pass || w->told)
        return;
    w->told = true;
    add_string(&l, "lanewise-compile: in pass ");
    add_string(&l, w->pass);
    if (*w->kernel) {
        add_string(&l, ", kernel '");
        add_string(&l, w->kernel);
        add_string(&l, "'");
    }
    add_place(&l, " at ", &w->kernel_at);
    add_place(&l, ", near ", &w->near);
    add_string(&l, "\n");
    for (size_t at = 0; at < l.length;) {
        const ssize_t n = write(STDERR_FILENO, l.text + at, l.length - at);
        if (n <= 0)
            return;
        at += (size_t)n;
    }
}

/* ---- noting ---------------------------------------------------------------------------------- */

static struct place place_of(const struct lw__diags *diags, struct lw__loc loc)
{
    const bool is_main = lw__row_is_main(diags, loc) && diags->main_name;
    return (struct place){is_main ? diags->main_name : loc.file,
                          is_main ? strlen(diags->main_name) : loc.file_length, loc.line,
                          loc.column};
}

void lw__where_kernel(const struct lw__unit *unit, const struct lw__kernel *kernel)
{
    struct where *w = where();
    w->near = (struct place){0};
    w->kernel_at = (struct place){0};
    *w->kernel = '\0';
    if (!kernel || !kernel->name)
        return;
    strncpy(w->kernel, kernel->name, sizeof w->kernel - 1);
    w->kernel_at = place_of(&unit->diags, kernel->loc);
}

void lw__where_pass(const struct lw__unit *unit, const char *pass)
{
    lw__where_kernel(unit, unit->kernels.count == 1 ? unit->kernels.rows : NULL);
    where()->pass = pass;
}

void lw__where_at(const struct lw__unit *unit, LLVMValueRef instruction)
{
    const struct lw__loc loc = lw__loc_of(instruction);
    if (loc.line)
        where()->near = place_of(&unit->diags, loc);
}

void lw__where_done(void)
{
    where()->done = true;
}

/* ---- ends of the process --------------------------------------------------------------------- */

/* The signal then ends the process as it would have: it is blocked until here. */
static void on_signal(int number)
{
    lw__where_tell();
    signal(number, SIG_DFL);
    raise(number);
}

/* LLVM has ended the process, with a status that may mean something else; or an arena. */
static void on_exit_early(int status, void *unused)
{
    (void)unused;
    if (where()->done)
        return;
    lw__where_tell();
    _exit(status == LW_EXIT_MEMORY ? status : LW_EXIT_DEFECT);
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGXCPU, SIGALRM};

void lw__where_start(void)
{
    static char memory[SIGNAL_STACK]; /* where the stack itself has run out */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = sizeof memory}, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
    on_exit(on_exit_early, NULL);
}

void lw__where_leave(void)
{
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], SIG_DFL);
    lw__where_done();
}
