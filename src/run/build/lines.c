/* lines.c - which line of the source an instruction comes from: the line table of a shared object.
 *
 * The object is lanewise-compile's: DWARF 5 in 32 bits, little endian, as LLVM writes it. It may
 * have been damaged on its way, so nothing is read beyond its end. An instruction is that of the
 * last row before it, of its own function, that has a line: what the compiler made up has none.
 *
 * source   DWARF Debugging Information Format, version 5, chapter 6.2
 */
#include "run/build/build.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* ---- sections ---- */

struct bytes {
    const char *at;
    size_t count;
};

static bool read_header(const struct bytes *object, Elf64_Ehdr *header)
{
    if (object->count < sizeof *header)
        return false;
    memcpy(header, object->at, sizeof *header);
    return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_shoff <= object->count &&
           header->e_shnum <= (object->count - header->e_shoff) / sizeof(Elf64_Shdr);
}

static bool read_section(const struct bytes *object, const Elf64_Ehdr *header, size_t index,
                         Elf64_Shdr *section)
{
    if (index >= header->e_shnum)
        return false;
    memcpy(section, object->at + header->e_shoff + index * sizeof *section, sizeof *section);
    return section->sh_type != SHT_NOBITS && section->sh_offset <= object->count &&
           section->sh_size <= object->count - section->sh_offset;
}

static struct bytes find_section(const struct bytes *object, const char *name)
{
    const size_t length = strlen(name) + 1;
    Elf64_Ehdr header;
    Elf64_Shdr names;

    if (!read_header(object, &header) || !read_section(object, &header, header.e_shstrndx, &names))
        return (struct bytes){NULL, 0};
    Elf64_Shdr section;
    for (size_t i = 0; i < header.e_shnum; i++)
        if (read_section(object, &header, i, &section) && section.sh_name < names.sh_size &&
            names.sh_size - section.sh_name >= length &&
            !memcmp(object->at + names.sh_offset + section.sh_name, name, length))
            return (struct bytes){object->at + section.sh_offset, section.sh_size};
    return (struct bytes){NULL, 0};
}

void lw__lines_take(struct lw__lines *lines, const char *object, size_t bytes)
{
    const struct bytes whole = {object, bytes};
    const struct bytes table = find_section(&whole, ".debug_line");
    const struct bytes strings = find_section(&whole, ".debug_line_str");
    const struct bytes symbols = find_section(&whole, ".symtab");

    *lines = (struct lw__lines){0};
    if (!table.count || !strings.count || !symbols.count)
        return;
    lines->bytes = malloc(table.count + strings.count + symbols.count);
    if (!lines->bytes)
        return; /* messages will not have lines */
    memcpy(lines->bytes, table.at, table.count);
    memcpy(lines->bytes + table.count, strings.at, strings.count);
    memcpy(lines->bytes + table.count + strings.count, symbols.at, symbols.count);
    lines->table_bytes = table.count;
    lines->string_bytes = strings.count;
    lines->symbol_bytes = symbols.count;
}

void lw__lines_free(struct lw__lines *lines)
{
    free(lines->bytes);
    *lines = (struct lw__lines){0};
}

static bool find_function(const struct lw__lines *lines, uint64_t place, uint64_t *begin)
{
    const char *at = lines->bytes + lines->table_bytes + lines->string_bytes;

    for (size_t i = 0; i + sizeof(Elf64_Sym) <= lines->symbol_bytes; i += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;

        memcpy(&symbol, at + i, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value <= place &&
            place - symbol.st_value < symbol.st_size) {
            *begin = symbol.st_value;
            return true;
        }
    }
    return false;
}

/* ---- reading ---- */

/* `left` is 0 after the end, and what is read there is 0. */
struct reader {
    const unsigned char *at;
    size_t left;
};

