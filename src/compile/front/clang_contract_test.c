/* clang_contract_test.c - a test program: the properties of clang's raw output that we rely on, and
 * what we make of it.
 *
 * Each check compiles a small text with lw__pass_front and examines the module. The titles name the
 * files that rely on what is checked: where to look when a new clang fails here.
 */
#include "compile/front/front.h"
#include "compile/llvm/llvm.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int failures;

#define CHECK(condition) check(condition, __LINE__, #condition)
#define CHECK_TEXT(got, want) check_text(got, want, __LINE__)

static void check(bool ok, int line, const char *what)
{
    if (!ok) {
        printf("clang_contract_test.c:%d: not so: %s\n", line, what);
        failures++;
    }
}

static void check_text(const char *got, const char *want, int line)
{
    if (!got || strcmp(got, want) != 0) {
        printf("clang_contract_test.c:%d: expected\n%s\ngot\n%s\n", line, want,
               got ? got : "nothing");
        failures++;
    }
}

/* ---- compiling ---- */

struct compiled {
    struct lw__options options;
    struct lw__unit unit;
};

/* Compile a text whose lines count from 1 after the header; no module if clang refused it. */
static void open_text(struct compiled *c, const char *source)
{
    c->options = (struct lw__options){.name = "abi.c", .source_fd = lw__memory_file("abi")};
    lw__unit_begin(&c->unit, &c->options);
    const char *text =
        lw__format(&c->unit.arena, "#include <lanewise/kernel.h>\n#line 1\n%s", source);
    lw__target_choose(&c->unit);
    lw__context_open(&c->unit);
    if (!lw__write_all(c->options.source_fd, text, strlen(text)))
        lw__defect("the source cannot be written");
    lw__pass_front(&c->unit);
    close(c->options.source_fd);
    c->unit.manifest.length = 0; /* the headers' dep rows */
    if (c->unit.module)
        lw__diags_module(&c->unit.diags, c->unit.module);
}

static void close_text(struct compiled *c)
{
    lw__context_close(&c->unit);
    lw__arena_free(&c->unit.arena);
    lw__arena_free(&c->unit.scratch);
}

static LLVMValueRef next_instruction(LLVMValueRef i)
{
    LLVMValueRef next = LLVMGetNextInstruction(i);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
    while (!next && (block = LLVMGetNextBasicBlock(block)))
        next = LLVMGetFirstInstruction(block);
    return next;
}

static LLVMValueRef first_instruction(LLVMModuleRef module, const char *function)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, function);
    return f ? LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)) : NULL;
}

static unsigned count_opcode(LLVMModuleRef module, const char *function, LLVMOpcode opcode)
{
    unsigned count = 0;
    for (LLVMValueRef i = first_instruction(module, function); i; i = next_instruction(i))
        count += LLVMGetInstructionOpcode(i) == opcode;
    return count;
}

/* ---- parameters: front_signature, ref_call ---- */

static const char params_source[] =
    "struct small { float a; int b; };\n"
    "struct large { float a[5]; };\n"
    "struct odd { char c[3]; };\n"
    "struct empty {};\n"
    "KERNEL void k(int n, float x, float *p, struct small s, struct large l, struct odd o, bool "
    "b,\n"
    "              half h, bfloat16 g, float4 v, float3 w, unsigned char u, long j, double d,\n"
    "              TENSOR(float, 2) t, int8_t, double4 q, float a[n][4]) { (void)b; }\n";

static void test_parameters(void)
{
    struct compiled c;
    open_text(&c, params_source);
    struct lw__text types = lw__text_in(&c.unit.arena), names = types;
    LLVMValueRef k = LLVMGetNamedFunction(c.unit.module, "k");
    for (unsigned i = 0; i < LLVMCountParams(k); i++) {
        char *type = LLVMPrintTypeToString(LLVMTypeOf(LLVMGetParam(k, i)));
        lw__text_add(&types, "%s ", type);
        LLVMDisposeMessage(type);
    }
    CHECK_TEXT(types.data,
               "i32 float ptr i64 ptr ptr i1 half bfloat <4 x float> <3 x float> i8 i64 "
               "double ptr i8 <4 x double> ptr ");
    CHECK(LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(k))) == LLVMVoidTypeKind);

    LLVMMetadataRef nodes =
        lw__di_operand(c.unit.context, LLVMGetSubprogram(k), LW_DI_SUBPROGRAM_RETAINED);
    for (unsigned i = 0; i < LLVMCountParams(k); i++) {
        LLVMMetadataRef variable = lw__di_operand(c.unit.context, nodes, i);
        LLVMMetadataRef name = lw__di_operand(c.unit.context, variable, LW_DI_VARIABLE_NAME);
        unsigned length = 0;
        const char *text =
            name ? LLVMGetMDString(LLVMMetadataAsValue(c.unit.context, name), &length) : "";
        CHECK(LLVMGetMetadataKind(variable) == LLVMDILocalVariableMetadataKind);
        lw__text_add(&names, "%.*s ", (int)length, text);
    }
    CHECK_TEXT(names.data, "n x p s l o b h g v w u j d t  q a ");
    close_text(&c);
}

