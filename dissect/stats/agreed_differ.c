/* SPDX-License-Identifier: BSD-2-Clause */
/* Differences of a connection: packets that do not match the agreement, ends that do not match each other, or several
 * connections with a suspicious value. Each difference is a sentence about the sender of a direction; no sentence
 * assigns the fault. */
#include <string.h>
#include "track/addr.h"
#include "stats/agreed.h"

enum { MOST_COMPARED = 2048 }; /* directions, each compared with each other */
/* the bit of a P_Key that a full member of a partition has, and a limited member has not */
enum { FULL = 0x8000 };
enum { FOR_EVER = 7 }; /* code for RNR retries without limit, in REQ and REP */

/* In the sentences `#` is the observed value; `@` is the agreed value, or the value of the other direction. */
enum about {
    PSN,
    PMTU,
    READS,
    REFUSED,
    NO_READS,
    TAKES_READS,
    TIMEOUT,
    RETRIES,
    RETRIES_MANY,
    RNR_RETRIES,
    RNR_FEW,
    RNR_ALL,
    PKEY,
    LIMITED,
    SL,
    DSCP,
    DSCP_WAYS,
    HOPS,
    MIGREQ,
    PORT_LOW,
    PORT_ONE,
    ACK_ECT,
    UNMARKED,
    LINK_LOCAL,
    MIXED,
    ABOUT
};
static const struct {
    const char *key;
    uint8_t form;
    const char *sentence;
} about[ABOUT] = {
    [PSN] = {"psn", FORM_HEX6, "begins with PSN #, agreed was @"},
    [PMTU] = {"pmtu", FORM_NUMBER, "is cut into packets of # bytes, agreed was @"},
    [READS] = {"initiator_depth", FORM_NUMBER, "had # READs or ATOMICs waiting at once, agreed were @"},
    [REFUSED] = {"reads_refused", FORM_NUMBER, "was refused a READ or ATOMIC while # waited, agreed were @"},
    [NO_READS] = {"no_reads", FORM_NUMBER, "may have no READ and no ATOMIC waiting: agreed was @"},
    [TAKES_READS] = {"reads_offered", FORM_NUMBER, "allows itself # READs at once, but was offered @"},
    [TIMEOUT] = {"ack_timeout", FORM_TIME, "waited # for an answer, agreed was @ (up to four times that is usual)"},
    [RETRIES] = {"retry_count", FORM_NUMBER, "sent a packet # times again, agreed was @"},
    [RETRIES_MANY] = {"retries_many", FORM_NUMBER, "sent a packet more than 7 times again: a retry counter has 3 bits"},
    [RNR_RETRIES] = {"rnr_retry_count", FORM_NUMBER,
                     "came back # times to a receiver that was not ready, agreed was @"},
    [RNR_FEW] = {"rnr_few", FORM_NUMBER, "met a receiver that is not ready, and may come back @ times only"},
    [RNR_ALL] = {"rnr_all", FORM_NUMBER,
                 "is from one who says on each of # connections that it is not ready: do they share their receives?"},
    [PKEY] = {"p_key", FORM_HEX4, "is of partition #, agreed was @"},
    [LIMITED] = {"p_key_limited", FORM_HEX4,
                 "is of partition #, of which both ends are limited members: those may not talk"},
    [SL] = {"service_level", FORM_NUMBER, "has service level #, agreed was @"},
    [DSCP] = {"dscp", FORM_NUMBER, "has DSCP #, agreed was @"},
    [DSCP_WAYS] = {"dscp_ways", FORM_NUMBER, "has DSCP #, the other way it is @"},
    [HOPS] = {"hop_limit", FORM_NUMBER, "has hop limit #: the first router throws it away"},
    [MIGREQ] = {"migreq", FORM_NUMBER, "has MigReq #, the other way it is @"},
    [PORT_LOW] = {"source_port_low", FORM_NUMBER, "comes from UDP port #, below 49152"},
    [PORT_ONE] = {"source_port_one", FORM_NUMBER,
                  "comes from UDP port #, as all @ connections of the two: no path is chosen by it"},
    [ACK_ECT] = {"ack_ecn", FORM_NUMBER, "has ACKs that switches may mark (ECN)"},
    [UNMARKED] = {"unmarked", FORM_NUMBER, "lost packets that could have been marked (ECN), and none of them was"},
    [LINK_LOCAL] = {"link_local", FORM_NUMBER,
                    "comes from a link-local address and goes to one that is not: answers do not pass a router"},
    [MIXED] = {"encapsulations", FORM_NUMBER, "is RoCEv1, and what comes back from that port is RoCEv2"},
};

struct pen { /* the output and its format */
    struct out *o;
    bool json, any;
};

static void value(struct out *o, enum agreed_form form, uint64_t v)
{
    agreed_number(o, form, v);
    if (form == FORM_TIME)
        OUT_LIT(o, " s");
}

