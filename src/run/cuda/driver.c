/* driver.c - find the NVIDIA driver's library, and the functions in it.
 *
 * Only what has succeeded is kept: whoever installs a driver, or names another, need not start the
 * process anew. A process forked from one that uses the driver cannot; fork() is only heard of, so
 * that every call there can say so instead of hanging.
 */
#include "run/cuda/driver.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char default_library[] = "libcuda.so.1";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held while it is being loaded */
static struct lw__cuda_driver driver;
static atomic_bool is_loaded, is_begun, is_forked;

static void in_child(void)
{
    if (atomic_load(&is_begun))
        atomic_store(&is_forked, true);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

bool lw__cuda_is_forked(void)
{
    return atomic_load_explicit(&is_forked, memory_order_relaxed);
}

lw_status lw__cuda_fail_forked(void)
{
    return lw__fail(LW_E_DEVICE, "this process was forked after the NVIDIA driver was loaded, and "
                                 "cannot use it; open the device in the child only, or fork first");
}

const char *lw__cuda_result_text(const struct lw__cuda_driver *cu, int result, char *text,
                                 size_t room)
{
    const char *name = NULL, *meaning = NULL;

    if (cu->error_name(result, &name) || !name)
        snprintf(text, room, "error %d", result);
    else if (cu->error_text(result, &meaning) || !meaning)
        snprintf(text, room, "%s", name);
    else
        snprintf(text, room, "%s (%s)", name, meaning);
    return text;
}

/* ---- loading: all under the lock ---- */

static bool find(void *library, const char *symbol, void *function, const char **missing)
{
    void *address = dlsym(library, symbol);

    if (!address)
        *missing = symbol;
    memcpy(function, &address, sizeof address); /* POSIX: a function fits a void * */
    return address != NULL;
}

static lw_status find_all(void *library, struct lw__cuda_driver *cu)
{
    const char *missing = NULL, *ignored;

#define FIND(member, symbol, parameters) (void)find(library, symbol, &cu->member, &missing);
    LW_CUDA_DRIVER_MAP(FIND)
#undef FIND
#define FIND(member, symbol, parameters) (void)find(library, symbol, &cu->member, &ignored);
    LW_CUDA_NEW_DRIVER_MAP(FIND)
#undef FIND
    return missing
               ? lw__fail(LW_E_DEVICE,
                          "the NVIDIA driver is too old: it lacks %s; need 450 or newer", missing)
               : LW_OK;
}

static lw_status start(const struct lw__cuda_driver *cu)
{
    char text[LW_CUDA_RESULT_ROOM];
    int count = 0, result = cu->init(0);

    if (result)
        return lw__fail(LW_E_DEVICE, "the NVIDIA driver does not start: %s",
                        lw__cuda_result_text(cu, result, text, sizeof text));
    result = cu->device_count(&count);
    if (result)
        return lw__fail(LW_E_DEVICE, "the NVIDIA driver does not tell how many GPUs there are: %s",
                        lw__cuda_result_text(cu, result, text, sizeof text));
    return count > 0 ? LW_OK : lw__fail(LW_E_DEVICE, "the NVIDIA driver finds no GPU");
}

static lw_status load(void)
{
    const char *path = getenv("LANEWISE_CUDA_DRIVER"), *why;
    struct lw__cuda_driver found;
    lw_status status;
    void *library;

    if (path && !*path)
        return lw__fail(LW_E_ARG, "LANEWISE_CUDA_DRIVER is ''; need the path of a library");
    errno = 0;
    library = dlopen(path ? path : default_library, RTLD_NOW | RTLD_LOCAL);
    if (!library && errno == ENOMEM) /* dlerror() may blame the file */
        return lw__fail_system(errno, "the NVIDIA driver");
    if (!library) {
        why = dlerror();
        why = why ? why : "it cannot be loaded";
        return path ? lw__fail(LW_E_ARG,
                               "LANEWISE_CUDA_DRIVER is '%s'; need the path of a library: %s", path,
                               why)
                    : lw__fail(LW_E_DEVICE, "there is no NVIDIA driver: %s", why);
    }
    status = find_all(library, &found);
    if (status) {
        dlclose(library);
        return status;
    }
    atomic_store(&is_begun, true);
    status = start(&found); /* after that the library may have threads: it is not closed any more */
    if (status) {
        atomic_store(&is_begun, false);
        return status;
    }
    driver = found;
    atomic_store_explicit(&is_loaded, true, memory_order_release);
    return LW_OK;
}

lw_status lw__cuda_driver(const struct lw__cuda_driver **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    lw_status status = LW_OK;

    *out = &driver;
    if (lw__cuda_is_forked())
        return lw__cuda_fail_forked();
    if (atomic_load_explicit(&is_loaded, memory_order_acquire))
        return LW_OK;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    if (!atomic_load(&is_loaded))
        status = load();
    pthread_mutex_unlock(&lock);
    return status;
}
