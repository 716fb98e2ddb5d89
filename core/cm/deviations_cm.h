/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken CMs, built as in transport/deviations.h. The code of the CM is that of an unbroken CM. A broken CM has one
 * column of one row of its tables changed (iba_cm_rules_change), or it deviates in one row of the lists below
 * (iba_cm_change). The lists have the fields of messages, and behaviour that no row of a table decides. "a device ..."
 * goes before each sentence; after "broken:" stands what the broken CM does instead. Not for users of libiba. */
#ifndef IBA_DEVIATIONS_CM_H
#define IBA_DEVIATIONS_CM_H
#include "cm/iba_cm_input.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rows ---- */
enum iba_cm_row_change {
    IBA_CM_ROW_DROP,    /* the row is left out */
    IBA_CM_ROW_SILENT,  /* the row sends nothing */
    IBA_CM_ROW_CODE,    /* the reason or status that the row sends is one too high */
    IBA_CM_ROW_STAYS,   /* the state does not change */
    IBA_CM_ROW_TIMER,   /* the row starts no timer */
    IBA_CM_ROW_UNTOLD,  /* the user gets no event */
    IBA_CM_ROW_FORGETS, /* the connection remembers nothing of the message */
    IBA_CM_ROW_CHANGES
};
struct iba_cm_changed_rules { /* owned by the caller; must outlive its use */
    struct iba_cm_rule row[IBA_CM_MAX_RULES];
    struct iba_cm_rules rules;
};
/* Makes a copy of the table with one row changed, for iba_cm_set_rules(). Returns false and leaves *out unchanged if
 * the change has no effect, or if the CM could not run with the changed table. */
bool iba_cm_rules_change(struct iba_cm_changed_rules *out, enum iba_cm_table t, uint16_t row,
                         enum iba_cm_row_change change);
const char *iba_cm_row_change_name(enum iba_cm_row_change change); /* "stays" */
void iba_cm_set_rules(struct iba_cm *cm, enum iba_cm_table t,
                      const struct iba_cm_rules *rules); /* NULL: the unchanged rules */

/* ---- fields of messages: F(name, message, layout, field, sentence, clause). A broken CM sends a value that is one too
 * high ---- */