static const char rows[] =
    "kernel\tk\tvoid k(int n, float x, float *p, struct small s, struct large l, struct odd o, "
    "bool b, half h, bfloat16 g, float4 v, float3 w, unsigned char u, long j, double d, "
    "TENSOR(float, 2) t, int8_t, double4 q, float a[n][4])\t5\t0\t0\t0\t0\t0\t232\n"
    "param\tn\tint\ti32\t0\t4\t0\n"
    "param\tx\tfloat\tf32\t4\t4\t0\n"
    "param\tp\tfloat *\tp(f32)\t8\t8\t0\n"
    "param\ts\tstruct small\ts8(a@0:f32,b@4:i32)\t16\t8\t0\n"
    "param\tl\tstruct large\ts20(a@0:a5(f32))\t24\t20\t0\n"
    "param\to\tstruct odd\ts3(c@0:a3(i8))\t44\t3\t0\n"
    "param\tb\tbool\tbool\t47\t1\t0\n"
    "param\th\thalf\tf16\t48\t2\t0\n"
    "param\tg\tbfloat16\tbf16\t50\t2\t0\n"
    "param\tv\tfloat4\tv4(f32)\t64\t16\t0\n"
    "param\tw\tfloat3\tv3(f32)\t80\t16\t0\n"
    "param\tu\tunsigned char\tu8\t96\t1\t0\n"
    "param\tj\tlong\ti64\t104\t8\t0\n"
    "param\td\tdouble\tf64\t112\t8\t0\n"
    "param\tt\tTENSOR(float, 2)\tt2(f32)\t120\t40\t0\n"
    "param\t\tint8_t\ti8\t160\t1\t0\n"
    "param\tq\tdouble4\tv4(f64)\t192\t32\t0\n"
    "param\ta\tfloat [n][4]\tp(f32)\t224\t8\t2\n";

static void test_signature(void)
{
    struct compiled c;
    open_text(&c, params_source);
    lw__front_signature(&c.unit.arena, c.unit.module, c.unit.ast_print.data, &c.unit.diags,
                        &c.unit.kernels);
    CHECK(c.unit.kernels.count == 1 && c.unit.diags.errors == 0);
    lw__front_manifest(&c.unit.kernels.rows[0], 0, false, 0, &c.unit.manifest);
    CHECK_TEXT(c.unit.manifest.data, rows);
    close_text(&c);
}

/* The layouts of what points into itself, has no names, no addresses or other names. */
static void test_layouts(void)
{
    struct compiled c;
    open_text(&c,
              "struct node { struct node *next; const float *data; struct node **all; };\n"
              "struct mixed { int k; union { float x; int y; }; unsigned a : 3, b : 9;\n"
              "               struct { short p, q; } n[3][2]; };\n"
              "enum colour { RED, GREEN }; typedef const volatile double cell;\n"
              "KERNEL BLOCK(8, 4) void k(struct node n, struct mixed m, enum colour e, cell *p,\n"
              "    const struct node *q, void *v, char (*r)[7], int *const restrict s,\n"
              "    _Atomic unsigned *t, struct unknown *u) {}\n");
    lw__front_signature(&c.unit.arena, c.unit.module, c.unit.ast_print.data, &c.unit.diags,
                        &c.unit.kernels);
    c.unit.manifest.length = 0; /* a warning about struct unknown */
    for (unsigned i = 0; i < c.unit.kernels.rows[0].param_count; i++) {
        const struct lw__param *param = &c.unit.kernels.rows[0].params[i];
        lw__text_add(&c.unit.manifest, "%s | %s\n", param->type, param->layout);
    }
    CHECK_TEXT(c.unit.manifest.data,
               "struct node | s24(next@0:p(void),data@8:pc(f32),all@16:p(void))\n"
               "struct mixed | s36(k@0:i32,@4:s4(x@0:f32,y@0:i32),a@8:w3.0(u32),b@8:w9.3(u32),"
               "n@10:a3(a2(s4(p@0:i16,q@2:i16))))\n"
               "enum colour | u32\n"
               "cell * | pc(f64)\n"
               "const struct node * | "
               "pc(s24(next@0:p(void),data@8:pc(f32),all@16:p(void)))\n"
               "void * | p(void)\n"
               "char (*)[7] | p(i8)\n"
               "int *restrict const | p(i32)\n"
               "_Atomic unsigned int * | p(u32)\n"
               "struct unknown * | p(void)\n");
    const uint32_t *block = c.unit.kernels.rows[0].block;
    CHECK(block[0] == 8 && block[1] == 4 && block[2] == 1);
    close_text(&c);
}

