/* Thread-specific data of the host: a thread that never had kernels guarded ends without touching
 * a key that is not the library's. The first key of a process is 0, as is a key never made. */
#include "run/threads/threads.h"
#include "run_test.h"
#include <pthread.h>

int main(void)
{
    struct lw__fault_thread never_ready = {0};
    int value = 7;

    pthread_key_t first;
    CHECK(!pthread_key_create(&first, NULL));
    if (first) {
        puts("key 0 is taken: by a sanitizer");
        return 77;
    }
    CHECK(!pthread_setspecific(first, &value));
    lw__fault_end(&never_ready);
    CHECK(pthread_getspecific(first) == &value);
    return failures != 0;
}
