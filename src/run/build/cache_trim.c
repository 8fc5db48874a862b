/* cache_trim.c - the size of the cache, and the eviction of entries.
 *
 * A sweep lists the folder and groups the files of a key as an entry. It removes the least recently
 * used entries until the rest fits. An entry's time is that of KEY.txt, which cache.c renews. Only
 * files with names that cache.c gives are counted or removed.
 *
 * The file `.written` has a byte for each 4 KiB stored since the last sweep. When they reach a
 * sixteenth of the limit, the next sweep trims to fifteen sixteenths. So the limit holds, and a
 * full folder is listed seldom. There are no locks: a network file system may lack them, or never
 * release one. Two sweeps at once remove the same entries. If bytes of `.written` get lost between
 * machines, a sweep is late.
 */
#include "lanewise/cache.h"
#include "run/build/build.h"
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TALLY ".written"
enum { HEX = 16, ASIDE_LETTERS = 6, NAME_MAX_BYTES = 64, TALLY_UNIT = 4096, PARTS = 16 };

/* Seconds: a file this old that no entry names is left of a process that ended early. */
enum { ABANDONED = 3600 };

enum kind { TEXT, CODE, ASIDE, FOREIGN };

struct file {
    char name[NAME_MAX_BYTES]; /* begins with its key */
    enum kind kind;
    uint64_t bytes;
    int64_t used; /* nanoseconds since 1970 */
};

/* The files of an entry are files[first], and count - 1 more. */
struct entry {
    size_t first, count;
    int64_t used;
};

struct listing {
    int folder; /* descriptor; -1 */
    struct file *files;
    size_t file_count, file_room;
    struct entry *entries;
    size_t entry_count;
    uint64_t bytes;
};

/* ---- names ---- */

static bool is_hex(const char *text)
{
    return strspn(text, "0123456789abcdef") >= HEX;
}

/* KEY.txt, KEY-PAYLOAD.so, either of them with .new-XXXXXX after it. */
static enum kind kind_of(const char *name)
{
    const char *rest = name + HEX;
    enum kind kind = TEXT;

    if (strlen(name) >= NAME_MAX_BYTES || !is_hex(name))
        return FOREIGN;
    if (*rest == '-' && is_hex(rest + 1)) {
        rest += 1 + HEX;
        kind = CODE;
    }
    if (strncmp(rest, kind == TEXT ? ".txt" : ".so", kind == TEXT ? 4 : 3) != 0)
        return FOREIGN;
    rest += kind == TEXT ? 4 : 3;
    if (!*rest)
        return kind;
    if (strncmp(rest, LW_CACHE_ASIDE, sizeof LW_CACHE_ASIDE - 1) != 0)
        return FOREIGN;
    rest += sizeof LW_CACHE_ASIDE - 1;
    if (strlen(rest) != ASIDE_LETTERS)
        return FOREIGN;
    for (; *rest; rest++)
        if (!isalnum((unsigned char)*rest))
            return FOREIGN;
    return ASIDE;
}

/* ---- the listing ---- */

static lw_status add_file(struct listing *l, const char *name, enum kind kind, const struct stat *s)
{
    if (l->file_count == l->file_room) {
        size_t room = l->file_room ? 2 * l->file_room : 64;
        struct file *more = realloc(l->files, room * sizeof *more);

        if (!more)
            return lw__fail(LW_E_MEMORY, "out of memory: the names of %zu files", room);
        l->files = more;
        l->file_room = room;
    }
    struct file *f = &l->files[l->file_count++];
    snprintf(f->name, sizeof f->name, "%s", name);
    f->kind = kind;
    f->bytes = (uint64_t)s->st_size;
    f->used = (int64_t)s->st_mtim.tv_sec * 1000000000 + s->st_mtim.tv_nsec;
    l->bytes += f->bytes;
    return LW_OK;
}

/* By key, KEY.txt first: it is also removed first, so that nobody finds an entry without code. */
static int compare_files(const void *left, const void *right)
{
    const struct file *a = left, *b = right;
    int order = memcmp(a->name, b->name, HEX);

    return order                ? order
           : a->kind != b->kind ? (int)a->kind - (int)b->kind
                                : strcmp(a->name, b->name);
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    return a->used != b->used ? (a->used < b->used ? -1 : 1) : a->first < b->first ? -1 : 1;
}

