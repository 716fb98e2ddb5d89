/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the loader: the state while one variation of a scenario is built. Not for users of the library. */
#ifndef IBC_BIND_H
#define IBC_BIND_H
#include "field.h"
#include "grammar.h"
#include "text.h"

enum {
    IBC_MAX_VARS = 16,                /* vary names of a file */
    IBC_MAX_WORDS = 40,               /* of a line, values of variables counted as the words they are */
    IBC_MAX_KNOWN = 64,               /* as=NAME of a play */
    IBC_MAX_NEST = 2,                 /* repeats */
    IBC_MAX_WORK = 4 * IBC_MAX_STEPS, /* lines that building a play may have to process */
    IBC_MAX_LOAD = 1 << 19            /* and loading a file: all its variations */
};

/* The kind of a line. */
enum ibc_form { IBC_FORM_STEP, IBC_FORM_OBJECT, IBC_FORM_PACKET, IBC_FORM_REPEAT, IBC_FORM_END };
/* Steps that can be alternatives of each other; NONE: those without alternatives. For VERB only the same verb. */
enum ibc_family {
    IBC_FAMILY_NONE,
    IBC_FAMILY_PACKET,
    IBC_FAMILY_COMPLETION,
    IBC_FAMILY_EVENT,
    IBC_FAMILY_STATE,
    IBC_FAMILY_MEMORY,
    IBC_FAMILY_VERB
};

struct ibc_vary {       /* one line */
    const char **name;  /* n_name of them, varied together */
    const char **value; /* n_value times n_name */
    unsigned n_name, n_value;
    uint32_t line;
    uint16_t column; /* of the names */
};
/* ibc_load() returns the first member of this. */
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
    struct ibc_arena *arena; /* the play's */
    struct ibc_fault *fault;
    struct ibc_var var[IBC_MAX_VARS + IBC_MAX_NEST]; /* repeats' indices first */
    unsigned n_var, room;                            /* room: for steps */
    /* the current line */
    const struct ibc_text *at;
    struct ibc_word word[IBC_MAX_WORDS];
    unsigned n_word;
    bool compares;                    /* the line is an expectation */
    bool packet;                      /* the line may name fields */
    uint64_t hdrs;                    /* of the packet, from the BTH on */
    uint16_t op;                      /* of the packet or the work request */
    uint16_t message;                 /* of a connection manager, whose fields the line may name; 0: none */
    const char *known[IBC_MAX_KNOWN]; /* names given to packets */
    unsigned n_known;
    unsigned work;
    const char *tail; /* appended to messages about lines with variables: the variation */
};

/* A fault at the word. Always false. */
#define IBC_AT(b, w) (b)->fault, (b)->at->line, (w)->column
#define IBC_AT_VALUE(b, w) (b)->fault, (b)->at->line, (w)->value

/* ---- expand.c: $names ---- */
/* `s` with its variables' values; s itself where there are none. NULL with a fault at `column`. */
const char *ibc_expand(struct ibc_binder *b, const char *s, uint32_t line, uint32_t column);
/* Fills b->word with the words of b->at. */
bool ibc_words(struct ibc_binder *b);

/* ---- object.c ---- */
/* Ports of the node that the line makes, 2 by default: the number of its wires is one more, that of its software. 0:
 * not a number. */
unsigned ibc_node_ports(const struct ibc_text *t);
/* The object of that name, defined above (or, `later`, anywhere) and of one of `kinds`. UINT16_MAX with a fault. */
uint16_t ibc_object_find(struct ibc_binder *b, const struct ibc_word *w, const char *name, unsigned kinds, bool later);

/* ---- value.c ---- */
/* The value(s) `s`, of word `w`, of a key into arg->v. */
bool ibc_value_bind(struct ibc_binder *b, const struct ibc_row *row, const struct ibc_word *w, const char *s,
                    struct ibc_arg *arg);
/* The same for a header field; `attr`: the attribute that an object without one means. */
bool ibc_field_bind(struct ibc_binder *b, const struct ibc_word *w, const char *s, uint8_t attr, struct ibc_arg *arg);

/* ---- atom.c: one value of a key, without alternatives ---- */
struct ibc_want { /* the values that are allowed */
    const struct ibc_row *row;
    const struct iba_field *field; /* of a header field, else NULL */
    uint8_t attr;                  /* that an object without an attribute means */
    uint64_t max;
    uint8_t words; /* enum iba_vocabulary */
    bool relative; /* +N is allowed */
};
bool ibc_atom(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
              struct ibc_arg *arg, struct ibc_value *v);

/* ---- line.c ---- */
/* The kind of the line, by its first words: fills form, kind and many. */
bool ibc_line_classify(struct ibc_fault *f, struct ibc_text *t);
enum ibc_family ibc_line_family(uint8_t kind);
/* The words from `from` on as arguments of that shape, in the play's arena. */
bool ibc_args(struct ibc_binder *b, const struct ibc_shape *shape, unsigned from, const struct ibc_arg **out,
              uint8_t *n);

/* Whether the word begins a line of the head. */
bool ibc_head_is(const char *word);
/* Whether an object may have that name. */
bool ibc_name_is_free(const char *name);

/* ---- head.c ---- */
/* Reads the lines of the head; *body: the first line after it. */
bool ibc_head_read(struct ibc_loaded *l, struct ibc_fault *f, unsigned *body);

/* ---- bind.c ---- */
/* NULL with a fault. *work grows by the number of lines processed. */
struct ibc_play *ibc_play_new(const struct ibc_loaded *l, enum iba_qp_type service, unsigned variation,
                              struct ibc_fault *f, unsigned *work);
#endif
