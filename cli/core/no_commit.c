/* no_commit.c - a command that does not know its commit: not of a git tree, or only for the build.
 */
#include "cli/core/cli.h"

const char cli_commit[] = "";
