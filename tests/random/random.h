/* random.h - random kernels: one tree, written out twice, run twice, compared bit for bit.
 *
 *     generate.c  expression.c   seed -> tree: race-free and free of undefined behaviour
 *     check.c                    is a tree such a program? What the shrinker may try
 *     wild.c                     some accesses of a tree are outside of their objects
 *     kernel*.c                  tree -> the kernel language, or CUDA: language*.c say what differs
 *     scalar*.c                  tree -> plain C that runs it statement by statement over all
 *                                threads of a block with masks, by lanes.h; no Lanewise in it
 *     run.c  wild_run.c          builds and runs both, compares; so with accesses outside
 *     shrink.c  report.c         the smallest tree that still disagrees, as a test file
 *
 * What the language leaves undefined cannot be written down: a node for `a / b` means "a by b,
 * made non-zero", for `a[i]` "i, cut to the size", and both writers spell the guard out.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ORDER DTYPE: lanewise.h */
enum type { I8, I16, I32, I64, U8, U16, U32, U64, BOOL, F16, BF16, F32, F64, TYPES, NO_TYPE };

struct type_info {
    const char *name;   /* "i32", as in buffer arguments */
    const char *scalar; /* what a variable of it is in the scalar program: 16-bit ones are float */
    const char *stored; /* what an element of a buffer is there */
    int bits;           /* that a value has, the sign included */
    char kind;          /* i u b f */
};
extern const struct type_info types[TYPES];

/* ---- the tree ------------------------------------------------------------------------------ */

enum shape { SCALAR, COUNTER, VECTOR, ARRAY, STRUCT, SHARED, POINTER, HIDDEN };
enum place_of_shared { AT_FUNCTION, AT_FILE, AT_LAUNCH, AT_GLOBAL };

enum { FIELDS = 3, KIDS = 4, SHARED_MAX = 3, HELPERS_MAX = 4, PARAMETERS_MAX = 4, LABELS = 8 };

struct structure {
    int id;
    struct {
        enum type type;
        int count, width; /* count 0: no array; width: bits, of a bit-field */
    } field[FIELDS];
};

struct var {
    int id;
    enum type type;
    enum shape shape;
    int count;   /* VECTOR, ARRAY: elements; STRUCT: of an array of them, 0: one */
    int columns; /* ARRAY: of two dimensions; VECTOR: an array of so many; 0: neither */
    struct structure *structure;
    bool uniform;               /* the same in all threads of the block */
    bool is_parameter;          /* of the kernel; a table: cannot be assigned */
    bool is_reference;          /* SCALAR, STRUCT: a pointer to what another one holds */
    bool is_volatile;           /* SCALAR, VECTOR */
    int shared_index;           /* SHARED: number among the program's */
    enum place_of_shared place; /* SHARED */
    bool divergent_pointer;     /* POINTER: chosen by each thread */
    struct var *actual[2];      /* POINTER, while check.c walks through a call */
    unsigned char value[64];    /* is_parameter: what is passed, as it lies in memory */
};

enum expr_kind {
    X_CONST,
    X_VAR,
    X_PART,
    X_FIELD,
    X_ITEM,
    X_BYTES,
    X_SHARED,
    X_OWN,
    X_CELL,
    X_INPUT,
    X_MATRIX,
    X_ROW,
    X_RECORD,
    X_PLACE,
    X_UNARY,
    X_BINARY,
    X_COMPARE,
    X_LOGIC,
    X_CHOOSE,
    X_CAST,
    X_MATHS,
    X_BITS,
    X_OVERFLOW,
    X_WHOLE,
    X_REDUCE,
    X_EXPONENT,
    X_TOGETHER,
    X_WILD
};

