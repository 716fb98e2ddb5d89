/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the display filter: the tree that the parser builds and the evaluator walks. */
#ifndef DISSECT_FILTER_NODE_H
#define DISSECT_FILTER_NODE_H
#ifndef PCRE2_CODE_UNIT_WIDTH
#define PCRE2_CODE_UNIT_WIDTH 8
#endif
#include <pcre2.h>
#include "field/field.h"

enum { FILTER_MAX_TEXT = 64 * 1024, FILTER_MAX_DEPTH = 64, FILTER_MAX_NODES = 8192, FILTER_MAX_WORD = 128 };
/* Most bytes of a temporary result: of a value of several slices, or of the bitwise "and" of two byte strings. */
enum { FILTER_SCRATCH = 256 };
/* Most characters of a text that upper() and lower() change. */
enum { FILTER_CASE_TEXT = 1024 };

/* Values can be compared with values of the same class. */
enum value_class { CLASS_NONE, CLASS_NUMBER, CLASS_TIME, CLASS_ETHER, CLASS_IP4, CLASS_IP6, CLASS_BYTES, CLASS_TEXT };

struct operand {
    enum value_class cls;
    uint8_t prefix; /* significant bits of an IP address */
    uint8_t width;  /* bytes that a number has on the wire */
    uint64_t u, hi; /* NUMBER: u to hi, which differ only where a name stands for a range of codes; IP4: u */
    bool below;     /* NUMBER: below 0, the value is u - 2^64 */
    int64_t ns;
    /* For classes other than NUMBER and TIME. It may point to `small`, so "=" must not copy an operand. */
    const uint8_t *bytes;
    size_t len;
    uint8_t small[16];
};

enum node_kind {
    /* nodes that have values */
    NODE_LITERAL, /* text whose class is that of the value it is compared with */
    NODE_CONST,
    NODE_FIELD,
    NODE_SLICE, /* a[spans] */
    NODE_ARITH, /* a op b */
    NODE_NEGATE,
    NODE_CALL, /* op is the function; a is the first of a list of arguments */
    /* nodes that are true or false */
    NODE_EXISTS,
    NODE_NONZERO,
    NODE_COMPARE,
    NODE_MATCHES,
    NODE_IN, /* b is the first of a list of elements */
    NODE_NOT,
    NODE_AND, /* a is the first of a list */
    NODE_OR,
    NODE_XOR,
    /* parts */
    NODE_SPAN,
    NODE_ELEMENT, /* of a set: the value a, or the range from a to b */
};

enum test_op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_CONTAINS };
enum arith_op { ARITH_ADD, ARITH_SUB, ARITH_MUL, ARITH_DIV, ARITH_MOD, ARITH_AND };
enum call { CALL_ABS, CALL_COUNT, CALL_LEN, CALL_LOWER, CALL_MAX, CALL_MIN, CALL_STRING, CALL_UPPER, CALL_KINDS };
enum literal_form { LITERAL_WORD, LITERAL_STRING, LITERAL_CHAR };

/* A span of bytes: begins at `from`, counted from the end if negative; count 0 means up to the end. */
struct span {
    int32_t from;
    uint32_t count;
};

struct node {
    enum node_kind kind;
    uint8_t op;
    uint8_t form;  /* form of a literal */
    bool all;      /* a comparison must hold for every pair of values, not for one */
    bool negative; /* a literal after a minus sign */
    uint8_t height;
    enum value_class cls;
    uint32_t col;
    struct node *a, *b, *next;
    const struct field *field;
    const char *text; /* of a literal, in the filter's memory */
    size_t len;
    struct span span;
    struct operand value;
    pcre2_code *code;
    pcre2_match_data *match;
};

struct filter {
    struct node *node;
    size_t n_node, max_node;
    /* A copy of the filter, then room for its decoded strings and byte strings, which are never longer than in it. */
    char *text;
    size_t text_used, text_room;
    pcre2_match_context *limits;
    const struct node *root;
};

static inline bool node_is_value(const struct node *n)
{
    return n->kind <= NODE_CALL;
}

/* operand.c */
void operand_from_value(struct operand *o, const struct value *v);
void operand_copy(struct operand *to, const struct operand *from);
void operand_set_small(struct operand *o, enum value_class cls, const uint8_t *bytes, size_t len);
void operand_set_ip4(struct operand *o, uint32_t address, uint8_t prefix);
/* -1, 0 or 1: `a` is below, equal to, or above `b`. Both have the same class. */
int operand_order(const struct operand *a, const struct operand *b);
bool operand_contains(const struct operand *hay, const struct operand *needle);
bool operand_nonzero(const struct operand *o);
/* Calculates `a` op `b`. `out` has the class of `a`. False where there is no result, as in a division by zero.
 * `scratch` has FILTER_SCRATCH bytes and lives as long as `out`. */
bool operand_arith(struct operand *out, enum arith_op op, const struct operand *a, const struct operand *b,
                   uint8_t *scratch);

/* eval.c: calls `take` for each value of the node until `take` returns false; returns false if it did. */
typedef bool operand_take(void *ctx, const struct operand *o);
bool eval_values(const struct node *n, const struct packet *p, operand_take *take, void *ctx);
#endif
