/* manifest_read.c - a manifest whose damage is the thread's last message. */
#include "base/manifest_read.h"

lw_status lw__manifest_read(const char *bytes, size_t length, struct lw__manifest *manifest)
{
    char why[LW_MANIFEST_WHY];
    const lw_status status = lw__manifest_parse(bytes, length, manifest, why);
    return status ? lw__fail(status, "%s", why) : LW_OK;
}