enum unary { U_MINUS, U_INVERT, U_NOT };
enum binary { B_ADD, B_SUB, B_MUL, B_DIV, B_REM, B_AND, B_OR, B_XOR, B_SHL, B_SHR, BINARIES };
enum comparison { O_LESS, O_NOT_LESS = 3 }; /* of compare_text[] */
enum { COMPARISONS = 6, MATHS = 15, MATHS_TWO = 8, MATHS_LOOPS = 10, MATHS_THREE = 14 };
enum { BIT_COUNTS = 6, OVERFLOWS = 3, FENCES = 6 };
/* X_WHOLE: functions of whole numbers, by how many of them; rotate_left's second is an I32. */
enum whole { W_TWO = 3, W_THREE = 7, W_ROTATE = 6, WHOLES = 8 };
enum reduction { R_ADD, R_MUL, R_AND, R_OR, R_XOR, R_MAX, R_MIN, REDUCTIONS }; /* of a vector */
/* X_EXPONENT: what has to do with a float's. E_OF is an I32, of a float; the others are floats. */
enum exponent { E_FRACTION, E_LDEXP, E_POWI, E_OF };
/* How an index comes to be outside: @ in place of it, @ more, its complement, a pointer that is
 * @ elements off before it is indexed or behind, cut to too many. */
enum wild_form { F_CHOOSE, F_ADD, F_COMPLEMENT, F_BASE, F_LATER, F_WIDER, WILD_FORMS };
enum place {
    P_THREAD,
    P_LANE,
    P_WARP,
    P_THREAD_X,
    P_THREAD_Y,
    P_THREAD_Z,
    P_GLOBAL_X,
    P_BLOCK_X,
    P_BLOCK_Y,
    P_BLOCK_Z,
    P_BLOCK_DIM_X,
    P_GRID_DIM_X,
    PLACES
};
enum { UNIFORM_PLACES = P_BLOCK_X }; /* from here on */

enum together {
#define LW_OP(name, ...) T_##name,
#include "lanewise/warp_ops.def"
#undef LW_OP
    TOGETHERS
};
/* What a reduction or a scan combines by. */
enum combination {
    BY_NONE,
#define LW_OPERATOR(name) BY_##name,
#include "lanewise/warp_ops.def"
#undef LW_OPERATOR
    COMBINATIONS
};
struct together_info {
    const char *name;
    bool is_block, moves, is_vote; /* moves: takes any type and a number; is_vote: a predicate */
    bool takes_nothing, by_user;   /* by_user: WARP_REDUCE, BLOCK_REDUCE */
    bool takes_integers, scans;    /* takes_integers: and no floats */
    enum combination by;
    enum type result; /* NO_TYPE: the value's */
};
extern const struct together_info togethers[TOGETHERS];

/* A user's operator of *_REDUCE. */
struct user_operator {
    enum type type;
    const char *identity, *expression;
};
enum { USER_OPERATORS = 8 };
extern const struct user_operator user_operators[USER_OPERATORS];

struct expr {
    enum expr_kind kind;
    enum type type;
    int op; /* of the kind's own enum or table */
    struct expr *kid[KIDS];
    struct var *var;
    int index, sub; /* X_PART element, X_FIELD field and its element, -1 all; X_ROW: see there */
    uint64_t bits;  /* X_CONST integer */
    double real;    /* X_CONST float */
    bool safe;      /* X_TOGETHER that moves: absent sources replaced after a ballot; X_CHOOSE of
                     * places: from an array of pointers */
    int temp;       /* X_TOGETHER: scalar.c's */
};
/* X_WILD: the kid of this number of an access, or the value of a statement, whose index is outside
 * of the object in some launches, for some threads, where its own kid holds. `op` is how, `bits`
 * the amount (@), of its type, or of those of the launch where `safe`; `index` the bit of `wild`
 * for it; `sub` the axis. The index is right or outside: never another element. */
enum { WILD = 3 };

enum stmt_kind {
    S_DECLARE,
    S_ASSIGN,
    S_VECTOR,
    S_COPY,
    S_STORE,
    S_ATOMIC,
    S_OWN_ATOMIC,
    S_EXCHANGE,
    S_TURN,
    S_IF,
    S_LOOP,
    S_SWITCH,
    S_LABEL,
    S_ENTRY,
    S_BREAK,
    S_CONTINUE,
    S_GOTO,
    S_RETURN,
    S_BARRIER,
    S_WARP_SYNC,
    S_FENCE,
    S_ASSERT,
    S_CALL
};
/* L_STRIDE: from the thread's place in the grid on, by the number of all threads. L_WALK: the
 * counter is a pointer that walks over memory in which the numbers stand. */
