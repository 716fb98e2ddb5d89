/* SPDX-License-Identifier: BSD-2-Clause */
/* How a CM handles a message (sections 12.6 to 12.11; catalogue section 10, MD-54..MD-86).
 *
 * Rows of one message are together: first the rows for a connection that exists, then the rows without a connection. A
 * message that no row takes is dropped. */
#include "cm/iba_cm_rows.h"
#include <string.h>

#define NO IN(NONE)
#define ASKING (IN(REQ_SENT) | IN(MRA_REQ_RCVD))
#define ASKED (IN(REQ_RCVD) | IN(MRA_REQ_SENT))
#define OFFERING (IN(REP_SENT) | IN(MRA_REP_RCVD))
#define OFFERED (IN(REP_RCVD) | IN(MRA_REP_SENT))
#define LOADING (IN(LAP_SENT) | IN(MRA_LAP_RCVD))
#define SUGGESTED (IN(LAP_RCVD) | IN(MRA_LAP_SENT))
#define UP (IN(ESTABLISHED) | LOADING | SUGGESTED)

/* ---- conditions ---- */

static bool other_version(const struct iba_cm_rx *x)
{
    return iba_madhdr_classversion(x->mad) != IBA_CM_VERSION;
}

static bool of_req(const struct iba_cm_rx *x)
{
    return iba_cm_mra_msgmraed(x->data) == IBA_CM_OF_REQ;
}

static bool of_rep(const struct iba_cm_rx *x)
{
    return iba_cm_mra_msgmraed(x->data) == IBA_CM_OF_REP;
}

static bool of_lap(const struct iba_cm_rx *x)
{
    return iba_cm_mra_msgmraed(x->data) == IBA_CM_OTHER;
}

static bool says_stale(const struct iba_cm_rx *x)
{
    return iba_cm_rej_reason(x->data) == IBA_CM_REJ_STALE;
}

static bool other_qp(const struct iba_cm_rx *x)
{
    return iba_cm_dreq_remoteqpn(x->data) != x->c->local_qpn;
}

/* The message repeats the LAP that the connection's last APR answered, since that APR was lost. */
static bool answered_lap(const struct iba_cm_rx *x)
{
    return iba_madhdr_attributeid(x->c->sent) == IBA_CM_ID_APR &&
           iba_madhdr_transactionid(x->c->sent) == iba_madhdr_transactionid(x->mad);
}

static const struct iba_port *port_of(const struct iba_cm_rx *x)
{
    return &x->cm->cfg.port[x->from->port - 1];
}

static bool on_roce(const struct iba_cm_rx *x)
{
    return port_of(x)->kind != IBA_PORT_IB;
}

static bool lap_other_qp(const struct iba_cm_rx *x)
{
    return iba_cm_lap_remoteqpn(x->data) != x->c->local_qpn;
}

/* The LAP suggests the path that the REQ gave as primary. */
static bool lap_same_path(const struct iba_cm_rx *x)
{
    const uint8_t *req = x->c->req;
    const bool passive = !x->c->active;
    const uint16_t local = passive ? iba_cm_req_prim_locallid(req) : iba_cm_req_prim_remotelid(req);
    const uint16_t remote = passive ? iba_cm_req_prim_remotelid(req) : iba_cm_req_prim_locallid(req);

    return iba_cm_lap_alt_locallid(x->data) == local && iba_cm_lap_alt_remotelid(x->data) == remote;
}

/* Another connection of the same peer has this communication ID. */
static bool duplicate_id(const struct iba_cm_rx *x)
{
    return iba_cm_by_remote_id(x->cm, iba_cm_rep_localcaguid(x->data), iba_cm_rep_localcommid(x->data));
}

static bool sent_rtu(const struct iba_cm_rx *x)
{
    return iba_madhdr_attributeid(x->c->sent) == IBA_CM_ID_RTU;
}

/* ---- what a connection takes from a message ---- */

static void take_service_time(struct iba_cm_rx *x)
{
    x->c->service_time = iba_cm_mra_servicetimeout(x->data);
}

static void take_rep(struct iba_cm_rx *x)
{
    memcpy(x->c->rep, x->data, sizeof x->c->rep);
    x->c->has_rep = true;
    iba_cm_set_remote(x->cm, x->c, iba_cm_rep_localcaguid(x->data), iba_cm_rep_localcommid(x->data),
                      iba_cm_rep_qp(x->data, x->c->service));
}

static void take_transaction(struct iba_cm_rx *x)
{
    x->c->tid = iba_madhdr_transactionid(x->mad);
}

static void take_suggestion(struct iba_cm_rx *x)
{
    x->c->sap_tid = iba_madhdr_transactionid(x->mad);
}

