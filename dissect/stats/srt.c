/* SPDX-License-Identifier: BSD-2-Clause */
/* -z srt: response times. From the first packet of the message to the response to its last, retransmissions included.
 * Times are counted in classes that are 1/64 wide, so percentiles are at most 1.6 % too long. */
#include <stdlib.h>
#include "judge/message.h"
#include "stats/kinds.h"

enum { SUB_BITS = 6, SUBS = 1 << SUB_BITS, CLASSES = (64 - SUB_BITS + 1) * SUBS, SIZES = 6 };

static const struct {
    uint64_t most;
    const char *title;
} sizes[SIZES] = {{64, "0-64"},      {512, "65-512"},     {4096, "513-4K"},
                  {65536, "4K-64K"}, {1048576, "64K-1M"}, {UINT64_MAX, "1M-"}};

struct times {
    uint64_t n, longest, shortest, open, refused;
    uint32_t count[CLASSES];
};
struct srt {
    struct times times[MESSAGE_KINDS][SIZES];
};

void *stat_srt_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("srt", sizeof(struct srt), arg, err, errlen);
}

void stat_srt_packet(void *state, const struct packet *p)
{
    (void)state, (void)p; /* it counts messages */
}

/* Times below 64 ns have a class each; above, each power of two has 64. */
static unsigned class_of(uint64_t ns)
{
    if (ns < SUBS)
        return (unsigned)ns;
    const unsigned power = 63 - (unsigned)__builtin_clzll(ns);
    return (power - SUB_BITS + 1) * SUBS + (unsigned)(ns >> (power - SUB_BITS)) - SUBS;
}

/* The longest time of the class. */
static uint64_t class_end(unsigned c)
{
    if (c < SUBS)
        return c;
    const unsigned power = c / SUBS + SUB_BITS - 1;
    return (((uint64_t)(c % SUBS) + SUBS + 1) << (power - SUB_BITS)) - 1;
}

void stat_srt_message(void *state, const struct message *m)
{
    struct srt *s = state;
    unsigned size = 0;

    if (m->end == MESSAGE_UNASKED || !m->whole)
        return;
    while (m->bytes > sizes[size].most)
        size++;
    struct times *t = &s->times[m->kind][size];
    t->open += m->end == MESSAGE_OPEN;
    t->refused += m->end == MESSAGE_REFUSED;
    if (m->end != MESSAGE_ANSWERED)
        return;
    const uint64_t ns = m->ended - m->began;
    t->shortest = t->n == 0 || ns < t->shortest ? ns : t->shortest;
    t->longest = ns > t->longest ? ns : t->longest;
    t->n++;
    t->count[class_of(ns)]++;
}

/* The time that at least `percent` of the messages did not exceed. */
static uint64_t percentile(const struct times *t, unsigned percent)
{
    const uint64_t rank = t->n - t->n * (100 - percent) / 100;
    uint64_t seen = 0;

    for (unsigned c = 0; c < CLASSES; c++) {
        seen += t->count[c];
        if (seen >= rank)
            return class_end(c) < t->longest ? class_end(c) : t->longest;
    }
    return t->longest;
}

static bool any(const struct times *t)
{
    return t->n + t->open + t->refused > 0;
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
    for (unsigned k = 0; k < MESSAGE_KINDS; k++)
        for (unsigned i = 0; i < SIZES; i++) {
            const struct times *x = &s->times[k][i];
            if (!any(x))
                continue;
            table_str(&t, message_kind_name((enum message_kind)k));
            table_str(&t, sizes[i].title);
            table_u64(&t, x->n);
            table_time(&t, (int64_t)x->shortest);
            table_time(&t, (int64_t)percentile(x, 50));
            table_time(&t, (int64_t)percentile(x, 90));
            table_time(&t, (int64_t)percentile(x, 99));
            table_time(&t, (int64_t)x->longest);
            table_u64(&t, x->refused);
            table_u64(&t, x->open);
        }
    table_close(&t);
}

static void json_times(struct out *o, unsigned k, unsigned i, const struct times *x)
{
    OUT_LIT(o, "{\"operation\":\"");
    out_str(o, message_kind_name((enum message_kind)k));
    out_ch(o, '"');
    json_str(o, "bytes", sizes[i].title);
    json_u64(o, "answered", x->n);
    json_time(o, "shortest", (int64_t)x->shortest);
    json_time(o, "p50", (int64_t)percentile(x, 50));
    json_time(o, "p90", (int64_t)percentile(x, 90));
    json_time(o, "p99", (int64_t)percentile(x, 99));
    json_time(o, "longest", (int64_t)x->longest);
    json_u64(o, "refused", x->refused);
    json_u64(o, "no_answer", x->open);
    out_ch(o, '}');
}

static void print_json(const struct srt *s, struct out *o)
{
    bool comma = false;

    out_str(o, "{\"stat\":\"srt\",\"times\":[");
    for (unsigned k = 0; k < MESSAGE_KINDS; k++)
        for (unsigned i = 0; i < SIZES; i++)
            if (any(&s->times[k][i])) {
                if (comma)
                    out_ch(o, ',');
                comma = true;
                json_times(o, k, i, &s->times[k][i]);
            }
    out_str(o, "]}\n");
}

void stat_srt_print(void *state, struct out *o, bool json)
{
    (json ? print_json : print_text)(state, o);
}
