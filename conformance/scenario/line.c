/* SPDX-License-Identifier: BSD-2-Clause */
#include "bind.h"
#include "expr.h"
#include <stdio.h>
#include <string.h>

/* ---- the kind of a line ---- */
static int step_of(const char *word)
{
    for (int k = 0; k < IBC_S_COUNT; k++)
        if (strcmp(ibc_step_names[k], word) == 0 && k != IBC_S_object &&
            *word > '>') /* only as the first word, '<' and '>' are steps */
            return k;
    return -1;
}

static int object_of(const char *word)
{
    for (int k = 0; k < IBC_O_COUNT; k++)
        if (strcmp(ibc_object_names[k], word) == 0)
            return k;
    return -1;
}

enum { OTHERS = 2 };
static const char *const others[OTHERS] = {"repeat", "end"};

bool ibc_head_is(const char *word)
{
    for (size_t i = 0; i < IBC_HEAD_COUNT; i++)
        if (strcmp(ibc_head_names[i], word) == 0)
            return true;
    return false;
}

/* Returns name i of the words that may begin a line or follow its object. */
static const char *line_word(size_t i, const void *unused)
{
    (void)unused;
    if (i < IBC_S_COUNT)
        return i == IBC_S_object ? "" : ibc_step_names[i];
    i -= IBC_S_COUNT;
    if (i < IBC_O_COUNT)
        return ibc_object_names[i];
    i -= IBC_O_COUNT;
    return i < OTHERS ? others[i] : ibc_head_names[i - OTHERS];
}

static bool packet(struct ibc_text *t, const char *word)
{
    if ((*word != '<' && *word != '>') || (word[1] != '\0' && (*word == '>' || word[2] != '\0')))
        return false;
    if (word[1] != '\0' && word[1] != '?' && word[1] != '*')
        return false;
    t->form = IBC_FORM_PACKET;
    t->kind = *word == '<' ? IBC_S_expect : IBC_S_send;
    t->many = (uint8_t)word[1];
    return true;
}

static bool step(struct ibc_text *t, int kind)
{
    t->form = IBC_FORM_STEP;
    t->kind = (uint8_t)kind;
    return true;
}

static bool starts_with_object(int kind)
{
    const uint8_t o = ibc_shape_of_step((enum ibc_step_kind)kind)->object;

    return o == IBC_OBJECT_BEFORE || o == IBC_OBJECT_MAYBE;
}

enum { LINE_WORDS = (int)IBC_S_COUNT + (int)IBC_O_COUNT + (int)OTHERS };

/* Reports that the first word is no step. If that word looks like the name of an object, reports the second word. */
static bool no_step(struct ibc_fault *f, const struct ibc_text *t, const struct ibc_word *w, bool two)
{
    const size_t n = (size_t)LINE_WORDS + IBC_HEAD_COUNT;

    if (two && ibc_nearest(w[0].s, line_word, n, NULL) == NULL)
        w++;
    return ibc_fault_unknown(f, t->line, w->column, "step", w->s, line_word, n, NULL);
}

/* Classifies the words from t->skip on. */
static bool classify(struct ibc_fault *f, struct ibc_text *t)
{
    const struct ibc_word *w = t->word + t->skip;
    const bool two = t->n_word > t->skip + 1;
    const char *first = w[0].s, *second = two ? w[1].s : "";
    const int kind = step_of(first), then = step_of(second), made = object_of(first);

    if (packet(t, first))
        return true;
    for (unsigned i = 0; i < OTHERS; i++)
        if (strcmp(first, others[i]) == 0) {
            t->form = (uint8_t)(IBC_FORM_REPEAT + i);
            return true;
        }
    if (then >= 0 && starts_with_object(then) && (kind < 0 || starts_with_object(kind)))
        return step(t, then);
    if (made >= 0) {
        t->form = IBC_FORM_OBJECT;
        t->kind = (uint8_t)made;
        return true;
    }
    if (kind >= 0)
        return step(t, kind);
    return no_step(f, t, w, two);
}

