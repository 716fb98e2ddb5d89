/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds nodes from their parts: which classes of values can be compared, and the class that constants take. */
#include <assert.h>
#include <string.h>
#include "filter/parser.h"

struct node *build_node(struct parser *ps, enum node_kind kind, uint32_t col)
{
    struct filter *f = ps->f;

    if (f->n_node == f->max_node) {
        parser_fail(ps, col, "the filter has more than %d terms", FILTER_MAX_NODES);
        return NULL;
    }
    struct node *n = &f->node[f->n_node++];
    *n = (struct node){.kind = kind, .col = col, .height = 1};
    return n;
}

static enum value_class class_of_field(const struct field *f)
{
    switch (f->type) {
    case FIELD_UINT:
    case FIELD_BOOL: return CLASS_NUMBER;
    case FIELD_ETHER: return CLASS_ETHER;
    case FIELD_IPV4: return CLASS_IP4;
    case FIELD_IPV6: return CLASS_IP6;
    case FIELD_TEXT: return CLASS_TEXT;
    case FIELD_TIME: return CLASS_TIME;
    default: return CLASS_BYTES;
    }
}

struct node *build_word(struct parser *ps)
{
    const struct token *t = &ps->t;
    struct node *n = build_node(ps, NODE_LITERAL, t->col);
    char name[FILTER_MAX_WORD];

    if (!n)
        return NULL;
    n->form = t->kind == TOKEN_WORD ? LITERAL_WORD : t->kind == TOKEN_STRING ? LITERAL_STRING : LITERAL_CHAR;
    n->text = t->text;
    n->len = t->len;
    if (t->kind != TOKEN_WORD || t->len >= sizeof name)
        return n;
    memcpy(name, t->text, t->len);
    name[t->len] = '\0';
    n->field = field_find(name);
    if (n->field) {
        n->kind = NODE_FIELD;
        n->cls = class_of_field(n->field);
    }
    return n;
}

static const char *name_of(const struct node *n)
{
    return n->field ? n->field->name : "this";
}

static bool combine(struct parser *ps, struct node *n, const struct node *a, const struct node *b)
{
    const unsigned height = 1u + (a->height > b->height ? a->height : b->height);

    n->height = (uint8_t)height;
    return height <= FILTER_MAX_DEPTH || parser_fail(ps, n->col, "nested deeper than %d", FILTER_MAX_DEPTH);
}

static bool no_field(struct parser *ps, const struct node *lit)
{
    if (lit->form == LITERAL_WORD && (lit->text[0] < '0' || lit->text[0] > '9'))
        return parser_fail_field(ps, lit->col, lit->text, lit->len);
    return parser_fail(ps, lit->col, "a constant stands where a field is needed");
}

struct node *build_slice(struct parser *ps, struct node *of, struct node *spans)
{
    const bool number = of->cls == CLASS_NUMBER || of->cls == CLASS_TIME;
    uint64_t bytes = 0;
    bool open = false;

    assert(spans);
    if (of->kind == NODE_LITERAL)
        return no_field(ps, of), NULL;
    if (number)
        return parser_fail(ps, of->col, "%s is %s and has no slices", name_of(of), class_name(of->cls)), NULL;
    for (const struct node *s = spans; s; s = s->next) {
        bytes += s->span.count;
        open |= s->span.count == 0;
    }
    if (spans->next && (open || bytes > FILTER_SCRATCH)) {
        parser_fail(ps, spans->col, "slices put together have at most %d bytes", FILTER_SCRATCH);
        return NULL;
    }
    struct node *n = build_node(ps, NODE_SLICE, of->col);
    if (!n || !combine(ps, n, of, of))
        return NULL;
    n->a = of;
    n->b = spans;
    n->cls = CLASS_BYTES;
    return n;
}

static bool compatible(enum value_class a, enum value_class b)
{
    return a == b || (a == CLASS_BYTES && b == CLASS_ETHER) || (a == CLASS_ETHER && b == CLASS_BYTES);
}

/* Whether the word on the left is a field that is misspelled rather than a constant: it begins with a letter that is no
 * hex digit, and the other side has neither text nor names of values. */
static bool means_a_field(const struct node *word, const struct node *other)
{
    if (word->form != LITERAL_WORD || other->cls == CLASS_TEXT)
        return false;
    const unsigned first = (uint8_t)word->text[0] | 0x20u; /* a word has a character */
    const struct iba_field *row = other->field ? field_row(other->field) : NULL;
    return first >= 'g' && first <= 'z' && !(row && row->values);
}

/* Gives a constant the class of the other operand; two constants have none. */
static bool pair(struct parser *ps, struct node *a, struct node *b)
{
    if (a->kind == NODE_LITERAL && b->kind == NODE_LITERAL)
        return no_field(ps, a);
    if (a->kind == NODE_LITERAL)
        return means_a_field(a, b) ? no_field(ps, a) : literal_bind(ps, a, b->cls, b->field);
    if (b->kind == NODE_LITERAL)
        return literal_bind(ps, b, a->cls, a->field);
    return compatible(a->cls, b->cls) || parser_fail(ps, b->col, "%s is %s, but %s is %s", name_of(a),
                                                     class_name(a->cls), name_of(b), class_name(b->cls));
}