enum loop_form { L_FOR, L_WHILE, L_DO, L_ENDLESS, L_STRIDE, L_WALK };
enum atomic_op { A_ADD, A_MIN, A_MAX, A_AND, A_OR, A_XOR, A_EXCHANGE, A_CAS, A_SUB, ATOMICS };
enum { CELLS = 8 }; /* a cell for each operation but A_SUB, which shares that of A_ADD */

struct block {
    struct stmt *first;
};

struct arm {
    struct block body;
    int labels; /* bit v: case v; bit SWITCH_VALUES: default */
    bool falls_through;
};
enum { ARMS = 4, SWITCH_VALUES = 6, DECLARED_MAX = 8 };

struct stmt {
    enum stmt_kind kind;
    struct stmt *next;
    struct var *var;     /* declared, assigned, called for, the loop's counter */
    struct expr *target; /* S_ASSIGN */
    struct expr
        *value[DECLARED_MAX]; /* the expression; a declaration's values; a call's arguments, of
                                 which those for references are places */
    struct var *from[2];      /* S_VECTOR, S_COPY operands; S_STORE a vector; S_CALL pointers;
                                 S_EXCHANGE the array in block memory */
    int op;     /* S_VECTOR, atomics, loop form, label number; S_ASSERT: who comes to the condition;
               S_TURN: who of a warp waits */
    int entry;  /* S_LOOP: where value[2] holds, the S_ENTRY in it to begin at */
    int slot;   /* S_STORE, S_OWN_ATOMIC: which of the thread's outputs */
    int trips;  /* S_LOOP: at most */
    int common; /* S_LOOP: so many first trips are made by all threads of the block, or by none:
                       until then a thread leaves by a return only */
    bool departs;   /* S_IF of a COUNTER: those of its body return behind what comes next */
    bool is_behind; /* S_IF whose body leaves: in the text, what follows is the first arm */
    struct block body, other; /* then and else; a loop's body and leaving arm */
    struct arm arm[ARMS];
    int arms;
    struct helper *helper;
};

struct helper {
    int id;
    enum type type;
    struct var *parameter[PARAMETERS_MAX], *pointer;
    int parameters;
    bool is_block; /* called by all threads of the block */
    bool writes;   /* its pointer: own elements are written; else others' are read */
    bool gives;    /* a struct, not a number */
    struct block body;
    struct expr *result;
};

/* Which threads' accesses are outside in a launch: of one block, or of all (-1), from `first` up
 * to `last`; sites: those, a bit each. */
enum { WILD_AMOUNTS = 8 };
struct wild {
    int block, first, last, sites;
    int64_t by[WILD_AMOUNTS];
};

struct language;
struct program {
    uint64_t seed;
    const struct language *language; /* of its kernel's text */
    int number;                      /* of its kernel in the file */
    int fill;                        /* the first of those of its buffers that it is run with */
    int block[3], grid[3];
    bool fixed_block;
    struct arena *arena;
    struct structure structure;
    struct block tables; /* S_DECLARE of arrays of constants */
    struct var *shared[SHARED_MAX];
    struct expr *shared_start[SHARED_MAX];
    int shareds;
    struct var *parameter[PARAMETERS_MAX];
    int parameters;
    struct helper *helper[HELPERS_MAX];
    int helpers;
    struct block body;
    int vars, labels, entries;
    int slots[TYPES];                    /* outputs of a thread, by type */
    int vectors[2][TYPES];               /* the same of short vectors of 2 and of 4 */
    bool reads[TYPES], has_cells[TYPES]; /* uses in_T, cells_T */
    bool has_rows[TYPES], has_records;   /* row_T, rec_u8 */
    bool has_matrix[TYPES], walks;       /* mat_T[height][width]; numbers_i32 */
    bool takes_turns;                    /* turn, chain */
    bool has_structures;
    bool block_cells; /* cells_T lie in block memory, and are read when all is done */
    bool hides;       /* no compiler sees that parameters, and what places tell, are uniform */
    bool is_hiding;   /* what is being written has zero0, of which no compiler knows that it is 0 */
    int wilds;        /* accesses that may be outside; 0: it is a right program */
    bool wild_blocks; /* all threads of a block are wrong or none */
    bool wild_alone;  /* but in what is being written any thread can be wrong alone */
    struct wild wild; /* the launch */
};

