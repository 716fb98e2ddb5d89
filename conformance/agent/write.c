/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes structures as lines. */
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "protocol.h"

struct out {
    char *at;
    size_t n, cap;
    bool full;
};

static void put(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct out *o, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(o->at + o->n, o->cap - o->n, format, args);
    va_end(args);
    o->full |= n < 0 || (size_t)n >= o->cap - o->n;
    if (!o->full)
        o->n += (size_t)n;
}

static void put_char(struct out *o, char c)
{
    o->full |= o->cap - o->n < 2; /* put() needs one more byte for its final NUL */
    if (!o->full)
        o->at[o->n++] = c;
}

static void put_number(struct out *o, uint64_t n)
{
    if (n <= AG_EXACT)
        put(o, "%" PRIu64, n);
    else
        put(o, "\"0x%" PRIx64 "\"", n);
}

/* Writes a text. The agent's own texts are ASCII: any other byte may be a part of a character that was cut. */
static void put_text(struct out *o, const char *s)
{
    put_char(o, '"');
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            put(o, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            put(o, "\\u%04x", (unsigned)*s);
        else
            put_char(o, (unsigned char)*s < 0x7f ? *s : '?');
    put_char(o, '"');
}

/* Writes one of core's names, which are in capitals, in small letters. */
static void put_word(struct out *o, const char *word)
{
    put_char(o, '"');
    for (; *word; word++)
        put_char(o, (char)tolower((unsigned char)*word));
    put_char(o, '"');
}

static uint64_t number_at(const void *p, size_t size)
{
    uint8_t n8;
    uint16_t n16;
    uint32_t n32;
    uint64_t n64;

    switch (size) {
    case 1: memcpy(&n8, p, size); return n8;
    case 2: memcpy(&n16, p, size); return n16;
    case 4: memcpy(&n32, p, size); return n32;
    default: memcpy(&n64, p, sizeof n64); return n64;
    }
}

/* Writes the word for a number. A number that is not in the list is written as a number, and the other side refuses
 * it. */
static void put_one_of(struct out *o, const struct ag_words *w, uint64_t n)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->v[i].n == n) {
            put_word(o, w->v[i].word);
            return;
        }
    put_number(o, n);
}

static void put_set(struct out *o, const struct ag_words *w, uint64_t set)
{
    const char *comma = "";

    put(o, "[");
    for (size_t i = 0; i < w->n; i++)
        if (set >> w->v[i].n & 1) {
            put(o, "%s", comma);
            put_word(o, w->v[i].word);
            comma = ",";
        }
    put(o, "]");
}

static void put_gid(struct out *o, const struct ag_gid *g)
{
    char text[INET6_ADDRSTRLEN];

    put(o, "\"%s\"", inet_ntop(AF_INET6, g->b, text, sizeof text));
}

static void put_mac(struct out *o, uint64_t mac)
{
    for (unsigned i = 6; i-- > 0;)
        put(o, "%s%02x%s", i == 5 ? "\"" : "", (unsigned)(mac >> 8 * i & 0xff), i > 0 ? ":" : "\"");
}

static void put_bytes(struct out *o, const struct ag_bytes *b)
{
    static const char digit[] = "0123456789abcdef";

    put_char(o, '"');
    for (uint32_t i = 0; i < b->n && i < AG_BYTES; i++) {
        put_char(o, digit[b->b[i] >> 4]);
        put_char(o, digit[b->b[i] & 15]);
    }
    put_char(o, '"');
}

static void put_ipv4(struct out *o, uint64_t n)
{
    put(o, "\"%u.%u.%u.%u\"", (unsigned)(n >> 24 & 0xff), (unsigned)(n >> 16 & 0xff), (unsigned)(n >> 8 & 0xff),
        (unsigned)(n & 0xff));
}

static void put_counters(struct out *o, const struct ag_counters *c)
{
    put(o, "{");
    for (uint32_t i = 0; i < c->n && i < IBC_MAX_COUNTERS; i++) {
        put(o, "%s", i > 0 ? "," : "");
        put_text(o, c->c[i].name);
        put(o, ":");
        put_number(o, c->c[i].value);
    }
    put(o, "}");
}

static void put_members(struct out *o, const struct ag_shape *s, const void *p, const char *comma);

