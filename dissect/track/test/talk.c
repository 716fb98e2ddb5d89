/* SPDX-License-Identifier: BSD-2-Clause */
#include "talk.h"
#include <criterion/criterion.h>
#include <inttypes.h>
#include "cm/iba_cm.h"
#include "mad/iba_mad.h"
#include "observer/iba_finding_kinds.h"
#include "wire/iba_build.h"
#include "wire/iba_opcode_rows.h"

enum { FRAME = 512 };
/* When a run begins, in nanoseconds since 1970. */
#define RUN_NS UINT64_C(1700000000000000000)

struct track *talk_track;
struct packet talk_packet;
static struct cap_packet cap;
static uint8_t frame[FRAME];
static uint64_t number;
uint64_t talk_now_ns;
bool talk_damaged;
static uint32_t psn; /* of the next datagram's BTH */

void talk_begin(void)
{
    talk_track = track_open();
    number = 0;
    talk_now_ns = 0;
    talk_damaged = false;
    psn = 0;
    talk_packet = (struct packet){.first_ns = RUN_NS};
}

void talk_end(void)
{
    track_close(talk_track);
}

/* ---- packets ---- */

static void take(const struct iba_recipe *r, bool timed, size_t cut)
{
    size_t n;

    cr_assert_eq(iba_build(r, frame, sizeof frame, &n), IBA_OK);
    frame[n - 1] ^= talk_damaged;
    cap = (struct cap_packet){.data = frame,
                              .caplen = (uint32_t)(n - cut),
                              .len = (uint32_t)n,
                              .ts_ns = timed ? RUN_NS + talk_now_ns : 0,
                              .has_ts = timed,
                              .number = ++number};
    talk_packet.cap = &cap;
    talk_packet.number = number;
    talk_packet.source = (uint32_t)(number % 3);
    cr_assert_eq(iba_view_parse(&talk_packet.view, IBA_LINK_ETHERNET, frame, cap.caplen, cap.len, NULL), IBA_OK);
    iba_view_check(&talk_packet.view);
    track_packet(talk_track, &talk_packet);
}

static void address(struct iba_recipe *r, uint32_t src, uint32_t dst)
{
    iba_ipv4_set_src(iba_recipe_part(r, IBA_H_ipv4), src);
    iba_ipv4_set_dst(iba_recipe_part(r, IBA_H_ipv4), dst);
}

void talk_data(uint8_t opcode, uint32_t src, uint32_t dst, uint32_t qpn)
{
    static const uint8_t bytes[4];
    struct iba_recipe r;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, opcode);
    address(&r, src, dst);
    iba_bth_set_destqp(iba_recipe_part(&r, IBA_H_bth), qpn);
    r.payload = bytes;
    r.payload_len = iba_opcodes[opcode].operation == IBA_OPERATION_ACK ? 0 : sizeof bytes;
    take(&r, true, 0);
}

uint8_t *talk_body(struct talk_message *m)
{
    return m->mad + IBA_BYTES_madhdr;
}

struct talk_message talk_message(uint32_t src, uint32_t dst, uint16_t attribute, uint64_t tid)
{
    struct talk_message m = {.src = src, .dst = dst, .to_qp = 1, .p_key = 0xffff};

    iba_madhdr_set_baseversion(m.mad, 1);
    iba_madhdr_set_mgmtclass(m.mad, IBA_CLASS_CM);
    iba_madhdr_set_classversion(m.mad, 2);
    iba_madhdr_set_method(m.mad, 3);
    iba_madhdr_set_transactionid(m.mad, tid);
    iba_madhdr_set_attributeid(m.mad, attribute);
    return m;
}

const struct cm_connection *talk_send_as(const struct talk_message *m, uint32_t its_psn)
{
    struct iba_recipe r;

    iba_recipe_init(&r, IBA_ENCAP_ROCE2_V4, IBA_UD_SEND_ONLY);
    address(&r, m->src, m->dst);
    uint8_t *bth = iba_recipe_part(&r, IBA_H_bth), *deth = iba_recipe_part(&r, IBA_H_deth);
    iba_bth_set_destqp(bth, m->to_qp);
    iba_bth_set_p_key(bth, m->p_key);
    iba_bth_set_psn(bth, its_psn);
    iba_deth_set_srcqp(deth, 1);
    iba_deth_set_q_key(deth, 0x80010000);
    r.payload = m->mad;
    r.payload_len = IBA_MAD_BYTES;
    take(&r, !m->untimed, m->cut ? m->cut + (size_t)IBA_ICRC_BYTES : 0);
    return cm_track_nth(&talk_track->cm, talk_track->cm.begun ? talk_track->cm.begun - 1 : 0);
}

const struct cm_connection *talk_send(const struct talk_message *m)
{
    return talk_send_as(m, psn++);
}

struct talk_message talk_req(void)
{
    struct talk_message m = talk_message(ACTIVE, PASSIVE, IBA_CM_ID_REQ, 0x77);
    uint8_t *w = talk_body(&m);