static void ends(struct out *o, const struct direction *d)
{
    stat_addr_print(o, (enum iba_addr_kind)d->key.kind, d->key.src);
    OUT_LIT(o, " to ");
    stat_addr_print(o, (enum iba_addr_kind)d->key.kind, d->key.dst);
    OUT_LIT(o, " QP ");
    out_hex(o, d->key.qpn, 6);
}

static void say(struct pen *p, const struct agreed_row *r, enum about what, uint64_t did, uint64_t said)
{
    struct out *o = p->o;

    if (p->json) {
        out_str(o, p->any ? ",{\"direction\":" : "{\"direction\":");
        out_u64(o, r->d->id);
        json_str(o, "about", about[what].key);
        json_key(o, "sentence");
        out_ch(o, '"');
    } else if (!p->any)
        OUT_LIT(o, "Remarkable:\n");
    p->any = true;
    OUT_LIT(o, "What goes from ");
    ends(o, r->d);
    out_ch(o, ' ');
    for (const char *s = about[what].sentence; *s; s++)
        if (*s == '#' || *s == '@')
            value(o, (enum agreed_form)about[what].form, *s == '#' ? did : said);
        else
            out_ch(o, *s);
    if (p->json)
        OUT_LIT(o, "\"}");
    else
        out_ch(o, '\n');
}

static void against_agreement(struct pen *p, const struct agreed_row *r, const struct cm_connection *c, bool active)
{
    static const struct {
        uint8_t what, about;
    } same[] = {{SHOW_PSN, PSN}, {SHOW_PMTU, PMTU}, {SHOW_PKEY, PKEY}, {SHOW_SL, SL}, {SHOW_DSCP, DSCP}};
    static const struct {
        uint8_t what, about;
    } at_most[] = {{SHOW_READS, READS}, {SHOW_RETRIES, RETRIES}, {SHOW_RNR_RETRIES, RNR_RETRIES}};
    enum { LONGEST = 4 };
    struct agreed_value v;
    uint64_t said;

    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        if (!agreed_announced(c, active, (enum agreed_shown)same[i].what, &said) ||
            !agreed_observed(r, (enum agreed_shown)same[i].what, &v))
            continue;
        const bool none = same[i].what == SHOW_DSCP && said == 0; /* no end asked for a DSCP */
        /* both ends need the same partition, but one may be a full and the other a limited member */
        if (same[i].what == SHOW_PKEY)
            v.most = (v.most & ~(uint64_t)FULL) == (said & ~(uint64_t)FULL) ? said : v.most;
        if (!none && v.most != said)
            say(p, r, (enum about)same[i].about, v.most, said);
    }
    for (size_t i = 0; i < sizeof at_most / sizeof *at_most; i++)
        if (agreed_announced(c, active, (enum agreed_shown)at_most[i].what, &said) &&
            agreed_observed(r, (enum agreed_shown)at_most[i].what, &v) && v.most > said &&
            !(at_most[i].what == SHOW_RNR_RETRIES && said == FOR_EVER))
            say(p, r, (enum about)at_most[i].about, v.most, said);
    const uint64_t reads = active ? c->active.reads : c->passive.reads;
    if (r->refused && r->refused <= reads)
        say(p, r, REFUSED, r->refused, reads);
    if (reads == 0 && r->requests)
        say(p, r, NO_READS, 0, 0);
    if (!active && reads > c->offered_reads)
        say(p, r, TAKES_READS, reads, c->offered_reads);
    if (agreed_announced(c, active, SHOW_TIMEOUT, &said) && r->timeout_ns && c->ack_timeout &&
        (r->timeout_ns < said || r->timeout_ns > LONGEST * said))
        say(p, r, TIMEOUT, r->timeout_ns, said);
}

static bool fe80(const uint8_t *a)
{
    return a[0] == 0xfe && (a[1] & 0xc0) == 0x80;
}

static void by_itself(struct pen *p, const struct agreed_row *r)
{
    enum { FIRST_DYNAMIC = 49152 };

    if (r->hops.any && r->hops.least <= 1 && r->d->key.kind != IBA_ADDR_GID)
        say(p, r, HOPS, r->hops.least, 0);
    if (r->port.any && r->port.least < FIRST_DYNAMIC)
        say(p, r, PORT_LOW, r->port.least, 0);
    if (r->too_often)
        say(p, r, RETRIES_MANY, 0, 0);
    if (r->ack_ect)
        say(p, r, ACK_ECT, 0, 0);
    if (r->requests && r->retry.most > 0 && r->ect && !r->ce)
        say(p, r, UNMARKED, 0, 0);
    if (r->d->key.kind != IBA_ADDR_IPV4 && r->d->key.kind != IBA_ADDR_LID && fe80(r->d->key.src) &&
        !fe80(r->d->key.dst))
        say(p, r, LINK_LOCAL, 0, 0);
}

