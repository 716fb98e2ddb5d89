/* SPDX-License-Identifier: BSD-2-Clause */
#include "bind.h"
#include "expr.h"
#include <arpa/inet.h>
#include <string.h>

#define MOST_NS UINT64_C(43200000000000) /* four times the longest ACK timeout is a bit less than ten hours */

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool number(struct ibc_binder *b, const struct ibc_word *w, const char *s, uint64_t max, uint64_t *out)
{
    struct ibc_number n;

    if (!ibc_expr(s, false, &n))
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': %s", s, n.why);
    if (n.negative)
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is below 0", s);
    if (n.n > max)
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is too large: at most 0x%llx", s, (unsigned long long)max);
    *out = n.n;
    return true;
}

/* ---- values known at run time: object[.attr][+-^ number] ---- */
static const uint16_t attrs_of[IBC_O_COUNT] = {
    [IBC_O_mr] = 1 << IBC_A_va | 1 << IBC_A_lkey | 1 << IBC_A_rkey | 1 << IBC_A_length,
    [IBC_O_mw] = 1 << IBC_A_va | 1 << IBC_A_rkey | 1 << IBC_A_length,
    [IBC_O_srq] = 1 << IBC_A_srqn,
    [IBC_O_switch] = 1 << IBC_A_lid,
    [IBC_O_adapter] = 1 << IBC_A_lid,
    [IBC_O_cm] = 1 << IBC_A_id | 1 << IBC_A_peer | 1 << IBC_A_tid,
    [IBC_O_qp] = 1 << IBC_A_qpn | 1 << IBC_A_peer | 1 << IBC_A_epsn | 1 << IBC_A_psn};

static const char *attr_name(size_t i, const void *unused)
{
    (void)unused;
    return ibc_attr_names[i];
}

static bool attr_find(struct ibc_binder *b, const struct ibc_word *w, const char *name, uint8_t *attr)
{
    for (unsigned a = 0; a < IBC_A_COUNT; a++)
        if (strcmp(ibc_attr_names[a], name) == 0) {
            *attr = (uint8_t)a;
            return true;
        }
    return ibc_fault_unknown(IBC_AT_VALUE(b, w), "attribute", name, attr_name, IBC_A_COUNT, NULL);
}

static bool offset(struct ibc_binder *b, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    struct ibc_number n;

    if (*s == '\0')
        return true;
    v->op = *s;
    if (!ibc_expr(*s == '^' ? s + 1 : s, false, &n))
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': %s", s, n.why);
    if (*s == '^' && n.negative)
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is below 0", s);
    if (*s != '^')
        v->op = n.negative ? '-' : '+';
    v->n = n.n;
    return true;
}

/* An object without an attribute is an error where no default attribute exists. */
static bool no_number(struct ibc_binder *b, const struct ibc_word *w, uint16_t object)
{
    const struct ibc_object *o = &b->play->object[object];

    for (unsigned a = 0; a < IBC_A_COUNT; a++)
        if ((attrs_of[o->kind] >> a & 1) != 0)
            return ibc_fault(IBC_AT_VALUE(b, w), "'%s' is no number: one of its values is wanted, as '%s.%s'", o->name,
                             o->name, ibc_attr_names[a]);
    return ibc_fault(IBC_AT_VALUE(b, w), "'%s' is no number", o->name);
}

static bool live(struct ibc_binder *b, const struct ibc_word *w, const char *s, uint8_t attr, struct ibc_value *v)
{
    const size_t n_all = strcspn(s, "+-^");
    char name[2 * IBC_NAME], *dot;
    uint16_t object;

    if (n_all >= sizeof name)
        return ibc_fault(IBC_AT_VALUE(b, w), "unknown word '%.80s'", s);
    memcpy(name, s, n_all);
    name[n_all] = '\0';
    dot = strchr(name, '.');
    if (dot != NULL)
        *dot = '\0';
    object = ibc_object_find(b, w, name, ~0u, false);
    if (object == UINT16_MAX)
        return false;
    if (dot != NULL && !attr_find(b, w, dot + 1, &attr))
        return false;
    if (attr == IBC_A_ITSELF)
        return no_number(b, w, object);
    if ((attrs_of[b->play->object[object].kind] >> attr & 1) == 0)
        return ibc_fault(IBC_AT_VALUE(b, w), "a %s has no %s", ibc_object_names[b->play->object[object].kind],
                         ibc_attr_names[attr]);
    *v = (struct ibc_value){
        .kind = IBC_V_REF, .negated = v->negated, .object = object, .attr = attr, .mask = UINT64_MAX};
    return offset(b, w, s + n_all, v);
}

