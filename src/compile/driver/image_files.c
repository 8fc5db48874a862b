/* image_files.c - the files of an image: header, depfile and object, each whole or not at all.
 *
 * The object comes last: where it is new, so are the others. What the compiler says goes into the
 * manifest for `lanewise cc`, and for a build, which asks for none, to standard error.
 */
#include "compile/driver/driver.h"
#include "compile/driver/image.h"
#include "base/manifest.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- the rule of the depfile ----------------------------------------------------------------- */

/* A path as make and ninja read it. */
static void add_path(struct lw__text *rule, const char *path)
{
    for (; *path; path++) {
        if (*path == '$')
            lw__text_add(rule, "$");
        else if (*path == ' ' || *path == '#' || *path == '\\')
            lw__text_add(rule, "\\");
        lw__text_add_bytes(rule, path, 1);
    }
}

static void add_dependency(struct lw__text *rule, const char *path)
{
    lw__text_add(rule, " \\\n  ");
    add_path(rule, path);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The exit status; 0: it is there, or not asked for. */
static int save(const char *path, const struct lw__text *text)
{
    const struct lw__part part = {text->data, text->length};
    const enum lw__saved saved = path ? lw__save(path, &part, 1) : LW_SAVE_DONE;
    if (saved == LW_SAVE_DONE)
        return 0;
    lw__defect("%s: %s; it is not saved", path, strerror(errno));
    return saved == LW_SAVE_REFUSED ? LW_EXIT_MISUSED : LW_EXIT_UNSAVED;
}

int lw__image_deliver(struct lw__unit *unit)
{
    struct lw__text whole = lw__text_in(&unit->scratch);
    lw__text_add(&whole, "lanewise-manifest\t%d\n%send\t0\n", LW_MANIFEST_VERSION,
                 unit->manifest.data);
    struct lw__manifest manifest;
    int failed = lw__manifest_read(whole.data, whole.length, &manifest) == LW_OK
                     ? 0
                     : (lw__defect("the manifest: %s", lw_last_error()), LW_EXIT_DEFECT);
    for (size_t i = 0; !failed && unit->options->out_fd < 0 && i < manifest.diag_count; i++) {
        const lw_diagnostic *d = &manifest.diags[i];
        if (d->line)
            fprintf(stderr, "%s:%d:%d: ", d->file, d->line, d->column);
        else if (*d->file)
            fprintf(stderr, "%s: ", d->file);
        fprintf(stderr, "%s: %s\n", d->severity, d->text);
        if (*d->picture)
            fprintf(stderr, "%s\n", d->picture);
    }
    if (!failed && !unit->diags.errors) {
        /* The object depends on this program and on what was read. */
        const struct lw__image_options *image = unit->options->image;
        struct lw__text rule = lw__text_in(&unit->scratch);
        char self[PATH_MAX];
        const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        self[length > 0 ? length : 0] = '\0';
        add_path(&rule, image->object);
        lw__text_add(&rule, ":");
        if (*self)
            add_dependency(&rule, self);
        for (size_t i = 0; i < manifest.dep_count; i++)
            add_dependency(&rule, manifest.deps[i].path);
        lw__text_add(&rule, "\n");
        failed = save(image->header, &unit->header);
        if (!failed)
            failed = save(image->depfile, &rule);
        if (!failed)
            failed = save(image->object, &unit->payload);
        unit->payload.length = 0;
    }
    lw__manifest_free(&manifest);
    return failed;
}
