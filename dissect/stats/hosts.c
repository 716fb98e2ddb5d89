/* SPDX-License-Identifier: BSD-2-Clause */
/* -z hosts: how many hosts send to each host at the same time, and which host begins the rounds of a collective last.
 */
#include <stdlib.h>
#include "field/verdict.h"
#include "stats/kinds.h"
#include "stats/rounds.h"
#include "track/addr.h"

/* Incast is counted in buckets of one millisecond. */
enum { HOSTS = BOUND(1024, 8), PAIRS = BOUND(16384, 16), BUCKET_NS = 1000000 };

struct host {
    struct stat_addr key; /* must be first: see stat_slot() */
    uint64_t sent, received;
    uint32_t sends_to, receives_from; /* hosts that it sends payload to, and receives payload from */
    uint32_t now, most;               /* hosts that send to it in this bucket, and in the bucket with the most */
    uint64_t bucket, most_at;         /* from 1 */
    uint32_t round;                   /* the host's number in the rounds, plus 1; 0: none */
};
struct pair {
    struct stat_addrs key; /* must be first */
    uint16_t from, to;     /* indices of hosts */
    bool timed;
    uint64_t packets, bytes, again;
    int64_t first_ns, last_ns;
    uint64_t bucket; /* the last bucket of time in which the pair had payload */
};
struct hosts {
    struct stat_clock clock;
    uint64_t packets, no_address, untimed, beyond, bytes, now;
    uint32_t n_host, n_pair, n_round;
    uint32_t host_slot[2 * HOSTS], pair_slot[2 * PAIRS];
    struct host host[HOSTS];
    struct pair pair[PAIRS];
    const struct pair *sorted[PAIRS];
    uint16_t round[ROUND_HOSTS]; /* the host of each number in the rounds */
    struct rounds rounds;
};

void *stat_hosts_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("hosts", sizeof(struct hosts), arg, err, errlen);
}

/* The index of the host; HOSTS when the table is full. */
static uint16_t host_of(struct hosts *s, uint8_t kind, const uint8_t *addr)
{
    struct stat_addr key = {.kind = kind};
    uint32_t tag;

    memcpy(key.addr, addr, sizeof key.addr);
    const size_t at = stat_slot(s->host_slot, sizeof s->host_slot / sizeof *s->host_slot, s->host, sizeof *s->host,
                                &key, sizeof key, &tag);
    if (s->host_slot[at])
        return (uint16_t)stat_slot_index(s->host_slot[at]);
    if (s->n_host == HOSTS)
        return HOSTS;
    s->host[s->n_host].key = key;
    s->host_slot[at] = ++s->n_host | tag;
    return (uint16_t)(s->n_host - 1);
}

static struct pair *pair_of(struct hosts *s, const struct stat_addrs *key)
{
    uint32_t tag;
    const size_t at = stat_slot(s->pair_slot, sizeof s->pair_slot / sizeof *s->pair_slot, s->pair, sizeof *s->pair, key,
                                sizeof *key, &tag);

    if (s->pair_slot[at])
        return &s->pair[stat_slot_index(s->pair_slot[at])];
    const uint16_t from = host_of(s, key->kind, key->src), to = host_of(s, key->kind, key->dst);
    if (s->n_pair == PAIRS || from == HOSTS || to == HOSTS)
        return NULL;
    struct pair *p = &s->pair[s->n_pair];
    s->pair_slot[at] = ++s->n_pair | tag;
    p->key = *key;
    p->from = from;
    p->to = to;
    return p;
}

static void payload(struct hosts *s, struct pair *p, uint64_t bytes, bool timed)
{
    struct host *from = &s->host[p->from], *to = &s->host[p->to];
    const uint64_t bucket = s->now / BUCKET_NS + 1;

    from->sends_to += p->bytes == 0;
    to->receives_from += p->bytes == 0;
    p->bytes += bytes;
    from->sent += bytes;
    to->received += bytes;
    s->bytes += bytes;
    if (!timed || p->bucket == bucket)
        return;
    p->bucket = bucket;
    to->now = to->bucket == bucket ? to->now + 1 : 1;
    to->bucket = bucket;
    if (to->now > to->most) {
        to->most = to->now;
        to->most_at = bucket;
    }
}