static bool no_verdict(struct ibc_fault *f, const struct ibc_text *t)
{
    const enum ibc_vocab v = IBC_VOCAB_SAYS;

    return ibc_fault_unknown(f, t->line, t->word[1].column, ibc_vocabularies[v].what, t->word[1].s, ibc_vocab_name,
                             ibc_vocabularies[v].n, &v);
}

/* Whether an event begins at word i, as "<", "silence" or "a silence" do. */
static bool is_event(const struct ibc_text *t, unsigned i)
{
    return *t->word[i].s == '<' || *t->word[i].s == '>' || step_of(t->word[i].s) >= 0 ||
           (i + 1u < t->n_word && step_of(t->word[i + 1].s) >= 0);
}

/* Whether the device may refuse the verb, so that a line may have error=. */
static bool may_refuse(uint8_t kind)
{
    const struct ibc_shape *shape = ibc_shape_of_step((enum ibc_step_kind)kind);

    for (unsigned i = 0; i < shape->n; i++)
        if (shape->row[i].key == IBC_K_error)
            return true;
    return false;
}

enum ibc_family ibc_line_family(uint8_t kind)
{
    switch ((enum ibc_step_kind)kind) {
    case IBC_S_expect:
    case IBC_S_silence: return IBC_FAMILY_PACKET;
    case IBC_S_completion:
    case IBC_S_completions: return IBC_FAMILY_COMPLETION;
    case IBC_S_event:
    case IBC_S_events:
    case IBC_S_told: return IBC_FAMILY_EVENT;
    case IBC_S_state: return IBC_FAMILY_STATE;
    case IBC_S_memory: return IBC_FAMILY_MEMORY;
    default: return may_refuse(kind) ? IBC_FAMILY_VERB : IBC_FAMILY_NONE;
    }
}

/* Reads the beginning of an alternative: "| [VERDICT] ["why"] EVENT". */
static bool alternative(struct ibc_fault *f, struct ibc_text *t)
{
    const struct ibc_vocab_row *says = t->n_word > 1 ? ibc_vocab_find(IBC_VOCAB_SAYS, t->word[1].s) : NULL;

    if (says == NULL && t->n_word > 1 && !t->word[1].quoted && !is_event(t, 1))
        return no_verdict(f, t);
    t->alternative = true;
    t->says = says == NULL ? IBC_SAYS_PASS : (uint8_t)says->n;
    t->skip = says == NULL ? 1 : 2;
    if (t->n_word > t->skip && t->word[t->skip].quoted)
        t->why = t->word[t->skip++].s;
    if (t->n_word == t->skip)
        return ibc_fault(f, t->line, t->column, "the alternative is missing");
    if (!classify(f, t))
        return false;
    if ((t->form == IBC_FORM_PACKET || t->form == IBC_FORM_STEP) && t->many == 0 && ibc_line_family(t->kind))
        return true;
    return ibc_fault(f, t->line, t->word[t->skip].column, "an alternative is what may come, or what a verb may answer");
}

bool ibc_line_classify(struct ibc_fault *f, struct ibc_text *t)
{
    if (ibc_head_is(t->word[0].s))
        return ibc_fault(f, t->line, t->column, "'%s' belongs to the head, above", t->word[0].s);
    return strcmp(t->word[0].s, "|") == 0 ? alternative(f, t) : classify(f, t);
}

bool ibc_name_is_free(const char *name)
{
    return step_of(name) < 0 && object_of(name) < 0 && !ibc_head_is(name);
}

/* ---- arguments ---- */
struct args {
    struct ibc_binder *b;
    const struct ibc_shape *shape;
    struct ibc_arg *arg;
    unsigned n;
};

