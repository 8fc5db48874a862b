/* record.c - streams that record, and their buffers without memory. */
#include "run/queue/queue.h"

/* Never used as an address, but aligned as memory is, and not NULL. */
#define NOWHERE ((void *)(uintptr_t)4096)

/* ---- streams ---- */

lw_status lw_stream_create_recorder(lw_device *device, const lw_recorder *recorder,
                                    lw_stream **stream)
{
    if (!stream)
        return lw__fail(LW_E_ARG, "the place for the stream is NULL");
    *stream = NULL;
    if (!device || !recorder || !recorder->launch || !recorder->scratch)
        return lw__fail(LW_E_ARG, "the %s is NULL",
                        !device     ? "device"
                        : !recorder ? "recorder"
                                    : "recorder's function");
    LW_TRY(lw__stream_make(device, NULL, false, stream));
    (*stream)->recorder = *recorder;
    return LW_OK;
}

bool lw_stream_records(const lw_stream *stream)
{
    return stream && stream->recorder.launch;
}

lw_status lw__stream_check_runs(const lw_stream *stream, const char *call)
{
    if (!stream || !lw_stream_records(stream))
        return LW_OK;
    return lw__fail(LW_E_ARG,
                    "%s: the stream records for a graph; only launches and operations can be "
                    "recorded",
                    call);
}

/* Its buffers are held by the job up to now; a mapped one is refused as it would be in a queue. */
lw_status lw__job_record(struct lw__job *job, const lw_arg *args, size_t count)
{
    const lw_recorder *recorder = &job->stream->recorder;
    const lw_recorded launch = {
        job->kernel, job->launch.grid, job->launch.block, job->launch.dynamic_bytes, args, count};
    lw_status status;

    lw__lock();
    status = lw__job_claim(job);
    lw__job_unclaim(job);
    lw__unlock();
    return status ? status : recorder->launch(&launch, recorder->user);
}

/* ---- buffers ---- */

lw_status lw_buffer_create_blank(lw_stream *stream, lw_dtype dtype, size_t count,
                                 lw_buffer **buffer)
{
    if (!buffer)
        return lw__fail(LW_E_ARG, "the place for the buffer is NULL");
    *buffer = NULL;
    if (!stream || !lw_stream_records(stream))
        return lw__fail(LW_E_ARG, "the stream %s", stream ? "does not record" : "is NULL");
    LW_TRY(lw__buffer_create_at(stream->device, dtype, count, NOWHERE, buffer));
    (*buffer)->blank_of = stream;
    return LW_OK;
}
