#include "field/distance.h"
#include "stats/stats.h"
#include <stdio.h>
#include <stdlib.h>
#include "stats/kinds.h"

const struct stat_kind stat_kinds[] = {
    {"icrc", "icrc", "good, bad and missing CRCs by encapsulation, and the first bad packets", stat_icrc_open,
     stat_icrc_packet, stat_icrc_print, free},
    {"opcode,tree", "opcode,tree", "packets and payload by transport service and opcode", stat_opcode_open,
     stat_opcode_packet, stat_opcode_print, free},
    {"io,stat", "io,stat,SEC", "packets and bytes in intervals of SEC seconds; 0: the whole run", stat_io_open,
     stat_io_packet, stat_io_print, stat_io_close},
    {"conv,qp", "conv,qp", "conversations by addresses, destination QP, service and P_Key", stat_conv_open,
     stat_conv_packet, stat_conv_print, free},
    {0},
};

static const struct stat_kind *nearest(const char *text)
{
    const struct stat_kind *best = stat_kinds;

    for (const struct stat_kind *k = stat_kinds; k->name; k++)
        if (name_distance(text, k->name, true) < name_distance(text, best->name, true))
            best = k;
    return best;
}

const struct stat_kind *stat_find(const char *text, const char **arg, char *err, size_t errlen)
{
    for (const struct stat_kind *k = stat_kinds; k->name; k++) {
        const size_t n = strlen(k->name);
        if (strncmp(text, k->name, n) != 0 || (text[n] != ',' && text[n] != '\0'))
            continue;
        *arg = text[n] ? text + n + 1 : NULL;
        return k;
    }
    *arg = NULL;
    (void)snprintf(err, errlen, "-z %.64s: no such statistic; the nearest is %s", text, nearest(text)->usage);
    return NULL;
}

void *stat_open_plain(const char *name, size_t bytes, const char *arg, char *err, size_t errlen)
{
    void *state = arg ? NULL : calloc(1, bytes);

    if (arg)
        (void)snprintf(err, errlen, "-z %s takes no argument, not \"%.64s\"", name, arg);
    else if (!state)
        (void)snprintf(err, errlen, "-z %s: out of memory", name);
    return state;
}

bool stat_clock_read(struct stat_clock *c, const struct packet *p, int64_t *ns)
{
    const uint64_t now = p->cap->ts_ns;

    if (!p->cap->has_ts)
        return false;
    if (!c->set)
        *c = (struct stat_clock){.set = true, .base_ns = p->first_ns ? p->first_ns : now};
    const uint64_t apart = now >= c->base_ns ? now - c->base_ns : c->base_ns - now;
    const int64_t bounded = apart < INT64_MAX ? (int64_t)apart : INT64_MAX;
    *ns = now >= c->base_ns ? bounded : -bounded;
    return true;
}
