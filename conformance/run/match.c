/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a packet matches a '<' line. Named fields are compared; in addition the packet must be valid, and go from the
 * device to its peer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "run/fabric.h"
#include "wire/iba_psn.h"

enum { MULTICAST_QP = 0xffffff };
enum { ETHERNET_LEAST = 64 }; /* bytes of the longest frame that Ethernet pads: a tagged one, without its FCS */
struct match {
    struct run_player *p;
    const struct ibc_step *s;
    const struct run_packet *k;
    const struct iba_view *v;
    const struct run_live *q;
    struct run_context c;
    struct run_difference *d;
};

static bool differs(const struct match *m, const char *expected, const char *got)
{
    snprintf(m->d->expected, sizeof m->d->expected, "%s", expected);
    snprintf(m->d->got, sizeof m->d->got, "%s", got);
    return false;
}

/* ---- soundness ---- */
static bool ipv4_sum_good(const uint8_t *ip)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < IBA_BYTES_ipv4; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

/* Whether the frame has nothing after its CRCs but Ethernet's padding of short frames (RO-04, RO-38). */
static bool ends_with_crc(const struct match *m)
{
    const size_t end = ibc_frame_end(m->p->t->framing, m->v);
    char got[RUN_TEXT];

    if (m->k->len <= end || (m->p->t->framing != IBA_LINK_IB && m->k->len <= ETHERNET_LEAST))
        return true;
    snprintf(got, sizeof got, "%zu bytes after it", m->k->len - end);
    return differs(m, "a frame that ends with its CRC", got);
}

static bool sound(const struct match *m)
{
    const struct iba_view *v = m->v;

    if (v->err != IBA_OK)
        return differs(m, "a well-formed packet", iba_strerror(v->err));
    if (iba_view_has_bth(v) && v->icrc != IBA_CHECK_GOOD)
        return differs(m, "icrc good", v->icrc == IBA_CHECK_BAD ? "icrc bad" : "icrc absent");
    if (m->p->t->framing == IBA_LINK_IB && v->vcrc != IBA_CHECK_GOOD)
        return differs(m, "vcrc good", v->vcrc == IBA_CHECK_BAD ? "vcrc bad" : "vcrc absent");
    if (iba_view_has(v, IBA_H_ipv4) && !ipv4_sum_good(iba_view_hdr(v, IBA_H_ipv4)))
        return differs(m, "ip.checksum good", "ip.checksum bad");
    return ends_with_crc(m);
}

/* ---- addresses ---- */
static bool named_field(const struct match *m, uint8_t hdr, const char *name)
{
    for (unsigned i = 0; i < m->s->n_arg; i++)
        if (m->s->arg[i].key == IBC_K_FIELD && m->s->arg[i].hdr == hdr && strcmp(m->s->arg[i].field->name, name) == 0)
            return true;
    return false;
}

static bool same_number(const struct match *m, uint8_t hdr, const char *name, uint64_t want)
{
    const struct iba_field *f = iba_field_find((enum iba_hdr)hdr, name);
    const uint64_t is = iba_field_get(f, iba_view_hdr(m->v, (enum iba_hdr)hdr));

    if (is == want || named_field(m, hdr, name))
        return true;
    run_show_field(hdr, f, want, m->d->expected, sizeof m->d->expected);
    run_show_field(hdr, f, is, m->d->got, sizeof m->d->got);
    return false;
}

static bool same_bytes(const struct match *m, uint8_t hdr, const char *name, enum ibc_key key, const uint8_t *want)
{
    const struct iba_field *f = iba_field_find((enum iba_hdr)hdr, name);
    const uint8_t *is = iba_view_hdr(m->v, (enum iba_hdr)hdr) + f->at / 8;

    if (memcmp(is, want, 16) == 0 || named_field(m, hdr, name) || (key && run_has(m->s, key)))
        return true;
    run_show_bytes(hdr, f, want, 16, m->d->expected, sizeof m->d->expected);
    run_show_bytes(hdr, f, is, 16, m->d->got, sizeof m->d->got);
    return false;
}

struct ends {
    struct ibc_address from, to;
};

/* Returns the group that the line names. If the line names none and the packet is for QP 0xffffff, returns the
 * first group whose MAC address matches, otherwise the first group. */
static const struct run_live *group_of(const struct match *m)
{
    const struct ibc_arg *to = run_arg(m->s, IBC_K_to);
    const struct run_live *first = NULL;

    if (to)
        return to->v[0].kind == IBC_V_REF ? run_object_of(m->p, &to->v[0]) : NULL;
    if (!iba_view_has_bth(m->v) || iba_bth_destqp(iba_view_bth(m->v)) != MULTICAST_QP)
        return NULL;
    for (unsigned i = 0; i < m->p->play->n_object; i++) {
        const struct run_live *g = &m->p->live[i];
        if (g->kind == IBC_O_group && iba_view_has(m->v, IBA_H_eth) &&
            iba_eth_dst(iba_view_hdr(m->v, IBA_H_eth)) == g->mac)
            return g;
        if (g->kind == IBC_O_group && !first)
            first = g;
    }
    return first;
}

