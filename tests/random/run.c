/* run.c - programs built and run both ways in a child process, and compared: each with several
 * fills of its buffers, since building it takes most of the time.
 *
 * All programs of a call are kernels of one file and functions of one scalar file, since starting
 * compilers costs more than what they do here. Where one of them ends the child or is not built,
 * the rest go on in other children, by halves until it stands alone.
 */
#include "language.h"
#include "run.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of waiting for the next outcome, for which a compiler may run twice; of processor time, for the
 * child and each compiler, which has some seconds more to go by its own limit; of a launch. */
enum { WAIT_SECONDS = 240, PROCESSOR_SECONDS = 60, LAUNCH_SECONDS = 10 };

size_t element_size(enum type t)
{
    return t == BOOL ? 1 : (size_t)types[t].bits / 8;
}

static struct buffer *add_buffer(struct buffer *end, const char *name, enum type t, size_t count)
{
    *end = (struct buffer){.type = t, .count = count};
    snprintf(end->name, sizeof end->name, "%s_%s", name, types[t].name);
    return end + 1;
}

static struct buffer *add_input(struct buffer *end, const char *name, enum type t, size_t count)
{
    add_buffer(end, name, t, count)[-1].is_const = true;
    return end + 1;
}

/* What says who is wrong. */
static struct buffer *add_wild(const struct program *p, struct buffer *end)
{
    static const char *const names[] = {"wild_block", "wild_first", "wild_last", "wild_sites"};
    static struct var numbers[4];
    const int values[] = {p->wild.block, p->wild.first, p->wild.last, p->wild.sites};
    for (int i = 0; i < 4; i++) {
        numbers[i] = (struct var){.id = -1, .type = I32};
        memcpy(numbers[i].value, &values[i], sizeof values[i]);
        *end = (struct buffer){.type = I32, .var = &numbers[i]};
        snprintf(end->name, sizeof end->name, "%s", names[i]);
        end++;
    }
    return add_input(end, "wild", I64, WILD_AMOUNTS);
}

int list_buffers(struct program *p, struct buffer list[BUFFERS_MAX])
{
    static struct var height = {.id = -1, .type = I32, .value = {HEIGHT}};
    static struct var width = {.id = -1, .type = I32, .value = {WIDTH}};
    size_t threads = (size_t)(program_threads(p) * program_blocks(p));
    bool has_matrix = false;
    struct buffer *end = list;
    for (int i = 0; i < p->parameters; i++) {
        struct var *v = p->parameter[i];
        *end = (struct buffer){.type = v->type, .var = v};
        snprintf(end->name, sizeof end->name, "%c%d", v->shape == STRUCT ? 'r' : 'v', v->id);
        end++;
    }
    for (int t = 0; t < TYPES; t++)
        if (p->reads[t])
            end = add_input(end, "in", t, INPUTS);
    for (int t = 0; t < TYPES; t++)
        has_matrix |= p->has_matrix[t];
    if (has_matrix) {
        *end++ = (struct buffer){"height", .type = I32, .var = &height};
        *end++ = (struct buffer){"width", .type = I32, .var = &width};
    }
    for (int t = 0; t < TYPES; t++)
        if (p->has_matrix[t]) {
            end = add_input(end, "mat", t, HEIGHT * WIDTH);
            end[-1].is_matrix = true;
        }
    if (p->walks)
        end = add_input(end, "numbers", I32, INPUTS);
    if (p->wilds)
        end = add_wild(p, end);
    for (int t = 0; t < TYPES; t++)
        if (p->has_rows[t])
            end = add_input(end, "row", t, 4 * row_cells(p));
    if (p->has_records)
        end = add_input(end, "rec", U8, row_cells(p) * structure_size(&p->structure));
    for (int t = 0; t < TYPES; t++)
        if (p->slots[t])
            end = add_buffer(end, "out", t, threads * (size_t)p->slots[t]);
    for (int t = 0; t < 2 * TYPES; t++)
        if (p->vectors[t / TYPES][t % TYPES])
            end = add_buffer(end, vectors_text[t / TYPES], t % TYPES,
                             threads * (size_t)p->vectors[t / TYPES][t % TYPES] *
                                 (t < TYPES ? 2 : 4));
    for (int t = 0; t < TYPES; t++)
        if (p->has_cells[t] && !p->block_cells)
            end = add_buffer(end, "cells", t, CELLS);
    for (int i = 0; i < p->shareds; i++)
        if (p->shared[i]->place == AT_GLOBAL) {
            end = add_buffer(end, "all", p->shared[i]->type, threads);
            snprintf(end[-1].name, sizeof end->name, "all_s%d", p->shared[i]->id);
            end[-1].var = p->shared[i];
        }
    for (struct buffer *b = list; b < end && !p->wilds && has_style(p, BY_SYMBOL); b++)
        b->is_symbol = !strncmp(b->name, "in_", 3) || !strncmp(b->name, "cells_", 6);
    return (int)(end - list);
}

