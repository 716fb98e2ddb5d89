/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection from its REQ to its DREP: the values that each message gives, the packets that belong to the connection,
 * and what a run reports. */
#include "talk.h"
#include <criterion/criterion.h>
#include "cm/iba_cm.h"
#include "mad/iba_mad.h"
#include "wire/iba_opcode_rows.h"

/* ---- its values ---- */

Test(life, values_of_req_and_rep)
{
    talk_begin();
    const struct talk_message q = talk_req(), p = talk_rep();
    const struct cm_connection *c = talk_send(&q);
    cr_assert_not_null(c);
    cr_expect_eq(c->state, CM_REQUESTED);
    cr_expect_eq(c->active.comm_id, A_ID);
    cr_expect_eq(c->active.qpn, A_QP);
    cr_expect_eq(c->active.psn, A_PSN);
    cr_expect_eq(c->wanted_reads, 5);
    cr_expect_eq(c->offered_reads, 6);
    cr_expect_eq(c->active.reads, 5);
    cr_expect_eq(c->passive.reads, 6);
    cr_expect(c->active.flow_control && !c->passive.flow_control);
    cr_expect_eq(c->passive.rnr_retries, 4);
    cr_expect_eq(c->p_key, 0x8123);
    cr_expect_eq(c->sl, 3);
    cr_expect_eq(c->traffic_class, 0x44);
    cr_expect_eq(c->hop_limit, 55);
    cr_expect_eq(c->mtu_code, IBA_MTU_1024);
    cr_expect_eq(c->ack_timeout, 17);
    cr_expect_eq(c->retries, 7);
    cr_expect_eq(c->cm_timeout, 10);
    cr_expect_eq(c->cm_retries, 2);
    cr_expect_eq(c->service_id, UINT64_C(0x1234567890));
    cr_expect_eq(c->begin_frame, 1);
    cr_expect_eq(c->begin_source, 1);
    cr_expect(c->active.known && !c->passive.known && !c->sidr && !c->refused);
    talk_now_ns = 3 * MS;
    talk_send(&p);
    cr_expect_eq(c->state, CM_REPLIED);
    cr_expect_eq(c->passive.comm_id, P_ID);
    cr_expect_eq(c->passive.qpn, P_QP);
    cr_expect_eq(c->passive.psn, P_PSN);
    cr_expect_eq(c->active.reads, 4, "as the REP grants");
    cr_expect_eq(c->passive.reads, 3);
    cr_expect_eq(c->active.rnr_retries, 2);
    cr_expect_eq(c->answer_frame, 2);
    cr_expect_eq(c->answer_ns, 3 * MS);
    cr_expect_eq(c->sent[CM_KEPT_REP].n, 1);
    cr_expect_eq(c->sent[CM_KEPT_REP].first_ns, 3 * MS);
    talk_end();
}

Test(life, steps)
{
    talk_begin();
    const struct cm_connection *c = talk_connect();
    const struct talk_message q = talk_dreq(PASSIVE), p = talk_ids(ACTIVE, IBA_CM_ID_DREP, 0x99);
    cr_expect_eq(c->state, CM_ESTABLISHED);
    cr_expect_eq(c->again, 0);
    cr_expect_eq(talk_track->cm.unknown, 0);
    talk_send(&q);
    cr_expect_eq(c->state, CM_RELEASING);
    cr_expect(!c->released_by_active && c->sent[CM_KEPT_DREQ].n == 1);
    talk_now_ns = 9 * MS;
    talk_send(&p);
    cr_expect_eq(c->state, CM_RELEASED);
    cr_expect_eq(c->end_frame, 5);
    cr_expect_eq(c->end_ns, 9 * MS);
    talk_send(&q); /* it has been released */
    cr_expect_eq(c->state, CM_RELEASED);
    cr_expect_eq(talk_track->cm.begun, 1);
    talk_end();
}

