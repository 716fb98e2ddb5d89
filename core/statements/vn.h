/* SPDX-License-Identifier: BSD-2-Clause */
/* Behaviour of some vendors' devices: area VN of the statements; see conformance/statements/statement.c for the
 * columns.
 *
 * One vendor or one project is one source, which nothing else confirms: tag matching is described by rdma-core alone
 * (Documentation/tag_matching.md, libibverbs/tm_types.h). So all statements are marked as known to us only: a device
 * that differs deviates, and never fails. */
#ifndef IBA_STATEMENTS_VN_H
#define IBA_STATEMENTS_VN_H

/* clang-format off */
/* area, id, section, compliance, edition, class, seen, then words; or status, words, reason */
#define IBA_STATEMENTS_VN(OPEN, SHUT) \
    SHUT(VN, "VN-01", "", "", "", I, K, SCOPE, "A dynamically connected initiator names target, address and access key in each work request.", "a transport of one vendor, whose packets are not public") \
    SHUT(VN, "VN-02", "", "", "", I, K, SCOPE, "Requests of dynamic connections use the manufacturer's opcodes, and carry a key.",              "a transport of one vendor, whose packets are not public") \
    SHUT(VN, "VN-03", "", "", "", I, K, SCOPE, "A target of dynamic connections refuses a wrong access key, and counts it.",                    "a transport of one vendor, whose packets are not public") \
    OPEN(VN, "VN-04", "", "", "", C, K, "The data of a tagged message go without its header into the first receive of the list whose tag it has.") \
    OPEN(VN, "VN-05", "", "", "", C, K, "The receiver of a rendezvous gets the data by a READ, and then sends FIN; both without its user.") \
    OPEN(VN, "VN-06", "", "", "", C, K, "A message that no receive of the list fits takes an ordinary receive, whole.")
/* clang-format on */
#endif