/* ---- what buffers start with --------------------------------------------------------------- */

/* 16-bit floats by their bits: 1.5, 0, -0, -2, largest, smallest, infinity, NaN, and others. */
static void fill_float(enum type t, void *to, uint64_t random, size_t i)
{
    static const double special[] = {0.0,       -0.0, 1.0,   -1.0, 0.5,     3.0,  -100.25, INFINITY,
                                     -INFINITY, NAN,  1e-30, 1e30, 65519.0, 1e-7, 2049.0,  0.1};
    static const uint16_t f16[] = {0,      0x8000, 0x3c00, 0xbc00, 0x3800, 0x4200, 0xd644, 0x7c00,
                                   0xfc00, 0x7e00, 1,      0x7bff, 0x7801, 0x83ff, 0x6801, 0x2e66};
    static const uint16_t bf16[] = {0,      0x8000, 0x3f80, 0xbf80, 0x3f00, 0x4040, 0xc2c8, 0x7f80,
                                    0xff80, 0x7fc0, 1,      0x7f7f, 0x4780, 0x807f, 0x4501, 0x3dcd};
    bool is_special = random % 24 == 0;
    double number = (double)(random >> 20) / (double)((uint64_t)1 << (34 + random % 8));
    number = random % 8 == 0 ? (double)(random >> 20) : number;
    number = is_special ? special[i % 16] : random & 64 ? -number : number;
    float single = (float)number;
    uint16_t bits = is_special ? t == F16 ? f16[i % 16] : bf16[i % 16]
                    : t == F16 ? (uint16_t)((random & 0x83ff) | (8 + random % 16) << 10)
                               : (uint16_t)((random & 0x807f) | (113 + random % 30) << 7);
    if (t == F64)
        memcpy(to, &number, 8);
    else if (t == F32)
        memcpy(to, &single, 4);
    else
        memcpy(to, &bits, 2);
}

static void fill_one(enum type t, void *to, struct dice *d, size_t i)
{
    uint64_t random = dice_next(d);
    uint64_t small = random % 4 == 0 ? random >> 8 : random % 4 == 1 ? random >> 8 & 31 : i;
    small = random % 5 == 0 ? -small : small;
    if (is_float(t))
        fill_float(t, to, random, i);
    else if (t == BOOL)
        *(unsigned char *)to = random >> 9 & 1;
    else
        memcpy(to, &small, element_size(t));
}

/* fill_like - whose value element i has too: neighbours take the same way in the second fill, and
 * nearly all threads in the third. */
static size_t fill_like(int fill, size_t i)
{
    return fill == 0 ? i : fill == 1 ? i - i % 16 : i % 41 == 40 ? i : 0;
}

void fill_buffer(const struct program *p, const struct buffer *b, void *memory)
{
    struct dice d = {p->seed * 31 + b->type + (uint64_t)p->fill * 1000003};
    size_t size = element_size(b->type);
    memset(memory, 0, b->count * size);
    if (!strcmp(b->name, "wild_i64")) {
        memcpy(memory, p->wild.by, sizeof p->wild.by);
        return;
    }
    bool is_records = !strncmp(b->name, "rec", 3); /* each byte may be a bool, and makes no NaN */
    bool is_numbers = !strncmp(b->name, "numbers", 7);
    for (size_t i = 0; i < b->count && b->is_const; i++)
        if (is_records)
            ((char *)memory)[i] = dice_below(&d, 2);
        else if (is_numbers)
            ((int32_t *)memory)[i] = (int32_t)i;
        else
            fill_one(b->type, (char *)memory + i * size, &d, i);
    for (size_t i = 0; i < b->count && b->is_const && !is_numbers; i++)
        memcpy((char *)memory + i * size, (char *)memory + fill_like(p->fill, i) * size, size);
    if (!strncmp(b->name, "cells", 5)) /* all bits where `and` begins; NaN for a float */
        memset((char *)memory + A_AND * size, 0xff, size);
}

