/* SPDX-License-Identifier: BSD-2-Clause */
/* -z srt: response times, from the first packet of a message to the response to its last packet, retransmissions
 * included. */
#include <stdlib.h>
#include "judge/judge.h"
#include "stats/kinds.h"
#include "stats/times.h"

struct answers {
    uint64_t open, refused;
    struct times times;
};
struct srt {
    struct answers answers[IBA_OPERATION_COUNT][TIMES_SIZES];
};

void *stat_srt_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("srt", sizeof(struct srt), arg, err, errlen);
}

void stat_srt_packet(void *state, const struct packet *p)
{
    (void)state, (void)p; /* the statistic counts messages, not packets */
}

void stat_srt_message(void *state, const struct iba_message *m, const struct verdict_names *names)
{
    struct srt *s = state;

    (void)names; /* the statistic does not distinguish directions */
    if (m->end == IBA_MESSAGE_END_UNASKED || !m->whole)
        return;
    struct answers *a = &s->answers[m->operation][times_size(m->bytes)];
    a->open += m->end == IBA_MESSAGE_END_OPEN;
    a->refused += m->end == IBA_MESSAGE_END_REFUSED;
    if (m->end == IBA_MESSAGE_END_ANSWERED)
        times_add(&a->times, m->ended - m->began);
}

static bool any(const struct answers *a)
{
    return a->times.n + a->open + a->refused > 0;
}

static void print_text(const struct srt *s, struct out *o)
{
    static const struct column columns[] = {
        {"Operation", 12, true}, {"Bytes", 8, true},     {"Answered", 10, false}, {"Shortest (s)", 13, false},
        {"p50", 13, false},      {"p90", 13, false},     {"p99", 13, false},      {"Longest", 13, false},
        {"Refused", 8, false},   {"No answer", 9, false}};
    struct table t;

    table_open(&t, o, "Response times, from the first packet of a message to the answer to its last", columns,
               sizeof columns / sizeof *columns);
    for (unsigned k = 0; k < IBA_OPERATION_COUNT; k++)
        for (unsigned i = 0; i < TIMES_SIZES; i++) {
            const struct answers *x = &s->answers[k][i];
            if (!any(x))
                continue;
            table_str(&t, iba_operation_name((enum iba_operation)k));
            table_str(&t, times_size_title(i));
            table_u64(&t, x->times.n);
            table_time(&t, (int64_t)x->times.shortest);
            table_time(&t, (int64_t)times_percentile(&x->times, 50));
            table_time(&t, (int64_t)times_percentile(&x->times, 90));
            table_time(&t, (int64_t)times_percentile(&x->times, 99));
            table_time(&t, (int64_t)x->times.longest);
            table_u64(&t, x->refused);
            table_u64(&t, x->open);
        }
    table_close(&t);
}

static void json_times(struct out *o, unsigned k, unsigned i, const struct answers *x)
{
    OUT_LIT(o, "{\"operation\":\"");
    out_str(o, iba_operation_name((enum iba_operation)k));
    out_ch(o, '"');
    json_str(o, "bytes", times_size_title(i));
    json_u64(o, "answered", x->times.n);
    json_time(o, "shortest", (int64_t)x->times.shortest);
    json_time(o, "p50", (int64_t)times_percentile(&x->times, 50));
    json_time(o, "p90", (int64_t)times_percentile(&x->times, 90));
    json_time(o, "p99", (int64_t)times_percentile(&x->times, 99));
    json_time(o, "longest", (int64_t)x->times.longest);
    json_u64(o, "refused", x->refused);
    json_u64(o, "no_answer", x->open);
    out_ch(o, '}');
}

static void print_json(const struct srt *s, struct out *o)
{
    bool comma = false;

    out_str(o, "{\"stat\":\"srt\",\"times\":[");
    for (unsigned k = 0; k < IBA_OPERATION_COUNT; k++)
        for (unsigned i = 0; i < TIMES_SIZES; i++)
            if (any(&s->answers[k][i])) {
                if (comma)
                    out_ch(o, ',');
                comma = true;
                json_times(o, k, i, &s->answers[k][i]);
            }
    out_str(o, "]}\n");
}

void stat_srt_print(void *state, struct out *o, bool json)
{
    (json ? print_json : print_text)(state, o);
}