enum { INPUTS = 64, HEIGHT = 5, WIDTH = 11, FILLS = 3 };

/* ---- tree.c -------------------------------------------------------------------------------- */

struct arena;
struct program *program_create(uint64_t seed);
struct program *program_clone(const struct program *p);
void program_destroy(struct program *p);
void *program_alloc(struct program *p, size_t bytes);
struct expr *expr_new(struct program *p, enum expr_kind kind, enum type type);
struct expr *expr_cast(struct program *p, enum type type, struct expr *e);
struct expr *expr_integer(struct program *p, enum type type, uint64_t bits);
struct stmt *stmt_new(struct program *p, enum stmt_kind kind);
struct stmt **block_end(struct block *b); /* where its next statement goes */
struct var *var_new(struct program *p, enum type type, enum shape shape);

bool is_float(enum type t);
bool is_half(enum type t);
bool is_signed(enum type t);
enum type promoted(enum type t);
enum type common(enum type a, enum type b);
int binary_guard(const struct expr *e, int kid); /* places that a signed operand is shifted right */

/* X_ROW: what lies in memory a constant number of cells from what other threads read. A cell has
 * op = 1, 2 or 4 elements, of which it is element `sub`; from x to x + 1 it is `index` cells on.
 * All threads are in one row, but of `safe` ones each y has one, and `bits` cells lie between two
 * rows. None of these numbers of cells from the first one on is negative. With an operand, where op
 * is 1, it is the element behind for those of whom that is not true. X_RECORD: a cell is the
 * program's structure, of which it is element `sub` of field `op`; -1: all of it, for S_COPY. */
struct row {
    int first, each, line; /* of thread 0; from x to x + 1; from y to y + 1 */
};
struct row row_of(const struct program *p, const struct expr *e);
size_t row_cells(const struct program *p); /* enough for any */
size_t structure_size(const struct structure *s);
int program_threads(const struct program *p);
int program_blocks(const struct program *p);
bool same_place(const struct expr *a, const struct expr *b);
bool is_place(const struct expr *e); /* of a variable that a reference may be to */
/* Which places a reference gets, by a choice one of two; how many. */
int places_of(const struct expr *e, const struct expr *places[2]);
bool is_whole(const struct expr *e);      /* a struct or vector, not a part of it */
bool leaves_behind(const struct stmt *s); /* is it written as is_behind says? */
/* Does it begin `if (i) {} else {}`, a label's block, `if (i) { return; }`? */
bool is_departure(const struct stmt *s);
bool holds_entry(const struct stmt *loop, int entry); /* S_ENTRY of this number, -1: any */

/* visit_expr, visit_block - call the functions for every node, parents first. */
struct visitor {
    void (*expr)(struct expr *e, void *user);
    void (*stmt)(struct stmt *s, void *user);
    void *user;
};
void visit_expr(struct expr *e, const struct visitor *v);
void visit_block(struct block *b, const struct visitor *v);
void visit_program(struct program *p, const struct visitor *v);
void program_number(struct program *p); /* slots and uses, before it is written out */

/* ---- the others ---------------------------------------------------------------------------- */

struct dice {
    uint64_t state;
};
uint64_t dice_next(struct dice *d);
int dice_below(struct dice *d, int n);
bool dice_percent(struct dice *d, int percent);

/* generate - only_uniform: the threads of a block part only in guards, `if (i < n)`, and in the
 * last trips of grid-stride loops, and do nothing together there. is_small: what takes long to
 * compile is none of them. */
