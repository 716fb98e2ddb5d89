/* SPDX-License-Identifier: BSD-2-Clause */
#include "bind.h"
#include "expr.h"
#include <stdio.h>
#include <string.h>

struct head {
    struct ibc_loaded *l;
    struct ibc_fault *f;
    const struct ibc_text *t;
};

/* ---- kinds of lines ---- */
/* Returns the text after the first word, unchanged. */
static const char *rest(const struct ibc_text *t)
{
    const char *s = t->text + strcspn(t->text, " \t");

    return s + strspn(s, " \t");
}

static bool head_title(struct head *h)
{
    h->l->s.title = ibc_arena_string(h->l->arena, rest(h->t), strlen(rest(h->t)));
    return true;
}

static bool head_drawn(struct head *h)
{
    if (h->t->n_word != 2)
        return ibc_fault(h->f, h->t->line, h->t->word[2].column, "the reason is one text between quotes");
    h->l->s.drawn = h->t->word[1].s;
    return true;
}

/* Appends the line's text to that of earlier lines. */
static bool add_text(struct head *h, char **to)
{
    const char *before = *to == NULL ? "" : *to, *more = rest(h->t);
    const size_t n = strlen(before), m = strlen(more);
    char *all = ibc_arena_take(h->l->arena, n + m + 2);

    memcpy(all, before, n);
    if (n > 0)
        all[n] = '\n';
    memcpy(all + n + (n > 0), more, m + 1);
    *to = all;
    return true;
}

static bool head_note(struct head *h)
{
    return add_text(h, &h->l->s.note);
}

static bool head_hazard(struct head *h)
{
    return add_text(h, &h->l->s.hazard);
}

/* Appends the line's words to the words read before. */
static void append(struct head *h, const char ***list, unsigned *n)
{
    const unsigned more = h->t->n_word - 1u;
    const char **all = ibc_arena_take(h->l->arena, (*n + more) * sizeof *all);

    if (*n > 0)
        memcpy(all, *list, *n * sizeof *all);
    for (unsigned i = 0; i < more; i++)
        all[*n + i] = h->t->word[i + 1].s;
    *list = all;
    *n += more;
}

static bool head_spec(struct head *h)
{
    struct ibc_scenario *s = &h->l->s;
    const unsigned before = s->n_spec;
    struct ibc_place *at;

    if (before == 0 && h->t->n_word == 2 && strcmp(h->t->word[1].s, "none") == 0) /* an experiment */
        return true;
    append(h, &s->spec, &s->n_spec);
    at = ibc_arena_take(h->l->arena, s->n_spec * sizeof *at);
    if (before > 0)
        memcpy(at, s->spec_at, before * sizeof *at);
    for (unsigned i = before; i < s->n_spec; i++) {
        at[i] = (struct ibc_place){h->t->line, h->t->word[i - before + 1].column};
        for (unsigned k = 0; k < i; k++)
            if (strcmp(s->spec[k], s->spec[i]) == 0)
                return ibc_fault(h->f, at[i].line, at[i].column, "'%.40s' is given twice", s->spec[i]);
    }
    s->spec_at = at;
    return true;
}

static bool head_covers(struct head *h)
{
    append(h, &h->l->s.covers, &h->l->s.n_covers);
    return true;
}

static bool head_see(struct head *h)
{
    append(h, &h->l->s.see, &h->l->s.n_see);
    return true;
}

/* Returns the capability whose name has the longest common prefix with the word, of at least two letters; NULL:
 * none has. */
static const char *begins_as(const char *word)
{
    const char *best = NULL;
    size_t most = 0;

    for (unsigned i = 0; i < IBC_CAP_COUNT; i++) {
        const char *name = ibc_capability_names[i];
        size_t n = 0;
        while (name[n] != '\0' && name[n] == word[n])
            n++;
        const size_t likeness = n < 2 ? 0 : 2 * n + (name[strlen(name) - 1] == word[strlen(word) - 1]);
        best = likeness > most ? name : best;
        most = likeness > most ? likeness : most;
    }
    return best;
}

