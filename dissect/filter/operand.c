/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "filter/node.h"

__extension__ typedef __int128 wide; /* has room for sums and products of numbers */
#define BEYOND ((wide)1 << 64)

void operand_set_small(struct operand *o, enum value_class cls, const uint8_t *bytes, size_t len)
{
    o->cls = cls;
    memcpy(o->small, bytes, len);
    o->bytes = o->small;
    o->len = len;
}

void operand_set_ip4(struct operand *o, uint32_t address, uint8_t prefix)
{
    o->cls = CLASS_IP4;
    o->u = o->hi = address;
    o->prefix = prefix;
    for (unsigned i = 0; i < 4; i++)
        o->small[i] = (uint8_t)(address >> (24 - 8 * i));
    o->bytes = o->small;
    o->len = 4;
}

static void set_ether(struct operand *o, uint64_t u)
{
    uint8_t b[6];

    for (unsigned i = 0; i < 6; i++)
        b[i] = (uint8_t)(u >> (40 - 8 * i));
    operand_set_small(o, CLASS_ETHER, b, sizeof b);
}

static void set_bytes(struct operand *o, enum value_class cls, const struct value *v)
{
    o->cls = cls;
    o->bytes = v->bytes;
    o->len = v->bytes ? v->len : 0;
    o->prefix = 128;
}

void operand_from_value(struct operand *o, const struct value *v)
{
    switch (v->type) {
    case FIELD_UINT:
    case FIELD_BOOL:
        o->cls = CLASS_NUMBER;
        o->u = o->hi = v->u;
        o->below = false;
        o->width = (uint8_t)(v->row && v->row->bits ? (v->row->bits + 7) / 8 : 4);
        break;
    case FIELD_TIME:
        o->cls = CLASS_TIME;
        o->ns = v->ns;
        break;
    case FIELD_ETHER: set_ether(o, v->u); break;
    case FIELD_IPV4: operand_set_ip4(o, (uint32_t)v->u, 32); break;
    case FIELD_IPV6: set_bytes(o, CLASS_IP6, v); break;
    case FIELD_TEXT: set_bytes(o, CLASS_TEXT, v); break;
    case FIELD_BYTES:
    case FIELD_PRESENCE: set_bytes(o, CLASS_BYTES, v); break;
    }
}

void operand_copy(struct operand *to, const struct operand *from)
{
    *to = *from;
    if (from->bytes == from->small)
        to->bytes = to->small;
}

static int order_u64(uint64_t a, uint64_t b)
{
    return (int)(a > b) - (int)(a < b);
}

static int order_ip4(const struct operand *a, const struct operand *b)
{
    const unsigned bits = a->prefix < b->prefix ? a->prefix : b->prefix;
    const uint32_t mask = bits ? UINT32_MAX << (32 - bits) : 0;

    return order_u64(a->u & mask, b->u & mask);
}

static int order_ip6(const struct operand *a, const struct operand *b)
{
    const size_t bits = a->prefix < b->prefix ? a->prefix : b->prefix;
    const int c = memcmp(a->bytes, b->bytes, bits / 8);

    if (c || bits % 8 == 0)
        return c;
    return order_u64(a->bytes[bits / 8] >> (8 - bits % 8), b->bytes[bits / 8] >> (8 - bits % 8));
}

/* Compares text as a dictionary does. Bytes are compared by length first, as in Wireshark. */
static int order_bytes(const struct operand *a, const struct operand *b)
{
    const size_t n = a->len < b->len ? a->len : b->len;
    const int by_length = order_u64(a->len, b->len);

    if (by_length && a->cls != CLASS_TEXT)
        return by_length;
    const int c = n ? memcmp(a->bytes, b->bytes, n) : 0;
    return c ? c : by_length;
}

static int order_number(const struct operand *a, const struct operand *b)
{
    if (a->below != b->below)
        return (int)b->below - (int)a->below;
    return (int)(a->u > b->hi) - (int)(a->hi < b->u);
}

/* Negative, 0 or positive: `a` is below, equal to, or above `b`. */
static int order(const struct operand *a, const struct operand *b)
{
    switch (a->cls) {
    case CLASS_NUMBER: return order_number(a, b);
    case CLASS_TIME: return (int)(a->ns > b->ns) - (int)(a->ns < b->ns);
    case CLASS_IP4: return order_ip4(a, b);
    case CLASS_IP6: return order_ip6(a, b);
    default: return order_bytes(a, b);
    }
}

int operand_order(const struct operand *a, const struct operand *b)
{
    const int c = order(a, b);

    return (int)(c > 0) - (int)(c < 0);
}

bool operand_contains(const struct operand *hay, const struct operand *needle)
{
    return needle->len && hay->len >= needle->len && memmem(hay->bytes, hay->len, needle->bytes, needle->len) != NULL;
}

bool operand_nonzero(const struct operand *o)
{
    if (o->cls == CLASS_NUMBER)
        return o->u != 0;
    if (o->cls == CLASS_TIME)
        return o->ns != 0;
    for (size_t i = 0; i < o->len; i++)
        if (o->bytes[i])
            return true;
    return false;
}

static wide value_of(const struct operand *o)
{
    return (wide)o->u - (o->below ? BEYOND : 0);
}

/* There is no result if it does not fit, as in tshark. */
static bool arith_number(struct operand *out, enum arith_op op, const struct operand *a, const struct operand *b)
{
    const wide left = value_of(a), right = value_of(b);
    wide result = 0;

    switch (op) {
    case ARITH_ADD: result = left + right; break;
    case ARITH_SUB: result = left - right; break;
    case ARITH_MUL:
        if (__builtin_mul_overflow(left, right, &result))
            return false;
        break;
    case ARITH_DIV:
    case ARITH_MOD:
        if (right == 0)
            return false;
        result = op == ARITH_DIV ? left / right : left % right;
        break;
    case ARITH_AND: result = left & right; break;
    }
    if (result >= BEYOND || result < -BEYOND)
        return false;
    out->u = out->hi = (uint64_t)result;
    out->below = result < 0;
    return true;
}

static bool and_bytes(struct operand *out, const struct operand *a, const struct operand *b, uint8_t *scratch)
{
    size_t n = a->len < b->len ? a->len : b->len;

    n = n < FILTER_SCRATCH ? n : FILTER_SCRATCH;
    for (size_t i = 0; i < n; i++)
        scratch[i] = a->bytes[i] & b->bytes[i];
    out->prefix = 128;
    out->bytes = scratch;
    out->len = n;
    return true;
}

bool operand_arith(struct operand *out, enum arith_op op, const struct operand *a, const struct operand *b,
                   uint8_t *scratch)
{
    switch (a->cls) {
    case CLASS_NUMBER: return arith_number(out, op, a, b);
    case CLASS_TIME: /* unsigned, so that absurd sums wrap instead of being undefined */
        out->ns = (int64_t)(op == ARITH_ADD ? (uint64_t)a->ns + (uint64_t)b->ns : (uint64_t)a->ns - (uint64_t)b->ns);
        return true;
    case CLASS_IP4: operand_set_ip4(out, (uint32_t)(a->u & b->u), 32); return true;
    default: return and_bytes(out, a, b, scratch);
    }
}
