/* machine.c - a line about the machine, the load, the time; pipes.
 */
#include "machine.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

void machine_describe(struct machine *machine)
{
    char line[256], model[128] = "unknown processor";
    time_t seconds = time(NULL);
    struct utsname system = {0};
    FILE *info = fopen("/proc/cpuinfo", "r");
    *machine = (struct machine){0};
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "model name : %127[^\n]", model) == 1)
            break;
    if (info)
        fclose(info);
    uname(&system);
    snprintf(machine->about, sizeof machine->about, "%.100s, %ld processors, %.20s %.40s", model,
             sysconf(_SC_NPROCESSORS_ONLN), system.sysname, system.release);
    if (getloadavg(&machine->load, 1) != 1)
        machine->load = 0;
    struct tm day;
    if (gmtime_r(&seconds, &day))
        strftime(machine->when, sizeof machine->when, "%Y-%m-%dT%H:%M:%SZ", &day);
}

bool read_pipe(int from, void *to, size_t size)
{
    for (char *at = to; size > 0;) {
        ssize_t got = read(from, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}