static const char *key_name(size_t i, const void *args)
{
    const struct args *a = args;

    if (i < a->shape->n)
        return (a->shape->row[i].flags & IBC_R_BARE) != 0 ? "" : ibc_key_names[a->shape->row[i].key];
    i -= a->shape->n;
    return i < ibc_field_name_count ? ibc_field_names[i].name : ibc_field_whole(i - ibc_field_name_count, NULL);
}

static bool unknown(const struct args *a, const struct ibc_word *w, const char *name)
{
    const struct ibc_binder *b = a->b;
    const size_t n = a->shape->n + (b->packet ? ibc_field_name_count + ibc_field_count() : 0);

    return ibc_fault_unknown(IBC_AT(b, w), b->packet ? "field" : "word", name, key_name, n, a);
}

/* Returns the row of a key by its name; NULL: there is none. */
static const struct ibc_row *row_find(const struct ibc_shape *shape, const char *name, size_t len)
{
    for (unsigned i = 0; i < shape->n; i++) {
        const struct ibc_row *r = &shape->row[i];
        const char *k = ibc_key_names[r->key];

        if (strncmp(k, name, len) == 0 && k[len] == '\0' && (r->flags & IBC_R_BARE) == 0)
            return r;
    }
    return NULL;
}

/* Adds an argument. NULL: the line has the key already, or too many arguments; the fault was reported. */
static struct ibc_arg *arg_new(struct args *a, const struct ibc_word *w, const char *name, uint8_t key, unsigned flags,
                               const struct iba_field *field)
{
    struct ibc_arg *arg = &a->arg[a->n];

    for (unsigned i = 0; i < a->n && (flags & IBC_R_MANY) == 0; i++)
        if (a->arg[i].key == key && a->arg[i].field == field) {
            ibc_fault(IBC_AT(a->b, w), "'%.40s' is given twice", name);
            return NULL;
        }
    if (a->n == IBC_MAX_ARGS) {
        ibc_fault(IBC_AT(a->b, w), "more than %d words", IBC_MAX_ARGS);
        return NULL;
    }
    *arg = (struct ibc_arg){.key = key, .name = name, .field = field};
    a->n++;
    return arg;
}

static bool takes_op(const struct args *a, const struct ibc_row *r, const struct ibc_word *w)
{
    const struct ibc_vocabulary *ops = &ibc_vocabularies[a->shape->op];

    if (r->ops == 0 || (r->ops >> a->b->op & 1) != 0)
        return true;
    for (size_t i = 0; i < ops->n; i++)
        if (ops->row[i].n == a->b->op)
            return ibc_fault(IBC_AT(a->b, w), "%s has no '%s'", ops->row[i].name, ibc_key_names[r->key]);
    return false;
}

static bool key_bind(struct args *a, const struct ibc_row *r, const struct ibc_word *w, const char *value)
{
    struct ibc_arg *arg = arg_new(a, w, ibc_key_names[r->key], r->key, r->flags, NULL);

    if (arg == NULL || !takes_op(a, r, w))
        return false;
    if ((r->flags & IBC_R_MIDDLE) != 0 && a->b->play->scenario->role != IBC_ROLE_middle)
        return ibc_fault(IBC_AT(a->b, w), "'%s' is for role middle", ibc_key_names[r->key]);
    if ((r->flags & IBC_R_FABRIC) != 0 && a->b->play->scenario->role != IBC_ROLE_fabric)
        return ibc_fault(IBC_AT(a->b, w), "'%s' is for role fabric", ibc_key_names[r->key]);
    if (r->type == IBC_T_EVERYWHERE)
        arg->hdr = IBA_H_grh;
    return ibc_value_bind(a->b, r, w, value, arg);
}

/* Reads a field of a connection manager's message, or of a management datagram. False: the message has no field of
 * that name. *arg is NULL after a fault. */
static bool message_field(struct args *a, const struct ibc_word *w, const char *name, int index, const char *value,
                          struct ibc_arg **arg)
{
    uint32_t at;
    const struct iba_field *f = ibc_smp_attr(a->b->message) != NULL ? ibc_smp_field(a->b->message, name, index, &at)
                                                                    : ibc_message_field(a->b->message, name, &at);

