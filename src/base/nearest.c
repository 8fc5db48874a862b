/* nearest.c - "did you mean": the known word with the fewest changes from the typed one, or with
 * its meaning in another language.
 *
 * source   Damerau 1964: a change puts in, takes away or replaces a letter, or swaps two neighbours
 */
#include "base/nearest.h"
#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 31 };

bool lw__same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t lw__distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[LENGTH_MAX + 1][LENGTH_MAX + 1];
    if (n > LENGTH_MAX || m > LENGTH_MAX)
        return n + m;
    for (size_t i = 0; i <= n; i++)
        row[i][0] = i;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            size_t replaced = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            row[i][j] = least(replaced, least(row[i - 1][j], row[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[i][j] = least(row[i][j], row[i - 2][j - 2] + 1);
        }
    return row[n][m];
}

void lw__nearest_try(struct lw__nearest *nearest, const char *word)
{
    size_t length = strlen(word), most = nearest->length / 3 + 1;
    if (nearest->length < 2)
        return;
    size_t changes = lw__distance(nearest->typed, nearest->length, word, length);
    if (changes > most || changes >= length || (nearest->word && changes >= nearest->changes))
        return;
    nearest->word = word;
    nearest->changes = changes;
}

void lw__nearest_alias(struct lw__nearest *nearest, const char *alias, const char *word)
{
    if (strlen(alias) != nearest->length || memcmp(alias, nearest->typed, nearest->length) != 0)
        return;
    nearest->word = word;
    nearest->changes = 0;
}

const char *lw__nearest_text(struct lw__nearest *nearest)
{
    nearest->text[0] = '\0';
    if (nearest->word)
        snprintf(nearest->text, sizeof nearest->text, "; did you mean '%s'?", nearest->word);
    return nearest->text;
}
