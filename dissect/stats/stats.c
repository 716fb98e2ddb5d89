/* SPDX-License-Identifier: BSD-2-Clause */
#include "field/distance.h"
#include "field/foreign.h"
#include "stats/stats.h"
#include <stdio.h>
#include <stdlib.h>
#include "stats/kinds.h"

/* name, usage, help, and the functions that carry `id` in their names */
#define KIND(name_, usage_, help_, id)                                                                                 \
    .name = (name_), .usage = (usage_), .help = (help_), .open = stat_##id##_open, .packet = stat_##id##_packet,       \
    .print = stat_##id##_print

const struct stat_kind stat_kinds[] = {
    {KIND("icrc", "icrc", "good, bad and missing CRCs by encapsulation, and the first bad packets", icrc),
     .close = free},
    {KIND("opcode,tree", "opcode,tree", "packets and payload by transport service and opcode", opcode), .close = free},
    {KIND(
         "io,stat", "io,stat,SEC",
         "packets and bytes in intervals of SEC seconds, 0: the whole run; with [,FILTER]... of filters, and SUM, AVG, "
         "MIN, MAX, COUNT(FIELD)FILTER",
         io),
     .close = stat_io_close, .uses = stat_io_uses},
    {KIND("conv,qp", "conv,qp", "conversations by addresses, destination QP, service and P_Key", conv), .close = free},
    {KIND("rc,analysis", "rc,analysis", "findings of each reliable connection, by direction", rc), .close = free,
     .judged = true, .late = stat_rc_late, .expect = stat_rc_expect, .join = stat_rc_join},
    {KIND("expert", "expert[,SEVERITY]", "findings by kind, of this severity or worse, and their first packets",
          expert),
     .close = free, .judged = true, .late = stat_expert_late},
    {KIND("qp", "qp", "queue pairs: each direction and its peer, path MTU, PSNs, worst finding", qp), .close = free,
     .judged = true},
    {KIND("messages", "messages", "messages of every connection: packets, bytes, latency, retransmissions", messages),
     .close = free, .judged = true, .message = stat_messages_message},
    {KIND("srt", "srt", "service response times by operation and size: p50, p90, p99, longest", srt), .close = free,
     .judged = true, .message = stat_srt_message},
    {KIND("perf", "perf", "each direction: rates, what is outstanding, and what limits it", perf), .close = free,
     .judged = true, .join = stat_perf_join},
    {KIND("hosts", "hosts", "host by host, senders to one host at once, rounds of a collective and who begins last",
          hosts),
     .close = free, .judged = true},
    {KIND("rails", "rails,FILE", "how evenly hosts use their ports, and payload between rails; FILE lists the ports",
          rails),
     .close = free, .judged = true},
    {KIND("agreed", "agreed", "reliable connections: agreed and observed values", agreed), .close = free,
     .judged = true},
    {KIND("cm", "cm", "connections: what was agreed on, why some were not made, how they ended, times", cm),
     .close = free},
    {KIND("mad", "mad", "management datagrams by class, attribute, method and status, and response times", mad),
     .close = free},
    {KIND("fabric", "fabric", "nodes and cables of a subnet, as its management datagrams show them; credits of lanes",
          fabric),
     .close = free},
    {KIND("tm", "tm", "messages of tag matching, each rendezvous with its READ and FIN; needs -d qp==N,tm", tm),
     .close = free, .judged = true, .message = stat_tm_message},
    {0},
};

/* The kind with the nearest name. NULL: no name is similar, so that a suggestion would mislead. */
static const struct stat_kind *nearest(const char *text)
{
    const struct stat_kind *best = NULL;
    unsigned least = (unsigned)strcspn(text, ",") / 2 + 1;

    for (const struct stat_kind *k = stat_kinds; k->name; k++) {
        const unsigned d = name_distance(text, k->name, true);
        if (d < least) {
            least = d;
            best = k;
        }
    }
    return best;
}

void stat_list(struct out *o)
{
    for (const struct stat_kind *k = stat_kinds; k->name; k++) {
        OUT_LIT(o, "-z ");
        out_str(o, k->usage);
        for (size_t n = strlen(k->usage); n < 20; n++)
            out_ch(o, ' ');
        out_ch(o, ' ');
        out_str(o, k->help);
        out_ch(o, '\n');
    }
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
    const char *instead = foreign_instead(text);
    const struct stat_kind *near = nearest(text);
    if (instead) {
        (void)snprintf(err, errlen, "-z %.64s: no such statistic; %s", text, instead);
        return NULL;
    }
    (void)snprintf(err, errlen,
                   near ? "-z %.64s: no such statistic; the nearest is %s" : "-z %.64s: no such statistic; %s", text,
                   near ? near->usage : "-z help lists all");
    return NULL;
}
