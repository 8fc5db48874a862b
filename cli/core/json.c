/* json.c - a text as JSON has it.
 */
#include "cli/core/cli.h"
#include "base/utf8.h"

void cli_json_string(FILE *to, const char *text)
{
    fputc('"', to);
    for (const char *at = text; *at;) {
        int length = lw__utf8_length(at);
        if (length == 0)
            fputs("\\ufffd", to);
        else if (*at == '"' || *at == '\\')
            fprintf(to, "\\%c", *at);
        else if ((unsigned char)*at < 0x20)
            fprintf(to, "\\u%04x", (unsigned)*at);
        else
            fwrite(at, 1, (size_t)length, to);
        at += length ? length : 1;
    }
    fputc('"', to);
}
