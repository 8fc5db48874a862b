/* utf8.c - which bytes are UTF-8. */
#include "text/utf8.h"
#include <stddef.h>

int lw__utf8_length(const char *text)
{
    static const struct {
        unsigned char first, last, second_min, second_max;
        int length;
    } rows[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (bytes[0] < rows[i].first || bytes[0] > rows[i].last)
            continue;
        if (rows[i].length > 1 && (bytes[1] < rows[i].second_min || bytes[1] > rows[i].second_max))
            return 0;
        for (int k = 2; k < rows[i].length; k++)
            if ((bytes[k] & 0xc0) != 0x80)
                return 0;
        return rows[i].length;
    }
    return 0;
}
