/* options.c - any words after the command's name, each ended by a NUL; the first byte chooses the
 * command. What is accepted is some of the words, in order, and sizes that a launch can take.
 */
#include "fuzz.h"

enum { WORDS_MAX = 64 };

static size_t split(char *text, size_t length, char **words)
{
    size_t count = 0;
    for (char *at = text; at < text + length && count < WORDS_MAX; at += strlen(at) + 1)
        words[count++] = at;
    return count;
}

static void ensure_words(const struct cli_options *options, char **words, size_t count)
{
    size_t taken = options->arg_count + options->define_count + options->include_dir_count +
                   options->block_count;
    ENSURE(taken + (options->file != NULL) <= count);
    for (size_t i = 0, word = 0; i < options->arg_count; i++, word++) {
        while (word < count && words[word] != options->args[i])
            word++;
        ENSURE(word < count);
    }
    for (size_t i = 0; i < options->define_count; i++)
        ENSURE(options->defines[i][0] != '\0' && options->defines[i][0] != '=');
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const enum cli_command commands[] = {
        CLI_RUN, CLI_SHOW, CLI_DEVICES, CLI_OP, CLI_BENCH_OP, CLI_BENCH_OPERATIONS, CLI_BENCH_DOT};
    struct cli_options options;
    char *words[WORDS_MAX];
    if (count == 0)
        return 0;
    char *text = exact(bytes + 1, count - 1);
    size_t word_count = split(text, count - 1, words);
    enum cli_command command =
        bytes[0] & 128 ? CLI_CC : commands[bytes[0] % (sizeof commands / sizeof commands[0])];
    int failed = cli_options_read(command, words, word_count, &options);
    ensure_told(failed);
    if (!failed)
        ensure_words(&options, words, word_count);
    cli_options_free(&options);
    free(text);
    return 0;
}