static void put_list(struct out *o, const struct ag_shape *s, const uint8_t *p, size_t size)
{
    const uint64_t n = number_at(p, sizeof n), most = (size - sizeof n) / s->size;

    put(o, "[");
    for (uint64_t i = 0; i < n && i < most; i++) {
        put(o, "%s{", i > 0 ? "," : "");
        put_members(o, s, p + sizeof n + i * s->size, "");
        put(o, "}");
    }
    put(o, "]");
}

static void put_value(struct out *o, const struct ag_field *f, const void *p)
{
    const uint8_t of = ag_of[f->kind];
    const uint64_t n = number_at(p, f->size);

    switch ((enum ag_form)ag_form[f->kind]) {
    case AG_H_NUMBER: put_number(o, n); break;
    case AG_H_FLAG: put(o, "%s", *(const bool *)p ? "true" : "false"); break;
    case AG_H_TEXT: put_text(o, ((const struct ag_text *)p)->s); break;
    case AG_H_LETTER: put_text(o, (const char[]){*(const char *)p, 0}); break;
    case AG_H_MTU: put(o, "%u", iba_mtu_bytes((enum iba_mtu)(n & 7))); break;
    case AG_H_GID: put_gid(o, p); break;
    case AG_H_IPV4: put_ipv4(o, n); break;
    case AG_H_MAC: put_mac(o, n); break;
    case AG_H_BYTES: put_bytes(o, p); break;
    case AG_H_COUNTERS: put_counters(o, p); break;
    case AG_H_WORD: put_one_of(o, &ag_words[of], n); break;
    case AG_H_WORDS: put_set(o, &ag_words[of], n); break;
    case AG_H_MEMBERS:
        put(o, "{");
        put_members(o, &ag_shapes[of], p, "");
        put(o, "}");
        break;
    case AG_H_LIST: put_list(o, &ag_shapes[of], p, f->size); break;
    }
}

/* Writes all members. The recursion ends, since a shape has only members of shapes above it in the table. */
static void put_members(struct out *o, const struct ag_shape *s, const void *p, const char *comma)
{
    const uint64_t given = number_at(p, sizeof given);

    for (unsigned i = 0; i < s->n; i++) {
        const struct ag_field *f = &s->field[i];
        const bool there = f->need == AG_MUST || (given >> i & 1) != 0;
        if (!there && f->need == AG_MAY)
            continue;
        put(o, "%s\"%s\":", comma, f->name);
        if (there)
            put_value(o, f, (const uint8_t *)p + f->at);
        else
            put(o, "null");
        comma = ",";
    }
}

static size_t finish(struct out *o)
{
    put(o, "}");
    return o->full ? 0 : o->n;
}

size_t ag_write_request(const struct ag_request *r, char *line, size_t cap)
{
    struct out o = {line, 0, cap, false};

    put(&o, "{\"id\":");
    put_number(&o, r->id);
    put(&o, ",\"do\":\"%s\"", ag_verb_name(r->verb));
    if (r->device > 0)
        put(&o, ",\"device\":%u", r->device);
    if (r->verb < AG_V_COUNT)
        put_members(&o, ag_args_shape(r->verb), &r->u, ",");
    return finish(&o);
}

size_t ag_write_reply(const struct ag_reply *r, char *line, size_t cap)
{
    struct out o = {line, 0, cap, false};

    put(&o, "{\"id\":");
    if (r->has_id)
        put_number(&o, r->id);
    else
        put(&o, "null");
    if (r->error == AG_FINE) {
        put(&o, ",\"ok\":{");
        put_members(&o, ag_ok_shape(r->verb), &r->u, "");
        put(&o, "}");
        return finish(&o);
    }
    put(&o, ",\"error\":");
    put_text(&o, r->word);
    put(&o, ",\"text\":");
    put_text(&o, r->text);
    return finish(&o);
}

void ag_refuse(struct ag_reply *r, enum ag_error e, const char *word, const char *format, ...)
{
    va_list args;

    r->error = e;
    (void)snprintf(r->word, sizeof r->word, "%s", word ? word : ag_error_word(e));
    va_start(args, format);
    (void)vsnprintf(r->text, sizeof r->text, format, args);
    va_end(args);
}