/* clang-format off */
/*    name                on        in                    when                    take                  answer    code next           timer     event        the message ...                                                         clause */
#define CM_MESSAGE_RULES(R)                                                                                                                                                                                                                       \
    R(req_version,        REQ,      NO,                   other_version,          NULL,                 REJ,      31,  SAME,          NONE,     NONE,        "is a REQ of another class version",                                    "MD-54,MD-74")  \
    R(sidr_version,       SIDR_REQ, NO,                   other_version,          NULL,                 SIDR_REP, 5,   SAME,          NONE,     NONE,        "is a SIDR_REQ of another class version",                               "MD-54,MD-80")  \
    R(req_again_mra,      REQ,      IN(MRA_REQ_SENT),     iba_cm_always,          NULL,                 AGAIN,    0,   SAME,          NONE,     NONE,        "is a duplicate REQ that was answered with an MRA",                     "MD-70")        \
    R(req_again_rep,      REQ,      OFFERING,             iba_cm_always,          NULL,                 AGAIN,    0,   SAME,          NONE,     NONE,        "is a duplicate REQ that was answered with a REP",                      "MD-70")        \
    R(req_timewait,       REQ,      IN(TIMEWAIT),         iba_cm_always,          NULL,                 REJ,      10,  SAME,          NONE,     NONE,        "is a REQ of a connection that is in TimeWait",                         "MD-73,MD-78")  \
    R(req_peer_loses,     REQ,      ASKING,               iba_cm_peer_loses,      iba_cm_yield,         NOTHING,  0,   REQ_RCVD,      NONE,     REQ,         "is a REQ from the peer that we are connecting to, and it stays active", "MD-86")       \
    R(req_stale,          REQ,      NO,                   iba_cm_stale,           iba_cm_take_stale,    REJ,      10,  SAME,          NONE,     NONE,        "is a REQ of a queue pair that has a connection",                       "MD-73")        \
    R(req_no_service,     REQ,      NO,                   iba_cm_no_service,      NULL,                 REJ,      8,   SAME,          NONE,     NONE,        "is a REQ that no listener fits",                                       "MD-72")        \
    R(req_wrong_type,     REQ,      NO,                   iba_cm_wrong_type,      NULL,                 REJ,      9,   SAME,          NONE,     NONE,        "is a REQ for a transport service that we lack",                        "MD-61,MD-74")  \
    R(req_foreign_gid,    REQ,      NO,                   iba_cm_foreign_gid,     NULL,                 REJ,      12,  SAME,          NONE,     NONE,        "is a REQ whose primary path leads to another GID",                     "MD-74")        \
    R(req_foreign_lid,    REQ,      NO,                   iba_cm_foreign_lid,     NULL,                 REJ,      13,  SAME,          NONE,     NONE,        "is a REQ whose primary path leads to another LID",                     "MD-74,MD-83")  \
    R(req_blocked_sl,     REQ,      NO,                   iba_cm_blocked_sl,      NULL,                 REJ,      14,  SAME,          NONE,     NONE,        "is a REQ with an SL that the port may not send",                       "MD-74")        \
    R(req_foreign_alt_gid, REQ,     NO,                   iba_cm_foreign_alt_gid, NULL,                 REJ,      18,  SAME,          NONE,     NONE,        "is a REQ whose alternate path leads to another GID",                   "MD-74")        \
    R(req_foreign_alt_lid, REQ,     NO,                   iba_cm_foreign_alt_lid, NULL,                 REJ,      19,  SAME,          NONE,     NONE,        "is a REQ whose alternate path leads to another LID",                   "MD-74")        \
    R(req_wrong_mtu,      REQ,      NO,                   iba_cm_wrong_mtu,       NULL,                 REJ,      26,  SAME,          NONE,     NONE,        "is a REQ with a path MTU that does not exist, or that the port lacks", "MD-74")        \
    R(req_wrong_ip,       REQ,      NO,                   iba_cm_wrong_ip,        NULL,                 REJ,      28,  SAME,          NONE,     NONE,        "is a REQ for an IP service, without a valid IP CM header",             "MD-81")        \
    R(req_full_backlog,   REQ,      NO,                   iba_cm_full_backlog,    NULL,                 REJ,      3,   SAME,          NONE,     NONE,        "is a REQ, and as many as the listener takes wait for an answer",       "MD-74")        \
    R(req_no_slot,        REQ,      NO,                   iba_cm_no_slot,         NULL,                 REJ,      3,   SAME,          NONE,     NONE,        "is a REQ, and there is no space for another connection",               "MD-74")        \
    R(req,                REQ,      NO,                   iba_cm_always,          iba_cm_take_req,      NOTHING,  0,   REQ_RCVD,      NONE,     REQ,         "is a REQ",                                                             "MD-65")        \
    R(mra_req,            MRA,      IN(REQ_SENT),         of_req,                 take_service_time,    NOTHING,  0,   MRA_REQ_RCVD,  SERVICE,  MRA,         "is an MRA of our REQ",                                                 "MD-69")        \
    R(mra_rep,            MRA,      IN(REP_SENT),         of_rep,                 take_service_time,    NOTHING,  0,   MRA_REP_RCVD,  SERVICE,  MRA,         "is an MRA of our REP",                                                 "MD-69")        \
    R(mra_lap,            MRA,      IN(LAP_SENT),         of_lap,                 take_service_time,    NOTHING,  0,   MRA_LAP_RCVD,  SERVICE,  MRA,         "is an MRA of our LAP",                                                 "MD-69,MD-79")  \
    R(rej_stale,          REJ,      ASKING|ASKED|OFFERING, says_stale,            NULL,                 NOTHING,  0,   TIMEWAIT,      TIMEWAIT, REJ,         "is a REJ: the peer has an older connection with our queue pair",       "MD-73,MD-78")  \
    R(rej_asking,         REJ,      ASKING|ASKED,         iba_cm_always,          NULL,                 NOTHING,  0,   NONE,          NONE,     REJ,         "is a REJ before any REP",                                              "MD-85")        \
    R(rej_offering,       REJ,      OFFERING|OFFERED,     iba_cm_always,          NULL,                 NOTHING,  0,   TIMEWAIT,      TIMEWAIT, REJ,         "is a REJ after a REP",                                                 "MD-85")        \
    R(rej_up,             REJ,      UP|IN(DREQ_SENT),     iba_cm_always,          NULL,                 NOTHING,  0,   TIMEWAIT,      TIMEWAIT, REJ,         "is a REJ of a peer that gave up, and we are established",              "MD-85")        \
    R(rep_duplicate_id,   REP,      ASKING,               duplicate_id,           NULL,                 REJ,      30,  SAME,          NONE,     NONE,        "is a REP with a communication ID that another connection has",         "MD-74")        \
    R(rep_stale,          REP,      ASKING,               iba_cm_stale,           iba_cm_take_stale,    REJ,      10,  NONE,          NONE,     STALE,       "is a REP of a queue pair that has another connection",                 "MD-73")        \
    R(rep,                REP,      ASKING,               iba_cm_always,          take_rep,             NOTHING,  0,   REP_RCVD,      NONE,     REP,         "is the REP to our REQ",                                                "MD-67")        \
    R(rep_again_mra,      REP,      IN(MRA_REP_SENT),     iba_cm_always,          NULL,                 AGAIN,    0,   SAME,          NONE,     NONE,        "is a duplicate REP that was answered with an MRA",                     "MD-71")        \
    R(rep_again_rtu,      REP,      IN(ESTABLISHED),      sent_rtu,               NULL,                 AGAIN,    0,   SAME,          NONE,     NONE,        "is a duplicate REP: our RTU was lost",                                 "MD-71,MD-84")  \
    R(rep_unknown,        REP,      NO,                   iba_cm_always,          NULL,                 REJ,      6,   SAME,          NONE,     NONE,        "is a REP, and we have no such connection",                             "MD-75")        \
    R(rtu,                RTU,      OFFERING,             iba_cm_always,          NULL,                 NOTHING,  0,   ESTABLISHED,   NONE,     ESTABLISHED, "is the RTU to our REP",                                                "MD-65")        \
    R(dreq_other_qp,      DREQ,     OFFERING|UP|IN(DREQ_SENT)|IN(TIMEWAIT), other_qp, NULL,             NOTHING,  0,   SAME,          NONE,     NONE,        "is a DREQ for another queue pair",                                     "MD-76")        \
    R(dreq_both,          DREQ,     IN(DREQ_SENT),        iba_cm_always,          take_transaction,     DREP,     0,   TIMEWAIT,      TIMEWAIT, DREQ,        "is a DREQ that met our own",                                           "MD-76")        \
    R(dreq,               DREQ,     OFFERING|UP,          iba_cm_always,          take_transaction,     NOTHING,  0,   DREQ_RCVD,     NONE,     DREQ,        "is a DREQ",                                                            "MD-76")        \
    R(dreq_timewait,      DREQ,     IN(TIMEWAIT),         iba_cm_always,          take_transaction,     DREP,     0,   SAME,          NONE,     NONE,        "is a DREQ, and we are in TimeWait: our DREP was lost",                 "MD-77")        \
    R(dreq_unknown,       DREQ,     NO,                   iba_cm_always,          NULL,                 DREP,     0,   SAME,          NONE,     NONE,        "is a DREQ, and we have no such connection",                            "MD-77")        \
    R(drep,               DREP,     IN(DREQ_SENT),        iba_cm_always,          NULL,                 NOTHING,  0,   TIMEWAIT,      TIMEWAIT, DREP,        "is the DREP to our DREQ",                                              "MD-76")        \
    R(lap_unknown,        LAP,      NO,                   iba_cm_always,          NULL,                 APR,      1,   SAME,          NONE,     NONE,        "is a LAP, and we have no such connection",                             "MD-79")        \
    R(lap_again_mra,      LAP,      IN(MRA_LAP_SENT),     iba_cm_always,          NULL,                 AGAIN,    0,   SAME,          NONE,     NONE,        "is a duplicate LAP that was answered with an MRA",                     "MD-79")        \
    R(lap_again_apr,      LAP,      IN(ESTABLISHED),      answered_lap,           NULL,                 AGAIN,    0,   SAME,          NONE,     NONE,        "is a duplicate LAP: our APR was lost",                                 "MD-79")        \
    R(lap_roce,           LAP,      IN(ESTABLISHED),      on_roce,                take_transaction,     APR,      2,   SAME,          NONE,     NONE,        "is a LAP, and our port is one of Ethernet",                            "MD-79,MD-83")  \
    R(lap_other_qp,       LAP,      IN(ESTABLISHED),      lap_other_qp,           take_transaction,     APR,      6,   SAME,          NONE,     NONE,        "is a LAP for another queue pair",                                      "MD-79")        \
    R(lap_foreign_lid,    LAP,      IN(ESTABLISHED),      iba_cm_lap_foreign_lid, take_transaction,     APR,      7,   SAME,          NONE,     NONE,        "is a LAP to another LID",                                              "MD-79")        \
    R(lap_foreign_gid,    LAP,      IN(ESTABLISHED),      iba_cm_lap_foreign_gid, take_transaction,     APR,      8,   SAME,          NONE,     NONE,        "is a LAP to another GID",                                              "MD-79")        \
    R(lap_same_path,      LAP,      IN(ESTABLISHED),      lap_same_path,          take_transaction,     APR,      5,   SAME,          NONE,     NONE,        "is a LAP with the path that the connection has",                       "MD-79")        \
    R(lap,                LAP,      IN(ESTABLISHED),      iba_cm_always,          iba_cm_take_lap,      NOTHING,  0,   LAP_RCVD,      NONE,     LAP,         "is a LAP",                                                             "MD-79")        \
    R(apr,                APR,      LOADING,              iba_cm_always,          iba_cm_take_alternate, NOTHING,  0,   ESTABLISHED,   NONE,     APR,         "is the APR to our LAP",                                                "MD-79")        \
    R(sap,                SAP,      UP,                   iba_cm_always,          take_suggestion,      NOTHING,  0,   SAME,          NONE,     SAP,         "is a SAP",                                                             "MD-54")        \
    R(spr,                SPR,      UP,                   iba_cm_always,          NULL,                 NOTHING,  0,   SAME,          NONE,     SPR,         "is an SPR",                                                            "MD-54")        \
    R(sidr_no_service,    SIDR_REQ, NO,                   iba_cm_no_service,      NULL,                 SIDR_REP, 1,   SAME,          NONE,     NONE,        "is a SIDR_REQ that no listener fits",                                  "MD-80")        \
    R(sidr_full_backlog,  SIDR_REQ, NO,                   iba_cm_full_backlog,    NULL,                 SIDR_REP, 3,   SAME,          NONE,     NONE,        "is a SIDR_REQ, and as many as the listener takes wait for an answer",  "MD-80")        \
    R(sidr_no_slot,       SIDR_REQ, NO,                   iba_cm_no_slot,         NULL,                 SIDR_REP, 3,   SAME,          NONE,     NONE,        "is a SIDR_REQ, and there is no space for another exchange",            "MD-80")        \
    R(sidr_req,           SIDR_REQ, NO,                   iba_cm_always,          iba_cm_take_sidr_req, NOTHING,  0,   SIDR_REQ_RCVD, NONE,     SIDR_REQ,    "is a SIDR_REQ",                                                        "MD-80")        \
    R(sidr_rep,           SIDR_REP, IN(SIDR_REQ_SENT),    iba_cm_always,          NULL,                 NOTHING,  0,   NONE,          NONE,     SIDR_REP,    "is the SIDR_REP to our SIDR_REQ",                                      "MD-80")
/* clang-format on */

IBA_CM_RULE_TABLE(CM_MESSAGE_RULES, iba_cm_message_rules, "CM messages")
