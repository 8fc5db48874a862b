/* waiting.c - what may wait, and how long: waiting.h. */
#include "waiting.h"
#include <stdlib.h>

enum { MANY = 1 << 13 };

/* The extents that all terms broadcast to. */
static int find_shape(const elementwise *f, const term *terms, int *rank, Py_ssize_t *extents)
{
    *rank = 0;
    for (size_t k = 0; k < f->arity; k++)
        if (terms[k].array && terms[k].array->rank > *rank)
            *rank = terms[k].array->rank;
    for (int x = 0; x < *rank; x++)
        extents[x] = 1;
    for (size_t k = 0; k < f->arity; k++) {
        const array *a = terms[k].array;

        for (int x = 0; a && x < a->rank; x++) {
            Py_ssize_t *extent = &extents[*rank - a->rank + x];

            if (a->extent[x] == *extent || a->extent[x] == 1)
                continue;
            if (*extent != 1) {
                PyObject *one = extents_tuple(a->rank, a->extent, 1);
                PyObject *all = one ? extents_tuple(*rank, extents, 1) : NULL;

                if (all)
                    raise_text(f->core, LW_E_ARG, "%U: shape %S does not broadcast to %S", f->name,
                               one, all);
                DROP_IF(one);
                DROP_IF(all);
                return -1;
            }
            *extent = a->extent[x];
        }
    }
    return 0;
}

static device *find_device(const elementwise *f, const term *terms)
{
    device *found = NULL;

    for (size_t k = 0; k < f->arity; k++) {
        device *d = terms[k].array ? array_device(terms[k].array) : NULL;

        if (found && d && d != found) {
            raise_text(f->core, LW_E_DEVICE, "%U: one array is on device %U, another on %U",
                       f->name, found->name, d->name);
            return NULL;
        }
        found = found ? found : d;
    }
    return found;
}

/* The sums over the terms, of which those that wait for another stream are there first. */
static int add_up(waiting *w)
{
    w->ops = w->function->weight;
    w->arrays = w->numbers = w->bytes = 0;
    for (size_t k = 0; k < w->function->arity; k++) {
        array *a = w->in[k].array;

        if (!a) {
            w->numbers++;
            continue;
        }
        if (a->waiting && a->waiting->stream != w->stream && array_settle(a))
            return -1;
        if (a->waiting) {
            w->ops += a->waiting->ops;
            w->arrays += a->waiting->arrays;
            w->numbers += a->waiting->numbers;
            w->bytes += a->waiting->bytes;
        } else {
            w->arrays++;
            w->bytes += lw_buffer_bytes(a->memory->buffer);
        }
    }
    return 0;
}

/* The true number of arrays, as far as it is not too large. */
static size_t count_arrays(const waiting *w, array **seen, size_t count)
{
    for (size_t k = 0; k < w->function->arity && count <= INPUTS; k++) {
        array *a = w->in[k].array;

        if (!a)
            continue;
        if (a->waiting) {
            count = count_arrays(a->waiting, seen, count);
            continue;
        }
        size_t n = 0;
        while (n < count && seen[n] != a)
            n++;
        if (n == count) {
            seen[count < INPUTS ? count : INPUTS] = a;
            count++;
        }
    }
    return count;
}

/* The term that waits and is longest; NULL: none waits. */
static array *find_longest(const waiting *w)
{
    array *longest = NULL;

    for (size_t k = 0; k < w->function->arity; k++) {
        array *a = w->in[k].array;

        if (a && a->waiting && (!longest || a->waiting->ops > longest->waiting->ops))
            longest = a;
    }
    return longest;
}

/* Terms that were computed since are arrays of their own, so there may be more than when it was
 * made. */
static int fit(const waiting *w)
{
    array *seen[INPUTS + 1], *longest;

    while (count_arrays(w, seen, 0) > INPUTS && (longest = find_longest(w)))
        if (array_settle(longest))
            return -1;
    return 0;
}

/* So that what waits stays within the limits, the longest of the terms is computed. */
static int shorten(waiting *w)
{
    array *seen[INPUTS + 1];

    for (;;) {
        if (add_up(w))
            return -1;
        if (w->arrays > INPUTS)
            w->arrays = count_arrays(w, seen, 0);
        if (w->ops <= OPS && w->arrays <= INPUTS && w->numbers <= NUMBERS)
            return 0;
        array *longest = find_longest(w);
        if (!longest) /* one function alone is within them */
            return 0;
        if (array_settle(longest))
            return -1;
    }
}

/* Bytes of arrays that only what waits keeps. */
static size_t kept_bytes(const waiting *w)
{
    size_t bytes = 0;

    for (size_t k = 0; k < w->function->arity; k++) {
        array *a = w->in[k].array;

        if (a && a->waiting)
            bytes += kept_bytes(a->waiting);
        else if (a && Py_REFCNT((PyObject *)a) == 1 && Py_REFCNT((PyObject *)a->memory) == 1)
            bytes += lw_buffer_bytes(a->memory->buffer);
    }
    return bytes;
}

static bool may_wait(const waiting *w)
{
    const core *c = w->function->core;

    if (!c->waits || c->checker || w->ops >= OPS || (w->bytes > KEPT && kept_bytes(w) > KEPT))
        return false;
    for (size_t k = 0; k < w->function->arity; k++) {
        const array *a = w->in[k].array;

        if (a && a->memory && (a->memory->is_shared || a->memory->exports))
            return false;
    }
    return true;
}

