/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a case from a seed: a kind, its objects, and inputs, all of them text with placeholders that are filled at
 * random. */
#include "fuzz.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "known.h"
#include "making.h"

enum { NOW_AND_THEN = 6, MOST_SLOTS = 400 };

/* ---- placeholders ---- */

static bool has(const struct making *m, uint64_t needs, uint32_t links)
{
    return (needs & ~m->may->caps) == 0 && (links >> m->c->link & 1);
}

static bool is_rule(const struct fuzz_rule *r, const char *name, size_t len)
{
    return strncmp(r->name, name, len) == 0 && r->name[len] == '\0';
}

/* Chooses one of the rules of that name, each with equal probability; NULL: there is none. */
static const struct fuzz_rule *pick(struct making *m, const char *name, size_t len)
{
    static const struct fuzz_rules *const files[] = {&fuzz_packet_rules, &fuzz_work_rules, &fuzz_verb_rules,
                                                     &fuzz_cm_rules};
    const struct fuzz_rule *chosen = NULL;
    uint32_t n = 0;

    for (unsigned f = 0; f < FUZZ_RULE_FILES; f++)
        for (size_t i = 0; i < files[f]->n; i++) {
            const struct fuzz_rule *r = &files[f]->rule[i];
            if (is_rule(r, name, len) && has(m, r->needs, r->links) && making_one_in(m, ++n))
                chosen = r;
        }
    return chosen;
}

/* Finds the start and length of the i-th alternative of a text such as "a|b{c|d}|e". False: there are no more. */
static bool alternative(const char *text, size_t len, unsigned i, const char **at, size_t *n)
{
    size_t from = 0;
    unsigned k = 0;
    int depth = 0;

    for (size_t p = 0; p <= len; p++) {
        if (p < len && (text[p] == '{' || text[p] == '}'))
            depth += text[p] == '{' ? 1 : -1;
        if (p < len && (text[p] != '|' || depth > 0))
            continue;
        if (k++ == i) {
            *at = text + from;
            *n = p - from;
            return true;
        }
        from = p + 1;
    }
    return false;
}

static void one_of(struct making *m, const char *text, size_t len, char *out, size_t room)
{
    const char *at = text, *a;
    size_t n = 0, k;

    for (unsigned i = 0; alternative(text, len, i, &a, &k); i++)
        if (making_one_in(m, i + 1)) {
            at = a;
            n = k;
        }
    snprintf(out, room, "%.*s", (int)n, at);
}

static bool range(struct making *m, const char *text, size_t len, char *out, size_t room)
{
    char *end;
    const unsigned long from = strtoul(text, &end, 0);
    unsigned long to;

    if (!isdigit((unsigned char)*text) || strncmp(end, "..", 2) != 0)
        return false;
    to = strtoul(end + 2, &end, 0);
    if (end != text + len || to < from)
        return false;
    snprintf(out, room, "%lu", from + making_below(m, (uint32_t)(to - from + 1)));
    return true;
}

/* Writes the content of a placeholder, which may contain placeholders itself. */
static void content(struct making *m, const char *slot, size_t len, char *out, size_t room)
{
    const char *at;
    size_t n;
    const struct fuzz_rule *r;

    out[0] = '\0';
    if (alternative(slot, len, 1, &at, &n)) {
        one_of(m, slot, len, out, room);
        return;
    }
    if (range(m, slot, len, out, room))
        return;
    if (len > 0 && slot[len - 1] == '?') {
        len--;
        if (!making_one_in(m, NOW_AND_THEN))
            return;
    }
    if (making_word(m, slot, len, out, room))
        return;
    r = pick(m, slot, len);
    if (!r)
        return;
    m->needs |= r->needs;
    snprintf(out, room, "%s", r->text);
}

/* Returns the end of the placeholder that begins at `at`. */
static const char *end_of(const char *at)
{
    int depth = 0;

    for (; *at; at++) {
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
        if (depth == 0)
            return at;
    }
    return NULL;
}

void making_fill(struct making *m, char text[MAKING_TEXT])
{
    char filled[MAKING_TEXT], rest[MAKING_TEXT];

    for (unsigned i = 0; i < MOST_SLOTS; i++) {
        char *open = strchr(text, '{');
        const char *end = open ? end_of(open) : NULL;
        if (!end)
            return;
        content(m, open + 1, (size_t)(end - open) - 1, filled, sizeof filled);
        snprintf(rest, sizeof rest, "%s", end + 1);
        snprintf(open, (size_t)(text + MAKING_TEXT - open), "%s%.*s", filled, MAKING_TEXT - 1, rest);
    }
}

/* ---- the case ---- */

