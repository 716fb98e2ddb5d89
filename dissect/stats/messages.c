/* SPDX-License-Identifier: BSD-2-Clause */
/* -z messages: each message with its packets and its response. */
#include "judge/judge.h"
#include <stdlib.h>
#include "field/bound.h"
#include "stats/ends.h"
#include "stats/kinds.h"

/* 65536 messages are 7 MiB. */
enum { MAX_MESSAGES = BOUND(65536, 32) };

struct list {
    size_t n;
    uint64_t others, others_bytes;
    const struct verdict_names *names; /* names of directions; NULL: no message has ended yet */
    struct iba_message message[MAX_MESSAGES];
};

void *stat_messages_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("messages", sizeof(struct list), arg, err, errlen);
}

void stat_messages_packet(void *state, const struct packet *p)
{
    (void)state, (void)p; /* the statistic counts messages, not packets */
}

void stat_messages_message(void *state, const struct iba_message *m, const struct verdict_names *names)
{
    struct list *s = state;

    s->names = names;
    if (s->n < MAX_MESSAGES) {
        s->message[s->n++] = *m;
        return;
    }
    s->others++;
    s->others_bytes += m->bytes;
}

static int by_frame(const void *a, const void *b)
{
    const struct iba_message *x = a, *y = b;

    return x->first_frame < y->first_frame ? -1 : x->first_frame > y->first_frame;
}

/* Lists the directions that have messages, each once. `d` has room for JUDGE_DIRECTIONS, but only as many elements are
 * touched as there are directions. */
static size_t directions(const struct list *s, const struct direction **d)
{
    size_t n = 0, ids = 0;

    for (size_t i = 0; i < s->n; i++)
        ids = s->message[i].direction < ids ? ids : s->message[i].direction;
    memset(d, 0, ids * sizeof *d);
    for (size_t i = 0; i < s->n; i++) {
        const struct direction *of = direction_of_message(&s->message[i], s->names);
        d[of->id] = of;
    }
    for (size_t i = 0; i < ids; i++)
        if (d[i])
            d[n++] = d[i];
    return n;
}

static void print_message(struct table *t, const struct iba_message *m, const struct direction *d)
{
    ends_cells(t, d);
    table_str(t, iba_operation_name((enum iba_operation)m->operation));
    table_str(t, iba_message_end_name((enum iba_message_end)m->end));
    table_u64(t, m->first_frame);
    table_u64(t, m->last_frame);
    table_known(t, m->answer_frame != 0, m->answer_frame);
    table_begin(t);
    out_u64(t->o, m->bytes);
    if (!m->whole || !m->closed)
        out_ch(t->o, '+'); /* one end of the message is not in the capture */
    table_end(t);
    table_u64(t, m->again);
    if (m->answer_frame != 0)
        table_time(t, (int64_t)(m->ended - m->began));
    else
        table_str(t, "-");
}

static void print_text(const struct list *s, struct out *o)
{
    static const struct direction *d[JUDGE_DIRECTIONS];
    struct column column[ENDS_COLUMNS + 8] = {[ENDS_COLUMNS] = {"Operation", 12, true},
                                              {"End", 8, true},
                                              {"First packet", 12, false},
                                              {"Last packet", 11, false},
                                              {"Answer", 9, false},
                                              {"Bytes", 11, false},
                                              {"Sent again", 10, false},
                                              {"Latency (s)", 13, false}};
    struct table t;

    ends_columns(o, column, d, directions(s, d));
    table_open(&t, o, "Messages", column, sizeof column / sizeof *column);
    for (size_t i = 0; i < s->n; i++)
        print_message(&t, &s->message[i], direction_of_message(&s->message[i], s->names));
    table_rule(&t, '-');
    out_str(o, "Messages ");
    out_u64(o, s->n);
    if (s->others > 0) {
        out_str(o, "; not listed, beyond these: ");
        out_u64(o, s->others);
        out_str(o, ", bytes ");
        out_u64(o, s->others_bytes);
    }
    out_ch(o, '\n');
    table_close(&t);
}

static void json_message(struct out *o, const struct iba_message *m, const struct direction *d)
{
    OUT_LIT(o, "{\"direction\":");
    out_u64(o, d->id);
    ends_json(o, d);
    json_str(o, "operation", iba_operation_name((enum iba_operation)m->operation));
    json_str(o, "end", iba_message_end_name((enum iba_message_end)m->end));
    json_u64(o, "first_frame", m->first_frame);
    json_u64(o, "last_frame", m->last_frame);
    json_known(o, "answer_frame", m->answer_frame != 0, m->answer_frame);
    json_u64(o, "bytes", m->bytes);
    json_key(o, "whole");
    out_str(o, m->whole && m->closed ? "true" : "false");
    json_u64(o, "sent_again", m->again);
    json_key(o, "latency");
    if (m->answer_frame)
        out_time(o, (int64_t)(m->ended - m->began));
    else
        OUT_LIT(o, "null");
    out_ch(o, '}');
}

static void print_json(const struct list *s, struct out *o)
{
    out_str(o, "{\"stat\":\"messages\",\"messages\":[");
    for (size_t i = 0; i < s->n; i++) {
        if (i > 0)
            out_ch(o, ',');
        json_message(o, &s->message[i], direction_of_message(&s->message[i], s->names));
    }
    out_ch(o, ']');
    json_u64(o, "limit", MAX_MESSAGES);
    json_u64(o, "others", s->others);
    json_u64(o, "others_bytes", s->others_bytes);
    out_str(o, "}\n");
}

void stat_messages_print(void *state, struct out *o, bool json)
{
    struct list *s = state;

    qsort(s->message, s->n, sizeof *s->message, by_frame);
    (json ? print_json : print_text)(s, o);
}
