/* SPDX-License-Identifier: BSD-2-Clause */
/* Statements that a broken engine breaks in addition to those of its row. A row names the statements that its line
 * in the engine implements, and a device without that line may break other statements as well. */
#include <string.h>
#include "mutant.h"

/* clang-format off */
/*    broken engine                                     statements */
#define BREAKS(B)                                                                        \
    B("fabric.arrival.damaged=drop",                   "MD-108,WF-11")                \
    B("fabric.departure.smp=drop",                     "KM-47")                       \
    B("fabric.directed.too_many_hops=drop",            "MD-25")                       \
    B("fabric.agent.key_for_get=drop",                 "KM-08,MD-112")                \
    B("fabric.portinfo.lid=drop",                      "KM-22,KM-24")                 \
    B("fabric.portinfo.lease=drop",                    "KM-06")                       \
    B("header-validation.bad_icrc=drop",                "PV-01,RQ-59,WF-75,WF-76,WF-77") \
    B("header-validation.dlid_foreign=drop",            "KM-21,KM-22")                   \
    B("header-validation.to_qp0_over_ethernet=drop",    "RO-10")                         \
    B("header-validation.other_version=drop",           "PV-01,PV-37,RQ-59")             \
    B("header-validation.other_service=drop",           "WF-60")                         \
    B("header-validation.response_out_of_season=drop",  "PV-37")                         \
    B("header-validation.response_out_of_season=swap",  "PV-02")                         \
    B("header-validation.pkey_differs=drop",            "PV-15,RO-37")                   \
    B("header-validation.gids_differ=drop",             "RQ-59,PV-01")                   \
    B("header-validation.qkey_differs=drop",            "UU-18,RO-49")                   \
    B("header-validation.cnp=drop",                     "RO-46")                         \
    B("header-validation.cnp=other",                    "RO-46")                         \
    B("header-validation.uc_packet=other",              "UU-02")                         \
    B("RC-responder.gap=other",                         "RR-02,RR-08,RO-35")             \
    B("RC-responder.duplicate=other",                   "RR-02")                         \
    B("RC-responder.duplicate=drop",                    "RQ-62")                         \
    B("RC-responder.IN_ORDER=other",                    "RR-63")                         \
    B("RC-responder.result_again=drop",                 "RR-32")                         \
    B("RC-responder.no_receive_wqe=drop",               "QS-40")                         \
    B("RC-responder.bad_payload=drop",                  "WF-62")                         \
    B("UC-receiver.send_without_wqe=drop",              "QS-40")                         \
    B("UC-receiver.bad_payload=drop",                   "WF-62")                         \
    B("UD-receiver.no_wqe=drop",                        "QS-40")                         \
    B("receivers.PKEY_OWN=other",                       "PV-15")                         \
    B("receivers.SCATTER_ORDER=other",                  "QS-81")                         \
    B("request-packet.gather_order=other",              "QS-81")                         \
    B("request-packet.controlled_qkey=drop",            "KM-19")                         \
    B("requester.order=drop",                           "RQ-11")                         \
    B("requester.sqd_finishes=drop",                    "RQ-58")                         \
    B("requester.nak_acks_before=drop",                 "RR-07")                         \
    B("queue-pair-states.SQD_HEARS_ANSWERS=drop",       "RQ-58")                         \
    B("queue-pair-states.ERR_KEEPS_SRQ=other",          "QS-41")                         \
    B("queue-pair-states.FLUSHED_STATUS=other",         "QS-26")                         \
    B("requester.wc_first_status=drop",                 "QS-26")                         \
    B("transitions.RTR_TO_RTS=drop",                    "QS-21")                         \
    B("memory.INVALID_REGION=drop",                     "QS-58")                         \
    B("port.LIDS=other",                                "KM-21")                         \
    B("port.VL_OF_SMP=drop",                            "KM-57")                         \
    B("port.VCRC=drop",                                 "WF-04")                         \
    B("emit.datagram/bth.destqp=+1",                    "RO-48")                         \
    B("emit.rwh.etype=+1",                              "UU-39")
/* clang-format on */

struct breaks {
    const char *spec, *clause; /* spec without "mutant:" */
};
#define BREAKS_ROW(spec, clause) {spec, clause},
static const struct breaks rows[] = {BREAKS(BREAKS_ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

const char *mutant_breaks(const char *spec)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].spec, spec) == 0)
            return rows[i].clause;
    return NULL;
}

const char *mutant_breaks_at(size_t i, const char **clause)
{
    if (i >= ROWS)
        return NULL;
    *clause = rows[i].clause;
    return rows[i].spec;
}