/* ---- building ------------------------------------------------------------------------------ */

/* Not optimised: that takes longer than running it. Without -frounding-math gcc 12 takes
 * 0.0f - (float)i for -(float)i, which is another zero. */
static const char scalar_command[] = LW_RANDOM_CC
    " -w -O0 -fwrapv -ffp-contract=off -frounding-math -shared -fPIC -I'" LW_RANDOM_INCLUDE
    "' -x c - -o '%s' -lm";

static void *build_scalar(struct program *const *p, int count)
{
    char path[] = "/tmp/random-XXXXXX", command[sizeof scalar_command + sizeof path];
    int file = mkstemp(path);
    if (file < 0)
        return NULL;
    close(file);
    snprintf(command, sizeof command, scalar_command, path);
    FILE *to = popen(command, "w");
    if (!to)
        return NULL;
    fputs("#include \"lanes.h\"\n", to);
    for (int i = 0; i < count; i++)
        write_scalar(to, p[i]);
    void *library = pclose(to) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    unlink(path);
    return library;
}

bool is_for_debugger(const char *device)
{
    return !strcmp(device, "ref -O0");
}

/* is_refusal - the device cannot do this yet, which `ref` always can. */
static bool is_refusal(const char *device, lw_status status)
{
    return strncmp(device, "ref", 3) && (status == LW_E_UNSUPPORTED || status == LW_E_COMPILE);
}

/* The names of all, with a semicolon between. */
static void list_kernels(struct program *const *p, int count, char *text)
{
    for (int i = 0; i < count; i++) {
        p[i]->language->name(p[i], text);
        text += strlen(text);
        *text++ = i + 1 < count ? ';' : '\0';
    }
}

bool build_kernels(struct pair *pair, const char *device, struct program *const *p, int count,
                   struct outcome *o)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return false;
    const struct language *language = p[0]->language;
    language->prelude(to, NULL);
    for (int i = 0; i < count; i++)
        write_kernel(to, p[i]);
    fclose(to);
    char instances[BATCH_MAX * (NAME_MAX_BYTES + 1)];
    list_kernels(p, count, instances);
    lw_build_options options = {.source = text,
                                .debug = is_for_debugger(device),
                                .cuda = language->is_cuda,
                                .instantiate = language->is_cuda ? instances : NULL};
    lw_status status = lw_device_open(options.debug ? "ref" : device, &pair->device);
    if (status == LW_OK)
        status = lw_program_build(pair->device, language->file, &options, &pair->program);
    free(text);
    o->verdict = is_refusal(device, status) ? REFUSED : NOT_BUILT;
    snprintf(o->why, sizeof o->why, "%s", lw_last_error());
    return status == LW_OK;
}

/* ---- running ------------------------------------------------------------------------------- */

typedef void scalar_function(void *const *arguments);

bool call_scalar(void *library, struct program *p, void *memory[BUFFERS_MAX])
{
    struct buffer list[BUFFERS_MAX];
    char name[32];
    int count = list_buffers(p, list);
    for (int i = 0; i < count; i++) {
        memory[i] =
            list[i].count ? calloc(list[i].count, element_size(list[i].type)) : list[i].var->value;
        if (!memory[i])
            return false;
        if (list[i].count)
            fill_buffer(p, &list[i], memory[i]);
    }
    snprintf(name, sizeof name, "kernel%d", p->number);
    scalar_function *run;
    *(void **)&run = dlsym(library, name);
    if (run)
        run(memory);
    return run != NULL;
}

bool run_scalar(struct program *p, void *memory[BUFFERS_MAX])
{
    program_number(p);
    void *library = build_scalar(&p, 1);
    bool done = library && call_scalar(library, p, memory);
    if (library)
        dlclose(library);
    return done;
}

