/* replay.c - a libFuzzer target without libFuzzer: every file of a corpus, and changed copies.
 *
 *     replay-TARGET CORPUS
 *
 * The copies have up to four random changes, always the same ones. tests/fuzz/run looks further.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 256, BYTES_MAX = 1024, COPIES = 20000, CHANGES_MAX = 4 };

struct input {
    size_t count;
    uint8_t bytes[BYTES_MAX];
};

static struct input corpus[FILES_MAX];
static unsigned inputs;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static unsigned below(unsigned limit)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % limit;
}

/* read_corpus - the first BYTES_MAX bytes of each file; true if there is one */
static bool read_corpus(const char *folder)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        FILE *file = names[i]->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (file && inputs < FILES_MAX) {
            struct input *input = &corpus[inputs++];
            input->count = fread(input->bytes, 1, BYTES_MAX, file);
        }
        if (file)
            fclose(file);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return inputs > 0;
}

/* change - one of what a careless program does to a file */
static void change(struct input *input)
{
    static const char marks[] = "\n:,=[]()@0-9\xff";
    unsigned at = input->count ? below((unsigned)input->count) : 0;
    const struct input *other = &corpus[below(inputs)];
    size_t length = other->count < BYTES_MAX - at ? other->count : BYTES_MAX - at;
    switch (below(6)) {
    case 0: /* a bit */ input->bytes[at] ^= (uint8_t)(1u << below(8)); break;
    case 1: /* a byte, often one with a meaning */
        input->bytes[at] = (uint8_t)(below(2) ? below(256) : (unsigned)marks[below(sizeof marks)]);
        break;
    case 2: /* the end is missing */ input->count = at; break;
    case 3: /* a byte more */
        if (input->count < BYTES_MAX) {
            memmove(input->bytes + at + 1, input->bytes + at, input->count++ - at);
            input->bytes[at] = (uint8_t)below(256);
        }
        break;
    case 4: /* a byte less */
        if (input->count > at)
            memmove(input->bytes + at, input->bytes + at + 1, --input->count - at);
        break;
    case 5: /* goes on as another */
        memcpy(input->bytes + at, other->bytes, length);
        input->count = at + length;
        break;
    }
}

int main(int argc, char **argv)
{
    if (argc != 2 || !read_corpus(argv[1])) {
        fprintf(stderr, "usage: %s CORPUS, a folder with files\n", argv[0]);
        return 2;
    }
    for (unsigned i = 0; i < inputs; i++)
        LLVMFuzzerTestOneInput(corpus[i].bytes, corpus[i].count);
    for (unsigned i = 0; i < COPIES; i++) {
        struct input copy = corpus[below(inputs)];
        for (unsigned n = 1 + below(CHANGES_MAX); n > 0; n--)
            change(&copy);
        LLVMFuzzerTestOneInput(copy.bytes, copy.count);
    }
    return 0;
}