/* Finds the addresses that the packet must come from and go to. False: the address of a port is not known. */
static bool ends_of(const struct match *m, struct ends *e)
{
    const struct ibc_target *t = m->p->t;
    const struct ibc_arg *to = run_arg(m->s, IBC_K_to);
    const struct run_live *group = group_of(m);
    const uint64_t port = run_number(m->p, m->s, IBC_K_port, m->q->attr.a.port, NULL);

    e->from = port == 2 ? t->second[m->q->device] : t->device[m->q->device];
    e->to = m->q->partner ? t->device[m->q->partner->device] : t->tester;
    if (to && to->v[0].kind != IBC_V_REF && to->v[0].n == IBC_PARTY_stranger)
        e->to = t->stranger;
    if (group) {
        e->to.mac = group->mac;
        e->to.lid = group->lid;
        e->to.ipv4 = (uint32_t)iba_bits_get(group->gid, 96, 32);
        memcpy(e->to.ipv6, group->gid, 16);
        memcpy(e->to.gid, group->gid, 16);
    }
    return port == 1 || (port == 2 && (m->p->caps >> IBC_CAP_two_ports & 1));
}

static bool addressed(const struct match *m)
{
    const struct iba_view *v = m->v;
    struct ends e;

    if (!ends_of(m, &e))
        return true;
    if (run_is_raw(m->q->type)) /* the bytes after the LRH are payload */
        return same_number(m, IBA_H_lrh, "dlid", e.to.lid) && same_number(m, IBA_H_lrh, "slid", e.from.lid);
    if (iba_view_has(v, IBA_H_eth) &&
        (!same_number(m, IBA_H_eth, "dst", e.to.mac) || !same_number(m, IBA_H_eth, "src", e.from.mac)))
        return false;
    if (iba_view_has(v, IBA_H_ipv4) &&
        (!same_number(m, IBA_H_ipv4, "dst", e.to.ipv4) || !same_number(m, IBA_H_ipv4, "src", e.from.ipv4)))
        return false;
    if (iba_view_has(v, IBA_H_ipv6) && (!same_bytes(m, IBA_H_ipv6, "dst", IBC_K_dgid, e.to.ipv6) ||
                                        !same_bytes(m, IBA_H_ipv6, "src", IBC_K_sgid, e.from.ipv6)))
        return false;
    if (iba_view_has(v, IBA_H_grh) && (!same_bytes(m, IBA_H_grh, "dgid", IBC_K_dgid, e.to.gid) ||
                                       !same_bytes(m, IBA_H_grh, "sgid", IBC_K_sgid, e.from.gid)))
        return false;
    return !iba_view_has(v, IBA_H_lrh) ||
           (same_number(m, IBA_H_lrh, "dlid", e.to.lid) && same_number(m, IBA_H_lrh, "slid", e.from.lid));
}

static bool to_peer(const struct match *m)
{
    const struct ibc_arg *to = run_arg(m->s, IBC_K_to);

    if (!iba_view_has_bth(m->v))
        return true;
    if (to && to->v[0].kind == IBC_V_REF)
        return same_number(m, IBA_H_bth, "destqp", MULTICAST_QP);
    if (m->q->type == IBA_QPT_EE && iba_view_has(m->v, IBA_H_rdeth)) {
        const struct run_live *user = run_first_of(m->p, IBA_QPT_RD);
        return same_number(m, IBA_H_rdeth, "eecnxt", m->q->peer) &&
               (!user || same_number(m, IBA_H_bth, "destqp", user->peer));
    }
    return to || same_number(m, IBA_H_bth, "destqp", m->q->kind == IBC_O_cm ? 1 : m->q->peer);
}

/* ---- named fields ---- */

static bool fits_bytes(const struct ibc_value *v, const uint8_t *is, size_t n)
{
    const bool fits = v->kind == IBC_V_ANY || (v->n_bytes == n && memcmp(v->bytes, is, n) == 0);
    return fits != v->negated;
}

/* Of several alternatives one must match; of negated alternatives all must. */
static bool any_fits(const struct match *m, const struct ibc_arg *a, const struct iba_field *f, const uint8_t *h)
{
    bool fits = false;

    if (f->bits <= 64 && a->v[0].kind != IBC_V_BYTES)
        return run_fits(m->p, a, iba_field_get(f, h), &m->c);
    for (unsigned i = 0; i < a->n; i++) {
        const bool one = fits_bytes(&a->v[i], h + f->at / 8, f->bits / 8);
        if (a->v[i].negated && !one)
            return false;
        fits |= one;
    }
    return fits;
}

