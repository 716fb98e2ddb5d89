/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates a compiled filter for a packet. Callbacks pass values on one by one, so evaluation allocates nothing,
 * however many values a field has. A comparison of two fields compares every pair of values. */
#include "field/put.h"
#include "filter/filter.h"
#include "filter/node.h"
#include "wire/iba_bits.h"
#include "wire/iba_endpoints.h"

struct stream { /* the state of a callback */
    const struct node *n;
    const struct packet *p;
    operand_take *take;
    void *ctx;
    const struct operand *left;
    bool wanted; /* further values are wanted */
};

static bool on_field(void *ctx, const struct value *v)
{
    struct stream *s = ctx;
    struct operand o;

    operand_from_value(&o, v);
    return s->wanted = s->take(s->ctx, &o);
}

static bool field_stream(const struct node *n, const struct packet *p, operand_take *take, void *ctx)
{
    struct stream s = {.take = take, .ctx = ctx, .wanted = true};

    if (n->field->hdrs == 0 || (n->field->hdrs & p->view.has))
        field_values(n->field, p, on_field, &s);
    return s.wanted;
}

/* The bytes of the value that the span names; NULL if the value is too short. */
static const uint8_t *span_of(const struct span *s, const struct operand *o, size_t *n)
{
    const size_t back = (size_t) - (int64_t)s->from;

    if (!o->bytes || (s->from < 0 && back > o->len))
        return NULL;
    const size_t at = s->from < 0 ? o->len - back : (size_t)s->from;
    if (at >= o->len || s->count > o->len - at)
        return NULL;
    *n = s->count ? s->count : o->len - at;
    return o->bytes + at;
}

static bool on_slice(void *ctx, const struct operand *o)
{
    struct stream *s = ctx;
    struct operand out = {.cls = CLASS_BYTES};
    uint8_t scratch[FILTER_SCRATCH];
    size_t n;

    if (!s->n->b->next) {
        out.bytes = span_of(&s->n->b->span, o, &out.len);
        return !out.bytes || s->take(s->ctx, &out);
    }
    out.bytes = scratch;
    for (const struct node *part = s->n->b; part; part = part->next) {
        const uint8_t *from = span_of(&part->span, o, &n);
        if (!from || n > sizeof scratch - out.len)
            return true;
        memcpy(scratch + out.len, from, n);
        out.len += n;
    }
    return s->take(s->ctx, &out);
}

static bool on_right(void *ctx, const struct operand *right)
{
    struct stream *s = ctx;
    struct operand out = {.cls = s->left->cls};
    uint8_t scratch[FILTER_SCRATCH];

    if (!operand_arith(&out, (enum arith_op)s->n->op, s->left, right, scratch))
        return true;
    return s->take(s->ctx, &out);
}

static bool on_left(void *ctx, const struct operand *left)
{
    struct stream *s = ctx;

    s->left = left;
    const bool wanted = eval_values(s->n->b, s->p, on_right, s);
    s->left = NULL;
    return wanted;
}

static bool on_negate(void *ctx, const struct operand *o)
{
    struct stream *s = ctx;
    struct operand out = {.cls = o->cls};

    if (o->cls == CLASS_NUMBER) {
        out.u = out.hi = 0 - o->u;
        out.below = !o->below && o->u != 0;
    } else
        out.ns = (int64_t)(0 - (uint64_t)o->ns);
    return s->take(s->ctx, &out);
}

static bool on_abs(void *ctx, const struct operand *o)
{
    struct stream *s = ctx;
    const bool negative = o->cls == CLASS_TIME ? o->ns < 0 : o->cls == CLASS_NUMBER && o->below;

    return negative ? on_negate(ctx, o) : s->take(s->ctx, o);
}

static bool on_len(void *ctx, const struct operand *o)
{
    struct stream *s = ctx;
    struct operand out = {.cls = CLASS_NUMBER, .width = 4};

    out.u = out.hi = o->cls == CLASS_NUMBER ? o->width : o->len;
    return s->take(s->ctx, &out);
}