/* ---- numbers ---- */
static bool range(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                  const char *dots, struct ibc_value *v)
{
    const char *lo = ibc_arena_string(b->arena, s, (size_t)(dots - s));

    v->kind = IBC_V_RANGE;
    if (!number(b, w, lo, want->max, &v->n) || !number(b, w, dots + 2, want->max, &v->hi))
        return false;
    return v->n <= v->hi || ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': the range is empty", s);
}

static bool relative(struct ibc_binder *b, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    struct ibc_number n;

    if (!ibc_expr(s, false, &n))
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': %s", s, n.why);
    if (n.n > 0xffffff)
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is too far", s);
    v->kind = IBC_V_RELATIVE;
    v->n = n.negative ? (uint64_t) - (int64_t)n.n : n.n;
    return true;
}

static const char *kind_word_name(size_t i, const void *rows)
{
    return ((const struct ibc_kind_word *)rows)[i].word;
}

/* Reads a word such as "nak", "nak:7" or "nak.remote_access_error". */
static bool kind_word(struct ibc_binder *b, const struct ibc_kind_word *row, size_t n, const struct ibc_word *w,
                      const char *s, struct ibc_value *v)
{
    const size_t len = strcspn(s, ":.");
    const char *word = ibc_arena_string(b->arena, s, len);
    const struct iba_value *named;

    for (const struct ibc_kind_word *k = row; k < row + n; k++) {
        const enum iba_vocabulary names = (enum iba_vocabulary)k->names;
        size_t n_names;

        if (strcmp(k->word, word) != 0)
            continue;
        v->n = (uint64_t)(k->kind | k->usual);
        if (s[len] == '\0') {
            v->mask = k->mask;
            return true;
        }
        if (s[len] == ':') {
            if (!number(b, w, s + len + 1, (uint8_t)~k->mask, &v->n))
                return false;
            v->n |= k->kind;
            return true;
        }
        iba_values(names, &n_names);
        named = ibc_value_find(names, s + len + 1);
        if (named == NULL || named->lo != named->hi)
            return ibc_fault_unknown(IBC_AT_VALUE(b, w), word, s + len + 1, ibc_value_word, n_names, &names);
        v->n = k->kind | named->lo;
        return true;
    }
    return ibc_fault_unknown(IBC_AT_VALUE(b, w), "word", s, kind_word_name, n, row);
}

