/* Printed text: launch order whatever the order it came in, joined or a line for each call,
 * capacity kept. */
#include "run_test.h"

static struct lw__text got;

static void write_line(const lw_output *o, void *user)
{
    (void)user;
    if (o->text)
        lw__text_add(&got, "%u,%u,%u %u,%u,%u: %s\n", o->block.x, o->block.y, o->block.z,
                     o->thread.x, o->thread.y, o->thread.z, o->text);
    else
        lw__text_add(&got, "lost %zu\n", o->lost);
}

static void add(struct lw__output *out, int32_t bx, int32_t by, int32_t tx, int32_t tz,
                const char *text)
{
    lw__output_add(out, (int32_t[]){bx, by, 0}, (int32_t[]){tx, 0, tz}, text);
}

static void deliver(struct lw__output *out, enum lw__output_form form, const char *expected)
{
    lw__text_free(&got);
    lw__text_add(&got, "%s", "");
    lw__output_deliver(out, form, write_line, NULL);
    if (strcmp(got.data, expected)) {
        failures++;
        printf("got\n%.500sneed\n%.500s", got.data, expected);
    }
    lw__output_destroy(out);
}

static struct lw__output *create(void)
{
    return lw__output_create(lw_dim_2(3, 2), lw_dim_3(4, 1, 2));
}

static struct lw__output *print(void)
{
    struct lw__output *out = create();

    CHECK(lw__output_is_empty(out));
    add(out, 2, 1, 3, 1, "last\n");
    add(out, 0, 0, 1, 0, "a ");
    add(out, 0, 1, 0, 0, "fourth\n");
    add(out, 0, 0, 0, 1, "third");
    add(out, 0, 0, 1, 0, "b\n\nc");
    add(out, 0, 0, 0, 0, "first\n");
    add(out, 0, 0, 0, 0, "");
    CHECK(!lw__output_is_empty(out));
    return out;
}

static void order(void)
{
    deliver(print(), LW_OUTPUT_LINES,
            "0,0,0 0,0,0: first\n0,0,0 1,0,0: a b\n0,0,0 1,0,0: \n0,0,0 1,0,0: c\n"
            "0,0,0 0,0,1: third\n0,1,0 0,0,0: fourth\n2,1,0 3,0,1: last\n");
    deliver(print(), LW_OUTPUT_CALLS,
            "0,0,0 0,0,0: first\n0,0,0 1,0,0: a \n0,0,0 1,0,0: b\n0,0,0 1,0,0: \n0,0,0 1,0,0: c\n"
            "0,0,0 0,0,1: third\n0,1,0 0,0,0: fourth\n2,1,0 3,0,1: last\n");
    deliver(print(), LW_OUTPUT_TEXT,
            "0,0,0 0,0,0: first\n\n0,0,0 1,0,0: a \n0,0,0 1,0,0: b\n\nc\n0,0,0 0,0,1: third\n"
            "0,1,0 0,0,0: fourth\n\n2,1,0 3,0,1: last\n\n");
    deliver(create(), LW_OUTPUT_LINES, "");
}

static void capacity(void)
{
    struct lw__output *out = create();
    size_t size = (1 << 20) - 5;
    char *big = malloc(size + 1);

    memset(big, 'x', size);
    big[size] = '\0';
    add(out, 1, 0, 0, 0, big);
    add(out, 0, 0, 0, 0, "1234\n");
    add(out, 0, 0, 1, 0, "5");
    add(out, 0, 0, 1, 0, "6\n7\n");
    lw__text_free(&got);
    lw__output_deliver(out, LW_OUTPUT_CALLS, write_line, NULL);
    CHECK(!strncmp(got.data, "0,0,0 0,0,0: 1234\n1,0,0 0,0,0: xxx", 34));
    CHECK(!strcmp(got.data + got.length - 11, "xxx\nlost 3\n"));
    lw__output_destroy(out);
    out = create();
    big[size - 1] = '\n';
    for (int i = 0; i < 2; i++)
        add(out, 0, 0, 0, 0, big);
    add(out, 0, 0, 0, 0, "in the room that is left, but after a hole\n");
    lw__text_free(&got);
    lw__output_deliver(out, LW_OUTPUT_CALLS, write_line, NULL);
    CHECK(!strcmp(got.data + got.length - 11, "xxx\nlost 2\n"));
    lw__output_destroy(out);
    free(big);
}

int main(void)
{
    order();
    capacity();
    lw__text_free(&got);
    return failures != 0;
}