/* It is there: who reads it reads the memory. */
static void arrive(array *a, array *to)
{
    a->memory = to->memory;
    HOLD(a->memory);
    while (a->waiting->readers) {
        reader *r = a->waiting->readers;

        reader_remove(r);
        reader_add(&a->memory->readers, r);
    }
    waiting_drop(a);
}

/* The elements, or what they are reduced to, in an array of its own; other threads wait for it.
 * NULL: an exception. */
static array *run(array *a, lw_dtype dtype, int rank, const Py_ssize_t *extents, enum reduction how,
                  const lw_map_reduce_options *options)
{
    waiting *w = a->waiting;

    w->is_running = true; /* also while terms are computed */
    array *to = fit(w) ? NULL : array_allocate(w->device, dtype, rank, extents);
    if (to && (how ? chain_reduce(a, to, how, options) : chain_write(a, to)))
        Py_CLEAR(to);
    w->is_running = false;
    return to;
}

static int compute(array *a)
{
    HOLD(a); /* its last reader may go */
    array *to = run(a, a->dtype, a->rank, a->extent, NO_REDUCTION, NULL);
    if (to)
        arrive(a, to);
    const int failed = to ? 0 : -1;
    DROP_IF(to);
    DROP(a);
    return failed;
}

/* Without looking whether it may wait. */
static array *create(elementwise *f, const overload *o, const term *terms)
{
    Py_ssize_t extents[AXES];
    device *d = find_device(f, terms);
    int rank;

    if (!d || find_shape(f, terms, &rank, extents))
        return NULL;
    array *a = array_waiting(f->core, o->out, rank, extents);
    if (!a)
        return NULL;
    waiting *w = calloc(1, sizeof *w);
    if (!w) {
        DROP(a);
        return (array *)PyErr_NoMemory();
    }
    w->compute = compute;
    HOLD(f);
    HOLD(d);
    w->function = f;
    w->how = o;
    w->device = d;
    w->stream = stream_current(d);
    HOLD_IF(w->stream);
    a->waiting = w;
    for (size_t k = 0; k < f->arity; k++) {
        w->in[k].array = terms[k].array;
        w->in[k].number = terms[k].number;
        HOLD_IF(terms[k].array);
    }
    if (shorten(w)) {
        DROP(a);
        return NULL;
    }
    for (size_t k = 0; k < f->arity; k++)
        if (w->in[k].array) {
            w->in[k].reader.array = a;
            reader_add(readers_of(w->in[k].array), &w->in[k].reader);
        }
    return a;
}

array *waiting_create(elementwise *f, const overload *o, const term *terms)
{
    array *a = create(f, o, terms);

    if (a && !may_wait(a->waiting) && array_settle(a))
        Py_CLEAR(a);
    return a;
}

/* True if elements that are written may be read for other elements. */
static bool overlaps(const waiting *w, const array *to)
{
    for (size_t k = 0; k < w->function->arity; k++) {
        const array *a = w->in[k].array;

        if (a && a->memory && !is_same_view(a, to) &&
            (a->memory == to->memory || a->memory->is_shared))
            return true;
    }
    return false;
}

int waiting_write(elementwise *f, const overload *o, const term *terms, array *to)
{
    array *a = create(f, o, terms);
    int failed;

    if (!a)
        return -1;
    const bool is_apart = overlaps(a->waiting, to);
    /* Of others that read what is written, not of this. */
    for (size_t k = 0; !is_apart && k < f->arity; k++)
        reader_remove(&a->waiting->in[k].reader);
    if (is_apart)
        failed = PyObject_SetItem((PyObject *)to, Py_Ellipsis, (PyObject *)a);
    else
        failed = memory_settle(to->memory) || fit(a->waiting) || chain_write(a, to);
    DROP(a);
    return failed;
}

/* Of few elements two kernels take less time. The smallest of int64 has no identity that a double
 * says. */
static bool can_reduce(const array *a, const request *r)
{
    return array_size(a) >= MANY && a->dtype != LW_F16 && a->dtype != LW_BF16 &&
           (r->reduces != MIN || a->dtype != LW_I64);
}

array *waiting_find(core *c, const request *r, PyObject *inputs, Py_ssize_t first, PyObject *out)
{
    if (!r->reduces || out != Py_None || c->checker || PyTuple_Size(inputs) != first + 1 ||
        !is_array(c, PyTuple_GetItem(inputs, first)))
        return NULL;
    array *a = (array *)PyTuple_GetItem(inputs, first);
    const bool is_last = r->of_all || r->axis == a->rank - 1 || r->axis == -1;
    const bool can = a->waiting && !a->waiting->is_running && is_last && a->rank &&
                     a->rank <= RANKS && can_reduce(a, r);

    return can ? a : NULL;
}

static lw_dtype dtype_of_result(lw_dtype of, enum reduction how)
{
    switch (how) {
    case ANY:
    case ALL: return LW_BOOL;
    case SUM: return of < LW_F16 ? LW_I64 : of;
    case MEAN: return of < LW_F16 ? LW_F64 : of;
    default: return of;
    }
}

array *waiting_reduce(array *a, const request *r)
{
    const bool of_all = r->of_all, keepdims = r->keepdims;
    const lw_map_reduce_options options = {of_all ? 0 : LW_AXIS(-1), keepdims, NULL};
    Py_ssize_t extents[RANKS];
    int rank = 0;

    for (int k = 0; k < a->rank; k++)
        if (keepdims || (!of_all && k < a->rank - 1))
            extents[rank++] = of_all || k == a->rank - 1 ? 1 : a->extent[k];
    HOLD(a);
    array *to = run(a, dtype_of_result(a->dtype, r->reduces), rank, extents, r->reduces, &options);
    DROP(a);
    return to;
}
