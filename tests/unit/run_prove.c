/* run_prove - lw__prove_all of tables that are made here: all rows must hold, none may lack, and
 * what takes too long is not proved. The launch's sizes, scalars, objects and block memory count.
 */
#include "run/proof/proof.h"
#include "run_test.h"

enum { ROWS = 8, TERMS = 3 * LW_PROVE_WORK };

static uint64_t table[(sizeof(struct lw_proofs) + ROWS * sizeof(struct lw_proof) +
                       TERMS * sizeof(struct lw_term)) /
                      sizeof(uint64_t)];

static struct lw_proof rows[ROWS];
static struct lw_term terms[TERMS];
static uint32_t row_count, term_count;

static float buffer[100];
static struct {
    float *x;
    int32_t n;
} args;
static struct lw__object objects[2] = {{.memory = (char *)buffer, .bytes = sizeof buffer}};
static struct lw__launch launch = {.grid = {4, 1, 1},
                                   .block = {32, 1, 1},
                                   .args = (const char *)&args,
                                   .args_bytes = sizeof args,
                                   .objects = objects,
                                   .object_count = 2};

static uint32_t term(enum lw_term_kind kind, unsigned bits, uint32_t a, uint32_t b, int64_t number)
{
    terms[term_count] = (struct lw_term){
        .kind = (uint16_t)kind, .bits = (uint16_t)bits, .a = a, .b = b, .number = number};
    return term_count++;
}

static uint32_t constant(int64_t number)
{
    return term(LW_TERM_CONSTANT, 64, 0, 0, number);
}

static void row(uint32_t at, uint32_t bytes, uint32_t size)
{
    rows[row_count++] = (struct lw_proof){.at = at, .bytes = bytes, .size = size};
}

static void begin(void)
{
    row_count = term_count = 0;
}

static bool proves(bool is_partial)
{
    struct lw_proofs *head = (struct lw_proofs *)table;
    *head =
        (struct lw_proofs){.count = row_count, .term_count = term_count, .is_partial = is_partial};
    memcpy(head->rows, rows, row_count * sizeof *rows);
    memcpy((char *)(head->rows + row_count), terms, term_count * sizeof *terms);
    return lw__prove_all(&launch, head);
}

/* x[i] of float, where i < n */
static void take_guarded_access(void)
{
    const uint32_t i = term(LW_TERM_PLACE, 64, 0, 0, LW_PLACE_GLOBAL);
    const uint32_t n = term(LW_TERM_ARGUMENT, 32, 0, 0, offsetof(__typeof__(args), n));
    const uint32_t wide = term(LW_TERM_SEXT, 64, n, 0, 0);
    const uint32_t less = term(LW_TERM_LIMITED, 64, i, wide, LW_ORDER_SLT);
    const uint32_t four = constant(4);
    const uint32_t offset = term(LW_TERM_MULTIPLY, 64, less, four, 0);
    const uint32_t start = term(LW_TERM_START, 64, 0, 0, 0);
    row(term(LW_TERM_ADD, 64, start, offset, 0), four, term(LW_TERM_SIZE, 64, 0, 0, 0));
}

static void test_access(void)
{
    begin();
    take_guarded_access();
    args.x = buffer;
    args.n = 100;
    CHECK(proves(false));
    CHECK(!proves(true)); /* an access has no row */
    args.n = 101;
    CHECK(!proves(false));
    args.n = -5; /* no thread comes there */
    CHECK(proves(false));
    args.n = 99;
    args.x = buffer + 1; /* a view behind the start */
    CHECK(proves(false));
    args.x = buffer + 2;
    CHECK(!proves(false));
    args.x = buffer;
    args.n = 1000;
    launch.grid.x = 3; /* 96 threads */
    CHECK(proves(false));
    objects[0].bytes = 95 * sizeof(float);
    CHECK(!proves(false));
    objects[0].memory = NULL; /* it has no memory */
    CHECK(!proves(false));
    objects[0] = (struct lw__object){.memory = (char *)buffer, .bytes = sizeof buffer};
    launch.grid.x = 4;
}

static void test_dynamic_memory(void)
{
    begin();
    row(term(LW_TERM_PLACE, 64, 0, 0, LW_PLACE_LINEAR), constant(1),
        term(LW_TERM_PLACE, 64, 0, 0, LW_PLACE_DYNAMIC_BYTES));
    launch.dynamic_bytes = 32;
    CHECK(proves(false));
    launch.dynamic_bytes = 31;
    CHECK(!proves(false));
}

/* More terms than it has memory of its own for. */
static void test_many_terms(void)
{
    begin();
    const uint32_t one = constant(1);
    uint32_t sum = constant(0);
    for (int i = 0; i < 300; i++) /* a depth that is followed */
        sum = term(LW_TERM_ADD, 64, sum, one, 0);
    uint32_t more = sum;
    for (int i = 0; i < 300; i++)
        more = term(LW_TERM_EITHER, 64, sum, one, 0);
    row(more, one, constant(301));
    CHECK(proves(false));
    row(more, one, constant(300));
    CHECK(!proves(false));
}

/* Loops in each other, each of which goes on where the next one has ended, to 50. */
static bool proves_nest(uint32_t loops)
{
    begin();
    const uint32_t zero = constant(0), one = constant(1), end = constant(50), first = term_count;
    for (uint32_t i = 0; i < loops; i++)
        term(LW_TERM_COUNTER, 64, i ? first + i - 1 : zero, 0, 0);
    for (uint32_t i = 0; i < loops; i++) {
        const uint32_t inner = first + (i + 1 < loops ? i + 1 : i);
        const uint32_t less = term(LW_TERM_LIMITED, 64, inner, end, LW_ORDER_SLT);
        terms[first + i].b = term(LW_TERM_ADD, 64, less, one, 0);
    }
    row(first, one, constant(51));
    return proves(false);
}

/* One of so many numbers, chosen by twos. */
static bool proves_one_of(uint32_t numbers)
{
    begin();
    const uint32_t first = term_count;
    for (uint32_t i = 0; i < numbers; i++)
        constant(i);
    for (uint32_t i = 0; i + 1 < numbers; i++)
        term(LW_TERM_EITHER, 64, first + 2 * i, first + 2 * i + 1, 0);
    const uint32_t last = term_count - 1;
    row(last, constant(1), constant(numbers));
    return proves(false);
}

static void test_limits(void)
{
    begin();
    const uint32_t one = constant(1);
    uint32_t sum = constant(0);
    for (int i = 0; i < 1000; i++) /* too deep */
        sum = term(LW_TERM_ADD, 64, sum, one, 0);
    row(sum, one, constant(2000));
    CHECK(!proves(false));
    CHECK(proves_nest(1));
    CHECK(proves_nest(2));
    CHECK(proves_nest(10));
    CHECK(!proves_nest(40)); /* too many in each other */
    CHECK(proves_one_of(1000));
    CHECK(!proves_one_of(LW_PROVE_WORK)); /* it takes too long */
}

int main(void)
{
    test_access();
    test_dynamic_memory();
    test_many_terms();
    test_limits();
    return failures != 0;
}
