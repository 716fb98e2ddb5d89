/* SPDX-License-Identifier: BSD-2-Clause */
#include "statements/iba_clause.h"
#include <string.h>
#include "statements/km.h"
#include "statements/md.h"
#include "statements/pv.h"
#include "statements/qs.h"
#include "statements/ro.h"
#include "statements/rq.h"
#include "statements/rr.h"
#include "statements/uu.h"
#include "statements/vn.h"
#include "statements/wf.h"

#define OPEN(area, id, section, compliance, ...) {id, section, compliance},
#define SHUT OPEN
static const struct iba_clause clauses[] = {
    IBA_STATEMENTS_KM(OPEN, SHUT) IBA_STATEMENTS_MD(OPEN, SHUT) IBA_STATEMENTS_PV(OPEN, SHUT)
        IBA_STATEMENTS_QS(OPEN, SHUT) IBA_STATEMENTS_RO(OPEN, SHUT) IBA_STATEMENTS_RQ(OPEN, SHUT)
            IBA_STATEMENTS_RR(OPEN, SHUT) IBA_STATEMENTS_UU(OPEN, SHUT) IBA_STATEMENTS_VN(OPEN, SHUT)
                IBA_STATEMENTS_WF(OPEN, SHUT)};

/* core uses only the mem* functions of the C library: the layering test checks it. */
static size_t length(const char *s)
{
    size_t n = 0;

    while (s[n] != '\0')
        n++;
    return n;
}

/* The length of the first word of a comma-separated list. */
static size_t length_of_first(const char *s)
{
    size_t n = 0;

    while (s[n] != '\0' && s[n] != ',')
        n++;
    return n;
}

const struct iba_clause *iba_clause_find(const char *id, size_t len)
{
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
        if (length(clauses[i].id) == len && memcmp(clauses[i].id, id, len) == 0)
            return &clauses[i];
    return NULL;
}

struct list {
    char *out;
    size_t used, room;
};

static bool is_there(const struct list *l, const char *s, size_t len)
{
    for (size_t i = 0; i + len <= l->used; i++)
        if (memcmp(l->out + i, s, len) == 0 && (i == 0 || l->out[i - 1] == ' ') &&
            (i + len == l->used || l->out[i + len] == ',' || l->out[i + len] == ' '))
            return true;
    return false;
}

/* Appends `between` and the word, unless the list already has the word. */
static void add(struct list *l, const char *between, const char *s, size_t len)
{
    const size_t gap = l->used > 0 ? length(between) : 0;

    if (len == 0 || l->used + gap + len >= l->room || is_there(l, s, len))
        return;
    memcpy(l->out + l->used, between, gap);
    memcpy(l->out + l->used + gap, s, len);
    l->used += gap + len;
}

size_t iba_clause_sections(const char *cited, char *out, size_t room)
{
    static const char sign[] = "§", next[] = ", ";
    struct list l = {.out = out, .room = room};

    for (size_t len; *cited != '\0';) {
        len = length_of_first(cited);
        const struct iba_clause *c = iba_clause_find(cited, len);
        if (c != NULL) {
            const size_t before = l.used;
            add(&l, next, c->section, length(c->section));
            add(&l, l.used > before ? " " : next, c->compliance, length(c->compliance));
        } else if (len >= sizeof sign - 1 && memcmp(cited, sign, sizeof sign - 1) == 0)
            add(&l, next, cited + sizeof sign - 1, len - (sizeof sign - 1));
        else if (*cited == 'C' || *cited == 'o') /* `clauses` cites a compliance number instead of a statement */
            add(&l, next, cited, len);
        cited += len;
        while (*cited == ',' || *cited == ' ')
            cited++;
    }
    if (room > 0)
        out[l.used] = '\0';
    return l.used;
}