/* There are many capabilities, so the message names the list instead of guessing. */
static bool unknown_capability(struct head *h, const struct ibc_word *w)
{
    const enum ibc_vocab v = IBC_VOCAB_CAPABILITY;
    const char *near = ibc_nearest(w->s, ibc_vocab_name, ibc_vocabularies[v].n, &v);

    near = near == NULL ? begins_as(w->s) : near;
    return ibc_fault(h->f, h->t->line, w->column,
                     "unknown capability '%.80s'%s%s%s (`ibconform list --capabilities` lists them)", w->s,
                     near == NULL ? "" : "; did you mean '", near == NULL ? "" : near, near == NULL ? "" : "'?");
}

/* Reads the words of the line into a mask: 1 << the number of each word. */
static bool words(struct head *h, enum ibc_vocab v, uint64_t *mask)
{
    for (const struct ibc_word *w = h->t->word + 1; w < h->t->word + h->t->n_word; w++) {
        const struct ibc_vocab_row *row = ibc_vocab_find(v, w->s);

        if (row == NULL)
            return v == IBC_VOCAB_CAPABILITY ? unknown_capability(h, w)
                                             : ibc_fault_unknown(h->f, h->t->line, w->column, ibc_vocabularies[v].what,
                                                                 w->s, ibc_vocab_name, ibc_vocabularies[v].n, &v);
        if ((*mask >> row->n & 1) != 0)
            return ibc_fault(h->f, h->t->line, w->column, "'%s' is given twice", w->s);
        *mask |= UINT64_C(1) << row->n;
    }
    return true;
}

static bool head_service(struct head *h)
{
    uint64_t mask = h->l->s.services;
    const bool good = words(h, IBC_VOCAB_SERVICE, &mask);

    h->l->s.services = (uint32_t)mask;
    return good;
}

static bool head_link(struct head *h)
{
    uint64_t mask = h->l->s.links;
    const bool good = words(h, IBC_VOCAB_LINK, &mask);

    h->l->s.links = (uint32_t)mask;
    return good;
}

static bool head_needs(struct head *h)
{
    return words(h, IBC_VOCAB_CAPABILITY, &h->l->s.needs);
}

static bool one_word(struct head *h, enum ibc_vocab v, uint8_t *out)
{
    uint64_t mask = 0;

    if (!words(h, v, &mask))
        return false;
    if (h->t->n_word != 2)
        return ibc_fault(h->f, h->t->line, h->t->word[2].column, "one %s is enough", ibc_vocabularies[v].what);
    for (*out = 0; (mask >> *out & 1) == 0;)
        (*out)++;
    return true;
}

static bool head_role(struct head *h)
{
    return one_word(h, IBC_VOCAB_ROLE, &h->l->s.role);
}

static bool head_class(struct head *h)
{
    return one_word(h, IBC_VOCAB_CLASS, &h->l->s.klass);
}

/* ---- vary ---- */
/* Splits `s` at its commas into at most `room` pieces, and returns their number. */
static unsigned split(struct ibc_arena *a, const char *s, const char **out, unsigned room)
{
    unsigned n = 0;

    for (size_t k; s != NULL; s = s[k] == ',' ? s + k + 1 : NULL, n++) {
        k = strcspn(s, ",");
        if (n < room)
            out[n] = ibc_arena_string(a, s, k);
    }
    return n;
}

static bool vary_name(struct head *h, const struct ibc_vary *new, unsigned i)
{
    const char *name = new->name[i];
    const size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const uint16_t column = h->t->word[1].column;

    if (n == 0 || name[n] != '\0' || n >= IBC_NAME)
        return ibc_fault(h->f, h->t->line, column, "'%.40s': a name has 1 to %d letters, digits and '_'", name,
                         IBC_NAME - 1);
    if (strcmp(name, "i") == 0 || strcmp(name, "j") == 0)
        return ibc_fault(h->f, h->t->line, column, "'%s' counts in repeats", name);
    for (const struct ibc_vary *v = h->l->vary; v <= new; v++)
        for (unsigned k = 0; k < (v == new ? i : v->n_name); k++)
            if (strcmp(v->name[k], name) == 0)
                return ibc_fault(h->f, h->t->line, column, "'%s' is varied twice", name);
    return true;
}

