/* cache.c - what lanewise-compile made, kept on disk for the next build.
 *
 * An entry is two files in a folder that only this user may enter:
 *     KEY.txt            "lanewise-cache 1 CHECKSUM\n" "PAYLOAD\n" manifest
 *     KEY-PAYLOAD.so     the payload, where there is one
 * KEY is a hash of the request, PAYLOAD of the code, CHECKSUM of the KEY and all that follows. The
 * code's name contains its hash, so a rebuilt entry never has the name of code that is loaded:
 * dlopen would return the old code. Entries are written under another name and renamed. A damaged
 * entry has a wrong checksum, and after a changed header a dep row is wrong; the program is then
 * built again. If the user names a folder that is none, that is an error, and so is too little
 * memory to read an entry: to compile takes more. No other failure reaches the caller: a full,
 * read-only or missing disk only costs time. There are no locks. A process that
 * stores an entry second, or whose entry is evicted (cache_trim.c), uses its own result.
 *
 * Code in the cache is run. So the folder is opened once, and files are opened in it. Both are
 * judged by their descriptors: what another user made or can write is not used.
 */
#include "base/manifest.h"
#include "run/build/build.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "lanewise-cache 1 "
enum { HEX = 16, HEAD_BYTES = sizeof HEAD - 1 + HEX + 1, ENTRY_HEAD_BYTES = HEAD_BYTES + HEX + 1 };

/* ---- the folder ---- */

/* mkdir -p, the last folder and those made on the way private. */
static bool make_folders(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            if (mkdir(path, 0700) && errno != EEXIST) {
                *p = '/';
                return false;
            }
            *p = '/';
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static const char need_private[] =
    "need a folder of this user, no link, that others may not enter (chmod 700)";
static const char need_above[] =
    "need one in no folder that every user can write to (chmod o-w, or +t)";

/* True if every user could put another folder in the place of this one, or of one above it. */
static bool is_in_open_folder(int folder)
{
    struct stat below = {0}, s = {0};
    int at = openat(folder, "..", O_PATH | O_DIRECTORY | O_CLOEXEC), up;
    bool is_open = false;

    while (at >= 0 && !is_open && !fstat(at, &s) &&
           (s.st_ino != below.st_ino || s.st_dev != below.st_dev)) {
        is_open = (s.st_mode & S_IWOTH) && !(s.st_mode & S_ISVTX);
        below = s;
        up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = up;
    }
    if (at >= 0)
        close(at);
    return is_open;
}

/* Ours alone: another user who could write here could have us load his code. -1: *need says what is
 * needed. */
static int open_folder(const char *path, const char **need)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    *need = need_private;
    struct stat s;
    if (folder >= 0 && !fstat(folder, &s) && s.st_uid == geteuid() &&
        (s.st_mode & (S_IRWXG | S_IRWXO)) == 0) {
        *need = need_above;
        if (!is_in_open_folder(folder))
            return folder;
    }
    if (folder >= 0)
        close(folder);
    return -1;
}

/* *path is NULL where nothing says where. */
static lw_status find_folder(char **path)
{
    const char *own = secure_getenv("LANEWISE_CACHE_DIR");
    const char *xdg = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    struct lw__text name = {0};

    *path = NULL;
    if (own && !*own)
        return lw__fail(LW_E_ARG, "LANEWISE_CACHE_DIR is ''; need the path of a folder");
    if (own)
        lw__text_add(&name, "%s", own);
    else if (xdg && *xdg == '/')
        lw__text_add(&name, "%s/lanewise", xdg);
    else if (home && *home == '/')
        lw__text_add(&name, "%s/.cache/lanewise", home);
    while (name.length > 1 && name.data[name.length - 1] == '/')
        name.data[--name.length] = '\0';
    if (name.failed) {
        lw__text_free(&name);
        return lw__fail(LW_E_MEMORY, "out of memory: the path of the cache");
    }
    *path = name.data;
    return LW_OK;
}

/* Make it, if it is not there. A folder that the user has named must be one that can be used. */
static lw_status prepare(char *path, int *folder)
{
    if (!make_folders(path))
        return lw__fail(LW_E_ARG,
                        "LANEWISE_CACHE_DIR is '%s', which cannot be made: %s; need the path of a "
                        "folder",
                        path, strerror(errno));
    const char *need;
    *folder = open_folder(path, &need);
    if (*folder < 0)
        return lw__fail(LW_E_ARG, "LANEWISE_CACHE_DIR is '%s'; %s", path, need);
    return LW_OK;
}

