/* pack.c - text compression: a repetition becomes a match, its distance and length.
 *
 * The format is LZ4's block. A sequence has
 *     1 byte       upper half: the number of literals; lower half: the match's length - MIN_MATCH
 *     literals
 *     2 bytes      the distance to the match, low byte first
 * A half of 15 means that bytes follow it which are added; the last of them is below 255. The last
 * sequence ends with its literals. A match begins at least TAIL bytes before the end, and ends at
 * least LAST bytes before it.
 * source  lz4.org, "LZ4 Block Format Description", 2022
 */
#include "base/base.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_MATCH = 4,
    LAST = 5,
    TAIL = 12,
    HALF_MAX = 15,
    DISTANCE_MAX = 65535,
    TABLE_BITS = 16,
    TRIES = 64 /* places with the same hash, the nearest first */
};

/* ---- packing ---- */

struct packing {
    const unsigned char *from;
    size_t bytes, done; /* done: what `out` has of it */
    uint32_t *first;    /* by hash: the nearest place, counted from 1; 0: none */
    uint32_t *before;   /* by place: the next one with its hash */
    struct lw__text *out;
};

static uint32_t hash_at(const unsigned char *p)
{
    uint32_t word;

    memcpy(&word, p, sizeof word);
    return word * 2654435761u >> (32 - TABLE_BITS); /* Knuth's multiplier */
}

static size_t common_length(const struct packing *p, size_t a, size_t b)
{
    const size_t most = p->bytes - LAST - b;
    size_t n = 0;

    assert(a < b && b + TAIL <= p->bytes);
    while (n < most && p->from[a + n] == p->from[b + n])
        n++;
    return n;
}

/* The longest match of what is at `at`; its length, 0 where there is none. */
static size_t find(const struct packing *p, size_t at, size_t *match)
{
    uint32_t place = p->first[hash_at(p->from + at)];
    size_t longest = MIN_MATCH - 1;

    for (int k = 0; k < TRIES && place && at - (place - 1) <= DISTANCE_MAX; k++) {
        const size_t length = common_length(p, place - 1, at);

        if (length > longest) {
            longest = length;
            *match = place - 1;
        }
        place = p->before[place - 1];
    }
    return longest < MIN_MATCH ? 0 : longest;
}

static void add_byte(struct packing *p, size_t byte)
{
    lw__text_add_bytes(p->out, &(unsigned char){(unsigned char)byte}, 1);
}

static void add_rest(struct packing *p, size_t count)
{
    if (count < HALF_MAX)
        return;
    for (count -= HALF_MAX; count >= 255; count -= 255)
        add_byte(p, 255);
    add_byte(p, count);
}

static size_t half(size_t count)
{
    return count < HALF_MAX ? count : HALF_MAX;
}

/* The literals up to `end`, then the match; length 0: there is none. */
static void add_sequence(struct packing *p, size_t end, size_t distance, size_t length)
{
    const size_t literals = end - p->done, more = length ? length - MIN_MATCH : 0;

    assert(end >= p->done && (!length || (length >= MIN_MATCH && distance <= DISTANCE_MAX)));
    add_byte(p, half(literals) << 4 | half(more));
    add_rest(p, literals);
    lw__text_add_bytes(p->out, p->from + p->done, literals);
    p->done = end + length;
    if (!length)
        return;
    add_byte(p, distance & 255);
    add_byte(p, distance >> 8);
    add_rest(p, more);
}

void lw__pack(const void *from, size_t bytes, struct lw__text *out)
{
    struct packing p = {.from = from, .bytes = bytes, .out = out};

    p.first = calloc((size_t)1 << TABLE_BITS, sizeof *p.first);
    p.before = bytes < UINT32_MAX ? malloc((bytes + 1) * sizeof *p.before) : NULL;
    out->failed |= !p.first || !p.before;
    for (size_t at = 0, match = 0; !out->failed && bytes >= TAIL && at <= bytes - TAIL;) {
        const size_t length = find(&p, at, &match);

        if (length)
            add_sequence(&p, at, at - match, length);
        for (const size_t next = at + (length ? length : 1); at < next; at++)
            if (at <= bytes - TAIL) {
                uint32_t *first = &p.first[hash_at(p.from + at)];

                p.before[at] = *first;
                *first = (uint32_t)at + 1;
            }
    }
    if (!out->failed)
        add_sequence(&p, bytes, 0, 0);
    free(p.first);
    free(p.before);
}

/* ---- and back ---- */

struct unpacking {
    const unsigned char *from, *end;
    unsigned char *to;
    size_t done, room; /* bytes of `to` */
};

/* A half's count with the bytes that follow it; SIZE_MAX: they are not there, or absurd. */
static size_t take_count(struct unpacking *u, size_t count)
{
    unsigned char byte = 255;

    if (count < HALF_MAX)
        return count;
    while (byte == 255) {
        if (u->from == u->end || count > u->room)
            return SIZE_MAX;
        byte = *u->from++;
        count += byte;
    }
    return count;
}

static bool take_literals(struct unpacking *u, size_t count)
{
    if (count > (size_t)(u->end - u->from) || count > u->room - u->done)
        return false;
    memcpy(u->to + u->done, u->from, count);
    u->from += count;
    u->done += count;
    return true;
}

/* Source and destination may overlap: a distance of 1 repeats a byte. */
static bool take_match(struct unpacking *u, size_t more)
{
    if (u->end - u->from < 2)
        return false;
    size_t distance = u->from[0] | (size_t)u->from[1] << 8;
    u->from += 2;
    size_t length = take_count(u, more);
    if (!distance || distance > u->done || length > u->room ||
        length + MIN_MATCH > u->room - u->done)
        return false;
    for (length += MIN_MATCH; length; length--, u->done++)
        u->to[u->done] = u->to[u->done - distance];
    return true;
}

bool lw__unpack(const void *from, size_t bytes, void *to, size_t room)
{
    struct unpacking u = {from, (const unsigned char *)from + bytes, to, 0, room};

    while (u.from < u.end) {
        const unsigned char halves = *u.from++;

        assert(u.done <= u.room);
        if (!take_literals(&u, take_count(&u, halves >> 4)))
            return false;
        if (u.from == u.end)
            return u.done == room;
        if (!take_match(&u, halves & 15))
            return false;
    }
    return false;
}
