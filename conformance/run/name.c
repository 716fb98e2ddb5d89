/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers packets and paces that a line named with as=, for the lines that name them with same=, slower= and
 * faster=. */
#include <string.h>
#include "run/play.h"

void run_remember_pace(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, struct run_pace pace)
{
    const struct ibc_arg *as = run_arg(s, IBC_K_as);
    unsigned i = 0;

    if (!as)
        return;
    while (i < p->n_name && strcmp(p->name[i].name, run_word(&as->v[0])) != 0)
        i++;
    if (i == RUN_MAX_NAMES)
        return;
    p->name[i] = (struct run_name){run_word(&as->v[0]), k, pace};
    if (i == p->n_name)
        p->n_name++;
}

void run_remember(struct run_player *p, const struct ibc_step *s, const struct run_packet *k)
{
    run_remember_pace(p, s, k, (struct run_pace){.n = 0});
}

static const struct run_name *recall(const struct run_player *p, const char *name)
{
    for (unsigned i = 0; i < p->n_name; i++)
        if (strcmp(p->name[i].name, name) == 0)
            return &p->name[i];
    return NULL;
}

const struct run_packet *run_recall(const struct run_player *p, const char *name)
{
    const struct run_name *n = recall(p, name);
    return n ? n->packet : NULL;
}

struct run_pace run_pace(const struct run_player *p, const char *name)
{
    const struct run_name *n = recall(p, name);
    return n ? n->pace : (struct run_pace){.n = 0};
}
