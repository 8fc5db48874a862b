/* scalar_call.c - helpers, which stand where they are called, and what is copied or referred to. */
#include "scalar.h"

static void assigned(struct writer *w, const struct var *v, const struct expr *e)
{
    each(w, top(w));
    write_name(w->to, v);
    fputs("[t] = ", w->to);
    value(w, e);
    fputs(";\n", w->to);
}

void scalar_refer(struct writer *w, const struct var *v, const struct expr *e)
{
    const struct expr *places[2];
    const int count = places_of(e, places);
    each(w, top(w));
    write_name(w->to, v);
    fputs("[t] = ", w->to);
    if (count > 1) {
        fputc('(', w->to);
        value(w, e->kid[0]);
        fputs(") ? ", w->to);
    }
    for (int i = 0; i < count; i++) {
        fputs(i ? " : &" : "&", w->to);
        scalar_place(w->to, w->p, places[i]);
    }
    fputs(";\n", w->to);
}

/* A struct in memory holds 16-bit floats as such. Where to is settled first: its index may be of
 * what changes. */
static void copy_record(struct writer *w, const struct expr *to, const struct expr *from)
{
    const struct structure *of = &w->p->structure;
    struct expr get = *from;
    fprintf(w->to, "{ struct record%d_%d *to = &", w->p->number, of->id);
    value(w, to);
    fputc(';', w->to);
    for (int f = 0; f < FIELDS; f++)
        for (int i = 0; i < (of->field[f].count ? of->field[f].count : 1); i++) {
            get.op = f;
            get.sub = i;
            get.type = of->field[f].type;
            fprintf(w->to, of->field[f].count ? " to->f%d[%d] = " : " to->f%d = ", f, i);
            value(w, &get);
            fputc(';', w->to);
        }
    fputs(" }\n", w->to);
}

void scalar_copy(struct writer *w, const struct expr *to, const struct expr *from)
{
    each(w, top(w));
    if (from->kind == X_RECORD) {
        copy_record(w, to, from);
        return;
    }
    fputs("memmove(&", w->to);
    value(w, to);
    fputs(", &", w->to);
    value(w, from);
    fputs(", sizeof ", w->to);
    value(w, to);
    fputs(");\n", w->to);
}

static void call_arguments(struct writer *w, const struct stmt *s)
{
    const struct helper *h = s->helper;
    for (int i = 0; i < DECLARED_MAX; i++)
        scalar_prepare(w, s->value[i]);
    for (int i = 0; i < h->parameters; i++) {
        const struct var *v = h->parameter[i];
        scalar_declare(w, v);
        if (v->is_reference)
            scalar_refer(w, v, s->value[i]);
        else if (v->shape == SCALAR)
            assigned(w, v, s->value[i]);
        else
            scalar_copy(w,
                        &(struct expr){.kind = v->shape == STRUCT ? X_FIELD : X_PART,
                                       .type = v->type,
                                       .var = (struct var *)v,
                                       .index = -1},
                        s->value[i]);
    }
    if (!h->pointer)
        return;
    scalar_declare(w, h->pointer);
    each(w, top(w));
    write_name(w->to, h->pointer);
    fputs("[t] = ", w->to);
    for (int i = s->from[1] ? 1 : 0; i >= 0; i--) {
        if (i == 1) {
            fputs("(", w->to);
            value(w, s->value[h->parameters]);
            fputs(") ? ", w->to);
        }
        write_name(w->to, s->from[i]);
        fputs(s->from[i]->shape == POINTER ? "[t]" : "", w->to);
        fputs(i ? " : " : ";\n", w->to);
    }
}

void scalar_return(struct writer *w, struct expr *e)
{
    scalar_prepare(w, e);
    each(w, top(w));
    fprintf(w->to, "h%d[t] = ", w->result);
    value(w, e);
    fputs(";\n", w->to);
}

/* call - the helper's body once more, as if written here. */
void scalar_call(struct writer *w, const struct stmt *s)
{
    const struct helper *h = s->helper, *outer = w->helper;
    int outer_result = w->result;
    open_brace(w);
    call_arguments(w, s);
    w->helper = h;
    w->result = w->names++;
    line(w);
    if (h->gives)
        fprintf(w->to, "struct record%d_%d h%d[NT];\n", w->p->number, w->p->structure.id,
                w->result);
    else
        fprintf(w->to, "%s h%d[NT];\n", types[h->type].scalar, w->result);
    open_brace(w);
    scalar_push_copy(w, M_ROOT, 0);
    scalar_block(w, (struct block *)&h->body);
    scalar_return(w, h->result);
    w->masks--;
    close_brace(w);
    each(w, top(w));
    write_name(w->to, s->var);
    fprintf(w->to, "[t] = h%d[t];\n", w->result);
    w->helper = outer;
    w->result = outer_result;
    close_brace(w);
}