/* ---- declared sizes: front_prototype, front_sizes ---- */

static unsigned count_handlers(LLVMModuleRef module)
{
    LLVMValueRef handler = LLVMGetNamedFunction(module, "__ubsan_handle_vla_bound_not_positive");
    unsigned count = 0;
    for (LLVMUseRef use = handler ? LLVMGetFirstUse(handler) : NULL; use; use = LLVMGetNextUse(use))
        count++;
    return count;
}

/* One check for each size of a variable array, also for constants outside of a variable one. */
static void test_size_checks(void)
{
    static const struct {
        const char *param;
        unsigned checks;
    } cases[] = {
        {"float a[8]", 0},        {"float a[8][4]", 0},
        {"float a[n]", 1},        {"float a[n][4]", 1},
        {"float a[4][n]", 2},     {"float a[2 * 2][n][3]", 2},
        {"float a[][n]", 1},      {"float (*a)[n]", 1},
        {"float a[static n]", 1}, {"float a[n > 4 ? n : 4]", 1},
        {"float a[n && m]", 1},   {"float a[sizeof(int[n])]", 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[80];
        snprintf(text, sizeof text, "KERNEL void k(int n, long m, %s) {}\n", cases[i].param);
        struct compiled c;
        open_text(&c, text);
        if (count_handlers(c.unit.module) != cases[i].checks)
            lw__defect("%s: %u checks, not %u", cases[i].param, count_handlers(c.unit.module),
                       cases[i].checks);
        close_text(&c);
    }
}

static const char sizes_source[] =
    "static inline int square(int x) { return x * x; }\n"
    "static int triangle(int n) { int r = 0; for (int i = 0; i <= n; i++) r += i; return r; }\n"
    "static const int table[3] = {7, 8, 9};\n"
    "struct pair { short a, b; };\n"
    "struct large { double d; long m[3]; };\n"
    "KERNEL void k(unsigned n, size_t m, short s, signed char c, bool b, struct pair p,\n"
    "    struct large l, TENSOR(float, 2) t, double d, float4 v,\n"
    "    float a0[n][m], float a1[s][c], float a2[b], float (*none)[m], float also[][m],\n"
    "    float a3[64][16], float a4[2 + 2][n + 1][3], float a5[square(c) > 9 ? n : m],\n"
    "    float a6[p.a][p.b - 1], float a7[l.m[1]], float a8[t.extent[1]], float a9[(int)d],\n"
    "    float b0[(int)v.y], float b1[triangle(s)], float b2[n && m ? 3 : -3], float "
    "b3[table[b]])\n"
    "{ float (*row)[n] = (float (*)[n])a3; a0[0][1] = row[1][2]; }\n";

static struct {
    unsigned n;
    size_t m;
    short s;
    signed char c;
    bool b;
    struct {
        short a, b;
    } p;
    struct {
        double d;
        long m[3];
    } l;
    struct {
        float *data;
        ptrdiff_t extent[2], stride[2];
    } t;
    double d;
    _Alignas(16) float v[4];
    void *pointers[16];
} arguments = {4000000000u,      5,  7, -3, true, {11, 1}, {0, {0, 77, 0}}, {0, {1, 123}, {0}}, 9.5,
               {0, -4.2f, 0, 0}, {0}};

static const int64_t sizes_wanted[] = {4000000000, 5, 7,  -3,  1, 64, 16, 4, 4000000001, 3,  5,
                                       11,         0, 77, 123, 9, -4, 28, 3, 8,          -99};

static void run_sizes(struct compiled *c)
{
    char *why = NULL;
    int64_t sizes[COUNT(sizes_wanted)];
    for (size_t i = 0; i < COUNT(sizes); i++)
        sizes[i] = -99;
    LLVMExecutionEngineRef engine;
    if (LLVMCreateMCJITCompilerForModule(&engine, c->unit.module, NULL, 0, &why)) {
        lw__defect("no engine: %s", why);
        LLVMDisposeMessage(why);
        return;
    }
    const uint64_t address = LLVMGetFunctionAddress(engine, "lw.sizes.k");
    void (*function)(const void *, int64_t *) = NULL;
    memcpy(&function, &address, sizeof function);
    function(&arguments, sizes);
    for (size_t i = 0; i < COUNT(sizes); i++)
        if (sizes[i] != sizes_wanted[i])
            lw__defect("size %zu is %lld, not %lld", i, (long long)sizes[i],
                       (long long)sizes_wanted[i]);
    LLVMDisposeExecutionEngine(engine); /* and the module with it */
    c->unit.module = NULL;
}

/* As the pass rows does, which comes before. */
static void drop_index_checks(LLVMModuleRef module)
{
    LLVMValueRef handler = LLVMGetNamedFunction(module, "__ubsan_handle_out_of_bounds");
    EACH_CALL(call, handler)
        LLVMInstructionEraseFromParent(call);
    if (handler)
        LLVMDeleteFunction(handler);
}

static void test_sizes(void)
{
    char *why = NULL;
    struct compiled c;
    open_text(&c, sizes_source);
    CHECK(count_handlers(c.unit.module) == 20 + 1); /* those of the parameters, and row */
    lw__front_signature(&c.unit.arena, c.unit.module, c.unit.ast_print.data, &c.unit.diags,
                        &c.unit.kernels);
    drop_index_checks(c.unit.module);
    lw__front_refuse(&c.unit.scratch, c.unit.module, &c.unit.diags);
    lw__front_sizes(&c.unit.scratch, c.unit.module, &c.unit.kernels, &c.unit.diags);
    CHECK(c.unit.diags.errors == 0);
    CHECK(lw__kernel_dims(&c.unit.kernels.rows[0]) == COUNT(sizes_wanted) - 1);
    CHECK(LLVMGetNamedFunction(c.unit.module, "__ubsan_handle_vla_bound_not_positive") == NULL);
    CHECK(!LLVMVerifyModule(c.unit.module, LLVMReturnStatusAction, &why));
    LLVMDisposeMessage(why);
    run_sizes(&c);
    close_text(&c);
}

/* ---- block memory: front_refuse, ir_shared ---- */

static void test_block_memory(void)
{
    struct compiled c;
    open_text(&c, "SHARED float outer[8];\n"
                  "KERNEL void k(float *p) { SHARED int inner[4]; DYNAMIC_SHARED(float, more);\n"
                  "    outer[1] = *p; inner[2] = *p; more[3] = *p; *p = outer[0] + inner[0]; }\n");
    static const char *const names[] = {"outer", "k.inner", "more"};
    static const char *const sections[] = {"lw.shared", "lw.shared", "lw.dynshared"};
    for (size_t i = 0; i < COUNT(names); i++) {
        LLVMValueRef global = LLVMGetNamedGlobal(c.unit.module, names[i]);
        CHECK(global && strcmp(LLVMGetSection(global), sections[i]) == 0);
        CHECK(global && (LLVMIsDeclaration(global) != 0) == (i == 2));
        CHECK(global && !LLVMIsGlobalConstant(global)); /* clang.c sees to it */
    }
    drop_index_checks(c.unit.module);
    lw__front_refuse(&c.unit.scratch, c.unit.module, &c.unit.diags);
    CHECK(c.unit.diags.errors == 0);
    close_text(&c);
}

/* ---- loops: ir_instance ---- */

/* The first and last line of every loop that a branch of k closes, in order. */
static void add_loops(struct compiled *c, struct lw__text *lines)
{
    const unsigned kind = LLVMGetMDKindIDInContext(c->unit.context, "llvm.loop", 9);
    for (LLVMValueRef i = first_instruction(c->unit.module, "k"); i; i = next_instruction(i)) {
        LLVMValueRef loop = LLVMGetMetadata(i, kind);
        for (unsigned o = 1; loop && o < 3; o++) {
            LLVMMetadataRef place = lw__di_operand(c->unit.context, LLVMValueAsMetadata(loop), o);
            CHECK(LLVMGetMetadataKind(place) == LLVMDILocationMetadataKind);
            lw__text_add(lines, o == 1 ? "%u-" : "%u ", LLVMDILocationGetLine(place));
        }
    }
}

static void test_loops(void)
{
    struct compiled c;
    open_text(&c, "KERNEL void k(int n, float *x) {\n"
                  "    for (int i = 0; i < n; i++) {\n        x[i] = 0;\n    }\n"
                  "    while (x[0] < n) {\n        x[0] += 1;\n    }\n"
                  "    do {\n        x[1] += 1;\n    } while (x[1] < n);\n}\n");
    struct lw__text lines = lw__text_in(&c.unit.arena);
    add_loops(&c, &lines);
    CHECK_TEXT(lines.data, "2-4 5-7 8-10 ");
    close_text(&c);
}

/* ---- numbers: ir_half and every target ---- */

static void test_numbers(void)
{
    struct compiled c;
    open_text(&c, "KERNEL void k(float *x, half *h, bfloat16 *b) {\n"
                  "    x[0] = x[1] * x[2] + x[3] / x[4];\n"
                  "    h[0] = h[1] * h[2] + h[3];\n    b[0] = b[1] * b[2] + b[3];\n}\n");
    CHECK(count_opcode(c.unit.module, "k", LLVMFMul) == 3);
    CHECK(count_opcode(c.unit.module, "k", LLVMFAdd) == 3);
    CHECK(count_opcode(c.unit.module, "k", LLVMFPExt) == 0);
    CHECK(count_opcode(c.unit.module, "k", LLVMCall) == 0);
    for (LLVMValueRef i = first_instruction(c.unit.module, "k"); i; i = next_instruction(i))
        if (LLVMCanValueUseFastMathFlags(i))
            CHECK(LLVMGetFastMathFlags(i) == LLVMFastMathNone);
    close_text(&c);
}

/* ---- messages: front_diag ---- */

static void test_messages(void)
{
    static const char *const cases[][2] = {
        {"a.c:3:7: error: use of 'x\\y'\n    3 | use: error: no\n      | ^\n1 error generated.\n",
         "diag\terror\ta.c\t3\t7\tuse of 'x\\\\y'\n"
         "shown\t    3 | use: error: no\\n      | ^\n"},
        {"In file included from a.c:1:\nb c.h:2:1: warning: w [-Wx]\na.c:4:9: note: n\n",
         "diag\twarning\tb c.h\t2\t1\tw [-Wx]\n"
         "diag\tnote\ta.c\t1\t1\tin file included from here\ndiag\tnote\ta.c\t4\t9\tn\n"},
        {"a.c:1:1: error: attempt to use a poisoned identifier\n    1 | _BitInt(7) x;\n      | ^\n",
         "diag\terror\ta.c\t1\t1\t'_BitInt' is not in the kernel language: "
         "integers have 8 to 64 bits\nshown\t    1 | _BitInt(7) x;\\n      | ^\n"},
        {"a.c:1:1: error: attempt to use a poisoned identifier\n",
         "diag\terror\ta.c\t1\t1\tthis type is not in the kernel language\n"},
        {"clang-19: error: unknown argument: '-q'\n",
         "diag\terror\tmain.c\t0\t0\tunknown argument: '-q'\n"},
        {"a.c:1:10: fatal error: 'math.h' file not found\n",
         "diag\terror\ta.c\t1\t10\t'math.h' file not found (kernels have no C library; "
         "<lanewise/kernel.h> supplies its names)\n"},
        {"PLEASE submit a bug report to x\nStack dump:\n0.\tProgram arguments: error: x\n",
         "diag\terror\tmain.c\t0\t0\tclang crashed on this file: "
         "it may nest too deeply or be too large\n"},
        {"a.c:1:1: warning: w\nLLVM ERROR: out of memory\nStack dump:\n",
         "diag\twarning\ta.c\t1\t1\tw\ndiag\terror\tmain.c\t0\t0\tclang crashed on this file: "
         "LLVM ERROR: out of memory\n"},
        {"a.c:2:5: error: cut", "diag\terror\ta.c\t2\t5\tcut\n"},
    };
    const struct lw__options options = {.name = "main.c"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lw__unit unit;
        lw__unit_begin(&unit, &options);
        lw__front_diag(&unit.diags, cases[i][0]);
        CHECK_TEXT(unit.manifest.data, cases[i][1]);
        lw__arena_free(&unit.arena);
        lw__arena_free(&unit.scratch);
    }
}

int main(void)
{
    LLVMLinkInMCJIT();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    CHECK(lw__llvm_find_intrinsics());
    test_messages();
    test_parameters();
    test_signature();
    test_layouts();
    test_size_checks();
    test_sizes();
    test_block_memory();
    test_loops();
    test_numbers();
    return failures != 0;
}