Test(life, sent_again)
{
    talk_begin();
    const struct talk_message q = talk_req(), p = talk_rep();
    struct talk_message other = q, mra = talk_ids(PASSIVE, IBA_CM_ID_MRA, 0x77);
    talk_send(&q);
    talk_now_ns = 5 * MS;
    const struct cm_connection *c = talk_send(&q);
    cr_expect_eq(talk_track->cm.begun, 1);
    cr_expect_eq(c->again, 1);
    cr_expect_eq(c->sent[CM_KEPT_REQ].n, 2);
    cr_expect_eq(c->sent[CM_KEPT_REQ].first_ns, 0);
    cr_expect_eq(c->sent[CM_KEPT_REQ].last_ns, 5 * MS);
    iba_cm_mra_set_servicetimeout(talk_body(&mra), 19);
    talk_send(&mra);
    cr_expect(c->asked && c->more_time == 19 && c->mras == 1);
    talk_send(&p);
    talk_send(&p);
    cr_expect_eq(c->again, 2);
    cr_expect_eq(c->answer_frame, 4, "the first answer");
    cr_expect_eq(c->sent[CM_KEPT_REP].n, 2);
    iba_cm_req_set_startpsn(talk_body(&other), A_PSN + 1); /* another connection, though its identifier is the same */
    cr_expect_neq(talk_send(&other), c);
    cr_expect_eq(talk_track->cm.begun, 2);
    cr_expect(c->outlived, "its QP has gone to the new one");
    cr_expect_eq(talk_packet.mad_context.reused_in, 1);
    cr_expect_eq(talk_packet.mad_context.reused_source, 1);
    talk_end();
}

Test(life, refused)
{
    for (unsigned of_active = 0; of_active < 2; of_active++) {
        talk_begin();
        const struct talk_message q = talk_req(), p = talk_rep();
        struct talk_message rej = talk_ids(of_active ? ACTIVE : PASSIVE, IBA_CM_ID_REJ, 0x77);
        iba_cm_rej_set_reason(talk_body(&rej), of_active ? IBA_CM_REJ_TIMEOUT : IBA_CM_REJ_SERVICE_ID);
        iba_cm_rej_set_msgrej(talk_body(&rej), of_active ? IBA_CM_OF_REP : IBA_CM_OF_REQ);
        const struct cm_connection *c = talk_send(&q);
        if (of_active)
            talk_send(&p);
        talk_now_ns = 7 * MS;
        talk_send(&rej);
        cr_expect_eq(c->state, CM_REJECTED);
        cr_expect(c->refused && c->refused_by_active == (of_active == 1));
        cr_expect_eq(c->reason, of_active ? IBA_CM_REJ_TIMEOUT : IBA_CM_REJ_SERVICE_ID);
        cr_expect_eq(c->end_ns, 7 * MS);
        cr_expect_eq(c->answer_frame, 2, "REP or REJ");
        cr_expect(talk_packet.mad_context.refused);
        iba_cm_rej_set_reason(talk_body(&rej), IBA_CM_REJ_CONSUMER);
        talk_send(&rej);
        cr_expect(!talk_packet.mad_context.refused, "it was before");
        cr_expect_neq(c->reason, IBA_CM_REJ_CONSUMER, "the first one's counts");
        talk_end();
    }
}

/* Which end asks to end the connection, and how often: the first request counts. */
Test(life, released_by)
{
    for (unsigned first = 0; first < 2; first++) {
        talk_begin();
        const struct cm_connection *c = talk_connect();
        const struct talk_message a = talk_dreq(first ? ACTIVE : PASSIVE), b = talk_dreq(first ? PASSIVE : ACTIVE);
        talk_send(&a);
        talk_send(&a);
        talk_send(&b);
        cr_expect_eq(c->released_by_active, first == 1);
        cr_expect_eq(c->sent[CM_KEPT_DREQ].n, 2);
        talk_end();
    }
}

Test(life, messages_of_no_connection)
{
    talk_begin();
    const struct talk_message p = talk_rep(), u = talk_ids(ACTIVE, IBA_CM_ID_RTU, 1),
                              j = talk_ids(PASSIVE, IBA_CM_ID_REJ, 1);
    struct talk_message s = talk_message(PASSIVE, ACTIVE, IBA_CM_ID_SIDR_REP, 1);
    talk_send(&p);
    talk_send(&u);
    cr_expect_not(talk_packet.mad_context.refused);
    talk_send(&j);
    cr_expect(talk_packet.mad_context.refused);
    talk_send(&s);
    cr_expect_eq(talk_track->cm.unknown, 4);
    cr_expect_eq(talk_track->cm.begun, 0);
    cr_expect_null(cm_track_nth(&talk_track->cm, 0));
    talk_end();
}