/* by_value - a parameter's bytes as an argument. 16-bit floats go in as the number they are. */
lw_arg by_value(const struct program *p, const struct var *v)
{
    int64_t i = 0;
    if (v->shape == STRUCT)
        return lw_arg_bytes(v->value, structure_size(&p->structure));
    memcpy(&i, v->value, element_size(v->type));
    float f;
    memcpy(&f, v->value, sizeof f);
    double d;
    memcpy(&d, v->value, sizeof d);
    switch (v->type) {
    case F32: return lw_arg_real(f);
    case F64: return lw_arg_real(d);
    case I8: return lw_arg_int((int8_t)i);
    case I16: return lw_arg_int((int16_t)i);
    case I32: return lw_arg_int((int32_t)i);
    case I64: return lw_arg_int(i);
    default: return lw_arg_uint((uint64_t)i);
    }
}

lw_status launch(struct pair *pair, struct program *p, lw_arg *args, int count)
{
    char name[NAME_MAX_BYTES];
    lw_launch_options options = {0};
    p->language->name(p, name);
    for (int i = 0; i < p->shareds; i++)
        if (p->shared[i]->place == AT_LAUNCH)
            options.shared_bytes = (size_t)program_threads(p) * element_size(p->shared[i]->type);
    lw_dim3 grid = {(uint32_t)p->grid[0], (uint32_t)p->grid[1], (uint32_t)p->grid[2]};
    lw_dim3 block = {(uint32_t)p->block[0], (uint32_t)p->block[1], (uint32_t)p->block[2]};
    lw_kernel *kernel;
    lw_status status = lw_program_kernel(pair->program, name, &kernel);
    if (!status)
        status = lw_stream_create(pair->device, &pair->stream);
    if (!status)
        status = lw_stream_launch(pair->stream, kernel, grid, block, &options, args, (size_t)count);
    if (!status)
        status = lw_stream_wait_for(pair->stream, UINT64_C(1000000000) * LAUNCH_SECONDS);
    return status;
}

static bool is_nan(enum type t, const unsigned char *x)
{
    uint64_t bits = 0;
    memcpy(&bits, x, element_size(t));
    switch (t) {
    case F16: return (bits & 0x7fff) > 0x7c00;
    case BF16: return (bits & 0x7fff) > 0x7f80;
    case F32: return (bits & 0x7fffffff) > 0x7f800000;
    case F64: return (bits & INT64_MAX) > UINT64_C(0x7ff) << 52;
    default: return false;
    }
}

bool compare(const struct buffer *b, const void *kernel, const void *scalar, struct outcome *o)
{
    size_t size = element_size(b->type);
    for (size_t i = 0; i < b->count; i++) {
        const unsigned char *x = (const unsigned char *)kernel + i * size;
        const unsigned char *y = (const unsigned char *)scalar + i * size;
        if (!memcmp(x, y, size) || (is_nan(b->type, x) && is_nan(b->type, y)))
            continue;
        uint64_t got = 0, wanted = 0;
        memcpy(&got, x, size);
        memcpy(&wanted, y, size);
        o->verdict = DISAGREES;
        snprintf(o->why, sizeof o->why, "%.15s[%zu]: kernel 0x%llx, scalar 0x%llx", b->name, i,
                 (unsigned long long)got, (unsigned long long)wanted);
        return false;
    }
    return true;
}

/* memory_of - a buffer with what it begins with. A variable that no code uses is none. */
static bool memory_of(struct pair *pair, struct program *p, const struct buffer *b,
                      lw_buffer **buffer, bool *is_owned)
{
    char name[NAME_MAX_BYTES];
    void *mapped;
    *is_owned = true;
    if (b->is_symbol) {
        p->language->symbol_name(p, b, name);
        *is_owned = lw_program_symbol(pair->program, name, buffer) != LW_OK;
    }
    if (*is_owned && lw_buffer_create(pair->device, (lw_dtype)b->type, b->count, buffer) != LW_OK)
        return false;
    if (lw_buffer_map(*buffer, &mapped) != LW_OK)
        return false;
    fill_buffer(p, b, mapped);
    return lw_buffer_unmap(*buffer) == LW_OK;
}