static bool arith_allowed(enum arith_op op, enum value_class cls)
{
    switch (cls) {
    case CLASS_NUMBER: return true;
    case CLASS_TIME: return op == ARITH_ADD || op == ARITH_SUB;
    case CLASS_TEXT: return false;
    default: return op == ARITH_AND;
    }
}

/* Whether no value of the node is longer than the room for a result. */
static bool bounded(const struct node *n)
{
    uint64_t bytes = 0;

    if (n->cls != CLASS_BYTES || n->kind == NODE_ARITH)
        return true;
    if (n->kind == NODE_CONST)
        return n->value.len <= FILTER_SCRATCH;
    if (n->kind != NODE_SLICE)
        return false;
    for (const struct node *s = n->b; s; s = s->next)
        bytes += s->span.count ? s->span.count : FILTER_SCRATCH + 1;
    return bytes <= FILTER_SCRATCH;
}

struct node *build_arith(struct parser *ps, struct node *a, enum arith_op op, struct node *b, uint32_t col)
{
    struct node *n = build_node(ps, NODE_ARITH, col);

    if (!n || !combine(ps, n, a, b))
        return NULL;
    if (a->kind == NODE_LITERAL && b->kind == NODE_LITERAL) {
        if (!literal_bind(ps, a, CLASS_NUMBER, NULL) || !literal_bind(ps, b, CLASS_NUMBER, NULL))
            return NULL;
    } else if (!pair(ps, a, b))
        return NULL;
    if (!arith_allowed(op, a->cls) || (!bounded(a) && !bounded(b))) {
        parser_fail(ps, col, "there is no such arithmetic with %s", class_name(a->cls));
        return NULL;
    }
    n->a = a;
    n->b = b;
    n->op = (uint8_t)op;
    n->cls = a->cls;
    return n;
}

struct node *build_negate(struct parser *ps, struct node *a, uint32_t col)
{
    if (a->kind == NODE_LITERAL) {
        a->negative = !a->negative;
        return a;
    }
    if (!node_is_value(a) || (a->cls != CLASS_NUMBER && a->cls != CLASS_TIME)) {
        parser_fail(ps, col, "a minus needs a number or a time");
        return NULL;
    }
    struct node *n = build_node(ps, NODE_NEGATE, col);
    if (!n || !combine(ps, n, a, a))
        return NULL;
    n->a = a;
    n->cls = a->cls;
    return n;
}

static const struct call_info {
    const char *name;
    unsigned max_args;
    uint32_t classes; /* bits of the classes that the function takes */
} calls[CALL_KINDS] = {
    [CALL_ABS] = {"abs", 1, 1u << CLASS_NUMBER | 1u << CLASS_TIME},
    [CALL_COUNT] = {"count", 1, ~0u},
    [CALL_LEN] = {"len", 1, ~(1u << CLASS_TIME)},
    [CALL_LOWER] = {"lower", 1, 1u << CLASS_TEXT},
    [CALL_MAX] = {"max", 64, ~0u},
    [CALL_MIN] = {"min", 64, ~0u},
    [CALL_STRING] = {"string", 1, 1u << CLASS_NUMBER | 1u << CLASS_ETHER | 1u << CLASS_IP4 | 1u << CLASS_IP6},
    [CALL_UPPER] = {"upper", 1, 1u << CLASS_TEXT},
};

enum call build_call_named(const char *name, size_t len)
{
    unsigned i = 0;

    while (i < CALL_KINDS && (strlen(calls[i].name) != len || memcmp(calls[i].name, name, len) != 0))
        i++;
    return (enum call)i;
}

static bool is_flag(const struct node *n)
{
    return n->kind == NODE_FIELD && n->field->type == FIELD_BOOL;
}

/* As in tshark, a flag has no text. */
static bool call_takes(enum call call, const struct node *n)
{
    return (calls[call].classes >> n->cls & 1) && !(call == CALL_STRING && is_flag(n));
}

/* Returns the first argument that is no constant: its class is the class of all arguments. */
static struct node *leading(struct node *args)
{
    while (args && args->kind == NODE_LITERAL)
        args = args->next;
    return args;
}

/* The values that max() and min() keep must outlive the walk over the packet, so temporary values are not allowed. */
static bool argument_allowed(enum call call, const struct node *arg)
{
    switch (call) {
    case CALL_ABS: return true;
    case CALL_LEN:
    case CALL_COUNT: return arg->kind == NODE_FIELD || arg->kind == NODE_SLICE;
    default: return arg->kind == NODE_FIELD || arg->kind == NODE_LITERAL;
    }
}

struct node *build_call(struct parser *ps, enum call call, struct node *args, uint32_t col)
{
    const struct call_info *info = &calls[call];
    struct node *n = build_node(ps, NODE_CALL, col), *lead = leading(args), *tallest = args;
    unsigned count = 0;