/* Each of two hosts has a connection to the other, so an identifier may belong to either host; the second identifier of
 * a message decides. */
Test(life, one_identifier_of_two_connections)
{
    enum { SAME = P_ID, A2_ID = 0x77 };
    talk_begin();
    const struct cm_connection *one = talk_connect(); /* of the passive end it has SAME */
    struct talk_message q = talk_req(), p = talk_rep(), e = talk_ids(PASSIVE, IBA_CM_ID_DREP, 0x99);
    q.src = p.dst = PASSIVE;
    q.dst = p.src = ACTIVE;
    iba_cm_req_set_localcommid(talk_body(&q), SAME);
    iba_cm_req_set_localqpn(talk_body(&q), P_QP + 1);
    iba_cm_rep_set_localcommid(talk_body(&p), A2_ID);
    iba_cm_rep_set_remotecommid(talk_body(&p), SAME);
    iba_cm_rep_set_localqpn(talk_body(&p), A_QP + 1);
    const struct cm_connection *two = talk_send(&q);
    cr_assert_neq(one, two);
    talk_send(&p);
    talk_send(&e);
    cr_expect(one->state == CM_RELEASED && two->state == CM_REPLIED, "the other identifier is of the first");
    iba_cm_rtu_set_remotecommid(talk_body(&e), A2_ID);
    talk_send(&e);
    cr_expect_eq(two->state, CM_RELEASED);
    cr_expect_eq(talk_track->cm.unknown, 0);
    talk_end();
}

/* Messages of other hosts do not belong to a connection, whatever identifiers they have; some of these hosts have the
 * same hash. */
Test(life, messages_of_other_hosts)
{
    enum { HOSTS = 6 * CM_CONNECTIONS };
    talk_begin();
    const struct cm_connection *c = talk_connect();
    struct talk_message to = talk_ids(ACTIVE, IBA_CM_ID_DREP, 0x99), from = to;
    for (uint32_t i = 1; i <= HOSTS; i++) {
        to.dst = from.src = PASSIVE + i;
        talk_send(&to);
        talk_send(&from);
    }
    cr_expect_eq(c->state, CM_ESTABLISHED);
    cr_expect_eq(talk_track->cm.unknown, 2 * HOSTS);
    talk_end();
}

/* ---- services ---- */

Test(life, of_a_service)
{
    talk_begin();
    const struct talk_message q = talk_sidr(false), p = talk_sidr(true);
    const struct cm_connection *c = talk_send(&q);
    cr_expect(c->sidr && c->state == CM_REQUESTED && c->service_id == 0x9999);
    talk_data(IBA_UD_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0, "before the answer the QP belongs to no service");
    talk_send(&p);
    cr_expect_eq(c->state, CM_REPLIED);
    cr_expect_eq(c->passive.qpn, P_QP);
    cr_expect_eq(talk_packet.mad_context.n_said, 0);
    talk_data(IBA_UD_SEND_ONLY, OTHER, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 1, "whoever sends to it");
    cr_expect_eq(talk_packet.mad_context.service_id, 0x9999);
    talk_data(IBA_UD_SEND_ONLY, ACTIVE, OTHER, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0, "that QP number of another host");
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0, "it is a datagram QP");
    cr_expect_eq(c->again, 0);
    talk_end();
}

/* A datagram QP of a service has the number of a connection's QP: neither ends the other. */
Test(life, a_service_beside_a_connection)
{
    talk_begin();
    const struct talk_message q = talk_sidr(false), p = talk_sidr(true);
    const struct cm_connection *service = talk_send(&q);
    talk_send(&p);
    const struct cm_connection *c = talk_connect();
    cr_expect(!service->outlived && !c->outlived);
    cr_expect_eq(talk_packet.mad_context.reused_in, 0);
    talk_data(IBA_UD_SEND_ONLY, OTHER, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 1);
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 3);
    talk_end();
}

Test(life, of_a_refused_service)
{
    talk_begin();
    const struct talk_message q = talk_sidr(false);
    struct talk_message p = talk_sidr(true);
    iba_cm_sidr_rep_set_status(talk_body(&p), 1);
    const struct cm_connection *c = talk_send(&q);
    talk_send(&q);
    cr_expect_eq(c->again, 1);
    cr_expect_eq(c->sent[CM_KEPT_REQ].n, 2);
    talk_send(&p);
    cr_expect(c->state == CM_REJECTED && c->refused && c->reason == 1);
    talk_data(IBA_UD_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0);
    cr_expect_neq(talk_send(&q), c, "asked for once more");
    talk_end();
}