    iba_cm_req_set_localcommid(w, A_ID);
    iba_cm_req_set_serviceid(w, UINT64_C(0x1234567890));
    iba_cm_req_set_localqpn(w, A_QP);
    iba_cm_req_set_startpsn(w, A_PSN);
    iba_cm_req_set_initdepth(w, 5);
    iba_cm_req_set_responderres(w, 6);
    iba_cm_req_set_e2eflowctrl(w, 1);
    iba_cm_req_set_pkey(w, 0x8123);
    iba_cm_req_set_prim_sl(w, 3);
    iba_cm_req_set_prim_tfcclass(w, 0x44);
    iba_cm_req_set_prim_hoplim(w, 55);
    iba_cm_req_set_rnrretrcount(w, 4);
    iba_cm_req_set_pppmtu(w, IBA_MTU_1024);
    iba_cm_req_set_prim_localacktout(w, 17);
    iba_cm_req_set_retrcount(w, 7);
    iba_cm_req_set_remoteresptout(w, 10); /* 4.2 ms */
    iba_cm_req_set_maxcmretr(w, 2);
    return m;
}

struct talk_message talk_ids(uint32_t src, uint16_t attribute, uint64_t tid)
{
    const bool active = src == ACTIVE;
    struct talk_message m = talk_message(src, active ? PASSIVE : ACTIVE, attribute, tid);

    iba_cm_rtu_set_localcommid(talk_body(&m), active ? A_ID : P_ID);
    iba_cm_rtu_set_remotecommid(talk_body(&m), active ? P_ID : A_ID);
    return m;
}

struct talk_message talk_rep(void)
{
    struct talk_message m = talk_ids(PASSIVE, IBA_CM_ID_REP, 0x77);
    uint8_t *w = talk_body(&m);

    iba_cm_rep_set_localqpn(w, P_QP);
    iba_cm_rep_set_startpsn(w, P_PSN);
    iba_cm_rep_set_respres(w, 4);
    iba_cm_rep_set_initdepth(w, 3);
    iba_cm_rep_set_rnrretrcount(w, 2);
    return m;
}

struct talk_message talk_dreq(uint32_t src)
{
    struct talk_message m = talk_ids(src, IBA_CM_ID_DREQ, 0x99);

    iba_cm_dreq_set_remoteqpn(talk_body(&m), src == ACTIVE ? P_QP : A_QP);
    return m;
}

const struct cm_connection *talk_connect(void)
{
    const struct talk_message q = talk_req(), p = talk_rep(), u = talk_ids(ACTIVE, IBA_CM_ID_RTU, 0x77);

    talk_send(&q);
    talk_now_ns += MS;
    talk_send(&p);
    talk_now_ns += MS;
    return talk_send(&u);
}

struct talk_message talk_sidr(bool answer)
{
    struct talk_message m = talk_message(answer ? PASSIVE : ACTIVE, answer ? ACTIVE : PASSIVE,
                                         answer ? IBA_CM_ID_SIDR_REP : IBA_CM_ID_SIDR_REQ, 0x55);

    if (answer) {
        iba_cm_sidr_rep_set_requestid(talk_body(&m), 0x31);
        iba_cm_sidr_rep_set_qpn(talk_body(&m), P_QP);
        iba_cm_sidr_rep_set_serviceid(talk_body(&m), 0x9999);
    } else {
        iba_cm_sidr_req_set_requestid(talk_body(&m), 0x31);
        iba_cm_sidr_req_set_serviceid(talk_body(&m), 0x9999);
    }
    return m;
}

struct talk_message talk_naming(uint32_t src, uint16_t attribute, uint64_t tid, uint8_t named, uint16_t reason)
{
    struct talk_message m = talk_ids(src, attribute, tid);

    if (attribute == IBA_CM_ID_MRA)
        iba_cm_mra_set_msgmraed(talk_body(&m), named);
    if (attribute == IBA_CM_ID_REJ) {
        iba_cm_rej_set_msgrej(talk_body(&m), named);
        iba_cm_rej_set_reason(talk_body(&m), reason);
    }
    return m;
}

void talk_breaks(unsigned kind, uint64_t cause, const char *what)
{
    const struct mad_context *told = &talk_packet.mad_context;

    cr_expect_eq(told->n_said, kind != IBA_FINDING_COUNT, "%s: breaks %u rules, one is %s", what, told->n_said,
                 told->n_said ? iba_findings[told->said[0].kind].name : "none");
    if (kind == IBA_FINDING_COUNT || told->n_said == 0)
        return;
    cr_expect_eq(told->said[0].kind, kind, "%s: %s", what, iba_findings[told->said[0].kind].name);
    cr_expect_eq(told->said[0].cause.frame, cause, "%s: frame %" PRIu64, what, told->said[0].cause.frame);
    cr_expect_eq(told->said[0].cause.tag, cause % 3, "%s: file of the frame", what);
}