/* The number in the rounds of a host that sends requests; ROUND_HOSTS: the host has none, or there are too many hosts.
 */
static unsigned round_host(struct hosts *s, uint16_t host)
{
    struct host *h = &s->host[host];

    if (h->round == 0 && s->n_round < ROUND_HOSTS) {
        s->round[s->n_round] = host;
        h->round = ++s->n_round;
    }
    s->rounds.others |= h->round == 0;
    return h->round ? h->round - 1 : ROUND_HOSTS;
}

static void note_time(struct pair *p, int64_t ns)
{
    p->first_ns = p->timed && p->first_ns < ns ? p->first_ns : ns;
    p->last_ns = p->timed && p->last_ns > ns ? p->last_ns : ns;
    p->timed = true;
}

void stat_hosts_packet(void *state, const struct packet *packet)
{
    struct hosts *s = state;
    const struct iba_view *v = &packet->view;
    const struct verdict *verdict = packet->verdict;
    struct stat_addrs key = {0};
    int64_t ns;

    if (iba_view_is_damaged(v) || verdict_is_twin(verdict, packet->number))
        return;
    s->packets++;
    if (!stat_addrs_get(&key, v)) {
        s->no_address++;
        return;
    }
    struct pair *p = pair_of(s, &key);
    if (!p) {
        s->beyond++;
        s->rounds.others = true;
        return;
    }
    p->packets++;
    p->again += verdict->again;
    const bool timed = stat_clock_read(&s->clock, packet, &ns);
    if (timed) {
        note_time(p, ns);
        s->now = ns > 0 && (uint64_t)ns > s->now ? (uint64_t)ns : s->now;
    } else
        s->untimed++;
    if (v->payload_len > 0)
        payload(s, p, v->payload_len, timed);
    const bool counts = v->op && v->op->dir == IBA_REQ && v->op->operation != IBA_OPERATION_CNP && !verdict->again;
    if (timed)
        rounds_packet(&s->rounds, counts ? round_host(s, p->from) : ROUND_HOSTS, s->now, v->payload_len);
}