/* ---- packets of a connection ---- */

Test(life, packets)
{
    talk_begin();
    const struct talk_message q = talk_req(), p = talk_rep(), u = talk_ids(ACTIVE, IBA_CM_ID_RTU, 0x77);
    talk_send(&q);
    talk_data(IBA_RC_ACKNOWLEDGE, PASSIVE, ACTIVE, A_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0, "nobody has accepted yet");
    talk_send(&p);
    talk_data(IBA_RC_SEND_ONLY, PASSIVE, ACTIVE, A_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 1);
    talk_send(&u);
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 1);
    cr_expect_eq(talk_packet.mad_context.setup_source, 1);
    cr_expect_eq(talk_packet.mad_context.begun_in, 3);
    cr_expect(talk_packet.mad_context.has_source_qp && talk_packet.mad_context.source_qp == A_QP);
    talk_data(IBA_RC_ACKNOWLEDGE, PASSIVE, ACTIVE, A_QP);
    cr_expect(talk_packet.mad_context.has_source_qp && talk_packet.mad_context.source_qp == P_QP);
    talk_data(IBA_RC_SEND_ONLY, OTHER, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0, "another host");
    cr_expect_not(talk_packet.mad_context.has_source_qp);
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP + 1);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0, "another QP");
    const struct talk_message d = talk_dreq(ACTIVE), e = talk_ids(PASSIVE, IBA_CM_ID_DREP, 0x99);
    talk_send(&d);
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 1, "until the DREP");
    talk_send(&e);
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0);
    talk_end();
}

/* A damaged message or packet may have any content, so it shows nothing of a connection. */
Test(life, damaged_ones)
{
    talk_begin();
    const struct talk_message q = talk_req(), d = talk_dreq(ACTIVE), s = talk_sidr(false), a = talk_sidr(true);
    talk_damaged = true;
    talk_send(&q);
    cr_expect_eq(talk_track->cm.begun, 0);
    talk_damaged = false;
    const struct cm_connection *c = talk_connect();
    talk_damaged = true;
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0);
    cr_expect_not(talk_packet.mad_context.has_source_qp);
    talk_send(&d);
    cr_expect_eq(c->state, CM_ESTABLISHED);
    talk_send(&s);
    cr_expect_eq(talk_track->cm.begun, 1);
    talk_damaged = false;
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 2);
    talk_send(&s);
    talk_send(&a);
    talk_damaged = true;
    talk_data(IBA_UD_SEND_ONLY, OTHER, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0);
    talk_end();
}

static void gid_of(uint8_t *gid, uint8_t last)
{
    memset(gid, 0, 16);
    gid[0] = 0xfe;
    gid[1] = 0x80;
    gid[15] = last;
}

