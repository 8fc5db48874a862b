/* The manifest reader: everything it should take, and damage of every kind, which it must refuse
 * without reading a byte too far. */
#include "run_test.h"

static const char sound[] = "lanewise-manifest\t1\n"
                            "diag\twarning\ta\\tb.c\t3\t14\tsaid \\\\ and\\nmore\n"
                            "shown\t    3 | x\\n      | ^\n"
                            "dep\tk.c\t00000000000000ff\n"
                            "kernel\tdot\tvoid dot(float *out, int n)\t7\t16\t8\t1\t512\t1\t12\n"
                            "align\t256\n"
                            "param\tout\tfloat *\tp(f32)\t0\t8\t2\n"
                            "param\tn\tint\ti32\t8\t4\t0\n"
                            "kernel\tempty\tvoid empty(void)\t9\t0\t0\t0\t0\t0\t0\n"
                            "site\tk.c\t4\t5\tbarrier\n"
                            "end\t4\n"
                            "CODE";

static lw_status read_text(const char *text, size_t length, struct lw__manifest *m)
{
    char *exact = malloc(length + 1); /* so that a sanitizer sees one byte too far */
    lw_status status;

    memcpy(exact, text, length);
    exact[length] = '\0';
    status = lw__manifest_read(exact, length, m);
    free(exact);
    return status;
}

static void take_all(void)
{
    struct lw__manifest m;

    WORKS(read_text(sound, sizeof sound - 1, &m));
    CHECK(m.payload_bytes == 4 && m.text_bytes == sizeof sound - 5);
    CHECK(m.diag_count == 1 && m.diags[0].line == 3 && m.diags[0].column == 14);
    CHECK(!strcmp(m.diags[0].file, "a\tb.c") && !strcmp(m.diags[0].text, "said \\ and\nmore"));
    CHECK(!strcmp(m.diags[0].picture, "    3 | x\n      | ^"));
    CHECK(m.dep_count == 1 && m.deps[0].hash == 255 && !strcmp(m.deps[0].path, "k.c"));
    CHECK(m.kernel_count == 2 && m.param_count == 2 && m.site_count == 1);
    CHECK(m.kernels[0].block.x == 16 && m.kernels[0].block.y == 8 && m.kernels[0].block.z == 1);
    CHECK(m.kernels[0].shared_bytes == 512 && m.kernels[0].uses_dynamic);
    CHECK(m.kernels[0].shared_align == 256 && m.kernels[1].shared_align == 64);
    CHECK(m.kernels[0].first_param == 0 && m.kernels[0].param_count == 2);
    CHECK(m.kernels[1].first_param == 2 && m.kernels[1].param_count == 0);
    CHECK(m.params[0].dims == 2 && m.params[1].offset == 8 && m.params[1].size == 4);
    CHECK(m.sites[0].line == 4 && m.sites[0].column == 5 && !strcmp(m.sites[0].what, "barrier"));
    lw__manifest_free(&m);
}

static void refuse(const char *text, const char *message)
{
    struct lw__manifest m;

    FAILS(read_text(text, strlen(text), &m), LW_E_INTERNAL, message);
    lw__manifest_free(&m);
}

#define HEAD "lanewise-manifest\t1\n"
#define DAMAGED "the compiler's manifest is damaged: "

static void refuse_damage(void)
{
    refuse("", "the compiler's manifest is cut off: 0 bytes, no end row");
    refuse(HEAD, "the compiler's manifest is cut off: 20 bytes, no end row");
    refuse("end\t0\n", DAMAGED "line 1 (end): the version row must come first, and once");
    refuse(HEAD HEAD "end\t0\n",
           DAMAGED "line 2 (lanewise-manifest): the version row must come first, and once");
    refuse("lanewise-manifest\t2\nend\t0\n",
           DAMAGED "line 1 (lanewise-manifest): it is of another version");
    refuse(HEAD "what\t1\nend\t0\n", DAMAGED "line 2 (?): the row is unknown");
    refuse(HEAD "dep\tx\nend\t0\n", DAMAGED "line 2 (dep): fields are missing");
    refuse(HEAD "dep\tx\t00000000000000ff\tmore\nend\t0\n",
           DAMAGED "line 2 (dep): it has too many fields");
    refuse(HEAD "dep\tx\\y\t00000000000000ff\nend\t0\n",
           DAMAGED "line 2 (dep): an escape is unknown");
    refuse(HEAD "dep\tx\t00000000000000FF\nend\t0\n", DAMAGED "line 2 (dep): a hash is malformed");
    refuse(HEAD "site\tx\t-1\t0\tbarrier\nend\t0\n",
           DAMAGED "line 2 (site): a number is malformed");
    refuse(HEAD "site\tx\t2147483648\t0\tbarrier\nend\t0\n",
           DAMAGED "line 2 (site): a number is malformed");
    refuse(HEAD "align\t128\nend\t0\n", DAMAGED "line 2 (align): there is no kernel above it");
    for (int i = 0; i < 3; i++) {
        static const char *const rows[] = {
            HEAD "kernel\tk\tvoid k()\t1\t0\t0\t0\t0\t0\t0\nalign\t64\nend\t0\n",
            HEAD "kernel\tk\tvoid k()\t1\t0\t0\t0\t0\t0\t0\nalign\t384\nend\t0\n",
            HEAD "kernel\tk\tvoid k()\t1\t0\t0\t0\t0\t0\t0\nalign\t8192\nend\t0\n"};
        refuse(rows[i], DAMAGED "line 3 (align): block memory cannot be aligned so");
    }
    refuse(HEAD "param\tn\tint\ti32\t0\t4\t0\nend\t0\n",
           DAMAGED "line 2 (param): there is no kernel above it");
    refuse(HEAD "kernel\tk\tvoid k(int n)\t1\t0\t0\t0\t0\t0\t4\n"
                "param\tn\tint\ti32\t1\t4\t0\nend\t0\n",
           DAMAGED "line 3 (param): it lies outside the packed arguments");
    refuse(HEAD "end\t18446744073709551616\n", DAMAGED "line 2 (end): a size is malformed");
    refuse(HEAD "end\t1\n", DAMAGED "it promises 1 bytes of code, 0 follow");
    refuse(HEAD "end\t0\nmore", DAMAGED "it promises 0 bytes of code, 4 follow");
}

/* Every prefix is refused; every changed byte is refused or read, and never worse. */
static void refuse_cuts(void)
{
    char text[sizeof sound];

    struct lw__manifest m;
    for (size_t length = 0; length < sizeof sound - 1; length++) {
        CHECK(read_text(sound, length, &m) == LW_E_INTERNAL);
        lw__manifest_free(&m);
    }
    for (size_t at = 0; at < sizeof sound - 1; at++)
        for (int byte = 0; byte < 256; byte++) {
            memcpy(text, sound, sizeof sound);
            text[at] = (char)byte;
            lw_status status = read_text(text, sizeof sound - 1, &m);
            CHECK(status == LW_OK || status == LW_E_INTERNAL);
            lw__manifest_free(&m);
        }
}

int main(void)
{
    take_all();
    refuse_damage();
    refuse_cuts();
    return failures != 0;
}
