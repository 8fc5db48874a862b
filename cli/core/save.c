/* save.c - files that the command writes: whole or not at all.
 *
 * A name that cannot be opened is a mistake of the command line, status 2. What then cannot be
 * written is a result that is lost, status 4: a full disk.
 */
#include "cli/core/cli.h"
#include <errno.h>
#include <string.h>

int cli_save(const char *path, const struct lw__part *parts, size_t count)
{
    const enum lw__saved saved = lw__save(path, parts, count);
    return saved == LW_SAVE_DONE ? CLI_DONE
                                 : cli_fail(saved == LW_SAVE_REFUSED ? CLI_USAGE : CLI_LAUNCH,
                                            "%s: %s; it is not saved", path, strerror(errno));
}