    if (f == NULL)
        return false;
    *arg = arg_new(a, w, name, IBC_K_FIELD, index < 0 ? 0 : IBC_R_MANY, f);
    if (*arg == NULL)
        return true;
    (*arg)->hdr = IBC_H_MAD;
    (*arg)->at = at;
    if (!ibc_field_bind(a->b, w, value, IBC_A_ITSELF, *arg))
        *arg = NULL;
    return true;
}

static bool field(struct args *a, const struct ibc_word *w, const char *name, const char *value)
{
    struct ibc_binder *b = a->b;
    const struct iba_field *f = NULL;
    struct ibc_arg *arg;
    enum iba_hdr hdr = IBA_H_bth;
    uint8_t attr;

    if (b->message != 0 && message_field(a, w, name, -1, value, &arg))
        return arg != NULL;
    if (b->at->kind == IBC_S_has)
        return unknown(a, w, name); /* a node is read, and no packet */
    switch (ibc_field_find(name, b->hdrs, &hdr, &f, &attr)) {
    case IBC_FIELD_UNKNOWN: return unknown(a, w, name);
    case IBC_FIELD_ABSENT:
        return ibc_fault(IBC_AT(b, w), "'%.60s': this packet has no %s", name, iba_headers[hdr].name);
    case IBC_FIELD_FOUND: break;
    }
    arg = arg_new(a, w, name, IBC_K_FIELD, 0, f);
    if (arg == NULL)
        return false;
    arg->hdr = (uint8_t)hdr;
    return ibc_field_bind(b, w, value, attr, arg);
}

/* Reads an argument such as "pkey[1]=0x8001". */
static bool indexed(struct args *a, const struct ibc_word *w, const char *bracket, const char *equals)
{
    const struct ibc_row *r = row_find(a->shape, w->s, (size_t)(bracket - w->s));
    struct ibc_number n;
    const char *index, *name = ibc_arena_string(a->b->arena, w->s, (size_t)(bracket - w->s));
    const bool of_table = ibc_smp_attr(a->b->message) != NULL;
    struct ibc_arg *arg;

    if (!of_table && (r == NULL || (r->flags & IBC_R_INDEX) == 0))
        return unknown(a, w, w->s);
    if (equals[-1] != ']')
        return ibc_fault(IBC_AT(a->b, w), "']' is missing");
    index = ibc_arena_string(a->b->arena, bracket + 1, (size_t)(equals - bracket) - 2);
    if (!ibc_expr(index, false, &n) || n.negative || n.n > UINT8_MAX)
        return ibc_fault(IBC_AT(a->b, w), "'%.40s' is no index", index);
    if (of_table)
        return message_field(a, w, name, (int)n.n, equals + 1, &arg) ? arg != NULL : unknown(a, w, w->s);
    if (!key_bind(a, r, w, equals + 1))
        return false;
    a->arg[a->n - 1].at = (uint32_t)n.n;
    return true;
}

/* Whether the line is about a record of subnet administration: such records have GIDs and other fields that headers
 * have, too. */
static bool is_record(const struct ibc_binder *b)
{
    const struct iba_mad_attr *a = ibc_smp_attr(b->message);

    return a != NULL && a->group == IBA_GROUP_SA;
}

/* Reads an argument "name=value". */
static bool named(struct args *a, const struct ibc_word *w, const char *equals)
{
    const size_t len = (size_t)(equals - w->s);
    const char *bracket = memchr(w->s, '[', len);
    const struct ibc_row *r;
    const char *name;
    struct ibc_arg *arg;

    if (bracket != NULL)
        return indexed(a, w, bracket, equals);
    r = row_find(a->shape, w->s, len);
    name = ibc_arena_string(a->b->arena, w->s, len);
    if (r != NULL && is_record(a->b) && message_field(a, w, name, -1, equals + 1, &arg))
        return arg != NULL;
    if (r != NULL && r->type == IBC_T_FLAG)
        return ibc_fault(IBC_AT(a->b, w), "'%s' stands alone, without '='", ibc_key_names[r->key]);
    if (r != NULL && (r->flags & IBC_R_INDEX) != 0)
        return ibc_fault(IBC_AT(a->b, w), "which one? %s[I]=", ibc_key_names[r->key]);
    if (r != NULL)
        return key_bind(a, r, w, equals + 1);
    return a->b->packet || a->b->message != 0 ? field(a, w, name, equals + 1) : unknown(a, w, name);
}

