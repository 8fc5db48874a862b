/* debug_types.c - C types, read back from debug info: their spelling, layout, size and alignment.
 *
 * LLVM's C interface shows a debug type's tag, name, size and offset. The rest is in the operands
 * of its metadata node, in the order of LLVM 19's DebugInfoMetadata.h (clang_contract_test.c tests
 * it). The encoding of a basic type is not visible, so basic types are known by name.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 }; /* of structs in structs */

/* C's integers by the names that clang gives them in debug info; others: base/types.def. */
static const struct {
    const char *name, *layout;
} scalars[] = {
    {"_Bool", "bool"},
    {"char", "i8"},
    {"signed char", "i8"},
    {"bool", "bool"},
    {"wchar_t", "i32"},
    {"char8_t", "u8"},
    {"char16_t", "u16"},
    {"char32_t", "u32"},
    {"unsigned char", "u8"},
    {"short", "i16"},
    {"unsigned short", "u16"},
    {"int", "i32"},
    {"unsigned int", "u32"},
    {"long", "i64"},
    {"unsigned long", "u64"},
    {"long long", "i64"},
    {"unsigned long long", "u64"},
};

/* Structs of lanewise/cuda that are numbers to the host. */
static const struct {
    const char *name, *layout;
} cuda_numbers[] = {{"__half", "f16"}, {"__nv_bfloat16", "bf16"}};

static LLVMMetadataRef base_of(LLVMContextRef context, LLVMMetadataRef type)
{
    return lw__di_operand(context, type, LW_DI_TYPE_BASE);
}

/* The debug info's strings have no NUL: "%.*s" with these. */
struct name {
    const char *text;
    int length;
};

static struct name name_of(LLVMMetadataRef type)
{
    size_t length = 0;
    struct name name = {LLVMDITypeGetName(type, &length), 0};
    name.length = (int)length;
    if (!name.text)
        name.text = "";
    return name;
}

static bool is_named(struct name name, const char *text)
{
    return name.length == (int)strlen(text) && memcmp(name.text, text, (size_t)name.length) == 0;
}

static bool is_qualifier(unsigned tag)
{
    return tag == LW_TAG_CONST || tag == LW_TAG_VOLATILE || tag == LW_TAG_RESTRICT ||
           tag == LW_TAG_ATOMIC;
}

LLVMMetadataRef lw__type_strip(LLVMContextRef context, LLVMMetadataRef type)
{
    while (is_qualifier(lw__di_tag(type)) || lw__di_tag(type) == LW_TAG_TYPEDEF)
        type = base_of(context, type);
    return type;
}

bool lw__type_is_const(LLVMContextRef context, LLVMMetadataRef type)
{
    for (;; type = base_of(context, type)) {
        const unsigned tag = lw__di_tag(type);
        if (tag == LW_TAG_CONST)
            return true;
        if (!is_qualifier(tag) && tag != LW_TAG_TYPEDEF)
            return false;
    }
}

/* ---- arrays, vectors, enums, structs ---- */

static bool is_vector(LLVMMetadataRef type)
{
    return lw__di_tag(type) == LW_TAG_ARRAY && (LLVMDITypeGetFlags(type) & LLVMDIFlagVector);
}

static bool is_array(LLVMMetadataRef type)
{
    return lw__di_tag(type) == LW_TAG_ARRAY && !is_vector(type);
}

static bool is_struct(LLVMMetadataRef type)
{
    const unsigned tag = lw__di_tag(type);
    return tag == LW_TAG_STRUCTURE || tag == LW_TAG_UNION || tag == LW_TAG_CLASS;
}

/* A member, or a base class as one. */
static bool is_member(LLVMMetadataRef node)
{
    return lw__di_tag(node) == LW_TAG_MEMBER || lw__di_tag(node) == LW_TAG_INHERITANCE;
}

/* Types of C++ have a linker's name. */
static bool is_of_cxx(LLVMContextRef context, LLVMMetadataRef type)
{
    return lw__di_operand(context, type, LW_DI_TYPE_IDENTIFIER);
}