static bool field_fits(const struct match *m, const struct ibc_arg *named)
{
    struct ibc_arg wide = *named;
    const struct ibc_arg *a = &wide;
    uint8_t hdr;
    const struct iba_field *f = run_field_in(a, m->v->has, &hdr);
    const uint8_t *h;
    char got[RUN_TEXT];

    if (!f) {
        snprintf(got, sizeof got, "no %s in the packet", a->name);
        return differs(m, a->name, got);
    }
    h = iba_view_hdr(m->v, (enum iba_hdr)hdr);
    for (unsigned i = 0; i < wide.n; i++)
        wide.v[i] = run_wide(m->p, &wide.v[i]);
    if (any_fits(m, a, f, h))
        return true;
    run_show_wanted(m->p, a, hdr, f, &m->c, m->d->expected, sizeof m->d->expected);
    if (f->bits > 64 || a->v[0].kind == IBC_V_BYTES)
        run_show_bytes(hdr, f, h + f->at / 8, f->bits / 8, m->d->got, sizeof m->d->got);
    else
        run_show_field(hdr, f, iba_field_get(f, h), m->d->got, sizeof m->d->got);
    return false;
}

/* ---- payload ---- */
static bool length_fits(const struct match *m, const struct ibc_arg *a)
{
    char expected[RUN_TEXT], got[RUN_TEXT];

    if (run_fits(m->p, a, m->v->payload_len, &m->c))
        return true;
    snprintf(expected, sizeof expected, "%s%" PRIu64 " bytes of payload", a->v[0].negated ? "not " : "",
             run_value(m->p, &a->v[0], &m->c));
    snprintf(got, sizeof got, "%u bytes of payload", m->v->payload_len);
    return differs(m, expected, got);
}

static bool bytes_fit(const struct match *m, const struct ibc_value *v)
{
    const uint8_t *is = m->v->wire + m->v->payload_at;

    if (fits_bytes(v, is, m->v->payload_len))
        return true;
    run_show_bytes(0, NULL, v->bytes, v->n_bytes, m->d->expected, sizeof m->d->expected);
    run_show_bytes(0, NULL, is, m->v->payload_len, m->d->got, sizeof m->d->got);
    return false;
}

static bool pattern_fits(const struct match *m, const struct ibc_arg *fill)
{
    struct run_flow f = m->q->rx[m->v->op && m->v->op->dir == IBA_RSP];
    const uint8_t *is = m->v->wire + m->v->payload_at;
    char expected[RUN_TEXT], got[RUN_TEXT];

    run_flow_begin(&f, m->v->op, fill);
    for (size_t i = 0; i < m->v->payload_len; i++) {
        const uint8_t want = ibc_pattern(f.letter, f.at + i);
        if (is[i] == want)
            continue;
        snprintf(expected, sizeof expected, "byte %zu of the payload 0x%02x (pattern %c+%" PRIu64 ")", i, want,
                 f.letter, f.at + i);
        snprintf(got, sizeof got, "byte %zu of the payload 0x%02x", i, is[i]);
        return differs(m, expected, got);
    }
    return true;
}

static bool payload_fits(const struct match *m)
{
    const struct ibc_arg *payload = run_arg(m->s, IBC_K_payload), *fill = run_arg(m->s, IBC_K_fill);

    if (payload && !(payload->v[0].kind == IBC_V_BYTES ? bytes_fit(m, &payload->v[0]) : length_fits(m, payload)))
        return false;
    return !fill || pattern_fits(m, fill);
}

/* ---- time ---- */
static bool in_time(const struct match *m)
{
    const struct ibc_arg *after = run_arg(m->s, IBC_K_after), *within = run_arg(m->s, IBC_K_within);
    const uint64_t gap = m->k->at > m->p->last_at ? m->k->at - m->p->last_at : 0;
    const uint64_t longest = m->k->at > m->p->last_since ? m->k->at - m->p->last_since : 0;
    const uint64_t slack = m->p->sent_by > m->p->last_at ? m->p->sent_by - m->p->last_at : 0;
    char expected[RUN_TEXT], got[RUN_TEXT];

    snprintf(got, sizeof got, "after %.3f us", (double)gap / (double)RUN_US);
    /* too early even if the packet before it came right after the wire was last found empty */
    if (after && longest < after->v[0].n) {
        snprintf(expected, sizeof expected, "not before %.3f us", (double)after->v[0].n / (double)RUN_US);
        return differs(m, expected, got);
    }
    /* too late, counted from the latest time at which the tester's packet was sent */
    if (within && gap > slack + run_scaled(m->p, within->v[0].n)) {
        m->d->late = true;
        snprintf(expected, sizeof expected, "within %.3f us", (double)within->v[0].n / (double)RUN_US);
        return differs(m, expected, got);
    }
    return true;
}