/* Packets of a connection may have the address of its datagrams, or the GIDs or LIDs of either path (MD-55). */
Test(life, packets_of_its_paths)
{
    static const uint8_t v4[16] = {10, 0, 0, 1}, v4_to[16] = {10, 0, 0, 2};
    uint8_t gid[5][16], lid[5][16] = {{0}};
    struct talk_message q = talk_req();
    const struct talk_message p = talk_rep();
    bool active;

    for (unsigned i = 0; i < 5; i++) {
        gid_of(gid[i], (uint8_t)(i + 1));
        iba_bits_put(lid[i], 0, 16, 0x10 + i);
    }
    talk_begin();
    memcpy((void *)iba_cm_req_prim_localgid(talk_body(&q)), gid[0], 16);
    memcpy((void *)iba_cm_req_prim_remotegid(talk_body(&q)), gid[1], 16);
    memcpy((void *)iba_cm_req_alt_localgid(talk_body(&q)), gid[2], 16);
    memcpy((void *)iba_cm_req_alt_remotegid(talk_body(&q)), gid[3], 16);
    iba_cm_req_set_prim_locallid(talk_body(&q), 0x10);
    iba_cm_req_set_prim_remotelid(talk_body(&q), 0x11);
    iba_cm_req_set_alt_locallid(talk_body(&q), 0x12);
    iba_cm_req_set_alt_remotelid(talk_body(&q), 0x13);
    const struct cm_connection *c = talk_send(&q);
    talk_send(&p);
    const uint32_t from = A_QP, back = P_QP;
    const struct cm_track *cm = &talk_track->cm;
    cr_expect_eq(cm_track_find(cm, IBA_ADDR_IPV4, v4, &from, v4_to, P_QP, &active), c);
    cr_expect(active);
    cr_expect_eq(cm_track_find(cm, IBA_ADDR_IPV4, v4_to, &back, v4, A_QP, &active), c);
    cr_expect_not(active);
    for (unsigned path = 0; path < 2; path++) {
        const uint8_t *g = gid[2 * path], *h = gid[2 * path + 1], *l = lid[2 * path], *m = lid[2 * path + 1];
        cr_expect_eq(cm_track_find(cm, IBA_ADDR_GID, g, &from, h, P_QP, &active), c, "path %u", path);
        cr_expect(active);
        cr_expect_eq(cm_track_find(cm, IBA_ADDR_GID, h, NULL, g, A_QP, &active), c, "path %u", path);
        cr_expect_not(active);
        cr_expect_eq(cm_track_find(cm, IBA_ADDR_LID, l, &from, m, P_QP, &active), c, "path %u", path);
        cr_expect_eq(cm_track_find(cm, IBA_ADDR_LID, m, &back, l, A_QP, &active), c, "path %u", path);
        cr_expect_null(cm_track_find(cm, IBA_ADDR_GID, g, &back, h, P_QP, &active), "another source QP");
        cr_expect_null(cm_track_find(cm, IBA_ADDR_GID, g, &from, h, P_QP + 1, &active), "another QP");
        cr_expect_null(cm_track_find(cm, IBA_ADDR_GID, gid[4], &from, h, P_QP, &active), "another source");
        cr_expect_null(cm_track_find(cm, IBA_ADDR_LID, lid[4], &from, m, P_QP, &active), "another source");
        cr_expect_null(cm_track_find(cm, IBA_ADDR_LID, l, &from, lid[4], P_QP, &active), "another destination");
    }
    talk_end();
}

/* A connection without paths matches no packet with the address 0. */
Test(life, no_path_is_at_zero)
{
    static const uint8_t zero[16];
    const uint32_t from = A_QP;
    bool active;

    talk_begin();
    talk_connect();
    cr_expect_null(cm_track_find(&talk_track->cm, IBA_ADDR_GID, zero, &from, zero, P_QP, &active));
    cr_expect_null(cm_track_find(&talk_track->cm, IBA_ADDR_LID, zero, &from, zero, P_QP, &active));
    talk_end();
}

/* RoCEv2 over IPv4: the GID of a path is ::ffff:10.0.0.9 (A17). */
Test(life, path_over_ipv4)
{
    static const uint8_t src[16] = {10, 0, 0, 9}, dst[16] = {10, 0, 0, 2};
    struct talk_message q = talk_req();
    const struct talk_message p = talk_rep();
    const uint32_t from = A_QP;
    bool active;

    talk_begin();
    iba_gid_set_ipv4((uint8_t *)iba_cm_req_prim_localgid(talk_body(&q)), 0x0a000009);
    const struct cm_connection *c = talk_send(&q);
    talk_send(&p);
    cr_expect_eq(cm_track_find(&talk_track->cm, IBA_ADDR_IPV4, src, &from, dst, P_QP, &active), c);
    talk_data(IBA_RC_SEND_ONLY, 0x0a000009, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 1);
    talk_data(IBA_RC_ACKNOWLEDGE, PASSIVE, 0x0a000009, A_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 1);
    talk_data(IBA_RC_ACKNOWLEDGE, PASSIVE, 0x0a000008, A_QP);
    cr_expect_eq(talk_packet.mad_context.setup_in, 0);
    talk_end();
}

