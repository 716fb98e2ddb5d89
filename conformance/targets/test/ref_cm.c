/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection manager of the reference target: which messages it sends and to whom, and verbs that it refuses.
 * Scenarios test the manager itself. */
#include <string.h>
#include "ref_bed.h"

enum { PRIVATE = 60, MAD_AT = IBA_BYTES_bth + IBA_BYTES_deth };
static const uint64_t service = UINT64_C(0x1000000000000123);
TestSuite(ref_cm, .init = begin, .fini = end);

/* Returns a call whose message has the service, and private data. */
static struct ibc_cm_call call(enum ibc_cm_verb verb, uint16_t attribute)
{
    struct ibc_cm_call c = {.verb = verb};
    size_t at, n;

    iba_madhdr_set_attributeid(c.mad, attribute);
    if (attribute == IBA_CM_ID_SIDR_REQ) {
        iba_cm_sidr_req_set_serviceid(c.mad + IBA_BYTES_madhdr, service);
        iba_cm_sidr_req_set_pkey(c.mad + IBA_BYTES_madhdr, 0xffff);
    } else {
        iba_cm_req_set_serviceid(c.mad + IBA_BYTES_madhdr, service);
    }
    cr_assert(iba_cm_private_place(attribute, &at, &n) && n >= PRIVATE);
    for (size_t i = 0; i < n; i++)
        c.mad[at + i] = (uint8_t)(i + 1);
    return c;
}

/* Returns a header of the last frame; NULL: it has none. */
static const uint8_t *part(enum iba_hdr hdr)
{
    return iba_view_has(&b->v, hdr) ? iba_view_hdr(&b->v, hdr) : NULL;
}

/* Takes the next datagram of device d, which must go to QP1 of the tester. Returns its MAD. */
static const uint8_t *sent(unsigned d, uint64_t within)
{
    const struct ibc_address *to = &b->t->tester;
    const uint8_t *h;
    uint8_t gid[16];

    cr_assert_eq(o->collect(b->t, d, o->now(b->t) + within, b->frame, &b->len, &b->at), IBC_OK, "%s", b->t->fault);
    if (b->len == 0)
        return NULL;
    cr_assert_eq(iba_view_parse(&b->v, b->t->framing, b->frame, b->len, b->len, NULL), IBA_OK);
    cr_expect_eq(iba_bth_destqp(iba_view_bth(&b->v)), 1);
    if ((h = part(IBA_H_eth)))
        cr_expect_eq(iba_eth_dst(h), to->mac);
    cr_expect_null(part(IBA_H_vlan));
    if ((h = part(IBA_H_lrh)))
        cr_expect_eq(iba_lrh_dlid(h), to->lid);
    iba_gid_set_ipv4(gid, to->ipv4);
    if ((h = part(IBA_H_ipv4)))
        cr_expect(iba_ipv4_dst(h) == to->ipv4 && iba_ipv4_ttl(h) == 64);
    if ((h = part(IBA_H_ipv6)))
        cr_expect(memcmp(h + 24, to->ipv6, 16) == 0 && iba_ipv6_hlim(h) == 64);
    if ((h = part(IBA_H_grh)))
        cr_expect(memcmp(h + 24, to->gid, 16) == 0 && iba_grh_hoplmt(h) == 64);
    cr_expect_eq(iba_view_has(&b->v, IBA_H_grh), b->link == IBC_LINK_roce1 || b->link == IBC_LINK_ib_global);
    return b->frame + b->v.payload_at;
}

static void has_private(const uint8_t *mad, uint16_t attribute)
{
    size_t at, n;

    cr_assert(iba_cm_private_place(attribute, &at, &n));
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(mad[at + i], (uint8_t)(i + 1), "byte %zu", i);
}

/* A question for a service is sent three times, each device's with the path of the link. */
Test(ref_cm, a_service_is_asked_for)
{
    for (unsigned l = 0; l < IBC_LINK_COUNT; l++) {
        const unsigned d = l % IBC_DEVICES;
        struct ibc_cm_call c = call(IBC_CM_resolve, IBA_CM_ID_SIDR_REQ);
        struct iba_cm_event e;
        unsigned n, times = 0;
        bed_reset(b, (enum ibc_link)l, 1);
        cr_assert_eq(o->cm_open(b->t, d), IBC_OK, "%s", b->t->refusal);
        cr_expect_eq(o->cm_open(b->t, d), IBC_OK, "it is open");
        uint64_t last = 0;
        cr_assert_eq(o->cm_call(b->t, d, &c), IBC_OK, "%s", b->t->refusal);
        for (const uint8_t *mad; (mad = sent(d, BED_SECOND)); times++) {
            cr_expect_eq(iba_madhdr_attributeid(mad), IBA_CM_ID_SIDR_REQ);
            cr_expect_eq(iba_cm_sidr_req_serviceid(mad + IBA_BYTES_madhdr), service);
            cr_expect_eq(iba_cm_sidr_req_pkey(mad + IBA_BYTES_madhdr), 0xffff);
            has_private(mad, IBA_CM_ID_SIDR_REQ);
            cr_expect_geq(b->at, last + (UINT64_C(4096) << 14), "question %u", times);
            last = b->at;
        }
        cr_expect_eq(times, 3, "link %u: %u times", l, times);
        cr_expect(o->cm_event(b->t, d, &e, &n) == IBC_OK && n == 1 && e.kind == IBA_CME_SIDR_UNANSWERED);
        cr_expect(o->cm_event(b->t, d, &e, &n) == IBC_OK && n == 0);
        cr_expect(o->cm_event(b->t, d ^ 1, &e, &n) == IBC_OK && n == 0, "the other device's is not open");
    }
}

