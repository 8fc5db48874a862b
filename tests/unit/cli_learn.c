/* cli_learn.c - numbers of check.txt: operators bind as in C, and what is no number is told.
 */
#include "cli/learn/learn.h"
#include "cli_test.h"

static struct learn_scope scope;

/* is - the expression has that value. */
static bool is(const char *text, int64_t expected)
{
    int64_t number = 0;
    return learn_number(&scope, text, &number) == 0 && number == expected;
}

static bool is_refused(const char *text)
{
    int64_t number;
    return learn_number(&scope, text, &number) != 0;
}

static void operators(void)
{
    CHECK(is("7", 7));
    CHECK(is("n", 10));
    CHECK(is("1+2*3", 7));
    CHECK(is("(1+2)*3", 9));
    CHECK(is("10-3-2", 5));
    CHECK(is("(n+7)/8*8", 16));
    CHECK(is("n%4/2", 1));
    CHECK(is("-n+1", -9));
    CHECK(is("2*-3", -6));
    CHECK(is("n<=10", 1));
    CHECK(is("n<10", 0));
    CHECK(is("n>=10", 1));
    CHECK(is("n>10", 0));
    CHECK(is("n==5+5", 1));
    CHECK(is("n!=nn", 1));
    CHECK(is("(n<5)+(nn>=3)", 1));
}

static void refusals(void)
{
    CHECK(is_refused(""));
    CHECK(is_refused("x"));
    CHECK(is_refused("n+"));
    CHECK(is_refused("(n"));
    CHECK(is_refused("n)"));
    CHECK(is_refused("n 1"));
    CHECK(is_refused("n/0"));
    CHECK(is_refused("n%(n-10)"));
    CHECK(is_refused("n=5"));
    char deep[200];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    CHECK(is_refused(deep));
    memset(deep, '-', sizeof deep - 1);
    CHECK(is_refused(deep));
}

static void lists(void)
{
    int64_t numbers[3];
    size_t count;
    CHECK(learn_numbers(&scope, "n,2*n", 3, numbers, &count) == 0);
    CHECK(count == 2 && numbers[0] == 10 && numbers[1] == 20);
    CHECK(learn_numbers(&scope, "1,2,3,4", 3, numbers, &count) != 0);
}

int main(void)
{
    CHECK(learn_set(&scope, "n", 5) == 0 && learn_set(&scope, "nn", 3) == 0);
    CHECK(learn_set(&scope, "n", 10) == 0 && scope.count == 2);
    CHECK(learn_get(&scope, "nnn", 2) && !learn_get(&scope, "nnn", 3));
    operators();
    refusals();
    lists();
    return failures > 0;
}
