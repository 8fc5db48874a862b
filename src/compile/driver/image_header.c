/* image_header.c - for an object of `lanewise cc`: its header, the C of its functions, and the
 * table that the library reads.
 */
#include "compile/driver/image.h"
#include "lanewise/image.h"
#include <assert.h>
#include <string.h>

/* ---- names of parameters ---- */

/* Parameter names that collide with a prototype's other names, or mean something else in C++ or in
 * lanewise.h. These get a final _ . */
static bool is_taken(const char *name)
{
    static const char *const own[] = {"stream", "grid", "block", "shared_bytes", "args", "options"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i]))
            return true;
    return !strncmp(name, "lw_", 3) || !strncmp(name, "LW_", 3) ||
           lw__image_is_reserved(name, strlen(name));
}

static const char *name_of(const struct lw__image_options *o, const struct lw__manifest *m,
                           const struct lw__manifest_kernel *k, size_t i)
{
    const char *own = m->params[k->first_param + i].name;
    const char *name = *own ? own : lw__format(o->arena, "unnamed_%zu", i + 1);
    bool clashes = is_taken(own);
    while (clashes) {
        name = lw__format(o->arena, "%s_", name);
        clashes = false;
        for (size_t n = 0; n < k->param_count; n++)
            clashes = clashes || !strcmp(m->params[k->first_param + n].name, name);
    }
    return name;
}

/* ---- prototypes ---- */

const char *lw__image_function(struct lw__arena *arena, const char *kernel)
{
    char *name = lw__copy(arena, kernel);
    size_t length = 0;
    for (const char *c = kernel; *c; c++) {
        const bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (is_letter || (*c >= '0' && *c <= '9') || *c == '_')
            name[length++] = *c;
        else if (length && name[length - 1] != '_')
            name[length++] = '_';
    }
    while (length && name[length - 1] == '_' && kernel[strlen(kernel) - 1] != '_')
        length--;
    name[length] = '\0';
    return name;
}

static bool is_view(const struct lw__manifest_param *p)
{
    return *p->layout == 'p' || *p->layout == 't';
}

static const char *parameter(const struct lw__image_options *o, const struct lw__manifest *m,
                             const struct lw__manifest_kernel *k, size_t i)
{
    const size_t at = k->first_param + i;
    const char *scalar = lw__image_scalar(m->params[at].layout);
    return lw__format(o->arena, "%s %s",
                      is_view(&m->params[at]) ? "lw_tensor"
                      : scalar                ? scalar
                                              : lw__image_type(o, m, at),
                      name_of(o, m, k, i));
}

/* Add it after `line`, which begins the line, in lines of up to COLUMNS. */
static void add_prototype(const struct lw__image_options *o, const struct lw__manifest *m,
                          const struct lw__manifest_kernel *k, const char *line,
                          struct lw__text *out)
{
    enum { COLUMNS = 98 };
    const size_t start = out->length;
    lw__text_add(out, "%slw_status %s_%s(lw_stream *stream, lw_dim3 grid, lw_dim3 block%s", line,
                 o->file, lw__image_function(o->arena, k->name),
                 k->uses_dynamic ? ", size_t shared_bytes" : "");
    size_t begin = start;
    for (size_t i = 0; i < k->param_count; i++) {
        const char *text = parameter(o, m, k, i);
        const bool is_long = out->length - begin + strlen(text) > COLUMNS;
        lw__text_add(out, is_long ? ",\n    %s" : ", %s", text);
        if (is_long)
            begin = out->length - strlen(text) - 4;
    }
    lw__text_add(out, ")");
}

/* A text inside a comment. */
static void add_comment(struct lw__text *out, const char *text)
{
    for (; *text; text++)
        lw__text_add(out, *text == '*' && text[1] == '/' ? "* " : "%c", *text);
}