/* clang-format off */
#define IBA_CM_FIELDS(F)                                                                                                                                     \
    F(REQ_TYPE,          REQ,      cm_req, transpsvctype,     "names its queue pair's transport service in the REQ",                            "MD-61")     \
    F(REQ_EXTENDED,      REQ,      cm_req, ext_transport,     "names the extended transport of its queue pair in the REQ, 0 for none",          "QS-49")     \
    F(REQ_SERVICE,       REQ,      cm_req, serviceid,         "names the service in the REQ",                                                   "MD-55")     \
    F(REQ_GUID,          REQ,      cm_req, localcaguid,       "names its CA GUID in the REQ",                                                   "MD-55")     \
    F(REQ_QPN,           REQ,      cm_req, localqpn,          "names its queue pair in the REQ",                                                "MD-55")     \
    F(REQ_RESOURCES,     REQ,      cm_req, responderres,      "names its responder resources in the REQ",                                       "MD-55")     \
    F(REQ_DEPTH,         REQ,      cm_req, initdepth,         "names its initiator depth in the REQ",                                           "MD-55")     \
    F(REQ_PSN,           REQ,      cm_req, startpsn,          "names the PSN at which it begins to receive in the REQ",                         "MD-63")     \
    F(REQ_PKEY,          REQ,      cm_req, pkey,              "names the partition in the REQ",                                                 "MD-55")     \
    F(REQ_MTU,           REQ,      cm_req, pppmtu,            "names the path MTU in the REQ",                                                  "MD-55")     \
    F(REQ_RNR,           REQ,      cm_req, rnrretrcount,      "names its RNR retry count in the REQ",                                           "MD-55")     \
    F(REQ_RETRY,         REQ,      cm_req, retrcount,         "names the retry count in the REQ",                                               "MD-55")     \
    F(REQ_MAX_RETRIES,   REQ,      cm_req, maxcmretr,         "names MaxCMRetries in the REQ",                                                  "MD-68")     \
    F(REQ_REMOTE_TIME,   REQ,      cm_req, remoteresptout,    "names the time in which the peer must answer in the REQ",                        "MD-69")     \
    F(REQ_LOCAL_TIME,    REQ,      cm_req, localresptout,     "names the time in which it answers itself in the REQ",                           "MD-69")     \
    F(REQ_ACK_TIMEOUT,   REQ,      cm_req, prim_localacktout, "names the ACK timeout in the REQ",                                               "MD-64")     \
    F(REQ_LOCAL_LID,     REQ,      cm_req, prim_locallid,     "names its LID in the REQ; 0 on Ethernet",                                        "MD-55, MD-83") \
    F(REQ_REMOTE_LID,    REQ,      cm_req, prim_remotelid,    "names the peer's LID in the REQ; 0 on Ethernet",                                 "MD-55, MD-83") \
    F(REQ_HOP_LIMIT,     REQ,      cm_req, prim_hoplim,       "names the hop limit in the REQ",                                                 "MD-55")     \
    F(REQ_PRIVATE,       REQ,      cm_req_private, private_data, "sends the user's private data in the REQ",                                    "MD-55")     \
    F(MRA_LOCAL,         MRA,      cm_mra, localcommid,       "names its communication ID in the MRA",                                          "MD-56")     \
    F(MRA_REMOTE,        MRA,      cm_mra, remotecommid,      "names the peer's communication ID in the MRA",                                   "MD-56")     \
    F(MRA_MESSAGE,       MRA,      cm_mra, msgmraed,          "names the message that the MRA answers",                                         "MD-56")     \
    F(MRA_TIME,          MRA,      cm_mra, servicetimeout,    "names the time that it needs in the MRA",                                        "MD-69")     \
    F(MRA_PRIVATE,       MRA,      cm_mra, private_data,      "sends the user's private data in the MRA",                                       "MD-56")     \
    F(REJ_REMOTE,        REJ,      cm_rej, remotecommid,      "names the peer's communication ID in the REJ",                                   "MD-56")     \
    F(REJ_MESSAGE,       REJ,      cm_rej, msgrej,            "names the message that the REJ rejects",                                         "MD-56")     \
    F(REJ_REASON,        REJ,      cm_rej, reason,            "names the reason in the REJ",                                                    "MD-74")     \
    F(REJ_INFO_BYTES,    REJ,      cm_rej, rejinfolen,        "counts the bytes of additional information in the REJ",                          "MD-56")     \
    F(REJ_INFO,          REJ,      cm_rej, ari,               "sends the additional information in the REJ",                                    "MD-74")     \
    F(REJ_PRIVATE,       REJ,      cm_rej, private_data,      "sends the user's private data in the REJ",                                       "MD-56")     \
    F(REP_LOCAL,         REP,      cm_rep, localcommid,       "answers later messages under the communication ID that its REP names",           "MD-57")     \
    F(REP_REMOTE,        REP,      cm_rep, remotecommid,      "names the peer's communication ID in the REP",                                   "MD-57")     \
    F(REP_QPN,           REP,      cm_rep, localqpn,          "names its queue pair in the REP",                                                "MD-57")     \
    F(REP_PSN,           REP,      cm_rep, startpsn,          "names the PSN at which it begins to receive in the REP",                         "MD-63")     \
    F(REP_RESOURCES,     REP,      cm_rep, respres,           "grants at most the responder resources that the REQ's initiator can use",        "MD-62")     \
    F(REP_DEPTH,         REP,      cm_rep, initdepth,         "takes at most the initiator depth that the REQ has resources for",               "MD-62")     \
    F(REP_ACK_DELAY,     REP,      cm_rep, tgtackdelay,       "names its ACK delay in the REP",                                                 "MD-64")     \
    F(REP_RNR,           REP,      cm_rep, rnrretrcount,      "names its RNR retry count in the REP",                                           "MD-57")     \
    F(REP_GUID,          REP,      cm_rep, localcaguid,       "names its CA GUID in the REP",                                                   "MD-57")     \
    F(REP_PRIVATE,       REP,      cm_rep, private_data,      "sends the user's private data in the REP",                                       "MD-57")     \
    F(RTU_LOCAL,         RTU,      cm_rtu, localcommid,       "names its communication ID in the RTU",                                          "MD-58")     \
    F(RTU_REMOTE,        RTU,      cm_rtu, remotecommid,      "names the peer's communication ID in the RTU",                                   "MD-58")     \
    F(RTU_PRIVATE,       RTU,      cm_rtu, private_data,      "sends the user's private data in the RTU",                                       "MD-58")     \
    F(DREQ_LOCAL,        DREQ,     cm_dreq, localcommid,      "names its communication ID in the DREQ",                                         "MD-58")     \
    F(DREQ_REMOTE,       DREQ,     cm_dreq, remotecommid,     "names the peer's communication ID in the DREQ",                                  "MD-58")     \
    F(DREQ_QPN,          DREQ,     cm_dreq, remoteqpn,        "names the peer's queue pair in the DREQ",                                        "MD-58")     \
    F(DREQ_PRIVATE,      DREQ,     cm_dreq, private_data,     "sends the user's private data in the DREQ",                                      "MD-58")     \
    F(DREP_LOCAL,        DREP,     cm_drep, localcommid,      "names its communication ID in the DREP",                                         "MD-58")     \
    F(DREP_REMOTE,       DREP,     cm_drep, remotecommid,     "names the peer's communication ID in the DREP",                                  "MD-58")     \
    F(DREP_PRIVATE,      DREP,     cm_drep, private_data,     "sends the user's private data in the DREP",                                      "MD-58")     \
    F(APR_LOCAL,         APR,      cm_apr, localcommid,       "names its communication ID in the APR",                                          "MD-59")     \
    F(APR_REMOTE,        APR,      cm_apr, remotecommid,      "names the peer's communication ID in the APR",                                   "MD-59")     \
    F(APR_STATUS,        APR,      cm_apr, status,            "names the status in the APR",                                                    "MD-79")     \
    F(LAP_LOCAL,         LAP,      cm_lap, localcommid,       "names its communication ID in the LAP",                                          "MD-59")     \
    F(LAP_REMOTE,        LAP,      cm_lap, remotecommid,      "names the peer's communication ID in the LAP",                                   "MD-59")     \
    F(LAP_QPN,           LAP,      cm_lap, remoteqpn,         "names the peer's queue pair in the LAP",                                         "MD-59")     \
    F(LAP_LID,           LAP,      cm_lap, alt_remotelid,     "names the peer's LID of the alternate path in the LAP",                          "MD-59")     \
    F(SIDR_REQ_SERVICE,  SIDR_REQ, cm_sidr_req, serviceid,    "names the service in the SIDR_REQ",                                              "MD-60")     \
    F(SIDR_REQ_PKEY,     SIDR_REQ, cm_sidr_req, pkey,         "names the partition in the SIDR_REQ",                                            "MD-60")     \
    F(SIDR_REP_ID,       SIDR_REP, cm_sidr_rep, requestid,    "repeats the request ID in the SIDR_REP",                                         "MD-60")     \
    F(SIDR_REP_STATUS,   SIDR_REP, cm_sidr_rep, status,       "names the status in the SIDR_REP",                                               "MD-80")     \
    F(SIDR_REP_QPN,      SIDR_REP, cm_sidr_rep, qpn,          "names its queue pair in the SIDR_REP",                                           "MD-60")     \
    F(SIDR_REP_SERVICE,  SIDR_REP, cm_sidr_rep, serviceid,    "repeats the service ID in the SIDR_REP",                                         "MD-60")     \
    F(SIDR_REP_QKEY,     SIDR_REP, cm_sidr_rep, qkey,         "names its Q_Key in the SIDR_REP",                                                "MD-60")     \
    F(SIDR_REP_PRIVATE,  SIDR_REP, cm_sidr_rep, private_data, "sends the user's private data in the SIDR_REP",                                  "MD-60")

