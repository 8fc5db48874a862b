/* device.h - the devices: which there are, and what one can do. lanewise.h includes it. */
#ifndef LANEWISE_DEVICE_H
#define LANEWISE_DEVICE_H

/* Which launches compare the accesses of a kernel with its objects, so that none leaves them: those
 * that are not proved to stay inside, none, or each. */
typedef enum lw_bounds_mode { LW_BOUNDS_DEFAULT, LW_BOUNDS_OFF, LW_BOUNDS_ALWAYS } lw_bounds_mode;

/* What lw_device_list and lw_device_get_info return. */
typedef struct lw_device_info {
    const char *name;         /* "cpu", "ref"; what lw_device_open takes */
    const char *description;  /* one line for people */
    bool available;           /* can be opened here and now */
    const char *unavailable;  /* why not; "" where available */
    size_t max_shared_bytes;  /* static SHARED memory of a block */
    size_t max_dynamic_bytes; /* dynamic block memory of a launch */
    size_t max_print_bytes;   /* printf text kept for one launch; the rest is counted */
    lw_bounds_mode bounds;    /* of programs that do not ask, by LANEWISE_BOUNDS (docs/cli.md) */
} lw_device_info;

/* lw_device_list - describe the device kinds this library knows, in the order of preference.
 * Writes at most capacity entries to out (may be NULL when capacity is 0); returns how many there
 * are. Strings live until the thread asks again. */
LW_API size_t lw_device_list(lw_device_info *out, size_t capacity);

/* lw_device_open - open a device: "cpu", "cuda", "ref", "check" or "null"; NULL opens the one that
 * LANEWISE_DEVICE names, else the best one. "cpu" uses the processor's best vector instructions, or
 * those that LANEWISE_CPU names: avx512, avx2 or baseline, on AArch64 aarch64. It runs
 * LANEWISE_NUM_THREADS threads, by default one for each processor that the process may use.
 * "cuda" is the first NVIDIA GPU, "cuda:1" the second. All openings of a GPU share its primary
 * context with each other and with other CUDA code of the process. A kernel's error can invalidate
 * the context. The device is then lost: every call fails until all users of the GPU have closed
 * it. A child of fork cannot use a GPU that its parent has used.
 * errors   LW_E_DEVICE no such device, or it is lost, or cannot be used (the text says why); or
 *          LANEWISE_CPU names instructions that this processor lacks; LW_E_ARG an environment
 *          variable has an invalid value (docs/cli.md lists the variables); LW_E_MEMORY
 * owns     release with lw_device_close */
LW_CHECKED lw_status lw_device_open(const char *name, lw_device **device);

/* lw_trap_faults - let a kernel on "cpu" that accesses memory outside its buffers fail its launch
 * (LW_E_LAUNCH) and not end the process. It is for code that does not compare its accesses: with
 * LANEWISE_BOUNDS=0, and of lanewise cc. The call holds for the whole process:
 * - New buffers of 4 KiB and more, at most 8192 at a time, lie between two inaccessible pages; they
 *   end within 63 bytes of the second. So do shared memory and private arrays. If LANEWISE_GUARD is
 *   "all" in the environment, buffers of any size do.
 * - A handler for SIGSEGV and SIGBUS takes the faults of kernel code, and passes others to the
 *   handler set before. A handler set later runs first, and should pass on faults not its own.
 * - Each thread that runs kernels unblocks these signals, and gets an alternate signal stack if it
 *   has none. This includes threads of the host.
 * The message names kernel, line and block. The stream stays failed, and its buffers' contents are
 * undefined; the device can still be used. An access to other memory of the process goes unnoticed.
 * A second call changes no handler.
 * errors   LW_E_ARG LANEWISE_GUARD has another value; LW_E_DEVICE the system accepts no handler;
 *          LW_E_MEMORY */
LW_CHECKED lw_status lw_trap_faults(void);

/* lw_device_close - give up the caller's reference; NULL is allowed. It waits for nothing: streams,
 * buffers, programs and launches keep the device. */
LW_API void lw_device_close(lw_device *device);

/* lw_device_get_info - what this device is and can hold. Strings live as long as the device.
 * errors   LW_E_ARG */
LW_CHECKED lw_status lw_device_get_info(lw_device *device, lw_device_info *info);

/* What callers that choose code for a device ask; 0 or false for NULL. The first one: the bits of
 * the vectors that its code uses, 0 where it uses none. has_amx: kernels may use AMX's tiles; the
 * first call asks the system for them. has_findings: it checks launches (lw_check_get_verdict). */
LW_API int lw_device_vector_bits(const lw_device *device);
LW_API bool lw_device_has_amx(const lw_device *device);
LW_API bool lw_device_is_gpu(const lw_device *device);
LW_API bool lw_device_has_findings(const lw_device *device);

/* lw_buffer_copy - `count` elements of another buffer, or of the same one, also of another device.
 * GPUs copy from each other without the host where they can reach each other. Waits for the
 * launches that use the buffers, as lw_buffer_read does, and for the copy.
 * errors   LW_E_ARG NULL, a read-only or mapped buffer, parts of one memory that overlap;
 *          LW_E_SHAPE beyond the end; LW_E_DTYPE elements that differ; LW_E_DEVICE */
LW_CHECKED lw_status lw_buffer_copy(lw_buffer *to, size_t offset, lw_buffer *from,
                                    size_t from_offset, size_t count);
#endif