static bool on_case(void *ctx, const struct operand *o)
{
    struct stream *s = ctx;
    uint8_t text[FILTER_CASE_TEXT];
    struct operand out = {.cls = CLASS_TEXT, .bytes = text};
    const uint8_t from = s->n->op == CALL_UPPER ? 'a' : 'A';

    out.len = o->len < sizeof text ? o->len : sizeof text;
    for (size_t i = 0; i < out.len; i++)
        text[i] = o->bytes[i] >= from && o->bytes[i] < from + 26 ? o->bytes[i] ^ 0x20 : o->bytes[i];
    return s->take(s->ctx, &out);
}

/* The text that tshark's string() makes of a value: a number is decimal, however it is printed. */
static bool on_string(void *ctx, const struct operand *o)
{
    struct stream *s = ctx;
    char text[PUT_MOST], *end;

    switch (o->cls) {
    case CLASS_NUMBER: end = put_u64(text, o->u); break;
    case CLASS_IP4: end = put_ip4(text, (uint32_t)o->u); break;
    case CLASS_ETHER: end = put_mac(text, iba_bits_get(o->bytes, 0, 48)); break;
    default:
        if (o->len != IBA_ADDR_MOST)
            return true;
        end = put_ip6(text, o->bytes);
    }
    return s->take(s->ctx,
                   &(struct operand){.cls = CLASS_TEXT, .bytes = (const uint8_t *)text, .len = (size_t)(end - text)});
}

static bool on_count(void *ctx, const struct operand *o)
{
    (void)o;
    ++*(uint64_t *)ctx;
    return true;
}

static bool count_stream(const struct node *n, const struct packet *p, operand_take *take, void *ctx)
{
    struct operand out = {.cls = CLASS_NUMBER, .width = 4};
    uint64_t count = 0;

    (void)eval_values(n->a, p, on_count, &count);
    out.u = out.hi = count;
    return count == 0 || take(ctx, &out);
}

struct extreme {
    struct operand best;
    bool any;
    int side; /* the result of operand_order() for a better value: -1 for min, 1 for max */
};

static bool on_extreme(void *ctx, const struct operand *o)
{
    struct extreme *e = ctx;

    if (!e->any || operand_order(o, &e->best) == e->side)
        operand_copy(&e->best, o);
    e->any = true;
    return true;
}

static bool extreme_stream(const struct node *n, const struct packet *p, operand_take *take, void *ctx)
{
    struct extreme e = {.side = n->op == CALL_MAX ? 1 : -1};

    for (const struct node *arg = n->a; arg; arg = arg->next)
        (void)eval_values(arg, p, on_extreme, &e);
    return !e.any || take(ctx, &e.best);
}

static bool call_stream(const struct node *n, const struct packet *p, operand_take *take, void *ctx)
{
    struct stream s = {.n = n, .p = p, .take = take, .ctx = ctx};

    switch ((enum call)n->op) {
    case CALL_ABS: return eval_values(n->a, p, on_abs, &s);
    case CALL_LEN: return eval_values(n->a, p, on_len, &s);
    case CALL_STRING: return eval_values(n->a, p, on_string, &s);
    case CALL_UPPER:
    case CALL_LOWER: return eval_values(n->a, p, on_case, &s);
    case CALL_COUNT: return count_stream(n, p, take, ctx);
    default: return extreme_stream(n, p, take, ctx);
    }
}

bool eval_values(const struct node *n, const struct packet *p, operand_take *take, void *ctx)
{
    struct stream s = {.n = n, .p = p, .take = take, .ctx = ctx};

    switch (n->kind) {
    case NODE_CONST: return take(ctx, &n->value);
    case NODE_FIELD: return field_stream(n, p, take, ctx);
    case NODE_SLICE: return eval_values(n->a, p, on_slice, &s);
    case NODE_ARITH: return eval_values(n->a, p, on_left, &s);
    case NODE_NEGATE: return eval_values(n->a, p, on_negate, &s);
    default: return call_stream(n, p, take, ctx);
    }
}

static bool stop(void *ctx, const struct operand *o)
{
    (void)ctx;
    (void)o;
    return false;
}

static bool exists(const struct node *n, const struct packet *p)
{
    const struct field *f = n->field;

    if (n->kind == NODE_FIELD && f->type == FIELD_PRESENCE && f->hdrs)
        return (f->hdrs & p->view.has) != 0;
    return !eval_values(n, p, stop, NULL);
}