static void run_one(struct pair *pair, struct program *p, struct outcome *o)
{
    struct buffer list[BUFFERS_MAX];
    void *memory[BUFFERS_MAX], *mapped;
    lw_arg args[BUFFERS_MAX];
    lw_buffer *buffer[BUFFERS_MAX] = {0};
    bool is_owned[BUFFERS_MAX] = {0};
    int count = list_buffers(p, list), arg_count = 0;
    bool done = call_scalar(pair->scalar, p, memory);
    for (int i = 0; i < count && done; i++) {
        const struct buffer *b = &list[i];
        if (b->count)
            done = memory_of(pair, p, b, &buffer[i], &is_owned[i]);
        if (!b->is_symbol)
            args[arg_count++] = b->count ? lw_arg_buffer(buffer[i]) : by_value(p, b->var);
    }
    if (!done || launch(pair, p, args, arg_count) != LW_OK) {
        o->verdict = FAILED;
        snprintf(o->why, sizeof o->why, "%s", lw_last_error());
        return;
    }
    o->verdict = AGREES;
    for (int i = 0; i < count && o->verdict == AGREES; i++)
        if (list[i].count && lw_buffer_map(buffer[i], &mapped) == LW_OK) {
            compare(&list[i], mapped, memory[i], o);
            if (lw_buffer_unmap(buffer[i]) != LW_OK)
                o->verdict = FAILED;
        }
    for (int i = 0; i < count; i++) {
        if (list[i].count)
            free(memory[i]);
        if (is_owned[i])
            lw_buffer_destroy(buffer[i]);
    }
    lw_stream_destroy(pair->stream);
}

/* run_fills - from the program's on; the outcome is of the first that does not agree. */
static void run_fills(struct pair *pair, struct program *p, struct outcome *o)
{
    do {
        o->fill = p->fill;
        run_one(pair, p, o);
    } while (o->verdict == AGREES && ++p->fill < FILLS);
}

/* One whose build fails says so only where it is alone. */
static void run_in_child(const char *device, struct program *const *p, int count, int to)
{
    struct pair pair = {0}, ref = {0};
    struct outcome o = {.verdict = NOT_BUILT};
    struct rlimit processor = {PROCESSOR_SECONDS, PROCESSOR_SECONDS + 10}, core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &processor);
    setrlimit(RLIMIT_CORE, &core);
    const bool is_wild = p[0]->wilds;
    bool built = is_wild ? wild_build(&pair, &ref, p, count, &o)
                         : build_kernels(&pair, device, p, count, &o);
    pair.scalar = built ? build_scalar(p, count) : NULL;
    if (built && !pair.scalar)
        o = (struct outcome){.verdict = NOT_BUILT, .why = "the scalar program does not compile"};
    for (int i = 0; i < count && (pair.scalar || count == 1); i++) {
        if (pair.scalar && is_wild)
            wild_run(&pair, &ref, p[i], &o);
        else if (pair.scalar)
            run_fills(&pair, p[i], &o);
        if (write(to, &o, sizeof o) != (ssize_t)sizeof o)
            break;
    }
    fflush(NULL);
    _exit(0);
}

static int collect(int from, int count, struct outcome *outcomes)
{
    int n = 0;
    while (n < count) {
        struct pollfd wait = {from, POLLIN, 0};
        if (poll(&wait, 1, WAIT_SECONDS * 1000) <= 0 ||
            read(from, &outcomes[n], sizeof *outcomes) != (ssize_t)sizeof *outcomes)
            break;
        n++;
    }
    return n;
}

/* start - a child for the programs; returns how many outcomes came from it. */
static int start(const char *device, struct program *const *p, int count, struct outcome *outcomes)
{
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_in_child(device, p, count, ends[1]);
    }
    close(ends[1]);
    int done = child > 0 ? collect(ends[0], count, outcomes) : 0;
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    return done;
}

void run_programs(const char *device, struct program *const *p, int count, struct outcome *outcomes)
{
    int alike = 1; /* are built together */
    while (alike < count && wild_mode(p[alike]) == wild_mode(p[0]))
        alike++;
    if (alike < count)
        run_programs(device, p + alike, count - alike, outcomes + alike);
    count = alike;
    for (int i = 0; i < count; i++)
        p[i]->number = i;
    int done = start(device, p, count, outcomes);
    int next = done ? done : count / 2;
    if (done == 0 && count == 1)
        outcomes[0] = (struct outcome){
            .verdict = NO_VERDICT, .why = "crashed or took too long", .fill = p[0]->fill};
    if (done == 0 && count > 1)
        run_programs(device, p, next, outcomes);
    if (next < count && count > 1)
        run_programs(device, p + next, count - next, outcomes + next);
}