/* Reads a word without '=': a flag, key:value, or the next positional value. */
static bool bare(struct args *a, const struct ibc_word *w)
{
    const struct ibc_row *r = row_find(a->shape, w->s, strlen(w->s));
    const size_t colon = strcspn(w->s, ":");

    if (r != NULL && r->type == IBC_T_FLAG)
        return key_bind(a, r, w, w->s);
    if (w->s[colon] == ':') {
        r = row_find(a->shape, w->s, colon);
        if (r != NULL && (r->flags & IBC_R_COLON) != 0)
            return key_bind(a, r, w, w->s + colon + 1);
    }
    for (unsigned i = 0; i < a->shape->n; i++) {
        r = &a->shape->row[i];
        if ((r->flags & IBC_R_BARE) != 0 && ibc_arg(a->arg, a->n, (enum ibc_key)r->key) == NULL)
            return key_bind(a, r, w, w->s);
    }
    return unknown(a, w, w->s);
}

static bool one_of(const struct args *a, const struct ibc_word *last)
{
    char names[100] = "";
    size_t n = 0;

    for (unsigned i = 0; i < a->shape->n; i++)
        if ((a->shape->row[i].flags & IBC_R_ONE) != 0 && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n == 0 ? "" : ", ",
                                  ibc_key_names[a->shape->row[i].key]);
    return ibc_fault(IBC_AT(a->b, last), "%s%s is wanted", strchr(names, ',') != NULL ? "one of " : "", names);
}

/* Whether all required arguments exist. */
static bool complete(const struct args *a)
{
    const struct ibc_binder *b = a->b;
    const struct ibc_word *last = &b->word[b->n_word - 1];
    unsigned ones = 0, of = 0;

    for (unsigned i = 0; i < a->shape->n; i++) {
        const struct ibc_row *r = &a->shape->row[i];
        const bool there = ibc_arg(a->arg, a->n, (enum ibc_key)r->key) != NULL;

        if ((r->flags & IBC_R_MUST) != 0 && !there)
            return ibc_fault(IBC_AT(b, last), (r->flags & IBC_R_BARE) != 0 ? "a value is missing" : "'%s=' is missing",
                             ibc_key_names[r->key]);
        of += (r->flags & IBC_R_ONE) != 0;
        ones += (r->flags & IBC_R_ONE) != 0 && there;
    }
    if (of > 0 && ones != 1)
        return one_of(a, last);
    return !a->shape->some || a->n > 0 || ibc_fault(IBC_AT(b, last), "a word is missing");
}

bool ibc_args(struct ibc_binder *b, const struct ibc_shape *shape, unsigned from, const struct ibc_arg **out,
              uint8_t *n)
{
    const unsigned words = b->n_word > from ? b->n_word - from : 0;
    struct args a = {b, shape, NULL, 0};

    a.arg = ibc_arena_take(b->arena, (words < IBC_MAX_ARGS ? words : IBC_MAX_ARGS) * sizeof *a.arg);
    for (const struct ibc_word *w = b->word + from; w < b->word + b->n_word; w++) {
        const char *equals = strchr(w->s, '=');

        if (!(equals == NULL ? bare(&a, w) : named(&a, w, equals)))
            return false;
    }
    if (!complete(&a))
        return false;
    *out = a.arg;
    *n = (uint8_t)a.n;
    return true;
}
