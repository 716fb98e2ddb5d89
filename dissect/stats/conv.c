/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "field/bound.h"
#include "track/addr.h"
#include "stats/kinds.h"

/* 16384 conversations with their index are 2 MiB. */
enum { MAX_CONVS = BOUND(16384, 16), SLOTS = 2 * MAX_CONVS };
enum source { SOURCE_UNKNOWN, SOURCE_ONE, SOURCE_SEVERAL };

struct conv_key {
    struct stat_addrs addrs;
    uint8_t svc;
    uint16_t p_key;
    uint32_t dest_qp;
};
_Static_assert(sizeof(struct conv_key) == 40, "keys are compared as bytes: no padding");

struct conv {
    struct conv_key key; /* must be first: see stat_slot() */
    uint32_t source_qp;  /* the source QP of the first DETH */
    uint8_t source;      /* enum source */
    bool timed;
    uint64_t packets, bytes;
    int64_t first_ns, last_ns;    /* earliest and latest */
    uint32_t first_psn, last_psn; /* in the order of the capture */
};
struct convs {
    struct stat_clock clock;
    uint64_t packets, no_transport, others, others_bytes;
    size_t n;
    uint32_t slot[SLOTS];
    struct conv conv[MAX_CONVS];
    const struct conv *sorted[MAX_CONVS];
};

void *stat_conv_open(const char *arg, char *err, size_t errlen)
{
    return stat_open_plain("conv,qp", sizeof(struct convs), arg, err, errlen);
}

static bool key_of(struct conv_key *k, const struct iba_view *v)
{
    memset(k, 0, sizeof *k);
    if (!stat_addrs_get(&k->addrs, v))
        return false;
    const uint8_t *bth = iba_view_bth(v);
    k->svc = iba_bth_opcode(bth) >> 5;
    k->p_key = iba_bth_p_key(bth);
    k->dest_qp = iba_bth_destqp(bth);
    return true;
}

/* The conversation of this key; NULL when the table is full. */
static struct conv *conv_of(struct convs *s, const struct conv_key *k, uint32_t psn)
{
    uint32_t tag;
    const size_t at = stat_slot(s->slot, SLOTS, s->conv, sizeof *s->conv, k, sizeof *k, &tag);

    if (s->slot[at])
        return &s->conv[stat_slot_index(s->slot[at])];
    if (s->n == MAX_CONVS)
        return NULL;
    struct conv *c = &s->conv[s->n++];
    s->slot[at] = (uint32_t)s->n | tag;
    c->key = *k;
    c->first_psn = psn;
    return c;
}

static void note_source(struct conv *c, const struct iba_view *v)
{
    if (!iba_view_has(v, IBA_H_deth))
        return;
    const uint32_t qp = iba_deth_srcqp(iba_view_hdr(v, IBA_H_deth));
    if (c->source == SOURCE_UNKNOWN) {
        c->source_qp = qp;
        c->source = SOURCE_ONE;
    } else if (c->source_qp != qp)
        c->source = SOURCE_SEVERAL;
}

static void note_time(struct conv *c, int64_t ns)
{
    c->first_ns = c->timed && c->first_ns < ns ? c->first_ns : ns;
    c->last_ns = c->timed && c->last_ns > ns ? c->last_ns : ns;
    c->timed = true;
}

void stat_conv_packet(void *state, const struct packet *p)
{
    struct convs *s = state;
    const struct iba_view *v = &p->view;
    struct conv_key key;
    int64_t ns = 0;
    const bool timed = stat_clock_read(&s->clock, p, &ns);

    s->packets++;
    if (!key_of(&key, v)) {
        s->no_transport++;
        return;
    }
    const uint32_t psn = iba_bth_psn(iba_view_bth(v));
    struct conv *c = conv_of(s, &key, psn);
    if (!c) {
        s->others++;
        s->others_bytes += v->payload_len;
        return;
    }
    c->packets++;
    c->bytes += v->payload_len;
    c->last_psn = psn;
    note_source(c, v);
    if (timed)
        note_time(c, ns);
}

static int by_bytes(const void *a, const void *b)
{
    const struct conv *x = *(const struct conv *const *)a, *y = *(const struct conv *const *)b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->packets != y->packets)
        return x->packets < y->packets ? 1 : -1;
    return x < y ? -1 : x > y; /* both point into one array, so this is the order in which they were first seen */
}

static void sort(struct convs *s)
{
    for (size_t i = 0; i < s->n; i++)
        s->sorted[i] = &s->conv[i];
    qsort(s->sorted, s->n, sizeof *s->sorted, by_bytes);
}

static const uint8_t *addr_of(const struct conv *c, bool src)
{
    return src ? c->key.addrs.src : c->key.addrs.dst;
}

static void print_addr(struct table *t, const struct conv *c, bool src)
{
    table_begin(t);
    stat_addr_print(t->o, (enum iba_addr_kind)c->key.addrs.kind, addr_of(c, src));
    table_end(t);
}

static void print_hex(struct table *t, uint32_t v, unsigned digits)
{
    table_begin(t);
    out_hex(t->o, v, digits);
    table_end(t);
}