void lw__image_header(const struct lw__image_options *o, const struct lw__manifest *m,
                      struct lw__text *out)
{
    lw__text_add(out, "/* Kernels of ");
    add_comment(out, o->source);
    lw__text_add(
        out,
        ", compiled ahead of time by `lanewise cc`.\n"
        " *\n"
        " * Each function queues one launch, as lw_stream_launch does, with its errors. A\n"
        " * pointer parameter takes a tensor too; 16-bit floats go in as float. The device\n"
        " * keeps what the first call loads. Link with -llanewise -lm.\n"
        " */\n"
        "#ifndef LW_IMAGE_%s_H\n#define LW_IMAGE_%s_H\n\n#include <lanewise/lanewise.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
        o->file, o->file);
    lw__image_types(o, m, out);
    lw__text_add(out,
                 "\n/* The program of all kernels here, as lw_program_load gives it; release it "
                 "with\n * lw_program_destroy. */\n"
                 "LW_CHECKED lw_status %s_program(lw_device *device, lw_program **program);\n",
                 o->file);
    for (size_t i = 0; i < m->kernel_count; i++) {
        lw__text_add(out, "\n/* ");
        add_comment(out, m->kernels[i].signature);
        lw__text_add(out, " */\n");
        add_prototype(o, m, &m->kernels[i], "LW_CHECKED ", out);
        lw__text_add(out, ";\n");
    }
    lw__text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* ---- the table ---- */

static void add_string(struct lw__text *out, const char *text)
{
    lw__text_add(out, "\"");
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\' || *text == '?' ||
            (unsigned char)*text >= 127)
            lw__text_add(out, "\\%03o", (unsigned)(unsigned char)*text);
        else
            lw__text_add(out, "%c", *text);
    lw__text_add(out, "\"");
}

static bool has_sizes(const struct lw__manifest *m, const struct lw__manifest_kernel *k)
{
    for (size_t i = 0; i < k->param_count; i++)
        if (m->params[k->first_param + i].dims)
            return true;
    return false;
}

static void list_codes(const struct lw__image_code *c, struct lw__text *out)
{
    lw__text_add(out, "static const lw_image_code codes[] = {\n");
    for (size_t i = 0; i < c->job_count; i++) {
        const struct lw__image_job *j = &c->jobs[i];
        const size_t sites = c->job_manifests[i];
        assert(sites < c->constants->count && (j->kernel || !j->is_packed));
        if (!j->kernel) {
            for (size_t k = 0; k < c->kernels->kernel_count; k++)
                lw__text_add(
                    out, "    {\"%s\", \"%s\", {0, 0, 0}, 0, r%zu, resume, 0, 0, 0, b%zu, %zu},\n",
                    j->target, c->kernels->kernels[k].name, k, sites,
                    c->constants->rows[sites].bytes);
            continue;
        }
        lw__text_add(out, "    {\"%s\", \"%s\", {%u, %u, %u}, %d, ", j->target, j->kernel,
                     j->block[0], j->block[1], j->block[2], j->is_guarded);
        if (j->is_packed)
            lw__text_add(out, "0, 0, b%zu, %zu, %zu, ", c->job_payloads[i],
                         c->constants->rows[c->job_payloads[i]].bytes, j->manifest.payload_bytes);
        else
            lw__text_add(out, "f%zu, 0, 0, 0, 0, ", i);
        lw__text_add(out, "b%zu, %zu},\n", sites, c->constants->rows[sites].bytes);
    }
    lw__text_add(out, "};\n");
}

/* ---- functions ---- */

static void define_function(const struct lw__image_code *c, size_t kernel, struct lw__text *out)
{
    const struct lw__manifest_kernel *k = &c->kernels->kernels[kernel];
    lw__text_add(out, "\n");
    add_prototype(c->options, c->kernels, k, "", out);
    lw__text_add(out, "\n{\n");
    if (k->uses_dynamic)
        lw__text_add(out,
                     "    const lw_launch_options options = {.shared_bytes = shared_bytes};\n");
    if (k->param_count) {
        lw__text_add(out, "    const lw_arg args[] = {");
        for (size_t i = 0; i < k->param_count; i++) {
            lw__text_add(out, "%s", i ? ", " : "");
            const struct lw__manifest *m = c->kernels;
            const struct lw__manifest_param *p = &m->params[k->first_param + i];
            const char *name = name_of(c->options, m, k, i);
            if (is_view(p))
                lw__text_add(out, "lw_arg_tensor(%s)", name);
            else if (!lw__image_scalar(p->layout))
                lw__text_add(out, "lw_arg_bytes(&%s, sizeof %s)", name, name);
            else
                lw__text_add(out, "lw_arg_%s(%s)",
                             *p->layout == 'i'                                 ? "int"
                             : *p->layout == 'u' || !strcmp(p->layout, "bool") ? "uint"
                                                                               : "real",
                             name);
        }
        lw__text_add(out, "};\n");
    }
    lw__text_add(
        out, "    return lw_image_launch(&image, %zu, stream, grid, block, %s, %s, %zu);\n}\n",
        kernel, k->uses_dynamic ? "&options" : "0", k->param_count ? "args" : "0", k->param_count);
}

