/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "filter/filter.h"
#include "filter/parser.h"

static struct node *unexpected(struct parser *ps)
{
    if (ps->t.kind == TOKEN_END)
        parser_fail(ps, ps->t.col, "the filter ends too early");
    else if (ps->t.kind == TOKEN_STRING || ps->t.kind == TOKEN_CHAR)
        parser_fail(ps, ps->t.col, "a constant was not expected here");
    else
        parser_fail(ps, ps->t.col, "\"%.*s\" was not expected here", ps->t.len < 64 ? (int)ps->t.len : 64, ps->t.text);
    return NULL;
}

static bool accept(struct parser *ps, enum token_kind kind)
{
    if (ps->t.kind != kind)
        return false;
    lexer_next(ps);
    return true;
}

static bool expect(struct parser *ps, enum token_kind kind)
{
    static const struct {
        enum token_kind kind;
        const char *text;
    } closing[] = {{TOKEN_RPAREN, ")"}, {TOKEN_RBRACE, "}"}, {TOKEN_RBRACKET, "]"}};

    if (accept(ps, kind))
        return true;
    for (size_t i = 0; ps->t.kind == TOKEN_END && i < sizeof closing / sizeof *closing; i++)
        if (closing[i].kind == kind)
            return parser_fail(ps, ps->t.col, "the filter ends too early: \"%s\" is missing", closing[i].text);
    return unexpected(ps);
}

static bool enter(struct parser *ps)
{
    if (ps->depth >= FILTER_MAX_DEPTH)
        return parser_fail(ps, ps->t.col, "nested deeper than %d", FILTER_MAX_DEPTH);
    ps->depth++;
    return true;
}

static struct node *parse_logic(struct parser *ps, unsigned level);
static struct node *parse_sum(struct parser *ps, unsigned level);

/* Parses the arguments of a call, after its opening parenthesis. */
static struct node *parse_arguments(struct parser *ps)
{
    struct node *first = NULL, **link = &first;

    do {
        struct node *arg = parse_sum(ps, 0);
        if (!arg)
            return NULL;
        if (!node_is_value(arg) || arg->next)
            return parser_fail(ps, arg->col, "an argument is a field or a constant"), NULL;
        *link = arg;
        link = &arg->next;
    } while (accept(ps, TOKEN_COMMA));
    return expect(ps, TOKEN_RPAREN) ? first : NULL;
}

/* Parses a call: a name, then "(". */
static struct node *parse_call(struct parser *ps, const struct token *name)
{
    const enum call call = build_call_named(name->text, name->len);

    if (call == CALL_KINDS)
        return parser_fail(ps, name->col,
                           "no function \"%.*s\"; there are abs, count, len, lower, max, min, string, upper",
                           name->len < 64 ? (int)name->len : 64, name->text),
               NULL;
    lexer_next(ps);
    struct node *args = parse_arguments(ps);
    return args ? build_call(ps, call, args, name->col) : NULL;
}

static struct node *parse_word(struct parser *ps)
{
    const struct token name = ps->t;
    struct node *n = build_word(ps);

    lexer_next(ps);
    if (n && n->kind == NODE_LITERAL && n->form == LITERAL_WORD && ps->t.kind == TOKEN_LPAREN)
        return parse_call(ps, &name);
    return n;
}

/* Only the first error is kept, so what follows one need not be looked at. */
static struct node *parse_group(struct parser *ps)
{
    struct node *n;

    if (accept(ps, TOKEN_LPAREN)) {
        n = parse_logic(ps, 0);
        return expect(ps, TOKEN_RPAREN) ? n : NULL;
    }
    lexer_next(ps);
    n = parse_sum(ps, 0);
    return expect(ps, TOKEN_RBRACE) ? n : NULL;
}

/* Parses the slice of a value; the current token is "[". */
static struct node *parse_slice(struct parser *ps, struct node *of)
{
    struct node *first = NULL, **link = &first;
    bool last = false;

    while (!last) {
        struct node *s = build_node(ps, NODE_SPAN, (uint32_t)ps->pos + 1);
        if (!s || !lexer_span(ps, &s->span, &last))
            return NULL;
        *link = s;
        link = &s->next;
    }
    lexer_next(ps);
    return build_slice(ps, of, first);
}

static struct node *parse_primary(struct parser *ps)
{
    struct node *n;

    switch (ps->t.kind) {
    case TOKEN_WORD:
    case TOKEN_STRING:
    case TOKEN_CHAR: n = parse_word(ps); break;
    case TOKEN_LPAREN:
    case TOKEN_LBRACE: n = parse_group(ps); break;
    default: return unexpected(ps);
    }
    while (n && node_is_value(n) && ps->t.kind == TOKEN_LBRACKET)
        n = parse_slice(ps, n);
    return n;
}

