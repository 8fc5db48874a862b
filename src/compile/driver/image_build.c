/* image_build.c - `lanewise cc`: bitcode once, then a child for each piece of code.
 *
 * LLVM's options for the cpu hold for a process (llvm/llvm19.c), and each piece may take a minute.
 * So forks of this process make the pieces, a few at a time. Each writes what lanewise-compile
 * would write for the library (base/manifest.h). They are collected in the order of the jobs: the
 * same input gives the same object.
 */
#include "compile/driver/driver.h"
#include "compile/driver/image.h"
#include "compile/llvm/llvm.h"
#include "compile/common/common.h"
#include "compile/gpu/gpu.h"
#include "compile/cpu/cpu.h"
#include "base/limits.h"
#include "base/manifest.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_BLOCK = 256 };

struct image {
    struct lw__unit *unit;
    const struct lw__image_options *options;
    struct lw__text kernels_text; /* of the manifest below */
    struct lw__manifest kernels;
    struct lw__image_job *jobs;
    size_t job_count;
    int common_file, guarded_file; /* bitcode of the plain and of the guarded form; -1 */
    struct lw__text common;        /* bitcode of the plain form */
    struct lw__text bitcode, archive;
    struct lw__image_constants constants;
    const size_t *proofs; /* the constants that tell launches which form they run; NULL: one form */
};

/* ---- the jobs ---- */

static void add_job(struct image *m, struct lw__image_job job)
{
    m->jobs = lw__one_more(&m->unit->scratch, m->jobs, m->job_count, sizeof *m->jobs);
    job.pid = job.out = -1;
    job.result = job.packed = lw__text_in(&m->unit->scratch);
    uint32_t gang;
    assert(!job.kernel == !job.block[0] && lw__target_find(job.target, &gang));
    job.has = lw__target_find(job.target, &gang)->has;
    job.is_packed |= (job.has & LW_IS_TEXT) != 0;
    m->jobs[m->job_count++] = job;
}

/* Add it once, if two -b are the same. */
static void add_block(struct image *m, const char *target, const char *kernel,
                      const uint32_t dims[3])
{
    struct lw__image_job job = {.target = target, .kernel = kernel};
    memcpy(job.block, dims, sizeof job.block);
    for (size_t i = 0; i < m->job_count; i++)
        if (m->jobs[i].kernel == job.kernel && m->jobs[i].target == job.target &&
            !memcmp(m->jobs[i].block, job.block, sizeof m->jobs[i].block))
            return;
    add_job(m, job);
}

/* Sizes for this target only hide those for all. */
static void add_blocks(struct image *m, const char *target, const char *kernel)
{
    static const uint32_t usual[3] = {DEFAULT_BLOCK, 1, 1};
    const struct lw__image_options *o = m->options;
    bool some = false;
    for (int own = 1; own >= 0 && !some; own--)
        for (size_t i = 0; i < o->block_count; i++) {
            const struct lw__image_block *b = &o->blocks[i];
            if (own != (b->target != NULL) ||
                (own && (strlen(target) != b->target_length ||
                         strncmp(target, b->target, b->target_length) != 0)))
                continue;
            some = true;
            add_block(m, target, kernel, b->dims);
        }
    if (!some)
        add_block(m, target, kernel, usual);
}

/* Is this the job with the lowest level of its kernel and block? The table of targets begins with
 * the lowest. */
static bool is_least(const struct image *m, const struct lw__image_job *job, size_t count)
{
    uint32_t gang;
    const struct lw__target *level = lw__target_find(job->target, &gang);
    for (size_t i = 0; i < count; i++) {
        const struct lw__image_job *other = &m->jobs[i];
        if ((other->has & LW_HAS_GANGS) && !strcmp(other->kernel, job->kernel) &&
            !memcmp(other->block, job->block, sizeof job->block) &&
            lw__target_find(other->target, &gang) < level)
            return false;
    }
    return true;
}

static const struct lw__kernel *kernel_of(const struct image *m, const struct lw__image_job *job)
{
    const struct lw__kernel *k = m->unit->kernels.rows;
    while (strcmp(k->name, job->kernel) != 0)
        k++;
    assert(k < m->unit->kernels.rows + m->unit->kernels.count); /* jobs are of these kernels */
    return k;
}

