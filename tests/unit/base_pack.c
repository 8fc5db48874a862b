/* Packed bytes come back as they were, whatever they are; what is damaged is refused or fills its
 * room, and nothing is read or written beyond. */
#include "run_test.h"

/* In blocks of their own size, so that ASan and valgrind see what goes beyond. */
static bool unpacks(const struct lw__text *packed, size_t bytes, size_t room, const char *expected)
{
    char *from = malloc(bytes + !bytes), *to = malloc(room + !room);

    memcpy(from, packed->data, bytes);
    bool ok = lw__unpack(from, bytes, to, room) && (!expected || !memcmp(to, expected, room));
    free(from);
    free(to);
    return ok;
}

/* Returns how many bytes it takes. */
static size_t round_trip(const char *data, size_t bytes)
{
    struct lw__text packed = {0};

    lw__pack(data, bytes, &packed);
    CHECK(!packed.failed);
    CHECK(unpacks(&packed, packed.length, bytes, data));
    CHECK(!unpacks(&packed, packed.length, bytes + 1, NULL));
    CHECK(!bytes || !unpacks(&packed, packed.length, bytes - 1, NULL));
    CHECK(!unpacks(&packed, packed.length - 1, bytes, NULL));
    size_t length = packed.length;
    lw__text_free(&packed);
    return length;
}

enum { ROOM = 200000 };

static void alike(char *data)
{
    memset(data, 'x', ROOM);
    for (size_t n = 0; n < 600; n++)
        CHECK(round_trip(data, n) <= n + 2);
    CHECK(round_trip(data, ROOM) < ROOM / 200);
}

static uint32_t next(uint32_t *state)
{
    return *state = *state * 1664525 + 1013904223;
}

static void unlike(char *data)
{
    uint32_t state = 1;

    for (size_t i = 0; i < ROOM; i++)
        data[i] = (char)(next(&state) >> 24);
    for (size_t n = 0; n < 600; n++)
        CHECK(round_trip(data, n) <= n + n / 255 + 2);
    CHECK(round_trip(data, ROOM) <= ROOM + ROOM / 255 + 2);
}

/* A word, `apart` random bytes, and the word again: a match where the distance can be named. */
static void far(char *data)
{
    static const size_t apart[] = {65535 - 33, 65535 - 32, 65535 - 31, 66000};
    static const bool is_near[] = {true, true, false, false};

    for (size_t k = 0; k < 4; k++) {
        uint32_t state = 2;

        for (size_t i = 0; i < ROOM; i++)
            data[i] = (char)(next(&state) >> 24);
        memcpy(data + 32 + apart[k], data, 32);
        CHECK((round_trip(data, apart[k] + 100) < apart[k] + 100 + 240) == is_near[k]);
    }
}

/* Texts of a few words, as code is. */
static void words(char *data)
{
    static const char *const all[] = {"fma.rn.f32 ", "%f1, ", "%f22", ";\n\t", "mov.b32 ", "x"};
    size_t n = 0;
    uint32_t state = 3;

    while (n < ROOM - 16) {
        const char *word = all[(next(&state) >> 16) % 6];

        memcpy(data + n, word, strlen(word));
        n += strlen(word);
        if (n < 2000)
            round_trip(data, n);
    }
    CHECK(round_trip(data, n) < n / 3);
}

static void damaged(void)
{
    static const char text[] = "what was there before is there again: what was there before";
    struct lw__text packed = {0};

    lw__pack(text, sizeof text, &packed);
    CHECK(packed.length < sizeof text);
    for (size_t i = 0; i < packed.length; i++) {
        CHECK(!unpacks(&packed, i, sizeof text, NULL));
        for (int bit = 0; bit < 8; bit++) {
            packed.data[i] ^= (char)(1 << bit);
            (void)unpacks(&packed, packed.length, sizeof text, NULL);
            packed.data[i] ^= (char)(1 << bit);
        }
    }
    CHECK(unpacks(&packed, packed.length, sizeof text, text));
    lw__text_free(&packed);
}

/* A match before the beginning, of distance 0, and counts that never end. */
static void absurd(void)
{
    static const char *const all[] = {"\x10"
                                      "a\2\0\0",
                                      "\x10"
                                      "a\0\0\0",
                                      "\x1f"
                                      "a\1\0\xff\xff\xff\xff",
                                      "\xf0\xff\xff\xff\xff"};
    static const size_t bytes[] = {5, 5, 8, 5};

    for (size_t i = 0; i < 4; i++)
        for (size_t room = 0; room < 2000; room++) {
            struct lw__text packed = {.data = (char *)all[i]};
            CHECK(!unpacks(&packed, bytes[i], room, NULL));
        }
}

int main(void)
{
    char *data = malloc(ROOM + 66);

    alike(data);
    unlike(data);
    far(data);
    words(data);
    damaged();
    absurd();
    free(data);
    return failures != 0;
}
