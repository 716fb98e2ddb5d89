/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the display filter: text to tree. One token of lookahead; the first error is kept. */
#ifndef DISSECT_FILTER_PARSER_H
#define DISSECT_FILTER_PARSER_H
#include "filter/node.h"

enum token_kind {
    TOKEN_END,
    TOKEN_BAD, /* the error is already reported */
    TOKEN_WORD,
    TOKEN_STRING,
    TOKEN_CHAR,
    TOKEN_TEST,  /* op is a test_op */
    TOKEN_ARITH, /* op is an arith_op */
    TOKEN_MATCHES,
    TOKEN_IN,
    TOKEN_NOT,
    TOKEN_AND,
    TOKEN_XOR,
    TOKEN_OR,
    TOKEN_ANY,
    TOKEN_ALL,
    TOKEN_LPAREN,
    TOKEN_RPAREN,
    TOKEN_LBRACE,
    TOKEN_RBRACE,
    TOKEN_LBRACKET,
    TOKEN_RBRACKET,
    TOKEN_COMMA,
    TOKEN_DOTS,
};

struct token {
    enum token_kind kind;
    uint8_t op;
    bool all;
    uint32_t col;
    const char *text; /* decoded if it is a string or a character, else as written */
    size_t len;
};

struct parser {
    struct filter *f;
    size_t pos, len; /* in f->text */
    struct token t;  /* the current token; pos is after it */
    unsigned depth;
    bool failed;
    char *err;
    size_t errlen;
};

/* Keeps the message if it is the first one. Returns false always. */
bool parser_fail(struct parser *ps, uint32_t col, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Fails with "no field ...; nearest is ...". */
bool parser_fail_field(struct parser *ps, uint32_t col, const char *name, size_t len);

/* lexer.c */
void lexer_next(struct parser *ps);
/* Reads one of possibly several spans between brackets; the current token is "[". False after an error. *last: the
 * bracket was closed. */
bool lexer_span(struct parser *ps, struct span *s, bool *last);

/* literal.c: makes a constant of a literal, of class `cls`, with the names and limits of `f` (or NULL). */
bool literal_bind(struct parser *ps, struct node *lit, enum value_class cls, const struct field *f);
const char *class_name(enum value_class cls);

/* build.c: each returns NULL after an error. */
struct node *build_node(struct parser *ps, enum node_kind kind, uint32_t col);
struct node *build_word(struct parser *ps);
struct node *build_slice(struct parser *ps, struct node *of, struct node *spans);
struct node *build_arith(struct parser *ps, struct node *a, enum arith_op op, struct node *b, uint32_t col);
struct node *build_negate(struct parser *ps, struct node *a, uint32_t col);
struct node *build_call(struct parser *ps, enum call call, struct node *args, uint32_t col);
struct node *build_compare(struct parser *ps, struct node *a, const struct token *op, struct node *b);
struct node *build_matches(struct parser *ps, struct node *a, const struct node *pattern);
/* Gives one element of the set the class of `a`. */
bool build_element(struct parser *ps, struct node *a, struct node *element);
/* Makes a condition of any node: a value becomes a test of whether it is present. */
struct node *build_test(struct parser *ps, struct node *n);
/* The function of this name; CALL_KINDS: there is none. */
enum call build_call_named(const char *name, size_t len);
#endif