LLVMMetadataRef lw__type_element(LLVMContextRef context, LLVMMetadataRef type)
{
    for (;;) {
        LLVMMetadataRef bare = lw__type_strip(context, type);
        if (!is_array(bare))
            return type;
        type = base_of(context, bare);
    }
}

/* Dimension `axis` of an array or vector; -1 if it is not constant. */
static int64_t extent_of(LLVMContextRef context, LLVMMetadataRef array, unsigned axis)
{
    LLVMMetadataRef ranges = lw__di_operand(context, array, LW_DI_TYPE_ELEMENTS);
    LLVMMetadataRef range = ranges ? lw__di_operand(context, ranges, axis) : NULL;
    LLVMMetadataRef count = range ? lw__di_operand(context, range, 0) : NULL;
    LLVMValueRef value = count ? LLVMMetadataAsValue(context, count) : NULL;
    if (!value || LLVMGetMDNodeNumOperands(value) != 1)
        return -1;
    LLVMGetMDNodeOperands(value, &value);
    return LLVMIsAConstantInt(value) ? (int64_t)LLVMConstIntGetSExtValue(value) : -1;
}

static unsigned rank_of(LLVMContextRef context, LLVMMetadataRef array)
{
    LLVMMetadataRef ranges = lw__di_operand(context, array, LW_DI_TYPE_ELEMENTS);
    return lw__di_operand_count(context, ranges);
}

/* Fields of a struct or union, or enumerators; NULL if it is only declared. */
static LLVMMetadataRef members_of(LLVMContextRef context, LLVMMetadataRef type)
{
    return lw__di_operand(context, type, LW_DI_TYPE_ELEMENTS);
}

/* ---- size and alignment ---- */