/* ---- behaviour that no row of a table decides ---- */
/*    name               kinds        a device ...                                                                         clause */
#define IBA_CM_BEHAVIOURS(B)                                                                                                              \
    B(CLASS_VERSION,     OTHER,       "sends its messages with class version 2; broken: 1",                                "MD-54")       \
    B(METHOD,            OTHER,       "sends its messages with method Send; broken: Set",                                  "MD-54")       \
    B(TID_REPLY,         OTHER,       "answers a message under its transaction ID; broken: under another",                 "MD-54, MD-67") \
    B(TID_AGAIN,         OTHER,       "repeats a message under the same transaction ID; broken: under another",            "MD-68")       \
    B(TID_DREQ,          OTHER,       "begins a transaction with its DREQ; broken: goes on with that of the REQ",          "MD-76")       \
    B(AGAIN_SAME,        OTHER,       "repeats a message byte for byte; broken: with other private data",                  "MD-68")       \
    B(TRIES,             OTHER|DROP,  "sends a message once and MaxCMRetries times again; broken: once less; or once",     "MD-68")       \
    B(TRIES_MORE,        OTHER,       "gives up after MaxCMRetries; broken: tries once more",                              "MD-68")       \
    B(RESPONSE_TIME,     OTHER,       "waits the response time for an answer; broken: a quarter of it",                    "MD-69")       \
    B(RESPONSE_LATE,     OTHER,       "waits the response time for an answer; broken: eight times as long",                "MD-69")       \
    B(SERVICE_TIME,      DROP,        "waits as long as an MRA asks for",                                                  "MD-69")       \
    B(TIMEWAIT,          DROP,        "keeps a queue pair in TimeWait until its packets are gone",                         "MD-78")       \
    B(PSN_RECEIVE,       OTHER,       "begins to receive at the PSN that it named; broken: at the peer's",                 "MD-63")       \
    B(PSN_SEND,          OTHER,       "begins to send at the PSN that the peer named; broken: at its own",                 "MD-63")       \
    B(ATTR_QPN,          OTHER,       "connects its queue pair with the peer's that the messages name; broken: with the next one", "MD-57") \
    B(ATTR_MTU,          OTHER,       "gives its queue pair the path MTU of the REQ; broken: 256",                         "MD-55")       \
    B(ATTR_ALTERNATE,    OTHER,       "gives its queue pair the alternate path that both have agreed on; broken: to the next LID", "MD-79, QS-78") \
    B(BOUNDS,            DROP,        "bounds responder resources and initiator depth of its REP by those of the REQ",     "MD-62")       \
    B(REMOTE_ID,         DROP,        "takes messages only with the peer's communication ID",                              "MD-75, MD-77")
/* clang-format on */
enum {
#define IBA_CM_ROW(name, ...) IBA_ROW_cm_##name,
    IBA_CM_BEHAVIOURS(IBA_CM_ROW) IBA_ROW_cm_COUNT
};
extern const struct iba_behaviours iba_cm_behaviours, iba_cm_field_behaviours;
#define IBA_CM_LISTS(L) L(iba_cm_behaviours) L(iba_cm_field_behaviours)
/* Makes the CM deviate in one row of one of these lists; `c` NULL: in none. The caller owns `c`. */
void iba_cm_change(struct iba_cm *cm, const struct iba_change *c);

/* ---- the points at which a broken CM deviates ---- */
struct iba_cm_deviations {
    /* A message is complete, and leaves. */
    void (*message)(const struct iba_cm_rx *x, enum iba_cm_answer a, uint8_t *mad);
    /* A timer is started; an unbroken CM lets it run for `runs`. */
    iba_time (*timeout)(const struct iba_cm_rx *x, enum iba_cm_timer t, iba_time runs);
    /* The attributes of a queue pair are known. */
    void (*attributes)(const struct iba_cm *cm, const struct iba_cm_conn *c, struct iba_qp_attr *a);
};

#ifdef __cplusplus
}
#endif

#endif
