/* json.c - a finding as an object of JSON: docs/cli.md has its fields.
 */
#include "run/check/check.h"
#include "text/json.h"

static void add_string(struct lw__text *to, const char *name, const char *value)
{
    lw__text_add(to, "\"%s\": ", name);
    lw__json_add(to, value);
    lw__text_add(to, ", ");
}

static void add_dim3(struct lw__text *to, const char *prefix, const char *name, lw_dim3 value)
{
    lw__text_add(to, "\"%s%s\": [%u, %u, %u], ", prefix, name, value.x, value.y, value.z);
}

static void add_place(struct lw__text *to, const char *prefix, const lw_place *place)
{
    lw__text_add(to, "\"%sline\": %d, \"%scolumn\": %d, ", prefix, place->line, prefix,
                 place->column);
    add_dim3(to, prefix, "block", place->block);
    add_dim3(to, prefix, "thread", place->thread);
}

void lw__check_json(struct lw__text *to, const struct lw__told *told)
{
    const lw_finding *f = &told->finding;
    lw__text_add(to, "{");
    add_string(to, "class", f->name);
    lw__text_add(to, "\"warning\": %s, ", f->warning ? "true" : "false");
    add_string(to, "kernel", f->kernel);
    add_string(to, "file", f->at.file);
    add_place(to, "", &f->at);
    if (f->other.file) {
        add_string(to, "other_file", f->other.file);
        add_place(to, "other_", &f->other);
    }
    lw__text_add(to, "\"stack\": [");
    for (size_t i = 0; i < f->stack_count; i++) {
        lw__text_add(to, "%s{", i ? ", " : "");
        add_string(to, "file", f->stack[i].file);
        lw__text_add(to, "\"line\": %d, \"column\": %d}", f->stack[i].line, f->stack[i].column);
    }
    lw__text_add(to, "], ");
    add_string(to, "object", f->object);
    add_string(to, "message", f->message);
    add_string(to, "fix", f->fix);
    if (told->note)
        add_string(to, "note", told->note);
    if (told->suppressed_by)
        add_string(to, "suppressed_by", told->suppressed_by);
    lw__text_add(to, "\"count\": %zu}", f->count);
}

void lw__check_json_proof(struct lw__text *to, const struct lw__proof *proof)
{
    lw__text_add(to, "{");
    add_string(to, "kernel", proof->kernel);
    add_string(to, "file", proof->file);
    lw__text_add(to, "\"line\": %d, \"column\": %d, ", proof->line, proof->column);
    add_string(to, "access", proof->access);
    lw__text_add(to, "\"object\": ");
    lw__json_add(to, proof->object);
    lw__text_add(to, "}");
}