static bool head_vary(struct head *h)
{
    struct ibc_loaded *l = h->l;
    struct ibc_vary *v = &l->vary[l->n_vary];
    const struct ibc_text *t = h->t;
    const char *name[IBC_MAX_VARS];

    if (l->n_vary == IBC_MAX_VARS)
        return ibc_fault(h->f, t->line, t->column, "more than %d lines that vary", IBC_MAX_VARS);
    if (t->n_word < 3)
        return ibc_fault(h->f, t->line, t->column, "a name and its values are wanted");
    v->line = t->line;
    v->column = t->word[1].column;
    v->n_name = split(l->arena, t->word[1].s, name, IBC_MAX_VARS);
    if (v->n_name > IBC_MAX_VARS)
        return ibc_fault(h->f, t->line, v->column, "more than %d names", IBC_MAX_VARS);
    v->name = memcpy(ibc_arena_take(l->arena, sizeof name), name, sizeof name);
    for (unsigned i = 0; i < v->n_name; i++)
        if (!vary_name(h, v, i))
            return false;
    v->n_value = t->n_word - 2u;
    v->value = ibc_arena_take(l->arena, v->n_value * v->n_name * sizeof *v->value);
    for (unsigned i = 0; i < v->n_value; i++) {
        const struct ibc_word *w = &t->word[i + 2];

        if (v->n_name == 1)
            v->value[i] = w->s;
        else if (split(l->arena, w->s, v->value + i * v->n_name, v->n_name) != v->n_name)
            return ibc_fault(h->f, t->line, w->column, "%u values are wanted, commas between", v->n_name);
    }
    l->n_vary++;
    l->s.n_variation *= v->n_value;
    return l->s.n_variation <= IBC_MAX_VARIATIONS ||
           ibc_fault(h->f, t->line, t->column, "more than %d variations", IBC_MAX_VARIATIONS);
}

/* ---- the head ---- */
static const struct {
    bool (*read)(struct head *);
    bool once, must;
} heads[IBC_HEAD_COUNT] = {
#define HEAD(w, once, must) {head_##w, once, must},
    IBC_HEADS(HEAD)};

static bool line_read(struct head *h, size_t kind, unsigned *seen)
{
    if (h->t->n_word < 2)
        return ibc_fault(h->f, h->t->line, h->t->column, "'%s' says nothing", ibc_head_names[kind]);
    if (heads[kind].once && (*seen >> kind & 1) != 0)
        return ibc_fault(h->f, h->t->line, h->t->column, "'%s' is given twice", ibc_head_names[kind]);
    *seen |= 1u << kind;
    return heads[kind].read(h);
}

/* Sets the service. A scenario about a subnet has no `service` line: its packets are datagrams if their lines do not
 * name another opcode, and its link is InfiniBand. */
static bool give_service(struct head *h, unsigned seen, unsigned body)
{
    struct ibc_scenario *s = &h->l->s;

    if (ibc_role_has_subnet(s->role) && (seen >> IBC_HEAD_role & 1) != 0) {
        s->services = 1u << IBA_QPT_UD;
        s->links = 1u << IBC_LINK_ib_local;
        s->needs |= UINT64_C(1) << (s->role == IBC_ROLE_sm ? IBC_CAP_sm : IBC_CAP_fabric);
        return true;
    }
    return (seen >> IBC_HEAD_service & 1) != 0 || (body < s->n_line && !ibc_line_classify(h->f, &s->text[body])) ||
           ibc_fault(h->f, body < s->n_line ? s->text[body].line : 0, 1, "the head has no 'service' line");
}

bool ibc_head_read(struct ibc_loaded *l, struct ibc_fault *f, unsigned *body)
{
    struct head h = {l, f, l->s.text};
    unsigned seen = 0;

    l->s.klass = UINT8_MAX;
    l->s.n_variation = 1;
    for (; h.t < l->s.text + l->s.n_line; h.t++) {
        size_t kind = 0;

        while (kind < IBC_HEAD_COUNT && strcmp(ibc_head_names[kind], h.t->word[0].s) != 0)
            kind++;
        if (kind == IBC_HEAD_COUNT)
            break;
        if (!line_read(&h, kind, &seen))
            return false;
    }
    *body = (unsigned)(h.t - l->s.text);
    for (size_t kind = 0; kind < IBC_HEAD_COUNT; kind++)
        if (heads[kind].must && (seen >> kind & 1) == 0 &&
            (*body == l->s.n_line || ibc_line_classify(f, &l->s.text[*body])))
            return ibc_fault(f, *body < l->s.n_line ? h.t->line : 0, 1, "the head has no '%s' line",
                             ibc_head_names[kind]);
    return give_service(&h, seen, *body);
}