/* The last eight connections of one QP are found. */
Test(life, eight_of_one_qp)
{
    static const uint8_t src[16] = {10, 0, 0, 1}, dst[16] = {10, 0, 0, 2};
    bool active;

    for (unsigned n = CM_SAME; n <= CM_SAME + 1; n++) {
        talk_begin();
        for (uint32_t i = 0; i < n; i++) {
            struct talk_message q = talk_req(), p = talk_rep();
            iba_cm_req_set_localcommid(talk_body(&q), A_ID + i);
            iba_cm_req_set_localqpn(talk_body(&q), A_QP + i);
            iba_cm_rep_set_remotecommid(talk_body(&p), A_ID + i);
            talk_send(&q);
            talk_send(&p);
        }
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t from = A_QP + i;
            const struct cm_connection *c =
                cm_track_find(&talk_track->cm, IBA_ADDR_IPV4, src, &from, dst, P_QP, &active);
            cr_expect_eq(c != NULL, i + CM_SAME >= n, "%u of %u", i, n);
            cr_expect(!c || c->active.qpn == from);
        }
        talk_end();
    }
}

/* ---- the run ---- */

/* The protocol of a service comes from the user's hint or from a target. The last 64 services are remembered. */
Test(life, hints)
{
    talk_begin();
    for (uint64_t i = 0; i < SERVICE_HINTS + 1; i++)
        track_hint(talk_track, i, IBA_UPPER_SRP);
    cr_expect_eq(talk_track->hints, SERVICE_HINTS + 1);
    track_hint(talk_track, UINT64_C(0x1234567890), IBA_UPPER_SRP);
    track_hint(talk_track, UINT64_C(0x1234567890), IBA_UPPER_NVME);
    cr_expect_eq(talk_track->hints, SERVICE_HINTS + 2, "one for each service");
    talk_connect();
    talk_data(IBA_RC_SEND_ONLY, ACTIVE, PASSIVE, P_QP);
    cr_expect_eq(talk_packet.mad_context.upper, IBA_UPPER_NVME);
    talk_end();
}

/* Feeds a table of subnet administration in segments, for two askers with the same transaction ID at once. */
static const struct iba_rmpp_transfer *segment(uint32_t src, uint32_t n, bool last)
{
    enum { RECORD = 64 };
    struct talk_message m = talk_message(src, ACTIVE, 0x35, 0x42);

    iba_madhdr_set_mgmtclass(m.mad, 3);
    iba_madhdr_set_method(m.mad, 0x92);
    iba_rmpp_set_rmppversion(m.mad + 24, 1);
    iba_rmpp_set_rmpptype(m.mad + 24, 1);
    iba_rmpp_set_rmppflag_active(m.mad + 24, 1);
    iba_rmpp_set_rmppflag_first(m.mad + 24, n == 1);
    iba_rmpp_set_rmppflag_last(m.mad + 24, last);
    iba_bits_put(m.mad, 8 * 28, 32, n);
    iba_bits_put(m.mad, 8 * 32, 32, n == 1 ? 2 * (20 + 200) : last ? 20 + 200 : 0);
    m.mad[36 + 9] = RECORD / 8; /* of the SA's header: the size of a record in words of 8 bytes */
    talk_send(&m);
    return talk_packet.table;
}

Test(life, tables_of_two_at_once)
{
    talk_begin();
    cr_expect_null(segment(PASSIVE, 1, false));
    cr_expect_null(segment(OTHER, 1, false));
    cr_expect_not_null(segment(PASSIVE, 2, true));
    cr_expect_not_null(segment(OTHER, 2, true));
    talk_end();
}

/* ---- tables of items with a key ---- */

Test(life, slots)
{
    enum { ITEMS = 128, SLOTS = 256 };
    struct item {
        uint64_t key;
        unsigned value;
    } item[ITEMS];
    uint32_t slot[SLOTS] = {0}, tag;

    for (unsigned i = 0; i < ITEMS; i++) {
        const uint64_t key = i * UINT64_C(0x100000001);
        const size_t at = stat_slot(slot, SLOTS, item, sizeof *item, &key, sizeof key, &tag);
        cr_assert_lt(at, SLOTS);
        cr_assert_eq(slot[at], 0, "a free one");
        item[i] = (struct item){key, i};
        slot[at] = tag | (i + 1);
    }
    for (unsigned i = 0; i < ITEMS; i++) {
        const uint64_t key = i * UINT64_C(0x100000001);
        const size_t at = stat_slot(slot, SLOTS, item, sizeof *item, &key, sizeof key, &tag);
        cr_assert_neq(slot[at], 0);
        cr_expect_eq(item[stat_slot_index(slot[at])].value, i);
    }
    const uint64_t none = 5;
    cr_expect_eq(slot[stat_slot(slot, SLOTS, item, sizeof *item, &none, sizeof none, &tag)], 0);
}
