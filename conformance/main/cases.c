/* SPDX-License-Identifier: BSD-2-Clause */
#include "cases.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fault.h"

static const char *link_name(size_t i, const void *ctx)
{
    (void)ctx;
    return i < IBC_LINK_COUNT ? ibc_link_names[i] : "all";
}

static int find_link(const char *name, uint32_t has, struct cases *out)
{
    for (unsigned i = 0; i < IBC_LINK_COUNT; i++)
        if (strcmp(name, ibc_link_names[i]) == 0) {
            out->link = (enum ibc_link)i;
            return has >> i & 1 ? EXIT_OK : wrong(EXIT_USAGE, "--link %s: the target has no such link", name);
        }
    const char *near = ibc_nearest(name, link_name, IBC_LINK_COUNT + 1, NULL);
    return wrong(EXIT_USAGE,
                 "--link: no link \"%s\"%s%s%s; there are: all roce2-ipv4 roce2-ipv6 roce1 ib-local ib-global", name,
                 near ? "; nearest is \"" : "", near ? near : "", near ? "\"" : "");
}

/* Adds the cases of a scenario. If several links are played, a case is added for each link of the target that the
 * scenario allows; if it allows none, one case, on which the runner decides. */
static void add_cases(struct cases *c, const struct ibc_scenario *s, size_t index, uint32_t has)
{
    const uint32_t on = has & (s->links ? s->links : UINT32_MAX);

    if (!c->all || on == 0) {
        c->c[c->n++] = (struct play_case){s, index, c->link, false};
        return;
    }
    for (unsigned i = 0; i < IBC_LINK_COUNT; i++)
        if (on >> i & 1)
            c->c[c->n++] = (struct play_case){s, index, (enum ibc_link)i, (on & (on - 1)) != 0};
}

int cases_make(struct cases *out, const struct selection *sel, struct ibc_target *t, const char *link)
{
    const uint32_t has = t->ops->links(t);
    int rc = EXIT_OK;

    *out = (struct cases){.virtual_time = t->virtual_time};
    if (has == 0)
        return wrong(EXIT_HARNESS, "%s: the target has no link", t->ops->name);
    out->link = (enum ibc_link)__builtin_ctz(has);
    out->all = link && strcmp(link, "all") == 0;
    if (link && !out->all)
        rc = find_link(link, has, out);
    if (rc != EXIT_OK)
        return rc;
    out->c = calloc(sel->n * IBC_LINK_COUNT, sizeof *out->c);
    out->first = calloc(sel->n + 1, sizeof *out->first);
    if (!out->c || !out->first)
        return wrong(EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < sel->n; i++) {
        out->first[i] = out->n;
        add_cases(out, sel->s[i], i, has);
    }
    out->first[sel->n] = out->n;
    return EXIT_OK;
}

void cases_free(struct cases *c)
{
    free(c->c);
    free(c->first);
    *c = (struct cases){0};
}

const char *cases_link_name(const struct cases *c)
{
    return c->all ? "all" : ibc_link_names[c->link];
}
