/* SPDX-License-Identifier: BSD-2-Clause */
/* -z rails,FILE: how evenly hosts with several ports use these, and which share of the payload goes from one rail to
 * another. Rail k is the network of the k-th port of all hosts; packets do not show which ports are of one host, so
 * FILE lists them. */
#include <errno.h>
#include <stdlib.h>
#include "field/verdict.h"
#include "stats/kinds.h"
#include "stats/rails_list.h"

struct use {
    uint64_t packets, sent, received, again, crossed; /* crossed: payload sent to another rail, in bytes */
};
struct crossing {
    uint64_t packets, bytes;
};
struct rails {
    struct rails_list list;
    uint64_t packets, no_address, unlisted; /* unlisted: the list has neither address */
    uint64_t bytes, crossed;                /* payload between two ports of the list */
    struct use use[RAILS_HOSTS][RAILS_MOST];
    struct crossing crossing[RAILS_MOST][RAILS_MOST]; /* by rail of the sender and of the receiver */
};
/* The rail with the largest share of its host's payload, compared with an even share. */
struct most {
    const struct rails_host *host; /* NULL: no host with several rails has payload */
    unsigned rail;
    uint64_t bytes, whole;
};

static bool read_list(struct rails *s, const char *path, char *err, size_t errlen)
{
    char said[256] = "";
    FILE *in = fopen(path, "re");
    const bool good = in && rails_list_read(&s->list, in, said, sizeof said);

    if (!good)
        (void)snprintf(err, errlen, "-z rails,%.128s: %s", path, in ? said : strerror(errno));
    if (in)
        (void)fclose(in);
    return good;
}

void *stat_rails_open(const char *arg, char *err, size_t errlen)
{
    if (!arg || *arg == '\0') {
        (void)snprintf(err, errlen, "-z rails: the form is -z rails,FILE; a line of FILE is HOST ADDRESS ADDRESS ...");
        return NULL;
    }
    struct rails *s = calloc(1, sizeof *s);
    if (!s)
        (void)snprintf(err, errlen, "-z rails: out of memory");
    else if (read_list(s, arg, err, errlen))
        return s;
    free(s);
    return NULL;
}

static void count_crossing(struct rails *s, const struct rails_address *from, const struct rails_address *to,
                           uint64_t bytes)
{
    struct crossing *c = &s->crossing[from->rail][to->rail];

    c->packets++;
    c->bytes += bytes;
    s->bytes += bytes;
    if (from->rail == to->rail)
        return;
    s->crossed += bytes;
    s->use[from->host][from->rail].crossed += bytes;
}

void stat_rails_packet(void *state, const struct packet *packet)
{
    struct rails *s = state;
    const struct iba_view *v = &packet->view;
    struct stat_addrs ends;

    if (iba_view_is_damaged(v) || verdict_is_twin(packet->verdict, packet->number))
        return;
    s->packets++;
    if (!stat_addrs_get(&ends, v)) {
        s->no_address++;
        return;
    }
    const struct rails_address *from = rails_list_find(&s->list, ends.kind, ends.src);
    const struct rails_address *to = rails_list_find(&s->list, ends.kind, ends.dst);
    s->unlisted += !from && !to;
    if (from) {
        struct use *u = &s->use[from->host][from->rail];
        u->packets++;
        u->sent += v->payload_len;
        u->again += packet->verdict->again;
    }
    if (to) {
        struct use *u = &s->use[to->host][to->rail];
        u->packets++;
        u->received += v->payload_len;
    }
    if (from && to)
        count_crossing(s, from, to, v->payload_len);
}

static uint64_t payload(const struct use *u)
{
    return u->sent + u->received;
}

static uint64_t payload_of_host(const struct rails *s, size_t host)
{
    uint64_t sum = 0;

    for (unsigned r = 0; r < s->list.host[host].n; r++)
        sum += payload(&s->use[host][r]);
    return sum;
}

/* Whether the share x of x_whole, times the number of rails, is more than that of y. */
static bool is_more(const struct most *x, const struct most *y)
{
    if (!y->host)
        return true;
    return (double)x->bytes / (double)x->whole * x->host->n > (double)y->bytes / (double)y->whole * y->host->n;
}

static struct most find_most(const struct rails *s)
{
    struct most most = {0};

    for (size_t h = 0; h < s->list.n_host; h++) {
        const struct rails_host *host = &s->list.host[h];
        const uint64_t whole = payload_of_host(s, h);
        for (unsigned r = 0; r < host->n && host->n > 1 && whole > 0; r++) {
            const struct most this = {host, r, payload(&s->use[h][r]), whole};
            most = is_more(&this, &most) ? this : most;
        }
    }
    return most;
}

static void print_hosts(const struct rails *s, struct out *o)
{
    size_t width = sizeof "Host" - 1;

    for (size_t h = 0; h < s->list.n_host; h++)
        width = strlen(s->list.host[h].name) > width ? strlen(s->list.host[h].name) : width;
    const struct column columns[] = {{"Host", (uint8_t)width, true}, {"Rail", 4, false},
                                     {"Packets", 12, false},         {"Bytes sent", 16, false},
                                     {"Bytes received", 16, false},  {"Share", 7, false},
                                     {"Sent again", 10, false},      {"Sent to other rails", 19, false}};
    struct table t;

    table_open(&t, o, "Rails of each host", columns, sizeof columns / sizeof *columns);
    for (size_t h = 0; h < s->list.n_host; h++)
        for (unsigned r = 0; r < s->list.host[h].n; r++) {
            const struct use *u = &s->use[h][r];
            table_str(&t, s->list.host[h].name);
            table_u64(&t, r + 1);
            table_u64(&t, u->packets);
            table_u64(&t, u->sent);
            table_u64(&t, u->received);
            table_percent(&t, payload(u), payload_of_host(s, h));
            table_u64(&t, u->again);
            table_u64(&t, u->crossed);
        }
    table_close(&t);
}