lw_status lw__cache_open(struct lw__cache *cache)
{
    const bool is_own = secure_getenv("LANEWISE_CACHE_DIR") != NULL;

    *cache = (struct lw__cache){.folder = -1};
    bool wanted;
    LW_TRY(lw__environment_cache(&wanted));
    LW_TRY(lw__environment_cache_limit(&cache->limit));
    if (!wanted || !cache->limit)
        return LW_OK;
    char *path;
    LW_TRY(find_folder(&path));
    if (!path)
        return LW_OK;
    lw_status status = prepare(path, &cache->folder);
    free(path);
    return is_own ? status : LW_OK;
}

lw_status lw__cache_place(char **path, int *folder)
{
    lw_status status = LW_OK;

    *folder = -1;
    LW_TRY(find_folder(path));
    struct stat s;
    if (!*path || (lstat(*path, &s) && errno == ENOENT))
        return LW_OK;
    const char *need;
    *folder = open_folder(*path, &need);
    if (*folder < 0)
        status = lw__fail(LW_E_IO, "the cache's folder is '%s'; %s", *path, need);
    if (status) {
        free(*path);
        *path = NULL;
    }
    return status;
}

void lw__cache_close(struct lw__cache *cache)
{
    if (cache->folder >= 0)
        close(cache->folder);
    cache->folder = -1;
}

/* ---- the key ---- */

/* Strings are hashed with their NUL, so that "ab" "c" and "a" "bc" differ. */
static uint64_t hash_string(uint64_t hash, const char *text)
{
    return text ? lw__hash(hash, text, strlen(text) + 1) : lw__hash(hash, "\1", 2);
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return lw__hash(hash, &number, sizeof number);
}

static uint64_t hash_program(uint64_t hash, const char *path)
{
    return lw__hash_program(hash_string(hash, path), path);
}

uint64_t lw__cache_key(const struct lw__compile *compile)
{
    const lw_build_options *o = compile->options;
    uint64_t hash = hash_string(LW_HASH_START, LW_VERSION);
    char path[PATH_MAX];
    struct lw__tool tool; /* the clang that lanewise-compile will start */

    hash = hash_program(hash, compile->compiler);
    lw__tool_find(&tool);
    hash = lw__tool_path(&tool, path, sizeof path) ? hash_program(hash, path)
                                                   : hash_string(hash, NULL);
    /* The folder counts, since debug info and relative names depend on it; so does what clang
     * reads from the environment. */
    hash = hash_string(hash, getcwd(path, sizeof path));
    hash = hash_string(hash, getenv("CPATH"));
    hash = hash_string(hash, getenv("C_INCLUDE_PATH"));
    hash = hash_string(hash, getenv("LANEWISE_INCLUDE"));
    hash = hash_string(hash, compile->target);
    hash = hash_string(hash, compile->name);
    hash = hash_string(hash, compile->path);
    hash = hash_string(hash, compile->kernel);
    hash = hash_number(hash, compile->block.x);
    hash = hash_number(hash, compile->block.y);
    hash = hash_number(hash, compile->block.z);
    hash = hash_number(hash, o->debug);
    hash = hash_number(hash, o->cuda);
    hash = hash_number(hash, (uint64_t)o->cuda_arch);
    hash = hash_string(hash, o->instantiate);
    hash = hash_number(hash, compile->bounds);
    hash = hash_number(hash, o->define_count);
    for (size_t i = 0; i < o->define_count; i++)
        hash = hash_string(hash, o->defines[i]);
    hash = hash_number(hash, o->include_dir_count);
    for (size_t i = 0; i < o->include_dir_count; i++)
        hash = hash_string(hash, o->include_dirs[i]);
    hash = hash_number(hash, compile->source_bytes);
    return lw__hash(hash, compile->source, compile->source_bytes);
}

/* ---- reading ---- */

/* The name of a file of the cache. */
struct name {
    char text[2 * HEX + sizeof "-.so"];
};

static struct name entry_name(uint64_t key)
{
    struct name name;

    snprintf(name.text, sizeof name.text, "%016" PRIx64 ".txt", key);
    return name;
}

static struct name payload_name(uint64_t key, const char *hash)
{
    struct name name;

    snprintf(name.text, sizeof name.text, "%016" PRIx64 "-%.*s.so", key, HEX, hash);
    return name;
}

/* A file that this user or root has made, that nobody else can write to, and that is in no other
 * folder too. -1: there is none. */