static void plan(struct image *m)
{
    for (size_t t = 0; t < m->options->target_count; t++) {
        const char *target = m->options->targets[t];
        uint32_t gang;
        if (!(lw__target_find(target, &gang)->has & LW_HAS_BLOCKS)) {
            add_job(m, (struct lw__image_job){.target = m->unit->options->device});
            continue;
        }
        for (size_t i = 0; i < m->kernels.kernel_count; i++) {
            const struct lw__manifest_kernel *k = &m->kernels.kernels[i];
            const uint32_t fixed[3] = {k->block.x, k->block.y, k->block.z};
            if (fixed[0])
                add_block(m, target, k->name, fixed);
            else
                add_blocks(m, target, k->name);
        }
    }
    /* Guarded code. Where no launch can be proved it takes the place of plain code. Elsewhere few
     * launches need it: each block has it once, for its least level, short and packed. */
    const size_t count = m->unit->guarded ? m->job_count : 0;
    for (size_t i = 0; i < count; i++) {
        struct lw__image_job job = m->jobs[i];
        if (!(job.has & LW_HAS_GANGS))
            continue;
        if (kernel_of(m, &job)->is_partial) {
            m->jobs[i].is_guarded = true;
        } else if (is_least(m, &job, count)) {
            job.is_guarded = job.is_small = job.is_packed = true;
            add_job(m, job);
        }
    }
}

/* ---- children ---- */