static bool stop_nonzero(void *ctx, const struct operand *o)
{
    (void)ctx;
    return !operand_nonzero(o);
}

struct comparison {
    const struct node *n;
    const struct packet *p;
    const struct operand *left;
    bool seen, held; /* seen: there was a pair; held: the last pair passed the test */
};

static bool holds(enum test_op op, const struct operand *a, const struct operand *b)
{
    if (op == OP_CONTAINS)
        return operand_contains(a, b);
    const int order = operand_order(a, b);
    switch (op) {
    case OP_EQ: return order == 0;
    case OP_NE: return order != 0;
    case OP_LT: return order < 0;
    case OP_LE: return order <= 0;
    case OP_GT: return order > 0;
    default: return order >= 0;
    }
}

/* Tests one pair of values: "any" stops at the first pair that passes, "all" at the first that does not. */
static bool on_pair(void *ctx, const struct operand *right)
{
    struct comparison *c = ctx;

    c->seen = true;
    c->held = holds((enum test_op)c->n->op, c->left, right);
    return c->held == c->n->all;
}

static bool on_compare(void *ctx, const struct operand *left)
{
    struct comparison *c = ctx;

    c->left = left;
    const bool wanted =
        c->n->b->kind == NODE_CONST ? on_pair(ctx, &c->n->b->value) : eval_values(c->n->b, c->p, on_pair, c);
    c->left = NULL;
    return wanted;
}

static bool compare(const struct node *n, const struct packet *p)
{
    struct comparison c = {.n = n, .p = p};

    (void)eval_values(n->a, p, on_compare, &c);
    return c.seen && c.held;
}

struct membership {
    const struct node *element;
    const struct packet *p;
    const struct operand *left;
};

static bool stop_at_or_below(void *ctx, const struct operand *lo)
{
    return operand_order(((struct membership *)ctx)->left, lo) < 0;
}
static bool stop_at_or_above(void *ctx, const struct operand *hi)
{
    return operand_order(((struct membership *)ctx)->left, hi) > 0;
}
static bool stop_equal(void *ctx, const struct operand *o)
{
    return operand_order(((struct membership *)ctx)->left, o) != 0;
}

static bool is_element(struct membership *m, const struct node *e)
{
    if (!e->b)
        return !eval_values(e->a, m->p, stop_equal, m);
    return !eval_values(e->a, m->p, stop_at_or_below, m) && !eval_values(e->b, m->p, stop_at_or_above, m);
}

static bool on_member(void *ctx, const struct operand *left)
{
    struct membership *m = ctx;
    bool found = false;

    m->left = left;
    for (const struct node *e = m->element; e && !found; e = e->next)
        found = is_element(m, e);
    m->left = NULL;
    return !found;
}

static bool on_match(void *ctx, const struct operand *o)
{
    const struct stream *s = ctx;
    static const uint8_t nothing[1];

    return pcre2_match(s->n->code, o->bytes ? o->bytes : nothing, o->len, 0, 0, s->n->match, s->ctx) < 0;
}

static bool test(const struct filter *f, const struct node *n, const struct packet *p)
{
    struct membership m = {.element = n->b, .p = p};
    struct stream s = {.n = n, .p = p, .ctx = f->limits};
    bool odd = false;

    switch (n->kind) {
    case NODE_EXISTS: return exists(n->a, p);
    case NODE_NONZERO: return !eval_values(n->a, p, stop_nonzero, NULL);
    case NODE_COMPARE: return compare(n, p);
    case NODE_MATCHES: return !eval_values(n->a, p, on_match, &s);
    case NODE_IN: return !eval_values(n->a, p, on_member, &m);
    case NODE_NOT: return !test(f, n->a, p);
    case NODE_AND:
    case NODE_OR:
        for (const struct node *part = n->a; part; part = part->next)
            if (test(f, part, p) == (n->kind == NODE_OR))
                return n->kind == NODE_OR;
        return n->kind == NODE_AND;
    default:
        for (const struct node *part = n->a; part; part = part->next)
            odd ^= test(f, part, p);
        return odd;
    }
}

bool filter_match(const struct filter *f, const struct packet *p)
{
    return test(f, f->root, p);
}
