/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the kinds of statistics share, and the functions of each kind by name; stats.c puts these into the
 * table. */
#ifndef DISSECT_STATS_KINDS_H
#define DISSECT_STATS_KINDS_H
#include "stats/stats.h"
#include "stats/table.h"

#define STAT_KIND(id)                                                                                                  \
    void *stat_##id##_open(const char *arg, char *err, size_t errlen);                                                 \
    void stat_##id##_packet(void *state, const struct packet *p);                                                      \
    void stat_##id##_print(void *state, struct out *o, bool json);
STAT_KIND(icrc)
STAT_KIND(opcode)
STAT_KIND(io)
STAT_KIND(conv)
STAT_KIND(hosts)
STAT_KIND(rails)
STAT_KIND(agreed)
STAT_KIND(cm)
STAT_KIND(mad)
STAT_KIND(fabric)
STAT_KIND(perf)
STAT_KIND(expert)
STAT_KIND(messages)
STAT_KIND(qp)
STAT_KIND(rc)
STAT_KIND(srt)
STAT_KIND(tm)
/* Prints a space, then which host begins last, and in how many rounds of a collective. Prints nothing unless one host
 * begins last in most rounds, with a delay after the others that exceeds the time in which these begin. */
void stat_hosts_say_straggler(void *state, struct out *o);
void stat_io_close(void *state);
bool stat_io_uses(const void *state, bool (*is)(const struct field *f));
void stat_expert_late(void *state, const struct iba_finding *f, const struct verdict_names *names);
void stat_messages_message(void *state, const struct iba_message *m, const struct verdict_names *names);
void stat_srt_message(void *state, const struct iba_message *m, const struct verdict_names *names);
void stat_tm_message(void *state, const struct iba_message *m, const struct verdict_names *names);
void stat_rc_late(void *state, const struct iba_finding *f, const struct verdict_names *names);
void stat_rc_expect(void *state, uint32_t direction);
bool stat_rc_join(void *state, void *part, const struct stat_part *as);
bool stat_perf_join(void *state, void *part, const struct stat_part *as);

/* A zeroed state of a kind that takes no argument; NULL with one line in err. Owned by the caller: free().
 * open.c */
void *stat_open_plain(const char *name, size_t bytes, const char *arg, char *err, size_t errlen);

static inline bool stat_is_infiniband(const struct iba_view *v)
{
    return v->proto != IBA_PROTO_NONE && v->proto != IBA_PROTO_UNDECIDED;
}

/* A clock that counts from the run's first packet that has a time. */
struct stat_clock {
    bool set;
    uint64_t base_ns;
};
/* Nanoseconds since the first packet with a time, negative for an older packet; false when the packet has no time.
 * clock.c */
bool stat_clock_read(struct stat_clock *c, const struct packet *p, int64_t *ns);
#endif
