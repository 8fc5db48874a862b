/* make.c - a random kernel that is right: patterns, one behind the other. */
#include "planted.h"
#include <string.h>

const struct type_info type_infos[TYPES] = {
    [I8] = {"signed char", 1}, [I16] = {"short", 2}, [I32] = {"int", 4}, [I32X4] = {"int4", 16}};

struct step *add_step(struct kernel *k, enum op op)
{
    struct step *s = &k->step[k->steps++];
    *s = (struct step){.op = op, .salt = 3 + 2 * k->steps};
    return s;
}

int add_array(struct kernel *k, enum type type, bool is_shared, int rows, int count)
{
    k->array[k->arrays] =
        (struct array){.type = type, .is_shared = is_shared, .rows = rows, .count = count};
    return k->arrays++;
}

void make(struct kernel *k, uint64_t seed)
{
    static const int blocks[] = {8, 32, 40, 48, 64, 72, 96};
    struct dice d = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    below(&d, 2);
    *k = (struct kernel){.seed = seed, .block = blocks[below(&d, 7)], .grid = 1 + below(&d, 3)};
    const int patterns = 1 + below(&d, 4);
    for (int i = 0; i < patterns; i++)
        add_pattern(k, &d, i == patterns - 1);
}