static struct node *parse_unary(struct parser *ps)
{
    const struct token t = ps->t;

    if (!enter(ps))
        return NULL;
    struct node *n;
    if (t.kind == TOKEN_ARITH && (t.op == ARITH_SUB || t.op == ARITH_ADD)) {
        lexer_next(ps);
        n = parse_unary(ps);
        if (n && t.op == ARITH_SUB)
            n = build_negate(ps, n, t.col);
    } else
        n = parse_primary(ps);
    ps->depth--;
    return n;
}

/* Parses arithmetic. The operators that bind least come first: "&", then "+ -", then "* / %". */
static struct node *parse_sum(struct parser *ps, unsigned level)
{
    static const uint8_t ops[] = {1 << ARITH_AND, 1 << ARITH_ADD | 1 << ARITH_SUB,
                                  1 << ARITH_MUL | 1 << ARITH_DIV | 1 << ARITH_MOD};

    if (level == sizeof ops)
        return parse_unary(ps);
    struct node *a = parse_sum(ps, level + 1);
    while (a && ps->t.kind == TOKEN_ARITH && (ops[level] >> ps->t.op & 1)) {
        const struct token t = ps->t;
        lexer_next(ps);
        struct node *b = parse_sum(ps, level + 1);
        if (!b)
            return NULL;
        if (!node_is_value(a) || !node_is_value(b))
            return parser_fail(ps, t.col, "a condition is no number"), NULL;
        a = build_arith(ps, a, (enum arith_op)t.op, b, t.col);
    }
    return a;
}

static struct node *parse_element(struct parser *ps, struct node *of)
{
    struct node *e = build_node(ps, NODE_ELEMENT, ps->t.col);

    if (!e)
        return NULL;
    e->a = parse_sum(ps, 0);
    if (!e->a)
        return NULL;
    if (accept(ps, TOKEN_DOTS)) {
        e->b = parse_sum(ps, 0);
        if (!e->b)
            return NULL;
    }
    if (!node_is_value(e->a) || (e->b && !node_is_value(e->b)))
        return parser_fail(ps, e->col, "a set holds values, not conditions"), NULL;
    return build_element(ps, of, e) ? e : NULL;
}

/* Parses the set after "in". */
static struct node *parse_set(struct parser *ps, struct node *of)
{
    struct node *n = build_node(ps, NODE_IN, ps->t.col), **link;

    if (!n || !expect(ps, TOKEN_LBRACE))
        return NULL;
    if (!node_is_value(of))
        return parser_fail(ps, n->col, "a condition is in no set"), NULL;
    n->a = of;
    link = &n->b;
    do {
        *link = parse_element(ps, of);
        if (!*link)
            return NULL;
        link = &(*link)->next;
    } while (accept(ps, TOKEN_COMMA));
    return expect(ps, TOKEN_RBRACE) ? n : NULL;
}

static struct node *parse_not_in(struct parser *ps, struct node *of)
{
    struct node *n = build_node(ps, NODE_NOT, ps->t.col);

    if (!n || !expect(ps, TOKEN_NOT) || !expect(ps, TOKEN_IN))
        return NULL;
    n->a = parse_set(ps, of);
    return n->a ? n : NULL;
}

/* Parses one comparison after its left side. *right is its right side: the left side of the next comparison in a chain.
 */
static struct node *parse_test(struct parser *ps, struct node *left, struct node **right, enum token_kind quantifier)
{
    struct token op = ps->t;

    lexer_next(ps);
    *right = parse_sum(ps, 0);
    if (!*right)
        return NULL;
    if (quantifier != TOKEN_END)
        op.all = quantifier == TOKEN_ALL;
    return op.kind == TOKEN_MATCHES ? build_matches(ps, left, *right) : build_compare(ps, left, &op, *right);
}

/* Parses a chain of comparisons: a < b < c means a < b and b < c. */
static struct node *parse_tests(struct parser *ps, struct node *left, enum token_kind quantifier)
{
    struct node *first = NULL, **link = &first, *right;
    const uint32_t col = ps->t.col;

    while (ps->t.kind == TOKEN_TEST || ps->t.kind == TOKEN_MATCHES) {
        struct node *one = parse_test(ps, left, &right, quantifier);
        if (!one)
            return NULL;
        *link = one;
        link = &one->next;
        left = right;
    }
    if (!first->next)
        return first;
    struct node *n = build_node(ps, NODE_AND, col);
    if (n)
        n->a = first;
    return n;
}

