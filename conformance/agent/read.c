/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lines into structures. Before parsing, it limits their length and their nesting. */
#include <arpa/inet.h>
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "protocol.h"
#include "scenario/scenario.h"

enum { DEEPEST = 8, MOST_DIGITS = 16 };

struct in {
    const char *where; /* name of the verb */
    bool strict;       /* unknown members and words are refused */
    char *text;        /* receives the sentence about a fault */
    size_t cap;
};

static bool wrong(const struct in *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(const struct in *in, const char *format, ...)
{
    const int n = snprintf(in->text, in->cap, "%s: ", in->where);
    va_list args;

    if (n < 0 || (size_t)n >= in->cap)
        return false;
    va_start(args, format);
    (void)vsnprintf(in->text + n, in->cap - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* ---- single values ---- */

static bool hex_number(const char *s, uint64_t *n)
{
    const size_t len = strlen(s);

    if (len < 3 || len > MOST_DIGITS + 2 || s[0] != '0' || s[1] != 'x')
        return false;
    *n = 0;
    for (s += 2; *s; s++) {
        if (!isxdigit((unsigned char)*s))
            return false;
        *n = *n << 4 | (uint64_t)(isdigit((unsigned char)*s) ? *s - '0' : tolower((unsigned char)*s) - 'a' + 10);
    }
    return true;
}

static bool is_natural(const cJSON *j, uint64_t *n)
{
    if (cJSON_IsString(j))
        return hex_number(j->valuestring, n);
    if (!cJSON_IsNumber(j) || !(j->valuedouble >= 0 && j->valuedouble <= (double)AG_EXACT))
        return false;
    *n = (uint64_t)j->valuedouble;
    return (double)*n == j->valuedouble;
}

static void put_number(void *p, size_t size, uint64_t n)
{
    const uint8_t n8 = (uint8_t)n;
    const uint16_t n16 = (uint16_t)n;
    const uint32_t n32 = (uint32_t)n;

    switch (size) {
    case 1: memcpy(p, &n8, size); break;
    case 2: memcpy(p, &n16, size); break;
    case 4: memcpy(p, &n32, size); break;
    default: memcpy(p, &n, sizeof n); break;
    }
}

static bool read_number(const struct in *in, const struct ag_field *f, const cJSON *j, void *p)
{
    const unsigned bits = 8u * f->size;
    uint64_t n;

    if (!is_natural(j, &n))
        return wrong(in, "%s: want a whole number, up to 2^53, else \"0x...\"", f->name);
    if (bits < 64 && n >> bits != 0)
        return wrong(in, "%s: want a number of %u bits", f->name, bits);
    put_number(p, f->size, n);
    return true;
}

static bool read_mtu(const struct in *in, const struct ag_field *f, const cJSON *j, uint8_t *mtu)
{
    uint64_t n;

    if (!is_natural(j, &n))
        return wrong(in, "%s: want a number of bytes", f->name);
    *mtu = 0; /* so that the device refuses it */
    for (uint8_t m = 0; m < 8; m++)
        if (iba_mtu_bytes((enum iba_mtu)m) == n)
            *mtu = m;
    return true;
}

static bool read_text(const struct in *in, const struct ag_field *f, const cJSON *j, struct ag_text *t)
{
    if (!cJSON_IsString(j) || strlen(j->valuestring) >= sizeof t->s)
        return wrong(in, "%s: want a text of less than %zu bytes", f->name, sizeof t->s);
    (void)snprintf(t->s, sizeof t->s, "%s", j->valuestring);
    return true;
}

static bool read_letter(const struct in *in, const struct ag_field *f, const cJSON *j, char *letter)
{
    if (!cJSON_IsString(j) || strlen(j->valuestring) != 1 || !isgraph((unsigned char)j->valuestring[0]))
        return wrong(in, "%s: want one letter", f->name);
    *letter = j->valuestring[0];
    return true;
}

static bool read_gid(const struct in *in, const struct ag_field *f, const cJSON *j, struct ag_gid *g)
{
    if (!cJSON_IsString(j) || inet_pton(AF_INET6, j->valuestring, g->b) != 1)
        return wrong(in, "%s: want an address as \"fe80::1\"", f->name);
    return true;
}

static bool read_ipv4(const struct in *in, const struct ag_field *f, const cJSON *j, uint32_t *ip)
{
    struct in_addr a;

    if (!cJSON_IsString(j) || inet_pton(AF_INET, j->valuestring, &a) != 1)
        return wrong(in, "%s: want an address as \"10.0.0.1\"", f->name);
    *ip = ntohl(a.s_addr);
    return true;
}

static int digit_of(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* Returns the byte of two hex digits; -1: they are none. */
static int byte_of(const char *s)
{
    const int high = digit_of(s[0]), low = high < 0 ? -1 : digit_of(s[1]);

    return low < 0 ? -1 : high << 4 | low;
}

static bool read_mac(const struct in *in, const struct ag_field *f, const cJSON *j, uint64_t *mac)
{
    const char *s = cJSON_IsString(j) ? j->valuestring : "";

    *mac = 0;
    for (unsigned i = 0; strlen(s) == 17 && i < 6; i++) {
        const int byte = byte_of(s + 3 * i);
        if (byte < 0 || (i < 5 && s[3 * i + 2] != ':'))
            break;
        *mac = *mac << 8 | (unsigned)byte;
        if (i == 5)
            return true;
    }
    return wrong(in, "%s: want an address as \"02:00:00:00:00:01\"", f->name);
}

static bool read_bytes(const struct in *in, const struct ag_field *f, const cJSON *j, struct ag_bytes *b)
{
    const char *s = cJSON_IsString(j) ? j->valuestring : "-";
    const size_t len = strlen(s);

    if (len % 2 != 0 || len / 2 > AG_BYTES)
        return wrong(in, "%s: want hex digits, two a byte, of %d bytes at most", f->name, (int)AG_BYTES);
    b->n = (uint32_t)(len / 2);
    for (uint32_t i = 0; i < b->n; i++) {
        const int byte = byte_of(s + 2 * (size_t)i);
        if (byte < 0)
            return wrong(in, "%s: want hex digits, two a byte", f->name);
        b->b[i] = (uint8_t)byte;
    }
    return true;
}

/* Reads counters. Those beyond the array are left out, since a device may have more than the tester uses. */
static bool read_counters(const struct in *in, const struct ag_field *f, const cJSON *j, struct ag_counters *c)
{
    const cJSON *e;

    c->n = 0;
    if (!cJSON_IsObject(j))
        return wrong(in, "%s: want an object", f->name);
    cJSON_ArrayForEach(e, j)
    {
        uint64_t value;
        if (!is_natural(e, &value))
            return wrong(in, "%s: want whole numbers", f->name);
        if (c->n == IBC_MAX_COUNTERS || strlen(e->string) >= sizeof c->c[0].name)
            continue;
        c->c[c->n].value = value;
        (void)snprintf(c->c[c->n++].name, sizeof c->c[0].name, "%s", e->string);
    }
    return true;
}

/* ---- words ---- */

struct lowered {
    const struct ag_words *words;
    char *room;
    size_t cap;
};

static const char *small_word(size_t i, const void *ctx)
{
    const struct lowered *l = ctx;
    const char *word = l->words->v[i].word;
    size_t n = 0;

    for (; word[n] && n + 1 < l->cap; n++)
        l->room[n] = (char)tolower((unsigned char)word[n]);
    l->room[n] = 0;
    return l->room;
}

static const struct ag_word *find_word(const struct ag_words *words, const char *word)
{
    char room[64];
    const struct lowered l = {words, room, sizeof room};

    for (size_t i = 0; i < words->n; i++)
        if (strcmp(small_word(i, &l), word) == 0)
            return &words->v[i];
    return NULL;
}

static bool no_such(const struct in *in, const char *name, const struct ag_words *words, const cJSON *j)
{
    char room[64];
    const struct lowered l = {words, room, sizeof room};
    const char *near;

    if (!cJSON_IsString(j))
        return wrong(in, "%s: want %s %s", name, strchr("aeiou", words->what[0]) ? "an" : "a", words->what);
    near = ibc_nearest(j->valuestring, small_word, words->n, &l);
    return wrong(in, "%s: no %s \"%.40s\"%s%s%s", name, words->what, j->valuestring, near ? "; did you mean \"" : "",
                 near ? near : "", near ? "\"?" : "");
}

static bool read_word(const struct in *in, const struct ag_field *f, const cJSON *j, uint8_t *n)
{
    const struct ag_words *words = &ag_words[ag_of[f->kind]];
    const struct ag_word *w = cJSON_IsString(j) ? find_word(words, j->valuestring) : NULL;

    if (!w)
        return no_such(in, f->name, words, j);
    *n = (uint8_t)w->n;
    return true;
}

static bool read_words(const struct in *in, const struct ag_field *f, const cJSON *j, uint64_t *set)
{
    const struct ag_words *words = &ag_words[ag_of[f->kind]];
    const cJSON *e;

    *set = 0;
    if (!cJSON_IsArray(j))
        return wrong(in, "%s: want a list of words", f->name);
    cJSON_ArrayForEach(e, j)
    {
        const struct ag_word *w = cJSON_IsString(e) ? find_word(words, e->valuestring) : NULL;
        if (!w && (in->strict || !cJSON_IsString(e)))
            return no_such(in, f->name, words, e);
        *set |= w ? UINT64_C(1) << w->n : 0;
    }
    return true;
}

/* ---- structures ---- */

static bool read_members(const struct in *in, const struct ag_shape *s, const cJSON *j, bool top, void *p);

/* Begins to read a member that is an object: errors in it are reported with the member's name before them. */
static struct in inside(const struct in *in, const char *name, char where[AG_SENTENCE])
{
    struct in to = *in;

    (void)snprintf(where, AG_SENTENCE, "%.80s: %s", in->where, name);
    to.where = where;
    return to;
}

static bool read_object(const struct in *in, const struct ag_field *f, const cJSON *j, void *p)
{
    char where[AG_SENTENCE];
    const struct in to = inside(in, f->name, where);

    return read_members(&to, &ag_shapes[ag_of[f->kind]], j, false, p);
}

static bool read_list(const struct in *in, const struct ag_field *f, const cJSON *j, uint8_t *p)
{
    const struct ag_shape *s = &ag_shapes[ag_of[f->kind]];
    const uint64_t most = (f->size - sizeof(uint64_t)) / s->size;
    char where[AG_SENTENCE];
    const struct in to = inside(in, f->name, where);
    const cJSON *e;
    uint64_t n = 0;

    if (!cJSON_IsArray(j))
        return wrong(in, "%s: want a list", f->name);
    cJSON_ArrayForEach(e, j)
    {
        if (n == most)
            return wrong(in, "%s: more than %u of them", f->name, (unsigned)most);
        if (!read_members(&to, s, e, false, p + sizeof n + n * s->size))
            return false;
        n++;
    }
    put_number(p, sizeof n, n);
    return true;
}

static bool read_value(const struct in *in, const struct ag_field *f, const cJSON *j, void *p)
{
    switch ((enum ag_form)ag_form[f->kind]) {
    case AG_H_NUMBER: return read_number(in, f, j, p);
    case AG_H_FLAG:
        *(bool *)p = cJSON_IsTrue(j);
        return cJSON_IsBool(j) || wrong(in, "%s: want true or false", f->name);
    case AG_H_TEXT: return read_text(in, f, j, p);
    case AG_H_LETTER: return read_letter(in, f, j, p);
    case AG_H_MTU: return read_mtu(in, f, j, p);
    case AG_H_GID: return read_gid(in, f, j, p);
    case AG_H_IPV4: return read_ipv4(in, f, j, p);
    case AG_H_MAC: return read_mac(in, f, j, p);
    case AG_H_BYTES: return read_bytes(in, f, j, p);
    case AG_H_COUNTERS: return read_counters(in, f, j, p);
    case AG_H_WORD: return read_word(in, f, j, p);
    case AG_H_WORDS: return read_words(in, f, j, p);
    case AG_H_MEMBERS: return read_object(in, f, j, p);
    case AG_H_LIST: return read_list(in, f, j, p);
    }
    return false;
}

static const char *field_name(size_t i, const void *ctx)
{
    return ((const struct ag_shape *)ctx)->field[i].name;
}

static bool unknown(const struct in *in, const struct ag_shape *s, const char *name)
{
    const char *near = ibc_nearest(name, field_name, s->n, s);

    return wrong(in, "no argument \"%.40s\"%s%s%s", name, near ? "; did you mean \"" : "", near ? near : "",
                 near ? "\"?" : "");
}

/* Whether the name is a member of the request itself, and no argument. */
static bool is_of_request(const char *name)
{
    return strcmp(name, "id") == 0 || strcmp(name, "do") == 0 || strcmp(name, "device") == 0;
}

static unsigned find_field(const struct ag_shape *s, const char *name)
{
    unsigned i = 0;

    while (i < s->n && strcmp(s->field[i].name, name) != 0)
        i++;
    return i;
}

/* top: the object is the request. The recursion is bounded by the table, whatever the line contains. */
static bool read_members(const struct in *in, const struct ag_shape *s, const cJSON *j, bool top, void *p)
{
    uint64_t seen = 0, given = 0;
    const cJSON *e;

    if (!cJSON_IsObject(j))
        return wrong(in, "want an object with %s", s->n > 0 ? s->field[0].name : "nothing in it");
    cJSON_ArrayForEach(e, j)
    {
        const unsigned i = find_field(s, e->string);
        if (i == s->n && ((top && is_of_request(e->string)) || !in->strict))
            continue;
        if (i == s->n)
            return unknown(in, s, e->string);
        if (seen >> i & 1)
            return wrong(in, "%s: given twice", s->field[i].name);
        seen |= UINT64_C(1) << i;
        if (cJSON_IsNull(e) && s->field[i].need != AG_MUST)
            continue;
        if (!read_value(in, &s->field[i], e, (uint8_t *)p + s->field[i].at))
            return false;
        given |= UINT64_C(1) << i;
    }
    for (unsigned i = 0; i < s->n; i++)
        if (s->field[i].need != AG_MAY && !(seen >> i & 1))
            return wrong(in, "%s: missing", s->field[i].name);
    put_number(p, sizeof given, given);
    return true;
}

/* ---- lines ---- */

/* Whether brackets outside of texts nest too deep. */
static bool too_deep(const char *line, size_t len)
{
    unsigned depth = 0;
    bool text = false;

    for (size_t i = 0; i < len; i++) {
        if (text && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            text = !text;
        else if (!text && (line[i] == '{' || line[i] == '['))
            depth++;
        else if (!text && (line[i] == '}' || line[i] == ']') && depth > 0)
            depth--;
        if (depth > DEEPEST)
            return true;
    }
    return false;
}

/* Parses a line. NULL: it is no JSON object, or more than one. */
static cJSON *parse(const char *line, size_t len)
{
    const char *end = line;
    cJSON *j = len < AG_LINE && !too_deep(line, len) ? cJSON_ParseWithLengthOpts(line, len, &end, false) : NULL;

    while (end < line + len && isspace((unsigned char)*end))
        end++;
    if (cJSON_IsObject(j) && end == line + len)
        return j;
    cJSON_Delete(j);
    return NULL;
}

static const char *verb_name(size_t i, const void *ctx)
{
    (void)ctx;
    return ag_verb_name((enum ag_verb)i);
}

static enum ag_error find_verb(const cJSON *j, struct ag_request *r, struct ag_reply *no)
{
    const cJSON *verb = cJSON_GetObjectItemCaseSensitive(j, "do");
    const char *near;
    unsigned v = 0;

    if (!cJSON_IsString(verb)) {
        ag_refuse(no, AG_E_bad_request, NULL, "do: want a verb");
        return no->error;
    }
    while (v < AG_V_COUNT && strcmp(ag_verb_name((enum ag_verb)v), verb->valuestring) != 0)
        v++;
    r->verb = (enum ag_verb)v;
    if (v < AG_V_COUNT)
        return AG_FINE;
    near = ibc_nearest(verb->valuestring, verb_name, AG_V_COUNT, NULL);
    ag_refuse(no, AG_E_unsupported, NULL, "no verb \"%.40s\"%s%s%s", verb->valuestring, near ? "; did you mean \"" : "",
              near ? near : "", near ? "\"?" : "");
    return no->error;
}

/* Returns a member of the request or reply itself that is given twice: readers differ in which one they use. NULL:
 * none is. */
static const char *doubled(const cJSON *j)
{
    static const char *const names[] = {"id", "do", "device", "ok", "error", "text"};
    unsigned times[sizeof names / sizeof *names] = {0};
    const cJSON *e;

    cJSON_ArrayForEach(e, j)
    {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(e->string, names[i]) == 0 && ++times[i] > 1)
                return names[i];
    }
    return NULL;
}

/* Reads the members other than the arguments. */
static enum ag_error read_head(const cJSON *j, struct ag_request *r, struct ag_reply *no)
{
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(j, "device");
    uint64_t n = 0;

    const char *twice = doubled(j);

    no->has_id = (!twice || strcmp(twice, "id") != 0) && is_natural(cJSON_GetObjectItemCaseSensitive(j, "id"), &r->id);
    no->id = r->id;
    if (twice)
        ag_refuse(no, AG_E_bad_request, NULL, "%s: given twice", twice);
    else if (!no->has_id)
        ag_refuse(no, AG_E_bad_request, NULL, "id: want a whole number, up to 2^53, else \"0x...\"");
    else if (device && (!is_natural(device, &n) || n >= IBC_DEVICES))
        ag_refuse(no, AG_E_bad_request, NULL, "device: want 0 or 1");
    r->device = (uint32_t)n;
    return no->error != AG_FINE ? no->error : find_verb(j, r, no);
}

enum ag_error ag_read_request(const char *line, size_t len, struct ag_request *r, struct ag_reply *no)
{
    struct in in = {.strict = true, .text = no->text, .cap = sizeof no->text};
    cJSON *j = parse(line, len);

    memset(r, 0, sizeof *r);
    no->has_id = false;
    no->error = AG_FINE;
    if (!j) {
        ag_refuse(no, AG_E_bad_json, NULL, "want one JSON object that nests at most %d deep", (int)DEEPEST);
        return no->error;
    }
    if (read_head(j, r, no) == AG_FINE) {
        in.where = ag_verb_name(r->verb);
        if (!read_members(&in, ag_args_shape(r->verb), j, true, &r->u)) {
            no->error = AG_E_bad_request;
            (void)snprintf(no->word, sizeof no->word, "%s", ag_error_word(no->error));
        }
    }
    cJSON_Delete(j);
    return no->error;
}

static void take_error(struct ag_reply *r, const char *word, const cJSON *text)
{
    unsigned e = AG_FINE + 1;

    while (e < AG_E_COUNT && strcmp(ag_error_word((enum ag_error)e), word) != 0)
        e++;
    ag_refuse(r, (enum ag_error)e, word, "%s", cJSON_IsString(text) ? text->valuestring : "");
}

bool ag_read_reply(const char *line, size_t len, enum ag_verb verb, struct ag_reply *r, char *text, size_t cap)
{
    const struct in in = {.where = ag_verb_name(verb), .strict = false, .text = text, .cap = cap};
    cJSON *j = parse(line, len);
    const cJSON *ok = cJSON_GetObjectItemCaseSensitive(j, "ok"), *error = cJSON_GetObjectItemCaseSensitive(j, "error");
    bool good = true;

    memset(r, 0, sizeof *r);
    r->verb = verb;
    r->has_id = is_natural(cJSON_GetObjectItemCaseSensitive(j, "id"), &r->id);
    const char *twice = doubled(j);
    if (!j)
        good = wrong(&in, "the answer is no JSON object");
    else if (twice)
        good = wrong(&in, "%s: given twice", twice);
    else if (cJSON_IsString(error) && !ok)
        take_error(r, error->valuestring, cJSON_GetObjectItemCaseSensitive(j, "text"));
    else if (!ok || error)
        good = wrong(&in, "the answer has neither ok nor error, or both");
    else if (verb < AG_V_COUNT)
        good = read_members(&in, ag_ok_shape(verb), ok, false, &r->u);
    cJSON_Delete(j);
    return good;
}