static uint64_t take(struct reader *r, size_t bytes)
{
    uint64_t value = 0;

    if (bytes > r->left) {
        r->left = 0;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        value |= i < 8 ? (uint64_t)r->at[i] << 8 * i : 0;
    r->at += bytes;
    r->left -= bytes;
    return value;
}

static uint64_t take_leb(struct reader *r, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte;

    do {
        byte = (unsigned char)take(r, 1);
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80);
    return is_signed && byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value;
}

static const char *take_text(struct reader *r)
{
    const char *text = (const char *)r->at;
    const size_t length = strnlen(text, r->left);

    if (length == r->left)
        r->left = 0;
    else
        take(r, length + 1);
    return r->left || length ? text : "";
}

/* ---- names of files ---- */

enum { CONTENT_PATH = 1, CONTENT_FOLDER = 2, FORMATS_MAX = 8 };
enum {
    FORM_STRING = 0x08,
    FORM_UDATA = 0x0f,
    FORM_DATA1 = 0x0b,
    FORM_DATA2 = 0x05,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f
};

struct entry {
    const char *path;
    uint64_t folder;
};

static const char *string_at(const struct lw__lines *lines, uint64_t offset)
{
    const char *strings = lines->bytes + lines->table_bytes;

    if (offset >= lines->string_bytes ||
        !memchr(strings + offset, '\0', lines->string_bytes - offset))
        return "";
    return strings + offset;
}

static void take_form(const struct lw__lines *lines, struct reader *r, uint64_t content,
                      uint64_t form, struct entry *entry)
{
    const char *text = "";
    uint64_t number = 0;

    switch (form) {
    case FORM_STRING: text = take_text(r); break;
    case FORM_LINE_STRP: text = string_at(lines, take(r, 4)); break;
    case FORM_UDATA: number = take_leb(r, false); break;
    case FORM_DATA1: number = take(r, 1); break;
    case FORM_DATA2: number = take(r, 2); break;
    case FORM_DATA16: take(r, 16); break;
    default: r->left = 0; break; /* LLVM writes no other */
    }
    if (content == CONTENT_PATH)
        entry->path = text;
    else if (content == CONTENT_FOLDER)
        entry->folder = number;
}

/* A list of folders or of files; *wanted is the one of that number. False: it has none. */
static bool take_entries(const struct lw__lines *lines, struct reader *r, uint64_t number,
                         struct entry *wanted)
{
    uint64_t formats[FORMATS_MAX][2], count, n = take(r, 1);
    bool found = false;

    if (n > FORMATS_MAX)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        formats[i][0] = take_leb(r, false);
        formats[i][1] = take_leb(r, false);
    }
    count = take_leb(r, false);
    for (uint64_t k = 0; k < count && r->left; k++) {
        struct entry entry = {"", 0};

        for (uint64_t i = 0; i < n; i++)
            take_form(lines, r, formats[i][0], formats[i][1], &entry);
        if (k == number) {
            *wanted = entry;
            found = true;
        }
    }
    return found;
}

/* Folder 0 is where the compiler ran, so that names are as the user gave them. */
static bool name_file(const struct lw__lines *lines, struct reader lists, uint64_t number,
                      struct lw__line *line)
{
    struct reader again = lists;
    struct entry file = {"", 0}, folder = {"", 0};

    take_entries(lines, &lists, UINT64_MAX, &folder);
    if (!take_entries(lines, &lists, number, &file))
        return false;
    if (file.folder && file.path[0] != '/')
        take_entries(lines, &again, file.folder, &folder);
    size_t length = strlen(folder.path);
    size_t more = strlen(file.path);
    if (!more || length + more + 2 > sizeof line->file)
        return false;
    memcpy(line->file, folder.path, length);
    if (length)
        line->file[length++] = '/';
    memcpy(line->file + length, file.path, more + 1);
    return true;
}

/* ---- the table of one unit ---- */

enum {
    COPY = 1,
    ADVANCE_PC,
    ADVANCE_LINE,
    SET_FILE,
    SET_COLUMN,
    NEGATE,
    SET_BLOCK,
    CONST_ADD_PC,
    FIXED_ADVANCE_PC
};
enum { EXTENDED = 0, END_SEQUENCE = 1, SET_ADDRESS = 2 };

struct row {
    uint64_t address, file, line;
};

struct table {
    uint64_t step; /* bytes of an instruction, at the least */
    int64_t line_base;
    uint64_t line_range, first_special;
    unsigned char lengths[256]; /* of the operands of standard opcodes */
    struct reader lists, program;
};

