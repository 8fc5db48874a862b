/* conform.h - random calls of the ready-made operations, and what has to come out.
 *
 * A case is drawn from its number alone: operation, parameters, dtypes, shapes, strides, values. It
 * runs on a device; the result must be within the operation's bound of a reference in double, and
 * its digest is printed, so that two devices can be compared bit for bit.
 */
#ifndef LW_TESTS_OPS_CONFORM_H
#define LW_TESTS_OPS_CONFORM_H
#include <lanewise/ops.h>

enum { CONFORM_INPUTS = 4, CONFORM_OUTPUTS = 2 };

/* An array in C order, as doubles that its dtype holds exactly. */
struct array {
    lw_dtype dtype;
    int rank;
    size_t extent[4], count;
    double *value;
    int repeated; /* the axis along which all values are equal and lie in one place; -1: none */
};
void array_make(struct array *a, lw_dtype dtype, int rank, const size_t *extent);
void array_free(struct array *a);

/* Values as elements, and back. A double that the dtype lacks must not be stored. */
void element_store(lw_dtype dtype, void *memory, size_t index, double value);
double element_load(lw_dtype dtype, const void *memory, size_t index);

/* One call; parameters by name. */
struct test_case {
    const char *op;
    char json[256];
    int axis;            /* of the parameters, from 0; -1: all */
    bool keepdims, flag; /* flag: exclusive, centre, causal */
    int mode;            /* of scan's op, of edge */
    size_t window;
    size_t inputs;
    struct array in[CONFORM_INPUTS];
};

enum layout { C_ORDER, STEPS, REVERSED, TURNED, REPEATED, LAYOUTS, ANY };

enum { LONGS = 20 }; /* extents that are tried */

struct session {
    lw_device *device;
    lw_stream *stream;
    uint64_t random;     /* xorshift's state, of the case */
    size_t elements_max; /* of an input of the cases that run */
    bool pairs;          /* the next three are given, else drawn */
    int dtype, length;   /* indices */
    enum layout layout;
};

/* draw - a number below this one. draw_case - what s->random and c->op stand for; draw.c */
uint64_t draw(struct session *s, uint64_t below);
void draw_case(struct session *s, struct test_case *c);

/* The operations that are tried. */
extern const char *const ops[];
extern const size_t op_count;

/* reference - what out->value has to be, and how far each element may be off before it is rounded
 * to out's dtype. out has its shape already; out + 1 is a second output, which is exact. */
void reference(const struct test_case *c, struct array *out, double *slack);

/* references of operations that select and sort: selection.c; false where it is another one */
bool reference_selection(const struct test_case *c, struct array *out);
#endif