static void print_most(const struct rails *s, struct out *o)
{
    const struct most most = find_most(s);

    if (!most.host) {
        out_str(o, "No host with several rails has payload\n");
        return;
    }
    out_str(o, "Most uneven: rail ");
    out_u64(o, most.rail + 1);
    out_str(o, " of ");
    out_str(o, most.host->name);
    out_str(o, " has ");
    percent_print(o, most.bytes, most.whole);
    out_str(o, "% of the host's payload; an even share is ");
    percent_print(o, 1, most.host->n);
    out_str(o, "%\n");
}

static void print_crossings(const struct rails *s, struct out *o)
{
    static const struct column columns[] = {{"From rail", 9, false},
                                            {"To rail", 7, false},
                                            {"Packets", 12, false},
                                            {"Payload bytes", 16, false},
                                            {"Share", 7, false}};
    struct table t;

    table_open(&t, o, "Rail by rail, between hosts of the list", columns, sizeof columns / sizeof *columns);
    for (unsigned from = 0; from < RAILS_MOST; from++)
        for (unsigned to = 0; to < RAILS_MOST; to++) {
            const struct crossing *c = &s->crossing[from][to];
            if (c->packets == 0)
                continue;
            table_u64(&t, from + 1);
            table_u64(&t, to + 1);
            table_u64(&t, c->packets);
            table_u64(&t, c->bytes);
            table_percent(&t, c->bytes, s->bytes);
        }
    table_rule(&t, '-');
    print_most(s, o);
    out_str(o, "Payload from one rail to another ");
    percent_print(o, s->crossed, s->bytes);
    out_str(o, "%\nPackets ");
    out_u64(o, s->packets);
    out_str(o, ", without an address ");
    out_u64(o, s->no_address);
    out_str(o, ", of addresses that the list lacks ");
    out_u64(o, s->unlisted);
    out_ch(o, '\n');
    table_close(&t);
}

static void json_use(const struct rails *s, struct out *o, size_t h, unsigned r)
{
    const struct use *u = &s->use[h][r];

    out_str(o, r ? ",{\"rail\":" : "{\"rail\":");
    out_u64(o, r + 1);
    json_u64(o, "packets", u->packets);
    json_u64(o, "sent", u->sent);
    json_u64(o, "received", u->received);
    json_percent(o, "percent", payload(u), payload_of_host(s, h));
    json_u64(o, "sent_again", u->again);
    json_u64(o, "sent_to_other_rails", u->crossed);
    out_ch(o, '}');
}

static void json_hosts(const struct rails *s, struct out *o)
{
    json_key(o, "hosts");
    out_ch(o, '[');
    for (size_t h = 0; h < s->list.n_host; h++) {
        out_str(o, h ? ",{\"host\":\"" : "{\"host\":\"");
        out_str(o, s->list.host[h].name);
        out_ch(o, '"');
        json_key(o, "rails");
        out_ch(o, '[');
        for (unsigned r = 0; r < s->list.host[h].n; r++)
            json_use(s, o, h, r);
        out_str(o, "]}");
    }
    out_ch(o, ']');
}

static void json_crossings(const struct rails *s, struct out *o)
{
    bool any = false;

    json_key(o, "rails");
    out_ch(o, '[');
    for (unsigned from = 0; from < RAILS_MOST; from++)
        for (unsigned to = 0; to < RAILS_MOST; to++) {
            const struct crossing *c = &s->crossing[from][to];
            if (c->packets == 0)
                continue;
            out_str(o, any ? ",{\"from\":" : "{\"from\":");
            any = true;
            out_u64(o, from + 1);
            json_u64(o, "to", to + 1);
            json_u64(o, "packets", c->packets);
            json_u64(o, "payload_bytes", c->bytes);
            out_ch(o, '}');
        }
    out_ch(o, ']');
}

static void print_json(const struct rails *s, struct out *o)
{
    const struct most most = find_most(s);

    out_str(o, "{\"stat\":\"rails\"");
    json_u64(o, "packets", s->packets);
    json_u64(o, "no_address", s->no_address);
    json_u64(o, "unlisted", s->unlisted);
    json_hosts(s, o);
    json_crossings(s, o);
    if (most.host) {
        json_str(o, "most_uneven_host", most.host->name);
        json_u64(o, "most_uneven_rail", most.rail + 1);
        json_percent(o, "most_uneven_percent", most.bytes, most.whole);
        json_percent(o, "even_percent", 1, most.host->n);
    }
    json_u64(o, "payload_bytes", s->bytes);
    json_u64(o, "to_other_rails", s->crossed);
    out_str(o, "}\n");
}

void stat_rails_print(void *state, struct out *o, bool json)
{
    const struct rails *s = state;

    if (json) {
        print_json(s, o);
        return;
    }
    print_hosts(s, o);
    print_crossings(s, o);
}
