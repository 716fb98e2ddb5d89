/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of the behaviours of reliable datagrams that no rule table has. A sentence continues "a device ..."; after
 * "broken:" it says what a device does whose row is changed. Not for users of libiba. */
#ifndef IBA_DEVIATIONS_RD_H
#define IBA_DEVIATIONS_RD_H
#include "transport/iba_engine.h"

/* clang-format off */
/*    name                kinds   a device ...                                                                                     clause */
#define IBA_RD_BEHAVIOURS(B)                                                                                                          \
    B(CONTEXT_NAMED,      OTHER,  "receives in the EE context that the RDETH names; broken: in the first one",                    "PV-27, WF-40") \
    B(CONTEXT_SENT,       OTHER,  "sends the number of the other end's EE context in the RDETH of requests; broken: its own",      "UU-32, WF-40") \
    B(CONTEXT_ANSWERED,   OTHER,  "sends the number of the other end's EE context in the RDETH of responses; broken: its own",     "UU-32, WF-40") \
    B(SOURCE_QPN,         OTHER,  "sends the number of the QP as SrcQP; broken: of the EE context",                                "UU-32") \
    B(ANSWER_TO_SENDER,   OTHER,  "sends responses to the QP that sent the request; broken: to the one with its own QP's number",  "UU-32") \
    B(ONE_AT_A_TIME,      DROP,   "begins a message in an EE context after the one before was acknowledged",                      "UU-33") \
    B(RESYNC_AFTER_RNR,   DROP,   "sends RESYNC after an RNR NAK",                                                                 "UU-34, UU-37") \
    B(RESYNC_AFTER_FAULT, DROP,   "sends RESYNC after a message that failed",                                                      "UU-34") \
    B(RESYNC_PSN,         OTHER,  "sends RESYNC with the PSN after all that it used; broken: with one that it used",               "UU-34") \
    B(RESYNC_SETS_PSN,    DROP,   "expects the PSN after that of a RESYNC",                                                        "UU-34") \
    B(RESYNC_ABORTS,      DROP,   "completes the receive of an abandoned message with Remote Aborted Error",                      "UU-34") \
    B(RESYNC_ACKED,       DROP,   "acknowledges a RESYNC",                                                                         "UU-34") \
    B(REFUSED_STAYS,      DROP,   "refuses a refused request again until a RESYNC comes",                                          "UU-34") \
    B(NAK_CODE,           OTHER,  "reports an invalid RD request with NAK code 4; broken: with code 1",                            "UU-35") \
    B(REFUSER_USABLE,     DROP,   "keeps an EE context usable after it refused a request",                                         "UU-35") \
    B(SENDER_USABLE,      DROP,   "keeps an EE context usable after a message of it was refused",                                  "UU-35") \
    B(DOMAIN_OF_SENDER,   DROP,   "sends no message through an EE context of another reliable datagram domain",                    "UU-36") \
    B(OTHERS_GO_ON,       DROP,   "sends messages of other QPs while one waits for its receiver",                                  "UU-37") \
    B(RNR_OF_QP,          OTHER,  "puts the RNR timer of the addressed QP into an RNR NAK; broken: code 0",                        "UU-37") \
    B(PKEY_OF_CONTEXT,    OTHER,  "sends the P_Key of the EE context; broken: the default one",                                     "PV-12") \
    B(KEYS_OF_QP,         OTHER,  "checks R_Keys against the domain of the addressed QP; broken: against none",                    "UU-38") \
    B(RIGHTS_OF_QP,       OTHER,  "checks the access rights of the addressed QP; broken: of no QP",                                "UU-38")
/* clang-format on */

#define IBA_RD_ROW(name, ...) IBA_ROW_rd_##name,
enum iba_rd_row { IBA_RD_BEHAVIOURS(IBA_RD_ROW) IBA_ROW_rd_COUNT };

extern const struct iba_behaviours iba_rd_behaviours;
#define IBA_RD_LISTS(L) L(iba_rd_behaviours)
#endif
