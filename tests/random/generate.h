/* generate.h - what the generator knows at a point of the program. */
#ifndef GENERATE_H
#define GENERATE_H

#include "random.h"

/* Between two barriers an element of block memory belongs to its thread, which may write it, or
 * all may read all of them. */
enum shared_state { FREE, OWNED, READABLE };

enum want {
    W_DIVERGENT,
    W_BARRIER_LOOP,
    W_SWITCH,
    W_HALF,
    W_ATOMIC,
    W_SHARED_HELPER,
    W_VECTOR,
    W_STRUCT,
    W_ARRAY,
    W_GOTO,
    W_RETURN,
    W_BORROW,
    W_ENTRY,
    W_PLACES,
    W_ROW,
    W_REFERENCE,
    W_TABLE,
    W_MATRIX,
    W_WALK,
    W_TURN,
    WANTS
};

enum { SCOPE_MAX = 400, PALETTE = 5 };

struct generator {
    struct program *p;
    struct dice d;
    struct var *scope[SCOPE_MAX];
    int vars, first_vars; /* those of all functions: tables */
    enum type palette[PALETTE];
    bool wants[WANTS];
    bool only_uniform; /* random.h: generate */
    bool uniform;      /* all threads of the block that have not returned are here */
    bool parted;       /* not even all of a warp may be here */
    bool departing;    /* who is here will return and shares no block memory with those who stay, */
    bool passing;      /* or both pass here, at different times: nobody meets, either */
    bool by_place;     /* of places and small constants: the compiler knows it of each lane */
    bool plain; /* no memory, no operators: the operands of && || ?: where threads part there */
    bool may_break, may_continue;
    const struct stmt *common; /* the loop around, of which all make the first trips */
    int label;                 /* a goto may go to it; -1: none */
    int entry, entry_vars; /* a loop's entry that has no place yet, -1; names where it is entered */
    int depth, budget;
    int together;         /* collectives that the expression may still have */
    bool begins_together; /* the next block does so, with a collective */
    struct helper *helper;
    enum shared_state state[SHARED_MAX];
    bool atomics[TYPES]; /* cells_T are used */
    struct block *here;
    struct stmt **end; /* where the next statement goes */
};

enum type any_type(struct generator *g);
enum type integer_type(struct generator *g);
struct var *find_var(struct generator *g, enum shape shape, enum type type, bool uniform);
struct expr *generate_expr(struct generator *g, enum type type, int depth, bool uniform);
struct expr *generate_part(struct generator *g, struct var *v);
struct expr *generate_condition(struct generator *g, bool uniform);
struct expr *generate_together(struct generator *g, bool is_block, bool uniform);
struct expr *generate_constant(struct generator *g, enum type type);
struct expr *generate_record(struct generator *g, int field);

bool may_meet(const struct generator *g);

/* generate.c */
int elements_of(struct generator *g, enum type type);
struct stmt *append_stmt(struct generator *g, enum stmt_kind kind);
void append_barrier(struct generator *g);
void generate_inside(struct generator *g, struct block *b, int count);
void generate_call_there(struct generator *g, struct block *b, struct helper *h);
void generate_statements(struct generator *g, int count);
void enter_scope(struct generator *g, struct var *v);
struct expr *generate_value(struct generator *g, enum type type);

/* statement.c */
void generate_declare_scalar(struct generator *g);
void generate_assign_scalar(struct generator *g);
void generate_declare_aggregate(struct generator *g, enum shape shape);
void generate_vector(struct generator *g);
void generate_assign_part(struct generator *g);
void generate_copy(struct generator *g);
void generate_reference(struct generator *g);
struct var *generate_like(struct generator *g, const struct var *like);
struct expr *generate_structure(struct generator *g); /* all of one; NULL: there is none */
struct expr *generate_argument(struct generator *g, const struct var *parameter);
void generate_store(struct generator *g);
void generate_own_shared(struct generator *g);
void generate_atomic(struct generator *g);
void generate_own_atomic(struct generator *g);
void generate_exchange(struct generator *g);
void generate_turn(struct generator *g);

/* flow.c */
void generate_branch(struct generator *g);
void generate_leave(struct generator *g);
void generate_loop(struct generator *g);
void generate_divergent_loop(struct generator *g);
void generate_barrier_loop(struct generator *g);
void generate_choice(struct generator *g);
void generate_labelled(struct generator *g);
void generate_entry(struct generator *g);
void generate_departure(struct generator *g);

#endif
