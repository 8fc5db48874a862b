/* launch.c - lw_stream_launch: limits, arguments, and one job for the stream; its variants that
 * leave a note, and for a kernel of an image; lw_kernel_suggest. */
#include "run/launch/launch.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SUGGESTED_THREADS = 256 };

static lw_status check_memory(const lw_kernel *k, size_t dynamic_bytes)
{
    const lw_device_info *info = &k->program->device->info;

    if (k->row->shared_bytes > info->max_shared_bytes)
        return lw__fail(LW_E_SHAPE, "%s: %zu bytes of SHARED memory; device '%s' has %zu",
                        k->row->name, k->row->shared_bytes, info->name, info->max_shared_bytes);
    if (dynamic_bytes > info->max_dynamic_bytes)
        return lw__fail(LW_E_SHAPE, "%s: %zu bytes of dynamic block memory; device '%s' has %zu",
                        k->row->name, dynamic_bytes, info->name, info->max_dynamic_bytes);
    if (k->row->arg_bytes > LW_ARG_BYTES_MAX)
        return lw__fail(LW_E_SHAPE, "%s: %zu bytes of parameters; need at most %d", k->row->name,
                        k->row->arg_bytes, LW_ARG_BYTES_MAX);
    return LW_OK;
}

static lw_status check_device(const lw_stream *stream, const lw_kernel *k)
{
    const lw_device *own = k->program->device;

    if (stream->device == own)
        return LW_OK;
    return lw__fail(LW_E_DEVICE, "%s is built for device '%s', the stream is of %s '%s'",
                    k->row->name, own->ops->info.name,
                    stream->device->ops == own->ops ? "another opening of device" : "device",
                    stream->device->ops->info.name);
}

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Words at a time: it is done for each launch, and kept nowhere. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t count)
{
    const char *at = bytes;
    uint64_t word;

    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = mix_word(hash, word);
    }
    word = 0;
    memcpy(&word, at, count);
    return count ? mix_word(hash, word) : hash;
}

/* The values that decide the kernel's running time, as far as they are visible: the grid, and the
 * arguments without addresses and buffers' contents. */
static uint64_t hash_work(const lw_kernel *k, lw_dim3 grid, size_t dynamic_bytes, const char *args)
{
    uint64_t hash =
        mix(mix(LW_HASH_START, &grid, sizeof grid), &dynamic_bytes, sizeof dynamic_bytes);

    for (size_t i = 0; i < k->row->param_count; i++) {
        const struct lw__manifest_param *row = &k->param_rows[i];
        lw_param_kind kind = k->params[i].kind;
        size_t address = kind == LW_PARAM_POINTER || kind == LW_PARAM_TENSOR ? sizeof(void *) : 0;

        assert(row->size >= address);
        hash = mix(hash, args + row->offset + address, row->size - address);
    }
    return hash;
}

/* All but the code and what comes of arguments. */
static void prepare(lw_kernel *k, lw_dim3 grid, lw_dim3 block, size_t dynamic_bytes,
                    struct lw__launch *launch)
{
    const lw_program *p = k->program;

    *launch = (struct lw__launch){
        .kernel = k->row->name,
        .file = p->name,
        .code = p->code.loaded,
        .entry = k->entry,
        .grid = grid,
        .block = block,
        .shared_bytes = k->row->shared_bytes,
        .dynamic_bytes = dynamic_bytes,
        .shared_align = k->row->shared_align,
        .args_bytes = k->row->arg_bytes,
        .sites = p->code.sites,
        .site_count = p->code.manifest.site_count,
        .lines = &p->code.lines,
        .source = p->source,
        .source_name = p->name,
        .times = &k->times,
    };
}

/* The code, which is built where that is needed. */
static lw_status take_code(lw_kernel *k, bool is_guarded, struct lw__launch *launch)
{
    const struct lw_device *device = k->program->device;
    const struct lw__device_ops *ops = device->ops;

    assert(!is_guarded || ops->guarded || ops->common);
    launch->is_guarded = is_guarded;
    if (ops->common && (!k->entry || is_guarded))
        LW_TRY(lw__special_use(k, launch));
    return ops->check ? ops->check(device->state, launch) : LW_OK;
}

/* job->args is packed: describe the launch to the device. */
static lw_status describe(struct lw__job *job, lw_dim3 grid, lw_dim3 block, size_t dynamic_bytes)
{
    lw_kernel *k = job->kernel;

    prepare(k, grid, block, dynamic_bytes, &job->launch);
    job->launch.args = job->args;
    job->launch.objects = job->objects;
    job->launch.object_count = k->row->param_count + k->row->symbol_count;
    job->launch.reach = job->reach;
    job->launch.work = hash_work(k, grid, dynamic_bytes, job->args);
    LW_TRY(take_code(k, lw__verdict_is_guarded(k, &job->launch), &job->launch));
    if (!lw__job_make_output(job, grid, block))
        return lw__fail(LW_E_MEMORY, "out of memory: the output of %s", k->row->name);
    return LW_OK;
}