static int open_ours(const struct lw__cache *cache, const struct name *name)
{
    const int file =
        openat(cache->folder, name->text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat s;

    if (file >= 0 && !fstat(file, &s) && S_ISREG(s.st_mode) &&
        (s.st_uid == geteuid() || s.st_uid == 0) && !(s.st_mode & (S_IWGRP | S_IWOTH)) &&
        s.st_nlink <= 1)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* LW_E_IO: there is none that can be read. LW_E_MEMORY, here and below. */
static lw_status read_ours(const struct lw__cache *cache, const struct name *name,
                           struct lw__bytes *bytes)
{
    const int file = open_ours(cache, name);
    lw_status status = LW_E_IO;

    *bytes = (struct lw__bytes){0};
    if (file >= 0) {
        status = lw__read_descriptor(file, name->text, bytes);
        close(file);
    }
    return status;
}

static void hash_text(uint64_t hash, char text[HEX + 1])
{
    snprintf(text, HEX + 1, "%016" PRIx64, hash);
}

/* CHECKSUM, over the key and what follows the first line. */
static void checksum(uint64_t key, const char *rest, size_t bytes, char text[HEX + 1])
{
    hash_text(lw__hash(hash_number(LW_HASH_START, key), rest, bytes), text);
}

/* The whole of KEY.txt; LW_E_IO: there is none that is sound. */
static lw_status read_entry(const struct lw__cache *cache, uint64_t key, struct lw__bytes *entry)
{
    const struct name name = entry_name(key);
    char expected[HEX + 1];

    LW_TRY(read_ours(cache, &name, entry));
    bool sound = entry->length > ENTRY_HEAD_BYTES;
    if (sound) {
        checksum(key, entry->bytes + HEAD_BYTES, entry->length - HEAD_BYTES, expected);
        sound = !memcmp(entry->bytes, HEAD, sizeof HEAD - 1) &&
                !memcmp(entry->bytes + sizeof HEAD - 1, expected, HEX) &&
                entry->bytes[HEAD_BYTES - 1] == '\n';
    }
    if (!sound) {
        free(entry->bytes);
        *entry = (struct lw__bytes){0};
    }
    return sound ? LW_OK : LW_E_IO;
}

/* The payload after the hash in the entry; no bytes where the hash is of none. LW_E_IO: there is
 * none that is sound. */
static lw_status read_payload(const struct lw__cache *cache, uint64_t key, const char *hash,
                              struct lw__bytes *payload)
{
    const struct name name = payload_name(key, hash);
    char text[HEX + 1];

    *payload = (struct lw__bytes){0};
    hash_text(LW_HASH_START, text);
    if (!memcmp(text, hash, HEX))
        return LW_OK;
    LW_TRY(read_ours(cache, &name, payload));
    hash_text(lw__hash(LW_HASH_START, payload->bytes, payload->length), text);
    return memcmp(text, hash, HEX) ? LW_E_IO : LW_OK;
}

/* Is the file what it was? LW_E_IO: no. */
static lw_status compare_dep(const struct lw__manifest_dep *dep)
{
    struct lw__bytes file = {0};
    struct stat s;

    if (stat(dep->path, &s) || !S_ISREG(s.st_mode)) /* a pipe would be waited for */
        return LW_E_IO;
    LW_TRY(lw__read_file(dep->path, &file));
    bool is_same = lw__hash(LW_HASH_START, file.bytes, file.length) == dep->hash;
    free(file.bytes);
    return is_same ? LW_OK : LW_E_IO;
}

/* Is every file the manifest names still what it was? */
static lw_status compare_deps(const struct lw__bytes *result)
{
    struct lw__manifest m;
    lw_status status = lw__manifest_read(result->bytes, result->length, &m);

    for (size_t i = 0; !status && i < m.dep_count; i++)
        status = compare_dep(&m.deps[i]);
    lw__manifest_free(&m);
    return status;
}

/* The manifest and the payload, in one. */
static lw_status read_both(const struct lw__cache *cache, uint64_t key, struct lw__bytes *out)
{
    struct lw__bytes entry, payload = {0};
    struct lw__text both = {0};

    LW_TRY(read_entry(cache, key, &entry));
    lw_status status = read_payload(cache, key, entry.bytes + HEAD_BYTES, &payload);
    if (!status) {
        lw__text_add_bytes(&both, entry.bytes + ENTRY_HEAD_BYTES, entry.length - ENTRY_HEAD_BYTES);
        lw__text_add_bytes(&both, payload.bytes, payload.length);
    }
    if (both.failed)
        status = lw__fail(LW_E_MEMORY, "out of memory: what the cache has");
    free(entry.bytes);
    free(payload.bytes);
    *out = (struct lw__bytes){both.data, both.length};
    return status;
}

lw_status lw__cache_find(const struct lw__cache *cache, uint64_t key, struct lw__bytes *out)
{
    *out = (struct lw__bytes){0};
    if (cache->folder < 0)
        return LW_OK;
    lw_status status = read_both(cache, key, out);
    if (!status)
        status = compare_deps(out);
    if (!status) {
        /* An entry's time says when it was last used: many disks keep no such time of their own.
         * Once a minute is enough, and spares a network the writes. */
        enum { SECONDS = 60 };
        const struct name name = entry_name(key);
        const int nofollow = AT_SYMLINK_NOFOLLOW;
        struct stat s;

        if (!fstatat(cache->folder, name.text, &s, nofollow) &&
            s.st_mtim.tv_sec + SECONDS < time(NULL))
            (void)utimensat(cache->folder, name.text, NULL, nofollow); /* a read-only disk */
        return LW_OK;
    }
    free(out->bytes);
    *out = (struct lw__bytes){0};
    return status == LW_E_MEMORY ? status : LW_OK;
}

/* ---- writing ---- */

/* The name of a file that is being written, with six letters after it. */
struct aside {
    char text[sizeof(struct name) + sizeof LW_CACHE_ASIDE "XXXXXX"];
};

/* A new file. */
static int open_aside(const struct lw__cache *cache, const struct name *name, struct aside *aside)
{
    enum { TRIES = 100 };
    uint64_t number;
    int file = -1;

    for (int i = 0; i < TRIES && file < 0 && (!i || errno == EEXIST); i++) {
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            return -1;
        snprintf(aside->text, sizeof aside->text, "%s" LW_CACHE_ASIDE "%06x", name->text,
                 (unsigned)(number & 0xffffff));
        file = openat(cache->folder, aside->text,
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    return file;
}

/* Write aside and rename, so that a reader sees the old file, the new one or none. */
static bool replace_file(const struct lw__cache *cache, const struct name *name, const void *bytes,
                         size_t count)
{
    struct aside aside;
    const int file = open_aside(cache, name, &aside);

    if (file < 0)
        return false;
    bool done = lw__write_all(file, bytes, count);
    done = close(file) == 0 && done;
    done = done && renameat(cache->folder, aside.text, cache->folder, name->text) == 0;
    if (!done)
        unlinkat(cache->folder, aside.text, 0);
    return done;
}

/* The code of an entry that is about to be replaced by another. */
static void drop_old_payload(const struct lw__cache *cache, uint64_t key, const char *new_hash)
{
    struct lw__bytes old;

    if (read_entry(cache, key, &old))
        return;
    const struct name name = payload_name(key, old.bytes + HEAD_BYTES);
    if (memcmp(old.bytes + HEAD_BYTES, new_hash, HEX))
        unlinkat(cache->folder, name.text, 0);
    free(old.bytes);
}

void lw__cache_store(const struct lw__cache *cache, uint64_t key, const struct lw__bytes *result,
                     size_t text_bytes)
{
    const char *payload = result->bytes + text_bytes;
    size_t payload_bytes = result->length - text_bytes;
    const struct name name = entry_name(key);
    char hash[HEX + 1], sum[HEX + 1];
    struct lw__text rest = {0}, entry = {0};

    assert(text_bytes <= result->length);
    if (cache->folder < 0 || !lw__cache_fits(cache, result->length))
        return;
    hash_text(lw__hash(LW_HASH_START, payload, payload_bytes), hash);
    lw__text_add(&rest, "%s\n", hash);
    lw__text_add_bytes(&rest, result->bytes, text_bytes);
    if (!rest.failed) {
        const struct name code = payload_name(key, hash);

        checksum(key, rest.data, rest.length, sum);
        lw__text_add(&entry, HEAD "%s\n", sum);
        lw__text_add_bytes(&entry, rest.data, rest.length);
        drop_old_payload(cache, key, hash);
        if (!entry.failed && (!payload_bytes || replace_file(cache, &code, payload, payload_bytes)))
            replace_file(cache, &name, entry.data, entry.length);
        lw__cache_written(cache, entry.length + payload_bytes);
    }
    lw__text_free(&rest);
    lw__text_free(&entry);
}