/* A descriptor of its own: forked children share the file offset. */
static int reopen(int file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static void run_child(const struct image *m, const struct lw__image_job *job)
{
    struct lw__options options = *m->unit->options;
    struct lw__unit unit;
    options.device =
        job->is_small ? lw__format(&m->unit->scratch, "%s/32", job->target) : job->target;
    options.kernel = job->kernel;
    memcpy(options.block, job->block, sizeof options.block);
    options.image_ref = !(job->has & LW_HAS_BLOCKS);
    options.common_fd =
        options.image_ref ? -1 : reopen(job->is_guarded ? m->guarded_file : m->common_file);
    options.bounds = job->is_guarded;
    options.image_packed = job->is_guarded && job->is_packed;
    options.source_fd = options.source_fd >= 0 ? reopen(options.source_fd) : -1;
    options.out_fd = job->out;
    lw__unit_begin(&unit, &options);
    const bool ok = (options.image_ref || options.common_fd >= 0 ||
                     lw__defect("the common bitcode: %s", strerror(errno))) &&
                    lw__llvm_start(&unit) && lw__pipeline_run(&unit) && lw__write_result(&unit);
    _exit(!ok ? 3 : unit.diags.errors ? 1 : 0);
}

static bool start(struct image *m, struct lw__image_job *job)
{
    job->out = lw__memory_file("lanewise-code");
    if (job->out < 0)
        return lw__defect("no memory file: %s", strerror(errno));
    const pid_t parent = getpid();
    job->pid = fork();
    if (job->pid == 0) {
        lw__process_leave_none();
        lw__process_begin();
        if (getppid() == parent)
            run_child(m, job);
        _exit(LW_EXIT_DEFECT);
    }
    return job->pid > 0 || lw__defect("no process: %s", strerror(errno));
}

static void add_error(struct image *m, const lw_diagnostic *d, const char *target)
{
    struct lw__text *rows = &m->unit->manifest;
    const char *text = lw__format(&m->unit->scratch, "%s (%s)", d->text, target);
    lw__text_add(rows, "diag\terror\t");
    lw__row_field(rows, d->file, strlen(d->file));
    lw__text_add(rows, "\t%d\t%d\t", d->line, d->column);
    lw__row_field(rows, text, strlen(text));
    lw__text_add(rows, "\n");
    if (d->picture && *d->picture) {
        lw__text_add(rows, "shown\t");
        lw__row_field(rows, d->picture, strlen(d->picture));
        lw__text_add(rows, "\n");
    }
    m->unit->diags.errors++;
}

static bool collect(struct image *m, struct lw__image_job *job, int status)
{
    const char *late = WIFSIGNALED(status) ? lw__limit_of(WTERMSIG(status)) : NULL;
    job->pid = -1;
    if (late && (job->has & LW_HAS_GANGS) && !job->is_small) { /* as src/run/build/code.c does */
        close(job->out);
        job->is_small = true;
        return start(m, job);
    }
    if (late) {
        const char *text =
            lw__format(&m->unit->scratch, "compiling %s%s%stakes more than its limit, %s",
                       job->kernel ? "kernel '" : "it ", job->kernel ? job->kernel : "",
                       job->kernel ? "' " : "", late);
        const lw_diagnostic d = {.file = m->unit->options->name, .text = text};
        add_error(m, &d, job->target);
        return true;
    }
    if (WIFSIGNALED(status))
        return lw__defect("%s: compiling %s for %s was ended by signal %d", m->options->source,
                          job->kernel ? job->kernel : "the kernels", job->target, WTERMSIG(status));
    if (WEXITSTATUS(status) > 1)
        return false; /* it has reported the reason */
    bool ok = lw__read_all(job->out, &job->result);
    if (ok && lw__manifest_read(job->result.data, job->result.length, &job->manifest) != LW_OK)
        ok = lw__defect("%s", lw_last_error());
    close(job->out);
    job->out = -1;
    for (size_t i = 0; i < job->manifest.diag_count; i++)
        if (!strcmp(job->manifest.diags[i].severity, "error"))
            add_error(m, &job->manifest.diags[i], job->target);
    return ok;
}

static bool wait_for_one(struct image *m, size_t started)
{
    int status;
    pid_t pid;
    do
        pid = waitpid(-1, &status, 0);
    while (pid < 0 && errno == EINTR);
    if (pid < 0)
        return lw__defect("lost a child process: %s", strerror(errno));
    for (size_t i = 0; i < started; i++)
        if (m->jobs[i].pid == pid)
            return collect(m, &m->jobs[i], status);
    return true;
}

static size_t running(const struct image *m, size_t started)
{
    size_t n = 0;
    for (size_t i = 0; i < started; i++)
        n += m->jobs[i].pid > 0;
    return n;
}

static bool run_jobs(struct image *m)
{
    cpu_set_t set;
    const size_t most = sched_getaffinity(0, sizeof set, &set) ? 1 : (size_t)CPU_COUNT(&set);
    size_t started = 0;
    bool ok = true;
    while (ok && (started < m->job_count || running(m, started))) {
        if (started < m->job_count && running(m, started) < most) {
            ok = start(m, &m->jobs[started]);
            started++;
        } else {
            ok = wait_for_one(m, started);
        }
    }
    for (size_t i = 0; i < started; i++)
        if (m->jobs[i].pid > 0) {
            kill(m->jobs[i].pid, SIGKILL);
            waitpid(m->jobs[i].pid, NULL, 0);
        }
    return ok;
}

/* ---- common first steps ---------------------------------------------------------------------- */

/* The kernels' rows that the library needs. */
static bool read_kernels(struct image *m)
{
    const char *rows = m->unit->manifest.data;
    lw__text_add(&m->kernels_text, "lanewise-manifest\t%d\n", LW_MANIFEST_VERSION);
    for (const char *end; (end = strchr(rows, '\n')); rows = end + 1)
        if (!strncmp(rows, "kernel\t", 7) || !strncmp(rows, "param\t", 6))
            lw__text_add_bytes(&m->kernels_text, rows, (size_t)(end + 1 - rows));
    const char *whole = lw__format(&m->unit->scratch, "%send\t0\n", m->kernels_text.data);
    return !lw__manifest_read(whole, strlen(whole), &m->kernels) ||
           lw__defect("the kernels: %s", lw_last_error());
}

static bool keep(const char *bitcode, size_t bytes, int *file)
{
    *file = lw__memory_file("lanewise-bitcode");
    return (*file >= 0 && lw__write_all(*file, bitcode, bytes)) ||
           lw__defect("bitcode cannot be kept: %s", strerror(errno));
}

/* Both forms' bitcode, for the children. */
static bool write_bitcode(struct image *m)
{
    struct lw__unit *unit = m->unit;
    if (!lw__llvm_passes(unit, LW_PASSES_keep_lines))
        return false;
    LLVMMemoryBufferRef bitcode = lw__common_bitcode(unit);
    lw__text_add_bytes(&m->common, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
    LLVMDisposeMemoryBuffer(bitcode);
    return keep(m->common.data, m->common.length, &m->common_file) &&
           (!unit->guarded || keep(unit->guarded, unit->guarded_bytes, &m->guarded_file));
}

/* ---- the object ---- */

static bool is_named(const char *row, const char *tag)
{
    return !strncmp(row, tag, strlen(tag));
}

/* The site rows of a result. */
static void add_sites(const struct lw__image_job *job, struct lw__text *out)
{
    const char *row = job->result.data;
    for (const char *end; !is_named(row, "end\t") && (end = strchr(row, '\n')); row = end + 1)
        if (is_named(row, "site\t"))
            lw__text_add_bytes(out, row, (size_t)(end + 1 - row));
}

/* lw.sizes.K: all that the module still holds. */
static bool emit_host(struct image *m)
{
    struct lw__unit *unit = m->unit;
    unit->payload.length = 0;
    if (!lw__pass_host(unit) ||
        (lw__is_for_aarch64(unit) && !lw__target_machine(unit, LLVMCodeGenLevelDefault)) ||
        !lw__pass_hide(unit) || !lw__emit(unit, LLVMObjectFile))
        return false;
    lw__archive_add(&m->archive, unit->payload.data, unit->payload.length);
    unit->payload.length = 0;
    return true;
}

static uint64_t hash_all(const struct image *m)
{
    uint64_t hash = lw__hash(LW_HASH_START, m->kernels_text.data, m->kernels_text.length);
    hash = lw__hash(hash, m->common.data, m->common.length);
    if (m->unit->guarded)
        hash = lw__hash(hash, m->unit->guarded, m->unit->guarded_bytes);
    for (size_t i = 0; i < m->job_count; i++)
        hash = lw__hash(hash, m->jobs[i].result.data, m->jobs[i].result.length);
    return hash;
}

static size_t add_constant(struct image *m, const struct lw__text *text)
{
    return lw__image_constant(&m->unit->scratch, &m->constants, text->data, text->length);
}

/* Constants of the jobs, in numbers. */
static bool assemble(struct image *m, size_t *manifests, size_t *payloads)
{
    struct lw__image_code code = {.options = m->options,
                                  .kernels = &m->kernels,
                                  .jobs = m->jobs,
                                  .job_count = m->job_count,
                                  .job_manifests = manifests,
                                  .job_payloads = payloads,
                                  .bitcode = SIZE_MAX,
                                  .common_bytes = m->common.length,
                                  .guarded_bytes = m->unit->guarded_bytes,
                                  .proofs = m->proofs,
                                  .constants = &m->constants,
                                  .id = hash_all(m)};
    struct lw__text source = lw__text_in(&m->unit->scratch);
    for (size_t i = 0; i < m->job_count; i++) {
        const struct lw__image_job *job = &m->jobs[i];
        const char *payload = job->result.data + job->manifest.text_bytes;
        struct lw__text sites = lw__text_in(&m->unit->scratch);
        lw__text_add(&sites, "lanewise-manifest\t%d\n", LW_MANIFEST_VERSION);
        add_sites(job, &sites);
        lw__text_add(&sites, "end\t0\n");
        if (!job->kernel) /* ref's are with the kernels */
            add_sites(job, &m->kernels_text);
        manifests[i] = add_constant(m, &sites);
        if (job->is_packed)
            payloads[i] = add_constant(m, &job->packed);
        else
            lw__archive_add(&m->archive, payload, job->manifest.payload_bytes);
    }
    lw__text_add(&m->kernels_text, "end\t0\n");
    code.manifest = add_constant(m, &m->kernels_text);
    if (!m->options->no_bitcode)
        code.bitcode = add_constant(m, &m->bitcode);
    lw__image_header(m->options, &m->kernels, &m->unit->header);
    lw__image_source(&code, &m->unit->header, &source);
    return lw__image_compile(m->unit, &source, &m->archive) &&
           lw__image_emit_constants(m->unit, &m->constants, &m->archive) &&
           lw__image_link(m->unit, &m->archive);
}

static void pack(const char *bytes, size_t count, struct lw__text *out)
{
    lw__pack(bytes, count, out);
    if (out->failed)
        lw__out_of_memory();
}

static bool make_object(struct image *m)
{
    size_t *numbers = lw__new(&m->unit->scratch, 2 * m->job_count, sizeof *numbers);
    lw__archive_begin(&m->archive);
    struct lw__arena *scratch = &m->unit->scratch;
    const struct lw__kernels *kernels = &m->unit->kernels;
    size_t *proofs = m->unit->guarded ? lw__new(scratch, kernels->count, sizeof *proofs) : NULL;
    for (size_t i = 0; i < kernels->count && proofs; i++)
        proofs[i] = lw__image_constant(scratch, &m->constants, kernels->rows[i].proofs,
                                       kernels->rows[i].proof_bytes);
    m->proofs = proofs; /* the kernels go with their code */
    if (!emit_host(m))
        return false;
    for (size_t i = 0; i < m->job_count; i++) {
        struct lw__image_job *job = &m->jobs[i];
        if (job->is_packed)
            pack(job->result.data + job->manifest.text_bytes, job->manifest.payload_bytes,
                 &job->packed);
    }
    /* Both forms' in one, since much of the second is in the first. */
    struct lw__text both = lw__text_in(scratch);
    lw__text_add_bytes(&both, m->common.data, m->common.length);
    if (m->unit->guarded)
        lw__text_add_bytes(&both, m->unit->guarded, m->unit->guarded_bytes);
    pack(both.data, both.length, &m->bitcode);
    return assemble(m, numbers, numbers + m->job_count);
}

/* Report what the object cannot have: names that it needs itself or that two have, variables. */
static void check_kernel(const struct image *m, size_t index)
{
    struct lw__unit *unit = m->unit;
    const struct lw__kernel *k = &unit->kernels.rows[index];
    const char *name = lw__image_function(&unit->scratch, k->name);
    if (!strcmp(name, "program"))
        lw__diags_error(&unit->diags, k->loc,
                        "kernel '%s' would be the function %s_program, which lanewise cc "
                        "makes itself; give it another name",
                        k->name, m->options->file);
    for (size_t i = 0; i < index; i++)
        if (!strcmp(name, lw__image_function(&unit->scratch, unit->kernels.rows[i].name)))
            lw__diags_error(&unit->diags, k->loc,
                            "kernels '%s' and '%s' would both be the function %s_%s",
                            unit->kernels.rows[i].name, k->name, m->options->file, name);
    for (unsigned i = 0; i < k->param_count; i++)
        if (k->params[i].is_symbol) {
            lw__diags_error(&unit->diags, k->loc,
                            "kernel '%s' uses the variable '%s' of the device, which an object of "
                            "lanewise cc cannot keep; build the file when it runs, with "
                            "lw_program_build",
                            k->name, k->params[i].name);
            break;
        }
}

/* lw__pass_image - the object of `lanewise cc`.
 * needs COMMON DESCRIBED   makes PAYLOAD   breaks COMMON
 */
bool lw__pass_image(struct lw__unit *unit)
{
    struct lw__arena *scratch = &unit->scratch;
    struct image m = {.unit = unit,
                      .options = unit->options->image,
                      .kernels_text = lw__text_in(scratch),
                      .common_file = -1,
                      .guarded_file = -1,
                      .common = lw__text_in(scratch),
                      .bitcode = lw__text_in(scratch),
                      .archive = lw__text_in(scratch)};
    for (size_t i = 0; i < unit->kernels.count; i++)
        check_kernel(&m, i);
    for (size_t i = 0; i < unit->options->instance_count; i++)
        lw__kernel_errors_tell(&unit->diags, unit->options->instances[i]);
    if (!unit->kernels.count && !lw__kernel_errors_tell(&unit->diags, NULL))
        lw__diags_error(&unit->diags, (struct lw__loc){0}, "there is no KERNEL");
    bool ok = unit->diags.errors || (read_kernels(&m) && write_bitcode(&m));
    if (ok && !unit->diags.errors) {
        plan(&m);
        ok = run_jobs(&m);
    }
    if (ok && !unit->diags.errors)
        ok = make_object(&m);
    for (size_t i = 0; i < m.job_count; i++) {
        lw__manifest_free(&m.jobs[i].manifest);
        if (m.jobs[i].out >= 0)
            close(m.jobs[i].out);
    }
    lw__manifest_free(&m.kernels);
    if (m.common_file >= 0)
        close(m.common_file);
    if (m.guarded_file >= 0)
        close(m.guarded_file);
    return ok;
}
