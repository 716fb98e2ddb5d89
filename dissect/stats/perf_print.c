/* SPDX-License-Identifier: BSD-2-Clause */
#include "stats/perf_print.h"
#include "track/addr.h"

static const struct perf_sender *sender_at(const struct perf *s, size_t i)
{
    return &s->sender[s->place[s->seen[i]->id] - 1];
}

static uint64_t life_of(const struct perf_sender *x)
{
    return x->last - x->first;
}

/* `n` per second of `ns`; 0 when the time is 0. */
static uint64_t each_second(double n, uint64_t ns)
{
    return ns ? (uint64_t)(n * 1e9 / (double)ns) : 0;
}

/* The rate of the busiest bucket, bit/s. */
static uint64_t peak_rate(const struct perf_sender *x)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < x->n_bucket; i++)
        most = x->bucket[i].bytes > most ? x->bucket[i].bytes : most;
    return life_of(x) < x->bucket_ns ? each_second(8.0 * (double)most, life_of(x))
                                     : each_second(8.0 * (double)most, x->bucket_ns);
}

static struct perf_shares sum_of(const struct perf *s)
{
    struct perf_shares sum = {0};

    for (uint32_t i = 0; i < s->n; i++) {
        const struct perf_shares one = perf_shares_of(&s->sender[i]);
        if (!perf_is_reliable(s->sender[i].d))
            continue;
        for (unsigned k = 0; k < PERF_LIMIT_COUNT; k++)
            sum.ns[k] += one.ns[k];
        sum.life += one.life;
    }
    return sum;
}

/* ---- sentences ---- */

void perf_say_percent(struct out *o, uint64_t part, uint64_t whole)
{
    const uint64_t tenths = whole ? (uint64_t)((double)part * 1000 / (double)whole + 0.5) : 0;

    out_u64(o, tenths / 10);
    out_ch(o, '.');
    out_u64(o, tenths % 10);
    OUT_LIT(o, " %");
}

/* Prints "limited by X: 80.0 % of the time; Y: 20.0 %": the limits with 1 % or more, the largest first. */
void perf_say_shares(struct out *o, const struct perf_shares *shares)
{
    struct perf_shares rest = *shares;
    const enum perf_limit first = perf_largest(&rest);

    out_str(o, first == PERF_UNKNOWN ? "the limit is " : "limited by ");
    for (unsigned n = 0; n < PERF_LIMIT_COUNT; n++) {
        const enum perf_limit k = perf_largest(&rest);
        if (n > 0 && rest.ns[k] < shares->life / 100 + 1)
            break;
        out_str(o, n ? "; " : "");
        out_str(o, perf_limits[k].words);
        OUT_LIT(o, ": ");
        perf_say_percent(o, rest.ns[k], shares->life);
        out_str(o, n ? "" : " of the time");
        rest.ns[k] = 0;
    }
}

static void limits(struct out *o, const struct perf_shares *shares)
{
    perf_say_shares(o, shares);
    out_ch(o, '\n');
}

void perf_say_sender(struct out *o, const struct perf_sender *x)
{
    const struct perf_shares shares = perf_shares_of(x);

    if (shares.life == 0)
        OUT_LIT(o, "too short to say");
    else
        perf_say_shares(o, &shares);
}

void perf_say_sum(struct out *o, const struct perf_shares *sum)
{
    if (sum->life == 0) {
        OUT_LIT(o, "No reliable connection shows a limit.");
        return;
    }
    OUT_LIT(o, "Reliable connections are ");
    if (perf_largest(sum) == PERF_UNKNOWN)
        OUT_LIT(o, "there, but ");
    perf_say_shares(o, sum);
    out_ch(o, '.');
}

void perf_say_all(struct out *o, const struct perf *s)
{
    const struct perf_shares sum = sum_of(s);

    perf_say_sum(o, &sum);
}

static void name(struct out *o, const struct direction *d, bool source)
{
    stat_addr_print(o, (enum iba_addr_kind)d->key.kind, source ? d->key.src : d->key.dst);
    if (source && !d->knows_source_qp)
        return;
    OUT_LIT(o, " QP ");
    out_hex(o, source ? d->source_qp : d->key.qpn, 6);
}

static void sentence(struct out *o, const struct perf_sender *x)
{
    const struct perf_shares shares = perf_shares_of(x);

    out_line(o);
    name(o, x->d, true);
    OUT_LIT(o, " to ");
    name(o, x->d, false);
    OUT_LIT(o, ": ");
    if (shares.life == 0)
        OUT_LIT(o, "too short to say\n");
    else
        limits(o, &shares);
}

/* Prints the sentence on reliable services: other services do not show what the sender waits for. */
static void first_sentence(struct out *o, const struct perf *s)
{
    const struct perf_shares sum = sum_of(s);

    if (sum.life == 0)
        return;
    OUT_LIT(o, "In all, of reliable connections: ");
    limits(o, &sum);
}

/* ---- text ---- */