/* Reads a word of the field's vocabulary; if it is none, a value known at run time. */
static bool word_or_live(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                         struct ibc_value *v)
{
    const enum iba_vocabulary words = (enum iba_vocabulary)want->words;
    const struct iba_value *named = ibc_value_find(words, s);
    size_t n;

    if (named == NULL) {
        iba_values(words, &n);
        if (n > 0 && want->attr == IBC_A_ITSELF && strpbrk(s, ".+-^") == NULL)
            return ibc_fault_unknown(IBC_AT_VALUE(b, w), "word", s, ibc_value_word, n, &words);
        return live(b, w, s, want->attr, v);
    }
    v->kind = named->lo == named->hi ? IBC_V_NUMBER : IBC_V_RANGE;
    v->n = named->lo;
    v->hi = named->hi;
    if (v->kind == IBC_V_RANGE && !b->compares)
        return ibc_fault(IBC_AT_VALUE(b, w), "'%s' is several values: which one to send?", s);
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads a MAC address such as "00:11:22:33:44:55". */
static bool mac(struct ibc_binder *b, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    unsigned n = 0;

    for (const char *c = s; n < 6 && hex_digit(c[0]) >= 0 && hex_digit(c[1]) >= 0; c += 3) {
        v->n = v->n << 8 | (unsigned)hex_digit(c[0]) << 4 | (unsigned)hex_digit(c[1]);
        n++;
        if (c[2] != ':')
            break;
    }
    return (n == 6 && strlen(s) == 17) || ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is no Ethernet address", s);
}

static bool ipv4(struct ibc_binder *b, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    uint8_t byte[4];

    if (inet_pton(AF_INET, s, byte) != 1)
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is no IPv4 address", s);
    v->n = (uint64_t)byte[0] << 24 | (uint64_t)byte[1] << 16 | (uint64_t)byte[2] << 8 | byte[3];
    return true;
}

static bool numeric(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                    struct ibc_value *v)
{
    const char *dots = strstr(s, "..");
    const uint8_t show = want->field == NULL ? IBA_SHOW_DEC : want->field->show;

    if (dots != NULL && b->compares)
        return range(b, want, w, s, dots, v);
    if (show == IBA_SHOW_IP4 && strchr(s, '.') != NULL && !letter(*s))
        return ipv4(b, w, s, v);
    if (show == IBA_SHOW_MAC && strchr(s, ':') != NULL)
        return mac(b, w, s, v);
    if (*s == '+' || *s == '-')
        return want->relative ? relative(b, w, s, v)
                              : ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': only a PSN may be relative", s);
    if (letter(*s))
        return word_or_live(b, want, w, s, v);
    return number(b, w, s, want->max, &v->n);
}

/* ---- bytes ---- */
/* Reads bytes of two hex digits each; dots between bytes are for the reader. */
static bool hex(struct ibc_binder *b, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    uint8_t *out = ibc_arena_take(b->arena, strlen(s) / 2 + 1);
    uint32_t n = 0;

    for (const char *c = s; *c != '\0'; c += 2) {
        const int hi = hex_digit(c[0]), lo = hi < 0 ? -1 : hex_digit(c[1]);

        if (lo < 0)
            return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': bytes are pairs of hex digits", s);
        out[n++] = (uint8_t)(hi << 4 | lo);
    }
    if (n == 0)
        return ibc_fault(IBC_AT_VALUE(b, w), "no bytes");
    v->kind = IBC_V_BYTES;
    v->bytes = out;
    v->n_bytes = n;
    return true;
}

static bool has_prefix(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool bytes(struct ibc_binder *b, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    return hex(b, w, has_prefix(s, "hex:") ? s + 4 : s, v);
}

/* Reads exactly `n` bytes: an IPv6 address if n is 16, hex:..., or a group. */
static bool wide(struct ibc_binder *b, const struct ibc_word *w, const char *s, unsigned n, struct ibc_value *v)
{
    uint8_t in6[16];

    if (n == sizeof in6 && inet_pton(AF_INET6, s, in6) == 1) {
        v->kind = IBC_V_BYTES;
        v->n_bytes = n;
        v->bytes = memcpy(ibc_arena_take(b->arena, n), in6, n);
        return true;
    }
    if (n == sizeof in6 && letter(*s) && strchr(s, ':') == NULL) {
        v->kind = IBC_V_REF;
        v->attr = IBC_A_ITSELF;
        v->object = ibc_object_find(b, w, s, 1 << IBC_O_group, false);
        return v->object != UINT16_MAX;
    }
    if (!has_prefix(s, "hex:"))
        return ibc_fault(IBC_AT_VALUE(b, w),
                         n == sizeof in6 ? "'%.80s' is no IPv6 address" : "'%.80s': hex:... is wanted", s);
    if (!hex(b, w, s + 4, v))
        return false;
    if (v->n_bytes < n && b->compares && b->message != 0)
        return true; /* the first bytes of the field are compared */
    return v->n_bytes == n || ibc_fault(IBC_AT_VALUE(b, w), "%u bytes, and %u are wanted", v->n_bytes, n);
}

static bool payload(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                    struct ibc_value *v)
{
    return has_prefix(s, "hex:") ? hex(b, w, s + 4, v) : numeric(b, want, w, s, v);
}

static bool pattern(struct ibc_binder *b, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    v->kind = IBC_V_PATTERN;
    if (*s < 'a' || *s > 'z' || (s[1] != '\0' && s[1] != '+'))
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is no pattern: a letter, or x+100", s);
    v->n = (unsigned char)*s;
    return s[1] == '\0' || number(b, w, s + 2, UINT32_MAX, &v->hi);
}

/* ---- packets' splices: AT:WHAT ---- */
static bool splice(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                   struct ibc_arg *arg, struct ibc_value *v)
{
    const char *colon = strrchr(s, ':');
    const bool sge = want->row->type == IBC_T_SGE;
    const char *first;
    uint64_t at = 0;

    if (colon == NULL)
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' has no ':'", s);
    first = ibc_arena_string(b->arena, s, (size_t)(colon - s));
    if (!number(b, w, sge ? colon + 1 : first, sge ? UINT32_MAX : want->max, &at))
        return false;
    arg->at = (uint32_t)at;
    if (sge)
        return numeric(b, want, w, first, v);
    return want->row->type == IBC_T_SPLICE ? hex(b, w, colon + 1, v) : number(b, w, colon + 1, want->max, &v->n);
}

/* ---- words ---- */
static bool word(struct ibc_binder *b, enum ibc_vocab of, const struct ibc_word *w, const char *s, uint64_t *out)
{
    const struct ibc_vocab_row *row = ibc_vocab_find(of, s);

    if (row == NULL)
        return ibc_fault_unknown(IBC_AT_VALUE(b, w), ibc_vocabularies[of].what, s, ibc_vocab_name,
                                 ibc_vocabularies[of].n, &of);
    *out = row->n;
    return true;
}

static bool words(struct ibc_binder *b, enum ibc_vocab of, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    uint64_t one = 0;

    for (size_t n; s != NULL; s = s[n] == ',' ? s + n + 1 : NULL) {
        n = strcspn(s, ",");
        if (!word(b, of, w, ibc_arena_string(b->arena, s, n), &one))
            return false;
        v->n |= one;
    }
    return true;
}

static bool object(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                   struct ibc_value *v)
{
    *v = (struct ibc_value){.kind = IBC_V_REF, .attr = IBC_A_ITSELF, .mask = UINT64_MAX};
    v->object = ibc_object_find(b, w, s, want->row->of, want->row->type == IBC_T_LATER);
    return v->object != UINT16_MAX;
}

static bool party(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                  struct ibc_value *v)
{
    const struct ibc_vocab_row *row = ibc_vocab_find((enum ibc_vocab)want->row->of, s);

    *v = (struct ibc_value){.kind = IBC_V_NUMBER, .attr = IBC_A_ITSELF, .mask = UINT64_MAX};
    if (row != NULL) {
        v->n = row->n;
        return true;
    }
    v->kind = IBC_V_REF;
    v->object = ibc_object_find(b, w, s, 1 << IBC_O_group, false);
    return v->object != UINT16_MAX;
}

static bool crc(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                struct ibc_value *v)
{
    v->kind = letter(*s) ? IBC_V_WORD : IBC_V_NUMBER;
    v->text = s;
    if (letter(*s))
        return word(b, (enum ibc_vocab)want->row->of, w, s, &v->n);
    return number(b, w, s, want->max, &v->n);
}

static bool error(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                  struct ibc_value *v)
{
    v->kind = strcmp(s, "any") == 0 ? IBC_V_ANY : IBC_V_WORD;
    v->text = s;
    return v->kind == IBC_V_ANY || word(b, (enum ibc_vocab)want->row->of, w, s, &v->n);
}

static bool delta(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                  struct ibc_value *v)
{
    if (*s != '+')
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': +N is wanted", s);
    return numeric(b, want, w, s + 1, v);
}

static bool a_time(struct ibc_binder *b, const struct ibc_word *w, const char *s, struct ibc_value *v)
{
    struct ibc_number n;

    if (!ibc_expr(s, true, &n))
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': %s", s, n.why);
    if (n.negative)
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is below 0", s);
    v->kind = IBC_V_TIME;
    v->n = n.n;
    return n.n <= MOST_NS || ibc_fault(IBC_AT_VALUE(b, w), "'%.80s' is too long: at most twelve hours", s);
}

/* ---- names given to packets ---- */
static const char *known_name(size_t i, const void *binder)
{
    return ((const struct ibc_binder *)binder)->known[i];
}

static bool name(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                 struct ibc_value *v)
{
    unsigned i = 0;

    v->kind = IBC_V_WORD;
    v->text = s;
    if (*s == '\0' || strlen(s) >= IBC_NAME)
        return ibc_fault(IBC_AT_VALUE(b, w), "a name has 1 to %d bytes", IBC_NAME - 1);
    if (want->row->type == IBC_T_NAME)
        return true;
    while (i < b->n_known && strcmp(b->known[i], s) != 0)
        i++;
    if (i == b->n_known && want->row->type == IBC_T_KNOWN)
        return ibc_fault_unknown(IBC_AT_VALUE(b, w), "packet", s, known_name, b->n_known, b);
    if (i == IBC_MAX_KNOWN)
        return ibc_fault(IBC_AT_VALUE(b, w), "more than %d packets to remember", IBC_MAX_KNOWN);
    b->known[i] = s;
    b->n_known += i == b->n_known;
    return true;
}

/* Reads private data of a message: the first of its `n` bytes, after which all are 0; or all of them from a
 * pattern, "fill:x". */
static bool area(struct ibc_binder *b, const struct ibc_word *w, const char *s, unsigned n, struct ibc_value *v)
{
    if (has_prefix(s, "fill:") && s[5] >= 'a' && s[5] <= 'z' && s[6] == '\0') {
        *v = (struct ibc_value){.kind = IBC_V_BYTES, .n_bytes = n, .bytes = ibc_pattern_row(s[5], 0, n)};
        return true;
    }
    if (!has_prefix(s, "hex:"))
        return ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': hex:... or fill:x is wanted", s);
    return hex(b, w, s + 4, v) &&
           (v->n_bytes <= n || ibc_fault(IBC_AT_VALUE(b, w), "%u bytes, and there are %u", v->n_bytes, n));
}

static bool of_field(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
                     struct ibc_arg *arg, struct ibc_value *v)
{
    size_t n;
    const struct ibc_kind_word *kinds = ibc_kind_words((enum iba_hdr)arg->hdr, want->field, &n);

    if (arg->hdr == IBC_H_MAD && want->field->show == IBA_SHOW_BYTES)
        return area(b, w, s, want->field->bits / 8u, v);
    if (want->field->bits > 64 || want->field->show == IBA_SHOW_BYTES)
        return wide(b, w, s, want->field->bits / 8, v);
    if (kinds != NULL && letter(*s))
        return kind_word(b, kinds, n, w, s, v);
    return numeric(b, want, w, s, v);
}

bool ibc_atom(struct ibc_binder *b, const struct ibc_want *want, const struct ibc_word *w, const char *s,
              struct ibc_arg *arg, struct ibc_value *v)
{
    const struct ibc_row *row = want->row;

    v->mask = UINT64_MAX;
    v->kind = IBC_V_NUMBER;
    if (*s == '\0')
        return ibc_fault(IBC_AT_VALUE(b, w), "a value is missing");
    if (row == NULL)
        return of_field(b, want, w, s, arg, v);
    switch ((enum ibc_type)row->type) {
    case IBC_T_FLAG: v->n = 1; return true;
    case IBC_T_NUMBER:
    case IBC_T_PLACE:
    case IBC_T_EVERYWHERE:
        return numeric(b, want, w, s, v) && (v->n > 0 || v->kind != IBC_V_NUMBER || (row->flags & IBC_R_SOME) == 0 ||
                                             ibc_fault(IBC_AT_VALUE(b, w), "'%.80s': at least 1", s));
    case IBC_T_WORD: return word(b, (enum ibc_vocab)row->of, w, s, &v->n);
    case IBC_T_WORDS: return words(b, (enum ibc_vocab)row->of, w, s, v);
    case IBC_T_OBJECT:
    case IBC_T_LATER: return object(b, want, w, s, v);
    case IBC_T_PARTY: return party(b, want, w, s, v);
    case IBC_T_PATTERN: return pattern(b, w, s, v);
    case IBC_T_BYTES: return bytes(b, w, s, v);
    case IBC_T_PAYLOAD: return payload(b, want, w, s, v);
    case IBC_T_GID: return wide(b, w, s, 16, v);
    case IBC_T_TIME: return a_time(b, w, s, v);
    case IBC_T_NEW:
    case IBC_T_KNOWN:
    case IBC_T_NAME: return name(b, want, w, s, v);
    case IBC_T_DELTA: return delta(b, want, w, s, v);
    case IBC_T_CRC: return crc(b, want, w, s, v);
    case IBC_T_ERROR: return error(b, want, w, s, v);
    case IBC_T_SPLICE:
    case IBC_T_REMOVE:
    case IBC_T_SGE: return splice(b, want, w, s, arg, v);
    case IBC_T_COUNT: break;
    }
    return false;
}
