/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the loader: the state while one variation of a scenario is built. Not for users of the library. */
#ifndef IBC_BIND_H
#define IBC_BIND_H
#include "field.h"
#include "grammar.h"
#include "text.h"

enum {
    IBC_MAX_VARS = 16,                /* names in the `vary` lines of a file */
    IBC_MAX_WORDS = 40,               /* words of a line after variables are replaced by their values */
    IBC_MAX_KNOWN = 64,               /* names that as=NAME gives in a play */
    IBC_MAX_NEST = 2,                 /* depth of nested repeats */
    IBC_MAX_WORK = 4 * IBC_MAX_STEPS, /* lines that may be processed while a play is built */
    IBC_MAX_LOAD = 1 << 19            /* lines that may be processed while all variations of a file are built */
};

/* The kind of a line. */
enum ibc_form { IBC_FORM_STEP, IBC_FORM_OBJECT, IBC_FORM_PACKET, IBC_FORM_REPEAT, IBC_FORM_END };
/* Kinds of steps that can be alternatives of each other. NONE: the step has no alternatives. VERB: alternatives
 * have the same verb. */
enum ibc_family {
    IBC_FAMILY_NONE,
    IBC_FAMILY_PACKET,
    IBC_FAMILY_COMPLETION,
    IBC_FAMILY_EVENT,
    IBC_FAMILY_STATE,
    IBC_FAMILY_MEMORY,
    IBC_FAMILY_VERB
};

struct ibc_vary {       /* one `vary` line */
    const char **name;  /* n_name names, which are varied together */
    const char **value; /* n_value values of each name */
    unsigned n_name, n_value;
    uint32_t line;
    uint16_t column; /* column of the names */
};
/* A loaded scenario. ibc_load() returns a pointer to the first member. */
struct ibc_loaded {
    struct ibc_scenario s;
    struct ibc_arena *arena;
    struct ibc_vary vary[IBC_MAX_VARS];
    unsigned n_vary;
    const struct ibc_text *body;
    unsigned n_body;
};
struct ibc_var {
    const char *name, *value;
};
struct ibc_binder {
    const struct ibc_loaded *loaded;
    struct ibc_play *play;
    struct ibc_arena *arena; /* memory of the play */
    struct ibc_fault *fault;
    struct ibc_var var[IBC_MAX_VARS + IBC_MAX_NEST]; /* indices of repeats come first */
    unsigned n_var, room;                            /* room: number of steps that have memory */
    /* the current line */
    const struct ibc_text *at;
    struct ibc_word word[IBC_MAX_WORDS];
    unsigned n_word;
    bool compares;                    /* the line is an expectation */
    bool packet;                      /* the line may name fields */
    uint64_t hdrs;                    /* headers of the packet, from the BTH on */
    uint16_t op;                      /* opcode of the packet or operation of the work request */
    uint16_t message;                 /* message of a connection manager, whose fields the line may name; 0: none */
    const char *known[IBC_MAX_KNOWN]; /* names that as= gave to packets */
    unsigned n_known;
    unsigned work;
    const char *tail; /* the variation, which is appended to messages about lines with variables */
};

/* Reports a fault at the word. Always false. */
#define IBC_AT(b, w) (b)->fault, (b)->at->line, (w)->column
#define IBC_AT_VALUE(b, w) (b)->fault, (b)->at->line, (w)->value

/* ---- expand.c: $names ---- */
/* Returns `s` with the values of its variables; without variables, s itself. NULL: a fault at `column` was
 * reported. */
const char *ibc_expand(struct ibc_binder *b, const char *s, uint32_t line, uint32_t column);
/* Fills b->word with the words of b->at. */
bool ibc_words(struct ibc_binder *b);

/* ---- object.c ---- */
/* Returns the number of ports of the node that the line creates, 2 by default. The node has one wire more than
 * ports, for its software. 0: the line has no valid number. */
unsigned ibc_node_ports(const struct ibc_text *t);
/* Finds the object with that name and one of `kinds` that is defined above or, with `later`, anywhere. UINT16_MAX:
 * a fault was reported. */
uint16_t ibc_object_find(struct ibc_binder *b, const struct ibc_word *w, const char *name, unsigned kinds, bool later);

/* ---- value.c ---- */
/* Reads the values `s` of a key, which are in word `w`, into arg->v. */
bool ibc_value_bind(struct ibc_binder *b, const struct ibc_row *row, const struct ibc_word *w, const char *s,
                    struct ibc_arg *arg);
/* Reads the values of a header field. `attr`: the attribute that the name of an object alone means. */
bool ibc_field_bind(struct ibc_binder *b, const struct ibc_word *w, const char *s, uint8_t attr, struct ibc_arg *arg);

/* ---- atom.c: one value of a key, without alternatives ---- */
struct ibc_want { /* the values that are allowed */
    const struct ibc_row *row;
    const struct iba_field *field; /* the header field; NULL: the value is not that of a field */
    uint8_t attr;                  /* the attribute that the name of an object alone means */
    uint64_t max;
    uint8_t words; /* enum iba_vocabulary */
    bool relative; /* +N is allowed */
};
bool ibc_atom(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
              struct ibc_arg *arg, struct ibc_value *v);

/* ---- line.c ---- */
/* Finds the kind of the line by its first words, and fills in form, kind and many. */
bool ibc_line_classify(struct ibc_fault *f, struct ibc_text *t);
enum ibc_family ibc_line_family(uint8_t kind);
/* Reads the words from `from` on as arguments of that shape, in the play's memory. */
bool ibc_args(struct ibc_binder *b, const struct ibc_shape *shape, unsigned from, const struct ibc_arg **out,
              uint8_t *n);

/* Whether the word begins a line of the head. */
bool ibc_head_is(const char *word);
/* Whether an object may have that name. */
bool ibc_name_is_free(const char *name);

/* ---- head.c ---- */
/* Reads the lines of the head. *body becomes the first line after it. */
bool ibc_head_read(struct ibc_loaded *l, struct ibc_fault *f, unsigned *body);

/* ---- bind.c ---- */
/* Builds one variation. NULL: a fault was reported. *work grows by the number of processed lines. */
struct ibc_play *ibc_play_new(const struct ibc_loaded *l, enum iba_qp_type service, unsigned variation,
                              struct ibc_fault *f, unsigned *work);
#endif