/* Appends the lines of the text as inputs, as many as fit. */
static void take_lines(struct fuzz_case *c, uint64_t known, const char *text)
{
    while (*text && c->n < FUZZ_INPUTS) {
        const size_t n = strcspn(text, "\n");
        if (n > 0 && n < FUZZ_LINE)
            snprintf(c->input[c->n], FUZZ_LINE, "%.*s", (int)n, text);
        c->n += n > 0 && n < FUZZ_LINE && !fuzz_known_avoids(known, c->input[c->n]);
        text += n + (text[n] == '\n');
    }
}

static void add_inputs(struct making *m, const char *slots)
{
    char text[MAKING_TEXT];

    snprintf(text, sizeof text, "%s", slots);
    making_fill(m, text);
    take_lines(m->c, m->may->known, text);
}

static const struct fuzz_kind *choose_kind(struct making *m)
{
    const struct fuzz_kind *chosen = NULL;
    uint32_t sum = 0;

    for (size_t i = 0; i < fuzz_kind_count; i++) {
        const struct fuzz_kind *k = &fuzz_kinds[i];
        if (!has(m, k->needs, k->links))
            continue;
        sum += k->weight;
        if (making_below(m, sum) < k->weight)
            chosen = k;
    }
    return chosen;
}

static enum ibc_link choose_link(struct making *m)
{
    unsigned n = 0;
    enum ibc_link chosen = IBC_LINK_roce2_ipv4;

    for (unsigned l = 0; l < IBC_LINK_COUNT; l++)
        if ((m->may->links >> l & 1) && making_one_in(m, ++n))
            chosen = (enum ibc_link)l;
    return chosen;
}

static void put_head(struct making *m, const struct fuzz_kind *k, const char *objects, uint64_t seed)
{
    struct fuzz_case *c = m->c;
    char service[MAKING_TEXT];

    snprintf(service, sizeof service, "%s", k->service);
    making_fill(m, service);
    int n = snprintf(c->head, sizeof c->head,
                     "title    sequence %" PRIu64 ": %s\nspec     %s\nrole     both\nservice  %.40s\nlink     %s\n",
                     seed, k->name, k->spec, service, ibc_link_names[c->link]);

    if (m->needs)
        n += snprintf(c->head + n, sizeof c->head - (size_t)n, "needs   ");
    for (unsigned i = 0; i < IBC_CAP_COUNT; i++)
        if (m->needs >> i & 1)
            n += snprintf(c->head + n, sizeof c->head - (size_t)n, " %s", ibc_capability_names[i]);
    snprintf(c->head + n, sizeof c->head - (size_t)n, "%s\n%s\n", m->needs ? "\n" : "", objects);
}

void fuzz_make(struct fuzz_case *c, const struct fuzz_may *may, uint64_t seed)
{
    static const uint32_t mtus[] = {256, 256, 256, 512, 1024, 4096 /* if the link supports it */};
    struct making m = {.c = c, .may = may};
    char objects[MAKING_TEXT], step[32];
    const struct fuzz_kind *k;

    c->n = 0;
    c->is_free =
        fuzz_known_free(may->known) | (may->caps & FUZZ_CAP(virtual_time) ? 0 : FUZZ_FREE_local | FUZZ_FREE_solicited) |
        (may->caps & FUZZ_CAP(congestion) ? 0 : FUZZ_FREE_cnp) | (may->caps & FUZZ_CAP(cm_fields) ? 0 : FUZZ_FREE_cm);
    snprintf(c->id, sizeof c->id, "sequence-%" PRIu64, seed);
    iba_random_seed(&m.r, seed);
    c->link = choose_link(&m);
    m.pmtu = mtus[making_below(&m, sizeof mtus / sizeof *mtus - !(may->caps & FUZZ_CAP(virtual_time)))];
    k = choose_kind(&m);
    c->kind = k ? k->name : "";
    if (!k)
        return;
    m.needs = k->needs;
    snprintf(objects, sizeof objects, "%s", k->objects);
    making_fill(&m, objects);
    if (k->begin)
        add_inputs(&m, k->begin);
    snprintf(step, sizeof step, "{%s}", k->step);
    const unsigned most = 3 + making_below(&m, FUZZ_INPUTS - 4);
    for (unsigned i = 0; c->n < most && i < FUZZ_INPUTS; i++)
        add_inputs(&m, step);
    put_head(&m, k, objects, seed);
}

static struct fuzz_case without(const struct fuzz_case *c, unsigned from, unsigned n)
{
    struct fuzz_case less = *c;

    less.n -= n;
    memmove(less.input[from], less.input[from + n], (less.n - from) * sizeof less.input[0]);
    return less;
}

void fuzz_minimise(struct fuzz_case *c, fuzz_shows *shows, void *ctx)
{
    for (unsigned n = c->n / 2; n > 0; n /= 2)
        for (unsigned end = c->n; end >= n; end--) {
            const struct fuzz_case less = without(c, end - n, n);
            if (less.n > 0 && shows(ctx, &less))
                *c = less;
            end -= n - 1;
        }
}