static bool take_head(struct reader *r, struct table *t)
{
    if (take(r, 2) != 5)
        return false;
    take(r, 2);
    uint64_t head_bytes = take(r, 4);
    if (head_bytes > r->left)
        return false;
    t->program = (struct reader){r->at + head_bytes, r->left - head_bytes};
    r->left = head_bytes;
    t->step = take(r, 1);
    take(r, 2);
    t->line_base = (int8_t)take(r, 1);
    t->line_range = take(r, 1);
    t->first_special = take(r, 1);
    for (uint64_t i = 1; i < t->first_special; i++)
        t->lengths[i] = (unsigned char)take(r, 1);
    t->lists = *r;
    return t->line_range && r->left;
}

/* The state of the table's machine, and what is looked for. */
struct search {
    const struct table *table;
    uint64_t begin, place; /* the function's; the instruction's */
    struct row now, best, last;
    bool in_sequence, found; /* last is one of this sequence; best is the answer */
};

/* A row: what lies between the last one and it belongs to the last. */
static void emit(struct search *s, bool is_end)
{
    if (s->in_sequence && s->last.address <= s->place && s->place < s->now.address &&
        s->best.line) {
        s->found = true;
        return;
    }
    if (s->now.line && s->now.address >= s->begin && s->now.address <= s->place)
        s->best = s->now;
    s->last = s->now;
    s->in_sequence = !is_end;
    if (is_end) {
        s->now = (struct row){.file = 1, .line = 1};
        s->best.line = 0;
    }
}

static void advance(struct search *s, uint64_t special)
{
    const struct table *t = s->table;

    s->now.address += special / t->line_range * t->step;
}

static void extended(struct search *s, struct reader *r)
{
    const uint64_t bytes = take_leb(r, false);
    struct reader inside = {r->at, bytes < r->left ? bytes : r->left};
    const uint64_t opcode = take(&inside, 1);

    if (opcode == SET_ADDRESS)
        s->now.address = take(&inside, 8);
    take(r, bytes);
    if (opcode == END_SEQUENCE)
        emit(s, true);
}

static void standard(struct search *s, struct reader *r, uint64_t opcode)
{
    switch (opcode) {
    case COPY: emit(s, false); break;
    case ADVANCE_PC: s->now.address += take_leb(r, false) * s->table->step; break;
    case ADVANCE_LINE: s->now.line += take_leb(r, true); break;
    case SET_FILE: s->now.file = take_leb(r, false); break;
    case CONST_ADD_PC: advance(s, 255 - s->table->first_special); break;
    case FIXED_ADVANCE_PC: s->now.address += take(r, 2); break;
    default:
        for (int i = 0; i < s->table->lengths[opcode]; i++)
            take_leb(r, false);
    }
}

static bool run_program(struct search *s)
{
    struct reader r = s->table->program;

    while (r.left && !s->found) {
        const uint64_t opcode = take(&r, 1);

        if (opcode == EXTENDED) {
            extended(s, &r);
        } else if (opcode < s->table->first_special) {
            standard(s, &r, opcode);
        } else {
            const uint64_t special = opcode - s->table->first_special;

            advance(s, special);
            s->now.line +=
                (uint64_t)(s->table->line_base + (int64_t)(special % s->table->line_range));
            emit(s, false);
        }
    }
    return s->found;
}

bool lw__lines_find(const struct lw__lines *lines, uint64_t place, struct lw__line *line)
{
    struct reader all = {(const unsigned char *)lines->bytes, lines->table_bytes};
    uint64_t begin;

    if (!lines->bytes || !find_function(lines, place, &begin))
        return false;
    while (all.left > 4) {
        const uint64_t bytes = take(&all, 4);
        struct reader unit = {all.at, bytes < all.left ? bytes : all.left};
        struct table table = {0};
        struct search s = {
            .table = &table, .begin = begin, .place = place, .now = {.file = 1, .line = 1}};

        take(&all, unit.left);
        if (take_head(&unit, &table) && run_program(&s)) {
            line->line = (unsigned)s.best.line;
            return name_file(lines, table.lists, s.best.file, line);
        }
    }
    return false;
}