uint64_t lw__type_size(LLVMContextRef context, LLVMMetadataRef type)
{
    type = lw__type_strip(context, type);
    return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

static uint64_t align_at(LLVMContextRef context, LLVMMetadataRef type, unsigned depth);

static uint64_t struct_align(LLVMContextRef context, LLVMMetadataRef type, unsigned depth)
{
    uint64_t align = 1;
    LLVMMetadataRef members = members_of(context, type);
    for (unsigned i = 0; i < lw__di_operand_count(context, members); i++) {
        LLVMMetadataRef member = lw__di_operand(context, members, i);
        const uint64_t own = is_member(member) ? align_at(context, member, depth + 1) : 1;
        align = own > align ? own : align;
    }
    return align;
}

/* An explicit alignment at any level counts. A packed struct gets more than it needs. */
static uint64_t align_at(LLVMContextRef context, LLVMMetadataRef type, unsigned depth)
{
    uint64_t align = 1;
    while (is_qualifier(lw__di_tag(type)) || lw__di_tag(type) == LW_TAG_TYPEDEF ||
           is_member(type)) {
        const uint64_t own = LLVMDITypeGetAlignInBits(type) / 8;
        align = own > align ? own : align;
        type = base_of(context, type);
    }
    if (!type || depth > DEPTH_MAX)
        return align;
    uint64_t natural = LLVMDITypeGetAlignInBits(type) / 8;
    if (is_array(type)) {
        const uint64_t element = align_at(context, base_of(context, type), depth);
        natural = element > natural ? element : natural;
    } else if (is_struct(type)) {
        const uint64_t inner = struct_align(context, type, depth);
        natural = inner > natural ? inner : natural;
    } else if (!natural) {
        natural = LLVMDITypeGetSizeInBits(type) / 8;
    }
    return natural > align ? natural : align;
}

uint64_t lw__type_align(LLVMContextRef context, LLVMMetadataRef type)
{
    return align_at(context, type, 0);
}

/* ---- tensors ---- */

/* The rank, if it is a struct of TENSOR(T, RANK), with T's name and whether it is CONST_TENSOR;
 * else 0. */
static unsigned tensor_rank(LLVMMetadataRef type, struct name *element, bool *is_const)
{
    static const char plain[] = "lw__tensor_", constant[] = "lw__const_tensor_";
    if (lw__di_tag(type) != LW_TAG_STRUCTURE)
        return 0;
    struct name name = name_of(type);
    *is_const = strncmp(name.text, constant, strlen(constant)) == 0;
    if (!*is_const && strncmp(name.text, plain, strlen(plain)) != 0)
        return 0;
    const int prefix = (int)strlen(*is_const ? constant : plain);
    const int rank = name.text[name.length - 1] - '0';
    if (name.length < prefix + 3 || name.text[name.length - 2] != '_' || rank < 1 || rank > 4)
        return 0;
    *element = (struct name){name.text + prefix, name.length - prefix - 2};
    return (unsigned)rank;
}

/* ---- spelling ---- */

static void spell_array(LLVMContextRef context, LLVMMetadataRef array, struct lw__text *out)
{
    for (unsigned i = 0; i < rank_of(context, array); i++) {
        const int64_t extent = extent_of(context, array, i);
        if (extent < 0)
            lw__text_add(out, "[]");
        else
            lw__text_add(out, "[%lld]", (long long)extent);
    }
}

static void spell_struct(LLVMContextRef context, LLVMMetadataRef type, struct lw__text *out)
{
    static const char *const kinds[] = {"struct", "union", "enum"};
    const unsigned tag = lw__di_tag(type);
    struct name name = name_of(type), element;
    bool is_const;
    const unsigned rank = tensor_rank(type, &element, &is_const);
    if (rank) {
        lw__text_add(out, "%sTENSOR(%.*s, %u)", is_const ? "CONST_" : "", element.length,
                     element.text, rank);
        return;
    }
    if (is_of_cxx(context, type) && name.length) {
        lw__di_scopes(context, lw__di_operand(context, type, LW_DI_SCOPE), out);
        lw__text_add(out, "%.*s", name.length, name.text);
        return;
    }
    lw__text_add(out, "%s", kinds[tag == LW_TAG_UNION ? 1 : tag == LW_TAG_ENUMERATION ? 2 : 0]);
    if (name.length)
        lw__text_add(out, " %.*s", name.length, name.text);
}

/* Qualifiers precede the type, but follow the star of a pointer. */
static void spell_qualified(LLVMContextRef context, LLVMMetadataRef type, struct lw__text *out)
{
    const unsigned tag = lw__di_tag(type);
    const char *word = tag == LW_TAG_CONST      ? "const"
                       : tag == LW_TAG_VOLATILE ? "volatile"
                       : tag == LW_TAG_RESTRICT ? "restrict"
                                                : "_Atomic";
    LLVMMetadataRef base = base_of(context, type);
    LLVMMetadataRef inner = base;
    while (is_qualifier(lw__di_tag(inner)))
        inner = base_of(context, inner);
    if (lw__di_tag(inner) != LW_TAG_POINTER) {
        lw__text_add(out, "%s ", word);
        lw__type_spell(context, base, out);
        return;
    }
    lw__type_spell(context, base, out);
    lw__text_add(out, out->data && out->data[out->length - 1] == '*' ? "%s" : " %s", word);
}

void lw__type_spell(LLVMContextRef context, LLVMMetadataRef type, struct lw__text *out)
{
    const unsigned tag = lw__di_tag(type);
    if (!type) {
        lw__text_add(out, "void");
    } else if (is_qualifier(tag)) {
        spell_qualified(context, type, out);
    } else if (tag == LW_TAG_POINTER) {
        const LLVMMetadataRef pointee = base_of(context, type);
        LLVMMetadataRef bare = lw__type_strip(context, pointee);
        if (lw__di_tag(bare) == LW_TAG_SUBROUTINE) {
            lw__text_add(out, "pointer to function");
        } else if (is_array(bare)) {
            lw__type_spell(context, lw__type_element(context, pointee), out);
            lw__text_add(out, " (*)");
            spell_array(context, bare, out);
        } else {
            lw__type_spell(context, pointee, out);
            const bool star = out->length && out->data[out->length - 1] == '*';
            lw__text_add(out, star ? "*" : " *");
        }
    } else if (tag == LW_TAG_REFERENCE || tag == LW_TAG_RVALUE_REFERENCE) {
        lw__type_spell(context, base_of(context, type), out);
        lw__text_add(out, tag == LW_TAG_REFERENCE ? " &" : " &&");
    } else if (is_struct(type) || tag == LW_TAG_ENUMERATION) {
        spell_struct(context, type, out);
    } else if (tag == LW_TAG_ARRAY) {
        lw__type_spell(context, base_of(context, type), out);
        lw__text_add(out, is_vector(type) ? " vector" : " ");
        spell_array(context, type, out);
    } else {
        struct name name = name_of(type);
        const bool is_bool = tag == LW_TAG_BASE && is_named(name, "_Bool");
        lw__text_add(out, "%.*s", is_bool ? 4 : name.length, is_bool ? "bool" : name.text);
    }
}

/* ---- layout ---- */

static void layout_at(LLVMContextRef context, LLVMMetadataRef type, unsigned depth,
                      struct lw__text *out);

/* Of a scalar type, which may be a struct of kernel.h; NULL: it is none. */
static const char *scalar_layout(LLVMMetadataRef type)
{
    if (lw__di_tag(type) != LW_TAG_BASE && lw__di_tag(type) != LW_TAG_STRUCTURE)
        return NULL;
    for (size_t i = 0; i < sizeof cuda_numbers / sizeof *cuda_numbers; i++)
        if (is_named(name_of(type), cuda_numbers[i].name))
            return cuda_numbers[i].layout;
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
        if (is_named(name_of(type), scalars[i].name))
            return scalars[i].layout;
    for (int d = 0; d < LW_DTYPE_COUNT; d++)
        if (is_named(name_of(type), lw__dtypes[d].c_name))
            return lw__dtypes[d].name;
    return NULL;
}

/* A pointer's target. Inside structs a struct is void, as it may contain a pointer to itself. */
static void layout_pointer(LLVMContextRef context, LLVMMetadataRef pointee, unsigned depth,
                           struct lw__text *out)
{
    LLVMMetadataRef element = lw__type_element(context, pointee);
    LLVMMetadataRef bare = lw__type_strip(context, element);
    lw__text_add(out, lw__type_is_const(context, element) ? "pc(" : "p(");
    if (!bare || lw__di_tag(bare) == LW_TAG_SUBROUTINE ||
        (depth && lw__di_tag(bare) == LW_TAG_POINTER) ||
        (is_struct(bare) && (depth || lw__type_size(context, bare) == 0)))
        lw__text_add(out, "void");
    else
        layout_at(context, element, depth + 1, out);
    lw__text_add(out, ")");
}

static bool is_bit_field(LLVMMetadataRef member)
{
    return LLVMDITypeGetFlags(member) & LLVMDIFlagBitField;
}

/* Arrays without elements have no bytes, and bit-fields without a name no value. */
static bool is_listed(LLVMContextRef context, LLVMMetadataRef member)
{
    return is_member(member) && (!is_bit_field(member) || name_of(member).length) &&
           lw__type_size(context, base_of(context, member)) != 0;
}

static void layout_struct(LLVMContextRef context, LLVMMetadataRef type, unsigned depth,
                          struct lw__text *out)
{
    LLVMMetadataRef members = members_of(context, type);
    bool first = true;
    lw__text_add(out, "s%llu(", (unsigned long long)lw__type_size(context, type));
    for (unsigned i = 0; i < lw__di_operand_count(context, members) && depth < DEPTH_MAX; i++) {
        LLVMMetadataRef member = lw__di_operand(context, members, i);
        if (!is_listed(context, member))
            continue;
        lw__text_add(out, first ? "" : ",");
        /* From the byte on in which it begins. */
        struct name name = name_of(member);
        const unsigned long long bit = LLVMDITypeGetOffsetInBits(member);
        lw__text_add(out, "%.*s@%llu:", name.length, name.text, bit / 8);
        if (is_bit_field(member))
            lw__text_add(out, "w%llu.%llu(", (unsigned long long)LLVMDITypeGetSizeInBits(member),
                         bit % 8);
        layout_at(context, base_of(context, member), depth + 1, out);
        if (is_bit_field(member))
            lw__text_add(out, ")");
        first = false;
    }
    lw__text_add(out, ")");
}

static void layout_array(LLVMContextRef context, LLVMMetadataRef type, unsigned depth,
                         struct lw__text *out)
{
    const unsigned rank = rank_of(context, type);
    for (unsigned i = 0; i < rank; i++) {
        const int64_t extent = extent_of(context, type, i);
        lw__text_add(out, "%c%lld(", is_vector(type) ? 'v' : 'a', (long long)extent);
    }
    layout_at(context, base_of(context, type), depth, out);
    for (unsigned i = 0; i < rank; i++)
        lw__text_add(out, ")");
}

static void layout_at(LLVMContextRef context, LLVMMetadataRef type, unsigned depth,
                      struct lw__text *out)
{
    type = lw__type_strip(context, type);
    const unsigned tag = lw__di_tag(type);
    struct name element;
    bool is_const;
    const unsigned rank = depth == 0 ? tensor_rank(type, &element, &is_const) : 0;
    if (rank) {
        LLVMMetadataRef data = lw__di_operand(context, members_of(context, type), 0);
        LLVMMetadataRef pointer = lw__type_strip(context, base_of(context, data));
        lw__text_add(out, "t%s%u(", is_const ? "c" : "", rank);
        layout_at(context, base_of(context, pointer), 1, out);
        lw__text_add(out, ")");
    } else if (tag == LW_TAG_POINTER) {
        layout_pointer(context, base_of(context, type), depth, out);
    } else if (scalar_layout(type)) {
        lw__text_add(out, "%s", scalar_layout(type));
    } else if (is_struct(type)) {
        layout_struct(context, type, depth, out);
    } else if (tag == LW_TAG_ARRAY) {
        layout_array(context, type, depth, out);
    } else if (tag == LW_TAG_ENUMERATION) {
        layout_at(context, base_of(context, type), depth, out);
    }
}

void lw__type_layout(LLVMContextRef context, LLVMMetadataRef type, struct lw__text *out)
{
    layout_at(context, type, 0, out);
}

/* ---- types that are not in the language ---- */

static const char *refused_base(struct name name)
{
    static const char *const names[][2] = {
        {"long double", "long double"},    {"__int128", "__int128"},
        {"unsigned __int128", "__int128"}, {"complex", "_Complex"},
        {"__float128", "__float128"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_named(name, names[i][0]))
            return names[i][1];
    for (int i = 0; i + 7 <= name.length; i++)
        if (memcmp(name.text + i, "_BitInt", 7) == 0)
            return "_BitInt";
    return NULL;
}

/* Pointers are followed outside of structs only, where no cycle is possible. */
static const char *refused_at(LLVMContextRef context, LLVMMetadataRef type, unsigned depth)
{
    type = lw__type_strip(context, type);
    const unsigned tag = lw__di_tag(type);
    if (tag == LW_TAG_BASE)
        return refused_base(name_of(type));
    if (tag == LW_TAG_ARRAY || (tag == LW_TAG_POINTER && depth == 0))
        return refused_at(context, base_of(context, type), depth);
    if (!is_struct(type) || depth > DEPTH_MAX)
        return NULL;
    LLVMMetadataRef members = members_of(context, type);
    const char *name = NULL;
    for (unsigned i = 0; i < lw__di_operand_count(context, members) && !name; i++)
        name =
            refused_at(context, base_of(context, lw__di_operand(context, members, i)), depth + 1);
    return name;
}

const char *lw__type_refused(LLVMContextRef context, LLVMMetadataRef type)
{
    return refused_at(context, type, 0);
}