static void cells(struct table *t, const struct perf_sender *x)
{
    const uint64_t life = life_of(x);

    ends_cells(t, x->d);
    table_time(t, (int64_t)life);
    table_u64(t, x->messages);
    table_u64(t, x->bytes);
    table_u64(t, each_second((double)x->messages, life));
    table_u64(t, each_second(8e-3 * (double)x->bytes, life));
    table_u64(t, peak_rate(x) / 1000);
    table_begin(t);
    const uint64_t tenths = life ? (uint64_t)((double)x->area_messages * 10 / (double)life + 0.5) : 0;
    out_u64(t->o, tenths / 10);
    out_ch(t->o, '.');
    out_u64(t->o, tenths % 10);
    table_end(t);
    table_u64(t, x->deepest);
    table_u64(t, x->most_open);
    table_u64(t, x->again_bytes);
}

static void notes(const struct perf *s, struct out *o)
{
    if (s->untimed) {
        out_str(o, "Packets without a time, left out: ");
        out_u64(o, s->untimed);
        out_ch(o, '\n');
    }
    if (s->beyond) {
        out_str(o, "Requests of directions beyond these, not followed: ");
        out_u64(o, s->beyond);
        out_ch(o, '\n');
    }
}

void perf_print_text(const struct perf *s, struct out *o)
{
    struct column column[ENDS_COLUMNS + 10] = {[ENDS_COLUMNS] = {"Time (s)", 13, false},
                                               {"Messages", 9, false},
                                               {"Payload bytes", 13, false},
                                               {"Messages/s", 10, false},
                                               {"kbit/s", 10, false},
                                               {"Peak", 10, false},
                                               {"Outst.", 7, false},
                                               {"Most", 5, false},
                                               {"Most bytes", 10, false},
                                               {"Bytes again", 11, false}};
    struct table t;

    ends_columns(o, column, s->seen, s->n);
    first_sentence(o, s);
    table_open(&t, o, "Directions with requests: rates of payload, messages outstanding (mean, most, bytes)", column,
               sizeof column / sizeof *column);
    for (size_t i = 0; i < s->n; i++)
        cells(&t, sender_at(s, i));
    table_rule(&t, '-');
    for (size_t i = 0; i < s->n; i++)
        sentence(o, sender_at(s, i));
    notes(s, o);
    table_close(&t);
}

/* ---- JSON ---- */

static void json_shares(struct out *o, const struct perf_shares *x)
{
    json_str(o, "limit", perf_limits[perf_largest(x)].key);
    json_key(o, "shares");
    out_ch(o, '{');
    for (unsigned i = 0; i < PERF_LIMIT_COUNT; i++) {
        out_str(o, i ? ",\"" : "\"");
        out_str(o, perf_limits[i].key);
        OUT_LIT(o, "\":");
        out_time(o, x->life ? (int64_t)((double)x->ns[i] / (double)x->life * 1e9 + 0.5) : 0);
    }
    out_ch(o, '}');
}

static void json_buckets(struct out *o, const struct perf_sender *x)
{
    json_time(o, "bucket", (int64_t)x->bucket_ns);
    json_key(o, "buckets");
    out_ch(o, '[');
    for (unsigned i = 0; i < x->n_bucket; i++) {
        out_str(o, i ? ",{\"payload_bytes\":" : "{\"payload_bytes\":");
        out_u64(o, x->bucket[i].bytes);
        json_u64(o, "messages", x->bucket[i].messages);
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void json_sender(struct out *o, const struct perf_sender *x)
{
    const struct perf_shares shares = perf_shares_of(x);
    const uint64_t life = life_of(x);

    OUT_LIT(o, "{\"direction\":");
    out_u64(o, x->d->id);
    ends_json(o, x->d);
    json_time(o, "begin", (int64_t)x->first);
    json_time(o, "duration", (int64_t)life);
    json_u64(o, "messages", x->messages);
    json_u64(o, "payload_bytes", x->bytes);
    json_u64(o, "messages_per_second", each_second((double)x->messages, life));
    json_u64(o, "bits_per_second", each_second(8.0 * (double)x->bytes, life));
    json_u64(o, "peak_bits_per_second", peak_rate(x));
    json_key(o, "outstanding_mean"); /* messages */
    out_time(o, life ? (int64_t)((double)x->area_messages / (double)life * 1e9) : 0);
    json_u64(o, "outstanding_max", x->deepest);
    json_u64(o, "outstanding_bytes_mean", life ? (uint64_t)((double)x->area_bytes / ((double)life / 1000)) : 0);
    json_u64(o, "outstanding_bytes_max", x->most_open);
    json_u64(o, "sent_again", x->again);
    json_u64(o, "sent_again_bytes", x->again_bytes);
    json_known(o, "packet_bits_per_second", perf_rate(x, 0) != 0, perf_rate(x, 0));
    json_shares(o, &shares);
    json_buckets(o, x);
    out_ch(o, '}');
}

void perf_print_json(const struct perf *s, struct out *o)
{
    const struct perf_shares sum = sum_of(s);

    OUT_LIT(o, "{\"stat\":\"perf\"");
    json_shares(o, &sum);
    json_u64(o, "untimed", s->untimed);
    json_u64(o, "beyond", s->beyond);
    json_key(o, "directions");
    out_ch(o, '[');
    for (size_t i = 0; i < s->n; i++) {
        if (i > 0)
            out_ch(o, ',');
        json_sender(o, sender_at(s, i));
    }
    out_str(o, "]}\n");
}