static void print_conv(struct table *t, const struct conv *c)
{
    print_addr(t, c, true);
    if (c->source == SOURCE_ONE)
        print_hex(t, c->source_qp, 6);
    else
        table_str(t, c->source == SOURCE_UNKNOWN ? "-" : "several");
    print_addr(t, c, false);
    print_hex(t, c->key.dest_qp, 6);
    table_str(t, iba_svc_name((enum iba_svc)c->key.svc));
    print_hex(t, c->key.p_key, 4);
    table_u64(t, c->packets);
    table_u64(t, c->bytes);
    if (c->timed) {
        table_time(t, c->first_ns);
        table_time(t, c->last_ns);
    } else {
        table_str(t, "-");
        table_str(t, "-");
    }
    table_u64(t, c->first_psn);
    table_u64(t, c->last_psn);
}

static void print_totals(const struct table *t, const struct convs *s)
{
    struct out *o = t->o;

    table_rule(t, '-');
    out_str(o, "Conversations ");
    out_u64(o, s->n);
    out_str(o, ", packets ");
    out_u64(o, s->packets);
    out_str(o, ", without a transport header ");
    out_u64(o, s->no_transport);
    out_ch(o, '\n');
    if (s->others > 0) {
        out_str(o, "Others, beyond the first ");
        out_u64(o, MAX_CONVS);
        out_str(o, " conversations: packets ");
        out_u64(o, s->others);
        out_str(o, ", payload bytes ");
        out_u64(o, s->others_bytes);
        out_ch(o, '\n');
    }
}

/* The width of the longest address. */
static uint8_t addr_width(struct out *o, const struct convs *s, bool src)
{
    uint8_t widest = sizeof "Destination" - 1;

    for (size_t i = 0; i < s->n; i++)
        widest = stat_addr_wider(o, widest, (enum iba_addr_kind)s->conv[i].key.addrs.kind, addr_of(&s->conv[i], src));
    return widest;
}

static void print_text(const struct convs *s, struct out *o)
{
    const struct column columns[] = {{"Source", addr_width(o, s, true), true},
                                     {"Source QP", 9, true},
                                     {"Destination", addr_width(o, s, false), true},
                                     {"Dest QP", 8, true},
                                     {"Service", 7, true},
                                     {"P_Key", 6, true},
                                     {"Packets", 10, false},
                                     {"Payload bytes", 14, false},
                                     {"First (s)", 16, false},
                                     {"Last (s)", 16, false},
                                     {"First PSN", 9, false},
                                     {"Last PSN", 9, false}};
    struct table t;

    table_open(&t, o, "Conversations by destination QP", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < s->n; i++)
        print_conv(&t, s->sorted[i]);
    print_totals(&t, s);
    table_close(&t);
}

static void print_json_addr(struct out *o, const char *key, const struct conv *c, bool src)
{
    json_key(o, key);
    out_ch(o, '"');
    stat_addr_print(o, (enum iba_addr_kind)c->key.addrs.kind, addr_of(c, src));
    out_ch(o, '"');
}

static void print_json_time(struct out *o, const char *key, const struct conv *c, int64_t ns)
{
    json_key(o, key);
    if (c->timed)
        out_time(o, ns);
    else
        OUT_LIT(o, "null");
}

static void print_json_conv(struct out *o, const struct conv *c)
{
    out_str(o, "{\"address\":\"");
    out_str(o, stat_addr_kind_name((enum iba_addr_kind)c->key.addrs.kind));
    out_ch(o, '"');
    print_json_addr(o, "src", c, true);
    print_json_addr(o, "dst", c, false);
    json_known(o, "source_qp", c->source != SOURCE_UNKNOWN, c->source_qp);
    json_key(o, "source_qp_several");
    out_str(o, c->source == SOURCE_SEVERAL ? "true" : "false");
    json_u64(o, "dest_qp", c->key.dest_qp);
    json_str(o, "service", iba_svc_name((enum iba_svc)c->key.svc));
    json_u64(o, "p_key", c->key.p_key);
    json_u64(o, "packets", c->packets);
    json_u64(o, "payload_bytes", c->bytes);
    print_json_time(o, "first", c, c->first_ns);
    print_json_time(o, "last", c, c->last_ns);
    json_u64(o, "first_psn", c->first_psn);
    json_u64(o, "last_psn", c->last_psn);
    out_ch(o, '}');
}

static void print_json(const struct convs *s, struct out *o)
{
    out_str(o, "{\"stat\":\"conv,qp\"");
    json_u64(o, "packets", s->packets);
    json_u64(o, "no_transport", s->no_transport);
    json_key(o, "conversations");
    out_ch(o, '[');
    for (size_t i = 0; i < s->n; i++) {
        if (i > 0)
            out_ch(o, ',');
        print_json_conv(o, s->sorted[i]);
    }
    out_ch(o, ']');
    json_u64(o, "limit", MAX_CONVS);
    json_u64(o, "others_packets", s->others);
    json_u64(o, "others_payload_bytes", s->others_bytes);
    out_str(o, "}\n");
}

void stat_conv_print(void *state, struct out *o, bool json)
{
    sort(state);
    (json ? print_json : print_text)(state, o);
}
