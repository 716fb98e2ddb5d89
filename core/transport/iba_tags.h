/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of the engine: tag matching of an SRQ (VN-04..VN-06). Not for users of libiba; its verbs are in
 * iba_verbs.h.
 *
 * This is a model after rdma-core's Documentation/tag_matching.md: no device that does it was compared. The wire does
 * not show tag matching, except for the READ and the FIN of a rendezvous, which the receiver sends by itself: the
 * engine posts them to the send queue of the QP. The list of tagged receives is memory of the caller.
 *
 * Choices of ours: operations on the list take effect at once and have no completions; a FIN has the RVH of its
 * rendezvous; a rendezvous of several packets is unexpected; one whose READ and FIN have no room in the send queue gets
 * an RNR NAK; a READ that fails ends the tagged receive with its status. The text says that an unexpected message
 * completes as a plain receive, and rdma-core's test of a device expects another opcode; the model follows the text. */
#ifndef IBA_TAGS_H
#define IBA_TAGS_H
#include "transport/iba_requester.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a message is used, by its first packet. */
enum iba_tag_use {
    IBA_TAG_ORDINARY,   /* takes an ordinary receive */
    IBA_TAG_UNEXPECTED, /* the same, and software must know of it before it adds a receive that would have fitted */
    IBA_TAG_WAIT,       /* the receiver is not ready: the send queue has no room */
    IBA_TAG_EAGER,      /* the data go into the tagged receive, without the header */
    IBA_TAG_READ,       /* the engine READs the data into the tagged receive */
    IBA_TAG_HEADERS     /* the data do not fit: the tagged receive gets the headers */
};
struct iba_tag_row {
    const char *name, *sentence, *clause;
    uint8_t use; /* enum iba_tag_use */
};
const struct iba_tag_row *iba_tag_rules(size_t *n); /* the rows, for tables and tests */

struct iba_tag_part { /* bytes of a payload that go into a receive */
    uint32_t skip, n;
};
struct iba_tag_part iba_tags_part(const struct iba_rx *x, const struct iba_srq *srq);
/* The receive that the SEND takes; NULL: there is none, or the message must wait. */
const struct iba_recv_wr *iba_tags_next(const struct iba_rx *x, const struct iba_srq *srq);
/* Takes it. False: there is none. */
bool iba_tags_take(struct iba_rx *x, struct iba_srq *srq, struct iba_recv_wr *wr);
/* The first packet of several has taken its tagged receive. */
void iba_tags_begun(struct iba_rx *x);
/* The message has ended: what its completion says of the match. A rendezvous begins its READ. */
void iba_tags_complete(struct iba_rx *x, struct iba_wc *wc);

#ifdef __cplusplus
}
#endif

#endif