static bool is_of_entry(const struct listing *l, size_t file, size_t first)
{
    return file < l->file_count && !memcmp(l->files[file].name, l->files[first].name, HEX);
}

/* Of an entry without text, of which there is none yet or no more, the code's time counts. */
static lw_status make_entries(struct listing *l)
{
    l->entries = calloc(l->file_count + 1, sizeof *l->entries);
    if (!l->entries)
        return lw__fail(LW_E_MEMORY, "out of memory: %zu entries of the cache", l->file_count);
    if (l->file_count)
        qsort(l->files, l->file_count, sizeof *l->files, compare_files);
    for (size_t i = 0; i < l->file_count; i += l->entries[l->entry_count - 1].count) {
        struct entry *e = &l->entries[l->entry_count++];

        *e = (struct entry){.first = i, .used = l->files[i].used};
        for (; is_of_entry(l, i + e->count, i); e->count++) {
            const struct file *f = &l->files[i + e->count];

            if (l->files[i].kind != TEXT && f->used > e->used)
                e->used = f->used;
        }
    }
    if (l->entry_count)
        qsort(l->entries, l->entry_count, sizeof *l->entries, compare_entries);
    return LW_OK;
}

/* A file that disappears while the folder is read is no error. */
static lw_status read_folder(struct listing *l, DIR *folder)
{
    lw_status status = LW_OK;

    struct dirent *d;
    for (errno = 0; !status && (d = readdir(folder)); errno = 0) {
        enum kind kind = kind_of(d->d_name);
        struct stat s;

        if (kind != FOREIGN && !fstatat(l->folder, d->d_name, &s, AT_SYMLINK_NOFOLLOW) &&
            S_ISREG(s.st_mode))
            status = add_file(l, d->d_name, kind, &s);
    }
    return status || !errno ? status : lw__fail_system(errno, "the cache's folder");
}

static void close_listing(struct listing *l)
{
    if (l->folder >= 0)
        close(l->folder);
    free(l->files);
    free(l->entries);
}