    assert(args);
    for (const struct node *a = args; a; a = a->next)
        count++;
    if (!n)
        return NULL;
    if (count > info->max_args)
        return parser_fail(ps, col, "%s() takes %u argument%s", info->name, info->max_args, &"s"[info->max_args == 1]),
               NULL;
    if (!lead)
        return no_field(ps, args), NULL;
    for (struct node *a = args; a; a = a->next) {
        if (!argument_allowed(call, a))
            return parser_fail(ps, a->col, "%s() takes fields, not what is computed of them", info->name), NULL;
        if (a != lead && !pair(ps, lead, a))
            return NULL;
        tallest = a->height > tallest->height ? a : tallest;
    }
    if (!call_takes(call, lead))
        return parser_fail(ps, lead->col, "%s() is not for %s", info->name,
                           is_flag(lead) ? "a flag" : class_name(lead->cls)),
               NULL;
    if (!combine(ps, n, tallest, tallest))
        return NULL;
    n->a = args;
    n->op = (uint8_t)call;
    n->cls = call == CALL_LEN || call == CALL_COUNT ? CLASS_NUMBER : call == CALL_STRING ? CLASS_TEXT : lead->cls;
    return n;
}

static bool searchable(struct parser *ps, const struct node *a, const char *op)
{
    if (a->kind == NODE_LITERAL)
        return no_field(ps, a);
    if (a->cls == CLASS_TEXT || a->cls == CLASS_BYTES || a->cls == CLASS_ETHER)
        return true;
    const char *const name = name_of(a), *const cls = class_name(a->cls);
    if (a->kind == NODE_FIELD && call_takes(CALL_STRING, a))
        return parser_fail(ps, a->col, "%s is %s; \"%s\" searches in text and bytes, as string(%s) is", name, cls, op,
                           name);
    return parser_fail(ps, a->col, "%s is %s; \"%s\" searches in text and bytes", name, cls, op);
}

static bool pair_contains(struct parser *ps, struct node *a, struct node *b)
{
    if (!searchable(ps, a, "contains"))
        return false;
    if (b->kind == NODE_LITERAL)
        return literal_bind(ps, b, a->cls == CLASS_ETHER ? CLASS_BYTES : a->cls, NULL);
    return pair(ps, a, b);
}

struct node *build_compare(struct parser *ps, struct node *a, const struct token *op, struct node *b)
{
    struct node *n = build_node(ps, NODE_COMPARE, op->col);

    if (!n)
        return NULL;
    if (!node_is_value(a) || !node_is_value(b))
        return parser_fail(ps, op->col, "a condition cannot be compared"), NULL;
    if (!(op->op == OP_CONTAINS ? pair_contains(ps, a, b) : pair(ps, a, b)))
        return NULL;
    n->a = a;
    n->b = b;
    n->op = op->op;
    n->all = op->all;
    return n;
}

struct node *build_matches(struct parser *ps, struct node *a, const struct node *pattern)
{
    struct node *n = build_node(ps, NODE_MATCHES, pattern->col);
    PCRE2_UCHAR why[128];
    PCRE2_SIZE where;
    int code;

    if (!n)
        return NULL;
    if (!node_is_value(a))
        return parser_fail(ps, pattern->col, "a condition cannot be searched"), NULL;
    if (!searchable(ps, a, "matches"))
        return NULL;
    if (pattern->kind != NODE_LITERAL || pattern->form != LITERAL_STRING)
        return parser_fail(ps, pattern->col, "\"matches\" needs a quoted string"), NULL;
    n->a = a;
    n->code =
        pcre2_compile((PCRE2_SPTR)pattern->text, pattern->len, PCRE2_CASELESS | PCRE2_NEVER_UTF, &code, &where, NULL);
    if (!n->code) {
        (void)pcre2_get_error_message(code, why, sizeof why);
        return parser_fail(ps, pattern->col, "regular expression, at its offset %zu: %s", (size_t)where, (char *)why),
               NULL;
    }
    n->match = pcre2_match_data_create(1, NULL);
    return n->match ? n : (parser_fail(ps, pattern->col, "out of memory"), NULL);
}

bool build_element(struct parser *ps, struct node *a, struct node *element)
{
    struct node *lo = element->a, *hi = element->b;

    return pair(ps, a, lo) && (!hi || pair(ps, a, hi));
}

struct node *build_test(struct parser *ps, struct node *n)
{
    struct node *t;

    if (!n || !node_is_value(n))
        return n;
    if (n->kind == NODE_LITERAL)
        return no_field(ps, n), NULL;
    if (n->kind == NODE_CALL || (n->kind == NODE_ARITH && n->a->kind == NODE_CONST && n->b->kind == NODE_CONST))
        return parser_fail(ps, n->col, "a computed value must be compared with something"), NULL;
    t = build_node(ps, n->kind == NODE_ARITH || n->kind == NODE_NEGATE ? NODE_NONZERO : NODE_EXISTS, n->col);
    if (t)
        t->a = n;
    return t;
}