struct program *generate(uint64_t seed, const struct language *language, bool only_uniform,
                         bool is_small);

/* wild.c */
void make_wild(struct program *p);
/* wild_launch - the one of that number; whether at most one thread of a block is wrong. */
bool wild_launch(struct program *p, int number);
enum { WILD_LAUNCHES = 8 };

/* What program_check and coverage find in a tree. */
enum feature {
    C_DIVERGENT,
    C_BARRIER_LOOP,
    C_SWITCH,
    C_HALF,
    C_ATOMIC,
    C_SHARED_HELPER,
    REQUIRED,
    C_FALL_THROUGH = REQUIRED,
    C_RETURN,
    C_BREAK,
    C_CONTINUE,
    C_GOTO,
    C_BEHIND,
    C_COMMON,
    C_DEPART,
    C_EXCHANGE,
    C_TURN,
    C_ENTRY,
    C_STRIDE,
    C_BLOCK_OP,
    C_REDUCE,
    C_SCAN,
    C_MOVE,
    C_BORROWED,
    C_VOTE,
    C_USER_OPERATOR,
    C_IN_CONDITION,
    C_VECTOR,
    C_STRUCT,
    C_ARRAY,
    C_REFERENCE,
    C_HELPER,
    FEATURES
};
bool program_check(struct program *p, bool found[FEATURES], const char **why);

/* kernel.c */
void write_kernel(FILE *to, struct program *p);
void kernel_expression(FILE *to, const struct program *p, const struct expr *e);
void kernel_place(FILE *to, const struct program *p, const struct expr *e); /* as a target */
void write_name(FILE *to, const struct var *v);
int array_of(const struct var *v);     /* structs or vectors; 0: it is no array of such */
int bytes_count(const struct expr *e); /* X_BYTES: elements of its type that the array has */
void write_real(FILE *to, double value, enum type type);
extern const char *const binary_text[BINARIES], *const compare_text[COMPARISONS];
extern const char *const overflow_text[OVERFLOWS], *const reduction_text[REDUCTIONS];
extern const char *const vectors_text[2]; /* buffers of short vectors of 2 and of 4 */

void write_scalar(FILE *to, struct program *p);
void scalar_expression(FILE *to, const struct program *p, const struct expr *e);

/* The parameters of a kernel in order, as run.c and the writers see them. */
struct buffer {
    char name[16];
    enum type type;
    size_t count;    /* 0: a parameter by value */
    struct var *var; /* the parameter by value, or the global array of a SHARED */
    bool is_const, is_matrix;
    bool is_symbol; /* no parameter: a variable of the device */
};
enum { BUFFERS_MAX = 7 * TYPES + PARAMETERS_MAX + SHARED_MAX + 4 };
int list_buffers(struct program *p, struct buffer list[BUFFERS_MAX]);
size_t element_size(enum type t);
void fill_buffer(const struct program *p, const struct buffer *b, void *memory);

/* DISAGREES: some value; FAILED: the launch; REFUSED: not built by a device that is not `ref`. */
enum verdict { AGREES, DISAGREES, FAILED, REFUSED, NOT_BUILT, NO_VERDICT };
struct outcome {
    enum verdict verdict;
    char why[900];
    int fill;        /* with which it was */
    int outside;     /* launches that were refused for an access outside */
    char ended[400]; /* what `ref` said of the launch */
};
/* is_for_debugger - "ref -O0": `ref`, with code for a debugger. */
bool is_for_debugger(const char *device);
enum { BATCH_MAX = 20 };

/* run_programs - at most BATCH_MAX, in child processes; a program that takes its own down has
 * NO_VERDICT. */
void run_programs(const char *device, struct program *const *p, int count,
                  struct outcome *outcomes);
/* run_scalar - what the scalar program leaves in each buffer; false: it cannot be built. */
bool run_scalar(struct program *p, void *memory[BUFFERS_MAX]);

struct program *shrink(const char *device, struct program *p, const struct outcome *outcome);
bool report(FILE *to, const char *device, struct program *p, const struct outcome *outcome);

#endif