static lw_status check(const lw_stream *stream, const lw_kernel *k, lw_dim3 grid, lw_dim3 block,
                       size_t dynamic_bytes)
{
    LW_TRY(check_device(stream, k));
    if (!grid.x || !grid.y || !grid.z)
        return lw__fail(LW_E_SHAPE, "%s: grid %u x %u x %u has no blocks; need at least 1 each",
                        k->row->name, grid.x, grid.y, grid.z);
    if (lw__is_cuda(k->program) && (uint64_t)grid.x * block.x > INT32_MAX)
        return lw__fail(LW_E_SHAPE,
                        "%s: %u blocks of %u threads along x; at most %d threads of a CUDA kernel",
                        k->row->name, grid.x, block.x, INT32_MAX);
    if (grid.x > LW_GRID_X_MAX || grid.y > LW_GRID_YZ_MAX || grid.z > LW_GRID_YZ_MAX)
        return lw__fail(LW_E_SHAPE,
                        "%s: grid %u x %u x %u is too large; need x at most %u, y and "
                        "z at most %d",
                        k->row->name, grid.x, grid.y, grid.z, LW_GRID_X_MAX, LW_GRID_YZ_MAX);
    if (!block.x || !block.y || !block.z)
        return lw__fail(LW_E_SHAPE, "%s: block %u x %u x %u has no threads; need at least 1 each",
                        k->row->name, block.x, block.y, block.z);
    if (!lw__is_block(block))
        return lw__fail(LW_E_SHAPE,
                        "%s: block %u x %u x %u is too large; need at most %d threads, "
                        "z at most %d",
                        k->row->name, block.x, block.y, block.z, LW_BLOCK_THREADS_MAX,
                        LW_BLOCK_Z_MAX);
    const lw_dim3 fixed = k->row->block;
    if (fixed.x && (block.x != fixed.x || block.y != fixed.y || block.z != fixed.z))
        return lw__fail(LW_E_SHAPE, "%s: block %u x %u x %u, but BLOCK fixes %u x %u x %u",
                        k->row->name, block.x, block.y, block.z, fixed.x, fixed.y, fixed.z);
    if (k->row->uses_dynamic && !dynamic_bytes)
        return lw__fail(LW_E_SHAPE,
                        "%s: it uses DYNAMIC_SHARED memory and the launch gives it 0 bytes; give "
                        "its size as lw_launch_options.shared_bytes, to the command as --shared, "
                        "in Python as shared=",
                        k->row->name);
    return check_memory(k, dynamic_bytes);
}

lw_status lw__launch_make(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block,
                          size_t dynamic_bytes, const lw_arg *args, size_t count,
                          struct lw__job **out)
{
    LW_TRY(check(stream, kernel, grid, block, dynamic_bytes));
    struct lw__job *job = lw__job_take(stream, LW_JOB_LAUNCH);
    if (!job)
        return lw__fail(LW_E_MEMORY, "out of memory: a launch of %s", kernel->row->name);
    job->kernel = kernel;
    lw__program_hold(kernel->program);
    lw_status status = lw__args_pack(job, args, count);
    if (!status)
        status = describe(job, grid, block, dynamic_bytes);
    if (status)
        lw__job_free(job);
    else
        *out = job;
    return status;
}

lw_status lw_stream_launch(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block,
                           const lw_launch_options *options, const lw_arg *args, size_t count)
{
    const size_t dynamic_bytes = options ? options->shared_bytes : 0;
    const bool records = lw_stream_records(stream);

    if (!stream || !kernel)
        return lw__fail(LW_E_ARG, "the %s is NULL", stream ? "kernel" : "stream");
    struct lw__job *job;
    LW_TRY(lw__launch_make(stream, kernel, grid, block, dynamic_bytes, args, count, &job));
    lw_status status = records ? lw__job_record(job, args, count) : lw__stream_enqueue(stream, job);
    if (status || records)
        lw__job_free(job);
    return status;
}

lw_status lw_stream_launch_noted(lw_stream *stream, lw_kernel *kernel, lw_dim3 grid, lw_dim3 block,
                                 const lw_launch_options *options, const lw_arg *args, size_t count)
{
    lw_status status = lw_stream_launch(stream, kernel, grid, block, options, args, count);

    if (status && stream)
        lw__stream_note(stream, status);
    return status;
}

lw_status lw_image_launch(const lw_image *image, size_t index, lw_stream *stream, lw_dim3 grid,
                          lw_dim3 block, const lw_launch_options *options, const lw_arg *args,
                          size_t count)
{
    if (!image || !stream)
        return lw__fail(LW_E_ARG, "the %s is NULL", image ? "stream" : "image");
    lw_program *p;
    LW_TRY(lw__resident_find(stream->device, image, &p));
    if (index >= p->code.manifest.kernel_count)
        return lw__fail(LW_E_ARG, "there is no kernel %zu; '%s' has %zu, counted from 0", index,
                        p->name, p->code.manifest.kernel_count);
    return lw_stream_launch(stream, &p->kernels[index], grid, block, options, args, count);
}

lw_status lw_kernel_suggest(lw_kernel *kernel, const lw_launch_options *options, lw_dim3 *grid,
                            lw_dim3 *block)
{
    const size_t dynamic_bytes = options ? options->shared_bytes : 0;
    lw_dim3 size = {SUGGESTED_THREADS, 1, 1};
    uint32_t blocks = 1;

    if (!kernel || !grid || !block)
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !kernel ? "kernel"
                        : !grid ? "place for the grid"
                                : "place for the block");
    *grid = *block = (lw_dim3){0, 0, 0};
    if (kernel->row->block.x)
        size = kernel->row->block;
    else if (kernel->program->image)
        size = lw__image_suggest(kernel, size);
    const lw_device *device = kernel->program->device;
    LW_TRY(check_memory(kernel, dynamic_bytes));
    struct lw__launch launch;
    prepare(kernel, (lw_dim3){1, 1, 1}, size, dynamic_bytes, &launch);
    bool is_guarded = lw__verdict_is_fixed(kernel) && lw__verdict_is_guarded(kernel, &launch);
    LW_TRY(take_code(kernel, is_guarded, &launch));
    if (device->ops->fill)
        LW_TRY(device->ops->fill(device->state, &launch, &blocks));
    assert(blocks > 0 && lw__is_block(size));
    *grid = (lw_dim3){blocks, 1, 1};
    *block = size;
    return LW_OK;
}
