/* SPDX-License-Identifier: BSD-2-Clause */
/* Statements that scenarios cite although no broken engine shows that they are checked, with the reason. A row is
 * removed when a broken engine shows it. */
#ifndef IBC_STATEMENTS_UNPROVEN_H
#define IBC_STATEMENTS_UNPROVEN_H

/* clang-format off */
#define IBC_WHY_PERMITS "it permits and forbids nothing: no device can break it"
#define IBC_WHY_GUARD   "no engine without this check is made: its later checks need the link that it is of"
#define IBC_WHY_NO_CM_LID "not tested: no broken connection manager looks at LIDs over Ethernet"
#define IBC_WHY_MANAGER "a subnet manager's: spoiled managers show it (docs/tables/spoiled.md)"
#define IBC_WHY_DIFFER  "public sources differ, so that the scenario takes either and fails nobody"

/* id, reason; by id */
#define IBC_UNPROVEN(U) \
    U("KM-32", IBC_WHY_PERMITS) \
    U("KM-39", IBC_WHY_MANAGER) \
    U("KM-51", IBC_WHY_MANAGER) \
    U("KM-52", IBC_WHY_MANAGER) \
    U("KM-53", IBC_WHY_MANAGER) \
    U("KM-54", IBC_WHY_MANAGER) \
    U("MD-82", "not tested: no broken connection manager sends to or from another queue pair than QP1") \
    U("MD-89", IBC_WHY_MANAGER) \
    U("MD-90", IBC_WHY_MANAGER) \
    U("MD-93", IBC_WHY_MANAGER) \
    U("MD-95", IBC_WHY_MANAGER) \
    U("MD-96", IBC_WHY_MANAGER) \
    U("MD-97", IBC_WHY_MANAGER) \
    U("RO-26", IBC_WHY_GUARD) \
    U("RO-28", IBC_WHY_GUARD) \
    U("RO-30", IBC_WHY_NO_CM_LID) \
    U("RO-31", IBC_WHY_NO_CM_LID) \
    U("RO-50", "what the bit is over Ethernet no public document says: measured only") \
    U("RQ-39", IBC_WHY_PERMITS) \
    U("RR-11", IBC_WHY_PERMITS) \
    U("RR-21", IBC_WHY_DIFFER) \
    U("RR-31", IBC_WHY_PERMITS) \
    U("RR-42", "a WRITE may be checked as a whole or by packets: the scenario takes either") \
    U("RR-47", "not tested: the reference executes one request at a time, and can lose no result") \
    U("UU-42", IBC_WHY_GUARD) \
    U("WF-37", "not tested: verbs ask for no number of a queue pair, and those that the reference picks are ordinary")
/* clang-format on */
#endif