Test(ref_cm, a_connection_is_asked_for)
{
    for (unsigned d = 0; d < IBC_DEVICES; d++) {
        struct ibc_cm_call c = call(IBC_CM_connect, IBA_CM_ID_REQ);
        uint8_t *req = c.mad + IBA_BYTES_madhdr;
        struct iba_qp_attr a;
        cr_assert_eq(o->cm_open(b->t, d), IBC_OK);
        iba_cm_req_set_localqpn(req, 0x123 + d);
        iba_cm_req_set_pkey(req, 0xffff);
        iba_cm_req_set_pppmtu(req, IBA_MTU_1024);
        iba_cm_req_set_remoteresptout(req, 14);
        iba_cm_req_set_localresptout(req, 14);
        iba_cm_req_set_maxcmretr(req, 1);
        cr_assert_eq(o->cm_call(b->t, d, &c), IBC_OK, "%s", b->t->refusal);
        const uint8_t *mad = sent(d, 0);
        cr_assert_not_null(mad);
        cr_expect_eq(iba_madhdr_attributeid(mad), IBA_CM_ID_REQ);
        cr_expect_eq(iba_cm_req_serviceid(mad + IBA_BYTES_madhdr), service);
        cr_expect_eq(iba_cm_req_localqpn(mad + IBA_BYTES_madhdr), 0x123 + d);
        cr_expect_eq(iba_cm_req_localcaguid(mad + IBA_BYTES_madhdr), REF_CA_GUID + d);
        has_private(mad, IBA_CM_ID_REQ);
        cr_expect_eq(o->cm_attributes(b->t, d, c.id ^ 1, IBA_QPS_INIT, &a), IBC_REFUSED);
        cr_expect_str_eq(b->t->refusal, "cm_no_connection");
        c.verb = IBC_CM_abandon;
        cr_expect_eq(o->cm_call(b->t, d, &c), IBC_OK, "%s", b->t->refusal);
        cr_expect_eq(o->cm_call(b->t, d, &c), IBC_REFUSED);
    }
}

Test(ref_cm, verbs_that_are_refused)
{
    struct ibc_cm_call c = call(IBC_CM_connect, IBA_CM_ID_REQ);
    struct iba_qp_attr a;

    for (unsigned verb = 0; verb < IBC_CM_VERB_COUNT; verb++) {
        c.verb = (enum ibc_cm_verb)verb;
        cr_expect_eq(o->cm_call(b->t, 0, &c), IBC_REFUSED, "verb %u: it is not open", verb);
        cr_expect_str_eq(b->t->refusal, "cm_no_connection");
    }
    cr_expect_eq(o->cm_attributes(b->t, 0, 0, IBA_QPS_INIT, &a), IBC_REFUSED);
    cr_assert_eq(o->cm_open(b->t, 0), IBC_OK);
    for (unsigned verb = 0; verb < IBC_CM_VERB_COUNT; verb++) {
        c = call((enum ibc_cm_verb)verb, IBA_CM_ID_REQ);
        c.id = 99;
        if (verb == IBC_CM_listen || verb == IBC_CM_unlisten || verb == IBC_CM_connect || verb == IBC_CM_resolve)
            continue;
        cr_expect_eq(o->cm_call(b->t, 0, &c), IBC_REFUSED, "verb %u", verb);
        cr_expect_str_eq(b->t->refusal, "cm_no_connection", "verb %u: %s", verb, b->t->refusal);
    }
    c = call(IBC_CM_listen, IBA_CM_ID_REQ);
    c.backlog = 1;
    cr_assert_eq(o->cm_call(b->t, 0, &c), IBC_OK, "%s", b->t->refusal);
    cr_expect_eq(o->cm_call(b->t, 0, &c), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "cm_service_busy");
    c.verb = IBC_CM_unlisten;
    cr_expect_eq(o->cm_call(b->t, 0, &c), IBC_OK);
    cr_expect_eq(o->cm_call(b->t, 0, &c), IBC_REFUSED);
    cr_expect_str_eq(b->t->refusal, "cm_no_service");
    c.verb = IBC_CM_listen;
    cr_expect_eq(o->cm_call(b->t, 0, &c), IBC_OK, "again");
}