void lw__image_source(const struct lw__image_code *c, const struct lw__text *header,
                      struct lw__text *out)
{
    lw__text_add(out, "#include <lanewise/image.h>\n");
    lw__text_add_bytes(out, header->data, header->length);
    lw__text_add(out, "#define HIDDEN __attribute__((visibility(\"hidden\")))\n");
    lw__image_asserts(c->options, c->kernels, out);
    for (size_t i = 0; i < c->constants->count; i++)
        lw__text_add(out, "HIDDEN extern const char b%zu[] __asm__(\"lw.%s.b%zu\");\n", i,
                     c->options->file, i);
    for (size_t i = 0; i < c->kernels->kernel_count; i++)
        lw__text_add(out,
                     "HIDDEN extern lw_image_function s%zu __asm__(\"lw.%s.%s.sizes\");\n"
                     "HIDDEN extern lw_image_function r%zu __asm__(\"lw.%s.%s.ref\");\n",
                     i, c->options->file, c->kernels->kernels[i].name, i, c->options->file,
                     c->kernels->kernels[i].name);
    lw__text_add(out, "HIDDEN extern lw_image_function resume __asm__(\"lw.%s.resume\");\n",
                 c->options->file);
    for (size_t i = 0; i < c->job_count; i++) {
        const struct lw__image_job *j = &c->jobs[i];
        if (j->kernel && !j->is_packed)
            lw__text_add(out,
                         "HIDDEN extern lw_image_function f%zu "
                         "__asm__(\"lw.%s.%s.%s.%ux%ux%u%s\");\n",
                         i, c->options->file, j->kernel, j->target + 4, j->block[0], j->block[1],
                         j->block[2], j->is_guarded ? ".guarded" : "");
    }
    list_codes(c, out);
    lw__text_add(out, "static lw_image_function *const sizes[] = {");
    for (size_t i = 0; i < c->kernels->kernel_count; i++)
        if (has_sizes(c->kernels, &c->kernels->kernels[i]))
            lw__text_add(out, "s%zu, ", i);
        else
            lw__text_add(out, "0, ");
    lw__text_add(out, "};\n");
    if (c->proofs) {
        lw__text_add(out, "static const void *const proofs[] = {");
        for (size_t i = 0; i < c->kernels->kernel_count; i++)
            lw__text_add(out, "b%zu, ", c->proofs[i]);
        lw__text_add(out, "};\n");
    }
    lw__text_add(
        out, "static const lw_image image = {%d, sizeof image, sizeof codes[0], UINT64_C(%llu), ",
        LW_IMAGE_VERSION, (unsigned long long)c->id);
    add_string(out, c->options->source);
    lw__text_add(out, ", b%zu, %zu, sizes, %s, codes, %s", c->manifest,
                 c->constants->rows[c->manifest].bytes, c->proofs ? "proofs" : "0",
                 "sizeof codes / sizeof codes[0]");
    if (c->bitcode == SIZE_MAX)
        lw__text_add(out, ", 0, 0, 0, 0};\n");
    else
        lw__text_add(out, ", b%zu, %zu, %zu, %zu};\n", c->bitcode,
                     c->constants->rows[c->bitcode].bytes, c->common_bytes, c->guarded_bytes);
    lw__text_add(out,
                 "\nlw_status %s_program(lw_device *device, lw_program **program)\n{\n"
                 "    return lw_program_load(device, &image, program);\n}\n",
                 c->options->file);
    for (size_t i = 0; i < c->kernels->kernel_count; i++)
        define_function(c, i, out);
}