/* The place of the directory stream is shared by duplicates of a descriptor: it is opened anew. */
static lw_status open_listing(struct listing *l, int opened)
{
    DIR *folder = NULL;

    *l = (struct listing){.folder = openat(opened, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (l->folder < 0)
        return lw__fail_system(errno, "the cache's folder");
    int own = fcntl(l->folder, F_DUPFD_CLOEXEC, 0);
    if (own >= 0)
        folder = fdopendir(own);
    lw_status status;
    if (!folder) {
        status = lw__fail_system(errno, "the cache's folder");
        if (own >= 0)
            close(own);
    } else {
        status = read_folder(l, folder);
        closedir(folder);
    }
    if (!status)
        status = make_entries(l);
    if (status)
        close_listing(l);
    return status;
}

/* ---- what goes ---- */

static lw_status remove_file(struct listing *l, const struct file *f)
{
    if (unlinkat(l->folder, f->name, 0) && errno != ENOENT)
        return lw__fail(LW_E_IO, "the cache's file %s cannot be removed: %s", f->name,
                        strerror(errno));
    assert(l->bytes >= f->bytes);
    l->bytes -= f->bytes;
    return LW_OK;
}

/* All of an entry; what cannot be removed is told, and the rest goes all the same. */
static lw_status remove_entry(struct listing *l, const struct entry *e)
{
    lw_status status = LW_OK;

    for (size_t i = 0; i < e->count; i++) {
        lw_status one = remove_file(l, &l->files[e->first + i]);

        status = status ? status : one;
    }
    return status;
}

/* Left over: no entry will come of it any more. */
static bool is_abandoned(const struct listing *l, const struct entry *e)
{
    bool has_text = l->files[e->first].kind == TEXT;

    return !has_text && e->used < ((int64_t)time(NULL) - ABANDONED) * 1000000000;
}

static void remove_abandoned_files(struct listing *l, const struct entry *e)
{
    const int64_t before = ((int64_t)time(NULL) - ABANDONED) * 1000000000;

    for (size_t i = 0; i < e->count; i++) {
        struct file *f = &l->files[e->first + i];

        if (f->kind == ASIDE && f->used < before && !unlinkat(l->folder, f->name, 0)) {
            l->bytes -= f->bytes;
            f->bytes = 0;
        }
    }
}

/* Remove entries until `most` bytes are left; the others stay, the most recently used ones. */
static lw_status sweep(struct listing *l, uint64_t most)
{
    lw_status status = LW_OK;
    size_t kept = 0;

    for (size_t i = 0; i < l->entry_count; i++) {
        struct entry *e = &l->entries[i];

        assert(e->count && e->first + e->count <= l->file_count);
        assert(!i || e[-1].used <= e->used || kept < i);
        remove_abandoned_files(l, e);
        if (l->bytes <= most && !is_abandoned(l, e)) {
            l->entries[kept++] = *e;
        } else {
            lw_status one = remove_entry(l, e);

            status = status ? status : one;
        }
    }
    l->entry_count = kept;
    return status;
}

/* ---- when a result was stored ---- */

static uint64_t part_of(uint64_t limit)
{
    return limit / PARTS;
}

bool lw__cache_fits(const struct lw__cache *cache, uint64_t bytes)
{
    return bytes <= cache->limit - part_of(cache->limit);
}

/* How many bytes were stored since the last sweep, these among them; 0: it cannot be known. */
static uint64_t add_to_tally(int folder, uint64_t bytes)
{
    static const char marks[256];
    int file = openat(folder, TALLY, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    uint64_t left = bytes / TALLY_UNIT + 1;
    struct stat s = {0};

    if (file < 0)
        return 0;
    while (left) {
        size_t now = left < sizeof marks ? (size_t)left : sizeof marks;

        if (!lw__write_all(file, marks, now))
            break;
        left -= now;
    }
    if (fstat(file, &s))
        s.st_size = 0;
    close(file);
    return (uint64_t)s.st_size * TALLY_UNIT;
}

void lw__cache_written(const struct lw__cache *cache, uint64_t bytes)
{
    if (add_to_tally(cache->folder, bytes) < part_of(cache->limit))
        return;
    unlinkat(cache->folder, TALLY, 0); /* others begin anew, and do not sweep too */
    struct listing l;
    if (open_listing(&l, cache->folder))
        return;
    (void)sweep(&l, cache->limit - part_of(cache->limit));
    close_listing(&l);
}

/* ---- the public calls ---- */

/* `most` is UINT64_MAX where nothing shall go. */
static lw_status look(int folder, uint64_t most, lw_cache_info *info)
{
    struct listing l;

    LW_TRY(open_listing(&l, folder));
    lw_status status = most == UINT64_MAX ? LW_OK : sweep(&l, most);
    if (!status && !most && unlinkat(l.folder, TALLY, 0) && errno != ENOENT)
        status =
            lw__fail(LW_E_IO, "the cache's file " TALLY " cannot be removed: %s", strerror(errno));
    info->entries = 0;
    for (size_t i = 0; i < l.entry_count; i++)
        info->entries += l.files[l.entries[i].first].kind == TEXT;
    info->bytes = l.bytes;
    close_listing(&l);
    return status;
}

static lw_status describe(uint64_t most, lw_cache_info *info)
{
    lw_status status = LW_OK;

    LW_TRY(lw__environment_cache(&info->is_used));
    LW_TRY(lw__environment_cache_limit(&info->limit));
    info->is_used = info->is_used && info->limit;
    int folder;
    char *path;
    LW_TRY(lw__cache_place(&path, &folder));
    if (!path) {
        info->is_used = false;
        return LW_OK;
    }
    if (strlen(path) >= sizeof info->path)
        status = lw__fail(LW_E_IO, "the path of the cache has %zu bytes; need at most %zu",
                          strlen(path), sizeof info->path - 1);
    if (!status)
        strcpy(info->path, path);
    if (!status && folder >= 0)
        status = look(folder, most, info);
    if (folder >= 0)
        close(folder);
    free(path);
    return status;
}

lw_status lw_cache_trim(uint64_t bytes, lw_cache_info *info)
{
    lw_cache_info own;

    if (!info)
        info = &own;
    *info = (lw_cache_info){0};
    lw_status status = describe(bytes, info);
    if (status)
        *info = (lw_cache_info){0};
    return status;
}

lw_status lw_cache_get_info(lw_cache_info *info)
{
    if (!info)
        return lw__fail(LW_E_ARG, "info is NULL; need a place for what the cache holds");
    return lw_cache_trim(UINT64_MAX, info);
}
