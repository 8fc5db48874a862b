/* make.h - what lanewise-compile makes of a kernel file, and what is kept of it.
 */
#ifndef LW_CLI_MAKE_H
#define LW_CLI_MAKE_H

#include "cli/core/cli.h"

/* ---- compiler.c: lanewise-compile ------------------------------------------------------------ */

/* cli_compiler_find - $LANEWISE_COMPILE, or beside this program in the build tree or as installed;
 * path has room for PATH_MAX bytes. */
int cli_compiler_find(char *path);

/* cli_compiler_run - to its end: words, files[] as descriptors 3 and up, opened in this order.
 * *is_refused: the kernels do not compile; the reasons are in the result. */
int cli_compiler_run(const struct cli_options *options, const char *const *words, const int *files,
                     size_t count, bool *is_refused);

/* cli_compiler_language - the words that say that FILE is CUDA, and which kernels of it: at most
 * CLI_LANGUAGE_WORDS. names: room for the kernels' names, or NULL; release it with free. */
enum { CLI_LANGUAGE_WORDS = 4 };
int cli_compiler_language(const struct cli_options *options, const char **words, size_t *count,
                          char **names);

/* cli_compiler_result - print the messages of a result, find the payload. CUDA kernels that the
 * compiler refused are warnings; status 3 where -k asked for one of them. */
int cli_compiler_result(const struct cli_options *options, const char *text, size_t size,
                        struct cli_messages *messages, const char **payload, size_t *payload_size);

/* ---- commands -------------------------------------------------------------------------------- */

int cli_show(const struct cli_options *options);
/* cli_show_remarks - to standard error, of options->kernel for options->block: what slows it down
 * on cuda, if that is the device, else on cpu. input: the text of FILE if that is `-`, or NULL. */
int cli_show_remarks(const struct cli_options *options, const char *input);
int cli_cc(const struct cli_options *options);
int cli_init(const struct cli_options *options);
int cli_cache(const struct cli_options *options);

#endif