static struct node *parse_comparison(struct parser *ps)
{
    const struct token t = ps->t;
    const bool quantified = accept(ps, TOKEN_ANY) || accept(ps, TOKEN_ALL);
    struct node *left = parse_sum(ps, 0);

    if (!left)
        return NULL;
    if (ps->t.kind == TOKEN_TEST || (ps->t.kind == TOKEN_MATCHES && !quantified))
        return parse_tests(ps, left, quantified ? t.kind : TOKEN_END);
    if (quantified)
        return parser_fail(ps, t.col, "\"any\" and \"all\" stand before a comparison"), NULL;
    if (accept(ps, TOKEN_IN))
        return parse_set(ps, left);
    return ps->t.kind == TOKEN_NOT ? parse_not_in(ps, left) : left;
}

static struct node *parse_not(struct parser *ps)
{
    const struct token t = ps->t;

    if (!accept(ps, TOKEN_NOT))
        return parse_comparison(ps);
    if (!enter(ps))
        return NULL;
    struct node *of = build_test(ps, parse_not(ps));
    struct node *n = of ? build_node(ps, NODE_NOT, t.col) : NULL;
    ps->depth--;
    if (n)
        n->a = of;
    return n;
}

/* Parses or, xor, and; "or" binds least. A single value stays a value, so that (a & 1) == 1 can be written. */
static struct node *parse_logic(struct parser *ps, unsigned level)
{
    static const struct {
        enum token_kind token;
        enum node_kind node;
    } levels[] = {{TOKEN_OR, NODE_OR}, {TOKEN_XOR, NODE_XOR}, {TOKEN_AND, NODE_AND}};

    if (level == sizeof levels / sizeof *levels)
        return parse_not(ps);
    struct node *part = parse_logic(ps, level + 1);
    if (ps->t.kind != levels[level].token)
        return part;
    struct node *n = build_node(ps, levels[level].node, ps->t.col), **link;
    if (!n)
        return NULL;
    link = &n->a;
    for (;;) {
        *link = build_test(ps, part);
        if (!*link)
            return NULL;
        link = &(*link)->next;
        if (!accept(ps, levels[level].token))
            return n;
        part = parse_logic(ps, level + 1);
    }
}

static bool parse(struct parser *ps)
{
    lexer_next(ps);
    if (ps->t.kind == TOKEN_END)
        return parser_fail(ps, 1, "the filter is empty");
    ps->f->root = build_test(ps, parse_logic(ps, 0));
    if (ps->f->root && ps->t.kind != TOKEN_END)
        (void)unexpected(ps);
    return !ps->failed;
}

/* Allocates the nodes: a word of text makes at most three of them, a span or element, the value, and the test. */
static bool make_room(struct filter *f, const char *text, size_t len)
{
    f->max_node = 3 * len + 8 < FILTER_MAX_NODES ? 3 * len + 8 : FILTER_MAX_NODES;
    f->node = malloc(f->max_node * sizeof *f->node);
    f->text_room = 2 * len + 2;
    f->text = malloc(f->text_room);
    f->limits = pcre2_match_context_create(NULL);
    if (!f->node || !f->text || !f->limits)
        return false;
    memcpy(f->text, text, len + 1);
    f->text_used = len + 1;
    (void)pcre2_set_match_limit(f->limits,
                                1000000); /* a pattern that backtracks without end matches nothing instead of hanging */
    return true;
}

struct filter *filter_compile(const char *text, char *err, size_t errlen)
{
    struct filter *f = calloc(1, sizeof *f);
    struct parser ps = {.f = f, .len = strlen(text), .err = err, .errlen = errlen};

    if (ps.len > FILTER_MAX_TEXT)
        parser_fail(&ps, FILTER_MAX_TEXT + 1, "the filter is longer than %d bytes", FILTER_MAX_TEXT);
    else if (!f || !make_room(f, text, ps.len))
        parser_fail(&ps, 1, "out of memory");
    else if (parse(&ps))
        return f;
    filter_free(f);
    return NULL;
}

bool filter_uses(const struct filter *f, bool (*is)(const struct field *field))
{
    for (size_t i = 0; i < f->n_node; i++)
        if (f->node[i].field && is(f->node[i].field))
            return true;
    return false;
}

void filter_free(struct filter *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n_node; i++) {
        pcre2_code_free(f->node[i].code);
        pcre2_match_data_free(f->node[i].match);
    }
    pcre2_match_context_free(f->limits);
    free(f->node);
    free(f->text);
    free(f);
}