/* Compares the two directions of a connection; a difference is reported for one of them. */
static void both_directions(struct pen *p, const struct agreed *s, const struct agreed_row *r,
                            const struct cm_connection *c, bool active)
{
    const struct agreed_row *other = r->d->peer ? &s->row[r->d->peer - 1] : NULL;

    if (!other || !other->d)
        return;
    if (c && other->rnr_wait_ns && (active ? c->active.rnr_retries : c->passive.rnr_retries) != FOR_EVER)
        say(p, r, RNR_FEW, 0, active ? c->active.rnr_retries : c->passive.rnr_retries);
    if (r->d->id > other->d->id)
        return;
    if (!((r->p_key.most | other->p_key.most) & FULL))
        say(p, r, LIMITED, r->p_key.most, 0);
    if (r->dscp.any && other->dscp.any && r->dscp.most != other->dscp.most)
        say(p, r, DSCP_WAYS, r->dscp.most, other->dscp.most);
    if (r->migreq.most != other->migreq.most)
        say(p, r, MIGREQ, r->migreq.most, other->migreq.most);
}

/* Compares a direction with other connections. All connections of the same two hosts count once, at the first of them.
 */
static void among_all(struct pen *p, const struct agreed *s, size_t at)
{
    const struct agreed_row *r = &s->row[s->seen[at]->id];
    uint64_t same = 0, waits = 0, all = 0, ports = 0;
    bool first = true, v2_back = false;

    for (size_t i = 0; i < s->n; i++) {
        const struct agreed_row *x = &s->row[s->seen[i]->id];
        if (r->proto == IBA_PROTO_ROCE1 && x->proto == IBA_PROTO_ROCE2 && x->mac[0] == r->mac[1] &&
            x->mac[1] == r->mac[0])
            v2_back = true;
        if (!direction_same_ends(x->d, r->d))
            continue;
        first &= i >= at;
        same += x->requests;
        all++;
        waits += x->rnr_wait_ns != 0;
        ports += x->requests && x->port.any && x->port.least == r->port.least && x->port.most == r->port.least;
    }
    if (v2_back)
        say(p, r, MIXED, 0, 0);
    if (first && same > 1 && ports == same)
        say(p, r, PORT_ONE, r->port.least, same);
    if (first && all > 1 && waits == all)
        say(p, r, RNR_ALL, all, 0);
}

static void differ(const struct agreed *s, struct pen *p)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct agreed_row *r = &s->row[s->seen[i]->id];
        bool active = false;
        const struct cm_connection *c = agreed_connection(s, r->d, &active);
        if (c)
            against_agreement(p, r, c, active);
        by_itself(p, r);
        both_directions(p, s, r, c, active);
        if (s->n <= MOST_COMPARED)
            among_all(p, s, i);
    }
}

/* The number of directions with the most frequent first PSN, if that number is suspiciously large; 0: the first PSNs
 * differ. */
static uint32_t same_psn(const struct agreed *s, iba_psn *psn)
{
    enum { MANY = 4 };
    uint32_t most = 0, all = 0;

    for (size_t i = 0; i < s->n && s->n <= MOST_COMPARED; i++) {
        const struct agreed_row *r = &s->row[s->seen[i]->id];
        uint32_t same = 0;
        all += r->requests;
        for (size_t k = 0; r->requests && k < s->n; k++) {
            const struct agreed_row *x = &s->row[s->seen[k]->id];
            same += x->requests && iba_psn_eq(x->psn, r->psn);
        }
        if (same > most) {
            most = same;
            *psn = r->psn;
        }
    }
    return most >= MANY && 2 * most > all ? most : 0;
}

void agreed_differ_text(const struct agreed *s, struct out *o)
{
    struct pen p = {.o = o};

    if (s->no_mac > 0) {
        OUT_LIT(o, "InfiniBand packets from a MAC address of zeros ");
        out_u64(o, s->no_mac);
        OUT_LIT(o, ", first packet ");
        out_u64(o, s->no_mac_frame);
        out_ch(o, '\n');
    }
    iba_psn psn = {0};
    const uint32_t same = same_psn(s, &psn);
    if (same > 0) {
        out_u64(o, same);
        OUT_LIT(o, " directions begin with PSN ");
        out_hex(o, psn.v, 6);
        OUT_LIT(o, ": whoever knows that can forge packets\n");
    }
    differ(s, &p);
    if (!p.any)
        OUT_LIT(o, "Remarkable: nothing\n");
}

void agreed_differ_json(const struct agreed *s, struct out *o)
{
    struct pen p = {.o = o, .json = true};

    differ(s, &p);
}

uint32_t agreed_same_psn(const struct agreed *s)
{
    iba_psn psn;

    return same_psn(s, &psn);
}