/* ---- the same packet again ---- */
static void blank(const struct iba_view *v, bool fabric, uint8_t *out, size_t n)
{
    memcpy(out, v->wire, n);
    if (fabric && iba_view_has(v, IBA_H_lrh)) /* each link chooses its own virtual lane */
        iba_lrh_set_vl(out + v->at[IBA_H_lrh], 0);
    if (iba_view_has(v, IBA_H_ipv4)) {
        iba_ipv4_set_ecn(out + v->at[IBA_H_ipv4], 0);
        iba_ipv4_set_checksum(out + v->at[IBA_H_ipv4], 0);
        iba_ipv4_set_id(out + v->at[IBA_H_ipv4], 0);
    }
    if (iba_view_has(v, IBA_H_ipv6))
        iba_ipv6_set_ecn(out + v->at[IBA_H_ipv6], 0);
    if (!iba_view_has_bth(v))
        return;
    iba_bth_set_a(out + v->bth_at, 0);
    iba_bth_set_fecn(out + v->bth_at, 0);
    iba_bth_set_becn(out + v->bth_at, 0);
}

static bool is_same(const struct match *m)
{
    const struct ibc_arg *same = run_arg(m->s, IBC_K_same);
    const struct run_packet *as = same ? run_recall(m->p, run_word(&same->v[0])) : NULL;
    uint8_t *a = m->p->payload, *b = m->p->payload + IBC_FRAME;
    size_t n;

    if (!same)
        return true;
    if (!as)
        return differs(m, "a packet like one that was remembered", "none of that name came");
    if (m->s->message && as->view.payload_len == m->v->payload_len &&
        memcmp(as->view.wire + as->view.payload_at, m->v->wire + m->v->payload_at, m->v->payload_len) == 0)
        return true; /* it repeats the same message: each packet of QP1 has a PSN of its own, also a repeated one */
    n = as->view.end - (iba_view_has_bth(&as->view) ? IBA_ICRC_BYTES : 0u);
    if (as->view.end == m->v->end && as->len == m->k->len) {
        blank(&as->view, m->p->fabric, a, n);
        blank(m->v, m->p->fabric, b, n);
        if (memcmp(a, b, n) == 0)
            return true;
    }
    run_show_packet(as, m->d->expected, sizeof m->d->expected);
    run_show_packet(m->k, m->d->got, sizeof m->d->got);
    return false;
}

static bool is_opcode(const struct match *m)
{
    const bool bth = iba_view_has_bth(m->v);

    if (m->s->op == IBC_FLOW_OPCODE && iba_view_has(m->v, IBA_H_fc))
        return true;
    if (m->s->op == IBC_ANY_OPCODE ||
        (m->s->op == IBC_RAW_OPCODE ? !bth : bth && iba_bth_opcode(iba_view_bth(m->v)) == m->s->op))
        return true;
    run_show_expected(m->s, m->d->expected, sizeof m->d->expected);
    run_show_packet(m->k, m->d->got, sizeof m->d->got);
    return false;
}

bool run_matches(struct run_player *p, const struct ibc_step *s, const struct run_packet *k, struct run_difference *d)
{
    const struct run_live *q = run_live(p, s);
    const struct iba_view *v = &k->view;
    struct match m = {.p = p, .s = s, .k = k, .v = v, .q = q, .d = d};

    if (!is_opcode(&m) || !sound(&m) || (q->kind != IBC_O_wire && (!to_peer(&m) || !addressed(&m))))
        return false;
    m.c.device = q->partner ? q->partner->device : q->device;
    if (iba_view_has_bth(v))
        m.c.psn_base = run_psn_base(q, iba_bth_opcode(iba_view_bth(v)), false);
    if (s->message && q->kind == IBC_O_wire && !run_smp_matches(p, s, k, d))
        return false;
    if (s->message && q->kind != IBC_O_wire &&
        (v->payload_len != IBA_MAD_BYTES || !run_cm_matches(p, s, v->wire + v->payload_at, d)))
        return v->payload_len != IBA_MAD_BYTES ? differs(&m, "a datagram of 256 bytes", "another length") : false;
    for (unsigned i = 0; i < s->n_arg; i++)
        if (run_is_field(&s->arg[i]) && s->arg[i].hdr != IBC_H_MAD && !field_fits(&m, &s->arg[i]))
            return false;
    return payload_fits(&m) && is_same(&m) && in_time(&m);
}