static int by_bytes(const void *a, const void *b)
{
    const struct pair *x = *(const struct pair *const *)a, *y = *(const struct pair *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x < y ? -1 : x > y; /* both point into one array, so this is the order in which they were first seen */
}

static void addr(struct table *t, const struct stat_addr *k)
{
    table_begin(t);
    stat_addr_print(t->o, (enum iba_addr_kind)k->kind, k->addr);
    table_end(t);
}

static uint8_t addr_width(struct out *o, const struct hosts *s)
{
    uint8_t widest = sizeof "Destination" - 1;

    for (uint32_t i = 0; i < s->n_host; i++)
        widest = stat_addr_wider(o, widest, (enum iba_addr_kind)s->host[i].key.kind, s->host[i].key.addr);
    return widest;
}

static void print_hosts(const struct hosts *s, struct out *o, uint8_t width)
{
    const struct column columns[] = {{"Host", width, true},
                                     {"Bytes sent", 16, false},
                                     {"Bytes received", 16, false},
                                     {"Sends to", 8, false},
                                     {"Receives from", 13, false},
                                     {"Senders at once", 15, false},
                                     {"in the ms from (s)", 18, false}};
    struct table t;

    table_open(&t, o, "Hosts", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < s->n_host; i++) {
        const struct host *h = &s->host[i];
        addr(&t, &h->key);
        table_u64(&t, h->sent);
        table_u64(&t, h->received);
        table_u64(&t, h->sends_to);
        table_u64(&t, h->receives_from);
        table_u64(&t, h->most);
        if (h->most)
            table_time(&t, (int64_t)((h->most_at - 1) * BUCKET_NS));
        else
            table_str(&t, "-");
    }
    table_close(&t);
}

static void print_pairs(const struct hosts *s, struct out *o, uint8_t width)
{
    const struct column columns[] = {
        {"Source", width, true}, {"Destination", width, true}, {"Packets", 12, false},   {"Payload bytes", 16, false},
        {"Share", 7, false},     {"Sent again", 10, false},    {"First (s)", 16, false}, {"Last (s)", 16, false}};
    struct table t;

    table_open(&t, o, "Host by host", columns, sizeof columns / sizeof *columns);
    for (uint32_t i = 0; i < s->n_pair; i++) {
        const struct pair *p = s->sorted[i];
        addr(&t, &s->host[p->from].key);
        addr(&t, &s->host[p->to].key);
        table_u64(&t, p->packets);
        table_u64(&t, p->bytes);
        table_percent(&t, p->bytes, s->bytes);
        table_u64(&t, p->again);
        if (p->timed) {
            table_time(&t, p->first_ns);
            table_time(&t, p->last_ns);
        } else {
            table_str(&t, "-");
            table_str(&t, "-");
        }
    }
    table_rule(&t, '-');
    out_str(o, "Packets ");
    out_u64(o, s->packets);
    out_str(o, ", without an address ");
    out_u64(o, s->no_address);
    out_str(o, ", without a time ");
    out_u64(o, s->untimed);
    out_str(o, ", of hosts beyond the tables ");
    out_u64(o, s->beyond);
    out_ch(o, '\n');
    table_close(&t);
}

/* The host that begins last in more than half of the rounds; ROUND_HOSTS: there is none. */
static unsigned straggler(const struct round_host *row, unsigned rounds)
{
    for (unsigned h = 0; h < ROUND_HOSTS; h++)
        if (2 * row[h].last > rounds)
            return h;
    return ROUND_HOSTS;
}

/* `which`: the words for the rounds. */
static void say_straggler(const struct hosts *s, struct out *o, const struct round_host *row, unsigned host,
                          unsigned rounds, const char *which)
{
    const struct stat_addr *k = &s->host[s->round[host]].key;

    stat_addr_print(o, (enum iba_addr_kind)k->kind, k->addr);
    out_str(o, " begins last in ");
    out_u64(o, row[host].last);
    out_str(o, " of ");
    out_u64(o, rounds);
    out_str(o, which);
    out_str(o, ", on average ");
    out_time(o, (int64_t)(row[host].behind / row[host].last));
    out_str(o, " s after the host before it");
}

static void print_straggler(const struct hosts *s, struct out *o, const struct round_host *row, unsigned rounds)
{
    const unsigned h = straggler(row, rounds);

    if (h == ROUND_HOSTS)
        out_str(o, "No host begins last in more than half of the rounds");
    else
        say_straggler(s, o, row, h, rounds, " rounds");
    out_ch(o, '\n');
}

void stat_hosts_say_straggler(void *state, struct out *o)
{
    struct hosts *s = state;
    struct round_host row[ROUND_HOSTS] = {0};
    const unsigned rounds = rounds_find(&s->rounds) ? rounds_count(&s->rounds, row) : 0;
    const unsigned h = rounds > 0 ? straggler(row, rounds) : ROUND_HOSTS;

    if (h == ROUND_HOSTS || 2 * row[h].behind / row[h].last <= row[h].after / rounds)
        return;
    out_ch(o, ' ');
    say_straggler(s, o, row, h, rounds, " rounds of a collective");
    out_ch(o, '.');
}

static void print_rounds(const struct hosts *s, struct out *o, uint8_t width, const struct round_host *row,
                         unsigned rounds)
{
    const struct column columns[] = {
        {"Host", width, true},      {"Packets a round", 15, false},     {"Bytes a round", 16, false},
        {"Begins last", 11, false}, {"After the first (s)", 19, false}, {"Before the last (s)", 19, false}};
    const struct burst *pattern = rounds_pattern(&s->rounds);
    struct table t;

    table_open(&t, o, "Rounds: bursts of the same requests of the same hosts", columns,
               sizeof columns / sizeof *columns);
    for (unsigned h = 0; h < s->n_round; h++) {
        if (pattern->part[h].packets == 0)
            continue;
        addr(&t, &s->host[s->round[h]].key);
        table_u64(&t, pattern->part[h].packets);
        table_u64(&t, pattern->part[h].bytes);
        table_u64(&t, row[h].last);
        table_time(&t, (int64_t)(row[h].after / rounds));
        table_time(&t, (int64_t)(row[h].waits / rounds));
    }
    table_rule(&t, '-');
    out_str(o, "Rounds ");
    out_u64(o, rounds);
    out_ch(o, '\n');
    print_straggler(s, o, row, rounds);
    table_close(&t);
}

static void json_host(struct out *o, const char *key, const struct stat_addr *k)
{
    json_key(o, key);
    out_ch(o, '"');
    stat_addr_print(o, (enum iba_addr_kind)k->kind, k->addr);
    out_ch(o, '"');
}

static void json_hosts(const struct hosts *s, struct out *o)
{
    json_key(o, "hosts");
    out_ch(o, '[');
    for (uint32_t i = 0; i < s->n_host; i++) {
        const struct host *h = &s->host[i];
        out_str(o, i ? ",{\"address\":\"" : "{\"address\":\"");
        out_str(o, stat_addr_kind_name((enum iba_addr_kind)h->key.kind));
        out_ch(o, '"');
        json_host(o, "host", &h->key);
        json_u64(o, "sent", h->sent);
        json_u64(o, "received", h->received);
        json_u64(o, "sends_to", h->sends_to);
        json_u64(o, "receives_from", h->receives_from);
        json_u64(o, "senders_at_once", h->most);
        json_key(o, "senders_at");
        if (h->most)
            out_time(o, (int64_t)((h->most_at - 1) * BUCKET_NS));
        else
            OUT_LIT(o, "null");
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void json_pairs(const struct hosts *s, struct out *o)
{
    json_key(o, "pairs");
    out_ch(o, '[');
    for (uint32_t i = 0; i < s->n_pair; i++) {
        const struct pair *p = s->sorted[i];
        out_str(o, i ? ",{\"packets\":" : "{\"packets\":");
        out_u64(o, p->packets);
        json_host(o, "src", &s->host[p->from].key);
        json_host(o, "dst", &s->host[p->to].key);
        json_u64(o, "payload_bytes", p->bytes);
        json_u64(o, "sent_again", p->again);
        if (p->timed) {
            json_time(o, "first", p->first_ns);
            json_time(o, "last", p->last_ns);
        }
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

static void json_rounds(const struct hosts *s, struct out *o, const struct round_host *row, unsigned rounds)
{
    const struct burst *pattern = rounds_pattern(&s->rounds);
    const unsigned late = straggler(row, rounds);
    bool any = false;

    json_u64(o, "rounds", rounds);
    if (rounds > 0 && late < ROUND_HOSTS) {
        json_host(o, "straggler", &s->host[s->round[late]].key);
        json_time(o, "behind", (int64_t)(row[late].behind / row[late].last));
    }
    json_key(o, "round_hosts");
    out_ch(o, '[');
    for (unsigned h = 0; rounds > 0 && h < s->n_round; h++) {
        if (pattern->part[h].packets == 0)
            continue;
        out_str(o, any ? ",{\"packets\":" : "{\"packets\":");
        any = true;
        out_u64(o, pattern->part[h].packets);
        json_host(o, "host", &s->host[s->round[h]].key);
        json_u64(o, "payload_bytes", pattern->part[h].bytes);
        json_u64(o, "last", row[h].last);
        json_time(o, "after_first", (int64_t)(row[h].after / rounds));
        json_time(o, "before_last", (int64_t)(row[h].waits / rounds));
        out_ch(o, '}');
    }
    out_ch(o, ']');
}

void stat_hosts_print(void *state, struct out *o, bool json)
{
    struct hosts *s = state;
    struct round_host row[ROUND_HOSTS] = {0};
    const unsigned rounds = rounds_find(&s->rounds) ? rounds_count(&s->rounds, row) : 0;

    for (uint32_t i = 0; i < s->n_pair; i++)
        s->sorted[i] = &s->pair[i];
    qsort(s->sorted, s->n_pair, sizeof *s->sorted, by_bytes);
    if (json) {
        out_str(o, "{\"stat\":\"hosts\"");
        json_u64(o, "packets", s->packets);
        json_u64(o, "no_address", s->no_address);
        json_u64(o, "untimed", s->untimed);
        json_u64(o, "beyond", s->beyond);
        json_hosts(s, o);
        json_pairs(s, o);
        json_rounds(s, o, row, rounds);
        out_str(o, "}\n");
        return;
    }
    const uint8_t width = addr_width(o, s);
    print_hosts(s, o, width);
    print_pairs(s, o, width);
    if (rounds > 0)
        print_rounds(s, o, width, row, rounds);
}
